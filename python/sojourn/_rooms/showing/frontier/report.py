"""The report of a frontier: the answer, one picture, the price, the certainty, and the settings to paste."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from markupsafe import Markup

from .... import _core
from ...catalogue.columns import described
from ...sweeps.frontier_words import said, value
from ..plots.frames import Frames
from ..plots.palette import colour_places
from ..report.first import Fact, first_screen, picture
from ..report.page import Report
from ..report.provenance import provenance
from ..text.frontiers import frontier_rows
from .charts import draw_frontier

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ...sweeps.frontier import Frontier

__all__ = ["write_report"]

_ROW = Markup(
    "<tr><th scope='row'><span class='key k{}'></span>{}</th><td><code>{}</code></td>"
    "<td class='n'>{}</td><td class='n'>{}</td></tr>"
)
_NOBODY = "Every queue reaches the same: none has a wait or a load of the link to itself."
_SETTINGS = (
    "Of each queue the settings that no other queue dominates, or where there is none its best ones. A setting is "
    "written as for --queue and in a scenario."
)
_ALL = (
    "Means with 95 % intervals. A setting is beaten by a place on another queue's curve that is better in one metric "
    "and not worse in the other; where only a place between two settings is, the queue is named. In brackets: another "
    "setting of the same queue has better means of both."
)


def write_report(found: Frontier, path: StrPath) -> None:
    """Write it as one HTML file."""
    told = said(found)
    page = Report(
        title=told.headline.rstrip("."),
        lead=told.detail or told.price,
        about=(found.swept.scenario.title, f"{len(found.seeds)} runs of each setting"),
        provenance=provenance(_core.build(), found.seeds),
    )
    facts = [Fact("Price", told.price or _NOBODY), Fact("Certainty", told.certainty), Fact("Tried", told.swept)]
    drawn = page.figure(draw_frontier(found), "Every setting of each queue")
    page.add_front(first_screen(picture(told.others or "Every setting of each queue", "", drawn), facts))
    page.add_html("Settings to paste", _SETTINGS, _pasted(found))
    heads, rows = frontier_rows(found)
    frame = pl.DataFrame(rows, schema=heads, orient="row")
    page.add_tables([("", frame)], "All settings", _ALL, file=_plain(found), keys=heads)
    page.add_scenario(found.swept.scenario.to_toml())
    page.write(Path(path))


def _pasted(found: Frontier) -> Markup:
    """A row for each setting that is worth having."""
    places = dict(zip(found.queues, colour_places(Frames({}, queues=found.queues).queues), strict=True))
    beaten = {one.setting for one in found.beside if one.verdict == "worse"}
    rows = []
    for queue in found.queues:
        front = found.front(queue)
        rows += [
            _ROW.format(places[queue], queue, one, value(found, one, 0), value(found, one, 1))
            for one in [setting for setting in front if setting not in beaten] or front
        ]
    heads = Markup("").join(
        Markup("<th>{}</th>").format(one)
        for one in ("queue", "setting", *(described(metric.column).label for metric in found.metrics))
    )
    return Markup("<div class='scroll'><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>").format(
        heads, Markup().join(rows)
    )


def _plain(found: Frontier) -> pl.DataFrame:
    """All settings as a file of values that can be read."""
    return found.summary().with_columns(pl.col("dominated_by").cast(pl.List(pl.String)).list.join(" "))
