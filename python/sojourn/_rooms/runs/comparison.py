"""Variants of a study against a baseline, seed by seed: a study whose numbers are differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..statistics.intervals import Interval, paired_difference
from .result import Study
from .summary import only_one, summary_frame, summary_line

if TYPE_CHECKING:
    import polars as pl


__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Study):
    """A study in which every variant is compared with the baseline, seed by seed.

    Attributes
    ----------
    baseline
        Label of the variant that the others are compared with.
    """

    baseline: str

    def difference(self, metric: str, *, variant: str, row: str | None = None, table: str = "queue") -> Interval:
        """Mean of variant minus baseline over the seeds, with its 95 % interval."""
        values = self.values(metric, table=table)
        row = only_one(row, list(values[self.baseline]), "row")
        return paired_difference(values[variant][row], values[self.baseline][row])

    def differences(self, table: str = "queue") -> pl.DataFrame:
        """The paired difference of every variant against the baseline, for every metric of a table.

        Columns as in :meth:`Study.summary`, with ``difference`` in place of ``mean``.
        """
        rows = []
        for metric in self.metrics(table):
            values = self.values(metric, table=table)
            base = values[self.baseline]
            rows += [
                summary_line(label, row, metric, paired_difference(of_row, base[row]))
                for label, by_row in values.items()
                if label != self.baseline
                for row, of_row in by_row.items()
                if row in base
            ]
        return summary_frame(rows).rename({"mean": "difference"})
