"""Plots of metrics with intervals: the answer first."""

from __future__ import annotations

import altair as alt
import polars as pl

from sojourn._measure import measure
from sojourn.plots.frames import Frames
from sojourn.plots.parts import (
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
from sojourn.plots.registry import Drawing, plot


@plot(title="Metrics with 95 % intervals", needs=["summary"])
def summary(frames: Frames) -> Drawing:
    """Mean over the replications and its 95 % interval, one panel per metric, each with its own scale.

    Intervals that overlap are not yet a tie: the paired differences decide.
    """
    return _intervals(frames, "summary", "mean", "Metrics with 95 % intervals")


@plot(title="Differences from the baseline", needs=["differences"])
def differences(frames: Frames) -> Drawing:
    """Paired difference from the baseline over common random numbers, with its 95 % interval.

    Filled: the interval excludes zero. Hollow: these replications do not tell the two apart.
    """
    return _intervals(frames, "differences", "difference", "Differences from the baseline")


def _intervals(frames: Frames, table: str, value: str, heading: str) -> Drawing:
    paired = table == "differences"
    frame = _shown(frames.table(table), value)
    if frame.is_empty():
        return empty(heading, "No metric has a value.")
    order = frame["metric"].unique(maintain_order=True).to_list()
    labels = [queue for queue in frames.queues if queue in frame["queue"].to_list()]
    y = alt.Y("queue:N", sort=labels, title=None, axis=alt.Axis(labelLimit=130))
    x = alt.X("low:Q", title=None, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(tickCount=4))
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
    chart = (
        alt.layer(*layers)
        .properties(height=alt.Step(22), data=inline(frame, table))
        .facet(facet=headed(frames, order, "metric"), columns=2)
        .resolve_scale(x="independent")
    )
    runs = _replications(frame) if not paired else _baseline(frames, frame)
    drawing: Drawing = chart.properties(
        title=title(heading, runs),
        usermeta=layout(columns=3, panel_min=150, overhead=label_width(labels), shared=True),
        description=heading,
    )
    return drawing


def _shown(frame: pl.DataFrame, value: str) -> pl.DataFrame:
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
        parts.append(
            rows.with_columns(pl.col(columns).cast(pl.Float64) * shown.factor, metric=pl.lit(shown.title)).with_columns(
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
