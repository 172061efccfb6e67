"""Figures 2.1, 2.4 to 2.6 and 5.12."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from sojourn.papers import Chart, Curves

from . import model


def ratios(average: Sequence[float], target: float, step_s: float) -> Chart:
    """Figure 2.1: the average queue, its distance from the target and its change, both as ratios."""
    import altair as alt
    import polars as pl

    from sojourn.plots import inline, layout

    panels = ["average queue (packets)", "ratios: below 1 max_p falls, above it rises"]
    rows = [
        {"panel": panel, "line": line, "x": step_s * (place + 1), "value": value}
        for place, (before, now) in enumerate(pairwise(average), start=1)
        for panel, line, value in (
            (panels[0], "average", now),
            (panels[1], "over the target", now / target),
            (panels[1], "over the one before", now / before if before > 0.0 else None),
        )
    ]
    names = ["average", "over the target", "over the one before"]
    line = alt.Chart().mark_line(strokeWidth=1.5, point=True)
    line = line.encode(
        x=alt.X("x:Q", title="Time (s)"),
        y=alt.Y("value:Q", title=None),
        color=alt.Color("line:N", title=None, sort=names),
    )
    chart = (
        line.properties(height=200, data=inline(pl.DataFrame(rows), "ratios"))
        .facet(facet=alt.Facet("panel:N", sort=panels, title=None), columns=2)
        .resolve_scale(y="independent")
        .properties(usermeta=layout(columns=2, legend=names), description="Both ratios of PSAND's law over time")
    )
    return Chart(
        title="The two ratios over time",
        chart=chart,
        text="One run (seed 1), at each step of max_p. Compare with figure 2.1.",
        curves=Curves.of(pl.DataFrame(rows), x="Time (s)", y=""),
    )


def single_runs(found: Mapping[str, Mapping[str, Sequence[float]]], printed: Mapping[str, float]) -> Chart:
    """Figures 2.4(d), 2.5(d) and 2.6(d): PSAND's average after the step, a point for each run."""
    import altair as alt
    import polars as pl

    from sojourn.plots import inline, layout

    read = "one run of the thesis"
    rows = [
        {"flows": f"{more} more flows", "setting": setting, "average": value}
        for setting, samples in found.items()
        for more, values in samples.items()
        for value in values
    ]
    rows += [{"flows": f"{more} more flows", "setting": read, "average": value} for more, value in printed.items()]
    names = [*found, read]
    chart = (
        alt.Chart(inline(pl.DataFrame(rows), "single"))
        .mark_tick(thickness=1.5, height=14)
        .encode(
            x=alt.X("average:Q", title="average queue from 60 s on (packets)"),
            y=alt.Y("setting:N", title=None, sort=names),
            color=alt.Color("setting:N", title=None, sort=names, legend=None),
            row=alt.Row("flows:N", title=None, sort=[f"{more} more flows" for more in printed]),
        )
        .properties(height=70, usermeta=layout(legend=[]), description="PSAND's average queue in each run")
    )
    return Chart(
        title="The averages of single runs",
        chart=chart,
        text=(
            "PSAND's average after the step; a stroke is one run. With ns-2's gentle slope the queue of 70 and of "
            "100 more flows is at about 10 packets in some runs and at 18 and more in others: two modes, "
            "which a mean hides. A run of the thesis has 18 in figure 2.6; in figure 3.1 as many flows have 9."
        ),
    )


def advantages() -> Chart:
    """Figure 5.12."""
    import altair as alt
    import polars as pl

    from sojourn.plots import inline, layout

    rows = [
        {"h": str(h), "x": 0.05 * i, "advantage": model.advantage(h, 0.05 * i)}
        for h in range(1, 9)
        for i in range(1, 401)
    ]
    chart = (
        alt.Chart(inline(pl.DataFrame(rows), "advantage"))
        .mark_line(strokeWidth=1.5)
        .encode(
            x=alt.X("x:Q", title="losses of a block in the mean, pT"),
            y=alt.Y("advantage:Q", title="RED less drop tail"),
            color=alt.Color("h:N", title="parity h", sort=None),
        )
        .properties(
            height=260,
            width="container",
            usermeta=layout(legend=[str(row["h"]) for row in rows]),
            description="Advantage of smaller groups of losses",
        )
    )
    return Chart(
        title="When smaller groups of losses are better",
        chart=chart,
        text=(
            "By how much likelier a block can be repaired with groups of 1.1 losses in the mean than of 1.4, "
            "at the same loss rate. Compare with figure 5.12."
        ),
        curves=Curves.of(
            pl.DataFrame(rows).select("x", line=pl.format("h = {}", "h"), value="advantage"),
            x="losses of a block in the mean, pT",
            y="RED less drop tail",
        ),
    )
