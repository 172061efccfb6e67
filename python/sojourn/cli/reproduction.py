"""``sojourn reproduce`` and ``sojourn list papers``."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from .. import papers
from ..papers import Claim, Reproduction
from .guard import print_json
from .progress import progress_bar

__all__ = ["reproduce", "show_list"]


def show_list(*, as_json: bool, keys_only: bool) -> None:
    """List the papers with their experiments."""
    found = {key: papers.load(key) for key in papers.find()}
    if keys_only:
        print("\n".join(found))
    elif as_json:
        print_json([_about(key, paper) for key, paper in found.items()])
    elif not found:
        print("no papers: there is no papers/ directory here", file=sys.stderr)
    else:
        for key, paper in found.items():
            print(f"{key:<16}{paper.title}\n{'':16}{paper.citation}")
            for experiment in paper.experiments:
                print(f"{'':16}  {experiment.name}: {experiment.doc}")


def _about(key: str, paper: papers.Paper) -> dict[str, Any]:
    experiments = [{"name": experiment.name, "doc": experiment.doc} for experiment in paper.experiments]
    return {"key": key, "title": paper.title, "citation": paper.citation, "experiments": experiments}


def reproduce(
    key: str, *, only: Sequence[str] | None, full: bool, workers: int | None, as_json: bool, report: Path | None
) -> None:
    """Run a paper's experiments and print the claims; exit code 1 if one differs."""
    with progress_bar() as progress:
        done = papers.reproduce(
            key,
            only=only,
            quick=not full,
            workers=workers,
            progress=progress,
            started=lambda experiment: print(f"{key}: {experiment.name} ...", file=sys.stderr),
        )
    if as_json:
        print_json(_json(done))
    else:
        _show(done)
    if report is not None:
        from . import reports

        reports.write_reproduction(report, done)
    if done.differs:
        raise typer.Exit(1)


def _json(done: Reproduction) -> dict[str, Any]:
    return {
        "key": done.key,
        "title": done.paper.title,
        "quick": done.quick,
        "claims": [
            {
                "experiment": claim.experiment,
                "claim": claim.text,
                "verdict": claim.verdict,
                "published": claim.published,
                "ours": claim.ours.mean if claim.ours else None,
                "half_width": claim.ours.half_width if claim.ours else None,
                "runs": claim.ours.n if claim.ours else None,
                "source": claim.source,
                "note": claim.note,
            }
            for claim in done.claims
        ],
    }


def _show(done: Reproduction) -> None:
    from . import tables

    console = tables.console()
    runs = "few runs (--quick)" if done.quick else "as many runs as the paper"
    console.print(f"{done.key}: {done.paper.title}, {runs}")
    table = tables.empty_table("claim", "paper", "ours", "verdict", "source")
    experiment = ""
    for claim in done.claims:
        if claim.experiment != experiment:
            experiment = claim.experiment
            table.add_row(f"[{experiment}]", end_section=False)
        published, ours = _numbers(claim)
        table.add_row(f"  {claim.text}", published, ours, claim.verdict, claim.source)
        if claim.note:
            table.add_row(f"    {claim.note}")
    tables.print_table(console, table)
    counts = {
        verdict: sum(claim.verdict == verdict for claim in done.claims) for verdict in ("holds", "explained", "differs")
    }
    print(", ".join(f"{count} {'hold' if verdict == 'holds' else verdict}" for verdict, count in counts.items()))


def _numbers(claim: Claim) -> tuple[str, str]:
    """Published number and ours with its interval, in the claim's unit, to figures that mean something."""
    unit = f" {claim.unit}" if claim.unit else ""
    published = "" if claim.published is None else f"{claim.published * claim.factor:.4g}{unit}"
    if claim.ours is None:
        return published, ""
    mean, half = claim.ours.mean * claim.factor, claim.ours.half_width * claim.factor
    if math.isfinite(half) and half > 0.0:
        decimals = min(max(1 - math.floor(math.log10(half)), 0), 4)
        return published, f"{mean:.{decimals}f} ± {half:.{decimals}f}{unit}"
    return published, f"{mean:.4g}{unit}"
