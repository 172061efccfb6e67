"""Claims of a paper, and what became of them here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

from sojourn.report.tables import interval_cell, number

Verdict = Literal["holds", "fails", "undecided", "explained", "shown"]

# Sign and plural of each verdict, in the order in which they are counted.
_VERDICTS: Final[dict[Verdict, tuple[str, str]]] = {
    "holds": ("✓", "hold"),
    "fails": ("✕", "fail"),
    "explained": ("≠", "explained"),
    "undecided": ("?", "undecided"),
    "shown": ("·", "shown"),
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a paper beside our result.

    Attributes
    ----------
    text : str
        The statement, in a sentence.
    verdict : {"holds", "fails", "undecided", "explained", "shown"}
        Undecided: the interval allows both, or the experiment cannot tell. Explained: it differs, and the evidence
        says why. Shown: not judged.
    where : str
        Figure, table or section of the paper.
    paper : float or str, optional
        The paper's value.
    ours, low, high : float, optional
        Our mean and its interval, in the same unit.
    unit : str
    evidence : str
        What the verdict rests on: numbers, replications, deviations from the paper's setting.
    experiment : str
        Claims of one experiment stand together under its name.
    reading : str
        The claim before it, judged under another reading of the paper: a row below that, which is not counted.
    """

    text: str
    verdict: Verdict
    where: str = ""
    paper: float | str | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    evidence: str = ""
    experiment: str = ""
    reading: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in _VERDICTS:
            raise ValueError(f"a verdict is one of {', '.join(_VERDICTS)}, not {self.verdict!r}")


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
    counts = {verdict: sum(claim.verdict == verdict and not claim.reading for claim in claims) for verdict in _VERDICTS}
    items = "".join(
        f'<li class="badge {verdict}"><b>{count}</b> {verdict if count == 1 else _VERDICTS[verdict][1]}</li>'
        for verdict, count in counts.items()
        if count
    )
    parts = "".join(f'<span class="{verdict}" style="flex:{n}"></span>' for verdict, n in counts.items() if n)
    return f'<div class="tally"><ul>{items}</ul><div class="share" aria-hidden="true">{parts}</div></div>'


def _row(claim: Claim) -> str:
    unit = _unit(claim)
    if claim.paper is None:
        paper = number(None)
    else:
        paper = escape(claim.paper) if isinstance(claim.paper, str) else number(claim.paper) + unit
    where = f'<span class="where">{escape(claim.where)}</span>' if claim.where else ""
    evidence = ""
    if claim.evidence:
        evidence = f"<details><summary>Evidence</summary><p>{escape(claim.evidence)}</p></details>"
    return (
        f'<tr><th scope="row">{escape(claim.text)}{where}{evidence}</th>'
        f'<td class="n" data-label="Paper"><span>{paper}</span></td>'
        f'<td class="n" data-label="Here"><span>{_ours(claim)}</span></td>'
        f'<td data-label="Verdict">{_badge(claim)}</td></tr>'
    )


def _reading(claim: Claim, *, turned: bool) -> str:
    """Another reading, with its number and its verdict under those of the claim; `turned` if it is another verdict."""
    title = f' title="{escape(claim.evidence)}"' if claim.evidence else ""
    kind = "reading turned" if turned else "reading"
    return (
        f'<tr class="{kind}"{title}><th scope="row" colspan="2">{escape(claim.reading)}</th>'
        f'<td class="n"><span>{_ours(claim)}</span></td><td>{_badge(claim)}</td></tr>'
    )


def _unit(claim: Claim) -> str:
    return f' <span class="unit">{escape(claim.unit)}</span>' if claim.unit else ""


def _ours(claim: Claim) -> str:
    return number(None) if claim.ours is None else interval_cell(claim.ours, claim.low, claim.high) + _unit(claim)


def _badge(claim: Claim) -> str:
    sign = f'<i aria-hidden="true">{_VERDICTS[claim.verdict][0]}</i>'
    return f'<span class="badge {claim.verdict}">{sign}{claim.verdict}</span>'
