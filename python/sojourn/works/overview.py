"""The table and the chart of an experiment that is data: every metric, with what was printed beside it."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, product
from textwrap import wrap
from typing import Any

from ..runs.metrics import Metric
from ..statistics.samples import first
from .claims import Counts, Sample, factor, interval_of, ratio
from .design import NotRunError, Point, Product, Results, label, numeric, point_in_words
from .exhibits import Chart, Number, Numbers, figures
from .kinds import Kind, Knee, Near, Table

__all__ = ["METRICS", "Printed", "Stated", "begins_with_number", "fits", "lines", "numbers", "printed", "stated"]

METRICS = "Metrics against"
"""With which the title of the chart begins."""

_NUMBER = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?")

_LINES = 9
"""Lines in a panel that one can tell apart."""

_TICKS = 7
"""Points of an axis that have a tick each."""

_WIDE = 50.0
"""How many times the least point the greatest is on a logarithmic axis."""

_LEAST_SPAN = 0.05
"""Part of the greatest value on an axis: smaller differences are drawn small."""

_NOISE = 3.0
"""Variation by more than this many intervals is no noise."""

_TOO_FAR = 2.0
"""By how much the greatest values of panels of one metric may differ on one scale."""

_WIDE_INTERVAL = 0.4
"""Half of an interval as a part of the mean, from which on a table says how the runs lie."""

_SEVERAL = 4
"""Cells from which on it is said that all of them miss on one side."""

_SAID = 6
"""Cells that the text of a table names."""

_DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [12, 4], [4, 6], [8, 2, 2, 2, 2, 2], [14, 3, 4, 3])
"""Lines in turn: where one covers another, that shows between its dashes."""

_COVERED = 0.02
"""Part of the length of an axis: closer lines cover each other."""

_HEADING = 42
"""Letters of a line above a panel: on a phone the panels of a chart with a longer one would be made smaller."""

Printed = Mapping[tuple[str, str], tuple[float, float | None]]
"""Printed values and errors by metric and label of the point."""


@dataclass(frozen=True)
class Stated:
    """Statements of a work about its figures that a chart marks.

    Attributes
    ----------
    values
        Printed values, of tables and of the text.
    knees
        By metric: the points of the axis `along` where its text has a knee.
    """

    values: Printed = field(default_factory=dict)
    knees: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)


def _cells(claim: Table, results: Results) -> Mapping[str, tuple[Sample, float, float]]:
    """Printed numbers beside ours, for points that were run."""
    try:
        return claim.cells(results)
    except NotRunError:
        return {}


def printed(results: Results, claims: Sequence[Kind]) -> Printed:
    """Printed numbers of tables for the points that were run."""
    found = {}
    axes = results.axes
    for claim in claims:
        if isinstance(claim, Table):
            left = [axis for axis in axes if axis not in claim.at]
            for case, (_, value, error) in _cells(claim, results).items():
                point = {**claim.at, **dict(zip(left, case.split(", "), strict=True))}
                found[claim.metric, ", ".join(point[axis] for axis in axes)] = (value, error if claim.errors else None)
    return found


def stated(results: Results, claims: Sequence[object], tables: Printed) -> Stated:
    """The marks of a chart: printed values, those of claims about single points too, and knees."""
    values, knees = dict(tables), dict[tuple[str, str], list[str]]()
    for claim in claims:
        if isinstance(claim, Near) and claim.published is not None and not (claim.relative_to or claim.mean_over):
            fixed = {**claim.only, **{axis: [name] for axis, name in claim.at.items()}}
            for point in product(*(fixed.get(axis, run) for axis, run in results.axes.items())):
                values.setdefault((claim.metric, ", ".join(point)), (claim.published, None))
        if isinstance(claim, Knee):
            knees.setdefault((claim.metric, claim.along), []).append(claim.knee)
    return Stated(values, knees)


def _columns(results: Results, rows: str) -> list[Mapping[str, str]]:
    others = [axis for axis in results.axes if axis != rows]
    return [dict(zip(others, labels, strict=True)) for labels in product(*(results.axes[axis] for axis in others))]


def numbers(results: Results, known: Printed, rows: str, *, all_of_them: bool = True) -> list[Numbers]:
    """Printed numbers beside ours; then, if all are wanted, every other metric. `rows` down, the other axes across."""
    axes = results.axes
    cells: list[Number] = []
    for row, column, (name, metric) in product(axes[rows], _columns(results, rows), results.design.metrics.items()):
        point = {axis: row if axis == rows else column[axis] for axis in axes}
        value, error = known.get((name, ", ".join(point.values())), (None, None))
        if not results.has(name, point) or (value is None and not all_of_them):
            continue
        title, where, ours = (
            _title(results, name),
            _in_words(results, _distinct_axes(results, column)),
            _sample(results, name, point),
        )
        cells.append(
            Number(
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
            rows_are=_axis(results, rows),
            text=f"{_about(cells, words)}{_on_one_side(results, cells)}",
        )
        for title, cells in found.items()
        if cells
    ]


def _about(cells: Sequence[Number], words: Callable[[str], str]) -> str:
    """Notes for a reader of a table: the number of runs behind its numbers, and the meaning of its signs.

    `words` says a row.
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
            "Brackets have both ends of an interval that the mean does not halve: for rare events, and if the "
            "interval would go on below zero or above one, where the number cannot be."
        )
    if uneven := {at: _range(cell) for at, cell in enumerate(cells) if _uneven(cell)}:
        said.append(
            f"The runs of some cells differ so much that their mean says little: {_named(uneven, cells, words)}."
        )
    if few := {at: _missing(cell) for at, cell in enumerate(cells) if 0 < cell.interval.n < len(cell.ours)}:
        which = _named(few, cells, words)
        said.append(f"A run without such a number, such as a ratio to zero, is left out: {which}.")
    if any(one.n > 1 and not one.half_width and not cell.instead for one, cell in zip(intervals, cells, strict=True)):
        said.append("A number alone is the same in each of its runs.")
    if any(cell.instead for cell in cells):
        said.append("The sign > is before the end of the runs if none of them gets there.")
    return " ".join(said)


def _on_one_side(results: Results, cells: Sequence[Number]) -> str:
    """Metrics of which all our numbers are above the printed ones, or all below, and by which part of these."""
    said = []
    for name in results.design.metrics:
        title = _title(results, name)
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


def _named(said: Mapping[int, str], cells: Sequence[Number], words: Callable[[str], str]) -> str:
    """The names of cells; with the column if there are several."""
    several = len({cell.column for cell in cells}) > 1
    rows = [words(cells[at].row) for at in said]
    names = [f"{row}, {cells[at].column}" if several else row for row, at in zip(rows, said, strict=True)]
    parts = [f"{name} ({what})" for name, what in zip(names, said.values(), strict=True)]
    return "; ".join([*parts[:_SAID], *([f"and {len(parts) - _SAID} more"] if len(parts) > _SAID else [])])


def _uneven(cell: Number) -> bool:
    """Whether runs of what is above zero differ so much that the interval is nearly as wide as the mean is large."""
    values = [value for value in cell.ours if math.isfinite(value)]
    wide = len(values) > 2 and cell.interval.half_width > _WIDE_INTERVAL * cell.interval.mean
    return wide and min(values) > 0.0 and not isinstance(cell.ours, Counts)


def _missing(cell: Number) -> str:
    return f"{len(cell.ours) - cell.interval.n} of {len(cell.ours)} runs"


def _range(cell: Number) -> str:
    values = sorted(value * cell.factor for value in cell.ours if math.isfinite(value))
    least, middle, most = (_three(one) for one in (values[0], statistics.median(values), values[-1]))
    return f"from {least} to {most}, half of them below {middle}"


def _three(value: float) -> str:
    """Three figures, and no powers of ten for what is larger."""
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
    misprint, is beside it and does not drown the others.
    """
    tables = [claim for claim in claims if isinstance(claim, Table)]
    base = next(iter(runs.values()))
    if not tables or len(runs) < 2:
        return None
    cells, said = [], []
    for metric in dict.fromkeys(claim.metric for claim in tables):
        own, title = [claim for claim in tables if claim.metric == metric], _title(base, metric)
        for name, results in [*list(runs.items())[1:], *list(runs.items())[:1]]:
            far = _far(results, own)
            as_run = {} if results is base else _far(base.beside(results), own)
            for words, form in (("median cell", statistics.median), ("farthest cell", max)):
                for beside, found in (("", far), (", as run", as_run)):
                    if found:
                        sample = [form(seed) for seed in zip(*found.values(), strict=True)]
                        column = f"misses: {title}, {words}{beside}"
                        cells.append(Number(row=name, column=column, group=f"misses: {title}", ours=sample, unit="%"))
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
    """By cell: how far each seed's number is from the printed one, as a part of it."""
    return {
        f"{place}: {case}": [abs(ours - value) / abs(value) for ours in sample]
        for place, claim in enumerate(tables)
        for case, (sample, value, _) in _cells(claim, results).items()
        if value
    }


def _farthest(results: Results, tables: Sequence[Table]) -> str:
    """The cell in words whose mean is farthest from the printed number, as a part of it."""
    found = [
        (abs(interval.mean - value) / abs(value), claim.cell_in_words(case, results), value, interval)
        for claim in tables
        for case, (sample, value, _) in _cells(claim, results).items()
        if value and math.isfinite((interval := interval_of(sample)).mean)
    ]
    if not found:
        return ""
    _, words, value, interval = max(found, key=lambda one: one[0])
    unit = results.design.metrics[tables[0].metric].unit
    shown = f"printed {value * factor(unit):.4g}, here {figures(interval, factor(unit))} {unit}".rstrip()
    return f"{words} ({shown})"


def lines(results: Results, known: Stated, rows: str, points: Sequence[str] = (), title: str = "") -> Chart | None:
    """A panel for each metric along a numeric axis, a line for each case of the others; printed values are crosses.

    Where that were more lines than one can tell apart, only the largest of the other axes has lines, and there is a
    panel for each case of the rest. `points` are some of the axis, whose labels may go on behind a number; `title` says
    along what they go.
    """
    import altair as alt
    import polars as pl

    from ..showing.plots.pieces import inline, layout

    axes, title = results.axes, title or _axis(results, rows)
    names = [name for name in points or axes[rows] if name in axes[rows]]
    if len(names) < 2 or not all(points or numeric(name) for name in names):
        return None
    apart = _panel_axes(results, rows)
    found: list[dict[str, object]] = []
    for row, column, (name, metric) in product(names, _columns(results, rows), results.design.metrics.items()):
        point = {axis: row if axis == rows else column[axis] for axis in axes}
        if not results.has(name, point):
            continue
        interval, scale = interval_of(_sample(results, name, point)), factor(metric.unit)
        value, _ = known.values.get((name, ", ".join(point.values())), (None, None))
        found.append(
            {
                "metric": name,
                "unit": metric.unit,
                "panel": ", ".join(
                    [
                        f"{_title(results, name)} ({metric.unit})" if metric.unit else _title(results, name),
                        *_in_words(results, _distinct_axes(results, {axis: column[axis] for axis in apart})),
                    ]
                ),
                "series": ", ".join(
                    _in_words(
                        results,
                        {axis: one for axis, one in _distinct_axes(results, column).items() if axis not in apart},
                    )
                ),
                "x": _position(row),
                "mean": interval.mean * scale,
                "low": interval.low * scale,
                "high": interval.high * scale,
                "printed": None if value is None else value * scale,
                "knee": _position(row) if row in known.knees.get((name, rows), ()) else None,
            }
        )
    x = alt.X("x:Q", title=title, **_scale_of(sorted({_position(name) for name in names})))
    series = list(dict.fromkeys(str(line["series"]) for line in found))
    framed = _with_ends(found)
    frame, base = pl.DataFrame(framed, infer_schema_length=None), alt.Chart().encode(x=x)
    frame = frame.drop("metric", "unit")
    ends = base.transform_filter("isValid(datum.least)").mark_rule(opacity=0).encode(y="least:Q", y2="most:Q")
    line = base.mark_line(strokeWidth=1.5)
    if not any(series):
        series, frame = [], frame.drop("series")
    else:
        base = base.encode(color=alt.Color("series:N", title=None, scale=alt.Scale(domain=series)))
        dashes = [dash for dash, _ in zip(cycle(_DASHES), series, strict=False)]
        dash = alt.StrokeDash("series:N", title=None, scale=alt.Scale(domain=series, range=dashes))
        line = base.mark_line(strokeWidth=1.5).encode(strokeDash=dash)
    y = alt.Y("mean:Q", title=None, scale=alt.Scale(zero=False))
    layers = [line.encode(y=y), base.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q"), ends]
    crosses, knees = (any(row[name] is not None for row in found) for name in ("printed", "knee"))
    if knees:
        # One row of each panel, whichever line it is of.
        one = alt.Chart().transform_filter("isValid(datum.knee)").transform_aggregate(at="min(knee)", groupby=["panel"])
        layers.append(one.mark_rule(strokeDash=[4, 3], opacity=0.6).encode(x=alt.X("at:Q", title=title)))
    if crosses:
        # A panel without printed values would have no extent: a point without one is on our mean, unseen.
        marks = base.transform_calculate(cross="isValid(datum.printed) ? datum.printed : datum.mean")
        seen = alt.condition("isValid(datum.printed)", alt.value(1), alt.value(0))
        layers.append(marks.mark_point(shape="cross", size=45).encode(y="cross:Q", opacity=seen))
    chart = (
        alt.layer(*layers)
        .properties(height=220, data=inline(frame, "lines"))
        .facet(
            facet=alt.Facet(
                "panel:N",
                sort=list(dict.fromkeys(str(line["panel"]) for line in found)),
                title=None,
                header=alt.Header(labelExpr=_in_lines(str(line["panel"]) for line in found)),
            ),
            columns=2,
        )
        .resolve_scale(y="independent")
        # A row that is not full has an axis below each panel, and none where no panel is.
        .resolve_axis(x="independent")
        .properties(
            usermeta=layout(columns=2, legend=series),
            description=f"Every metric against {title}",
        )
    )
    text = "With 95 % intervals; crosses are printed values." if crosses else "With 95 % intervals."
    if covered := _covered(framed):
        text += f" Lines lie on one another in: {'; '.join(covered)}."
    if knees:
        text += " Dashed: where the work's text has a knee."
    return Chart(title=f"{METRICS} {title}", chart=chart, text=text)


def _with_ends(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows, the first of each panel with the ends of its axis.

    An axis is not so short that noise fills it; where one number lies in all intervals, it begins at zero. Panels of
    one metric have one scale unless that flattened some.
    """
    spans: dict[str, dict[str, tuple[float, float]]] = {}
    shared: dict[str, tuple[float, float]] = {}
    units = {}
    for row in found:
        values = [row[name] for name in ("mean", "low", "high", "printed")]
        finite = [value for value in values if value is not None and math.isfinite(value)]
        if finite:
            own = spans.setdefault(str(row["metric"]), {})
            least, most = own.get(str(row["panel"]), (math.inf, -math.inf))
            own[str(row["panel"])] = (min(least, *finite), max(most, *finite))
            low, high = shared.get(str(row["panel"]), (-math.inf, math.inf))
            shared[str(row["panel"])] = (max(low, min(finite)), min(high, max(finite)))
            units[str(row["metric"])] = str(row["unit"])
    ends: dict[str, tuple[float, float]] = {}
    for metric, own in spans.items():
        for panel, (least, most) in own.items():
            if shared[panel][0] <= shared[panel][1] and least > 0.0:
                own[panel] = (0.0, most)
        greatest = [max(abs(least), abs(most)) for least, most in own.values()]
        if max(greatest) <= _TOO_FAR * min(greatest):
            both = (min(least for least, _ in own.values()), max(most for _, most in own.values()))
            own = dict.fromkeys(own, both)
        if not _varies([row for row in found if row["metric"] == metric]):
            own = {panel: _no_shorter(*span, share=units[metric] == "%") for panel, span in own.items()}
        ends |= own
    rows: list[dict[str, Any]] = []
    for row in found:
        span = ends.pop(str(row["panel"]), None)
        rows.append({**row, "least": span and span[0], "most": span and span[1]})
    return rows


def _covered(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Panels whose lines nobody can tell apart, as everywhere they lie within a fiftieth of the axis."""
    panels: dict[str, dict[float, list[float]]] = {}
    long: dict[str, float] = {}
    for row in rows:
        panel = str(row["panel"])
        if row["least"] is not None:
            long[panel] = row["most"] - row["least"]
        if math.isfinite(row["mean"]):
            panels.setdefault(panel, {}).setdefault(row["x"], []).append(row["mean"])
    return [
        panel
        for panel, places in panels.items()
        if any(len(means) > 1 for means in places.values())
        and max(max(means) - min(means) for means in places.values()) < _COVERED * long.get(panel, 0.0)
    ]


def _varies(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a metric varies by much more than its intervals are wide."""
    means = [row["mean"] for row in rows if math.isfinite(row["mean"])]
    widths = [width for row in rows if math.isfinite(width := row["high"] - row["low"])]
    return bool(widths) and max(means) - min(means) > _NOISE * statistics.median(widths)


def _no_shorter(least: float, most: float, *, share: bool) -> tuple[float, float]:
    """An axis at least a twentieth as long as its greatest value is large; a share goes to 100 % at most.

    >>> _no_shorter(99.0, 100.0, share=True), _no_shorter(0.0, 10.0, share=False)
    ((95.0, 100.0), (0.0, 10.0))
    """
    missing = _LEAST_SPAN * max(abs(least), abs(most)) - (most - least)
    if missing <= 0.0:
        return least, most
    above = min(missing / 2.0, max(100.0 - most, 0.0)) if share else missing / 2.0
    return least - (missing - above), most + above


def _scale_of(places: Sequence[float]) -> dict[str, Any]:
    """Axis and scale of points: few of them have the ticks, and those of several sizes are on a logarithmic axis."""
    import altair as alt

    # An axis with a `format` would round 20 to "2e+1".
    words = "format(datum.value, ',~g')"
    apart: dict[str, Any] = {"labelExpr": words, "labelOverlap": "greedy", "labelSeparation": 6}
    axis = alt.Axis(values=places, **apart) if len(places) <= _TICKS else alt.Axis(**apart)
    wide = places[0] > 0.0 and places[-1] >= _WIDE * places[0]
    return {"axis": axis, **({"scale": alt.Scale(type="log", nice=False)} if wide else {})}


def _position(label: str) -> float:
    """The number with which a label begins.

    >>> _position("16+4"), _position("0.5")
    (16.0, 0.5)
    """
    found = _NUMBER.match(label)
    if found is None:
        raise ValueError(f"{label!r} does not begin with a number")
    return float(found[0])


def begins_with_number(label: str) -> bool:
    """Whether a label has a place along a chart.

    >>> begins_with_number("16+4"), begins_with_number("RED")
    (True, False)
    """
    return _NUMBER.match(label) is not None


def _panel_axes(results: Results, rows: str) -> list[str]:
    """Axes that get panels of their own rather than lines."""
    sizes = {axis: len(names) for axis, names in results.axes.items() if axis != rows and len(names) > 1}
    if math.prod(sizes.values()) <= _LINES:
        return []
    return [axis for axis in sizes if axis != max(sizes, key=lambda one: sizes[one])]


def _sample(results: Results, metric: str, point: Point) -> Sample:
    """The shown values of a metric: itself, or relative to another point."""
    own, over = results.sample(metric, point), _over(results, metric)
    if not over:
        return own
    other = results.sample(metric, {**point, **over})
    # Of one of them there may be more runs.
    runs = min(len(own), len(other))
    return ratio(first(own, runs), first(other, runs))


def _over(results: Results, metric: str) -> Point:
    shown = results.design.metrics[metric]
    return shown.shown_over if isinstance(shown, Product) else {}


def _title(results: Results, metric: str) -> str:
    """The metric's name for people."""
    over = ", ".join(_over(results, metric).values())
    return results.design.titles.get(metric, metric) + (f" over that of {over}" if over else "")


def _axis(results: Results, axis: str) -> str:
    """The axis's name for people."""
    return results.design.titles.get(f"axes.{axis}", axis)


def _distinct_axes(results: Results, column: Point) -> Point:
    """The axes that distinguish columns: those with more than one point."""
    return {axis: name for axis, name in column.items() if len(results.design.axes[axis]) > 1}


def _in_words(results: Results, point: Point) -> list[str]:
    """Labels of a point; a number says of what it is."""
    return [point_in_words(axis, name, results.design.titles) for axis, name in point.items()]


def _in_lines(names: Iterable[str]) -> str:
    """The title of a panel, for Vega: long titles are broken into lines, one part on a line if they fit."""
    lines = {}
    for name in names:
        parts = name.split(", ")
        if len(name) > _HEADING:
            fits = len(parts) > 1 and max(map(len, parts)) <= _HEADING
            lines[name] = parts if fits else wrap(name, _HEADING, break_long_words=False, break_on_hyphens=False)
    return f"({json.dumps(lines, ensure_ascii=False)})[datum.label] || datum.label" if lines else "datum.label"
