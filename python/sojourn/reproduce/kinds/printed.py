"""Printed numbers: one in a sentence, and those of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated

from ..._strict import Least, More, Wrong
from ...claims import Evidence, Inside, Sample, factor, scaled
from ...samples import with_unit
from ..design import (
    Design,
    Point,
    Results,
    label,
)
from .kind import NOTHING, Kind, Printed, percent

__all__ = ["Near", "Table"]


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
            f"{self._of_point(self.at)} is within {percent(self.share)} of the printed value; no error is printed, "
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
