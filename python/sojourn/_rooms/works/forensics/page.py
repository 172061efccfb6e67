"""The report of a search, with pictures."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import numpy as np
import polars as pl

from .... import _core
from ...showing.plots.pieces import layout, title
from ...showing.plots.registry import Drawing
from ...showing.report.page import Report
from ...showing.report.provenance import provenance
from ...showing.report.tables import of_texts
from ..printed_tables import ABOUT
from .beside import Beside
from .beside_words import summary as summary_of_numbers
from .beside_words import tables as tables_of_numbers
from .findings import Findings
from .investigation import Investigation
from .words import RULE, SCORE, TableOf, summary, tables, warning

__all__ = ["write", "write_numbers"]


def write(done: Investigation, path: Path) -> None:
    """Write it as one HTML file."""
    page = Report(
        title=f"{done.paper.title}: which settings do the printed numbers point to?",
        lead=f"{done.paper.citation}. {RULE}",
        provenance=provenance(_core.build(), done.parts[0].seeds if done.parts else ()),
    )
    for found in done.parts:
        _add(page, found, f"{found.name}: " if len(done.parts) > 1 else "")
    page.add_text(SCORE, heading="How the score is made")
    page.write(path)


def _add(page: Report, found: Findings, head: str) -> None:
    text = "\n\n".join(filter(None, [warning(found), summary(found)]))
    page.add_text(text, heading=f"{head}settings tried, and results")
    page.add_plot(_scores(found, head))
    page.add_plot(_effects(found, head))
    page.add_plot(_distances(found, head))
    for table in tables(found):
        _add_table(page, table, f"{head}{table.title.lower()}")


def _add_table(page: Report, table: TableOf, heading: str) -> None:
    frame = of_texts(table.header, table.rows)
    page.add_tables([("", frame)], heading, table.text, file=frame, stacked=True)


def write_numbers(done: Beside, path: Path) -> None:
    """Write the printed numbers beside ours as one HTML file."""
    page = Report(
        title=f"{done.paper.title}: its printed numbers beside ours",
        lead=f"{done.paper.citation}. {ABOUT}".replace("*", ""),
        provenance=provenance(_core.build(), range(1, 1 + max(one.runs for one in done.cells))),
    )
    for table in [summary_of_numbers(done), *tables_of_numbers(done)]:
        _add_table(page, table, table.title)
    page.write(path)


def _scores(found: Findings, head: str) -> Drawing:
    """Every setting by its score, the one taken named."""
    ranked, last = found.ranked(), found.taken.setting
    frame = pl.DataFrame(
        {
            "rank": [one.rank for one in ranked],
            "score of a number": [one.score / len(found.numbers) for one in ranked],
            "setting": ["taken" if one.setting == last else "tried" for one in ranked],
            "choices": [found.in_words(one.setting) for one in ranked],
        }
    )
    drawing: alt.Chart = (
        alt.Chart(frame)
        .mark_point(filled=True)
        .encode(
            x=alt.X("rank:Q", title="rank of the setting", scale=alt.Scale(domainMin=0)),
            y=alt.Y("score of a number:Q", title="mean score of a number"),
            color=alt.Color("setting:N", title=None, sort=["taken", "tried"]),
            shape=alt.Shape("setting:N", title=None, sort=["taken", "tried"], legend=None),
            size=alt.condition("datum.setting === 'taken'", alt.value(160), alt.value(40)),
            tooltip=["rank:Q", alt.Tooltip("score of a number:Q", format=".2f"), "choices:N"],
        )
        .properties(height=220)
    )
    heading = f"{head}settings by their score"
    return drawing.properties(
        title=title(heading, "1 is as good as one run of the work can be"), usermeta=layout(), description=heading
    )


def _effects(found: Findings, head: str) -> Drawing:
    frame = pl.DataFrame(
        {
            "choice": [f"{one.factor.name}: {one.factor.choices[one.choice].name}" for one in found.effects],
            "change": [one.change / len(found.numbers) for one in found.effects],
            "setting": ["taken" if one.choice == one.factor.taken else "tried" for one in found.effects],
        }
    )
    drawing: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("change:Q", title="change of the score of a number"),
            y=alt.Y("choice:N", title=None, sort=None, axis=alt.Axis(labelLimit=320)),
            color=alt.Color("setting:N", title=None, sort=["taken", "tried"]),
            tooltip=["choice:N", alt.Tooltip("change:Q", format="+.2f")],
        )
        .properties(height=alt.Step(18))
    )
    heading = f"{head}the effect of each choice"
    return drawing.properties(
        title=title(heading, "a choice with a bar to the left brings ours nearer to the printed numbers"),
        usermeta=layout(),
        description=heading,
    )


def _distances(found: Findings, head: str) -> Drawing:
    """Each printed number's distance from the prediction, under the setting taken and under the best."""
    places = {"taken": list(found.settings).index(found.taken.setting), "best": found.order()[0]}
    rows = [
        {
            "row": found.rows[place].title,
            "case": case,
            "setting": name,
            "distance": float(np.clip(found.distances[where, number], -8.0, 8.0)),
        }
        for name, where in places.items()
        for number, (place, case, _) in enumerate(found.numbers)
    ]
    drawing: alt.Chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_point(filled=True, size=45, opacity=0.8)
        .encode(
            x=alt.X("distance:Q", title="printed less ours (deviations)"),
            y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=340)),
            yOffset=alt.YOffset("setting:N", sort=["taken", "best"]),
            color=alt.Color("setting:N", title=None, sort=["taken", "best"]),
            shape=alt.Shape("setting:N", title=None, sort=["taken", "best"], legend=None),
            tooltip=["row:N", "case:N", "setting:N", alt.Tooltip("distance:Q", format="+.1f")],
        )
        .properties(height=alt.Step(14))
    )
    heading = f"{head}each printed number beside the prediction"
    below = "between -2 and 2 a printed number is as expected; values beyond 8 are drawn at 8"
    return drawing.properties(title=title(heading, below), usermeta=layout(), description=heading)
