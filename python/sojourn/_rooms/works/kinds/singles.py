"""Sentences about a whole table of single runs: the largest of its differences, and in how many of its cells."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

from ..._base.schema import Between, More, Wrong
from ...statistics.intervals import Interval
from ...statistics.prediction import LEVEL, Prediction, bisected, predict, rounding
from ...statistics.rules import Judgement
from ...statistics.samples import factor, some_cut, with_unit
from ..claims import Evidence, Matrix, Sample
from ..design import Design, Results
from .ratios import OfTwo
from .small_samples import MOST_RUNS, OfRuns, runs_in_words

__all__ = ["Count", "Largest"]


@dataclass(frozen=True, kw_only=True)
class _OfCells(OfTwo, OfRuns):
    """A number that a work computed from all cells of a table, each with one run or few."""

    printed_runs: Annotated[int, Between(1, MOST_RUNS)] = 1

    def check_own(self, design: Design) -> None:
        """See :class:`Kind`."""
        super().check_own(design)
        if self.published is None:
            raise Wrong("the key 'published' is missing: the number that is printed")

    @abstractmethod
    def apart(self, results: Results) -> Matrix:
        """The quantity that is computed from the two points in each cell."""

    def as_printed(self, work: Results) -> Self:
        """See :class:`Kind`."""
        assert self.published is not None  # noqa: S101 - check_own has seen it
        cells = [self.mean_of(cell, 0.0) for cell in self.apart(work).values()]
        return replace(self, published=self.printed_of(cells, rounding(self.published)))

    def times_printed(self, times: float) -> Self:
        """See :class:`Kind`."""
        return replace(self, published=(self.published or 0.0) * times)

    @abstractmethod
    def printed_of(self, cells: Sequence[float], digit: float) -> float:
        """The number that a work prints of its cells, with half of the last printed digit."""

    @abstractmethod
    def of_cells(self, cells: Sequence[Sample]) -> Evidence:
        """The judgement of the cells about the printed number."""

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`: one, of all cells."""
        cells = list(self.apart(results).values())
        is_reached = not any(map(some_cut, cells))
        if not is_reached or any(not any(map(math.isfinite, cell)) for cell in cells):
            return {"": Evidence(Interval(math.nan, math.nan, 0), 1.0, 1.0, math.nan, is_reached=is_reached)}
        return {"": self.of_cells(cells)}

    def _evidence(self, p: float, mean: float, ends: tuple[float, float], runs: int, slack: float) -> Evidence:
        assert self.published is not None  # noqa: S101 - check_own has seen it
        claimed = (self.published - slack, self.published + slack)
        low, high = min(ends[0], mean), max(ends[1], mean)
        margin = min(claimed[1] - low, high - claimed[0])
        interval = Interval(mean, (high - low) / 2.0, runs, (low, high))
        return Evidence(interval, 0.0 if p >= 1.0 - LEVEL else 1.0, p, margin, claimed)


@dataclass(frozen=True, kw_only=True)
class Largest(_OfCells):
    """The largest difference of single runs over all cells ("up to 0.32 % more") is one that our runs would print.

    `form` is a `gain` (this over that, less one), a `loss` (one less this over that) or a `difference` (this less
    that). From each cell one run is taken, or the mean of `printed_runs`, both points with the same seed.
    """

    own_bounds: ClassVar[Sequence[str]] = ("within",)

    form: Literal["gain", "loss", "difference"] = "gain"
    within: Annotated[float, More(0.0)] | None = None

    def unit(self, design: Design) -> str:
        """See :class:`Kind`."""
        if self.form != "difference":
            return "%"
        return {"%": "points"}.get(self.own_unit(design), self.own_unit(design))

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        printed = self.published or 0.0
        wanted = with_unit(f"{printed * factor(unit):.4g}", unit)
        slack = self.slack_in_words(f"{self.within * factor(unit):.3g}" if self.within else "")
        runs = runs_in_words(self.printed_runs)
        return (
            f"the largest {self.number('')} of {self.named} over the cells, {runs} in each, "
            f"would be the printed {wanted} with runs like ours, up to {slack}"
        )

    def number(self, case: str) -> str:
        """See :class:`Kind`."""
        this, that = self._apart(self.this, self.that)
        over = super().number(case)
        return {"gain": f"{over} − 1", "loss": f"1 − {over}", "difference": f"{this} − {that}"}[self.form]

    def apart(self, results: Results) -> Matrix:
        """See :class:`_OfCells`."""
        this, that = self.numbers(results, self.this), self.numbers(results, self.that)
        if self.form == "difference":
            return this - that
        return (this / that).linear(*((1.0, -1.0) if self.form == "gain" else (-1.0, 1.0)))

    def of_runs(self, results: Results) -> Sample:
        """The largest over the cells, seed by seed."""
        return [max(values) for values in zip(*self.apart(results).values(), strict=True)]

    def printed_of(self, cells: Sequence[float], digit: float) -> float:
        """See :class:`_OfCells`."""
        return round(max(cells) / (2.0 * digit)) * 2.0 * digit

    def of_cells(self, cells: Sequence[Sample]) -> Evidence:
        """See :class:`_OfCells`: the largest is below x if all are."""
        assert self.published is not None  # noqa: S101 - check_own has seen it
        every = [predict(cell, self.printed_runs) for cell in cells]
        slack = self.slack(self.published, rounding(self.published), self.within)
        edges = [one.interval for one in every]
        low, high = min(edge[0] for edge in edges), max(edge[1] for edge in edges)
        wide = 10.0 * (high - low)

        def below(value: float) -> float:
            return math.prod(one.below(value) for one in every)

        at = [bisected(below, chance, low - wide, high + wide) for chance in ((1 - LEVEL) / 2, 0.5, 0.5 + LEVEL / 2)]
        p = _unusual(below(self.published + slack), 1.0 - below(self.published - slack - 1e-15))
        return self._evidence(p, at[1], (at[0], at[2]), _runs(every), slack)


@dataclass(frozen=True, kw_only=True)
class Count(_OfCells):
    """In a printed number of cells of a table, `this` is at least `that`, and our single runs would print that number.

    `by` is by how much it is more at least, in the units of the tables.
    """

    own_bounds: ClassVar[Sequence[str]] = ("by",)

    by: float = 0.0

    def unit(self, design: Design) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        return "cells"

    def words(self, unit: str) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        this, that = self._apart(self.this, self.that)
        more = f", and by {self.by:.3g} more" if self.by else ""
        return (
            f"{self.named} of {this} would be at least that of {that}{more} in the printed "
            f"{with_unit(f'{self.published:g}', 'cells')}, {runs_in_words(self.printed_runs)} like ours in each"
        )

    def number(self, case: str) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        return ""

    def apart(self, results: Results) -> Matrix:
        """See :class:`_OfCells`."""
        return self.numbers(results, self.this) - self.numbers(results, self.that)

    def with_power(self, judgement: Judgement, results: Results) -> Judgement:
        """See :class:`Kind`: "some cells, but not all" is as true with half of them."""
        some = 0 < round(self.published or 0.0) < len(self.apart(results))
        return judgement if some else super().with_power(judgement, results)

    def printed_of(self, cells: Sequence[float], digit: float) -> float:  # noqa: ARG002
        """See :class:`_OfCells`."""
        return float(sum(cell >= self.by for cell in cells))

    def of_cells(self, cells: Sequence[Sample]) -> Evidence:
        """See :class:`_OfCells`: the chances of all numbers of cells follow from that of each."""
        assert self.published is not None  # noqa: S101 - check_own has seen it
        chances = [1.0]
        for cell in cells:
            more = self._chance(cell)
            chances = [
                (chances[count] * (1.0 - more) if count < len(chances) else 0.0)
                + (chances[count - 1] * more if count else 0.0)
                for count in range(len(chances) + 1)
            ]
        below = [math.fsum(chances[: count + 1]) for count in range(len(chances))]
        printed = round(self.published)
        at_most = below[min(printed, len(cells))] if printed >= 0 else 0.0
        at_least = math.fsum(chances[max(printed, 0) :])
        mean = math.fsum(count * chance for count, chance in enumerate(chances))
        ends = [
            next(float(count) for count, share in enumerate(below) if share >= chance - 1e-12)
            for chance in ((1.0 - LEVEL) / 2.0, 0.5 + LEVEL / 2.0)
        ]
        runs = min(sum(map(math.isfinite, cell)) for cell in cells)
        return self._evidence(_unusual(at_most, at_least), mean, (ends[0], ends[1]), runs, 0.5)

    def _chance(self, cell: Sample) -> float:
        """The chance that a cell of the work counts: the share of our runs that do, with half a run more of each."""
        values = [value for value in cell if math.isfinite(value)]
        if len(values) == 1:
            return float(values[0] >= self.by)
        if self.printed_runs > 1:
            return 1.0 - predict(values, self.printed_runs).below(self.by - 1e-15)
        return (sum(value >= self.by for value in values) + 0.5) / (len(values) + 1.0)


def _unusual(at_most: float, at_least: float) -> float:
    return min(1.0, 2.0 * min(at_most, at_least))


def _runs(every: Sequence[Prediction]) -> int:
    return min(one.runs for one in every)
