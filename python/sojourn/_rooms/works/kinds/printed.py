"""Printed numbers: one in a sentence, and those of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, ClassVar, Self

from ..._base.schema import Least, More, Share, Wrong
from ...statistics.prediction import part, rounding
from ...statistics.rules import LEVEL, Judgement
from ...statistics.samples import with_unit
from ..claims import Evidence, Inside, Sample, factor, scaled
from ..design import Design, Only, Point, Results, label
from .kind import NOTHING, Printed, percent
from .means import half_width, of_means, standard_error, together
from .small_samples import OfRuns, runs_in_words

__all__ = ["Near", "Table"]


@dataclass(frozen=True, kw_only=True)
class Near(OfRuns):
    """A metric at a point is the published number, within `within` (in the units of the tables).

    With `printed_runs` runs like ours would print it; `within` is then how far two simulators may lie apart. With
    `error`, half of the interval that is printed with it, at `level`, the two means are compared.
    """

    own_bounds: ClassVar[Sequence[str]] = ("within",)

    at: Point
    within: Annotated[float, More(0.0)] | None = None
    error: Annotated[float, Least(0.0)] = 0.0
    level: Annotated[float, Share()] = LEVEL

    def check_own(self, design: Design) -> None:  # noqa: ARG002
        """See :class:`Kind`."""
        if self.published is None:
            raise Wrong("`near` needs a published number: the key 'published' is missing")
        if not (self.within or self.error or self.is_predicted):
            raise Wrong("say how far ours may be from the printed number: `within`, `error` or `printed_runs`")

    def unit(self, design: Design) -> str:
        """See :class:`Kind`."""
        return self.own_unit(design)

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        wanted = with_unit(f"{(self.published or 0.0) * factor(unit):.4g}", unit)
        at = f"{self.named} at {self._at(self.at)}"
        within = f"{(self.within or 0.0) * factor(unit):.3g}"
        if self.error:
            error = f"{self.error * factor(unit):.3g}"
            return f"{at}: our mean is the printed {wanted} ± {error} (at {percent(self.level)}), by both their errors"
        if self.is_predicted:
            slack = self.slack_in_words(within if self.within else "")
            return f"{at} of {runs_in_words(self.printed_runs)} like ours would be the printed {wanted}, up to {slack}"
        return f"{at} is within {within} of the printed {wanted}"

    def as_printed(self, work: Results) -> Self:
        """See :class:`Kind`."""
        found = list(self.numbers(work, self.at).values())
        if len(found) != 1 or self.published is None:
            # A sentence about several cases does not print the number of a single case.
            return self
        error = half_width(found[0], self.level) if self.error else 0.0
        return replace(self, published=self.mean_of(found[0], rounding(self.published)), error=error)

    def judgement(self, cases: Mapping[str, Evidence], results: Results) -> Judgement:
        """See :class:`Kind`."""
        return (
            together(cases, self.errors, self.printed_runs, results)
            if self.error
            else super().judgement(cases, results)
        )

    def times_printed(self, times: float) -> Self:
        """See :class:`Kind`: a number with a tolerance of its own is as near as that says, whatever its size."""
        if not (self.is_predicted or self.error):
            return self
        return replace(self, published=self.times_number(self.published or 0.0, times))

    @property
    def errors(self) -> Sequence[float]:
        """The standard error of the printed number, if it has one."""
        return [standard_error(self.error, self.level, self.printed_runs)] if self.error else []

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        if self.published is None:
            raise ValueError(f"{self.text}: `near` needs a published number")
        found = self.numbers(results, self.at)
        digit = rounding(self.published)
        if self.error:
            slack, error = digit + (self.within or 0.0), self.errors[0]
            return {
                case: of_means(sample, self.published, error, self.printed_runs, slack)
                for case, sample in found.items()
            }
        if self.is_predicted:
            slack = self.slack(self.published, digit, self.within)
            return {case: self.would_print(sample, self.published, slack) for case, sample in found.items()}
        within = self.within or 0.0
        rule = Inside(self.published - within, self.published + within)
        return {case: rule.of(sample) for case, sample in found.items()}


@dataclass(frozen=True, kw_only=True)
class Table(OfRuns):
    """Our numbers are those of a printed table.

    `printed` has a number for each point of the axis that `at` leaves; `errors` have half of the interval that is
    printed with each, at `level`: the two means are compared, and all cells decide by the sum of squares. Without
    errors and with `printed_runs`, runs like ours would print each number. `share`, a share of each number (of what is
    missing, where that is less of a whole), is how far two simulators may lie apart; alone it is the tolerance, and the
    words say that it is ours.
    """

    own_bounds: ClassVar[Sequence[str]] = ("share",)

    at: Point
    printed: Sequence[float]
    errors: Sequence[Annotated[float, Least(0.0)]] = ()
    share: Annotated[float, Least(0.0)] = 0.0
    level: Annotated[float, Share()] = LEVEL

    @property
    def judges(self) -> bool:
        """See :class:`Kind`: a claim has a text."""
        return bool(self.text)

    def check_own(self, design: Design) -> None:
        """See :class:`Kind`."""
        if self.text and not (self.errors or self.share or self.is_predicted):
            raise Wrong("say how far ours may be from the printed numbers: `errors`, `printed_runs` or `share`")
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
        """See :class:`Kind`."""
        return self.own_unit(design)

    def words(self, unit: str) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        of = self._of_point(self.at)
        if self.errors:
            off = f" and {percent(self.share)}{self.or_missing}" if self.share else ""
            return (
                f"our mean of {of} is the printed one by both their errors (printed at {percent(self.level)}), up to "
                f"its rounding{off}; all cells are judged by the sum of their squares"
            )
        if self.is_predicted:
            runs = runs_in_words(self.printed_runs)
            slack = self.slack_in_words(f"{percent(self.share)}{self.or_missing}" if self.share else "")
            return f"{of} of {runs} like ours would be the printed value, up to {slack}"
        return (
            f"{self._of_point(self.at)} is within {percent(self.share)} of the printed value"
            f"{self.or_missing.removeprefix(' of it')}; no error is printed, that share is ours"
        )

    def cells(self, results: Results) -> Mapping[str, tuple[Sample, float, float]]:
        """Our sample, the printed value and its error, by case."""
        ours = self.numbers(results, self.at)
        self._check_counts(cases := self._printed_cases(results.design))
        errors = self.errors or [self.share * part(value, self.whole) for value in self.printed]
        printed = dict(zip(cases, zip(self.printed, errors, strict=True), strict=True))
        return {case: (sample, *printed[case]) for case, sample in ours.items()}

    def cell_in_words(self, case: str, results: Results) -> str:
        """A cell of the printed table for people."""
        parts = [self._at(self.at) if self.at else "", self._case_in_words(case, results)]
        return ", ".join(part for part in parts if part)

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        found, digit = self.cells(results), rounding(*self.printed)
        if self.errors:
            return {
                case: of_means(
                    *(sample, value, standard_error(error, self.level, self.printed_runs), self.printed_runs),
                    digit + self.share * part(value, self.whole),
                )
                for case, (sample, value, error) in found.items()
                if not math.isnan(value)
            }
        if self.is_predicted:
            return {
                case: self.would_print(sample, value, self.slack(value, digit, error if self.share else None))
                for case, (sample, value, error) in found.items()
                if not math.isnan(value)
            }
        return {
            case: scaled(Inside(value - error, value + error).of(sample), error)
            for case, (sample, value, error) in found.items()
        }

    def judgement(self, cases: Mapping[str, Evidence], results: Results) -> Judgement:
        """See :class:`Kind`."""
        if not self.errors:
            return super().judgement(cases, results)
        errors = {case: error for case, (_, _, error) in self.cells(results).items()}
        own = [standard_error(errors[case], self.level, self.printed_runs) for case in cases]
        return together(cases, own, self.printed_runs, results)

    def as_printed(self, work: Results) -> Self:
        """See :class:`Kind`."""
        found, digit = list(self.cells(work).values()), rounding(*self.printed)
        printed = [math.nan if math.isnan(value) else self.mean_of(sample, digit) for sample, value, _ in found]
        errors = [half_width(sample, self.level) for sample, _, _ in found] if self.errors else ()
        return replace(self, printed=printed, errors=errors, only=self._run(work))

    def times_printed(self, times: float) -> Self:
        """See :class:`Kind`."""
        if not (self.is_predicted or self.errors) or not any(value and not math.isnan(value) for value in self.printed):
            return self
        return replace(self, printed=[self.times_number(value, times) for value in self.printed])

    def _run(self, work: Results) -> Only:
        """The points that were run, if an axis has others too."""
        return {**self.only, **{axis: names for axis, names in work.only.items() if axis not in self.at}}

    def printed_at(self, results: Results, case: str) -> float:
        """See :class:`Kind`."""
        return self.cells(results)[case][1]
