"""Constraints: bounds that a setting must keep, of a metric or of the ratio of two metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..statistics.intervals import mean_interval
from .objectives import Objective, parse_measure

__all__ = ["Constraint", "parse_constraint"]

_BOUND = re.compile(r"(?P<measure>[^<>=]+)(?P<sign><=|>=|<|>)\s*(?P<bound>[^<>=\s]+)\s*")
_FORM = "METRIC<NUMBER or METRIC>NUMBER, such as loss_ratio<0.02 or utilisation>0.9"


@dataclass(frozen=True)
class Constraint:
    """A bound that the mean of a number of a run keeps.

    Attributes
    ----------
    name
        As it was written.
    measure
        The number that is measured; ``measure.more`` says that it must be above the bound.
    bound
        In the unit of the metric.
    """

    name: str
    measure: Objective
    bound: float

    def excess(self, samples: Sequence[float]) -> float:
        """How far the mean's 95 % interval reaches beyond the bound; zero or less if all of it keeps the bound.

        NaN where some run has no value.
        """
        if any(map(math.isnan, samples)):
            return math.nan
        interval = mean_interval(samples)
        # One run has no interval.
        off = interval.half_width if interval.n > 1 else 0.0
        return self.bound - interval.mean + off if self.measure.more else interval.mean + off - self.bound

    def is_kept(self, samples: Sequence[float]) -> bool:
        """Whether all of the mean's interval keeps it."""
        return self.excess(samples) <= 0.0

    def is_broken(self, samples: Sequence[float]) -> bool:
        """Whether all of the mean's interval breaks it, of two runs or more."""
        if any(map(math.isnan, samples)) or len(samples) < 2:
            return False
        interval = mean_interval(samples)
        if self.measure.more:
            return interval.mean + interval.half_width < self.bound
        return interval.mean - interval.half_width > self.bound

    @property
    def sign(self) -> int:
        """1 if more is too much, -1 if less is too little."""
        return -1 if self.measure.more else 1

    def is_beyond(self, mean: float) -> bool:
        """Whether a mean breaks it."""
        return mean < self.bound if self.measure.more else mean > self.bound


def parse_constraint(text: str, place: str = "--subject-to ") -> Constraint:
    """Read ``METRIC[/METRIC]<NUMBER`` or ``...>NUMBER``; ``<=`` and ``>=`` mean the same.

    >>> parse_constraint("loss_ratio<0.02").bound
    0.02
    >>> parse_constraint("utilisation>=0.9").measure.more
    True
    """
    found = _BOUND.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{place}{text}: this is not a bound\n  allowed: {_FORM}")
    try:
        bound = float(found["bound"])
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise ValueError(f"{place}{text}: the bound is a number in the metric's unit\n  found:   {found['bound']}")
    metric, over = parse_measure(found["measure"].strip(), place)
    name = found["measure"].strip()
    return Constraint(text.strip(), Objective(name, metric, over, more=found["sign"].startswith(">")), bound)
