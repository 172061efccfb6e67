"""A metric that is above or below a number, and one that is the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from ..._base.schema import More
from ...statistics.prediction import times_part
from ..claims import Evidence, Inside, minus, ratio
from ..design import Design, Point, Results
from .kind import Kind, between, percent

__all__ = ["Bound", "Even"]


@dataclass(frozen=True, kw_only=True)
class Bound(Kind):
    """A metric is above a number, below one, or between two, in every case that `at` leaves."""

    own_bounds: ClassVar[Sequence[str]] = ("above", "below")

    at: Point = field(default_factory=dict)
    above: float | None = None
    below: float | None = None

    def unit(self, design: Design) -> str:
        """See :class:`Kind`."""
        return self.own_unit(design)

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        return f"{self._of_point(self.at)} is {between(self.above, self.below).words(unit)}"

    def times_bound(self, value: float, times: float) -> float:
        """See :class:`Kind`: 90 % of a link is a tenth that may be unused, and twice of that is a fifth."""
        return times_part(value, self.whole, times)

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        rule = between(self.above, self.below)
        return {case: rule.of(sample) for case, sample in self.numbers(results, self.at).items()}


@dataclass(frozen=True, kw_only=True)
class Even(Kind):
    """A metric is the same in all cases that `at` leaves: each lies within a share of their mean.

    With `off` it lies within that amount of their mean, in the units of the tables.
    """

    own_bounds: ClassVar[Sequence[str]] = ("within", "off")

    at: Point = field(default_factory=dict)
    within: Annotated[float, More(0.0)] = 0.1
    off: Annotated[float, More(0.0)] | None = None

    def unit(self, design: Design) -> str:
        """See :class:`Kind`."""
        return "%" if self.off is None else super().unit(design)

    @property
    def cases_stand_alone(self) -> bool:
        """See :class:`Kind`: each is set beside their mean."""
        return False

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        if self.off is None:
            return f"{self._of_point(self.at)} lies within {percent(self.within)} of its mean over the cases"
        bound = Inside(-self.off, self.off).words(unit)
        return f"{self._of_point(self.at)} less its mean over the cases, seed by seed, is {bound}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        found = self.numbers(results, self.at)
        middle = found.mean()
        apart = {case: minus(sample, middle) for case, sample in found.items()}
        if self.off is not None:
            return {case: Inside(-self.off, self.off).of(sample) for case, sample in apart.items()}
        return {case: Inside(-self.within, self.within).of(ratio(sample, middle)) for case, sample in apart.items()}
