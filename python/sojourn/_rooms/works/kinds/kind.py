"""A claim about a metric of an experiment: the common parts of all kinds, and how one is judged."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from ..._base.schema import More, Wrong, check, known
from ...statistics.rules import Above, Below, Judgement, Rule, Verdict
from ..claims import Claim, Evidence, Inside, Matrix, Sample, combine
from ..design import Design, Metric, NotRunError, Only, Point, Results, check_only, check_point, label, point_in_words

__all__ = ["NOTHING", "Kind", "Printed", "between", "percent"]


Printed = Mapping[tuple[str, str], float]
"""Printed values by metric and label of the variant."""
NOTHING: Printed = MappingProxyType({})


_POINTS = ("relative_to", "less", "than", "change_from", "at", "this", "that")
"""Keys of claims that name a point."""


class _Invented(Results):
    """Numbers at every point, with which a claim is tried before anything is run."""

    def __init__(self, design: Design) -> None:
        self.design, self.looks, self.only = design, 1, {}
        self.used = set()
        self.needs: set[tuple[str, str]] = set()

    def sample(self, metric: str, point: Point) -> Sample:
        """See :class:`Results`."""
        wanted = self.design.metrics[metric]
        for name in [metric] if isinstance(wanted, Metric) else wanted.of:
            self.needs.add((name, label(point)))
        return [1.0, 1.0]


class _AsPrinted(Results):
    """The numbers that a work prints, in the shape of our runs; NaN if it prints none."""

    def __init__(self, results: Results, printed: Printed) -> None:
        self.design, self.looks, self.only = results.design, 1, results.only
        self.used = set()
        self._printed = printed

    def sample(self, metric: str, point: Point) -> Sample:
        """See :class:`Results`."""
        return [self._printed.get((metric, label(point)), math.nan)]


@dataclass(frozen=True, kw_only=True)
class Kind(ABC):
    """A claim about a metric of an experiment.

    Attributes
    ----------
    text, id, source, published, contradiction
        As for :class:`sojourn.claims.Claim`.
    fitted
        The part of the setting that the claim's own printed numbers chose, if they took part in the choice.
    metric
        The metric's name.
    only
        Points of axes to which the claim is limited.
    relative_to
        The metric is divided by that at another point, seed by seed: ``{"queue": "ARED"}``.
    mean_over
        Axes over whose points the mean is taken first.
    bound
        `ours` where the bound is not the work's: the verdicts at half and at twice of it are shown, too. Two bounds are
        half and twice as far apart.
    negligible
        For an order, or a course along an axis: a difference of less than that, up or down, says nothing. If the claim
        is open, and no case that is open has a larger one, the verdict is *equal*. In the units of the tables, or for
        a gain a share.
    called, titles, whole
        The metric's name in words, for the rule; other names in words (:meth:`sojourn.papers.About.titles`); the
        value of a full link, or of Jain's index where flows share evenly: a tolerance is of what is missing there.
    """

    text: str
    metric: str
    id: str = ""
    source: str = ""
    published: float | None = None
    contradiction: str = ""
    fitted: str = ""
    only: Only = field(default_factory=dict)
    relative_to: Point = field(default_factory=dict)
    mean_over: Sequence[str] = ()
    bound: Literal["", "ours"] = ""
    negligible: Annotated[float, More(0.0)] | None = None
    called: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    whole: float | None = None

    def __post_init__(self) -> None:
        check(type(self), vars(self))

    def check(self, design: Design) -> None:
        """Refuse unknown metrics, axes and points, and a claim that all runs together would leave unjudged.

        To find the last, the claim is judged once with invented numbers at every point.
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
        if self.negligible and type(self).differences is Kind.differences:
            raise Wrong("this kind of claim is about no difference", "negligible")
        if self.bound and self.with_bound(0.5) == self:
            raise Wrong("there is no bound that could be halved", "bound")
        if self.judges:
            try:
                self.claim(_Invented(design))
            except NotRunError:
                raise Wrong("nothing is left to be judged: no two points, or none at all") from None
            except Wrong:
                raise
            except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError) as error:
                raise Wrong(f"this cannot be judged: {error.args[0] if error.args else error}") from None

    @property
    def key(self) -> str:
        """As for a claim."""
        return self.id or self.text

    def needs(self, design: Design) -> set[tuple[str, str]]:
        """Metrics, and labels of the variants at which a claim asks for them."""
        invented = _Invented(design)
        self.claim(invented)
        return invented.needs

    @property
    def judges(self) -> bool:
        """Whether there is a verdict: a table may only be beside ours."""
        return True

    def check_own(self, design: Design) -> None:  # noqa: B027 - most kinds have nothing to add
        """Refuse mistakes in the kind's own keys."""

    @abstractmethod
    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """The judgement of each case."""

    @abstractmethod
    def words(self, unit: str) -> str:
        """The rule."""

    def as_printed(self, work: Results) -> Self:  # noqa: ARG002
        """The claim about a work that made these runs; the claim itself, if it is about no printed number."""
        return self

    def unit(self, design: Design) -> str:
        """The unit of the number that decides."""
        return {"%": "points"}.get(self.own_unit(design), self.own_unit(design))

    def own_unit(self, design: Design) -> str:
        """The unit of the metric itself."""
        return "" if self.relative_to else design.metrics[self.metric].unit

    @property
    def named(self) -> str:
        """The metric in words, with the operations on it."""
        mean = f"the mean over {' and '.join(map(self._axis, self.mean_over))} of " if self.mean_over else ""
        relative = f" relative to {self._at(self.relative_to)}" if self.relative_to else ""
        return f"{mean}{self.called or self.metric}{relative}"

    def _at(self, point: Point) -> str:
        """A point for the rule."""
        return ", ".join(point_in_words(axis, name, self.titles) for axis, name in point.items()) or "all"

    def _apart(self, one: Point, other: Point) -> tuple[str, str]:
        """Two points in words, by their differences."""
        axes = [axis for axis in one if one[axis] != other.get(axis)] or list(one)
        return self._at({axis: one[axis] for axis in axes}), self._at({a: n for a, n in other.items() if a in axes})

    def _axis(self, axis: str) -> str:
        """An axis for the rule, without its unit."""
        return self.titles.get(f"axes.{axis}", axis).partition(" (")[0]

    def _of_point(self, point: Point) -> str:
        """The metric with its point, if it has one."""
        return f"{self.named} of {self._at(point)}" if point else self.named

    def numbers(self, results: Results, at: Point) -> Matrix:
        """The metric by the cases that are left, relative to another point and in the mean over axes if wanted."""
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

    own_bounds: ClassVar[Sequence[str]] = ()
    """Keys whose numbers are bounds."""

    def with_bound(self, times: float) -> Self:
        """The claim with `times` its bound; without a bound the claim itself.

        Two bounds are `times` as far from the published number, or from their middle if it is not between them. A
        bound of 0 says more or less, not by how much, and stays.
        """
        if (both := self._both_bounds()) is not None:
            low, middle, high = both
            wider: dict[str, Any] = {
                "above": middle - times * (middle - low),
                "below": middle + times * (high - middle),
            }
            return replace(self, **wider)
        held = {name: getattr(self, name) for name in self.own_bounds}
        changed: dict[str, Any] = {name: self.times_bound(value, times) for name, value in held.items() if value}
        return replace(self, **changed)

    def _both_bounds(self) -> tuple[float, float, float] | None:
        """The bounds `above` and `below` with the number between them, for a claim that has both."""
        low, high = getattr(self, "above", None), getattr(self, "below", None)
        if low is None or high is None:
            return None
        # A loss is published as a number above 0, and its bounds are below 0.
        printed = [sign * self.published for sign in (1.0, -1.0) if self.published is not None]
        middle = next((one for one in printed if low < one < high), None)
        if middle is None and 0.0 in (low, high):
            return None
        middle = (low + high) / 2.0 if middle is None else middle
        return low, middle, high

    def times_bound(self, value: float, times: float) -> float:
        """The bound `value` multiplied by `times`."""
        return value * times

    def at_bound(self, results: Results) -> dict[str, Verdict]:
        """The verdicts at half and twice of a bound that is ours, each by itself."""
        if self.bound != "ours":
            return {}
        found: dict[str, Verdict] = {}
        for word, times in (("half", 0.5), ("twice", 2.0)):
            try:
                other = self.with_bound(times)
                verdict = other.with_power(other.judgement(other.cases(results), results), results).verdict
            except Wrong:
                # A share of more than all, for one.
                continue
            found[word] = "contradicted" if verdict == "fails" and self.contradiction else verdict
        return found

    def claim(self, results: Results, printed: Printed = NOTHING) -> Claim:
        """The claim, judged; `printed` are the work's numbers of the metrics."""
        cases, unit = self.cases(results), self.unit(results.design)
        if not cases:
            raise NotRunError
        judgement = self._or_equal(self.with_power(self.judgement(cases, results), results), results)
        at_bound = self.at_bound(results)
        said = ", and ".join(f"with {word} our bound {_in_words(verdict)}" for word, verdict in at_bound.items())
        return Claim.judged(
            self.text,
            id=self.id,
            judgement=replace(judgement, case=self._case_in_words(judgement.case, results)),
            rule=f"{self.words(unit)}{f', in each of {len(cases)} cases' if len(cases) > 1 else ''}",
            source=self.source,
            unit=unit,
            number=self.number(judgement.case),
            published=self.printed_at(results, judgement.case),
            derived=self._derived(results, judgement.case, printed),
            note=said,
            contradiction=self.contradiction,
            fitted=self.fitted,
            at_bound=at_bound,
        )

    def times_printed(self, times: float) -> Self:  # noqa: ARG002
        """The claim about `times` its printed numbers; the claim itself, if it is about none."""
        return self

    def with_power(self, judgement: Judgement, results: Results) -> Judgement:
        """A claim that holds says nothing if it would with half or with twice the printed number as well."""
        if judgement.verdict != "holds":
            return judgement
        for word, times in (("half", 0.5), ("twice", 2.0)):
            other = self.times_printed(times)
            if other != self and other.judgement(other.cases(results), results).verdict == "holds":
                note = "; ".join(filter(None, (judgement.note, f"{word} the printed number would hold as well")))
                return replace(judgement, verdict="cannot tell", note=note)
        return judgement

    def judgement(self, cases: Mapping[str, Evidence], results: Results) -> Judgement:
        """The verdict from all cases together."""
        return combine(cases, looks=results.looks)

    def differences(self, results: Results) -> Mapping[str, Sample]:  # noqa: ARG002
        """By case, the difference that is above 0 if the claim holds; empty if it asks for more than that."""
        return {}

    def _or_equal(self, found: Judgement, results: Results) -> Judgement:
        """An open claim for which each case either holds or shows no difference that counts."""
        apart = self.differences(results) if self.negligible and found.verdict == "undecided" else {}
        if self.negligible is None or not apart:
            return found
        rule = Inside(-self.negligible, self.negligible)
        same = {case: rule.of(sample) for case, sample in apart.items() if Above(0.0).of(sample).verdict != "holds"}
        equal = combine(same or {case: rule.of(sample) for case, sample in apart.items()}, looks=results.looks)
        if equal.verdict != "holds":
            # More runs are worth their time if they may show that there is no difference.
            return replace(found, p=min(found.p or 0.0, equal.p)) if equal.verdict == "undecided" and equal.p else found
        where = "" if len(same) == len(apart) else f" in {len(same)} of {len(apart)} cases, and the others hold"
        note = f"no difference of more than that{where}: the whole interval is {rule.words(self.unit(results.design))}"
        return replace(equal, verdict="equal", note=note, holding=found.holding, of=found.of)

    def number(self, case: str) -> str:  # noqa: ARG002
        """The quantity of a case in words: the two sides of a difference. Empty if it is the metric itself."""
        return ""

    def _derived(self, results: Results, case: str, printed: Printed) -> float | None:
        """The number of a case computed from the work's printed numbers, if it prints all of them."""
        if not any(metric == self.metric for metric, _ in printed):
            return None
        found = self.cases(_AsPrinted(results, printed))[case].interval.mean
        return found if math.isfinite(found) else None

    @property
    def cases_stand_alone(self) -> bool:
        """Whether each case is judged by its own points alone: one that holds needs no more runs for the others."""
        return not self.relative_to

    def points_of(self, cases: Sequence[str], results: Results) -> Only:
        """The points of the axes that the claim leaves, of some of its cases."""
        found: dict[str, set[str]] = {}
        for case in cases:
            for _, name, axis in self._named_in(case, results):
                if axis and axis != getattr(self, "along", ""):
                    found.setdefault(axis, set()).add(name)
        return {axis: [name for name in results.axes[axis] if name in names] for axis, names in found.items()}

    def _case_in_words(self, case: str, results: Results) -> str:
        """A case for people: a number has the name of its axis. Cases name points of the axes left, in their order."""
        return "".join(
            point_in_words(axis, name, results.design.titles) + part.removeprefix(name) if axis else part
            for part, name, axis in self._named_in(case, results)
        )

    def _named_in(self, case: str, results: Results) -> Iterator[tuple[str, str, str]]:
        """The parts of the name of a case, each with the point that it names and its axis; none if it is no point."""
        fixed = {axis for name in ("at", "less", "than", "this", "that") for axis in getattr(self, name, {})}
        along = getattr(self, "along", "")
        left = [axis for axis in results.axes if axis not in {*fixed, *self.mean_over, along}] + [along] * bool(along)
        for part in re.split("(, |: )", case):
            name = part.partition(" against ")[0]
            axis = next((axis for axis in left if name in results.axes[axis]), "")
            yield part, name, axis
            left = left[left.index(axis) + 1 :] if axis else left

    def printed_at(self, results: Results, case: str) -> float | None:  # noqa: ARG002
        """The published number beside the case that is shown."""
        return self.published


def _in_words(verdict: Verdict) -> str:
    return f"it {verdict}" if verdict in ("holds", "fails") else f"it is {verdict}"


def percent(share: float) -> str:
    """A share in words."""
    return f"{100.0 * share:.3g} %"


def between(above: float | None, below: float | None) -> Rule:
    """The rule of two bounds, of which one may be missing."""
    if above is None and below is None:
        raise Wrong("say `above`, `below` or both")
    if above is not None and below is not None and above >= below:
        raise Wrong("no number is above the one and below the other", "above", found=above, allowed=f"below {below:g}")
    if above is None:
        return Below(below or 0.0)
    return Above(above) if below is None else Inside(above, below)
