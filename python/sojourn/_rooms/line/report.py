"""The report of a line: the ranking, the lines to paste, and then everything that was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from markupsafe import Markup

from ..runs.answer import Yardstick
from ..showing import plots
from ..showing.plots.export import notebook_chart
from ..showing.plots.registry import Drawing
from ..showing.report.page import Report
from ..showing.report.study import study_report
from .answer import Answered
from .paste import system
from .ranking import RULE, Ranked
from .shared import about_homes
from .table import columns
from .words import set_for_the_line

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["draw_ranking", "write_report"]

_PASTE = (
    "For a router with Linux, {device} towards the modem. They may be pasted again; the first line alone undoes the "
    "others. They do not survive a reboot."
)
_CODE = Markup("<pre tabindex='0'><code>{}</code></pre>")
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

    def opening(page: Report) -> None:
        cells = columns(found, users)
        frame = pl.DataFrame(
            {
                "place": [str(one.place) for one in found.ranking],
                "queue": order,
                **dict(cells),
            }
        )
        page.add_plot(plots.draw("summary", {"summary": _drawn(found.ranking)}, queues=order), "Ranking", RULE)
        page.add_tables([("", frame)], "", file=frame, keys=frame.columns)
        if lines := found.line.lines(found.best.name, device):
            words = _PASTE.format(device=device)
            blocks: list[Sequence[str]] = [lines]
            if router is not None:
                pasted = system(router).text(found.line, found.best.name, device)
                words = " ".join(system(router).sentences(found.line, pasted))
                blocks = [pasted.lines, pasted.undo]
            code = [_CODE.format("\n".join(block)) for block in blocks]
            page.add_html("Lines to paste", words, Markup("<p>To undo:</p>").join(code))
        if more is not None:
            more(page)
        if said := set_for_the_line(found.line, order):
            page.add_text(said, heading="Settings of the queues")

    page = study_report(
        found.study,
        title=f"Queues for {found.line.words}",
        lead=found.text if users == 1 else f"{found.text} {about_homes(found, users)}",
        about=Yardstick("rpm", "responsiveness", "probe"),
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
