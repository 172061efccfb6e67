"""The first screen of an evaluation: good and bad uses, a map of questions by baselines, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ..showing.report.first import Fact, HeatRow, first_screen, heat_picture
from .page import Evaluation, Row
from .words import figures, rivals, size_of, uses, with_middle

__all__ = ["headline", "screen", "standfirst"]

_MOST = 2
_LONG = 38
"""Letters of a name of a number, beyond which its row would not fit."""


def headline(page: Evaluation) -> str:
    """The best uses and the worst one."""
    good, bad = uses(page.rows, page.subject)
    words = [str(row.measure.good) for row in good[:_MOST]]
    text = f"{page.subject} is good for {' and '.join(words)}" if words else f"{page.subject} is nowhere ahead"
    return f"{text}; bad for {bad[0].measure.good}" if bad else text


def standfirst(page: Evaluation) -> str:
    """The queue that is better at some questions and worse at none; without one, the best use and the worst."""
    told = zip(("best", "worst"), uses(page.rows, page.subject), strict=True)
    ends = [f"At its {end}: {with_middle(rows[0], page.subject)}." for end, rows in told if rows]
    return rivals(page.questions, page.subject, most=1) or " ".join(ends)


def screen(page: Evaluation) -> Markup:
    """The map, and the facts."""
    others = [label for label in page.labels if label != page.subject]
    counts = {label: _counts(page.rows, label) for label in others}
    columns = sorted(others, key=lambda one: counts[one][1] - counts[one][0])
    questions = [rows for rows in page.questions if rows]
    questions.sort(key=lambda rows: -_lead(rows, others))
    shown = [_heat_row(rows, columns, page.subject) for rows in questions]
    picture = heat_picture(
        _finding(page.subject, columns, counts) if columns else f"{page.subject} alone",
        f"A cell counts the numbers decided for {page.subject} (+) and against it (−), compared with the queue above.",
        columns,
        shown,
        HeatRow("", "all", [_cell(*counts[label]) for label in columns], f"of {len(page.rows)} numbers each"),
        f"largest difference, {page.subject} first",
    )
    return first_screen(picture, _facts(page, counts))


def _finding(subject: str, columns: Sequence[str], counts: dict[str, tuple[int, int]]) -> str:
    first, last = columns[0], columns[-1]
    text = f"{subject} is ahead of {first} in {counts[first][0]} numbers and behind in {counts[first][1]}"
    return f"{text}; of {last} in {counts[last][0]} and {counts[last][1]}" if last != first else text


def _counts(rows: Sequence[Row], label: str) -> tuple[int, int]:
    """Numbers that are decided for the subject, and against it."""
    return sum(label in row.better for row in rows), sum(label in row.worse for row in rows)


def _lead(rows: Sequence[Row], others: Sequence[str]) -> float:
    """By how much a question is for the subject, between −1 and 1 for each baseline."""
    return sum(_cell(*_counts(rows, label))[1] for label in others)


def _cell(plus: int, minus: int) -> tuple[str, float]:
    """The text, and which way it goes."""
    text = " ".join(filter(None, (f"+{plus}" if plus else "", f"−{minus}" if minus else ""))) or "·"
    return text, (plus - minus) / (plus + minus) if plus + minus else 0.0


def _heat_row(rows: Sequence[Row], columns: Sequence[str], subject: str) -> HeatRow:
    criterion, document = rows[0].criterion, rows[0].document.document
    named = document.removeprefix("RFC ") if document.startswith("RFC") else "draft"
    place = criterion.section if named == "7928" else f"{named} {criterion.section}"
    return HeatRow(
        place, criterion.title, [_cell(*_counts(rows, label)) for label in columns], *_largest(rows, subject)
    )


def _largest(rows: Sequence[Row], subject: str) -> tuple[str, str, str, float]:
    """The number with the greatest decided ratio: words, the subject's, the other's, and whether it is for it."""
    found = [
        (size_of(row, one, other), row, one if one != subject else other, sign)
        for row in rows
        for sign, names in ((1.0, row.better), (-1.0, row.worse))
        for label in names
        for one, other in [(subject, label) if sign > 0.0 else (label, subject)]
    ]
    # That a queue is better than none is no news.
    found = [one for one in found if one[2] != "fifo"] or found
    if not found:
        return "", "", "", 0.0
    _, row, other, sign = max(found, key=lambda one: one[0])
    unit = f"\u00a0{row.measure.unit}" if row.measure.unit else ""
    words = f"{row.measure.label}, {row.point}" if row.point else row.measure.label
    words = words if len(words) <= _LONG else row.measure.label
    return (
        f"{words}: ",
        f"{figures(row.mean(subject), 2)}{unit}",
        f", {other} {figures(row.mean(other), 2)}{unit}",
        sign,
    )


def _facts(page: Evaluation, counts: dict[str, tuple[int, int]]) -> list[Fact]:
    _, bad = uses(page.rows, page.subject)
    price = f"{'; '.join(with_middle(row, page.subject) for row in bad[:_MOST])}." if bad else "No use is surely worse."
    ahead, behind = (sum(one[side] for one in counts.values()) for side in (0, 1))
    asked = len(page.rows) * len(counts)
    quick = " (short runs, --quick)" if page.quick else ""
    sure = (
        f"Of {asked} comparisons {ahead} are decided for {page.subject}, {behind} against it; the others show no "
        f"difference that counts. {page.seeds_in_words} each{quick}; of the decisions at most one in 20 is wrong in "
        "the mean. A count says nothing of a size."
    )
    left = [f"{document.document.removeprefix('RFC ')} {one}" for document in page.documents for one in document.left]
    took = f"{page.subject} as it is set; the same buffer and traffic for all."
    return [
        Fact("Price", f"{price[:1].upper()}{price[1:]}"),
        Fact("Certainty", sure),
        Fact("Assumed", f"{took} Not asked: {', '.join(left)}." if left else took),
    ]
