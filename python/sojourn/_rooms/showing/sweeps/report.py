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
from .tradeoff import draw_trade_off, trade_off_metrics
from .words import best_in_words, ending_in_words, suspect_in_words

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ...sweeps.outcome import Swept

__all__ = ["write_report"]


_WARNINGS = (
    "Findings of these runs that a reader of their numbers should know. The command sojourn explain CODE explains a "
    "code; sojourn run with the values of a point prints the finding."
)


_TRADE_OFF = (
    "Up and to the left is better: the link carries more, and packets wait less. A parameter moves a queue along "
    "its line; if one line is above and to the left of another, it is better whatever the parameter."
)


def write_report(swept: Swept, path: StrPath) -> None:
    """Write it as one HTML file."""
    sizes = " by ".join(f"{len(axis.labels)} points of {name}" for name, axis in swept.axes.items())
    said = [best_in_words(swept, metric.name) for metric in swept.metrics]
    counts = list(swept.ending.runs.values()) if swept.ending else [len(swept.seeds)]
    seeds = f"{min(counts)} seeds" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)} seeds"
    page = Report(
        title=f"{swept.title or swept.scenario.title}: a sweep over {', '.join(swept.axes)}",
        lead=f"{sizes}, {seeds} at each: {len(swept.values)} runs. {ending_in_words(swept)}".rstrip(),
        provenance=provenance(_core.build(), swept.seeds),
    )
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
    if trade_off_metrics(swept) is not None:
        page.add_plot(draw_trade_off(swept), "The trade-off", _TRADE_OFF)
    about = "Mean and 95 % interval of each metric at each point. It is cut at impossible means, such as below zero."
    keys = {column: name for name, column in columns_of(swept.axes, SUMMARY).items()}
    page.add_table(swept.summary(), "All points", about, keys=keys)
    page.add_scenario(swept.scenario.to_toml())
    page.write(Path(path))
