"""The part of docs/linux.md about the closed loop, and its two scores."""

from __future__ import annotations

from pathlib import Path
from string import Template

import closed_runs
import closed_settings
import closed_verdicts
from closed_verdicts import Row

HERE = Path(__file__).resolve().parent
HEAD = """| setting | runs | mean queue (packets) | loss (%) | marks (%) | Jain's index | share of the first |
|---|---|---|---|---|---|---|
"""


def measured() -> tuple[list[Row], list[Row]]:
    """What was measured of the settings that causes were looked for in, and of the fresh ones."""
    known = closed_runs.read()
    return (
        closed_verdicts.rows_of(closed_settings.known(), known),
        closed_verdicts.rows_of(closed_settings.fresh(), known),
    )


def scores(known: list[Row], fresh: list[Row]) -> str:
    """Both, in words, as the page begins with them."""
    parts = [
        f"**In {len(rows)} {what}, {closed_verdicts.score(rows).text}.**"
        for what, rows in (
            ("closed loops in which we looked for the causes of differences", known),
            ("closed loops that were drawn at random and run only after that work", fresh),
        )
        if rows
    ]
    return "\n\n".join(parts)


def rows_text(rows: list[Row]) -> str:
    """A table of settings."""
    return HEAD + "\n".join(row.text for row in rows)


def section(known: list[Row], fresh: list[Row]) -> str:
    """The whole part."""
    mixed = [row for row in known if len(row.setting.controls) > 1]
    plain = [row for row in known if len(row.setting.controls) == 1]
    words = Template((HERE / "linux_closed.md").read_text())
    return words.substitute(
        scores=closed_verdicts.scores(known, fresh),
        ratios=closed_verdicts.ratios([*known, *fresh]),
        seed=closed_settings.FRESH_SEED,
        fresh=rows_text(fresh),
        mixed=rows_text(mixed),
        rows=rows_text(plain),
    )
