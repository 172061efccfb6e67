"""Tables of an experiment that is data: every metric beside its printed numbers, and the reading that fits."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from ..runs.metrics import Metric
from .cells import Printed, axis_title, cells_run, columns, distinct_axes, in_words, sample_of, title_of
from .claims import Counts, Sample, factor, interval_of
from .design import Point, Results, label, point_in_words
from .exhibits import Grid, Numbers, PrintedNumber, figures
from .kinds import Kind, Table

__all__ = ["fits", "grid", "numbers"]

_WIDE_INTERVAL = 0.4
"""Half of an interval as a part of the mean, from which on a table describes the spread of the runs."""

_SEVERAL = 4
"""The least number of cells for a note that all of them miss on one side."""

_SAID = 6
"""Cells that the text of a table names."""


def numbers(results: Results, known: Printed, rows: str, *, all_of_them: bool = True) -> list[Numbers]:
    """Printed numbers beside ours; then, if all are wanted, every other metric. `rows` down, the other axes across."""
    axes = results.axes
    cells: list[PrintedNumber] = []
    for row, column, (name, metric) in product(axes[rows], columns(results, rows), results.design.metrics.items()):
        point = {axis: row if axis == rows else column[axis] for axis in axes}
        value, error = known.get((name, ", ".join(point.values())), (None, None))
        if not results.has(name, point) or (value is None and not all_of_them):
            continue
        title, where, ours = (
            title_of(results, name),
            in_words(results, distinct_axes(results, column)),
            sample_of(results, name, point),
        )
        cells.append(
            PrintedNumber(
                row=results.design.titles.get(f"points.{rows}.{row}", row),
                column=", ".join([title, *where]),
                group=title if where else "",
                ours=ours,
                published=value,
                error=error,
                unit=metric.unit,
                instead=_never(results, name, point, ours),
            )
        )
    # A column of which the work prints a part is whole among the others: a table with holes would raise questions.
    partly = {cell.column for cell in cells if cell.published is None}
    beside = [cell for cell in cells if cell.published is not None]
    others = [replace(cell, published=None, error=None) for cell in cells if cell.column in partly]
    rest = "Other numbers" if beside else "All numbers"
    found = {"Printed numbers and ours": beside, rest: others}
    words = partial(point_in_words, rows, titles=results.design.titles)
    return [
        Numbers(
            title=title,
            numbers=cells,
            rows_are=axis_title(results, rows),
            text=f"{_about(cells, words)}{_on_one_side(results, cells)}",
        )
        for title, cells in found.items()
        if cells
    ]


def grid(results: Results, experiment: str) -> Grid:
    """Every metric at every point that was run, as it is shown; `experiment` is the one whose runs these are."""
    points = [dict(zip(results.axes, names, strict=True)) for names in product(*results.axes.values())]
    return Grid(
        experiment=experiment,
        axes=dict(results.axes),
        metrics={
            name: [
                interval_of(sample_of(results, name, point)) if results.has(name, point) else None for point in points
            ]
            for name in results.design.metrics
        },
    )


def _about(cells: Sequence[PrintedNumber], words: Callable[[str], str]) -> str:
    """Notes for a reader of a table: the number of runs behind its numbers, and the meaning of its signs.

    `words` puts a row into words.
    """
    intervals = [cell.interval for cell in cells]
    counts = sorted({one.n for one in intervals if one.n}) or [0]
    if counts[-1] < 2:
        return "One run each: without others there is no interval."
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    said = [f"Means of {many} runs under the first reading, with 95 % intervals."]
    if len(counts) > 1:
        said.append(
            "Claims that were still open have more runs; a claim that was decided before uses the first of them, "
            "and states their number."
        )
    if any(one.ends for one in intervals):
        said.append(
            "Brackets have both ends of an interval whose middle is not the mean: for rare events, and if the "
            "interval would go on below zero or above one, where the number cannot be."
        )
    if uneven := {at: _range(cell) for at, cell in enumerate(cells) if _uneven(cell)}:
        said.append(
            f"The runs of some cells differ widely, and their mean says little: {_named(uneven, cells, words)}."
        )
    if few := {at: _missing(cell) for at, cell in enumerate(cells) if 0 < cell.interval.n < len(cell.ours)}:
        which = _named(few, cells, words)
        said.append(f"A run without such a number, such as a ratio to zero, is left out: {which}.")
    if any(one.n > 1 and not one.half_width and not cell.instead for one, cell in zip(intervals, cells, strict=True)):
        said.append("A number alone is the same in each of its runs.")
    if any(cell.instead for cell in cells):
        said.append("The sign > is before the end of the runs if none of them gets there.")
    return " ".join(said)


def _on_one_side(results: Results, cells: Sequence[PrintedNumber]) -> str:
    """Metrics of which all our numbers are above the printed ones, or all below, and by which part of these."""
    said = []
    for name in results.design.metrics:
        title = title_of(results, name)
        own = [cell for cell in cells if cell.published and (cell.group or cell.column) == title]
        off = [cell.interval.mean / cell.published - 1.0 for cell in own if cell.published]
        if len(off) < _SEVERAL or not all(math.isfinite(one) for one in off) or min(off) * max(off) <= 0.0:
            continue
        near, far = sorted(100.0 * abs(one) for one in (min(off), max(off)))
        side = "above" if off[0] > 0.0 else "below"
        said.append(
            f" Ours are {side} the printed ones in every cell of {title}, by {near:.2g} to {far:.2g} % of these."
        )
    return "".join(said)


def _named(said: Mapping[int, str], cells: Sequence[PrintedNumber], words: Callable[[str], str]) -> str:
    """The names of cells; with the column if there are several."""
    several = len({cell.column for cell in cells}) > 1
    rows = [words(cells[at].row) for at in said]
    names = [f"{row}, {cells[at].column}" if several else row for row, at in zip(rows, said, strict=True)]
    parts = [f"{name} ({what})" for name, what in zip(names, said.values(), strict=True)]
    return "; ".join([*parts[:_SAID], *([f"and {len(parts) - _SAID} more"] if len(parts) > _SAID else [])])


def _uneven(cell: PrintedNumber) -> bool:
    """Whether the runs of a positive number differ widely: the interval is nearly as wide as the mean is large."""
    values = [value for value in cell.ours if math.isfinite(value)]
    wide = len(values) > 2 and cell.interval.half_width > _WIDE_INTERVAL * cell.interval.mean
    return wide and min(values) > 0.0 and not isinstance(cell.ours, Counts)


def _missing(cell: PrintedNumber) -> str:
    return f"{len(cell.ours) - cell.interval.n} of {len(cell.ours)} runs"


def _range(cell: PrintedNumber) -> str:
    values = sorted(value * cell.factor for value in cell.ours if math.isfinite(value))
    least, middle, most = (_three(one) for one in (values[0], statistics.median(values), values[-1]))
    return f"from {least} to {most}, half of them below {middle}"


def _three(value: float) -> str:
    """Three figures, and no powers of ten for larger numbers."""
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"


def _never(results: Results, name: str, point: Point, ours: Sample) -> str:
    """The value for a time that no run reaches: a series that never settles counts to its end."""
    metric = results.design.metrics[name]
    if not isinstance(metric, Metric) or metric.statistic != "settling":
        return ""
    last = results.study.variants[label(point)].duration_s
    end = min(last, last if metric.to_s is None else metric.to_s) - (metric.from_s or 0.0)
    # The last sample may be one step before the end.
    ended = all(value == ours[0] for value in ours) and ours[0] >= 0.98 * end
    return f"> {end:g}" if ended else ""


def fits(runs: Mapping[str, Results], claims: Sequence[Kind]) -> Numbers | None:
    """How far each reading lies from the printed tables, and the base runs from the same cells: one row for a reading.

    The base comes last. The median over the cells says how well a reading fits; the farthest cell, which may be a
    misprint, is shown beside it and does not affect the median.
    """
    tables = [claim for claim in claims if isinstance(claim, Table)]
    base = next(iter(runs.values()))
    if not tables or len(runs) < 2:
        return None
    cells, said = [], []
    for metric in dict.fromkeys(claim.metric for claim in tables):
        own, title = [claim for claim in tables if claim.metric == metric], title_of(base, metric)
        for name, results in [*list(runs.items())[1:], *list(runs.items())[:1]]:
            far = _far(results, own)
            as_run = {} if results is base else _far(base.beside(results), own)
            for words, form in (("median cell", statistics.median), ("farthest cell", max)):
                for beside, found in (("", far), (", as run", as_run)):
                    if found:
                        sample = [form(seed) for seed in zip(*found.values(), strict=True)]
                        column = f"misses: {title}, {words}{beside}"
                        cells.append(
                            PrintedNumber(row=name, column=column, group=f"misses: {title}", ours=sample, unit="%")
                        )
        if farthest := _farthest(base, own):
            said.append(f"{title}: {farthest}")
    return Numbers(
        title="Which reading fits the printed tables",
        numbers=cells,
        rows_are="reading",
        text="By how much our number misses the printed one, as a part of it: of the cells that a reading has half are "
        "nearer than the median cell. Beside it the same cells as run, and the farthest cell of each. A run's own "
        f"noise is in it. As run the farthest is, of {'; of '.join(said)}.",
    )


def _far(results: Results, tables: Sequence[Table]) -> dict[str, list[float]]:
    """By cell: each seed's difference from the printed number, as a part of it."""
    return {
        f"{place}: {case}": [abs(ours - value) / abs(value) for ours in sample]
        for place, claim in enumerate(tables)
        for case, (sample, value, _) in cells_run(claim, results).items()
        if value
    }


def _farthest(results: Results, tables: Sequence[Table]) -> str:
    """The cell in words whose mean is farthest from the printed number, as a part of it."""
    found = [
        (abs(interval.mean - value) / abs(value), claim.cell_in_words(case, results), value, interval)
        for claim in tables
        for case, (sample, value, _) in cells_run(claim, results).items()
        if value and math.isfinite((interval := interval_of(sample)).mean)
    ]
    if not found:
        return ""
    _, words, value, interval = max(found, key=lambda one: one[0])
    unit = results.design.metrics[tables[0].metric].unit
    shown = f"printed {value * factor(unit):.4g}, here {figures(interval, factor(unit))} {unit}".rstrip()
    return f"{words} ({shown})"
