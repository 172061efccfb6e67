"""The report of an evaluation: one page with every number beside those of the baselines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from markupsafe import Markup

from ... import _core
from ..showing.report.page import Report
from ..showing.report.provenance import provenance
from ..showing.report.tables import interval_cell
from ..showing.report.templates import render
from .first import headline, screen, standfirst
from .page import Evaluation, Row
from .picture import trade_off
from .words import dominance

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["write_report"]

_HOW = (
    "Every {what} meets the same {load} and the same seeds, and differences are formed seed by seed. "
    "Each number is a mean with its 95 % interval. A baseline's number is bold where the difference from the evaluated "
    "one counts: it is at least as large as the measure's least difference, and the runs decide it (of all such "
    "decisions on this page at most one in twenty is wrong in the mean). “Stands” counts the baselines that it is "
    "better than (+), not told from (=) and worse than (−). At a question one dominates another if a number is decided "
    "for it and it is behind in none. The column “answers” names the section that the number answers."
)
_TRADE_OFF = (
    "Up and to the left is better (RFC 7928 section 2.7). Each line goes from mild over medium to heavy congestion "
    "(8.2.2 to 8.2.4); crosses are intervals."
)
_COST = (
    "Processor time of a run for each packet, with the simulator around the queue, on the machine that made this page: "
    "it compares queues and is not the time of a router. Parameters are all that may be set; those that are computed "
    "follow from the link by default."
)


def write_report(page: Evaluation, path: StrPath) -> None:
    """Write it as one HTML file."""
    what = "queue" if page.kind == "queue" else "sender"
    documents = ", ".join(document.document for document in page.documents)
    report = Report(
        title=headline(page),
        lead=standfirst(page),
        about=(f"The {what} {page.subject} by {documents}", f"{page.seeds_in_words} of each {what} and question"),
        provenance=provenance(_core.build(), page.seeds),
    )
    report.add_front(screen(page))
    how = _HOW.format(what=what, load="traffic, the same buffer" if what == "queue" else "network, the same buffers")
    few = " Runs are short and few (--quick)." if page.quick else ""
    looks = f" A criterion had {page.seeds_in_words}: it stopped when it was decided." if page.looks else ""
    report.add_text(how + few + looks, heading="How to read it")
    if (chart := trade_off(page)) is not None:
        report.add_plot(chart, "Wait against use of the link", _TRADE_OFF)
    for document in page.documents:
        body = render(
            "evaluation.html",
            labels=page.labels,
            criteria=[_criterion(page, criterion) for criterion in document.criteria],
            left=list(document.left.items()),
            answered=list(document.answered.items()),
        )
        count = len(document.criteria)
        text = f"{count} question{'s' * (count != 1)}, each with its numbers beside those of the others."
        report.add_html(f"{document.document}: {document.title}", text, body)
    if page.costs:
        frame = pl.DataFrame(
            [
                {
                    "queue": label,
                    "time a packet (ns)": round(cost.packet_ns),
                    "parameters": cost.parameters,
                    "computed": cost.computed,
                }
                for label, cost in page.costs.items()
            ]
        )
        report.add_table(frame, "RFC 7928, 11.2 and 12.1: cost and knobs", _COST, keys=frame.columns)
    if page.refused:
        told = "\n\n".join(f"{label}: {reason}" for label, reason in page.refused.items())
        report.add_text(told, heading="Left out")
    report.add_table(page.summary(), "All numbers", "For programs: sojourn evaluate --json has the same.")
    for document in page.documents:
        for place, criterion in enumerate(document.criteria):
            head = "Scenarios" if document is page.documents[0] and place == 0 else ""
            report.add_scenario(
                criterion.scenario.to_toml(), head, label=f"{document.document} {criterion.section} {criterion.title}"
            )
    report.write(Path(path))


def _criterion(page: Evaluation, criterion: Any) -> Mapping[str, Any]:
    rows = page.of(criterion)
    stands = dominance(rows, page.subject)
    tone = "holds" if stands.over and not stands.by else "fails" if stands.by and not stands.over else "undecided"
    return {
        "anchor": re.sub(r"\W+", "-", criterion.key),
        "section": criterion.section,
        "title": criterion.title,
        "asks": criterion.asks,
        "tone": tone,
        "balance": str(stands) or "nobody dominates",
        "rows": [_row(page, row) for row in rows],
    }


def _row(page: Evaluation, row: Row) -> Mapping[str, Any]:
    arrow = {"more": " \N{UPWARDS ARROW}", "less": " \N{DOWNWARDS ARROW}", "": ""}[row.measure.better]
    counts = f"+{len(row.better)} ={len(row.alike)} \N{MINUS SIGN}{len(row.worse)}" if row.measure.better else ""
    return {
        "label": row.measure.label,
        "unit": row.measure.unit,
        "arrow": arrow,
        "point": row.point,
        "answers": row.measure.section,
        "cells": [_cell(row, label) for label in page.labels],
        "balance": counts,
    }


def _cell(row: Row, label: str) -> Mapping[str, Any]:
    one = row.values.get(label)
    shown = interval_cell(None, None, None) if one is None else interval_cell(one.mean, one.low, one.high)
    tone = "decided" if label in (*row.better, *row.worse) else ""
    return {"tone": tone, "text": Markup(shown)}  # noqa: S704 - made of numbers
