"""Plots over time: one run of each queue, one panel per queue."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from .frames import CELLS, POINTS, Frames, Runs, binned
from .pieces import (
    AXIS_OVERHEAD,
    at_link,
    choice,
    empty,
    headed,
    inline,
    layout,
    number_axis,
    one_seed,
    queue_colour,
    time_axis,
    title,
    zoom,
)
from .queues import reason_colours
from .registry import Drawing, plot
from .scales import packets

# A discipline's own average of the backlog, in packets, under the names that the policies give to it.
_AVERAGES = ("avg", "average", "avg_packets", "average_packets", "avg_backlog_packets")
_PANELS = 24
# The greatest number of flows that are drawn one by one.
_FEW = 6


@plot(title="Backlog over time", needs=["backlog"])
def backlog(frames: Frames) -> Drawing:
    """Backlog of one run: the band spans lowest to highest, the line is the mean of each stretch of time.

    The black line (white on a dark page) is the average that the discipline itself keeps, where it keeps one. Where the
    queues differ by a factor of ten, the axis is logarithmic down to one packet. Look for a standing queue, for swings
    that empty the queue, and for how fast a load step is mastered.
    """
    heading = "Backlog over time"
    rows = frames.some_runs("backlog", every_link=True)
    if not rows:
        return empty(heading, "No backlog was recorded.")
    by = ["queue", "seed", "link"] if "link" in rows.schema else ["queue", "seed"]
    runs = rows.seeds
    recorded = set(rows.distinct("link")) if "link" in by else set()
    links = [link for link in frames.links if link in recorded]
    points = min(POINTS * len(runs) * max(len(links), 1), 3 * POINTS)
    series = binned(rows, "backlog_packets", by, points=points).with_columns(what=pl.lit("backlog"))
    own = frames.some_runs("probe", every_link=True)
    if own:
        own = own.filter(pl.col("probe").is_in(_AVERAGES))
        averages = binned(own, "value", by, points=points // 2).with_columns(what=pl.lit("average"))
        series = pl.concat([series, averages])
    x = time_axis(rows)
    scale, ticks = _packets(frames, series.filter(what="backlog"), ["link"] if "link" in by else [])
    y = alt.Y("low:Q", title="Packets", axis=number_axis(**ticks), scale=scale)
    colour = queue_colour(frames, legend=False)
    chosen = [choice("chosen_seed", "Seed", runs)] if len(runs) > 1 else []
    chosen += [choice("chosen_link", "Link", links)] if len(links) > 1 else []
    base = alt.Chart()
    for name in [str(one.name).removeprefix("chosen_") for one in chosen]:
        base = base.transform_filter(f"datum.{name} == chosen_{name}")
    measured = base.transform_filter("datum.what == 'backlog'")
    band = measured.mark_area(opacity=0.28, clip=True).encode(x=x, y=y, y2="high:Q", color=colour)
    line = measured.mark_line(strokeWidth=1.4, clip=True).encode(x=x, y="mean:Q", color=colour).add_params(zoom("x"))
    average = (
        base.transform_filter("datum.what == 'average'")
        .mark_line(style="ink", strokeWidth=1.5, clip=True)
        .encode(x=x, y="mean:Q")
    )
    # A layer without rows would have no extent.
    layers = [band, line, average] if "average" in series["what"].to_list() else [band, line]
    chart = alt.layer(*layers).properties(height=96, data=inline(series, "backlog"))
    said = at_link(frames, one_seed(rows)) if len(links) < 2 else one_seed(rows)
    panels = _panels(frames, chart, heading, said)
    return panels.add_params(*chosen) if chosen else panels


@plot(title="Drops and marks over time", needs=["drops"])
def drops(frames: Frames) -> Drawing:
    """Drops and marks per second of one run, by reason.

    Bursts of drops hit many flows at once and synchronise them; an even trickle does not.
    """
    heading = "Drops and marks over time"
    rows = frames.one_run("drops")
    if not rows:
        return empty(heading, "No packet was dropped or marked.")
    # Beside a recorded backlog both plots end at the same time.
    last = max(rows.span()[1], frames.one_run("backlog").span()[1])
    width = _round_width(last / 100)
    rates = (
        rows.select("queue", "event", "reason", "time_s")
        .frame()
        .with_columns(
            kind=pl.concat_str("event", "reason", separator=": "),
            from_s=(pl.col("time_s") / width).floor() * width,
        )
        .group_by("queue", "from_s", "kind")
        .agg(per_second=pl.len() / width)
        .with_columns(to_s=pl.col("from_s") + width)
        .sort("queue", "from_s", "kind")
    )
    kinds, colours = reason_colours(rates)
    chart = (
        alt.Chart(inline(rates, "drops"), height=96)
        .mark_bar(binSpacing=0)
        .encode(
            x=alt.X("from_s:Q", title="Time (s)", bin="binned", scale=alt.Scale(domain=[0, last or 1], nice=False)),
            x2="to_s",
            y=alt.Y("per_second:Q", title="Packets/s", axis=number_axis(tickCount=4)),
            color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=colours), title=None),
            tooltip=["queue:N", "kind:N", "from_s:Q", "per_second:Q"],
        )
    )
    return _panels(frames, chart, heading, at_link(frames, one_seed(rows)), legend=kinds)


@plot(title="Inside the discipline", needs=["probe"])
def probes(frames: Frames) -> Drawing:
    """The discipline's internal state over time: its averages, probabilities and prices.

    Each has its own scale. A parameter that adapts should settle; one that hits its bound cannot adapt further.
    """
    heading = "Inside the discipline"
    rows = frames.one_run("probe")
    if not rows:
        return empty(heading, "These disciplines have nothing to show.")
    panel = pl.concat_str("queue", "probe", separator=" · ")
    rows = rows.then(lambda one: one.with_columns(panel=panel))
    panels = [panel for queue in frames.queues for panel in rows.of([queue]).distinct("panel")]
    left_out = f"first {_PANELS} of {len(panels)} probes" if len(panels) > _PANELS else ""
    panels = panels[:_PANELS]
    series = binned(rows.filter(pl.col("panel").is_in(panels)), "value", ["queue", "panel"], points=2 * POINTS)
    if series.is_empty():
        return empty(heading, "No probe has a value.")
    # A probe that never moves has an empty range, for which no axis shows a number: it is drawn from zero.
    least = pl.col("low").min().over("panel")
    stays = least == pl.col("high").max().over("panel")
    series = series.with_columns(ground=pl.when(stays).then(0.0).otherwise(least))
    x = time_axis(rows, ticks=5)
    y = alt.Y("low:Q", title=None, axis=number_axis(tickCount=3, labelFlush=True), scale=alt.Scale(zero=False))
    colour = queue_colour(frames, legend=False)
    chart = (
        alt.layer(
            alt.Chart().mark_point(opacity=0).encode(x=x, y="ground:Q"),
            alt.Chart().mark_area(opacity=0.28).encode(x=x, y=y, y2="high:Q", color=colour),
            alt.Chart().mark_line(strokeWidth=1.4).encode(x=x, y="mean:Q", color=colour),
        )
        .properties(height=84, data=inline(series, "probes"))
        .facet(facet=headed(frames, panels, "panel"), columns=2)
        .resolve_scale(y="independent")
    )
    drawing: Drawing = chart.properties(
        title=title(heading, at_link(frames, one_seed(rows), left_out)),
        usermeta=layout(columns=2, panel_min=220, overhead=AXIS_OVERHEAD - 16),
        description=heading,
    )
    return drawing


@plot(title="Congestion window over time", needs=["window"])
def cwnd(frames: Frames) -> Drawing:
    """Congestion windows of one run. Few flows are lines of their own.

    Of many the band holds the middle 80 %, the coloured line is their median, and the black one (white on a dark page)
    is one flow. Flows that saw their windows cut at the same moments are synchronised.
    """
    return _flows_over_time(frames, "window", "cwnd_packets", "Congestion window over time", "Packets", 1.0)


@plot(title="Throughput of the flows over time", needs=["rate"])
def rate(frames: Frames) -> Drawing:
    """Throughput of one run's flows. Few flows are lines of their own.

    Of many the band holds the middle 80 %, the coloured line is their median, and the black one (white on a dark page)
    is one flow. A narrow band means that they share fairly at that time scale.
    """
    return _flows_over_time(frames, "rate", "throughput_bps", "Throughput of the flows over time", "Mbit/s", 1e-6)


def _flows_over_time(frames: Frames, table: str, value: str, heading: str, unit: str, factor: float) -> Drawing:
    rows = frames.one_run(table)
    rows = rows.select("queue", "seed", "flow", "time_s", value=pl.col(value).cast(pl.Float64) * factor)
    rows = rows.filter(pl.col("value").is_not_null() & pl.col("time_s").is_not_null()).first(1, of_each=True)
    if not rows:
        return empty(heading, "No flow was recorded.")
    first, last = rows.span()
    bins = min(max(POINTS // (2 * max(len(frames.queues), 1)), 60), CELLS)
    width = (last - first) / bins or 1.0
    cell = ((pl.col("time_s") - first) / width).floor().clip(upper_bound=bins - 1)
    by_cell = (one.group_by("queue", "flow", cell=cell).agg(pl.col("value").mean()).collect() for one in rows)
    cells = pl.concat(by_cell).with_columns(time_s=first + (pl.col("cell") + 0.5) * width)
    if cells["flow"].n_unique() <= _FEW:
        return _lines(frames, cells, rows, heading, table, unit)
    spread = cells.group_by("queue", "cell").agg(
        low=pl.col("value").quantile(0.1, "linear"),
        mean=pl.col("value").median(),
        high=pl.col("value").quantile(0.9, "linear"),
    )
    one = cells.filter(pl.col("flow") == pl.col("flow").min().over("queue"))
    joined = (
        spread.join(one.select("queue", "cell", one="value"), on=["queue", "cell"], how="left")
        .with_columns(time_s=first + (pl.col("cell") + 0.5) * width)
        .sort("queue", "time_s")
        .drop("cell")
    )
    x = time_axis(rows)
    scale, ticks = _packets(frames, joined, []) if unit == "Packets" else (alt.Scale(), {"tickCount": 4})
    y = alt.Y("low:Q", title=unit, axis=number_axis(**ticks), scale=scale)
    colour = queue_colour(frames, legend=False)
    chart = alt.layer(
        alt.Chart().mark_area(opacity=0.28, clip=True).encode(x=x, y=y, y2="high:Q", color=colour),
        alt.Chart().mark_line(style="ink", strokeWidth=0.9, opacity=0.75, clip=True).encode(x=x, y="one:Q"),
        alt.Chart().mark_line(strokeWidth=1.6, clip=True).encode(x=x, y="mean:Q", color=colour).add_params(zoom("x")),
    ).properties(height=96, data=inline(joined, table))
    return _panels(frames, chart, heading, one_seed(rows))


def _lines(frames: Frames, cells: pl.DataFrame, rows: Runs, heading: str, table: str, unit: str) -> Drawing:
    """Each flow as a line; the flows of a queue have its colour, from light to full."""
    series = cells.select("queue", "flow", "time_s", "value").sort("queue", "flow", "time_s")
    flows = series["flow"].unique().sort().to_list()
    shades = [1.0 - 0.7 * place / max(len(flows) - 1, 1) for place in range(len(flows))]
    shade = alt.Opacity("flow:O", scale=alt.Scale(domain=flows, range=shades), legend=None)
    seen = series.with_columns(mean="value", high="value")
    scale, ticks = _packets(frames, seen, []) if unit == "Packets" else (alt.Scale(), {"tickCount": 4})
    line = (
        alt.Chart()
        .mark_line(strokeWidth=1.3, clip=True)
        .encode(
            x=time_axis(rows),
            y=alt.Y("value:Q", title=unit, axis=number_axis(**ticks), scale=scale),
            color=queue_colour(frames, legend=False),
            detail="flow:N",
            **({"opacity": shade} if len(flows) > 1 else {}),
            tooltip=[
                "queue:N",
                "flow:N",
                alt.Tooltip("time_s:Q", format=".4~g"),
                alt.Tooltip("value:Q", format=".4~g"),
            ],
        )
        .add_params(zoom("x"))
    )
    chart = alt.layer(line).properties(height=96, data=inline(series, table))
    return _panels(frames, chart, heading, one_seed(rows))


def _packets(frames: Frames, series: pl.DataFrame, by: list[str]) -> tuple[alt.Scale, dict[str, Any]]:
    """The scale of packets for series with the columns ``mean`` and ``high``, and options of its axis.

    Queues are compared within each of `by`, such as a link; of several flows the one with the most counts.
    """
    of_flow = ["flow"] if "flow" in series.columns else []
    means = series.group_by("queue", *by, *of_flow).agg(pl.col("mean").mean())
    means = means.group_by("queue", *by).agg(pl.col("mean").max())
    parts = [rows["mean"].to_list() for _, rows in means.group_by(by)] if by else [means["mean"].to_list()]
    most = series["high"].max()
    return packets(frames.times, parts, None if most is None else float(most))  # type: ignore[arg-type]


def _panels(frames: Frames, chart: Drawing, heading: str, subtitle: str, legend: list[str] | None = None) -> Drawing:
    panels: Drawing = chart.facet(facet=headed(frames), columns=1)
    return panels.properties(
        title=title(heading, subtitle[:1].upper() + subtitle[1:]),
        usermeta=layout(columns=1, overhead=AXIS_OVERHEAD, legend=legend or []),
        description=heading,
    )


def _round_width(width: float) -> float:
    """The next of 1, 2, 5, 10 ... times a power of ten."""
    if width <= 0:
        return 1.0
    power = 10.0
    while power > width:
        power /= 10
    while power * 10 <= width:
        power *= 10
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= width))
