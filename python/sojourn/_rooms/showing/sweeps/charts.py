"""Plots of a sweep: one axis is a line, two are a heat map, more give panels; intervals wherever lines are."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from ...statistics.figures import figures
from ...statistics.intervals import Interval, is_cut
from ...sweeps.columns import columns_of
from ...sweeps.outcome import SUMMARY
from ..plots.frames import Frames
from ..plots.pieces import inline, layout, title
from ..plots.registry import Drawing
from ..plots.scales import Times, wide
from .labels import metric_measure

if TYPE_CHECKING:
    from ...sweeps.axes import Axis
    from ...sweeps.outcome import Swept

__all__ = ["axis_title", "draw", "in_order", "is_heat_map", "line_colours", "panel_heading"]

_KINDS = {"N": "nominal", "O": "ordinal", "Q": "quantitative"}
_MOST_TEXTS = 80
"""Cells of a heat map up to which each says its number and its interval."""
_PANEL = "panel"
"""The column that tells panels apart."""
_TEXT, _INTERVAL = "text", "interval"
"""Columns of a mean and of its interval as a heat map writes them."""
_OURS = (*SUMMARY, _PANEL, _TEXT, _INTERVAL)
"""Every column of a chart that is no axis."""
_FEW_LINES = 4
"""Up to this many points of a second axis are lines in one panel, with intervals. More are a heat map."""


def draw(swept: Swept, metric: str, times: Times = "auto") -> Drawing:
    """The plot of one metric; see :meth:`Swept.plot`."""
    columns = _columns(swept)
    frame = swept.summary().rename(dict(zip(columns_of(swept.axes, SUMMARY).values(), columns.values(), strict=True)))
    frame = frame.filter(pl.col("metric") == metric).drop("metric")
    shown = metric_measure(next(one for one in swept.metrics if one.name == metric), frame["mean"].to_list())
    frame = _with_texts(frame, shown.factor)
    frame = frame.with_columns(pl.col(name) * shown.factor for name in ("mean", "low", "high")).with_columns(
        low=pl.col("low").fill_nan(pl.col("mean")), high=pl.col("high").fill_nan(pl.col("mean"))
    )
    names = in_order(swept)
    panels = names[2:]
    headings = [panel_heading(panels, point) for point in swept.points]
    if panels:
        frame = frame.with_columns(pl.Series(_PANEL, headings))
    is_wide = shown.unit in ("ms", "s") and wide(times, frame["mean"])
    if is_wide:
        frame = frame.with_columns(pl.col("low").clip(pl.col("mean") / 10.0))
    heading = f"{shown.label} over {', '.join(names)}"
    is_map = is_heat_map(swept)
    drawing = (_heat if is_map else _lines)(swept, frame, names, shown.title, metric, is_wide)
    hints = layout()
    if panels:
        drawing = drawing.properties(height=190).facet(
            facet=alt.Facet(f"{_PANEL}:N", title=", ".join(panels), sort=list(dict.fromkeys(headings))), columns=2
        )
        hints = layout(columns=2, panel_min=260, overhead=60)
    seeds = len(swept.seeds)
    most = "at most " if swept.ending and min(swept.ending.runs.values()) < seeds else ""
    below = f"Mean of {most}{seeds} run{'' if seeds == 1 else 's'} at each point" + (
        ", with 95 % intervals" if seeds > 1 and not (is_map and frame.height > _MOST_TEXTS) else ""
    )
    return drawing.properties(title=title(heading, below), usermeta=hints, description=heading)


def _with_texts(frame: pl.DataFrame, factor: float) -> pl.DataFrame:
    """Each mean as a table shows it, and where a point has an interval these too."""
    found = [_text(mean, low, high, factor) for mean, low, high in frame.select("mean", "low", "high").rows()]
    text, interval = zip(*found, strict=True) if found else ((), ())
    frame = frame.with_columns(pl.Series(_TEXT, text, dtype=pl.String))
    if not any(interval):
        return frame
    # In a chart an empty text is the word "null".
    return frame.with_columns(pl.Series(_INTERVAL, [one or "\u00a0" for one in interval], dtype=pl.String))


def _text(mean: float, low: float, high: float, factor: float) -> tuple[str, str]:
    """A mean and its interval.

    >>> _text(0.9, 0.79, 1.0, 100.0), _text(20.0, 18.0, 22.0, 1.0), _text(3.14159, 3.14159, 3.14159, 1.0)
    (('90', '[79, 100]'), ('20.0', '± 2.0'), ('3.14', ''))
    """
    if not low < high:
        return f"{mean * factor:.3g}" if math.isfinite(mean) else "–", ""
    ends = (low, high) if is_cut(mean, low, high) else None
    text, _, interval = figures(Interval(mean, (high - low) / 2.0, 2, ends), factor).partition(" ")
    return text, interval


def panel_heading(panels: list[str], point: Mapping[str, str]) -> str:
    """The title of a panel: its point of the axis; for several axes each with its name."""
    if len(panels) == 1:
        return point[panels[0]]
    return ", ".join(f"{name} {point[name]}" for name in panels)


def is_heat_map(swept: Swept) -> bool:
    """Whether two axes are drawn as a heat map: both have many points."""
    names = in_order(swept)
    return len(names) > 1 and len(swept.axes[names[1]].labels) > _FEW_LINES


def in_order(swept: Swept) -> list[str]:
    """Axes of numbers first, for they make the better x; then the longer ones."""
    axes = swept.axes
    return sorted(axes, key=lambda name: (axes[name].numbers is None, -len(axes[name].labels)))


def _tips(swept: Swept, names: list[str]) -> list[alt.Tooltip]:
    numbers = [alt.Tooltip(f"{name}:Q", format=".5~g") for name in ("mean", "low", "high")]
    return [
        *(alt.Tooltip(**_field(swept, name, "N"), title=name) for name in names),
        *numbers,
        alt.Tooltip("n:Q", title="runs"),
    ]


def _columns(swept: Swept) -> dict[str, str]:
    """The column of each axis in a chart's data, by the axis's name: one that no column of ours has."""
    # For a chart a point or a bracket in a name, ``flow[0].count``, is a way into an object.
    plain = {name: re.sub(r"[.\[\]]+", "_", name) for name in swept.axes}
    return columns_of(swept.axes, _OURS, plain)


def _field(swept: Swept, name: str, kind: str) -> dict[str, Any]:
    """The column of an axis as a field of a chart."""
    return {"field": _columns(swept)[name], "type": _KINDS[kind]}


def axis_title(name: str, axis: Axis) -> str:
    """The name of an axis with its unit; a rate in a scenario is ``10Mbit``, and Mbit/s on paper."""
    unit = f"{axis.unit}/s" if axis.unit.endswith("bit") else axis.unit
    return f"{name} ({unit})" if unit else name


def line_colours(axis: Axis) -> dict[str, Any]:
    """Scale and legend of an axis whose points are lines: a queue has the colour that it has in all reports."""
    if axis.keys != ["queue"]:
        return {}
    return {
        "scale": alt.Scale(domain=Frames({}, queues=list(axis.labels)).domain),
        "legend": alt.Legend(values=list(axis.labels)),
    }


def _lines(swept: Swept, frame: pl.DataFrame, names: list[str], y_title: str, metric: str, is_wide: bool) -> Drawing:
    axis = swept.axes[names[0]]
    if axis.numbers is None:
        x = alt.X(**_field(swept, names[0], "N"), sort=list(axis.labels), title=axis_title(names[0], axis))
    else:
        spread = [number for number in axis.numbers if number > 0]
        wide = len(spread) == len(axis.numbers) > 2 and max(spread) / min(spread) >= 30
        x = alt.X(
            **_field(swept, names[0], "Q"),
            title=axis_title(names[0], axis),
            # A label is below its tick, at the ends too.
            axis=alt.Axis(labelFlush=False),
            scale=alt.Scale(type="log" if wide else "linear", zero=False),
        )
    colour: dict[str, Any] = {}
    if len(names) > 1:
        second = swept.axes[names[1]]
        # A few lines are told apart by hues; shades of one would be for many.
        of_queues = line_colours(second)
        colour = {
            "color": alt.Color(
                **_field(swept, names[1], "N"), **of_queues, sort=None, title=axis_title(names[1], second)
            )
        }
        colour |= {"shape": alt.Shape(**_field(swept, names[1], "N"), sort=None, legend=None)}
    scale = alt.Scale(type="log", nice=False, padding=8) if is_wide else alt.Scale(zero=False, nice=True)
    y = alt.Y("low:Q", title=y_title, scale=scale, axis=alt.Axis(format="~g") if is_wide else alt.Axis())
    base = alt.Chart(inline(frame, f"sweep_{metric}"))
    bars = base.mark_rule(strokeWidth=1.6).encode(
        x=x, y=y, y2="high:Q", **{k: v for k, v in colour.items() if k == "color"}
    )
    line = base.mark_line().encode(x=x, y="mean:Q", **{k: v for k, v in colour.items() if k == "color"})
    dots = base.mark_point(size=55, filled=True, opacity=1).encode(
        x=x, y="mean:Q", tooltip=_tips(swept, names), **colour
    )
    chart: Drawing = alt.layer(line, bars, dots) if axis.numbers is not None else alt.layer(bars, dots)
    return chart


def _heat(swept: Swept, frame: pl.DataFrame, names: list[str], value_title: str, metric: str, is_wide: bool) -> Drawing:
    orders = {name: _order(swept.axes[name]) for name in names[:2]}
    x = alt.X(
        **_field(swept, names[0], "O"),
        sort=orders[names[0]],
        title=axis_title(names[0], swept.axes[names[0]]),
        axis=alt.Axis(labelAngle=0),
    )
    y = alt.Y(
        **_field(swept, names[1], "O"), sort=orders[names[1]][::-1], title=axis_title(names[1], swept.axes[names[1]])
    )
    base = alt.Chart(inline(frame, f"sweep_{metric}")).encode(x=x, y=y, tooltip=_tips(swept, names))
    base = base.properties(height=alt.Step(34))
    # Bright is good, of a delay as of a utilisation.
    less = next(one for one in swept.metrics if one.name == metric).better == "less"
    scale = alt.Scale(type="log" if is_wide else "linear", scheme="viridis", reverse=less)
    cells = base.mark_rect().encode(color=alt.Color("mean:Q", title=value_title, scale=scale))
    chart: Drawing = alt.layer(cells)
    if frame.height <= _MOST_TEXTS:
        ends = frame["mean"].drop_nulls().drop_nans()
        low, high = (float(ends.min()), float(ends.max())) if ends.len() else (0.0, 0.0)  # type: ignore[arg-type]
        middle = math.sqrt(low * high) if is_wide else (low + high) / 2
        several = _INTERVAL in frame.columns
        ink = alt.condition(f"datum.mean {'<' if less else '>'} {middle}", alt.value("#111111"), alt.value("#ffffff"))
        means = base.mark_text(fontSize=11, dy=-6 if several else 0).encode(text=f"{_TEXT}:N", color=ink)
        chart = alt.layer(cells, means)
        if several:
            chart += base.mark_text(fontSize=9, dy=8).encode(text=f"{_INTERVAL}:N", color=ink)
    return chart


def _order(axis: Axis) -> list[str] | list[float]:
    return list(axis.labels) if axis.numbers is None else sorted(axis.numbers)
