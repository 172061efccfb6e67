"""The tables and figures of chapter 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from sojourn.claims import Sample
from sojourn.papers import Chart, Number, Numbers
from sojourn.plots.parts import inline, layout
from sojourn.stats import mean_interval

from . import model
from .runs import DROP_TAIL, FLOWS, RED, Block, Case, Runs

NAMES = {DROP_TAIL: "drop tail", RED: "RED"}


def published(runs: Runs, expected: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]) -> Numbers:
    """Tables 5.1 and 5.2 beside ours."""
    numbers = []
    for block in ((16, 1), (16, 4)):
        printed = expected[f"{block[0]}+{block[1]}"]
        for n in FLOWS:
            for queue in (DROP_TAIL, RED):
                before, before_error, after, after_error = printed[queue][str(n)]
                case, row = Case(n, block), f"h={block[1]}, {n}"
                numbers += [
                    Number(
                        row=row,
                        column=f"PLRBC {queue}",
                        ours=runs.before(queue, case),
                        published=before,
                        error=before_error,
                        unit="%",
                    ),
                    Number(
                        row=row,
                        column=f"PLR {queue}",
                        ours=runs.after(queue, case),
                        published=after,
                        error=after_error,
                        unit="%",
                    ),
                ]
    return Numbers(
        title="Tables 5.1 and 5.2",
        numbers=numbers,
        rows_are="parity, TCP flows",
        text=(
            "PLRBC: losses before correction, PLR: after it; k = 16. "
            "The thesis's errors are half widths at 99 %, ours at 95 %."
        ),
    )


def _row(queue: str, x: float, panel: str, what: str, sample: Sample) -> Mapping[str, object]:
    interval = mean_interval([100.0 * value for value in sample])
    return {
        "series": f"{NAMES[queue]}, {what}",
        "x": x,
        "panel": panel,
        "mean": interval.mean,
        "low": interval.low,
        "high": interval.high,
    }


def _losses(runs: Runs, panel: str, cases: Mapping[float, Case]) -> list[Mapping[str, object]]:
    return [
        _row(queue, x, panel, what, value(queue, case))
        for queue in (DROP_TAIL, RED)
        for what, value in (("before", runs.before), ("after", runs.after))
        for x, case in cases.items()
    ]


def _panels(rows: Sequence[Mapping[str, object]], x_title: str, description: str) -> alt.FacetChart:
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=x_title),
        color=alt.Color("series:N", title=None, sort=None),
    )
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    chart: alt.FacetChart = (
        alt.layer(
            base.mark_line(strokeWidth=1.5).encode(y=alt.Y("mean:Q", title="Lost (%)")),
            base.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q"),
            base.mark_point(filled=True, size=30).encode(y="mean:Q", shape=alt.Shape("series:N", legend=None)),
        )
        .properties(height=170, data=inline(pl.DataFrame(rows), "losses"))
        .facet(facet=alt.Facet("panel:N", sort=panels, title=None), columns=2)
        .resolve_scale(x="independent", y="independent")
        .properties(usermeta=layout(columns=2), description=description)
    )
    return chart


def against_flows(runs: Runs, blocks: Sequence[Block]) -> Chart:
    """Figure 5.4."""
    rows = [
        row
        for block in blocks
        for row in _losses(runs, f"k={block[0]}, h={block[1]}", {float(n): Case(n, block) for n in FLOWS})
    ]
    return Chart(
        title="Losses against the number of TCP flows",
        chart=_panels(rows, "TCP flows", "Losses before and after correction against the number of TCP flows"),
        text="Before and after correction, with 95 % intervals. Compare with figure 5.4.",
    )


def against_block(runs: Runs, groups: Mapping[str, Sequence[Block]]) -> Chart:
    """Figures 5.7 to 5.9."""
    rows = [
        row
        for name, blocks in groups.items()
        for n in (50, 100)
        for row in _losses(
            runs,
            f"{name if '=' in name else f'h/k={name}'}, {n} flows",
            {float(block[0]): Case(n, block) for block in blocks},
        )
    ]
    return Chart(
        title="Losses against the size of blocks",
        chart=_panels(rows, "k", "Losses before and after correction against the data packets of a block"),
        text="At the same load (h/k) and with the same parity (h). Compare with figures 5.7 to 5.9.",
    )


def against_sources(runs: Runs, flows: Sequence[int]) -> Chart:
    """Figure 5.10."""
    rows = [
        row for h in (1, 2, 4) for row in _losses(runs, f"k=16, h={h}", {float(n): Case(n, (16, h), 8) for n in flows})
    ]
    return Chart(
        title="Losses with eight sources",
        chart=_panels(rows, "TCP flows", "Losses of eight sources against the number of TCP flows"),
        text="Each source of 500 kbit/s and its parity, the mean over the eight. Compare with figure 5.10.",
    )


def advantages() -> Chart:
    """Figure 5.12."""
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
