"""A metric at two points: equivalent, a multiple, a gain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..._base.schema import More, Share
from ...statistics.rules import Rule
from ..claims import Evidence, Inside, Sample
from ..design import Design, Point, Results
from .kind import Kind, between

__all__ = ["Equivalent", "Gain", "OfTwo", "WithinFactor"]


@dataclass(frozen=True, kw_only=True)
class OfTwo(Kind):
    """A metric at two points."""

    this: Point
    that: Point

    def number(self, case: str) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        return " / ".join(self._apart(self.this, self.that))

    def unit(self, design: Design) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        return ""


@dataclass(frozen=True, kw_only=True)
class _Ratio(OfTwo):
    """The ratio of a metric at two points lies within bounds."""

    @abstractmethod
    def bounds(self) -> Inside:
        """The bounds of the ratio."""

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        found = self.numbers(results, self.this) / self.numbers(results, self.that)
        return {case: self.bounds().of(sample) for case, sample in found.items()}

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        bounds = self.bounds().words(unit)
        return f"{self.named} of {self._at(self.this)} over that of {self._at(self.that)}, seed by seed, is {bounds}"


@dataclass(frozen=True, kw_only=True)
class Equivalent(_Ratio):
    """A metric is the same at two points, within a share."""

    own_bounds: ClassVar[Sequence[str]] = ("within",)

    within: Annotated[float, Share()]

    def bounds(self) -> Inside:
        """As for any ratio."""
        return Inside(1.0 - self.within, 1.0 + self.within)


@dataclass(frozen=True, kw_only=True)
class WithinFactor(_Ratio):
    """A metric at one point is a given multiple of that at another, up to a factor."""

    own_bounds: ClassVar[Sequence[str]] = ("up_to",)

    times: Annotated[float, More(0.0)] = 1.0
    up_to: Annotated[float, More(1.0)]

    def bounds(self) -> Inside:
        """As for any ratio."""
        return Inside(self.times / self.up_to, self.times * self.up_to)

    def times_bound(self, value: float, times: float) -> float:
        """A factor's part above one."""
        return 1.0 + (value - 1.0) * times


@dataclass(frozen=True, kw_only=True)
class Gain(OfTwo):
    """By how much a metric is more at one point than at another, as a share: above a bound, below one, or both."""

    own_bounds: ClassVar[Sequence[str]] = ("above", "below")

    above: float | None = None
    below: float | None = None

    def unit(self, design: Design) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        return "%"

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        bounds = self._rule().words(unit)
        this, that = self._at(self.this), self._at(self.that)
        if self._is_loss:
            return f"one less {self.named} of {this} over that of {that}, seed by seed, is {bounds}"
        return f"{self.named} of {this} over that of {that}, less one, seed by seed, is {bounds}"

    @property
    def _is_loss(self) -> bool:
        """Whether the claim is about a loss: then the share by which the metric is less is shown."""
        return self.below is not None and self.below <= 0.0

    def _rule(self) -> Rule:
        if self._is_loss and self.below is not None:
            return between(-self.below, None if self.above is None else -self.above)
        return between(self.above, self.below)

    def number(self, case: str) -> str:
        """See :class:`Kind`."""
        over = super().number(case)
        return f"1 − {over}" if self._is_loss else f"{over} − 1"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        rule = self._rule()
        return {case: rule.of(sample) for case, sample in self._apart_by(results).items()}

    def differences(self, results: Results) -> Mapping[str, Sample]:
        """See :class:`Kind`."""
        above = self.above == 0.0 and self.below is None
        below = self.below == 0.0 and self.above is None
        return self._apart_by(results) if above or below else {}

    def _apart_by(self, results: Results) -> Mapping[str, Sample]:
        sign = -1.0 if self._is_loss else 1.0
        found = self.numbers(results, self.this) / self.numbers(results, self.that)
        return found.linear(sign, -sign)
