"""The picture of the start page: how long the packets of a call wait behind three queues."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

import sojourn
from sojourn._rooms.showing.plots.pieces import inline, title
from sojourn._rooms.showing.plots.registry import Drawing

TITLES: Final = {"fifo": "FIFO", "codel": "CoDel", "fq_codel": "FQ-CoDel"}
COLOUR: Final = alt.Color(
    "kind:N", scale=alt.Scale(domain=["codel", "-1", "fq_codel", "-3", "-4", "-5", "-6", "fifo"]), legend=None
)


def picture(home: sojourn.Comparison) -> Drawing:
    """From the median to the time that one packet in 100 exceeds, on a logarithmic axis, with the numbers."""
    found = home.summary("group").filter(row="call")
    values = {
        name: found.filter(metric=f"queueing_{name}_ms").select("queue", "mean").rename({"mean": name})
        for name in ("p50", "p99")
    }
    rows = (
        values["p50"]
        .join(values["p99"], on="queue", maintain_order="left")
        .with_columns(
            kind=pl.col("queue"),
            title=pl.col("queue").replace_strict(TITLES),
            # A logarithmic axis begins at a millisecond: it has no zero.
            low=pl.max_horizontal("p50", pl.lit(1.0)),
            words=pl.concat_str(
                *(pl.col(name).map_elements(_rounded, return_dtype=pl.String) for name in values), separator=" to "
            )
            + " ms",
        )
    )
    across = alt.Scale(type="log", domain=[1, 2000], nice=False)
    axis = alt.Axis(values=[1, 10, 100, 1000], format=",d")
    y = alt.Y(
        "title:N", sort=list(TITLES.values()), title=None, axis=alt.Axis(labelFontSize=14, domain=False, ticks=False)
    )
    base = alt.Chart(inline(rows.drop("queue"), "front"))
    bar = base.mark_bar(height=10, cornerRadius=5, opacity=0.85).encode(
        x=alt.X("low:Q", scale=across, title="Time in the queue (ms)", axis=axis),
        x2="p99:Q",
        y=y,
        color=COLOUR,
    )
    words = base.mark_text(style="ink", strokeWidth=0, align="right", baseline="bottom", dy=-9, fontSize=12).encode(
        x="p99:Q", y=y, text="words:N"
    )
    drawing: Drawing = alt.layer(bar, words).properties(
        height=alt.Step(46),
        width="container",
        title=title(
            "How long a call waits behind an upload",
            "From the median to the time that one packet in 100 exceeds; the axis is logarithmic",
        ),
        usermeta={"sojourn": {"layout": "container"}},
    )
    return drawing


def _rounded(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"
