"""The results of a search, as sentences and tables for the shell and for the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...statistics.prediction import TOLERANCE
from ..claims import factor as factor_of
from .choices import ORIGINS, Setting
from .findings import Findings
from .investigation import Investigation
from .plan import size
from .score import CAP

__all__ = ["RULE", "TableOf", "asdict", "summary", "tables", "warning"]

RULE = (
    "This explores; it judges nothing. A setting may be adopted only for a reason in the source, or in its simulator "
    "of that year, and only if a table that took no part in the choice supports it."
)

SCORE = (
    "The score adds, for each printed number, the squared distance from the prediction for one run like the work's "
    f"under the setting, in standard deviations of that prediction, at most {CAP:g}. The deviation has the spread of "
    f"runs, the printed error or the rounding, and {TOLERANCE:.0%} of the number, by which two simulators that agree "
    "may lie apart. About 1 for each number is as good as can be."
)

_MOST = 12
"""Numbers out of reach that are listed."""


@dataclass(frozen=True)
class TableOf:
    """A table for people."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: str = ""


def summary(found: Findings) -> str:
    """The settings that were tried, and the rank of the setting taken."""
    count, tried = len(found.numbers), len(found.settings)
    first = "" if found.alone else "an orthogonal array, then "
    how = (
        "every setting"
        if found.complete
        else f"{tried} of {size(found.factors)} settings: {first}the neighbours of the best"
    )
    stopped = " The budget ended the search before it was done." if found.stopped else ""
    taken, best = found.taken, found.best
    inside, of = found.inside(taken.setting)
    best_inside, _ = found.inside(best.setting)
    return (
        f"{count} printed numbers under {how}, {len(found.seeds)} seeds each.{stopped} The setting taken ranks "
        f"{taken.rank} of {tried}: its score is {taken.score:.0f}, that of the best {best.score:.0f}. With "
        f"{len(found.fresh)} fresh seeds {inside} of {of} printed numbers lie in the 95 % prediction interval of the "
        f"setting taken, and {best_inside} in that of the best."
    )


def warning(found: Findings) -> str:
    """A warning where the setting taken is in the worse half."""
    if not found.below_the_middle:
        return ""
    return (
        f"The setting taken ranks below the middle ({found.taken.rank} of {len(found.settings)}): the printed numbers "
        "speak against it."
    )


def tables(found: Findings) -> Iterator[TableOf]:
    """All tables of a part, in the order in which a reader needs them."""
    yield _best(found)
    yield _effects(found)
    yield _by_row(found)
    groups = found.groups()
    if len(groups) > 1:
        yield _groups(found)
    if found.held_out:
        yield _held_out(found)
    if found.out_of_reach:
        yield _out_of_reach(found)


def _best(found: Findings) -> TableOf:
    ranked = found.ranked()
    wanted = ranked[:5] + ([found.taken] if found.taken.rank > 5 else [])
    rows = []
    for one in wanted:
        inside, of = found.inside(one.setting)
        fresh = found.confirmed_score(one.setting)
        rows.append(
            [
                str(one.rank),
                f"{one.score:.0f}",
                "" if fresh is None else f"{fresh:.0f}",
                f"{inside} of {of}",
                found.in_words(one.setting),
            ]
        )
    return TableOf(
        "The best settings",
        ["rank", "score", "fresh seeds", "in the interval", "how it differs from the setting taken"],
        rows,
        "The search chose by the first score; the second is of seeds that took no part in the choice.",
    )


def _effects(found: Findings) -> TableOf:
    rows = [
        [
            one.factor.name,
            one.factor.choices[one.choice].name + (" (taken)" if one.choice == one.factor.taken else ""),
            f"{one.change:+.0f}",
            ORIGINS[one.factor.choices[one.choice].origin],
        ]
        for one in found.effects
    ]
    return TableOf(
        "The effect of each choice",
        ["open", "choice", "score", "where it comes from"],
        rows,
        (
            "The score of the setting taken with this choice alone changed, less its own: "
            if found.alone
            else "The mean score of the settings with this choice, less the mean of all "
            f"{found.planned} settings of the plan: "
        )
        + "a choice with a negative number brings ours nearer to the printed numbers.",
    )


def _by_row(found: Findings) -> TableOf:
    taken, best = found.taken.setting, found.best.setting
    places = {setting: list(found.settings).index(setting) for setting in (taken, best)}
    rows = []
    for place, row in enumerate(found.rows):
        own = found.by_row[:, place]
        least = int(own.argmin())
        rows.append(
            [
                row.title,
                str(len(row.numbers)),
                f"{own[places[taken]]:.0f}",
                f"{own[places[best]]:.0f}",
                f"{own[least]:.0f}",
                "" if found.settings[least] in (taken, best) else found.in_words(found.settings[least]),
            ]
        )
    return TableOf(
        "The score of each row",
        ["row", "numbers", "as taken", "best of all", "least", "under"],
        rows,
    )


def _groups(found: Findings) -> TableOf:
    rows = []
    for group in found.groups():
        inside, of = found.inside(group.setting, group.cells)
        rows.append(
            [
                found.in_words(group.setting),
                f"{group.score:.0f} for {group.numbers} numbers",
                f"{inside} of {of}",
                "; ".join(group.cells),
            ]
        )
    return TableOf(
        "Cells by the setting that suits them",
        ["setting", "score", "in the interval", "cells"],
        rows,
        "No single setting suits all cells. They may come from different scripts of the author, or the text describes "
        "only some of them.",
    )


def _held_out(found: Findings) -> TableOf:
    rows = [
        [
            one.table,
            str(one.numbers),
            f"{one.by_rest:.0f}",
            f"{one.by_taken:.0f}",
            f"{one.at_best:.0f}",
            found.in_words(one.setting),
        ]
        for one in found.held_out
    ]
    return TableOf(
        "Each table left out, and predicted by the rest",
        ["left out", "numbers", "by the rest", "as taken", "least", "setting that the rest prefers"],
        rows,
        "Where the first score is near the least one, the choice is no fit to noise.",
    )


def _out_of_reach(found: Findings) -> TableOf:
    far = sorted(found.out_of_reach, key=lambda one: -one[3])
    rows = []
    for place, case, printed, distance in far[:_MOST]:
        row = found.rows[place]
        scale = factor_of(row.unit)
        rows.append([row.title, case, f"{printed.value * scale:.4g} {row.unit}".strip(), f"{distance:.1f}"])
    left = len(far) - len(rows)
    return TableOf(
        "Numbers that no setting reaches",
        ["row", "at", "printed", "deviations from the nearest"],
        rows,
        f"{len(far)} of {len(found.numbers)} numbers lie more than two deviations from the prediction of every setting."
        + (f" The {len(rows)} farthest are shown." if left else ""),
    )


def asdict(done: Investigation) -> dict[str, object]:
    """All of it for ``--json``."""
    return {
        "key": done.key,
        "seconds": done.seconds,
        "budget_s": done.budget,
        "parts": [_part(found) for found in done.parts],
    }


def _part(found: Findings) -> dict[str, object]:
    def named(setting: Setting) -> dict[str, str]:
        return {factor.name: factor.choices[choice].name for factor, choice in zip(found.factors, setting, strict=True)}

    return {
        "part": found.name,
        "numbers": len(found.numbers),
        "settings": [
            {
                "rank": one.rank,
                "score": one.score,
                "fresh_score": found.confirmed_score(one.setting),
                "taken": one.setting == found.taken.setting,
                "inside": found.inside(one.setting)[0],
                "choices": named(one.setting),
            }
            for one in found.ranked()
        ],
        "complete": found.complete,
        "stopped_by_budget": found.stopped,
        "effects": [
            {
                "factor": one.factor.name,
                "choice": one.factor.choices[one.choice].name,
                "change": one.change,
            }
            for one in found.effects
        ],
        "groups": [
            {
                "choices": named(group.setting),
                "cells": list(group.cells),
                "score": group.score,
                "numbers": group.numbers,
                "inside": found.inside(group.setting, group.cells)[0],
            }
            for group in found.groups()
        ],
        "held_out": [
            {
                "table": one.table,
                "numbers": one.numbers,
                "by_rest": one.by_rest,
                "by_taken": one.by_taken,
                "at_best": one.at_best,
                "choices": named(one.setting),
            }
            for one in found.held_out
        ],
        "out_of_reach": [
            {"row": found.rows[place].title, "case": case, "printed": printed.value, "distance": distance}
            for place, case, printed, distance in found.out_of_reach
        ],
    }
