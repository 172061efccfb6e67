"""Figure 5.12."""

from __future__ import annotations

from sojourn.papers import Chart

from . import model


def advantages() -> Chart:
    """Figure 5.12."""
    import altair as alt
    import polars as pl

    from sojourn.plots.parts import inline, layout

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
            height=260, width="container", usermeta=layout(), description="Advantage of smaller groups of losses"
        )
    )
    return Chart(
        title="When smaller groups of losses are better",
        chart=chart,
        text=(
            "By how much likelier a block can be repaired with groups of 1.1 losses in the mean than of 1.4, "
            "at the same loss rate. Compare with figure 5.12."
        ),
    )
