"""Claims of a paper, and their verdicts here."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from ..showing.report.page import Report
from ..showing.report.tables import interval_cell, number
from ..showing.report.templates import render
from ..statistics.samples import with_unit
from .claims import VERDICTS, Claim, Verdict, factor
from .forest import forest

_VALUE = re.compile(r'<span class="v">(.*?)</span>')
"""In tables of differences the value is set off; here it is not."""

Keep = Callable[[str], int]
"""Keeps a text packed in the page, and returns its place."""


def add_claims(
    report: Report,
    claims: Sequence[Claim],
    heading: str = "Claims of the paper",
    text: str = "",
    docs: Mapping[str, str] | None = None,
    in_full: Mapping[tuple[str, str], str] | None = None,
) -> Report:
    """Add the paper's values beside ours to a report, with a verdict for each.

    `docs` describes each experiment; `in_full` has the verdicts of a full run, by experiment and text.
    """
    return report.add_html(heading, text, claims_html(claims, report.keep, docs, in_full))


def claims_html(
    claims: Sequence[Claim],
    keep: Keep,
    docs: Mapping[str, str] | None = None,
    in_full: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """A count of the verdicts, and a table of the claims of each experiment.

    The content of the folds goes to `keep`: it is two thirds of the text of a work with many readings, and alike.
    `docs` describes the experiments; `in_full` has the verdicts of a full run, by experiment and text.
    """
    if not claims:
        return '<p class="empty">No claim has been checked.</p>'
    known = docs or {}
    names = dict.fromkeys(claim.experiment for claim in claims)
    experiments = [
        _experiment(
            name, known.get(name, ""), [claim for claim in claims if claim.experiment == name], keep, in_full or {}
        )
        for name in names
    ]
    folds = any(claim["fold"] is not None for one in experiments for claim in one["claims"])
    return str(render("claims.html", tally=tally(claims), experiments=experiments, folds=folds))


def tally(claims: Sequence[Claim]) -> list[tuple[Verdict, int, str]]:
    """Verdicts that occur, how often under the readings of the experiments, and the words."""
    counts = {verdict: sum(claim.verdict == verdict and not claim.reading for claim in claims) for verdict in VERDICTS}
    return [
        (verdict, count, verdict if count == 1 else VERDICTS[verdict]) for verdict, count in counts.items() if count
    ]


def _experiment(
    name: str, doc: str, claims: Sequence[Claim], keep: Keep, in_full: Mapping[tuple[str, str], str]
) -> dict[str, Any]:
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.text, []).append(claim)
    rows = [
        {**_row(sorted(group, key=lambda claim: claim.reading != ""), keep), "in_full": in_full.get((name, text), "")}
        for text, group in groups.items()
    ]
    return {
        "name": name,
        "doc": doc.rstrip("."),
        "claims": rows,
        "has_published": any(claim.in_the_work is not None for claim in claims),
        "has_forest": any(row["forest"] for row in rows),
    }


def _row(group: Sequence[Claim], keep: Keep) -> dict[str, Any]:
    claim, others = group[0], [claim for claim in group[1:] if claim.reading]
    evidence, readings = _evidence(claim), [_reading(other, claim) for other in others]
    turned = sum(other.turned for other in others)
    parts = ["Evidence"] if evidence else []
    if others:
        many = "1 other reading" if len(others) == 1 else f"{len(others)} other readings"
        parts.append(many + (f", {turned} with another verdict" if turned else ""))
    work = claim.in_the_work
    paper = number(None if work is None else work * factor(claim.unit))
    paper += "" if work is None else _unit(claim, one=paper == "1")
    paper += '<span class="where">by its numbers</span>' if claim.published is None and work is not None else ""
    return {
        "text": claim.text,
        "source": claim.source,
        "folded": " and ".join(parts),
        "bare": not others,
        "fold": keep(str(render("fold.html", evidence=evidence, readings=readings))) if parts else None,
        "printed": work is not None,
        "counted": claim.ours is not None,
        "published": Markup(paper),  # noqa: S704 - made here
        "ours": Markup(_ours(claim)),  # noqa: S704
        "number": claim.number if claim.ours is not None else "",
        "forest": forest(claim),
        "verdict": claim.verdict,
        "alone": "fails" if claim.alone == "contradicted" else claim.alone,
    }


def _reading(other: Claim, claim: Claim) -> dict[str, Any]:
    return {
        "name": other.reading,
        "ours": Markup(_ours(other)),  # noqa: S704 - made here
        "verdict": other.verdict,
        "turned": other.turned,
        "there": other.beside.verdict if other.beside and other.beside.verdict != claim.verdict else "",
        "evidence": other.note,
    }


def _evidence(claim: Claim) -> str:
    rule = f"Rule: {claim.rule}." if claim.rule else ""
    p = f"p {'<' if claim.p < 1e-4 else '='} {max(claim.p, 1e-4):.2g}" if claim.p is not None else ""
    p += f", in {claim.ours.n} runs." if p and claim.ours is not None and claim.ours.n else "." if p else ""
    note = f"{claim.note[:1].upper()}{claim.note[1:].rstrip('.')}." if claim.note else ""
    return " ".join(part for part in (rule, p, note) if part)


def _unit(claim: Claim, *, one: bool = False) -> str:
    unit = with_unit("1", claim.unit).removeprefix("1 ") if one else claim.unit
    return f' <span class="unit">{escape(unit)}</span>' if unit else ""


def _ours(claim: Claim) -> str:
    ours, scale = claim.ours, factor(claim.unit)
    if ours is None:
        return number(None)
    ends = [end * scale if math.isfinite(end) else None for end in (ours.low, ours.high)]
    return _VALUE.sub(r"\1", interval_cell(ours.mean * scale, *ends)) + _unit(claim)
