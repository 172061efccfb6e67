"""The figures: metrics against xi, and the average queue over time."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl

from sojourn.claims import Sample
from sojourn.exhibits import Chart
from sojourn.plots.parts import inline, layout
from sojourn.stats import mean_interval

from .readings import THETAS
from .runs import BASELINES, MAX_TH, MIN_TH, TRACED_XIS, XIS, Runs, hybrid, name


def against_xi(values: Mapping[str, Sample], what: str, experiment: str) -> Chart:
    """Figures 6.13, 6.20, 6.39 and 6.46: a metric against xi for each theta, with RED's and its interval."""
    rows = []
    for theta in THETAS:
        for xi in XIS:
            interval = mean_interval(values[hybrid(theta, xi)])
            rows.append((f"theta {theta}", xi * (1 + 0.004 * (theta - 3)), interval))
    frame = pl.DataFrame(
        [
            {"theta": theta, "xi": xi, "mean": 100 * i.mean, "low": 100 * i.low, "high": 100 * i.high}
            for theta, xi, i in rows
        ]
    )
    red = mean_interval(values["red"])
    level = pl.DataFrame([{"queue": "RED", "mean": 100 * red.mean, "low": 100 * red.low, "high": 100 * red.high}])
    x = alt.X("xi:Q", title="xi", scale=alt.Scale(zero=False))
    colour = alt.Color("theta:N", title=None)
    y_title = f"{what} (%)"
    lines = alt.Chart(inline(frame, "sweep")).encode(x=x, color=colour)
    band = alt.Chart(inline(level, "red"))
    chart = alt.layer(
        band.mark_rect(opacity=0.12).encode(y=alt.Y("low:Q", title=y_title, scale=alt.Scale(zero=False)), y2="high:Q"),
        band.mark_rule(strokeDash=[4, 3]).encode(y="mean:Q"),
        lines.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q"),
        lines.mark_line(strokeWidth=1.5).encode(y="mean:Q"),
        lines.mark_point(filled=True, size=40).encode(y="mean:Q", shape=alt.Shape("theta:N", legend=None)),
    ).properties(height=260, width="container", usermeta=layout(), description=f"{what} against xi, {experiment}")
    return Chart(
        title=f"{what} against xi",
        chart=chart,
        text=f"Hybrid RED for each theta with 95 % intervals (points of equal xi stand side by side); dashed, with its "
        f"interval as a band: RED. Compare with figures {'6.13 and 6.20' if experiment == 'H1' else '6.39 and 6.46'}.",
    )


def traces(runs: Runs, experiment: str) -> Chart:
    """Figures 6.21 to 6.32 and 6.47 to 6.59: the average queue over time, one run each."""
    labels = [*BASELINES, *(hybrid(theta, xi) for xi in TRACED_XIS for theta in THETAS)]
    first = runs.study.seeds[0]
    names = {label: name(label) for label in labels}
    frame = (
        runs.averages.filter((pl.col("seed") == first) & pl.col("queue").is_in(labels))
        .with_columns(pl.col("queue").replace(names), pl.col("value").round(2), pl.col("time_s").round(2))
        .select("queue", "time_s", "value")
    )
    line = (
        alt.Chart()
        .mark_line(strokeWidth=1)
        .encode(
            x=alt.X("time_s:Q", title="Time (s)"),
            y=alt.Y("value:Q", title="Average (packets)", scale=alt.Scale(domainMin=0)),
        )
    )
    bounds = [
        alt.Chart().mark_rule(strokeDash=[4, 3], opacity=0.6).encode(y=alt.datum(level)) for level in (MIN_TH, MAX_TH)
    ]
    chart = (
        alt.layer(line, *bounds)
        .properties(height=90, data=inline(frame, "averages"))
        .facet(facet=alt.Facet("queue:N", sort=list(names.values()), title=None), columns=2)
        .properties(
            usermeta=layout(columns=2),
            description=f"Average queue over time, {experiment}",
        )
    )
    figures = "6.21 to 6.32" if experiment == "H1" else "6.47 to 6.59"
    return Chart(
        title="The average queue over time",
        chart=chart,
        text=f"One run each (seed {first}), every 0.1 s; dashed: the thresholds. Compare with figures {figures}.",
    )
