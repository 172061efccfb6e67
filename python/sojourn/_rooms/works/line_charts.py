"""Charts of every metric along an axis: panels, their axes and lines, drawn so that one can tell them apart."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, product
from textwrap import wrap
from typing import Any

from .cells import Stated, axis_title, columns, distinct_axes, in_words, sample_of, title_of
from .claims import factor, interval_of
from .design import Results, numeric
from .exhibits import Chart

__all__ = ["METRICS", "begins_with_number", "lines", "position"]

METRICS = "Metrics against"
"""The beginning of the chart's title."""

_NUMBER = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?")

_LINES = 9
"""Lines in a panel that one can tell apart."""

_TICKS = 7
"""Points of an axis that have a tick each."""

_WIDE = 50.0
"""The least ratio of the greatest to the smallest point for a logarithmic axis."""

_LEAST_SPAN = 0.05
"""Part of the greatest value on an axis: smaller differences are drawn small."""

_NOISE = 3.0
"""Variation by more than this many intervals is not noise."""

_TOO_FAR = 2.0
"""By how much the greatest values of panels of one metric may differ on one scale."""

_DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [12, 4], [4, 6], [8, 2, 2, 2, 2, 2], [14, 3, 4, 3])
"""Dashes of lines in turn: a covered line shows between the dashes of the other."""

_COVERED = 0.02
"""Part of the length of an axis: closer lines cover each other."""

_HEADING = 42
"""Letters of a line above a panel: on a phone the panels of a chart with a longer one would be made smaller."""


def lines(results: Results, known: Stated, rows: str, points: Sequence[str] = (), title: str = "") -> Chart | None:
    """A panel for each metric along a numeric axis, a line for each case of the others; printed values are crosses.

    If that would be more lines than one can tell apart, only the largest of the other axes has lines, and there is a
    panel for each case of the rest. `points` are some of the axis, whose labels may go on behind a number; `title`
    names the axis.
    """
    import altair as alt
    import polars as pl

    from ..showing.plots.pieces import inline, layout

    axes, title = results.axes, title or axis_title(results, rows)
    names = [name for name in points or axes[rows] if name in axes[rows]]
    if len(names) < 2 or not all(points or numeric(name) for name in names):
        return None
    apart = _panel_axes(results, rows)
    found: list[dict[str, object]] = []
    for row, column, (name, metric) in product(names, columns(results, rows), results.design.metrics.items()):
        point = {axis: row if axis == rows else column[axis] for axis in axes}
        if not results.has(name, point):
            continue
        interval, scale = interval_of(sample_of(results, name, point)), factor(metric.unit)
        value, _ = known.values.get((name, ", ".join(point.values())), (None, None))
        found.append(
            {
                "metric": name,
                "unit": metric.unit,
                "panel": ", ".join(
                    [
                        f"{title_of(results, name)} ({metric.unit})" if metric.unit else title_of(results, name),
                        *in_words(results, distinct_axes(results, {axis: column[axis] for axis in apart})),
                    ]
                ),
                "series": ", ".join(
                    in_words(
                        results,
                        {axis: one for axis, one in distinct_axes(results, column).items() if axis not in apart},
                    )
                ),
                "x": position(row),
                "mean": interval.mean * scale,
                "low": interval.low * scale,
                "high": interval.high * scale,
                "printed": None if value is None else value * scale,
                "knee": position(row) if row in known.knees.get((name, rows), ()) else None,
            }
        )
    x = alt.X("x:Q", title=title, **_scale_of(sorted({position(name) for name in names})))
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
        # One row of each panel, from any line.
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
    one metric have one scale unless that would flatten some.
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
    """Panels whose lines cannot be told apart, because they lie within a fiftieth of the axis everywhere."""
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


def position(label: str) -> float:
    """The number with which a label begins.

    >>> position("16+4"), position("0.5")
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


def _in_lines(names: Iterable[str]) -> str:
    """The title of a panel, for Vega: long titles are broken into lines, one part on a line if they fit."""
    lines = {}
    for name in names:
        parts = name.split(", ")
        if len(name) > _HEADING:
            fits = len(parts) > 1 and max(map(len, parts)) <= _HEADING
            lines[name] = parts if fits else wrap(name, _HEADING, break_long_words=False, break_on_hyphens=False)
    return f"({json.dumps(lines, ensure_ascii=False)})[datum.label] || datum.label" if lines else "datum.label"
