"""Claims of a paper, and what became of them here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from markupsafe import Markup

from sojourn.claims import VERDICTS, Claim, Verdict, factor
from sojourn.report.tables import interval_cell, number
from sojourn.report.templates import render

# A sign for each verdict.
_SIGNS: Final[dict[Verdict, str]] = {"holds": "✓", "fails": "✕", "contradicted": "≠", "undecided": "?", "shown": "·"}


def claims_html(
    claims: Sequence[Claim],
    docs: Mapping[str, str] | None = None,
    in_full: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """A count of the verdicts, and a table of the claims of each experiment.

    `docs` says what the experiments are; `in_full` has the verdicts of a full run, by experiment and text.
    """
    if not claims:
        return '<p class="empty">No claim has been checked.</p>'
    known = docs or {}
    names = dict.fromkeys(claim.experiment for claim in claims)
    experiments = [
        _experiment(name, known.get(name, ""), [claim for claim in claims if claim.experiment == name], in_full or {})
        for name in names
    ]
    return str(render("claims.html", tally=tally(claims), experiments=experiments, signs=_SIGNS))


def tally(claims: Sequence[Claim]) -> list[tuple[Verdict, int, str]]:
    """Verdicts that occur, how often under the readings of the experiments, and the words."""
    counts = {verdict: sum(claim.verdict == verdict and not claim.reading for claim in claims) for verdict in VERDICTS}
    return [
        (verdict, count, verdict if count == 1 else VERDICTS[verdict]) for verdict, count in counts.items() if count
    ]


def _experiment(name: str, doc: str, claims: Sequence[Claim], in_full: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.text, []).append(claim)
    rows = [
        {**_row(sorted(group, key=lambda claim: claim.reading != "")), "in_full": in_full.get((name, text), "")}
        for text, group in groups.items()
    ]
    published = any(claim.published is not None for claim in claims)
    return {"name": name, "doc": doc.rstrip("."), "claims": rows, "has_published": published}


def _row(group: Sequence[Claim]) -> dict[str, Any]:
    claim, others = group[0], [claim for claim in group[1:] if claim.reading]
    turned = sum(other.verdict != claim.verdict for other in others)
    parts = ["Evidence"] if _evidence(claim) else []
    if others:
        many = "1 other reading" if len(others) == 1 else f"{len(others)} other readings"
        parts.append(many + (f", {turned} with another verdict" if turned else ""))
    paper = number(None) if claim.published is None else number(claim.published * factor(claim.unit)) + _unit(claim)
    return {
        "text": claim.text,
        "source": claim.source,
        "evidence": _evidence(claim),
        "folded": " and ".join(parts),
        "printed": claim.published is not None,
        "counted": claim.ours is not None,
        "published": Markup(paper),  # noqa: S704 - made here
        "ours": Markup(_ours(claim)),  # noqa: S704
        "verdict": claim.verdict,
        "readings": [
            {
                "name": other.reading,
                "ours": Markup(_ours(other)),  # noqa: S704
                "verdict": other.verdict,
                "turned": other.verdict != claim.verdict,
                "evidence": other.note,
            }
            for other in others
        ],
    }


def _evidence(claim: Claim) -> str:
    rule = f"Rule: {claim.rule}." if claim.rule else ""
    p = f"p {'<' if claim.p < 1e-4 else '='} {max(claim.p, 1e-4):.2g}." if claim.p is not None else ""
    return " ".join(part for part in (rule, p, claim.note) if part)


def _unit(claim: Claim) -> str:
    return f' <span class="unit">{escape(claim.unit)}</span>' if claim.unit else ""


def _ours(claim: Claim) -> str:
    ours, scale = claim.ours, factor(claim.unit)
    if ours is None:
        return number(None)
    ends = [end * scale if math.isfinite(end) else None for end in (ours.low, ours.high)]
    return interval_cell(ours.mean * scale, *ends) + _unit(claim)
