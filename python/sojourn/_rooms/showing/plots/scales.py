"""When an axis is logarithmic: where a time of one queue is ten times that of another, as behind a deep FIFO."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from ...catalogue.charts import Times

__all__ = ["Times", "floor_of_times", "packets", "time_scale", "wide", "wide_curves"]

_DECADE: Final = 10.0
_DECADES: Final = 4
"""A logarithmic axis spans no more: shorter times do not matter to anybody."""
_EARLY, _LATE = 0.05, 0.99
"""A curve is drawn from the time that this part of the packets waits, and compared up to the time of that part."""


def wide(times: Times, values: Iterable[float | None]) -> bool:
    """Whether these values, one of each queue, want a logarithmic axis.

    >>> wide("auto", [913.0, 17.8, 13.4]), wide("auto", [17.8, 13.4]), wide("log", [17.8, 13.4]), wide("auto", [5.0, 0])
    (True, False, True, False)
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    positive = [value for value in known if value > 0.0]
    if times == "linear" or not positive or len(positive) < len(known):
        return False
    return times == "log" or max(positive) >= _DECADE * min(positive)


def wide_curves(times: Times, curves: pl.DataFrame, by: list[str], value: str) -> bool:
    """Whether distribution functions (`value` and ``share``, a curve for each of `by`) want a logarithmic axis."""
    middle = _quantile(curves, by, value, 0.5)
    late = _quantile(curves, by, value, _LATE)
    positive = [one for one in middle if one > 0.0]
    if times == "linear" or not positive or not late:
        return False
    return times == "log" or max(late) >= _DECADE * min(positive)


def floor_of_times(curves: pl.DataFrame, by: list[str], value: str) -> float:
    """Where a logarithmic axis of these curves begins: a round time that few packets stay below."""
    positive = curves.filter(pl.col(value) > 0.0)
    if positive.is_empty():
        return 1e-3
    most = float(positive[value].max())  # type: ignore[arg-type]
    early = [one for one in _quantile(positive, by, value, _EARLY) if one > 0.0]
    least = max(min(early, default=most / _DECADE), most / 10.0**_DECADES)
    power = 10.0 ** math.floor(math.log10(least))
    return power * next(step for step in (5.0, 2.0, 1.0) if step * power <= least * (1.0 + 1e-9))


def _quantile(curves: pl.DataFrame, by: list[str], value: str, share: float) -> list[float]:
    found = curves.filter(pl.col("share") >= share).group_by(by).agg(pl.col(value).min())
    return [float(one) for one in found[value]]


def time_scale(is_wide: bool, **linear: Any) -> alt.Scale:
    """A scale of times; `linear` says how it is where it is not logarithmic."""
    return alt.Scale(type="log", nice=False) if is_wide else alt.Scale(**linear)


def packets(
    times: Times, means: Iterable[Sequence[float | None]], most: float | None
) -> tuple[alt.Scale, dict[str, Any]]:
    """The scale of a backlog or a window in packets, and options of its axis: zero is drawn on it, too.

    `means` are those of the queues, in parts within which they are compared: a part for each link.
    """
    parts = [[value for value in part if value is not None and value > 0.0] for part in means]
    if most is None or not any(wide(times, part) for part in parts):
        return alt.Scale(), {"tickCount": 4}
    ticks = [0, *(10**power for power in range(9) if 10**power <= most)]
    return alt.Scale(type="symlog", constant=1, nice=False), {"values": ticks}
