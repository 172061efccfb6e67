"""Columns of results, as the registry describes them: unit, bounds, words and the direction that is better.

A column says this next to the code that counts it. Nothing follows from how its name begins or ends.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal

from .._base.registry import read_registry

__all__ = ["Column", "Direction", "Measure", "described", "forget", "lower_is_better", "measure"]

Direction = Literal["less", "more", "neither"]

_STEPS: Final = {
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")),
}
_POINT_OF_KEY = re.compile(r"(?<!\d)\.|\.(?!\d)")
"""A point that is not part of a number: `dumbbell.queue` is two words, 0.5 is one."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """All that is said of a column.

    Attributes
    ----------
    label, head, noun
        Its words in a chart, over a printed table, and in a sentence (without the statistic).
    statistic
        ``"mean"``, ``"sd"``, ``"p50"`` ... ``"p99"`` or ``"max"``; empty where it is a number of its own.
    shown, factor
        The unit as it is shown, empty for a pure number, and the shown value of a 1 of the table.
    bounds
        The least and the greatest value in any run.
    better
        The direction that is better for everybody; ``"neither"`` where that depends on the purpose.
    wanted
        The direction of somebody who names the column as a goal.
    kind
        ``"wait"``: a time that packets wait; ``"delay"``: another time that something takes; ``"transfer"``: the time
        until a transfer is done; ``"spread"``: how unequal values are; ``"carried"``: how much a link or a flow
        carries; ``"other"``.
    """

    label: str
    head: str = ""
    noun: str = ""
    statistic: str = ""
    shown: str = ""
    factor: float = 1.0
    bounds: tuple[float, float] = (-math.inf, math.inf)
    better: Direction = "neither"
    wanted: Direction = "neither"
    kind: Literal["wait", "delay", "transfer", "spread", "carried", "other"] = "other"


_WORDS = ("label", "head", "noun", "statistic", "shown", "factor", "better", "wanted", "kind")


def _read(entry: Mapping[str, Any]) -> Column:
    least, most = entry["least"], entry["most"]
    bounds = (-math.inf if least is None else least, math.inf if most is None else most)
    return Column(**{name: entry[name] for name in _WORDS}, bounds=bounds)


@cache
def _known() -> Mapping[str, Column]:
    return {one["name"]: _read(one) for table in read_registry()["tables"] for one in table["metrics"]}


def forget() -> None:
    """Read the registry again: it has another column."""
    _known.cache_clear()


def described(name: str) -> Column:
    """A column as the registry describes it; a name that no table has is described by its words alone.

    >>> described("sojourn_p99_ms").kind, described("sojourn_sd_ms").kind, described("sojourn_cv").label
    ('wait', 'spread', 'Sojourn cv')
    """
    if found := _known().get(name):
        return found
    words = " ".join(_POINT_OF_KEY.sub(" ", name).replace("_", " ").split())
    return Column(label=words[:1].upper() + words[1:], head=words)


def lower_is_better(name: str) -> bool | None:
    """Whether less of the metric is better; None where that depends on the purpose.

    >>> lower_is_better("sojourn_p99_ms"), lower_is_better("jain_index"), lower_is_better("marks_packets")
    (True, False, None)
    """
    return {"less": True, "more": False, "neither": None}[described(name).better]


@dataclass(frozen=True)
class Measure:
    """How a column is shown.

    Attributes
    ----------
    label
        Words without the unit.
    unit
        The unit as shown; empty for a pure number.
    factor
        Shown value = stored value times factor.
    """

    label: str
    unit: str
    factor: float

    @property
    def of_differences(self) -> Measure:
        """How differences are shown: those of shares in percentage points, for 1 % more may be a hundredth more.

        >>> measure("loss_ratio").of_differences.title
        'Loss ratio (points)'
        """
        return replace(self, unit="points") if self.unit == "%" else self

    @property
    def title(self) -> str:
        """Label with the unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def measure(name: str, values: Iterable[float | None] = ()) -> Measure:
    """Words, unit and scale of a column; the scale of rates and sizes follows from the largest of the values.

    >>> measure("throughput_bps", [9.4e6])
    Measure(label='Throughput', unit='Mbit/s', factor=1e-06)
    >>> measure("sojourn_p95_ms").title
    'Sojourn time, p95 (ms)'
    """
    found = described(name)
    if steps := _STEPS.get(found.shown):
        largest = max((abs(v) for v in values if v is not None and math.isfinite(v)), default=0.0)
        size, unit = next((step for step in steps if largest >= step[0]), steps[-1])
        return Measure(found.label, unit, 1.0 / size)
    return Measure(found.label, found.shown, found.factor)
