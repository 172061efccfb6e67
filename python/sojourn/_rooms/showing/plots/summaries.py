"""Plots of metrics with intervals: the answer first."""

from __future__ import annotations

import altair as alt
import polars as pl

from ...catalogue.columns import measure
from .frames import Frames
from .pieces import (
    empty,
    headed,
    inline,
    label_width,
    layout,
    queue_colour,
    queue_scale,
    queue_shape,
    title,
)
from .registry import Drawing, plot
from .scales import wide

_ENDS = ["mean", "low", "high"]


@plot(title="Metrics with 95 % intervals", needs=["summary"])
def summary(frames: Frames) -> Drawing:
    """Mean over the replications and its 95 % interval, one panel per metric, each with its own scale.

    Times are in panels with logarithmic axes, where the queues differ by a factor of ten in one of them. Intervals
    that overlap are not yet a tie: the paired differences decide.
    """
    return _intervals(frames, "summary", "mean", "Metrics with 95 % intervals")


@plot(title="Differences from the baseline", needs=["differences"])
def differences(frames: Frames) -> Drawing:
    """Paired difference from the baseline over common random numbers, with its 95 % interval.

    Filled: the interval excludes zero. Hollow: these replications do not tell the two apart.
    """
    return _intervals(frames, "differences", "difference", "Differences from the baseline")


@plot(title="Throughput and delay of each group", needs=["groups"])
def group_summary(frames: Frames) -> Drawing:
    """For each group of flows: the time in queues that one packet in 100 exceeds, and the goodput of a flow.

    Mean over the replications and its 95 % interval. Each panel has its own scale.
    """
    heading = "Throughput and delay of each group"
    frame = frames.table("groups")
    if frame.is_empty() or frame.filter(row="all").height == frame.height:
        return empty(heading, "There are no groups of flows.")
    parts, logarithmic = [], False
    for metric, words in (("queueing_p99_ms", "wait, p99"), ("goodput_mean_bps", "goodput")):
        rows = frame.filter((pl.col("metric") == metric) & (pl.col("row") != "all") & pl.col("mean").is_finite())
        if rows.is_empty():
            continue
        shown = measure(metric, [*rows["mean"], *rows["high"]])
        label = pl.format("{}: " + words + f" ({shown.unit})", "row")
        rows = rows.select("queue", label.alias("metric"), *(pl.col(_ENDS).cast(pl.Float64) * shown.factor,))
        rows = rows.with_columns(pl.col("low", "high").fill_nan(pl.col("mean")))
        by_group = [one["mean"].to_list() for _, one in rows.group_by("metric")]
        able = shown.unit == "ms" and (rows["mean"] > 0.0).all()
        is_wide = bool(able) and any(wide(frames.times, values) for values in by_group)
        logarithmic |= is_wide
        metrics = rows["metric"].unique(maintain_order=True).to_list()
        rows = _above_zero(rows, metrics) if is_wide else rows
        parts.append(_part(frames, rows, metric, "mean", logarithmic=is_wide))
    if not parts:
        return empty(heading, "No group has a value.")
    labels = frames.queues
    said = title(heading, "Waits on logarithmic axes" if logarithmic else "")
    hints = layout(columns=3, panel_min=150, overhead=label_width(labels), shared=True)
    drawing: Drawing = parts[0] if len(parts) == 1 else alt.vconcat(*parts, spacing=14)
    return drawing.properties(title=said, usermeta=hints, description=heading)


def _intervals(frames: Frames, table: str, value: str, heading: str) -> Drawing:
    paired = table == "differences"
    frame = _in_units(frames.table(table), value)
    if frame.is_empty():
        return empty(heading, "No metric has a value.")
    order = frame["metric"].unique(maintain_order=True).to_list()
    labels = [queue for queue in frames.queues if queue in frame["queue"].to_list()]
    # The panels of one chart have one kind of scale: times that span a decade have a chart of their own.
    logs = _logarithmic(frames, frame, value) if not paired else []
    frame = frame.drop("is_time")
    rest = [metric for metric in order if metric not in logs]
    runs = _replications(frame) if not paired else _baseline(frames, frame)
    said = title(heading, "; ".join(filter(None, [runs, "times on logarithmic axes" if logs else ""])))
    hints = layout(columns=3, panel_min=150, overhead=label_width(labels), shared=True)
    parts = [_part(frames, _above_zero(frame, logs), f"{table}_times", value, logarithmic=True)] if logs else []
    parts += [_part(frames, frame.filter(pl.col("metric").is_in(rest)), table, value)] if rest else []
    drawing: Drawing = parts[0] if len(parts) == 1 else alt.vconcat(*parts, spacing=14)
    return drawing.properties(title=said, usermeta=hints, description=heading)


def _logarithmic(frames: Frames, frame: pl.DataFrame, value: str) -> list[str]:
    """The metrics that are times, if one of them wants a logarithmic axis and all can have one."""
    times = frame.filter("is_time")["metric"].unique(maintain_order=True).to_list()
    of_each = [frame.filter(metric=name)[value].to_list() for name in times]
    able = all(one is not None and one > 0.0 for values in of_each for one in values)
    return times if able and any(wide(frames.times, values) for values in of_each) else []


def _above_zero(frame: pl.DataFrame, metrics: list[str]) -> pl.DataFrame:
    """Intervals of these metrics, cut to the values that a logarithmic axis can show."""
    least = pl.col("mean").min().over("metric") / 2.0
    return frame.filter(pl.col("metric").is_in(metrics)).with_columns(pl.col("low").clip(least))


def _part(frames: Frames, frame: pl.DataFrame, table: str, value: str, *, logarithmic: bool = False) -> alt.FacetChart:
    """A panel for each metric of a frame."""
    paired = value == "difference"
    metrics = frame["metric"].unique(maintain_order=True).to_list()
    labels = [queue for queue in frames.queues if queue in frame["queue"].to_list()]
    y = alt.Y("queue:N", sort=labels, title=None, axis=alt.Axis(labelLimit=130))
    x = alt.X(
        "low:Q",
        title=None,
        scale=alt.Scale(type="log", nice=False, padding=6) if logarithmic else alt.Scale(zero=False, nice=True),
        axis=alt.Axis(tickCount=4, format="~g") if logarithmic else alt.Axis(tickCount=4),
    )
    tips = [alt.Tooltip(f"{name}:{kind}") for name, kind in _tips(value)]
    bar = alt.Chart().mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", y=y, color=queue_colour(frames, legend=False))
    points = alt.Chart().encode(x=alt.X(f"{value}:Q"), y=y, shape=queue_shape(frames), tooltip=tips)
    colour = queue_colour(frames, legend=False)
    layers: list[alt.Chart]
    if paired:
        zero = alt.Chart().mark_rule(style="zero").encode(x=alt.datum(0))
        # One mark with a conditional filling: a filtered layer without rows would leave a panel's scale undefined.
        either = points.mark_point(size=75, strokeWidth=1.8).encode(
            stroke=alt.Stroke("queue:N", scale=queue_scale(frames), legend=None),
            fill=alt.Fill("queue:N", scale=queue_scale(frames), legend=None),
            fillOpacity=alt.condition("datum.decided", alt.value(1), alt.value(0)),
        )
        layers = [zero, bar, either]
    else:
        layers = [bar, points.mark_point(size=75, filled=True, opacity=1).encode(color=colour)]
    panel = alt.layer(*layers).properties(height=alt.Step(22), data=inline(frame, table))
    facets: alt.FacetChart = panel.facet(facet=headed(frames, metrics, "metric"), columns=2).resolve_scale(
        x="independent"
    )
    return facets


def _in_units(frame: pl.DataFrame, value: str) -> pl.DataFrame:
    """Values in the units shown, metrics by their words; a row without a value is left out."""
    if frame.is_empty():
        return pl.DataFrame()
    parts: list[pl.DataFrame] = []
    columns = [value, "low", "high"]
    for name in frame["metric"].unique(maintain_order=True):
        rows = frame.filter((pl.col("metric") == name) & pl.col(value).is_not_null())
        if rows.is_empty():
            continue
        shown = measure(name, [*rows[value], *rows["low"], *rows["high"]])
        shown = shown.of_differences if value == "difference" else shown
        parts.append(
            rows.with_columns(
                pl.col(columns).cast(pl.Float64) * shown.factor,
                metric=pl.lit(shown.title),
                is_time=pl.lit(shown.unit in {"ms", "s"}),
            ).with_columns(
                low=pl.col("low").fill_null(pl.col(value)),
                high=pl.col("high").fill_null(pl.col(value)),
            )
        )
    if not parts:
        return pl.DataFrame()
    result = pl.concat(parts).drop("seed", strict=False)
    if value == "difference":
        result = result.with_columns(
            decided=((pl.col("low") < pl.col("high")) & ((pl.col("low") > 0) | (pl.col("high") < 0))).cast(pl.Int8)
        )
    return result


def _tips(value: str) -> list[tuple[str, str]]:
    return [("queue", "N"), ("metric", "N"), (value, "Q"), ("low", "Q"), ("high", "Q")]


def _replications(frame: pl.DataFrame) -> str:
    if "n" not in frame.columns:
        return ""
    counts = frame["n"].drop_nulls()
    if counts.is_empty():
        return ""
    low, high = int(counts.min()), int(counts.max())  # type: ignore[arg-type]
    number = f"{low}" if low == high else f"{low} to {high}"
    return f"{number} replication{'' if high == 1 else 's'} per queue" + (
        "; one run has no interval" if low == 1 else ""
    )


def _baseline(frames: Frames, frame: pl.DataFrame) -> str:
    """The baseline is named by a column of the table, or is the one queue without a difference."""
    if "baseline" in frame.columns:
        return f"Baseline: {frame['baseline'][0]}"
    absent = [queue for queue in frames.queues if queue not in frame["queue"].to_list()]
    return f"Baseline: {absent[0]}" if len(absent) == 1 else ""
