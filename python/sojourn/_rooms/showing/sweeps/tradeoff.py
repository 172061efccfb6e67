"""The trade-off of a sweep: delay against utilisation, a line along the parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from ...catalogue.columns import described
from ...runs.metrics import Metric
from ...sweeps.columns import columns_of
from ..plots.pieces import inline, layout, title
from ..plots.registry import Drawing
from ..plots.scales import Times, wide
from .charts import axis_title, in_order, line_colours, panel_heading
from .labels import metric_measure

if TYPE_CHECKING:
    from ...sweeps.outcome import Swept

__all__ = ["draw_trade_off", "trade_off_metrics"]

_TIMES = ("wait", "delay")
_OURS = (
    "label",
    "place",
    "panel",
    *(f"{what}_{end}" for what in ("wait", "carried") for end in ("mean", "low", "high")),
)
"""Every column that is no axis."""
_MOST_LINES = 8


def trade_off_metrics(swept: Swept) -> tuple[Metric, Metric] | None:
    """A delay, and a utilisation or a rate of the link, the first of each kind among the metrics; None without both."""
    waits = [one for one in swept.metrics if described(one.column).kind in _TIMES]
    carried = [one for one in swept.metrics if described(one.column).kind == "carried"]
    return (waits[0], carried[0]) if waits and carried and len(swept.points) > 1 else None


def draw_trade_off(swept: Swept, times: Times = "auto") -> Drawing:
    """Each point of the sweep by its mean delay and the utilisation or rate of the link, along the first axis.

    Raises
    ------
    ValueError
        If the metrics have no delay, or no utilisation or rate of the link.
    """
    found = trade_off_metrics(swept)
    if found is None:
        raise ValueError("a trade-off needs two metrics: a delay, such as sojourn_mean_ms, and utilisation or a rate")
    wait, carried = found
    names = in_order(swept)
    columns = columns_of(names, _OURS, {name: f"axis_{place}" for place, name in enumerate(names)})
    # Along its first axis a line goes in the order of numbers, whatever the order in which they were named.
    first = swept.axes[names[0]]
    rank = dict(zip(first.labels, first.numbers or range(len(first.labels)), strict=True))
    along = sorted(first.labels, key=lambda label: rank[label])
    ends = {along[0], along[-1]}
    rows, lows = [], {}
    for metric in found:
        lows[metric.name] = metric_measure(metric, [swept.interval(metric.name, point).mean for point in swept.points])
    for point in swept.points:
        row: dict[str, Any] = {columns[name]: point[name] for name in names}
        at = point[names[0]]
        # In a chart an empty text is the word "null".
        row |= {"label": at if at in ends else "\u00a0", "place": along.index(at)}
        row["panel"] = panel_heading(names[2:], point) if names[2:] else ""
        for what, metric in (("wait", wait), ("carried", carried)):
            interval, factor = swept.interval(metric.name, point), lows[metric.name].factor
            row |= {f"{what}_mean": interval.mean * factor}
            width = interval.half_width > 0.0
            row |= {f"{what}_low": (interval.low if width else interval.mean) * factor}
            row |= {f"{what}_high": (interval.high if width else interval.mean) * factor}
        rows.append(row)
    frame = pl.DataFrame(rows, infer_schema_length=None).filter(
        pl.col("wait_mean").is_finite() & pl.col("carried_mean").is_finite()
    )
    is_wide = wide(times, frame["wait_mean"])
    if is_wide:
        frame = frame.with_columns(pl.col("wait_low").clip(pl.col("wait_mean") / 10.0))
    chart = _chart(swept, frame, names, columns, (lows[wait.name].title, lows[carried.name].title), is_wide)
    heading = f"{lows[wait.name].label} against {lows[carried.name].label.lower()}"
    hints = layout()
    if names[2:]:
        headings = list(dict.fromkeys(frame["panel"]))
        chart = chart.facet(facet=alt.Facet("panel:N", title=", ".join(names[2:]), sort=headings), columns=2)
        hints = layout(columns=2, panel_min=260, overhead=60)
    said = f"Along {names[0]}, from {along[0]} to {along[-1]}"
    return chart.properties(title=title(heading, said), usermeta=hints, description=heading)


def _chart(
    swept: Swept,
    frame: pl.DataFrame,
    names: list[str],
    columns: dict[str, str],
    titles: tuple[str, str],
    is_wide: bool,
) -> Drawing:
    x = alt.X(
        "wait_mean:Q",
        title=titles[0],
        scale=alt.Scale(type="log" if is_wide else "linear", zero=False, nice=False, padding=24),
        axis=alt.Axis(labelFlush=False, format="~g" if is_wide else alt.Undefined),
    )
    y = alt.Y("carried_mean:Q", title=titles[1], scale=alt.Scale(zero=False, nice=False, padding=20))
    colour: dict[str, Any] = {}
    if len(names) > 1:
        second = swept.axes[names[1]]
        if len(second.labels) <= _MOST_LINES:
            of_queues = line_colours(second) or {"scale": alt.Scale(domain=list(second.labels))}
            colour = {"color": alt.Color(f"{columns[names[1]]}:N", **of_queues, title=axis_title(names[1], second))}
        else:
            colour = {"detail": alt.Detail(f"{columns[names[1]]}:N")}
    base = alt.Chart(inline(frame, "trade_off")).encode(**colour)
    line = base.mark_line(strokeWidth=1.2, opacity=0.7).encode(x=x, y=y, order="place:Q")
    across = base.mark_rule(strokeWidth=1.2).encode(x=alt.X("wait_low:Q", title=titles[0]), x2="wait_high:Q", y=y)
    up = base.mark_rule(strokeWidth=1.2).encode(x=x, y=alt.Y("carried_low:Q", title=titles[1]), y2="carried_high:Q")
    tips = [
        *(alt.Tooltip(f"{columns[name]}:N", title=name) for name in names),
        alt.Tooltip("wait_mean:Q", title=titles[0], format=".4~g"),
        alt.Tooltip("carried_mean:Q", title=titles[1], format=".4~g"),
    ]
    dots = base.mark_point(size=50, filled=True, opacity=1).encode(x=x, y=y, tooltip=tips)
    words = base.mark_text(align="left", dx=6, dy=-7, fontSize=10.5).encode(x=x, y=y, text="label:N")
    drawing: Drawing = alt.layer(line, across, up, dots, words)
    return drawing if names[2:] else drawing.properties(height=320)
