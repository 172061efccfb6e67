"""Figures 27 to 29; and the figures that show each flow of a run: 26 and 68, 72 to 74 and 77."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn.models import tcp
from sojourn.papers import Chart, Context, Curves, from_file

if TYPE_CHECKING:
    import polars as pl

    from sojourn import Scenario

STUDIES = Path(__file__).parents[1] / "experiments"
FAIR = 15e6
"""The link of figures 72 to 77, in bit/s."""
FIGURES: Mapping[str, str] = {"Sack-GAIMD": "72", "Sack-IIAD": "73", "Reno-TFRC": "74", "Sack-TFRC": "77"}


def sizes() -> Chart:
    """Figure 27: how many samples an error takes."""
    import altair as alt
    import polars as pl

    from sojourn.plots import inline, layout

    errors = [0.01 + 0.002 * place for place in range(46)]
    levels = {"90 %": 0.9, "95 %": 0.95, "99 %": 0.99}
    rows = [
        {"confidence": name, "error": error, "samples": float(tcp.sample_size(error, confidence=level))}
        for name, level in levels.items()
        for error in errors
    ]
    line = alt.Chart(inline(pl.DataFrame(rows), "sizes")).mark_line(strokeWidth=1.5)
    line = line.encode(
        x=alt.X("error:Q", title="error"),
        y=alt.Y("samples:Q", title="samples", scale=alt.Scale(type="log")),
        color=alt.Color("confidence:N", title="confidence", sort=None),
    )
    chart = line.properties(
        height=260, width="container", usermeta=layout(legend=list(levels)), description="Samples against the error"
    )
    drawn = pl.DataFrame(rows).select(line="confidence", x="error", value="samples")
    return Chart(
        title="Samples that an error takes",
        chart=chart,
        text="Equation 3.9. Compare with figure 27.",
        curves=Curves.of(drawn, x="error", y="samples"),
    )


def of_samples(context: Context) -> Chart:
    """Figures 28 and 29: the part of the buffer that BLACK takes the largest flow to have."""
    import altair as alt
    import polars as pl

    from sojourn.plots import inline, layout

    variants = {f"samples of {label.split(', ')[1]}": one for label, one in _variants(context, "E6h").items()}
    keep = {"probe": ("link", "probe", "time_s", "value")}
    table = context.study("course", variants, seeds=[1], keep=keep, counted=False).table("probe")
    wanted = (pl.col("probe") == "hit_fraction_max") & (pl.col("time_s") > 50.0) & (pl.col("link") == "forward")
    frame = table.filter(wanted).select("time_s", "value", panel=pl.col("queue"))
    line = alt.Chart().mark_line(strokeWidth=1)
    line = line.encode(x=alt.X("time_s:Q", title="Time (s)"), y=alt.Y("value:Q", title="Part of the hits"))
    chart = (
        line.properties(height=120, data=inline(frame, "parts"))
        .facet(facet=alt.Facet("panel:N", sort=list(variants), title=None), columns=2)
        .properties(usermeta=layout(columns=2), description="The largest flow's part of the hits over time")
    )
    text = "One run each (seed 1). UDP's share of the queue is steady. Compare with figures 28 and 29."
    drawn = Curves.of(frame.rename({"time_s": "x"}), x="Time (s)", y="Part of the hits")
    return Chart(title="The largest flow's part of the hits", chart=chart, text=text, curves=drawn)


def of_round_trips(context: Context) -> Chart:
    """Figures 26 and 68: the throughput of each of 200 flows, the shortest round trip first."""
    import altair as alt
    import polars as pl

    from sojourn.plots import inline, layout

    queues = _variants(context, "E5")
    frame = _flows(context, "each flow", queues).select(
        "flow", panel=pl.col("queue"), rate=pl.col("throughput_bps") / 1e3
    )
    points = alt.Chart().mark_circle(size=14, opacity=0.7)
    points = points.encode(
        x=alt.X("flow:Q", title="flow, the shortest round trip first"), y=alt.Y("rate:Q", title="Throughput (kbit/s)")
    )
    chart = (
        points.properties(height=120, data=inline(frame, "flows"))
        .facet(facet=alt.Facet("panel:N", sort=list(queues), title=None), columns=2)
        .properties(usermeta=layout(columns=2), description="Throughput of each flow")
    )
    text = "One run (seed 1). The fair share is 225 kbit/s. Compare with figures 26 and 68."
    drawn = frame.rename({"flow": "x", "rate": "value"})
    axes = {"x": "flow, the shortest round trip first", "y": "Throughput (kbit/s)"}
    curves = Curves.of(drawn, **axes, marks=[225.0], joined=False)
    return Chart(title="The rate of each flow", chart=chart, text=text, curves=curves)


def of_friendly_flows(context: Context) -> Iterator[Chart]:
    """Figures 72 to 74 and 77: each flow's throughput over its fair share, against the number of flows."""
    variants = _variants(context, "E13")
    for pair, figure in FIGURES.items():
        own = {label: scenario for label, scenario in variants.items() if f", {pair}, " in label}
        yield _pair(_flows(context, pair, own), pair, figure)


def _pair(flows: pl.DataFrame, pair: str, figure: str) -> Chart:
    import altair as alt
    import polars as pl

    from sojourn.plots import inline, layout

    kinds = pair.split("-")
    label = pl.col("queue").str.split(", ")
    each = label.list.get(0).cast(pl.Int64)
    # The two kinds are beside each other.
    beside = pl.when(pl.col("group") == "tcp").then(-0.7).otherwise(0.7)
    frame = flows.select(
        panel=label.list.get(2),
        flows=each + beside,
        kind=pl.when(pl.col("group") == "tcp").then(pl.lit(kinds[0])).otherwise(pl.lit(kinds[1])),
        share=pl.col("throughput_bps") * 2 * each / FAIR,
    )
    panels = frame["panel"].unique(maintain_order=True).to_list()
    points = alt.Chart().mark_circle(size=12, opacity=0.6)
    points = points.encode(
        x=alt.X("flows:Q", title="flows of each kind", scale=alt.Scale(zero=False)),
        y=alt.Y("share:Q", title="Part of the fair share"),
        color=alt.Color("kind:N", title=None, sort=kinds),
    )
    chart = (
        points.properties(height=120, data=inline(frame, "flows"))
        .facet(facet=alt.Facet("panel:N", sort=panels, title=None), columns=2)
        .properties(usermeta=layout(columns=2, legend=kinds), description=f"Throughput of each flow, {pair}")
    )
    text = f"One run each (seed 1), over the last 60 s. Compare with figure {figure}."
    drawn = frame.rename({"flows": "x", "kind": "line", "share": "value"})
    curves = Curves.of(drawn, x="flows of each kind", y="Part of the fair share", joined=False)
    title = f"Each flow's part of the fair share, {' and '.join(kinds)}"
    return Chart(title=title, chart=chart, text=text, curves=curves)


def _variants(context: Context, name: str) -> Mapping[str, Scenario]:
    return from_file(STUDIES / f"{name}.toml").design.variants(context)


def _flows(context: Context, name: str, variants: Mapping[str, Scenario]) -> pl.DataFrame:
    """The flows of a run of each variant; `queue` is the variant's label."""
    keep = {"flow": ("flow", "group", "throughput_bps")}
    return context.study(name, variants, seeds=[1], keep=keep, counted=False).table("flow")
