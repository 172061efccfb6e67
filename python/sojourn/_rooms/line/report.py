"""The report of a line: the ranking, the lines to paste, and then everything that was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from ..showing import plots
from ..showing.plots.export import notebook_chart
from ..showing.plots.registry import Drawing
from ..showing.report.page import Report
from ..showing.report.study import study_report
from .answer import Answered
from .first import about, headline, screen, standfirst
from .ranking import Ranked
from .shared import about_shares, at_once
from .table import columns
from .words import set_for_the_line

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["draw_ranking", "write_report"]

_DRAWN = {"rpm": "rpm", "upload_bps": "up_bps", "download_bps": "down_bps", "mos": ""}
"""The numbers of the chart, and their names in a ranking."""


def write_report(
    found: Answered,
    path: StrPath,
    device: str = "eth0",
    router: str | None = None,
    users: int = 1,
    more: Callable[[Report], None] | None = None,
) -> None:
    """Write it as one HTML file, with the lines for a router of this system or those of ``tc``.

    `more` writes sections behind the lines.
    """
    order = [one.name for one in found.ranking]
    homes = None if users == 1 else at_once(found.line, users)
    load = ("a household under load", found.line.window_s) if homes is None else (homes.words, homes.line.window_s)

    def opening(page: Report) -> None:
        page.add_front(screen(found, device, router))
        frame = pl.DataFrame(
            {
                "place": [str(one.place) for one in found.ranking],
                "queue": order,
                **dict(columns(found, users)),
            }
        )
        page.add_tables([("", frame)], "All numbers", found.text, file=frame, keys=frame.columns)
        if more is not None:
            more(page)
        if said := set_for_the_line(found.line, order):
            page.add_text(said, heading="Settings of the queues")

    page = study_report(
        found.study,
        title=headline(found),
        lead=standfirst(found, "" if users == 1 else about_shares(found)),
        about=about(found, *load),
        queues=order,
        opening=opening,
    )
    page.write(Path(path))


def draw_ranking(found: Answered) -> Drawing:
    """The chart of the ranking, as a notebook is to show it."""
    drawn = plots.draw("summary", {"summary": _drawn(found.ranking)}, queues=[one.name for one in found.ranking])
    return notebook_chart(drawn)


def _drawn(ranking: Sequence[Ranked]) -> pl.DataFrame:
    rows = []
    for metric, name in _DRAWN.items():
        for one in ranking:
            calls = (one.values["call_up_mos"], one.values["call_down_mos"])
            value = one.values[name] if name else min(calls, key=lambda call: call.mean)
            ends = {"mean": value.mean, "low": value.low, "high": value.high, "n": value.n}
            rows.append({"queue": one.name, "metric": metric, **ends})
    return pl.DataFrame(rows)
