"""How far flows lose together (RFC 7928 section 2.4; Jayasinghe 2006)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ... import _core
from .._base.schema import made
from ..runs.metrics import Metric
from ..runs.readout import Readout
from ..runs.result import Result

__all__ = ["Synchrony", "synchrony"]


@dataclass(frozen=True, kw_only=True)
class _Written:
    """The measure as a criterion writes it."""

    window: str


@dataclass(frozen=True, kw_only=True)
class Synchrony(Metric):
    """The mean share of the flows, in percent, that lose within a time that begins with a loss.

    Attributes
    ----------
    window_s
        That time in seconds: about a round trip, in which a queue that overflows hits many.
    """

    window_s: float = 0.1

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        """From a criterion: ``{ window = "100ms" }``."""
        # A table of many values can be counted without naming a statistic of it.
        return cls(
            column="time_s", table="drops", statistic="count", window_s=_core.seconds(made(_Written, written).window)
        )

    def parts(self, run: Result | Readout) -> tuple[float, ...]:
        """Its value in a run; NaN where nothing was lost."""
        raw = (run if isinstance(run, Readout) else Readout(run)).raw
        if "drops" not in raw:
            self.refuse_table()
        times, flows, events = (raw.column("drops", name) for name in ("time_s", "flow", "event"))
        losses = [(time, flow) for time, flow, event in zip(times, flows, events, strict=True) if event == "drop"]
        return (100.0 * synchrony(losses, len(raw.column("flow", "flow")), self.window_s),)


def synchrony(losses: list[tuple[float, int]], flows: int, window_s: float) -> float:
    """The mean share of `flows` that lose in a window which begins with a loss outside of the window before.

    Parameters
    ----------
    losses
        Time in seconds and number of the flow, in order of time.

    Examples
    --------
    >>> synchrony([(1.0, 0), (1.05, 1), (2.0, 0)], flows=2, window_s=0.1)
    0.75
    """
    shares, begun, hit = [], float("-inf"), set[int]()
    for time, flow in losses:
        if time > begun + window_s:
            if hit:
                shares.append(len(hit) / flows)
            begun, hit = time, set()
        hit.add(flow)
    if hit:
        shares.append(len(hit) / flows)
    return sum(shares) / len(shares) if shares else float("nan")
