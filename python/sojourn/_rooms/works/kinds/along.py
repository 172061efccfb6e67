"""The course of a metric along an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from operator import mul
from typing import Annotated, ClassVar

from ..._base.schema import More, Share, Wrong, known
from ...statistics.rules import Above
from ...statistics.samples import changed, opposite
from ..claims import Evidence, Inside, Matrix, Sample, minus, times
from ..design import Design, NotRunError, Point, Results, numeric
from .kind import Kind, percent

__all__ = ["Along", "Extreme", "Knee", "Linear", "Monotone", "Trend"]


@dataclass(frozen=True, kw_only=True)
class Along(Kind):
    """The course of a metric along an axis, in the order of its points."""

    along: str
    at: Point = field(default_factory=dict)

    def check_own(self, design: Design) -> None:
        """See :class:`Kind`."""
        known(self.along, design.axes, "axis", "along")
        if self.along in (*self.at, *self.mean_over):
            raise Wrong(f"the claim goes along {self.along}, and yet has one point or the mean of it", "along")
        for key in ("point", "knee"):
            if hasattr(self, key):
                known(getattr(self, key), self.points(design), f"point of {self.along}", key)

    def _of_step(self, case: str) -> tuple[str, str]:
        """The two points of a case in words: ``xi 2``, ``xi 1.5`` of `xi: 2 against 1.5`."""
        after, _, before = case.rpartition(": ")[2].rpartition("against ")
        return self._at({self.along: after.strip()}), self._at({self.along: before})

    def points(self, design: Design) -> Sequence[str]:
        """The points along which it goes."""
        return self.only.get(self.along, list(design.axes[self.along]))

    def lines(self, results: Results) -> Mapping[str, Matrix]:
        """The metric along the axis, for each case of the axes that are left."""
        axes = results.axes
        left = [axis for axis in axes if axis not in (self.along, *self.at, *self.mean_over)]
        return {
            ", ".join(names): self.numbers(results, {**self.at, **dict(zip(left, names, strict=True))})
            for names in product(*(self.only.get(axis, list(axes[axis])) for axis in left))
        }


@dataclass(frozen=True, kw_only=True)
class Monotone(Along):
    """A metric rises (or falls) with each step along an axis, by more than `by`.

    With `by` below 0 a step may go the other way a little; from the first point to the last it rises all the same.
    """

    own_bounds: ClassVar[Sequence[str]] = ("by",)

    rises: bool
    by: float = 0.0

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        step = "each step" if self.rises else "each step down"
        ends = ", and that from the first point to the last above 0" if self.by < 0.0 else ""
        bound = f"{Above(self.by).words(unit)}{ends}"
        return f"{step} of {self.named} along {self._axis(self.along)}, seed by seed, is {bound}"

    def number(self, case: str) -> str:
        """See :class:`Kind`."""
        after, before = self._of_step(case)
        return f"{after} − {before}" if self.rises else f"{before} − {after}"

    def differences(self, results: Results) -> Mapping[str, Sample]:
        """See :class:`Kind`."""
        steps = {
            f"{name}: {step}" if name else step: sample
            for name, line in self.lines(results).items()
            for step, sample in line.steps().items()
        }
        return {} if self.by else {step: one if self.rises else opposite(one) for step, one in steps.items()}

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        found: dict[str, Evidence] = {}
        for name, line in self.lines(results).items():
            steps: dict[str, tuple[float, Sample]] = {step: (self.by, sample) for step, sample in line.steps().items()}
            if steps and self.by < 0.0:
                steps |= {step: (0.0, sample) for step, sample in line.ends().items()}
            found |= {
                f"{name}: {step}" if name else step: Above(by).of(sample if self.rises else opposite(sample))
                for step, (by, sample) in steps.items()
            }
        if not found:
            raise NotRunError
        return found


@dataclass(frozen=True, kw_only=True)
class Trend(Along):
    """A metric rises (or falls) along an axis as a whole: the rise of the straight line through all points.

    It is by more than `by`. The points are taken at equal distances, as axes of simulations mostly are no even ranges.
    """

    own_bounds: ClassVar[Sequence[str]] = ("by",)

    rises: bool
    by: float = 0.0

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        rise = "rise" if self.rises else "fall"
        return (
            f"the {rise} of the straight line through {self.named} along {self._axis(self.along)}, from the first "
            f"point to the last, seed by seed, is {Above(self.by).words(unit)}"
        )

    def differences(self, results: Results) -> Mapping[str, Sample]:
        """See :class:`Kind`."""
        return {} if self.by else self._rises(results)

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        return {name: Above(self.by).of(rise) for name, rise in self._rises(results).items()}

    def _rises(self, results: Results) -> Mapping[str, Sample]:
        found: dict[str, Sample] = {}
        for name, line in self.lines(results).items():
            if len(line) < 2:
                raise NotRunError
            found[name] = _rise(line) if self.rises else opposite(_rise(line))
        return found


def _rise(line: Matrix) -> Sample:
    """The rise of the least-squares line through all points, from the first to the last, seed by seed."""
    names = list(line)
    middle = (len(names) - 1) / 2.0
    scale = (len(names) - 1) / sum((place - middle) ** 2 for place in range(len(names)))
    weighted = {
        name: changed(line[name], partial(mul, len(names) * scale * (place - middle)))
        for place, name in enumerate(names)
    }
    return Matrix(weighted).mean()


@dataclass(frozen=True, kw_only=True)
class Linear(Along):
    """A metric lies on the straight line through its outermost points, within a share of the rise.

    With `off` it lies within that amount of the line, in the units of the tables.
    """

    own_bounds: ClassVar[Sequence[str]] = ("within", "off")

    within: Annotated[float, More(0.0)] = 0.1
    off: Annotated[float, More(0.0)] | None = None

    def check_own(self, design: Design) -> None:
        """See :class:`Kind`."""
        super().check_own(design)
        if wrong := [name for name in self.points(design) if not numeric(name)]:
            raise Wrong(
                "a line goes along numbers, and the points of this axis are not numbers", "along", found=wrong[0]
            )

    def unit(self, design: Design) -> str:
        """See :class:`Kind`."""
        return "%" if self.off is None else super().unit(design)

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        if self.off is not None:
            bound = Inside(-self.off, self.off).words(unit)
            line = f"the line through the outermost points of {self._axis(self.along)}"
            return f"{self.named} less {line}, seed by seed, is {bound}"
        return (
            f"{self.named} lies within {percent(self.within)} of the whole rise of the line through the outermost "
            f"points of {self._axis(self.along)}"
        )

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        found: dict[str, Evidence] = {}
        for name, line in self.lines(results).items():
            off = line.off_line({point: float(point) for point in line})
            rule = Inside(-self.within, self.within)
            if self.off is not None:
                rise = changed(next(iter(line.ends().values())), abs)
                off = Matrix({at: times(sample, rise) for at, sample in off.items()})
                rule = Inside(-self.off, self.off)
            found |= {f"{name}, {at}" if name else at: rule.of(sample) for at, sample in off.items()}
        return found


@dataclass(frozen=True, kw_only=True)
class Knee(Along):
    """A metric changes up to a point of an axis and hardly beyond: less than a share `flat` of the change before."""

    own_bounds: ClassVar[Sequence[str]] = ("flat",)

    knee: str
    flat: Annotated[float, Share()] = 0.25

    def check_own(self, design: Design) -> None:
        """See :class:`Kind`."""
        super().check_own(design)
        if self.knee not in list(self.points(design))[1:-1]:
            raise Wrong("a knee lies between the first point and the last", "knee", found=self.knee)

    def words(self, unit: str) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        return (
            f"beyond {self._at({self.along: self.knee})} {self.named} changes, up or down, by less than "
            f"{percent(self.flat)} of its change before"
        )

    def number(self, case: str) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        return f"{percent(self.flat)} of the change before − that beyond {self._at({self.along: self.knee})}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        found: dict[str, Evidence] = {}
        for name, line in self.lines(results).items():
            first, last = next(iter(line)), list(line)[-1]
            if self.knee not in line or self.knee in (first, last):
                raise NotRunError
            before, rest = minus(line[self.knee], line[first]), minus(line[last], line[self.knee])
            room = changed(before, self._room)
            for way, sample in (("up", rest), ("down", opposite(rest))):
                found[f"{name}, {way}" if name else way] = Above(0.0).of(minus(room, sample))
        return found

    def _room(self, change: float) -> float:
        """How much it may change beyond."""
        return self.flat * abs(change)


@dataclass(frozen=True, kw_only=True)
class Extreme(Along):
    """A metric is least (or greatest) at a point of an axis: no other point is better by `by` or more."""

    own_bounds: ClassVar[Sequence[str]] = ("by",)

    point: str
    least: bool
    by: float = 0.0

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        at, bound = self._at({self.along: self.point}), Above(-self.by).words(unit)
        one, other = ("any other", at) if self.least else (at, "any other")
        return f"{self.named} at {one} less that at {other}, seed by seed, is {bound}"

    def number(self, case: str) -> str:
        """See :class:`Kind`."""
        at, other = self._at({self.along: self.point}), self._of_step(case)[1]
        return f"{other} − {at}" if self.least else f"{at} − {other}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        return {case: Above(-self.by).of(sample) for case, sample in self._apart_by(results).items()}

    def differences(self, results: Results) -> Mapping[str, Sample]:
        """See :class:`Kind`."""
        return {} if self.by else self._apart_by(results)

    def _apart_by(self, results: Results) -> Mapping[str, Sample]:
        found: dict[str, Sample] = {}
        for name, line in self.lines(results).items():
            others = {other: sample for other, sample in line.items() if other != self.point}
            if self.point not in line or not others:
                raise NotRunError
            for other, sample in others.items():
                best = line[self.point]
                apart = minus(sample, best) if self.least else minus(best, sample)
                found[f"{name}: against {other}" if name else f"against {other}"] = apart
        return found
