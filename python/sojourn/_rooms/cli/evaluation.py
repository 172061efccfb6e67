"""An evaluation on a screen: a line for each question, and the uses for which the subject is good or bad."""

from __future__ import annotations

from ..evaluate.page import Evaluation, Row
from ..evaluate.table_rows import head, summary_rows, value
from ..evaluate.words import rivals, sentence
from ..showing.text import layout
from ..showing.text.prose import print_wrapped

__all__ = ["show"]


def show(page: Evaluation, *, details: bool) -> None:
    """Print the summary, or with `details` every number."""
    if details:
        heads, rows = details_table(page)
        layout.print_in_parts(layout.console(), heads, rows, labels=2)
    else:
        print("\n".join(_laid(*summary_rows(page))))
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
        cells = [value(row, label) for label in page.labels]
        rows.append(
            [
                f"{row.document.document} {row.criterion.section}",
                f"{row.criterion.title}{point}",
                row.measure.section,
                head(row),
                *cells,
                balance([row]) if row.measure.better else "",
            ]
        )
    return heads, rows
