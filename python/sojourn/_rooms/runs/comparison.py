"""Variants of a study against a baseline, seed by seed: a study whose numbers are differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..statistics.intervals import Interval
from ..statistics.looks import LEVEL, repeated_interval, sequential_p
from .result import Study
from .summary import of_row, only_one, summary_frame, summary_line
from .until import Until

if TYPE_CHECKING:
    import polars as pl

    from ..catalogue.charts import TableName

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Study):
    """A study in which every variant is compared with the baseline, seed by seed.

    Attributes
    ----------
    baseline
        Label of the variant that the others are compared with.
    until
        The question with whose answer the study stopped; None if the number of seeds was fixed.
    """

    baseline: str
    until: Until | None = None

    def with_seeds(self, seeds: Sequence[int]) -> Study:
        """The runs of some of the seeds, as if these had been asked for."""
        return super().with_seeds(seeds) if self.until is None else replace(self, until=None).with_seeds(seeds)

    def apart(self, values: Sequence[float], base: Sequence[float]) -> Interval:
        """The paired difference; where runs were judged at several looks, with an interval that holds at all."""
        if self.until is not None and self.until.question.verdict:
            return repeated_interval(values, base)
        return super().apart(values, base)

    def differs(self, values: Sequence[float], base: Sequence[float]) -> bool:
        """Whether the runs tell two samples apart, at one of the looks that there were."""
        if self.until is not None and self.until.question.verdict:
            return sequential_p(values, base, self.until.looks(len(self.seeds))) <= LEVEL
        return super().differs(values, base)

    def difference(self, metric: str, *, variant: str, row: str | None = None, table: str = "queue") -> Interval:
        """Mean of variant minus baseline over the seeds, with its 95 % interval; see :meth:`apart`."""
        values = self.values(metric, table=table)
        row = only_one(row, list(values[self.baseline]), "row")
        return self.apart(values[variant][row], values[self.baseline][row])

    def differences(self, table: TableName = "queue", *, link: str | None = None) -> pl.DataFrame:
        """The paired difference of every variant against the baseline, for every metric of a table.

        Columns and `link` as in :meth:`Study.summary`, with ``difference`` in place of ``mean``.
        """
        rows = []
        for metric in self.metrics(table):
            values = self.values(metric, table=table)
            base = values[self.baseline]
            rows += [
                summary_line(label, row, metric, self.apart(of_row, base[row]))
                for label, by_row in values.items()
                if label != self.baseline
                for row, of_row in by_row.items()
                if row in base
            ]
        return of_row(summary_frame(rows), link).rename({"mean": "difference"})
