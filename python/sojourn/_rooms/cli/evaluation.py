"""An evaluation on a screen: a line for each question, and the uses for which the subject is good or bad."""

from __future__ import annotations

import math

from ..evaluate.page import Evaluation, Row
from ..evaluate.words import dominance, figures, rivals, sentence
from ..showing.text import layout, tables
from ..showing.text.prose import print_wrapped

__all__ = ["show"]


def show(page: Evaluation, *, details: bool) -> None:
    """Print the summary, or with `details` every number."""
    if details:
        heads, rows = details_table(page)
        layout.print_in_parts(layout.console(), heads, rows, labels=2)
    else:
        print("\n".join(_laid(*summary(page))))
    told = page.subject if page.kind == "queue" else f"the sender {page.subject}"
    print_wrapped(f"{told} is {sentence(page.rows, page.subject)}.", 2)
    if text := rivals(page.questions, page.subject):
        print_wrapped(text, 2)
    print_wrapped(
        f"Beside {', '.join(page.baselines)}, over {page.seeds_in_words}; all differences are decided together.", 2
    )
    # The cost of a packet is a part of the answer to section 11.2.
    part = {("RFC 7928", "11.2"): " in part"} if page.costs else {}
    left = [
        f"{document.document} {section}{part.get((document.document, section), '')}"
        for document in page.documents
        for section in document.left
    ]
    if left:
        print_wrapped(f"Not asked: {', '.join(left)}; --report says why.", 2)
    for label, reason in page.refused.items():
        print_wrapped(f"Left out: {label}: {reason.splitlines()[0]}", 2)


def _laid(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Lines of a table: words to the left, and numbers beside them in columns."""
    sizes = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip() for row in (heads, *rows)
    ]
    return [lines[0], "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * max(map(len, lines)), *lines[1:], ""]


def summary(page: Evaluation) -> tuple[list[str], list[list[str]]]:
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
                    _head(first),
                    _value(first, page.subject),
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


def _value(row: Row, label: str) -> str:
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


def _head(row: Row) -> str:
    unit = f" ({row.measure.unit})" if row.measure.unit else ""
    return f"{row.measure.label}{unit}"


def balance(rows: list[Row]) -> str:
    """How often it is better than a baseline, not different from it, and worse."""
    better, alike, worse = (sum(len(getattr(row, name)) for row in rows) for name in ("better", "alike", "worse"))
    return f"+{better} ={alike} \N{MINUS SIGN}{worse}"


def details_table(page: Evaluation) -> tuple[list[str], list[list[str]]]:
    """A row for each number, with intervals."""
    heads = ["section", "question", "answers", "number", *page.labels, "result"]
    rows = []
    for row in page.rows:
        point = f": {row.point}" if row.point else ""
        cells = [_value(row, label) for label in page.labels]
        rows.append(
            [
                f"{row.document.document} {row.criterion.section}",
                f"{row.criterion.title}{point}",
                row.measure.section,
                _head(row),
                *cells,
                balance([row]) if row.measure.better else "",
            ]
        )
    return heads, rows
