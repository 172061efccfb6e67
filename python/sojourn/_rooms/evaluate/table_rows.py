"""A line for each question: its first number, the best of the others, and who dominates whom."""

from __future__ import annotations

import math

from ..showing.text import tables
from .page import Evaluation, Row
from .words import dominance, figures

__all__ = ["head", "summary_rows", "value"]


def summary_rows(page: Evaluation) -> tuple[list[str], list[list[str]]]:
    """A row for each question: its first number at its last point, the best of the others, and the result of all."""
    heads = ["section", "question", "number", page.subject, "best of the others", "result"]
    rows = []
    for document in page.documents:
        for criterion in document.criteria:
            own = page.of(criterion)
            first = [row for row in own if row.measure is criterion.measures[0]][-1]
            question = f"{criterion.title}: {first.point}" if first.point else criterion.title
            section = f"{document.document.removeprefix('RFC ')} {criterion.section}"
            rows.append(
                [
                    section,
                    question,
                    head(first),
                    value(first, page.subject),
                    _best(first, page),
                    str(dominance(own, page.subject)),
                ]
            )
    return heads, rows + _costs(page)


def _costs(page: Evaluation) -> list[list[str]]:
    """The cost of a packet, and the number of parameters."""
    mine = page.costs.get(page.subject)
    if mine is None:
        return []
    others = {label: cost for label, cost in page.costs.items() if label != page.subject}
    cheapest = min(others, key=lambda label: others[label].packet_ns, default="")
    best = f"{cheapest} {figures(others[cheapest].packet_ns)}" if cheapest else ""
    rows = [["7928 11.2", "cost", "a packet in the simulator (ns)", figures(mine.packet_ns), best, ""]]
    if mine.parameters is not None:
        computed = f" ({mine.computed} computed)" if mine.computed else ""
        rows.append(["7928 12.1", "knobs", "parameters", f"{mine.parameters}{computed}", "", ""])
    return rows


def value(row: Row, label: str) -> str:
    one = row.values.get(label)
    if one is None or not math.isfinite(one.mean):
        return "-"
    if not one.half_width > 0.0:
        return figures(one.mean)
    return tables.cell(one, 1.0, tables.decimals_of([one], 1.0, 3))


def _best(row: Row, page: Evaluation) -> str:
    known = {label: mean for label in page.baselines if math.isfinite(mean := row.mean(label))}
    if not known or not row.measure.better:
        return ""
    best = max(known, key=lambda label: known[label] * (1.0 if row.measure.better == "more" else -1.0))
    return f"{best} {figures(known[best])}"


def head(row: Row) -> str:
    unit = f" ({row.measure.unit})" if row.measure.unit else ""
    return f"{row.measure.label}{unit}"
