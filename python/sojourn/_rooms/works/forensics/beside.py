"""Every printed number of a work beside ours, under the setting with which its experiments run."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .... import _core
from ...runs.pool import ProgressCallback
from ...statistics.prediction import TOLERANCE, part, predict
from ...statistics.samples import Sample
from ..context import Context
from ..printed_tables import Line, Lines
from ..reproduction import selection
from ..same_run import mark
from ..work import Paper, folder, load
from .numbers import TEXT, Printed, Row, rows
from .trials import Trials

__all__ = ["FEWEST", "MOST", "Beside", "Cell", "beside", "cell"]

FEWEST, MOST = 20, 100
"""Seeds: as many as the work had runs, within these. Of fewer runs the spread is not known well."""

_TENTH = 0.1


@dataclass(frozen=True)
class Cell:
    """A printed number beside ours.

    Attributes
    ----------
    table
        The table of the work, or several that print the same number.
    row, case
        The claim or the row of the table, and its case.
    printed, ours
        In the units of our tables; ours is a mean.
    low, high
        The ends of the 95 % interval for the mean of as many runs as the work made, by our runs.
    rounding
        Half of the last printed digit.
    made, runs
        The number of runs behind the printed number, and of ours.
    unit
        The unit to show them in.
    whole
        Of the use of a link its value when the link is full.
    """

    table: str
    experiment: str
    row: str
    case: str
    printed: float
    ours: float
    low: float
    high: float
    rounding: float
    made: int
    runs: int
    unit: str
    whole: float | None = None

    @property
    def inside(self) -> bool:
        """Whether the printed number, with its rounding, lies in the interval."""
        return self._within(self.rounding)

    @property
    def near(self) -> bool:
        """The same with 2 % more, by which two simulators that agree may lie apart."""
        return self._within(self.rounding + TOLERANCE * part(self.printed, self.whole))

    @property
    def within_a_tenth(self) -> bool:
        """Whether ours lies within a tenth of the printed number; of the unused part, where a link is nearly full."""
        return abs(self.ours - self.printed) <= _TENTH * part(self.printed, self.whole) + self.rounding

    @property
    def relative(self) -> float:
        """Ours less the printed number, as a part of it; NaN where that is zero."""
        return (self.ours - self.printed) / abs(self.printed) if self.printed else math.nan

    def _within(self, slack: float) -> bool:
        return self.low - slack <= self.printed <= self.high + slack


@dataclass(frozen=True)
class Beside:
    """All printed numbers of a work beside ours.

    Attributes
    ----------
    key, paper
        The key and the description of the work.
    cells
        In the order of the source's tables; text and figures come last.
    reading
        The reading under which they were run; the first one if it has no name.
    """

    key: str
    paper: Paper
    cells: Sequence[Cell]
    reading: str = ""

    @property
    def tables(self) -> dict[str, list[Cell]]:
        """The cells by table."""
        found: dict[str, list[Cell]] = {}
        for one in self.cells:
            found.setdefault(one.table, []).append(one)
        return found

    @property
    def lines(self) -> Lines:
        """A line for each table."""
        return Lines(
            version=_core.version(),
            date=datetime.now(UTC).date().isoformat(),
            settings=mark(self.paper, folder(self.key)),
            tables={name: _line(own) for name, own in self.tables.items()},
        )


def beside(
    key: str,
    *,
    only: Sequence[str] | None = None,
    reading: str = "",
    runs: int | None = None,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    out: Path | None = None,
) -> Beside:
    """Run every printed number of a work, or those of some experiments, figures or tables.

    With a reading only the experiments that have it are run.

    Raises
    ------
    ValueError
        If the work prints no number.
    """
    paper, directory = load(key), folder(key)
    printed = _with(key, reading, list(_chosen(key, paper, rows(paper), only)))
    if not printed:
        raise ValueError(f"{key} prints no number that these experiments have\n  allowed: claims of the kind table")
    context = Context(directory, quick=False, workers=workers, progress=progress, out=out, experiment="numbers")
    found: list[Cell] = []
    for made in sorted({row.made for row in printed}):
        own = [row for row in printed if row.made == made]
        seeds = range(1, 1 + (runs or min(max(made, FEWEST), MOST)))
        (values,) = Trials(context, [], own, reading).run([()], seeds)
        found += [
            cell(row, number, samples[case])
            for row, samples in zip(own, values, strict=True)
            for case, number in row.numbers.items()
        ]
    return Beside(key, paper, sorted(found, key=lambda one: _place(one.table)), reading)


def _with(key: str, reading: str, printed: Sequence[Row]) -> Sequence[Row]:
    """The rows whose experiments have a reading."""
    if not reading:
        return printed
    names = dict.fromkeys(one.name for row in printed for one in row.study.design.readings)
    if reading not in names:
        raise ValueError(
            f"{key} has no reading {reading!r} of these numbers\n  allowed: {'; '.join(names) or 'none has any'}"
        )
    return [row for row in printed if any(one.name == reading for one in row.study.design.readings)]


def _chosen(key: str, paper: Paper, printed: Sequence[Row], only: Sequence[str] | None) -> Iterator[Row]:
    """The rows of the named tables, and of the experiments that other names choose; all without names."""
    tables = {row.table for row in printed}
    others = [name for name in only or () if name not in tables]
    chosen = {one.name for one in selection(key, paper, others)} if others or not only else set()
    yield from (row for row in printed if row.experiment in chosen or row.table in (only or ()))


def cell(row: Row, number: Printed, ours: Sample) -> Cell:
    """A printed number beside a sample of ours."""
    finite = [value for value in ours if math.isfinite(value)]
    low, high = predict(ours, row.made).interval if finite else (math.nan, math.nan)
    mean = statistics.fmean(finite) if finite else math.nan
    where = (row.table, row.experiment, row.title, row.case_in_words(number.case))
    return Cell(
        *where, number.value, mean, low, high, number.rounding, row.made, len(finite), row.unit, row.claim.whole
    )


def _place(table: str) -> list[float]:
    """The place of a table among all, by its numbers."""
    return [math.inf] if table == TEXT else list(_numbers(table))


def _numbers(table: str) -> Iterator[float]:
    for word in table.split():
        for digits in word.split("."):
            if digits.isdigit():
                yield float(digits)


def _line(cells: Sequence[Cell]) -> Line:
    ratios = [one.ours / one.printed for one in cells if one.printed and math.isfinite(one.ours)]
    return Line(
        numbers=len(cells),
        inside=sum(one.inside for one in cells),
        near=sum(one.near for one in cells),
        within_a_tenth=sum(one.within_a_tenth for one in cells),
        ratio=float(f"{statistics.median(ratios):.4g}") if ratios else 0.0,
        runs=min(one.runs for one in cells),
        made=max(one.made for one in cells),
    )
