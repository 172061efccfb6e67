"""Plots of a queue's effect on its packets over the whole run."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from ...catalogue.columns import measure
from .frames import Frames
from .palette import DROP_COLOURS, MARK_COLOURS
from .pieces import (
    at_link,
    empty,
    layout,
    legend_choice,
    link_choice,
    of_chosen,
    picked,
    queue_colour,
    queue_dash,
    queue_shape,
    seen_links,
    title,
    with_link,
    zoom,
)
from .registry import Drawing, plot
from .scales import floor_of_times, time_scale, wide, wide_curves

_CURVE = 400

# Reasons of the queue seam, the most frequent first; see crates/sojourn-queues/src/queue/mod.rs.
_REASONS = ("early", "overflow", "forced", "sojourn", "unfair")


@plot(title="Delay against throughput", needs=["queue"])
def delay_throughput(frames: Frames) -> Drawing:
    """Each small dot is one run, each large one the mean of a queue, each ellipse one standard deviation of the runs.

    Delay grows to the left: up and to the right is better. Where the queues differ by a factor of ten, its axis is
    logarithmic.
    """
    heading = "Delay against throughput"
    table = with_link(frames.table("queue", every_link=True))
    runs = table.select("queue", "seed", "link", "sojourn_mean_ms", "throughput_bps").drop_nulls()
    if runs.is_empty():
        return empty(heading, "No packet left the queue.")
    links = seen_links(frames, runs)
    rate = measure("throughput_bps", runs.filter(link=links[0])["throughput_bps"])
    runs = runs.select(
        *("queue", "seed", "link"),
        delay_ms=pl.col("sojourn_mean_ms"),
        throughput=pl.col("throughput_bps") * rate.factor,
    )
    by = runs.group_by("queue", "link", maintain_order=True)
    means = by.agg(pl.col("delay_ms").mean(), pl.col("throughput").mean())
    is_wide = any(wide(frames.times, of_link["delay_ms"]) for _, of_link in means.group_by("link"))
    if is_wide:
        runs, means = (frame.filter(pl.col("delay_ms") > 0.0) for frame in (runs, means))
        by = runs.group_by("queue", "link", maintain_order=True)
    x = alt.X(
        "delay_ms:Q",
        title="Mean sojourn time (ms)",
        scale=alt.Scale(type="log" if is_wide else "linear", reverse=True, zero=False, nice=False, padding=16),
        axis=alt.Axis(format="~g") if is_wide else alt.Axis(),
    )
    y = alt.Y(
        "throughput:Q",
        title=rate.title,
        scale=alt.Scale(zero=False, nice=False, padding=16),
        axis=alt.Axis(tickCount=6),
    )
    colour = queue_colour(frames, legend=True)
    shape = queue_shape(frames, legend=True)
    tips = [
        alt.Tooltip("queue:N"),
        alt.Tooltip("delay_ms:Q", format=".3~f"),
        alt.Tooltip("throughput:Q", format=".4~f"),
    ]
    layers: list[alt.Chart] = []
    outline = pl.concat([_ellipse(str(queue), str(link), rows, is_wide) for (queue, link), rows in by])
    if not outline.is_empty():
        edge = of_chosen(outline, "ellipses", links).encode(x=x, y=y, color=colour, order="step:Q")
        layers.append(edge.mark_line(interpolate="linear-closed", strokeWidth=1.6))
    layers.append(
        of_chosen(runs, "runs", links)
        .mark_point(size=22, filled=True, opacity=0.4)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=[*tips, alt.Tooltip("seed:Q")])
        .add_params(zoom("x", "y"))
    )
    layers.append(
        of_chosen(means, "means", links)
        .mark_point(size=110, filled=True, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    )
    note = "" if not outline.is_empty() else "an ellipse needs three runs that differ"
    layered = alt.layer(*layers)
    return (layered.add_params(link_choice(links)) if len(links) > 1 else layered).properties(
        height=340,
        width="container",
        title=title(heading, note if len(links) > 1 else at_link(frames, note)),
        usermeta=layout(legend=frames.queues),
        description=heading,
    )


@plot(title="Sojourn time, cumulative", needs=["sojourn"])
def sojourn_cdf(frames: Frames) -> Drawing:
    """Share of packets that waited at most the time on the axis, over all replications.

    A curve to the left of another is better at that share; the dashed lines are the median, 95 % and 99 %.
    """
    frame = frames.table("sojourn", every_link=True).rename({"sojourn_ms": "value"}, strict=False)
    return _cdf(frames, frame, "Sojourn time, cumulative", "Sojourn time (ms)", "packets")


@plot(title="Sojourn time, the tail", needs=["sojourn"])
def sojourn_tail(frames: Frames) -> Drawing:
    """Share of packets that waited longer than the time on the axis, on a logarithmic scale, over all replications.

    The tail shows the wait of the slowest packet in a hundred or in ten thousand; the plain distribution hides it.
    """
    frame = frames.table("sojourn", every_link=True).rename({"sojourn_ms": "value"}, strict=False)
    return _cdf(frames, frame, "Sojourn time, the tail", "Sojourn time (ms)", "packets", tail=True)


@plot(title="Completion time, cumulative", needs=["completion"])
def completion_cdf(frames: Frames) -> Drawing:
    """Share of transfers that took at most the time on the axis, over all replications."""
    frame = frames.table("completion")
    counted = frame.with_columns(value=pl.col("duration_s"), packets=1) if "duration_s" in frame.columns else frame
    return _cdf(frames, counted, "Completion time, cumulative", "Completion time (s)", "transfers")


def _cdf(frames: Frames, frame: pl.DataFrame, heading: str, axis: str, what: str, *, tail: bool = False) -> Drawing:
    if frame.is_empty() or not frame["packets"].fill_null(0).sum():
        return empty(heading, f"There are no {what} to count.")
    frame = with_link(frame)
    links = seen_links(frames, frame)
    keys = frame.group_by("queue", "link", maintain_order=True)
    curve = pl.concat([_curve(str(queue), rows).with_columns(link=pl.lit(link)) for (queue, link), rows in keys])
    by_link = [rows for _, rows in curve.group_by("link", maintain_order=True)]
    is_wide = any(wide_curves(frames.times, rows, ["queue"], "value") for rows in by_link)
    if is_wide:
        # A logarithmic scale has no zero: shorter waits are at its beginning.
        floors = [(rows, floor_of_times(rows, ["queue"], "value")) for rows in by_link]
        curve = pl.concat([rows.with_columns(pl.col("value").clip(least)) for rows, least in floors])
    across = time_scale(is_wide, zero=True, nice=False)
    if not tail and not is_wide:
        # The last half percent would squeeze all the rest; it has its own plot.
        across.domain = [0.0, curve.filter(pl.col("share") >= 0.995).group_by("queue").first()["value"].max()]
    x = alt.X("value:Q", title=axis, scale=across, axis=alt.Axis(format="~g", tickCount=5) if is_wide else alt.Axis())
    if tail:
        curve = curve.filter(pl.col("above") > 0)
        if curve.is_empty():
            return empty(heading, f"All {what} fall into one cell.")
        y = alt.Y("above:Q", title=f"Share of {what} above", scale=alt.Scale(type="log"), axis=alt.Axis(format="~%"))
    else:
        scale = alt.Scale(domain=[0, 1])
        y = alt.Y("share:Q", title=f"Share of {what}", scale=scale, axis=alt.Axis(format="%"))
    chosen = [link_choice(links)] if len(links) > 1 else []
    line = (
        of_chosen(curve, "distribution", links)
        .mark_line(interpolate="step-after", clip=True)
        .encode(
            x=x,
            y=y,
            color=queue_colour(frames, legend=True, symbolType="stroke", symbolSize=500),
            strokeDash=queue_dash(frames, symbolType="stroke", symbolSize=500),
            tooltip=[alt.Tooltip("queue:N"), alt.Tooltip("value:Q", title=axis), alt.Tooltip("share:Q", format=".2%")],
            **picked(frames),
        )
        .add_params(zoom("x"), *([legend_choice(frames)] if len(frames.queues) > 1 else []))
    )
    marks = (
        [] if tail else [alt.Chart().mark_rule(style="reference").encode(y=alt.datum(at)) for at in (0.5, 0.95, 0.99)]
    )
    layered = alt.layer(*marks, line)
    return (layered.add_params(*chosen) if chosen else layered).properties(
        height=300,
        width="container",
        title=title(heading, at_link(frames) if what == "packets" and not chosen else ""),
        usermeta=layout(legend=frames.queues),
        description=heading,
    )


def _curve(queue: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Cumulative shares at the upper edges of the cells, thinned to steps that can be seen; the tail is kept."""
    counts = rows.group_by("value").agg(pl.col("packets").sum()).drop_nulls().sort("value")
    total = counts["packets"].sum() or 1
    curve = counts.select(
        queue=pl.lit(queue),
        value=pl.col("value").cast(pl.Float64),
        share=pl.col("packets").cum_sum() / total,
        above=(total - pl.col("packets").cum_sum()) / total,
    )
    start = curve.head(1).with_columns(value=pl.lit(0.0), share=pl.lit(0.0), above=pl.lit(1.0))
    if curve.height > _CURVE:
        # Cells of equal height in the share, and in the logarithm of the share above it.
        level = (pl.col("share") * _CURVE / 2).floor() + (-(pl.col("above") + 1e-9).log10() * _CURVE / 18).floor()
        curve = curve.group_by(level.alias("level"), maintain_order=True).last().drop("level")
    return pl.concat([start, curve.select(start.columns)])


def _ellipse(queue: str, link: str, runs: pl.DataFrame, logarithmic: bool) -> pl.DataFrame:
    """One standard deviation of delay and throughput over the runs, as a polygon: mean + L (cos, sin) with L L' = C.

    On a logarithmic axis it is that of the logarithm of the delay.
    """
    texts, floats = ("queue", "link"), ("delay_ms", "throughput")
    schema = {**dict.fromkeys(texts, pl.String), "step": pl.Int64, **dict.fromkeys(floats, pl.Float64)}
    if runs.height < 3:
        return pl.DataFrame(schema=schema)
    points = runs.select("delay_ms", "throughput").to_numpy().copy()
    if logarithmic:
        points[:, 0] = np.log(points[:, 0])
    values, vectors = np.linalg.eigh(np.cov(points, rowvar=False))
    angle = np.linspace(0.0, 2 * np.pi, 49)[:-1]
    circle = np.stack([np.cos(angle), np.sin(angle)])
    edge = points.mean(axis=0)[:, None] + vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * circle)
    if logarithmic:
        edge[0] = np.exp(edge[0])
    names = {"queue": [queue] * 48, "link": [link] * 48}
    return pl.DataFrame({**names, "step": list(range(48)), "delay_ms": edge[0], "throughput": edge[1]}, schema=schema)


@plot(title="Why packets were dropped or marked", needs=["reasons", "queue"])
def reasons(frames: Frames) -> Drawing:
    """Drops and marks by reason, in percent of the packets that arrived, over all replications.

    Warm colours are drops, cool ones marks; a mark is not a loss.
    """
    heading = "Why packets were dropped or marked"
    events = with_link(frames.table("reasons", every_link=True))
    if events.is_empty() or not events["packets"].sum():
        return empty(heading, "No packet was dropped or marked.")
    came = with_link(frames.table("queue", every_link=True))
    arrivals = came.group_by("queue", "link").agg(arrivals=pl.col("arrivals_packets").sum())
    links = seen_links(frames, events)
    shares = (
        events.group_by("queue", "link", "event", "reason", maintain_order=True)
        .agg(pl.col("packets").sum())
        .join(arrivals, on=["queue", "link"], how="left", maintain_order="left")
        .with_columns(
            share=100 * pl.col("packets") / pl.col("arrivals"), kind=pl.concat_str("event", "reason", separator=": ")
        )
        .filter(pl.col("share").is_finite())
    )
    kinds, colours = reason_colours(shares)
    chart = of_chosen(shares, "reasons", links)
    drawing: Drawing = (
        (chart.add_params(link_choice(links)) if len(links) > 1 else chart)
        .mark_bar()
        .encode(
            x=alt.X("sum(share):Q", title="Share of arriving packets (%)"),
            y=alt.Y(
                "queue:N",
                sort=frames.queues,
                scale=alt.Scale(domain=frames.queues),
                title=None,
                axis=alt.Axis(labelLimit=130),
            ),
            color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=colours), title=None, sort=kinds),
            order=alt.Order("kind_order:Q"),
            tooltip=["queue:N", "event:N", "reason:N", alt.Tooltip("share:Q", format=".3~f"), "packets:Q"],
        )
        .transform_calculate(kind_order=f"indexof({kinds!r}, datum.kind)")
        .properties(
            height=28 * len(frames.queues) + 6,
            width="container",
            title=title(heading, "" if len(links) > 1 else at_link(frames)),
            usermeta=layout(legend=kinds),
            description=heading,
        )
    )
    return drawing


def reason_colours(events: pl.DataFrame) -> tuple[list[str], list[str]]:
    """The kinds that occur, drops first, and a colour for each: a known reason has the same one in every plot."""
    kinds = sorted(events["kind"].unique().to_list())
    drops = [kind for kind in kinds if kind.startswith("drop")]
    marks = [kind for kind in kinds if not kind.startswith("drop")]
    return drops + marks, _colours(drops, DROP_COLOURS) + _colours(marks, MARK_COLOURS)


def _colours(kinds: list[str], colours: list[str]) -> list[str]:
    """Known reasons have their own places; others, and those whose place is taken, the next that is free."""
    names = [kind.split(": ", 1)[1] for kind in kinds]
    found: dict[str, int] = {}
    for name in sorted(names, key=lambda name: _REASONS.index(name) if name in _REASONS else len(_REASONS)):
        home = _REASONS.index(name) if name in _REASONS else 0
        round_ = len(found) // len(colours) * len(colours)
        taken = list(found.values())[round_:]
        places = [(home + step) % len(colours) for step in range(len(colours))]
        found[name] = next(place for place in places if place not in taken)
    return [colours[found[name]] for name in names]
