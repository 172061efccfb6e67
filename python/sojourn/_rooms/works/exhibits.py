"""Exhibits of a reproduced paper besides its claims: tables of numbers, charts and remarks.

An experiment of :mod:`sojourn.papers` yields them between its claims; the command prints the tables, the report shows
all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..statistics.figures import figures
from ..statistics.intervals import Interval
from ..statistics.samples import Sample, factor, interval_of

if TYPE_CHECKING:
    import polars as pl

    from ..showing.plots.registry import Drawing

_WIDEST = 8
"""The number of columns that one takes in at a glance, and that fits on paper."""

__all__ = ["Chart", "Curves", "Exhibit", "Grid", "Later", "Numbers", "PrintedNumber", "Remark", "figures"]


@dataclass(frozen=True, kw_only=True)
class PrintedNumber:
    """A published number beside the runs.

    Attributes
    ----------
    row, column
        Its place in the table: the queue and the quantity, say.
    ours
        One value for each seed, in the units of the tables (a share is 0 to 1).
    published, error
        As printed but in the units of the tables; None if there is none.
    unit
        Unit to show; see :func:`sojourn.claims.factor`.
    mark
        A footnote sign, explained in the table's text.
    group
        The first words of the column, which other columns share: the report makes a table of each group.
    instead
        A text that replaces our number if it says more: ``> 25`` for a time after the end of the runs.
    """

    row: str
    column: str
    ours: Sample
    published: float | None = None
    error: float | None = None
    unit: str = ""
    mark: str = ""
    group: str = ""
    instead: str = ""

    @property
    def interval(self) -> Interval:
        """Mean of the runs and its 95 % interval."""
        return interval_of(self.ours)

    @property
    def factor(self) -> float:
        """From the unit of the tables to the unit shown."""
        return factor(self.unit)

    @property
    def figures(self) -> str:
        """Our number as it is shown, without its unit."""
        return self.instead or figures(self.interval, self.factor)

    def as_dict(self) -> dict[str, Any]:
        """Everything in the units of the tables, for JSON and for frames."""
        values = [value for value in self.ours if math.isfinite(value)]
        interval = self.interval
        return {
            "row": self.row,
            "column": self.column,
            "unit": self.unit,
            "published": self.published,
            "published_error": self.error,
            "mean": interval.mean,
            "half_width": interval.half_width,
            "low": interval.low,
            "high": interval.high,
            "sd": _deviation(values),
            "min": min(values, default=math.nan),
            "max": max(values, default=math.nan),
            "runs": interval.n,
        }


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """A table of published numbers beside ours.

    Attributes
    ----------
    title, text
        Heading, and the notes that a reader of the table needs.
    rows_are
        Heading of the first column.
    numbers
        The cells; rows and columns are in the order in which they first appear.
    """

    title: str
    numbers: Sequence[PrintedNumber]
    text: str = ""
    rows_are: str = "queue"

    @property
    def rows(self) -> list[str]:
        """Labels of the rows."""
        return list(dict.fromkeys(number.row for number in self.numbers))

    @property
    def columns(self) -> list[str]:
        """Labels of the columns."""
        return list(dict.fromkeys(number.column for number in self.numbers))

    def brief(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text: the published number, then ours with its interval."""
        cells = {(number.row, number.column): number for number in self.numbers}
        printed = {
            column: any(n.published is not None for n in self.numbers if n.column == column) for column in self.columns
        }
        header = [self.rows_are]
        for column in self.columns:
            header += [f"{column}: paper", "ours"] if printed[column] else [column]
        body = []
        for row in self.rows:
            line = [row]
            for column in self.columns:
                number = cells.get((row, column))
                line += _brief(number) if printed[column] else _brief(number)[1:]
            body.append(line)
        return header, body

    def frame(self) -> pl.DataFrame:
        """The table as the report shows it, as text in the units shown.

        With published numbers a line for each, with the difference from ours and the range of the runs; without any a
        column for each quantity.
        """
        import polars as pl

        if all(number.published is None for number in self.numbers):
            return self._matrix(self.columns)
        lines = []
        for number in self.numbers:
            about, scale = number.as_dict(), number.factor
            published, ours = _brief(number)
            error = "" if number.error is None else f"{number.error * scale:.6g}"
            least, most = (_to_the_place(about[name] * scale, number) for name in ("min", "max"))
            line = {
                _heading(self.rows_are): number.row,
                "Quantity": number.column,
                "Paper": published,
                "Its error": error,
                "Here ± 95 %": ours,
                "Difference": _difference(number),
                "Least to greatest": f"{least} to {most}",
                "Runs": str(about["runs"]),
            }
            lines.append(_unbroken(line))
        frame = pl.DataFrame(lines)
        return frame if any(number.error is not None for number in self.numbers) else frame.drop("Its error")

    def page_tables(self) -> list[tuple[str, pl.DataFrame]]:
        """Tables with their headings for a page: without published numbers one of each group, of few columns each."""
        if any(number.published is not None for number in self.numbers):
            return [("", self.frame())]
        found: list[tuple[str, pl.DataFrame]] = []
        for group in dict.fromkeys(number.group for number in self.numbers):
            own = [number for number in self.numbers if number.group == group]
            columns = list(dict.fromkeys(number.column for number in own))
            heading = f"{group} ({own[0].unit})" if group and own[0].unit else group
            found += [
                (heading if start == 0 else _going_on(heading), self._matrix(columns[start : start + _WIDEST], group))
                for start in range(0, len(columns), _WIDEST)
            ]
        return found

    def _matrix(self, columns: Sequence[str], group: str = "") -> pl.DataFrame:
        import polars as pl

        cells = {(number.row, number.column): number for number in self.numbers if number.column in columns}
        units = {column: number.unit for (_, column), number in cells.items()}
        lines = []
        for row in dict.fromkeys(row for row, _ in cells):
            line = {_heading(self.rows_are): row}
            for head in columns:
                number = cells.get((row, head))
                shown = "" if number is None else number.figures
                title = head.removeprefix(f"{group}, ") if group else _heading(head)
                line[f"{title} ({units[head]})" if units[head] and not group else title] = shown
            lines.append(_unbroken(line))
        return pl.DataFrame(lines)


@dataclass(frozen=True, kw_only=True)
class Curves:
    """The lines of a chart, from which the page of a figure is drawn and which a record keeps.

    Attributes
    ----------
    x, y
        Titles of the axes, with their units.
    panels
        By panel and line, both without a name if there is one: the points.
    marks
        Levels with a line across each panel.
    joined
        Whether a line joins the points.
    """

    x: str
    y: str
    panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]
    marks: Sequence[float] = ()
    joined: bool = True

    @classmethod
    def of(cls, frame: pl.DataFrame, *, x: str, y: str, marks: Sequence[float] = (), joined: bool = True) -> Curves:
        """From a frame with the columns ``x`` and ``value``, and ``panel`` and ``line`` where there are several."""
        import polars as pl

        names = [
            (pl.col(name) if name in frame.columns else pl.lit("")).cast(pl.String).alias(name)
            for name in ("panel", "line")
        ]
        panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
        for panel, line, at, value in frame.select(*names, "x", "value").iter_rows():
            panels.setdefault(panel, {}).setdefault(line, []).append((at, math.nan if value is None else value))
        return cls(x=x, y=y, panels=panels, marks=marks, joined=joined)


@dataclass(frozen=True)
class Grid:
    """The metrics of an experiment at every point of its axes, from which the pages of figures are drawn.

    Attributes
    ----------
    experiment
        The experiment whose runs these are: a part of it has no others.
    axes
        By name: the labels of the points that were run.
    metrics
        By name: a mean with its interval for each point, in the order of the axes, in the units of the tables; None
        where there is none.
    """

    experiment: str
    axes: Mapping[str, Sequence[str]]
    metrics: Mapping[str, Sequence[Interval | None]]

    @property
    def runs(self) -> int:
        """The least number of runs behind a number."""
        return min((one.n for row in self.metrics.values() for one in row if one and one.n), default=0)


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart for the report.

    Attributes
    ----------
    title, text
        Heading, and the features to look at.
    chart
        From altair.
    data
        Frames to offer for download besides the drawn data.
    curves
        Its lines, for the page of a figure.
    """

    title: str
    chart: Drawing
    text: str = ""
    data: Mapping[str, pl.DataFrame] | None = None
    curves: Curves | None = None


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A paragraph for the report."""

    title: str
    text: str


Exhibit = Numbers | Chart | Remark | Grid


@dataclass(frozen=True)
class Later:
    """Exhibits that are made after all experiments, because other experiments may add seeds to their runs."""

    make: Callable[[], Iterable[Exhibit]]


def _going_on(heading: str) -> str:
    """Heading of a table that goes on with the columns for which the one before has no room."""
    return f"{heading}, further columns" if heading else "Further columns"


def _unbroken(line: Mapping[str, str]) -> dict[str, str]:
    """A number stays in one line with its unit and its interval; words may break."""
    kept = [name for name in line if name != "Quantity"][1:]
    return {name: text.replace(" ", "\u00a0") if name in kept else text for name, text in line.items()}


def _heading(text: str) -> str:
    """As at the beginning of a line; names in capitals stay so."""
    return text[:1].upper() + text[1:]


def _brief(number: PrintedNumber | None) -> list[str]:
    if number is None:
        return ["", ""]
    unit = f" {number.unit}" if number.unit else ""
    published = "" if number.published is None else f"{number.published * number.factor:.6g}{unit}{number.mark}"
    return [published, number.figures + unit]


def _difference(number: PrintedNumber) -> str:
    """Ours less the published number: in points of a share, else as a part of it."""
    if number.published is None or not math.isfinite(number.interval.mean):
        return ""
    apart = number.interval.mean - number.published
    if number.unit in ("%", "points"):
        return f"{_signed(apart * number.factor, _decimals(number))} points"
    if not number.published:
        return _signed(apart * number.factor, _decimals(number))
    return f"{_signed(100.0 * apart / abs(number.published))} %"


def _signed(value: float, decimals: int = 2) -> str:
    """Three figures and at most `decimals` decimals, at least two, with a sign; without a sign if that leaves zero.

    >>> [_signed(value) for value in (3.04, -0.0019, 231.4, -14.26, 9.996)], _signed(-0.0019, 4)
    (['+3.04', '0.00', '+231', '−14.3', '+10.0'], '−0.0019')
    """
    rounded = abs(float(f"{value:.3g}"))
    figures = max(2 - math.floor(math.log10(rounded)), 0) if rounded else 2
    shown = f"{value:+.{min(figures, max(decimals, 2))}f}"
    return (shown if float(shown) else shown[1:]).replace("-", "\u2212")


def _decimals(number: PrintedNumber) -> int:
    """Decimals with which our mean is shown."""
    return len(number.figures.partition(" ")[0].partition(".")[2])


def _to_the_place(value: float, number: PrintedNumber) -> str:
    """To the decimals with which the mean is shown."""
    if not math.isfinite(value):
        return "–"
    _, _, width = number.figures.partition(" ")
    return f"{value:.{_decimals(number)}f}" if width[:1] in ("±", "[") else f"{value:.4g}"


def _deviation(values: Iterable[float]) -> float:
    sample = list(values)
    if len(sample) < 2:
        return math.nan
    mean = math.fsum(sample) / len(sample)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in sample) / (len(sample) - 1))
