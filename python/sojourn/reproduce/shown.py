"""The table and the chart of an experiment that is data: every metric, with what was printed beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ..claims import Sample, factor, interval_of, ratio
from ..exhibits import Chart, Number, Numbers
from .design import NotRunError, Point, Product, Results, numeric, point_in_words
from .kinds import Kind, Table

__all__ = ["METRICS", "fits", "lines", "numbers"]

METRICS = "Metrics against"
"""With which the title of the chart begins."""

_LINES = 9
"""Lines in a panel that one can tell apart."""

_TICKS = 7
"""Points of an axis that have a tick each."""

_WIDE = 50.0
"""How many times the least point the greatest is on a logarithmic axis."""

_HEADING = "length(datum.label) > 48 ? split(datum.label, ', ') : datum.label"
"""What stands above a panel: what is too long for a line goes on below."""

Printed = Mapping[tuple[str, str], tuple[float, float | None]]


def _cells(claim: Table, results: Results) -> Mapping[str, tuple[Sample, float, float]]:
    """What is printed beside ours, where it was run."""
    try:
        return claim.cells(results)
    except NotRunError:
        return {}


def _printed(results: Results, claims: Sequence[Kind]) -> Printed:
    """Printed values and errors by metric and label of the point."""
    found = {}
    axes = results.axes
    for claim in claims:
        if isinstance(claim, Table):
            left = [axis for axis in axes if axis not in claim.at]
            for case, (_, value, error) in _cells(claim, results).items():
                point = {**claim.at, **dict(zip(left, case.split(", "), strict=True))}
                found[claim.metric, ", ".join(point[axis] for axis in axes)] = (value, error if claim.errors else None)
    return found


def _columns(results: Results, rows: str) -> list[Mapping[str, str]]:
    others = [axis for axis in results.axes if axis != rows]
    return [dict(zip(others, labels, strict=True)) for labels in product(*(results.axes[axis] for axis in others))]


def numbers(results: Results, claims: Sequence[Kind], rows: str, *, all_of_them: bool = True) -> list[Numbers]:
    """What is printed beside ours; then, if all are wanted, every other metric. `rows` down, the other axes across."""
    printed, axes = _printed(results, claims), results.axes
    beside: list[Number] = []
    others: list[Number] = []
    for row, column, (name, metric) in product(axes[rows], _columns(results, rows), results.design.metrics.items()):
        point = {axis: row if axis == rows else column[axis] for axis in axes}
        value, error = printed.get((name, ", ".join(point.values())), (None, None))
        if not results.has(name, point) or (value is None and not all_of_them):
            continue
        title, where = _title(results, name), _in_words(results, column)
        (others if value is None else beside).append(
            Number(
                row=row,
                column=", ".join([title, *where]),
                group=title if where else "",
                ours=_sample(results, name, point),
                published=value,
                error=error,
                unit=metric.unit,
            )
        )
    rest = "Other numbers" if beside else "All numbers"
    found = {"Printed numbers and ours": beside, rest: others}
    return [
        Numbers(title=title, numbers=cells, rows_are=_axis(results, rows), text="The base runs.")
        for title, cells in found.items()
        if cells
    ]


def fits(runs: Mapping[str, Results], claims: Sequence[Kind]) -> Numbers | None:
    """How far each reading lies from the printed tables, and the base runs from the same cells: one row for a reading.

    The base comes first.
    """
    tables = [claim for claim in claims if isinstance(claim, Table)]
    base = next(iter(runs.values()))
    if not tables or len(runs) < 2:
        return None
    cells = []
    for name, results in runs.items():
        for metric in dict.fromkeys(claim.metric for claim in tables):
            own = [claim for claim in tables if claim.metric == metric]
            if not (far := _far(results, own)):
                continue
            title = _title(base, metric)
            cells.append(Number(row=name, column=title, ours=far, unit="%"))
            if results is not base:
                as_run = _far(base.beside(results), own)
                cells.append(Number(row=name, column=f"{title}, as run", ours=as_run, unit="%"))
    return Numbers(
        title="Which reading fits the printed tables",
        numbers=cells,
        rows_are="reading",
        text="How far a run lies from the printed values: the root of the mean square of the relative deviations over "
        "all cells that the reading has, and of the base runs over the same cells. A run's own noise is in it.",
    )


def _far(results: Results, tables: Sequence[Table]) -> Sample:
    """Root of the mean square of the relative deviations from the printed values, for each seed."""
    off = [
        [(ours - value) / value for ours in sample]
        for claim in tables
        for sample, value, _ in _cells(claim, results).values()
        if value
    ]
    return [math.sqrt(math.fsum(one * one for one in seed) / len(off)) for seed in zip(*off, strict=True)]


def lines(
    results: Results, claims: Sequence[Kind], rows: str, points: Sequence[str] = (), title: str = ""
) -> Chart | None:
    """A panel for each metric along a numeric axis, a line for each case of the others; printed values are crosses.

    Where that were more lines than one can tell apart, only the largest of the other axes has lines, and there is a
    panel for each case of the rest. `points` are some of the axis, whose labels may go on behind a number; `title` says
    along what they go.
    """
    import altair as alt
    import polars as pl

    from ..plots.parts import inline, layout

    axes, title = results.axes, title or _axis(results, rows)
    names = [name for name in points or axes[rows] if name in axes[rows]]
    if len(names) < 2 or not all(points or numeric(name) for name in names):
        return None
    printed = _printed(results, claims)
    apart = _panel_axes(results, rows)
    found: list[dict[str, object]] = []
    for row, column, (name, metric) in product(names, _columns(results, rows), results.design.metrics.items()):
        point = {axis: row if axis == rows else column[axis] for axis in axes}
        if not results.has(name, point):
            continue
        interval, scale = interval_of(_sample(results, name, point)), factor(metric.unit)
        value, _ = printed.get((name, ", ".join(point.values())), (None, None))
        found.append(
            {
                "panel": ", ".join(
                    [
                        f"{_title(results, name)} ({metric.unit})" if metric.unit else _title(results, name),
                        *_in_words(results, {axis: column[axis] for axis in apart}),
                    ]
                ),
                "series": ", ".join(
                    _in_words(results, {axis: one for axis, one in column.items() if axis not in apart})
                ),
                "x": _position(row),
                "mean": interval.mean * scale,
                "low": interval.low * scale,
                "high": interval.high * scale,
                "printed": None if value is None else value * scale,
            }
        )
    x = alt.X("x:Q", title=title, **_scale_of(sorted({_position(name) for name in names})))
    series = list(dict.fromkeys(str(line["series"]) for line in found))
    frame, base = pl.DataFrame(found, infer_schema_length=None), alt.Chart().encode(x=x)
    if not any(series):
        series, frame = [], frame.drop("series")
    else:
        base = base.encode(color=alt.Color("series:N", title=None, sort=None))
    y = alt.Y("mean:Q", title=None, scale=alt.Scale(zero=False))
    layers = [
        base.mark_line(strokeWidth=1.5).encode(y=y),
        base.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q"),
    ]
    if printed:
        # A panel without printed values would have no extent: a point without one stands on our mean, unseen.
        crosses = base.transform_calculate(cross="isValid(datum.printed) ? datum.printed : datum.mean")
        seen = alt.condition("isValid(datum.printed)", alt.value(1), alt.value(0))
        layers.append(crosses.mark_point(shape="cross", size=45).encode(y="cross:Q", opacity=seen))
    chart = (
        alt.layer(*layers)
        .properties(height=220, data=inline(frame, "lines"))
        .facet(
            facet=alt.Facet(
                "panel:N",
                sort=list(dict.fromkeys(str(line["panel"]) for line in found)),
                title=None,
                header=alt.Header(labelExpr=_HEADING),
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
    text = "With 95 % intervals; crosses are printed values." if printed else "With 95 % intervals."
    return Chart(title=f"{METRICS} {title}", chart=chart, text=text)


def _scale_of(places: Sequence[float]) -> dict[str, Any]:
    """Axis and scale of points: few of them have the ticks, and those of several sizes stand on a logarithmic axis."""
    import altair as alt

    # An axis with a `format` would round 20 to "2e+1".
    words = "format(datum.value, ',~g')"
    axis = alt.Axis(values=places, labelExpr=words) if len(places) <= _TICKS else alt.Axis(labelExpr=words)
    wide = places[0] > 0.0 and places[-1] >= _WIDE * places[0]
    return {"axis": axis, **({"scale": alt.Scale(type="log", nice=False)} if wide else {})}


def _position(label: str) -> float:
    """The number with which a label begins.

    >>> _position("16+4"), _position("0.5")
    (16.0, 0.5)
    """
    found = re.match(r"[-+]?[\d.]+(e[-+]?\d+)?", label)
    if found is None:
        raise ValueError(f"{label!r} does not begin with a number")
    return float(found[0])


def _panel_axes(results: Results, rows: str) -> list[str]:
    """Axes that get panels of their own rather than lines."""
    sizes = {axis: len(names) for axis, names in results.axes.items() if axis != rows and len(names) > 1}
    if math.prod(sizes.values()) <= _LINES:
        return []
    return [axis for axis in sizes if axis != max(sizes, key=lambda one: sizes[one])]


def _sample(results: Results, metric: str, point: Point) -> Sample:
    """What is shown of a metric: itself, or over that at another point."""
    own, over = results.sample(metric, point), _over(results, metric)
    return ratio(own, results.sample(metric, {**point, **over})) if over else own


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


def _in_words(results: Results, point: Point) -> list[str]:
    """Labels of a point; a number says of what it is."""
    return [point_in_words(axis, name, results.design.titles) for axis, name in point.items()]
