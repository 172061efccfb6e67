"""Rows of a summary: of the means of a study and of the differences of a comparison alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..statistics.intervals import Interval

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SummaryLine", "of_row", "only_one", "summary_frame", "summary_line"]

SummaryLine = tuple[str, str, str, int, float, float, float]
"""Queue, row, metric, n, mean, low and high."""


def summary_frame(rows: Sequence[SummaryLine]) -> pl.DataFrame:
    """The lines as a frame with named columns."""
    import polars as pl

    texts = dict.fromkeys(("queue", "row", "metric"), pl.String)
    numbers = dict.fromkeys(("mean", "low", "high"), pl.Float64)
    return pl.DataFrame(rows, schema={**texts, "n": pl.Int64, **numbers}, orient="row")


def summary_line(variant: str, row: str, metric: str, interval: Interval) -> SummaryLine:
    """The line of one number with its interval."""
    return variant, row, metric, interval.n, interval.mean, interval.low, interval.high


def of_row(frame: pl.DataFrame, row: str | None) -> pl.DataFrame:
    """The rows about one link, group or flow; all without a name.

    Raises
    ------
    KeyError
        If there is none of this name.
    """
    if row is None:
        return frame
    known = frame["row"].unique(maintain_order=True).to_list()
    if row not in known:
        raise KeyError(f"there is no row {row!r}; there are {', '.join(known)}")
    return frame.filter(row=row)


def only_one(name: str | None, known: Sequence[str], what: str) -> str:
    """``name``, or the only one there is."""
    if name is None:
        if len(known) == 1:
            return known[0]
        raise ValueError(f"say which {what}: {', '.join(known)}")
    if name not in known:
        raise KeyError(f"there is no {what} {name!r}; there are {', '.join(known)}")
    return name
