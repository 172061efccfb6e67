"""The closed loop in tables: scores, settings, pairs, second looks, moments of arrival."""

from __future__ import annotations

import closed_plan
import closed_runs
import closed_settings
import closed_tables
import closed_verdicts
from closed_verdicts import Row

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
