"""The sentences of a work in its report: those of its abstract and conclusion first, then all with their claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from ..showing.report.page import Report
from ..showing.report.templates import render
from .sentence_verdicts import Sentenced
from .sentences import OUTCOMES, ClaimRecord, Verdict, count, plural

__all__ = ["add_sentences", "all_html", "class_of", "headlines_html", "outcomes"]

_CLASSES: Final = {
    "partly": "partly",
    "depends": "depends",
    "bound": "depends",
    "cannot tell": "tell",
    "not measured": "measured",
    "not run": "measured",
    "not testable": "untestable",
    "beyond": "beyond",
}
"""Colours of all outcomes, also of those that are not verdicts of claims."""


def add_sentences(
    report: Report, judged: Sentenced, heading: str, text: str = "", *, headlines: bool = False
) -> Report:
    """Add the sentences of a work to a report, one verdict each: all, or those of its abstract and conclusion."""
    return report.add_html(heading, text, headlines_html(judged) if headlines else all_html(judged, report.keep))


def headlines_html(judged: Sentenced) -> Markup:
    """The statements of the abstract and the conclusion, one verdict each."""
    rows = [_row(one, judged.in_full, keep=None) for one in judged.headlines]
    return render("sentences.html", head="Statement", rows=rows, tally=[], meanings=[])


def all_html(judged: Sentenced, keep: Callable[[str], int]) -> Markup:
    """The number of sentences with each outcome, and all of them; the claims beneath them go to `keep`."""
    tally = outcomes(judged)
    meanings = [
        (class_of(outcome), plural(outcome, 1), f"{OUTCOMES[outcome]}.")
        for outcome, many in count(judged.verdicts).items()
        if many
    ]
    rows = [_row(one, judged.in_full, keep=keep) for one in judged.others]
    return render("sentences.html", head="Sentence", rows=rows, tally=tally, meanings=meanings)


def outcomes(judged: Sentenced | None) -> list[tuple[str, int, str]]:
    """The outcomes of a work's sentences: class, number, words."""
    counts = count(judged.verdicts) if judged is not None else {}
    return [(class_of(outcome), many, plural(outcome, many)) for outcome, many in counts.items() if many]


def class_of(outcome: str) -> str:
    """The class of an outcome in the style of a page."""
    return _CLASSES.get(outcome, outcome)


def _row(one: Verdict, in_full: Mapping[str, str], keep: Callable[[str], int] | None) -> dict[str, Any]:
    full = in_full.get(one.sentence.text, "")
    claims = one.claims if keep else ()
    return {
        "text": one.sentence.text,
        "source": one.sentence.source,
        "note": one.sentence.note,
        "outcome": class_of(one.outcome),
        "short": one.short,
        "more": one.more,
        "in_full": full if full != one.words else "",
        "folded": _folded(claims),
        "fold": keep(str(render("beneath.html", claims=[_claim(claim) for claim in claims]))) if keep and claims else 0,
    }


def _folded(claims: Sequence[ClaimRecord]) -> str:
    """The line of the fold: the number of claims and their verdicts."""
    if not claims:
        return ""
    if len(claims) == 1:
        return "1 claim"
    holding = sum(claim.verdict in ("holds", "fitted") for claim in claims)
    return f"{len(claims)} claims, {holding or 'none'} of which hold{'s' if holding < 2 else ''}"


def _claim(claim: ClaimRecord) -> dict[str, str]:
    """A claim with the readings that turn its verdict."""
    turned: dict[str, list[str]] = {}
    for name, verdict in claim.readings.items():
        if verdict != claim.verdict:
            turned.setdefault(verdict, []).append(f'"{name}"')
    readings = "; ".join(f"{verdict} with {', '.join(names)}" for verdict, names in turned.items())
    return {
        "experiment": claim.experiment,
        "text": claim.text,
        "verdict": claim.verdict,
        "readings": "; ".join(filter(None, (claim.open, readings))),
    }
