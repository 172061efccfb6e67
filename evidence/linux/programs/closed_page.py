"""The part of docs/linux.md about the closed loop, and its two scores."""

from __future__ import annotations

from pathlib import Path
from string import Template

import closed_again
import closed_pairs
import closed_phase
import closed_plan
import closed_runs
import closed_settings
import closed_tables
import closed_twins
import closed_verdicts
import short_flows
from closed_verdicts import Row

HERE = Path(__file__).resolve().parent
HEAD = closed_tables.head(
    ("setting", "runs", "mean queue (packets)", "losses (%)", "marks (%)", "Jain's index", "share of CUBIC"), words=7
)
# The name of each part in the page's first table.
CALLED = {
    "known": "known: we looked for the causes of differences",
    "earlier": "earlier draws: drawn at random; in some we looked for causes later",
    "fresh": "fresh: drawn at random, and looked at after that work",
}
Parts = dict[str, list[Row]]


def measured() -> Parts:
    """The measurements of each part of the settings."""
    runs = closed_runs.read()
    return {name: closed_verdicts.rows_of(settings(), runs) for name, settings in closed_settings.PARTS.items()}


def planned() -> int:
    """The runs of the kernel that all settings are to get."""
    runs = closed_runs.read()
    settings = (one for part in closed_settings.PARTS.values() for one in part())
    return sum(closed_plan.wanted(one, runs[one.name]["ours"]) for one in settings if one.name in runs)


def scores(parts: Parts) -> str:
    """The table of all parts with which the page begins."""
    lines = [closed_tables.head(("closed loops", "number", "cells", "agree", "differ", "need more runs"))]
    lines += [f"| {CALLED[name]} | {closed_verdicts.score(rows).counts} |" for name, rows in parts.items() if rows]
    return "\n".join(lines)


def rows_text(rows: list[Row]) -> str:
    """A table of settings."""
    return "\n".join([HEAD, *(row.text for row in rows)])


def section(parts: Parts) -> str:
    """The whole part of the page."""
    known = parts["known"]
    everything = [row for rows in parts.values() for row in rows]
    words = Template((HERE / "linux_closed.md").read_text())
    return words.substitute(
        scores=closed_tables.scores(parts),
        runs=f"{sum(row.runs[0] for row in everything):,}",
        fewest=min(row.runs[0] for row in everything),
        highest=max(row.runs[0] for row in everything),
        planned=f"{planned():,}",
        least=closed_plan.LEAST,
        least_sfb=closed_plan.LEAST_OF_TWO_MODES,
        most=closed_plan.MOST,
        least_ours=closed_plan.LEAST_OURS,
        most_ours=closed_plan.OURS,
        copies=len(closed_verdicts.near_copies(everything)),
        ratios=closed_tables.ratios(everything),
        by_rate=closed_tables.by_rate(everything),
        pairs_least=closed_pairs.LEAST,
        pairs=closed_pairs.table(),
        twins=closed_twins.RUNS,
        follows=f"{closed_twins.FOLLOWS:g}",
        **closed_pairs.counts(),
        short=short_flows.table(),
        short_runs=short_flows.RUNS,
        short_each=short_flows.OF_EACH,
        again=closed_again.table(),
        again_runs=closed_again.RUNS,
        again_ours=closed_plan.OURS,
        **closed_again.counts(),
        moments=closed_phase.table(),
        moments_later=closed_phase.later(),
        phase=f"{closed_phase.settings()[0].phase_us:.1f}",
        near=f"{closed_phase.NEAR_US:g}",
        first=closed_settings.DRAWS[0].number,
        draws=", ".join(f"{draw.number} by the seed {draw.seed}" for draw in closed_settings.DRAWS),
        earlier=rows_text(parts["earlier"]),
        seed=closed_settings.FRESH.seed,
        most_fast=closed_settings.FRESH.fast,
        most_flows=closed_settings.FRESH.many,
        fresh=rows_text(parts["fresh"]),
        mixed=rows_text([row for row in known if len(row.setting.controls) > 1]),
        rows=rows_text([row for row in known if len(row.setting.controls) == 1]),
    )
