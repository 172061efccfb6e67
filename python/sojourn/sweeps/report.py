"""The report of a sweep: the best points in words, a plot for each metric, and the table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from ..report.page import Report
from ..report.provenance import provenance
from .plots import draw
from .words import best_in_words

if TYPE_CHECKING:
    from _typeshed import StrPath

    from .swept import Swept

__all__ = ["write_report"]


def write_report(swept: Swept, path: StrPath) -> None:
    """Write it as one HTML file."""
    sizes = " by ".join(f"{len(axis.labels)} points of {name}" for name, axis in swept.axes.items())
    said = [best_in_words(swept, metric.name) for metric in swept.metrics]
    page = Report(
        title=f"{swept.scenario.title}: a sweep over {', '.join(swept.axes)}",
        lead=f"{sizes}, {len(swept.seeds)} seeds at each: {len(swept.values)} runs.",
        provenance=provenance(_core.build(), swept.seeds),
    )
    page.add_text("\n\n".join(text for text in said if text), heading="The best points")
    for place, metric in enumerate(swept.metrics):
        heading = "" if place else "Metrics over the axes"
        page.add_plot(draw(swept, metric.name), heading, data=swept.summary())
    page.add_table(swept.summary(), "All points", "Mean and 95 % interval of each metric at each point.")
    page.add_scenario(swept.scenario.to_toml())
    page.write(Path(path))
