"""The tables and figures: classes against the mix, groups against their hints, and traces of max_p."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import altair as alt
import polars as pl

from sojourn.claims import Sample, minus
from sojourn.papers import Chart, Number, Numbers, Remark
from sojourn.plots.parts import inline, layout
from sojourn.stats import mean_interval

from .runs import (
    ALPHAS,
    ARED,
    BOSTON,
    CLASS_ALPHAS,
    DELAY,
    HINTS,
    MIXES,
    NAMES,
    THROUGHPUT,
    WORCESTER,
    Runs,
)

__all__ = ["NAMES", "SCOPE", "against_hint", "against_mix", "group_table", "mix_table", "traces"]

CLASSES = {THROUGHPUT: "TCP", DELAY: "TFRC"}

SCOPE = Remark(
    title="What is compared",
    text=(
        "The thesis's figures are not at hand, and it gives neither seeds nor intervals: its prose is judged. A "
        "queuing delay is the mean one-way delay of what arrived, without the 52.4 ms of the empty way; access "
        "links add less than a millisecond. All is measured from 20 to 80 s."
    ),
)


def _titled(title: str, reading: str) -> str:
    return f"{title} ({reading})" if reading else title


def mix_table(runs: Runs, queue: str, reading: str = "") -> Numbers:
    """Every class in every mix, under the queue and under ARED."""
    numbers = []
    for kind in (queue, ARED):
        for tcp in MIXES:
            row = f"{NAMES[kind]}, {tcp} + {20 - tcp}"
            mean = runs.queue("backlog_mean_packets", kind, tcp)
            numbers.append(Number(row=row, column="queue", ours=mean, unit="packets"))
            if kind == queue:
                off = minus(mean, runs.traced("moving_target", kind, tcp))
                numbers.append(Number(row=row, column="above its target", ours=off, unit="packets"))
            for group, name in CLASSES.items():
                delay = [1e3 * value for value in runs.delay(kind, tcp, group)]
                loss = runs.of("loss_ratio", kind, tcp, group)
                carried = runs.throughput(kind, tcp, group)
                numbers += [
                    Number(row=row, column=f"delay {name}", ours=delay, unit="ms"),
                    Number(row=row, column=f"loss {name}", ours=loss, unit="%"),
                    Number(row=row, column=f"throughput {name}", ours=carried, unit="kbit/s"),
                ]
                if kind == queue:
                    qos = runs.normalised_qos(kind, tcp, group, CLASS_ALPHAS[group])
                    numbers.append(Number(row=row, column=f"QoS {name}", ours=qos))
    return Numbers(
        title=_titled(f"{NAMES[queue]} and ARED in each mix", reading),
        numbers=numbers,
        rows_are="queue, TCP + TFRC",
        text="QoS is normalised: over that of the same class under ARED in the same mix.",
    )


def group_table(runs: Runs, reading: str = "") -> Numbers:
    """Every group under RED-Boston and under ARED."""
    numbers = []
    for kind in (BOSTON, ARED):
        for hint in HINTS:
            row, group = f"{NAMES[kind]}, {hint} ms", f"{hint} ms"
            numbers += [
                Number(row=row, column="delay", ours=[1e3 * d for d in runs.delay(kind, "", group)], unit="ms"),
                Number(row=row, column="loss", ours=runs.of("loss_ratio", kind, "", group), unit="%"),
                Number(row=row, column="throughput", ours=runs.throughput(kind, "", group), unit="kbit/s"),
            ]
            if kind == BOSTON:
                qos = runs.normalised_qos(kind, "", group, ALPHAS[hint])
                numbers.append(Number(row=row, column="QoS", ours=qos))
    return Numbers(
        title=_titled("Seven groups of five TCP flows", reading),
        numbers=numbers,
        rows_are="queue, hint",
        text="QoS is normalised, with the exponents of table 4.1.",
    )


def _rows(series: str, x: float, panel: str, sample: Sample, scale: float = 1.0) -> Mapping[str, object]:
    interval = mean_interval([value * scale for value in sample])
    return {
        "series": series,
        "x": x,
        "panel": panel,
        "mean": interval.mean,
        "low": interval.low,
        "high": interval.high,
    }


def _panels(frame: pl.DataFrame, x_title: str, panels: list[str], description: str) -> alt.FacetChart:
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=x_title, scale=alt.Scale(zero=False, nice=True)),
        color=alt.Color("series:N", title=None, sort=None),
    )
    chart: alt.FacetChart = (
        alt.layer(
            base.mark_line(strokeWidth=1.5).encode(y=alt.Y("mean:Q", title=None, scale=alt.Scale(domainMin=0))),
            base.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q"),
            base.mark_point(filled=True, size=40).encode(y="mean:Q", shape=alt.Shape("series:N", legend=None)),
        )
        .properties(height=150, data=inline(frame, "panels"))
        .facet(facet=alt.Facet("panel:N", sort=panels, title=None), columns=2)
        .resolve_scale(y="independent")
        .properties(usermeta=layout(columns=2), description=description)
    )
    return chart


PANELS = ["Queuing delay (ms)", "Loss (%)", "Throughput (kbit/s)", "Normalised QoS"]


def _of_class(runs: Runs, kind: str, case: object, group: str, x: float, name: str, alpha: float) -> Iterator[object]:
    series = f"{NAMES[kind]}{name}"
    yield _rows(series, x, PANELS[0], runs.delay(kind, case, group), 1e3)
    yield _rows(series, x, PANELS[1], runs.of("loss_ratio", kind, case, group), 1e2)
    yield _rows(series, x, PANELS[2], runs.throughput(kind, case, group), 1e-3)
    if kind == BOSTON:
        yield _rows(series, x, PANELS[3], runs.normalised_qos(kind, case, group, alpha))


def against_mix(runs: Runs) -> Chart:
    """Figures 4.5 to 4.9."""
    rows = [
        row
        for kind in (BOSTON, ARED)
        for group, name in CLASSES.items()
        for tcp in MIXES
        for row in _of_class(runs, kind, tcp, group, 20 - tcp, f", {name}", CLASS_ALPHAS[group])
    ]
    chart = _panels(pl.DataFrame(rows), "delay-sensitive flows of 20", PANELS, "Both classes against the mix")
    return Chart(
        title="Both classes against the mix",
        chart=chart,
        text="With 95 % intervals. Compare with figures 4.5 to 4.9.",
    )


def against_hint(runs: Runs) -> Chart:
    """Figures 4.11 to 4.14."""
    rows = [
        row
        for kind in (BOSTON, ARED)
        for hint in HINTS
        for row in _of_class(runs, kind, "", f"{hint} ms", hint, "", ALPHAS[hint])
    ]
    chart = _panels(pl.DataFrame(rows), "delay hint (ms)", PANELS, "Groups against their hints")
    return Chart(
        title="Groups against their hints",
        chart=chart,
        text="With 95 % intervals. Compare with figures 4.11 to 4.14.",
    )


def traces(runs: Runs, from_one: Runs) -> Chart:
    """Figures 3.5 and 3.6."""
    panels = {"max_p from its default, 0.1": runs, "max_p from 1": from_one}
    frames = []
    for panel, source in panels.items():
        for tcp in MIXES:
            rows = source.probes.filter(
                (pl.col("queue") == f"{WORCESTER} {tcp}")
                & (pl.col("probe") == "max_p")
                & (pl.col("seed") == source.study.seeds[0])
            )
            named = rows.select("time_s", pl.col("value").round(4))
            frames.append(named.with_columns(pl.lit(panel).alias("panel"), pl.lit(f"{tcp} + {20 - tcp}").alias("mix")))
    order = [f"{tcp} + {20 - tcp}" for tcp in MIXES]
    chart = (
        alt.Chart()
        .mark_line(strokeWidth=1.2)
        .encode(
            x=alt.X("time_s:Q", title="Time (s)"),
            y=alt.Y("value:Q", title="max_p"),
            color=alt.Color("mix:N", title="TCP + TFRC", sort=order),
        )
        .properties(height=200, data=inline(pl.concat(frames), "traces"))
        .facet(facet=alt.Facet("panel:N", sort=list(panels), title=None), columns=2)
        .properties(usermeta=layout(columns=2), description="max_p over time in each mix")
    )
    return Chart(
        title="How max_p adapts",
        chart=chart,
        text="RED-Worcester, one run of each mix. Compare with figures 3.5 and 3.6.",
    )
