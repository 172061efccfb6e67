"""A second look at the settings in which a cell differs: new runs of both sides, with other seeds.

Of more than two thousand cells some differ by chance, most of all where the kernel has three or four runs. Whether a
difference is there again in runs that had no part in finding it, chance does not decide. The new runs stay apart from
the first ones: together with these they would still have the chance in them that made the cell differ.
"""

from __future__ import annotations

import closed_runs
import closed_settings
from closed_runs import AGAIN, AGAIN_FROM, METRICS
from closed_settings import Setting
from closed_tables import NAMES, head
from closed_verdicts import AGREES, DIFFERS, OPEN, Cell, Row, rows_of

# Of the kernel.
RUNS = 20
AGAIN_SO, OTHERWISE = "differs again", "differs the other way"
CALLED = {OPEN: "needs more runs", AGREES: "agrees"}


def everything() -> list[Setting]:
    """The settings of all parts, each once."""
    return list(dict.fromkeys(one for part in closed_settings.PARTS.values() for one in part()))


def differing() -> list[Row]:
    """The settings in which a cell differs, by the first runs."""
    rows = rows_of(everything(), closed_runs.read())
    return [row for row in rows if any(one.counts and one.verdict == DIFFERS for one in row.cells)]


def settings() -> list[Setting]:
    """Those, and those that have been looked at a second time already."""
    looked, differ = closed_runs.read(AGAIN), {row.setting for row in differing()}
    return [one for one in everything() if one.name in looked or one in differ]


def measure(chosen: list[Setting], runs: int, ours: int) -> None:
    """Adds the runs of the kernel that are missing; Sojourn's are all made."""
    closed_runs.ours(dict.fromkeys(chosen, ours), file=AGAIN, first=AGAIN_FROM)
    closed_runs.measure(dict.fromkeys(chosen, runs), file=AGAIN, first=AGAIN_FROM)


def pairs() -> list[tuple[Cell, Row, Cell]]:
    """Each cell that differs by the first runs, with the second look at it."""
    second = {row.setting: row for row in rows_of(everything(), closed_runs.read(AGAIN))}
    found = []
    for row in differing():
        if row.setting not in second:
            continue
        again = second[row.setting]
        cells = zip(row.cells, again.cells, strict=True)
        found += [(one, again, other) for one, other in cells if one.counts and one.verdict == DIFFERS]
    return found


def verdict(one: Cell, other: Cell) -> str:
    """The second look's. A difference the other way round is not that of the first runs."""
    if other.verdict != DIFFERS:
        return CALLED[other.verdict]
    return AGAIN_SO if one.difference * other.difference > 0 else OTHERWISE


def table() -> str:
    """For the page: the first look, the second one, and its verdict."""
    lines = [head(("setting", "metric", "first runs", "new runs: number", "result", "verdict"), words=6)]
    order = {metric: place for place, metric in enumerate(METRICS)}
    found = sorted(pairs(), key=lambda pair: (pair[2].verdict != DIFFERS, pair[0].setting.name, order[pair[0].metric]))
    for one, row, other in found:
        shown, again = (cell.text.strip("*? ") for cell in (one, other))
        name, runs = one.setting.name, f"{row.runs[0]}, {row.runs[1]}"
        lines.append(f"| {name} | {NAMES[one.metric]} | {shown} | {runs} | {again} | {verdict(one, other)} |")
    return "\n".join(lines)


def counts() -> dict[str, int]:
    """The numbers of the table."""
    found = pairs()
    verdicts = [verdict(one, other) for one, _, other in found]
    return {
        "twice": len(found),
        "differ_again": verdicts.count(AGAIN_SO),
        "differ_otherwise": verdicts.count(OTHERWISE),
        "agree_now": verdicts.count(CALLED[AGREES]),
        "open_still": verdicts.count(CALLED[OPEN]),
        "equal_now": sum(other.equal for _, _, other in found),
    }
