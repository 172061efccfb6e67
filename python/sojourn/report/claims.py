"""Claims of a paper, and what became of them here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Final

from sojourn.claims import VERDICTS, Claim, Verdict, factor
from sojourn.report.tables import interval_cell, number

# A sign for each verdict.
_SIGNS: Final[dict[Verdict, str]] = {"holds": "✓", "fails": "✕", "contradicted": "≠", "undecided": "?", "shown": "·"}


def claims_html(claims: Sequence[Claim]) -> str:
    """A count of the verdicts and a table of the claims."""
    if not claims:
        return '<p class="empty">No claim has been checked.</p>'
    rows = []
    experiment, verdict = "", ""
    for claim in claims:
        if claim.experiment != experiment:
            experiment = claim.experiment
            rows.append(f'<tr class="group"><th scope="rowgroup" colspan="4">{escape(experiment)}</th></tr>')
        if not claim.reading:
            verdict = claim.verdict
        rows.append(_reading(claim, turned=claim.verdict != verdict) if claim.reading else _row(claim))
    return (
        f'{_tally(claims)}<div class="scroll"><table class="claims"><thead><tr><th scope="col">Claim</th>'
        '<th scope="col" class="n">Paper</th><th scope="col" class="n">Here, with 95 % interval</th>'
        f'<th scope="col">Verdict</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _tally(claims: Sequence[Claim]) -> str:
    counts = {verdict: sum(claim.verdict == verdict and not claim.reading for claim in claims) for verdict in VERDICTS}
    items = "".join(
        f'<li class="badge {verdict}"><b>{count}</b> {verdict if count == 1 else VERDICTS[verdict]}</li>'
        for verdict, count in counts.items()
        if count
    )
    parts = "".join(f'<span class="{verdict}" style="flex:{n}"></span>' for verdict, n in counts.items() if n)
    return f'<div class="tally"><ul>{items}</ul><div class="share" aria-hidden="true">{parts}</div></div>'


def _row(claim: Claim) -> str:
    paper = number(None) if claim.published is None else number(claim.published * factor(claim.unit)) + _unit(claim)
    where = f'<span class="where">{escape(claim.source)}</span>' if claim.source else ""
    evidence = ""
    if said := _evidence(claim):
        evidence = f"<details><summary>Evidence</summary><p>{escape(said)}</p></details>"
    return (
        f'<tr><th scope="row">{escape(claim.text)}{where}{evidence}</th>'
        f'<td class="n" data-label="Paper"><span>{paper}</span></td>'
        f'<td class="n" data-label="Here"><span>{_ours(claim)}</span></td>'
        f'<td data-label="Verdict">{_badge(claim)}</td></tr>'
    )


def _evidence(claim: Claim) -> str:
    rule = f"Rule: {claim.rule}." if claim.rule else ""
    p = f"p {'<' if claim.p < 1e-4 else '='} {max(claim.p, 1e-4):.2g}." if claim.p is not None else ""
    return " ".join(part for part in (rule, p, claim.note) if part)


def _reading(claim: Claim, *, turned: bool) -> str:
    """Another reading, with its number and its verdict under those of the claim; `turned` if it is another verdict."""
    said = _evidence(claim)
    title = f' title="{escape(said)}"' if said else ""
    kind = "reading turned" if turned else "reading"
    return (
        f'<tr class="{kind}"{title}><th scope="row" colspan="2">{escape(claim.reading)}</th>'
        f'<td class="n"><span>{_ours(claim)}</span></td><td>{_badge(claim)}</td></tr>'
    )


def _unit(claim: Claim) -> str:
    return f' <span class="unit">{escape(claim.unit)}</span>' if claim.unit else ""


def _ours(claim: Claim) -> str:
    ours, scale = claim.ours, factor(claim.unit)
    if ours is None:
        return number(None)
    ends = [end * scale if math.isfinite(end) else None for end in (ours.low, ours.high)]
    return interval_cell(ours.mean * scale, *ends) + _unit(claim)


def _badge(claim: Claim) -> str:
    sign = f'<i aria-hidden="true">{_SIGNS[claim.verdict]}</i>'
    return f'<span class="badge {claim.verdict}">{sign}{claim.verdict}</span>'
