"""Plots of groups of flows: the times of their packets, and their throughput over time."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from ...catalogue.columns import described
from .frames import Frames
from .pieces import (
    AXIS_OVERHEAD,
    choice,
    empty,
    inline,
    layout,
    legend_choice,
    number_axis,
    picked,
    queue_colour,
    queue_dash,
    time_axis,
    zoom,
)
from .registry import Drawing, plot
from .scales import floor_of_times, time_scale, wide, wide_curves

# Rows of a chart's data: a report stays small.
_ROWS: Final = 3000
_MEASURES: Final = {
    "queueing": "time in queues",
    "delay": "one-way delay",
    "rtt": "round-trip time",
    "completion": "completion time",
}


@plot(title="How long packets took", needs=["latency"])
def group_delays(frames: Frames) -> Drawing:
    """Share of a group's packets (of its transfers) that took at most the time on the axis, over all replications.

    A curve to the left of another is better at that share; the dashed lines are the median, 95 % and 99 %.
    """
    heading = "How long packets took"
    rows = frames.table("latency")
    if rows.is_empty():
        return empty(heading, "No packet arrived.")
    by = ["queue", "group", "measure"]
    counted = rows.group_by(*by, "duration_ms").agg(pl.col("count").sum()).sort(*by, "duration_ms")
    counted = counted.with_columns(share=pl.col("count").cum_sum().over(by) / pl.col("count").sum().over(by))
    curves = max(counted.select(by).n_unique(), 1)
    steps = min(max(_ROWS // curves, 40), 250)
    # Steps of equal height, and finer ones towards the end.
    level = (pl.col("share") * steps).floor() + ((1.0 - pl.col("share") + 1e-4).log10() * -steps / 8).floor()
    thin = counted.with_columns(level=level).group_by(*by, "level", maintain_order=True).last().drop("level", "count")
    measures = [name for name in _MEASURES if name in thin["measure"].to_list()]
    groups = rows["group"].unique(maintain_order=True).to_list()
    thin = thin.with_columns(pl.col("measure").replace_strict(_MEASURES, default=pl.col("measure")))
    chosen = [
        choice("chosen_group", "Packets of", groups),
        choice("chosen_measure", "Shown:", [_MEASURES[name] for name in measures]),
    ]
    is_wide = any(
        wide_curves(frames.times, curves_of_one, ["queue"], "duration_ms")
        for _, curves_of_one in thin.group_by("group", "measure")
    )
    if is_wide:
        floors = [
            one.with_columns(pl.col("duration_ms").clip(floor_of_times(one, ["queue"], "duration_ms")))
            for _, one in thin.group_by("group", "measure", maintain_order=True)
        ]
        thin = pl.concat(floors)
    x = alt.X(
        "duration_ms:Q",
        title="Time that it took (ms)",
        scale=time_scale(is_wide, zero=True, nice=False),
        axis=alt.Axis(format="~g", tickCount=5) if is_wide else alt.Axis(),
    )
    line = (
        alt.Chart(inline(thin, "delays"))
        .transform_filter("datum.group == chosen_group && datum.measure == chosen_measure")
        .mark_line(interpolate="step-after", clip=True)
        .encode(
            x=x,
            y=alt.Y("share:Q", title="Share", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            color=queue_colour(frames, legend=True, symbolType="stroke", symbolSize=500),
            strokeDash=queue_dash(frames, symbolType="stroke", symbolSize=500),
            tooltip=["queue:N", alt.Tooltip("duration_ms:Q", title="ms"), alt.Tooltip("share:Q", format=".2%")],
            **picked(frames),
        )
        .add_params(zoom("x"), *([legend_choice(frames)] if len(frames.queues) > 1 else []))
    )
    marks = [alt.Chart().mark_rule(style="reference").encode(y=alt.datum(at)) for at in (0.5, 0.95, 0.99)]
    drawing: Drawing = (
        alt.layer(*marks, line)
        .add_params(*chosen)
        .properties(
            height=300,
            width="container",
            # A picture without the lists names the choices.
            title=alt.TitleParams(text=alt.expr(f"'{heading}: ' + chosen_measure + ' of ' + chosen_group")),
            usermeta=layout(legend=frames.queues),
            description=heading,
        )
    )
    return drawing


_SHOWN: Final = {
    "Throughput (Mbit/s)": ("throughput_bps", 1e-6),
    "One-way delay (ms)": ("delay_mean_ms", 1.0),
    "Round-trip time (ms)": ("rtt_mean_ms", 1.0),
}


@plot(title="Groups over time", needs=["over_time"])
def group_series(frames: Frames) -> Drawing:
    """Throughput of each group in one run, and the mean delays of its packets.

    Warm-up is drawn, too: it should be over where the curves have settled.
    """
    heading = "Groups over time"
    runs = frames.some_runs("over_time")
    if not runs:
        return empty(heading, "No interval was counted.")
    rows, seeds = runs.frame(), runs.seeds
    groups = rows["group"].unique(maintain_order=True).to_list()
    # Neighbouring intervals are joined until the number of rows fits.
    series = max(len(seeds) * len(groups) * len(frames.queues), 1)
    every = -(-rows.select("queue", "group", "seed", "time_s").height // (series * min(max(_ROWS // series, 40), 300)))
    columns = {name: pl.col(column).cast(pl.Float64).mean() * factor for name, (column, factor) in _SHOWN.items()}
    by = ["queue", "group", "seed"]
    thin = (
        rows.sort(*by, "time_s")
        .with_columns(cell=pl.int_range(pl.len()).over(by) // every)
        .group_by(*by, "cell", maintain_order=True)
        .agg(pl.col("time_s").max(), **columns)
        .drop("cell")
        .rename({name: name.split(" ")[0].lower() for name in _SHOWN})
    )
    short = {name: name.split(" ")[0].lower() for name in _SHOWN}
    shown = [name for name, column in short.items() if thin[column].is_not_null().any()]
    # A chart's scale has one kind: where a choice wants a logarithmic one, its logarithm is drawn.
    logs = [name for name in shown if described(_SHOWN[name][0]).shown == "ms" and _is_wide(frames, thin, short[name])]
    drawn = {name: f"datum['{short[name]}']" for name in shown}
    # Where nothing arrived there is no delay, and no line.
    drawn |= {name: f"({drawn[name]} > 0 ? log({drawn[name]}) / LN10 : null)" for name in logs}
    value = " : ".join(f"chosen_value == '{name}' ? {drawn[name]}" for name in shown) + " : null"
    label = f"indexof({logs!r}, chosen_value) < 0 ? datum.label : format(pow(10, datum.value), '.2~r')"
    ticks = {"labelExpr": label} if logs else {}
    line = (
        alt.Chart()
        .transform_filter("datum.seed == chosen_seed")
        .transform_calculate(value=value)
        .mark_line(strokeWidth=1.4, clip=True)
        .encode(
            x=time_axis(runs),
            y=alt.Y("value:Q", title=None, axis=number_axis(tickCount=4, **ticks)),
            color=queue_colour(frames, legend=True, symbolType="stroke", symbolSize=500),
            strokeDash=queue_dash(frames, symbolType="stroke", symbolSize=500),
            **picked(frames),
        )
        .add_params(zoom("x"), *([legend_choice(frames)] if len(frames.queues) > 1 else []))
        .properties(height=110)
    )
    # An axis whose quantity is chosen from a list has no title of its own: each panel's title has the quantity and
    # unit.
    head = alt.Header(
        title=None, labelExpr="(datum.label) + ': ' + lower(slice(chosen_value, 0, 1)) + slice(chosen_value, 1)"
    )
    panels = alt.Facet("group:N", sort=groups, title=None, header=head)
    chart = alt.layer(line, data=inline(thin, "groups")).facet(facet=panels, columns=1)
    drawing: Drawing = (
        chart.resolve_scale(y="independent")
        .add_params(choice("chosen_value", "Shown:", shown), choice("chosen_seed", "Seed", seeds))
        .properties(
            title=alt.TitleParams(text=alt.expr(f"'{heading}: ' + chosen_value + ', seed ' + chosen_seed")),
            usermeta=layout(columns=1, overhead=AXIS_OVERHEAD - 18, legend=frames.queues),
            description=heading,
        )
    )
    return drawing


def _is_wide(frames: Frames, series: pl.DataFrame, column: str) -> bool:
    """Whether the queues of a group differ by a decade in the middle of a series."""
    middle = (
        series.drop_nulls(column).filter(pl.col(column) > 0.0).group_by("group", "queue").agg(pl.col(column).median())
    )
    return any(wide(frames.times, rows[column]) for _, rows in middle.group_by("group"))
