"""Kinds of claims, as data. The words of a rule are made of the rule."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from types import MappingProxyType
from typing import Annotated

from .._strict import Least, More, Share, Wrong, check, known
from ..claims import Claim, Evidence, Inside, Matrix, Sample, combine, factor, minus, ratio, scaled, times
from ..rules import Above, Below, Rule
from ..samples import opposite, with_unit
from .design import (
    Design,
    Metric,
    NotRunError,
    Only,
    Point,
    Results,
    check_only,
    check_point,
    label,
    numeric,
    point_in_words,
)

__all__ = [
    "KINDS",
    "Equivalent",
    "Even",
    "Extreme",
    "Gain",
    "Kind",
    "Knee",
    "Linear",
    "Monotone",
    "Near",
    "Order",
    "Table",
    "WithinFactor",
]


Printed = Mapping[tuple[str, str], float]
"""Printed values by metric and label of the variant."""
NOTHING: Printed = MappingProxyType({})

_POINTS = ("relative_to", "less", "than", "change_from", "at", "this", "that")
"""Keys of claims that say a point."""


class _Invented(Results):
    """Numbers at every point, with which a claim is tried before anything is run."""

    def __init__(self, design: Design) -> None:
        self.design, self.looks, self.only = design, 1, {}
        self.used = set()
        self.asked: set[tuple[str, str]] = set()

    def sample(self, metric: str, point: Point) -> Sample:
        """As :class:`Results` has it."""
        wanted = self.design.metrics[metric]
        for name in [metric] if isinstance(wanted, Metric) else wanted.of:
            self.asked.add((name, label(point)))
        return [1.0, 1.0]


class _AsPrinted(Results):
    """What a work prints, in place of our runs; NaN where it prints nothing."""

    def __init__(self, results: Results, printed: Printed) -> None:
        self.design, self.looks, self.only = results.design, 1, results.only
        self.used = set()
        self._printed = printed

    def sample(self, metric: str, point: Point) -> Sample:
        """As :class:`Results` has it."""
        return [self._printed.get((metric, label(point)), math.nan)]


@dataclass(frozen=True, kw_only=True)
class Kind(ABC):
    """A claim about a metric of an experiment.

    Attributes
    ----------
    text, source, published, contradiction
        As for :class:`sojourn.claims.Claim`.
    metric
        Which one.
    only
        Points of axes to which the claim is limited.
    relative_to
        The metric is divided by that at another point, seed by seed: ``{"queue": "ARED"}``.
    mean_over
        Axes over whose points the mean is taken first.
    called, titles
        The metric's name in words, for the rule; what else has words (:meth:`sojourn.papers.About.titles`).
    """

    text: str
    metric: str
    source: str = ""
    published: float | None = None
    contradiction: str = ""
    only: Only = field(default_factory=dict)
    relative_to: Point = field(default_factory=dict)
    mean_over: Sequence[str] = ()
    called: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(type(self), vars(self))

    def check(self, design: Design) -> None:
        """Refuse metrics, axes and points that there are not, and a claim that all runs together would leave unjudged.

        The last is tried: the claim is judged once of invented numbers at every point.
        """
        known(self.metric, design.metrics, "metric", "metric")
        check_only(self.only, design, "only")
        for place, axis in enumerate(self.mean_over):
            known(axis, design.axes, "axis", "mean_over", str(place))
        if len(set(self.mean_over)) < len(self.mean_over):
            raise Wrong("an axis is named twice", "mean_over", found=list(self.mean_over))
        for one in fields(self):
            if one.name in _POINTS:
                point = getattr(self, one.name)
                check_point(point, design, one.name)
                if both := [axis for axis in point if axis in self.mean_over and one.name != "relative_to"]:
                    raise Wrong("the mean over an axis has no point of it", one.name, both[0])
        self.check_own(design)
        if self.judges:
            try:
                self.claim(_Invented(design))
            except NotRunError:
                raise Wrong("nothing is left to be judged: no two points, or none at all") from None
            except Wrong:
                raise
            except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError) as error:
                raise Wrong(f"this cannot be judged: {error.args[0] if error.args else error}") from None

    def asked(self, design: Design) -> set[tuple[str, str]]:
        """Metrics, and labels of the variants at which a claim asks for them."""
        invented = _Invented(design)
        self.claim(invented)
        return invented.asked

    @property
    def judges(self) -> bool:
        """Whether there is a verdict: a table may stand beside ours alone."""
        return True

    def check_own(self, design: Design) -> None:  # noqa: B027 - most kinds have nothing to add
        """Refuse what is wrong with the kind's own keys."""

    @abstractmethod
    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """What each case says."""

    @abstractmethod
    def words(self, unit: str) -> str:
        """The rule."""

    def unit(self, design: Design) -> str:
        """Of the number that decides."""
        return {"%": "points"}.get(self.own_unit(design), self.own_unit(design))

    def own_unit(self, design: Design) -> str:
        """Of the metric itself."""
        return "" if self.relative_to else design.metrics[self.metric].unit

    @property
    def named(self) -> str:
        """The metric with what is done to it first."""
        mean = f"the mean over {' and '.join(map(self._axis, self.mean_over))} of " if self.mean_over else ""
        relative = f" relative to {self._at(self.relative_to)}" if self.relative_to else ""
        return f"{mean}{self.called or self.metric}{relative}"

    def _at(self, point: Point) -> str:
        """A point for the rule."""
        return ", ".join(point_in_words(axis, name, self.titles) for axis, name in point.items()) or "all"

    def _apart(self, one: Point, other: Point) -> tuple[str, str]:
        """Two points in words, by that in which they differ."""
        axes = [axis for axis in one if one[axis] != other.get(axis)] or list(one)
        return self._at({axis: one[axis] for axis in axes}), self._at({a: n for a, n in other.items() if a in axes})

    def _axis(self, axis: str) -> str:
        """An axis for the rule, without its unit."""
        return self.titles.get(f"axes.{axis}", axis).partition(" (")[0]

    def _of_point(self, point: Point) -> str:
        """The metric with the point that it is of, if it is of one."""
        return f"{self.named} of {self._at(point)}" if point else self.named

    def numbers(self, results: Results, at: Point) -> Matrix:
        """The metric by the cases that are left, relative to another point and in the mean over axes as is said."""
        over = product(*(self.only.get(axis, results.axes[axis]) for axis in self.mean_over))
        parts = [self._relative(results, {**at, **dict(zip(self.mean_over, names, strict=True))}) for names in over]
        if not self.mean_over:
            return parts[0]
        columns = {case: [part[case] for part in parts] for case in parts[0]}
        return Matrix(
            {
                case: Matrix(dict(zip(map(str, range(len(own))), own, strict=True))).mean()
                for case, own in columns.items()
            }
        )

    def _relative(self, results: Results, at: Point) -> Matrix:
        found = results.matrix(self.metric, at, self.only)
        if not self.relative_to:
            return found
        return found / results.matrix(self.metric, {**at, **self.relative_to}, self.only)

    def claim(self, results: Results, printed: Printed = NOTHING) -> Claim:
        """The claim, judged; `printed` are the numbers that the work prints of the metrics."""
        cases, unit = self.cases(results), self.unit(results.design)
        if not cases:
            raise NotRunError
        judgement = combine(cases, looks=results.looks)
        return Claim.judged(
            self.text,
            replace(judgement, case=self._said(judgement.case, results)),
            rule=f"{self.words(unit)}{f', in each of {len(cases)} cases' if len(cases) > 1 else ''}",
            source=self.source,
            unit=unit,
            number=self.number(judgement.case),
            published=self.printed_at(results, judgement.case),
            derived=self._derived(results, judgement.case, printed),
            contradiction=self.contradiction,
        )

    def number(self, case: str) -> str:  # noqa: ARG002
        """What is formed of the metric in a case: which minus which. Nothing where it is the metric itself."""
        return ""

    def _derived(self, results: Results, case: str, printed: Printed) -> float | None:
        """The number of a case by what the work prints, if it prints all that it is formed of."""
        if not any(metric == self.metric for metric, _ in printed):
            return None
        found = self.cases(_AsPrinted(results, printed))[case].interval.mean
        return found if math.isfinite(found) else None

    def _said(self, case: str, results: Results) -> str:
        """A case for people: a number says of what it is. Cases name points of the axes left, in their order."""
        fixed = {axis for name in ("at", "less", "than", "this", "that") for axis in getattr(self, name, {})}
        along = getattr(self, "along", "")
        left = [axis for axis in results.axes if axis not in {*fixed, *self.mean_over, along}] + [along] * bool(along)
        words = []
        for part in re.split("(, |: )", case):
            name = part.partition(" against ")[0]
            axis = next((axis for axis in left if name in results.axes[axis]), "")
            words.append(point_in_words(axis, name, results.design.titles) + part.removeprefix(name) if axis else part)
            left = left[left.index(axis) + 1 :] if axis else left
        return "".join(words)

    def printed_at(self, results: Results, case: str) -> float | None:  # noqa: ARG002
        """The published number beside the case that is shown."""
        return self.published


@dataclass(frozen=True, kw_only=True)
class Order(Kind):
    """A metric is less at one point than at another, in every case of the other axes.

    `by` is at least how much less, in the units of the tables; below 0 it is how much more is allowed. With `mean` the
    mean over the cases is judged instead of each case. With `change_from` what is compared is by how much, up or down,
    the metric differs from that at another point of an axis.
    """

    less: Point
    than: Point
    by: float = 0.0
    mean: bool = False
    change_from: Point = field(default_factory=dict)

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        over, bound = "the mean over all cases of " if self.mean else "", Above(self.by).words(unit)
        over += f"the change from {self._at(self.change_from)}, up or down, of " if self.change_from else ""
        return (
            f"{over}{self.named} of {self._at(self.than)} less that of {self._at(self.less)}, seed by seed, is {bound}"
        )

    def number(self, case: str) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        than, less = self._apart(self.than, self.less)
        change = "the change of " if self.change_from else ""
        return f"{change}{than} − {change}{less}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        found = self._of(results, self.than) - self._of(results, self.less)
        samples = {"": found.mean()} if self.mean else found
        return {case: Above(self.by).of(sample) for case, sample in samples.items()}

    def _of(self, results: Results, at: Point) -> Matrix:
        here = self.numbers(results, at)
        if not self.change_from:
            return here
        return (here - self.numbers(results, {**at, **self.change_from})).each(abs)


@dataclass(frozen=True, kw_only=True)
class _Along(Kind):
    """What a metric does along an axis, in the order of its points."""

    along: str
    at: Point = field(default_factory=dict)

    def check_own(self, design: Design) -> None:
        """As :class:`Kind` has it."""
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
class Monotone(_Along):
    """A metric rises (or falls) with each step along an axis, by more than `by`."""

    rises: bool
    by: float = 0.0

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        step = "each step" if self.rises else "each step down"
        return f"{step} of {self.named} along {self._axis(self.along)}, seed by seed, is {Above(self.by).words(unit)}"

    def number(self, case: str) -> str:
        """As :class:`Kind` has it."""
        after, before = self._of_step(case)
        return f"{after} − {before}" if self.rises else f"{before} − {after}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        rule = Above(self.by)
        steps = {
            f"{name}: {step}" if name else step: rule.of(sample if self.rises else opposite(sample))
            for name, line in self.lines(results).items()
            for step, sample in line.steps().items()
        }
        if not steps:
            raise NotRunError
        return steps


@dataclass(frozen=True, kw_only=True)
class Linear(_Along):
    """A metric lies on the straight line through its outermost points, within a share of the rise.

    With `off` it is within so much, in the units of the tables.
    """

    within: Annotated[float, More(0.0)] = 0.1
    off: Annotated[float, More(0.0)] | None = None

    def check_own(self, design: Design) -> None:
        """As :class:`Kind` has it."""
        super().check_own(design)
        if wrong := [name for name in self.points(design) if not numeric(name)]:
            raise Wrong("a line goes along numbers, and the points of this axis are none", "along", found=wrong[0])

    def unit(self, design: Design) -> str:
        """As :class:`Kind` has it."""
        return "%" if self.off is None else super().unit(design)

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        if self.off is not None:
            bound = Inside(-self.off, self.off).words(unit)
            line = f"the line through the outermost points of {self._axis(self.along)}"
            return f"{self.named} less {line}, seed by seed, is {bound}"
        return (
            f"{self.named} lies within {_percent(self.within)} of the whole rise of the line through the outermost "
            f"points of {self._axis(self.along)}"
        )

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        found: dict[str, Evidence] = {}
        for name, line in self.lines(results).items():
            off = line.off_line({point: float(point) for point in line})
            rule = Inside(-self.within, self.within)
            if self.off is not None:
                rise = [abs(value) for value in next(iter(line.ends().values()))]
                off = Matrix({at: times(sample, rise) for at, sample in off.items()})
                rule = Inside(-self.off, self.off)
            found |= {f"{name}, {at}" if name else at: rule.of(sample) for at, sample in off.items()}
        return found


@dataclass(frozen=True, kw_only=True)
class Knee(_Along):
    """A metric changes up to a point of an axis and hardly beyond: less than a share `flat` of the change before."""

    knee: str
    flat: Annotated[float, Share()] = 0.25

    def check_own(self, design: Design) -> None:
        """As :class:`Kind` has it."""
        super().check_own(design)
        if self.knee not in list(self.points(design))[1:-1]:
            raise Wrong("a knee lies between the first point and the last", "knee", found=self.knee)

    def words(self, unit: str) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        return (
            f"beyond {self._at({self.along: self.knee})} {self.named} changes, up or down, by less than "
            f"{_percent(self.flat)} of what it changes before"
        )

    def number(self, case: str) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        return f"{_percent(self.flat)} of the change before − that beyond {self._at({self.along: self.knee})}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        found: dict[str, Evidence] = {}
        for name, line in self.lines(results).items():
            first, last = next(iter(line)), list(line)[-1]
            if self.knee not in line or self.knee in (first, last):
                raise NotRunError
            before, rest = minus(line[self.knee], line[first]), minus(line[last], line[self.knee])
            size = [abs(value) for value in before]
            for way, sample in (("up", rest), ("down", [-value for value in rest])):
                room = [self.flat * value for value in size]
                found[f"{name}, {way}" if name else way] = Above(0.0).of(minus(room, sample))
        return found


@dataclass(frozen=True, kw_only=True)
class Even(Kind):
    """A metric is the same in all cases that `at` leaves: each lies within a share of their mean.

    With `off` it is within so much, in the units of the tables.
    """

    at: Point = field(default_factory=dict)
    within: Annotated[float, More(0.0)] = 0.1
    off: Annotated[float, More(0.0)] | None = None

    def unit(self, design: Design) -> str:
        """As :class:`Kind` has it."""
        return "%" if self.off is None else super().unit(design)

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        if self.off is None:
            return f"{self._of_point(self.at)} lies within {_percent(self.within)} of its mean over the cases"
        bound = Inside(-self.off, self.off).words(unit)
        return f"{self._of_point(self.at)} less its mean over the cases, seed by seed, is {bound}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        found = self.numbers(results, self.at)
        middle = found.mean()
        apart = {case: minus(sample, middle) for case, sample in found.items()}
        if self.off is not None:
            return {case: Inside(-self.off, self.off).of(sample) for case, sample in apart.items()}
        return {case: Inside(-self.within, self.within).of(ratio(sample, middle)) for case, sample in apart.items()}


@dataclass(frozen=True, kw_only=True)
class Extreme(_Along):
    """A metric is least (or greatest) at a point of an axis: no other point is better by `by` or more."""

    point: str
    least: bool
    by: float = 0.0

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        at, bound = self._at({self.along: self.point}), Above(-self.by).words(unit)
        one, other = ("any other", at) if self.least else (at, "any other")
        return f"{self.named} at {one} less that at {other}, seed by seed, is {bound}"

    def number(self, case: str) -> str:
        """As :class:`Kind` has it."""
        at, other = self._at({self.along: self.point}), self._of_step(case)[1]
        return f"{other} − {at}" if self.least else f"{at} − {other}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        rule = Above(-self.by)
        found = {}
        for name, line in self.lines(results).items():
            others = {other: sample for other, sample in line.items() if other != self.point}
            if self.point not in line or not others:
                raise NotRunError
            for other, sample in others.items():
                best = line[self.point]
                apart = minus(sample, best) if self.least else minus(best, sample)
                found[f"{name}: against {other}" if name else f"against {other}"] = rule.of(apart)
        return found


@dataclass(frozen=True, kw_only=True)
class Near(Kind):
    """A metric at a point is the published number, within `within` (in the units of the tables)."""

    at: Point
    within: Annotated[float, More(0.0)]

    def check_own(self, design: Design) -> None:  # noqa: ARG002
        """As :class:`Kind` has it."""
        if self.published is None:
            raise Wrong("`near` needs a published number: the key 'published' is missing")

    def unit(self, design: Design) -> str:
        """As :class:`Kind` has it."""
        return self.own_unit(design)

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        wanted = with_unit(f"{(self.published or 0.0) * factor(unit):.4g}", unit)
        return f"{self.named} at {self._at(self.at)} is within {self.within * factor(unit):.3g} of the printed {wanted}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        if self.published is None:
            raise ValueError(f"{self.text}: `near` needs a published number")
        rule = Inside(self.published - self.within, self.published + self.within)
        return {case: rule.of(sample) for case, sample in self.numbers(results, self.at).items()}


@dataclass(frozen=True, kw_only=True)
class _OfTwo(Kind):
    """A metric at two points."""

    this: Point
    that: Point

    def number(self, case: str) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        return " / ".join(self._apart(self.this, self.that))

    def unit(self, design: Design) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        return ""


@dataclass(frozen=True, kw_only=True)
class _Ratio(_OfTwo):
    """The ratio of a metric at two points lies within bounds."""

    @abstractmethod
    def bounds(self) -> Inside:
        """Between which the ratio lies."""

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        found = self.numbers(results, self.this) / self.numbers(results, self.that)
        return {case: self.bounds().of(sample) for case, sample in found.items()}

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        bounds = self.bounds().words(unit)
        return f"{self.named} of {self._at(self.this)} over that of {self._at(self.that)}, seed by seed, is {bounds}"


@dataclass(frozen=True, kw_only=True)
class Equivalent(_Ratio):
    """A metric is the same at two points, within a share."""

    within: Annotated[float, Share()]

    def bounds(self) -> Inside:
        """As for any ratio."""
        return Inside(1.0 - self.within, 1.0 + self.within)


@dataclass(frozen=True, kw_only=True)
class WithinFactor(_Ratio):
    """A metric at one point is a given multiple of that at another, up to a factor."""

    times: Annotated[float, More(0.0)] = 1.0
    up_to: Annotated[float, More(1.0)]

    def bounds(self) -> Inside:
        """As for any ratio."""
        return Inside(self.times / self.up_to, self.times * self.up_to)


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"


def _between(above: float | None, below: float | None) -> Rule:
    if above is None and below is None:
        raise Wrong("say `above`, `below` or both")
    if above is not None and below is not None and above >= below:
        raise Wrong("no number is above the one and below the other", "above", found=above, allowed=f"below {below:g}")
    if above is None:
        return Below(below or 0.0)
    return Above(above) if below is None else Inside(above, below)


@dataclass(frozen=True, kw_only=True)
class Bound(Kind):
    """A metric is above a number, below one, or between two, in every case that `at` leaves."""

    at: Point = field(default_factory=dict)
    above: float | None = None
    below: float | None = None

    def unit(self, design: Design) -> str:
        """As :class:`Kind` has it."""
        return self.own_unit(design)

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        return f"{self._of_point(self.at)} is {_between(self.above, self.below).words(unit)}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        rule = _between(self.above, self.below)
        return {case: rule.of(sample) for case, sample in self.numbers(results, self.at).items()}


@dataclass(frozen=True, kw_only=True)
class Gain(_OfTwo):
    """By how much a metric is more at one point than at another, as a share: above a bound, below one, or both."""

    above: float | None = None
    below: float | None = None

    def unit(self, design: Design) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        return "%"

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        bounds = self._rule().words(unit)
        this, that = self._at(self.this), self._at(self.that)
        if self._is_loss:
            return f"one less {self.named} of {this} over that of {that}, seed by seed, is {bounds}"
        return f"{self.named} of {this} over that of {that}, less one, seed by seed, is {bounds}"

    @property
    def _is_loss(self) -> bool:
        """Whether it says by which share the metric is less: then that share is shown."""
        return self.below is not None and self.below <= 0.0

    def _rule(self) -> Rule:
        if self._is_loss and self.below is not None:
            return _between(-self.below, None if self.above is None else -self.above)
        return _between(self.above, self.below)

    def number(self, case: str) -> str:
        """As :class:`Kind` has it."""
        over = super().number(case)
        return f"1 − {over}" if self._is_loss else f"{over} − 1"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        rule, sign = self._rule(), -1.0 if self._is_loss else 1.0
        found = self.numbers(results, self.this) / self.numbers(results, self.that)
        return {case: rule.of(sample) for case, sample in found.each(lambda value: sign * (value - 1.0)).items()}


@dataclass(frozen=True, kw_only=True)
class Table(Kind):
    """Our numbers are those of a printed table.

    `printed` has a number for each point of the axis that `at` leaves; `errors` their half widths. A table without
    errors gets `share`, a share of each number, for a tolerance, and the words say that it is ours.
    """

    at: Point
    printed: Sequence[float]
    errors: Sequence[Annotated[float, Least(0.0)]] = ()
    share: Annotated[float, Least(0.0)] = 0.0

    @property
    def judges(self) -> bool:
        """As :class:`Kind` has it: a claim has a text."""
        return bool(self.text)

    def check_own(self, design: Design) -> None:
        """As :class:`Kind` has it."""
        if self.text and not (self.errors or self.share):
            raise Wrong("say how far ours may be from the printed numbers: `errors` or `share`")
        if self.errors and self.share:
            raise Wrong("a table with errors needs no share", "share")
        self._check_counts(self._printed_cases(design))

    def of_points(self, design: Design) -> Printed:
        """The printed numbers by metric and label of the variant."""
        if self.relative_to or self.mean_over:
            return NOTHING
        axes = [axis for axis in design.axes if axis not in self.at]
        points = [self.only.get(axis, list(design.axes[axis])) for axis in axes]
        variants = [{**self.at, **dict(zip(axes, names, strict=True))} for names in product(*points)]
        labels = [label({axis: point[axis] for axis in design.axes}) for point in variants]
        return {(self.metric, one): value for one, value in zip(labels, self.printed, strict=True)}

    def _check_counts(self, cases: Sequence[str]) -> None:
        if len(cases) != len(self.printed):
            raise Wrong(f"{len(self.printed)} printed numbers for {len(cases)} cases", "printed")
        if self.errors and len(self.errors) != len(cases):
            raise Wrong(f"{len(self.errors)} errors for {len(cases)} cases", "errors")

    def _printed_cases(self, design: Design) -> list[str]:
        axes = [
            self.only.get(axis, list(points))
            for axis, points in design.axes.items()
            if axis not in (*self.at, *self.mean_over)
        ]
        return [", ".join(names) for names in product(*axes)]

    def unit(self, design: Design) -> str:
        """As :class:`Kind` has it."""
        return self.own_unit(design)

    def words(self, unit: str) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        if self.errors:
            return f"{self._of_point(self.at)} lies within the printed value ± its printed error"
        return (
            f"{self._of_point(self.at)} is within {_percent(self.share)} of the printed value; no error is printed, "
            "that share is ours"
        )

    def cells(self, results: Results) -> Mapping[str, tuple[Sample, float, float]]:
        """Our sample, the printed value and its error, by case."""
        ours = self.numbers(results, self.at)
        self._check_counts(cases := self._printed_cases(results.design))
        errors = self.errors or [self.share * value for value in self.printed]
        printed = dict(zip(cases, zip(self.printed, errors, strict=True), strict=True))
        return {case: (sample, *printed[case]) for case, sample in ours.items()}

    def cell_in_words(self, case: str, results: Results) -> str:
        """A cell of the printed table for people."""
        parts = [self._at(self.at) if self.at else "", self._said(case, results)]
        return ", ".join(part for part in parts if part)

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        return {
            case: scaled(Inside(value - error, value + error).of(sample), error)
            for case, (sample, value, error) in self.cells(results).items()
        }

    def printed_at(self, results: Results, case: str) -> float:
        """As :class:`Kind` has it."""
        return self.cells(results)[case][1]


KINDS: Mapping[str, type[Kind]] = {
    "order": Order,
    "monotone": Monotone,
    "linear": Linear,
    "even": Even,
    "knee": Knee,
    "extreme": Extreme,
    "near": Near,
    "equivalent": Equivalent,
    "within_factor": WithinFactor,
    "gain": Gain,
    "bound": Bound,
    "table": Table,
}
"""By their names in study files."""
