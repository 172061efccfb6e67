"""Plots of how the flows fared over the whole run."""

from __future__ import annotations

import altair as alt
import polars as pl

from ...catalogue.columns import measure
from .frames import POINTS, Frames
from .pieces import empty, headed, inline, label_width, layout, queue_colour, title
from .registry import Drawing, plot


@plot(title="Throughput of the flows", needs=["flow", "group"])
def flow_throughput(frames: Frames) -> Drawing:
    """Each dot is one flow of one run; the box holds the middle half of them and its line is the median.

    J is Jain's fairness index among the flows of a group in a run, averaged over the replications: 1 if all get the
    same, 1/n if one takes all. A flow alone has none.
    """
    heading = "Throughput of the flows"
    rows = frames.table("flow")
    if rows.is_empty() or rows["throughput_bps"].is_null().all():
        return empty(heading, "There are no flows.")
    shown = measure("throughput_bps", rows["throughput_bps"])
    rows = rows.select(
        "queue", "seed", "group", "flow", throughput=pl.col("throughput_bps") * shown.factor
    ).drop_nulls()
    box = rows.group_by("group", "queue", maintain_order=True).agg(
        low=pl.col("throughput").quantile(0.25, "linear"),
        middle=pl.col("throughput").median(),
        high=pl.col("throughput").quantile(0.75, "linear"),
        flows=pl.len(),
    )
    box = box.join(_fairness(frames), on=["queue", "group"], how="left", maintain_order="left")
    # In a chart an empty text is the word "null".
    box = box.with_columns(pl.col("jain").fill_null("\u00a0"))
    groups = rows["group"].unique(maintain_order=True).to_list()
    labels = [queue for queue in frames.queues if queue in rows["queue"].to_list()]
    # Dots of one flow lie at a fixed place across the row; the golden ratio spreads consecutive flows evenly.
    place = (pl.col("flow").cast(pl.Float64) + 7 * pl.col("seed").cast(pl.Float64)) * 0.618034 % 1.0
    dots = _sample(rows, POINTS).with_columns(across=place)
    data = pl.concat([dots.with_columns(part=pl.lit("flow")), box.with_columns(part=pl.lit("box"))], how="diagonal")
    x = alt.X("low:Q", title=shown.title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    y = alt.Y("queue:N", sort=labels, title=None, axis=alt.Axis(labelLimit=130, grid=False))
    colour = queue_colour(frames, legend=False)
    # Boxes and dots share one table; each mark leaves out the rows that lack its fields.
    base = alt.Chart().encode(y=y)
    points = base.mark_circle(size=13, opacity=0.55).encode(
        x=alt.X("throughput:Q", title=shown.title),
        yOffset=alt.YOffset("across:Q", scale=alt.Scale(domain=[0, 1], range=[16, 34])),
        color=colour,
        tooltip=["queue:N", "group:N", "flow:Q", "seed:Q", alt.Tooltip("throughput:Q", format=".4~g")],
    )
    chart = (
        alt.layer(
            base.mark_bar(opacity=0.22, height=22, yOffset=4).encode(x=x, x2="high:Q", color=colour),
            points,
            base.mark_tick(style="ink", thickness=2.2, size=22, yOffset=4).encode(x="middle:Q"),
            base.transform_filter("datum.part == 'box'")
            .mark_text(style="note", align="right", dy=-15)
            .encode(x=alt.value("width"), text="jain:N"),
        )
        .properties(height=alt.Step(44), data=inline(data, "flows"))
        .facet(facet=headed(frames, groups, "group"), columns=2)
        .resolve_scale(x="independent")
    )
    note = f"{dots.height} of {rows.height} flows drawn" if dots.height < rows.height else ""
    drawing: Drawing = chart.properties(
        title=title(heading, note),
        usermeta=layout(columns=min(2, len(groups)), panel_min=230, overhead=label_width(labels), shared=True),
        description=heading,
    )
    return drawing


def _fairness(frames: Frames) -> pl.DataFrame:
    """Jain's index of each queue and group, in words."""
    index = frames.table("group")
    # A flow alone is always fair to itself.
    index = index.filter(pl.col("flows") > 1) if "flows" in index.columns else index
    if index.is_empty():
        return pl.DataFrame(schema={"queue": pl.String, "group": pl.String, "jain": pl.String})
    words = pl.col("jain").map_elements("J = {:.3f}".format, return_dtype=pl.String)
    means = index.group_by("queue", "group", maintain_order=True).agg(jain=pl.col("jain_index").cast(pl.Float64).mean())
    return means.with_columns(words)


def _sample(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """Every k-th row: no randomness, so that the same result gives the same file."""
    step = -(-rows.height // most)
    return rows if step <= 1 else rows.gather_every(step)
