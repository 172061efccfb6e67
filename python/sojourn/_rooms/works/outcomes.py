"""The scoreboard's table of sentences by outcome, and the meanings of the outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .sentences import OUTCOMES, WORDS, Verdict, best_reading, count

__all__ = ["Spoken", "opening", "table"]

_BEST = (
    "Sentences that depend on the reading may do so on different ones, which exclude each other. Under its best "
    "*single* reading a work has:"
)

_LEFT_OUT = "left out"
"""Of statements that are not counted among the sentences."""

_OPENING = (
    "A work consists of sentences. A claim is a statement that a program can judge: one metric, one order, one "
    "bound. The verdict of a sentence follows from the claims beneath it, and a sentence is counted once, however "
    "many claims it has. A statement of the abstract or the conclusion is about other sentences and is not counted "
    "again. These are the outcomes of a sentence:"
)


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """A work with its sentences.

    Attributes
    ----------
    name
        The name in the table, with a link.
    verdicts
        Of its sentences; none where it was not run in full.
    when
        Version and date of the full run, or why there is none.
    left_out
        The number of statements that have no verdict.
    """

    name: str
    verdicts: Sequence[Verdict]
    when: str
    left_out: int = 0


def opening() -> list[str]:
    """The words before the table: a line for each outcome, too."""
    return [_OPENING, "", *_meanings()]


def _meanings() -> list[str]:
    return [
        *(f"- *{WORDS[outcome][0]}*: {meaning}." for outcome, meaning in OUTCOMES.items()),
        "",
        f"Statements {_LEFT_OUT}, each with a reason, are in `not-tested.toml` of the work, and at the end of its "
        "report. They are not counted among the sentences.",
    ]


def table(works: Sequence[Spoken]) -> str:
    """A line for each work, and the sum; a statement of an abstract summarises other sentences and is not counted."""
    head = ["work", "sentences", *(several for _, several in WORDS.values()), _LEFT_OUT, "version, date"]
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 2)}---|"]
    lines += [_row(work.name, [work.verdicts], work.left_out, work.when) for work in works]
    if len(works) > 1:
        lines.append(_row("together", [work.verdicts for work in works], sum(work.left_out for work in works), ""))
    best = [_best(work) for work in works if work.verdicts]
    said = [_summary(works), ""] if len(works) > 1 and best else []
    return "\n".join([*said, *lines, *(["", _BEST, "", *best] if best else [])]) + "\n"


def _summary(works: Sequence[Spoken]) -> str:
    """The sums in words, without sentences that the sources do not say."""
    counts = count(one for work in works for one in work.verdicts)
    many = sum(counts.values()) - counts["beyond"]
    return (
        f"Of {many} sentences of the sources {counts['holds'] + counts['fitted']} hold ({counts['fitted']} of them "
        f"fitted), {counts['partly']} hold in part, and {counts['fails']} fail; {counts['depends']} depend on the "
        f"reading, {counts['bound']} on our bound, {counts['contradicted']} are contradicted by their source, and "
        f"{counts['undecided']} ({counts['undecided'] / many:.1%}) are undecided."
    ).replace("%", " %")


def _best(work: Spoken) -> str:
    """The sentences that hold under the best single reading of a work, beside the first one and all together."""
    counts = count(work.verdicts)
    judged = sum(counts.values()) - counts["not testable"] - counts["beyond"]
    first = counts["holds"] + counts["fitted"]
    name, many = best_reading(work.verdicts)
    best = f'{many} with "{name}", {first} as run' if name else f"{many} as run, more than with any other reading"
    return f"- {work.name}: {best}, of {judged}; {first + counts['depends']} hold under some reading."


def _row(name: str, verdicts: Sequence[Sequence[Verdict]], left_out: int, when: str) -> str:
    counts = count(one for own in verdicts for one in own)
    total = sum(counts.values())
    cells = [name, *(str(many) if total else "" for many in (total, *counts.values(), left_out)), when]
    return f"| {' | '.join(cells)} |"
