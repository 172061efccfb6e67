"""The report of a reproduced paper: claims first, then tables and charts of each experiment, then what was run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn import _core
from sojourn.exhibits import Chart, Numbers
from sojourn.report.page import Report
from sojourn.report.provenance import provenance

if TYPE_CHECKING:
    from sojourn.papers import Reproduction

__all__ = ["page", "write"]


def write(path: str | os.PathLike[str], done: Reproduction) -> None:
    """Write the report as one HTML file."""
    page(done).write(Path(path))


def page(done: Reproduction) -> Report:
    """The report as a page."""
    report = Report(
        title=f"{done.key}: {done.paper.title}",
        lead=f"{done.paper.citation}. {_runs(done)}",
        provenance=provenance(_core.version(), {seed for study in done.studies.values() for seed in study.seeds}),
    )
    report.add_claims(
        [claim for group in done.by_text() for claim in group],
        text="A verdict follows from a 95 % interval and a bound that is written down beside the claim: it holds or "
        "fails if the whole interval lies on one side, and is undecided otherwise. Differences are taken seed by seed. "
        "What is decided alone but not among so many claims (Holm's correction at 5 %) is undecided, and says so. "
        + _about_readings(done),
    )
    for experiment, exhibit in done.exhibits:
        if isinstance(exhibit, Numbers):
            report.add_table(exhibit.frame(), f"{experiment}: {exhibit.title}", exhibit.text)
        elif isinstance(exhibit, Chart):
            report.add_plot(exhibit.chart, f"{experiment}: {exhibit.title}", exhibit.text, exhibit.data)
        else:
            report.add_text(exhibit.text, heading=f"{experiment}: {exhibit.title}")
    for place, (name, study) in enumerate(done.studies.items()):
        label, scenario = next(iter(study.variants.items()))
        report.add_scenario(scenario.resolved(), "" if place else "Resolved scenarios", label=f"{name}, {label}")
    return report


def _runs(done: Reproduction) -> str:
    seeds = sorted({len(study.seeds) for study in done.studies.values()})
    runs = " to ".join(str(number) for number in dict.fromkeys([seeds[0], seeds[-1]])) if seeds else "0"
    total = len({run for study in done.studies.values() for run in study.runs})
    return f"{total} runs, {runs} seeds for every queue and reading."


def _about_readings(done: Reproduction) -> str:
    groups = done.by_text()
    if all(len(group) == 1 for group in groups):
        return ""
    turned = sum(any(claim.verdict != group[0].verdict for claim in group) for group in groups)
    return (
        "Where the paper is ambiguous, verdicts under its other readings stand below a claim; only the first is "
        f"counted. {turned} of {len(groups)} claims depend on the reading."
    )
