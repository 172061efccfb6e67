"""The report of a sweep: the best points in words, a plot for each metric, and the table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .... import _core
from ...sweeps.columns import columns_of
from ...sweeps.outcome import SUMMARY
from ..report.page import Report
from ..report.provenance import provenance
from .charts import draw, is_heat_map
from .first import headline, screen, standfirst
from .words import best_in_words, suspect_in_words

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ...sweeps.outcome import Swept

__all__ = ["write_report"]


_WARNINGS = (
    "Findings of these runs that a reader of their numbers should know. The command sojourn explain CODE explains a "
    "code; sojourn run with the values of a point prints the finding."
)


def write_report(swept: Swept, path: StrPath) -> None:
    """Write it as one HTML file."""
    said = [best_in_words(swept, metric.name) for metric in swept.metrics]
    runs = f"{len(swept.points)} points of {' by '.join(swept.axes)}, {len(swept.values)} runs"
    page = Report(
        title=headline(swept),
        lead=standfirst(swept),
        about=(swept.title or swept.scenario.title, runs),
        provenance=provenance(_core.build(), swept.seeds),
    )
    page.add_front(screen(page, swept))
    page.add_text("\n\n".join(text for text in said if text), heading="The best points")
    if suspect := suspect_in_words(swept):
        page.add_text("\n\n".join([_WARNINGS, *suspect]), heading="Warnings")
    several = (
        " A dark or a light cell is not yet a difference: its interval is in the cell if there is room, in the "
        "table, and under the pointer."
    )
    page.add_text(
        "Each point is the mean of the runs with all seeds; the same seeds are used at every point, so that points are "
        "compared run by run." + several * is_heat_map(swept),
        heading="Metrics over the axes",
    )
    for metric in swept.metrics:
        page.add_plot(draw(swept, metric.name))
    about = "Mean and 95 % interval of each metric at each point. It is cut at impossible means, such as below zero."
    keys = {column: name for name, column in columns_of(swept.axes, SUMMARY).items()}
    page.add_table(swept.summary(), "All points", about, keys=keys)
    page.add_scenario(swept.scenario.to_toml())
    page.write(Path(path))
