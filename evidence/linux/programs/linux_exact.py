"""The exact parts of queues and senders, and the others: tables of docs/linux.md, and the package's rows.json, which
`sojourn explain` reads. Words are in exact.toml; numbers are counted.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import places
from closed_settings import CONTROLS
from closed_verdicts import AGREES, DIFFERS, OPEN, Row, counted, ratio
from recorded import QUEUES

WORDS = places.WORDS / "exact.toml"
ROWS = places.ROOT / "python" / "sojourn" / "_rooms" / "catalogue" / "beside_linux" / "rows.json"
# A queue that is measured under another name in the mean.
FLOWBLIND = "cake_flowblind"

# The sender itself, under any control law.
SENDER = "tcp"

Counts = Mapping[str, tuple[int, int]]


def concerns(row: Row, group: str, name: str) -> bool:
    """Whether a setting is counted with a queue or a sender: with a law only if no other is on the link."""
    if group == "senders":
        return name == SENDER or row.setting.controls == (name,)
    return QUEUES[row.setting.queue].name == name


def called(group: str, name: str) -> str:
    """The kernel's name of a queue or a law."""
    said: Mapping[str, str] = tomllib.loads(WORDS.read_text())[group].get(name, {})
    return said.get("kernel", name)


def cells_of(rows: Iterable[Row]) -> dict[str, Any]:
    """Verdicts on the cells of these settings, and the ratio of their mean queues with half of its interval."""
    cells = counted(rows)
    mean = ratio(one for one in cells if one.metric == "queue_packets")
    return {
        "agree": sum(one.verdict == AGREES for one in cells),
        "apart": sum(one.verdict == DIFFERS for one in cells),
        "undecided": sum(one.verdict == OPEN for one in cells),
        "mean_queue": [round(mean.mean, 4), round(mean.half, 4)] if mean else None,
    }


def rows_of(decisions: Counts, windows: Counts, closed: Iterable[Row]) -> dict[str, dict[str, dict[str, Any]]]:
    """All rows. `decisions` and `windows` have the numbers compared and different, by Sojourn's names."""
    closed = list(closed)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for group, said_of in tomllib.loads(WORDS.read_text()).items():
        counts = decisions if group == "queues" else windows
        for name, said in said_of.items():
            compared, differ = counts.get(name, (0, 0))
            kernel = said.get("kernel", name)
            assert group == "queues" or kernel in (SENDER, *CONTROLS), name
            found.setdefault(group, {})[name] = {
                "compared": compared,
                "differ": differ,
                **cells_of([row for row in closed if concerns(row, group, kernel)]),
                "exact": said["exact"],
                "otherwise": said["otherwise"],
            }
    return found


def shown(name: str, counts: str, row: Mapping[str, Any]) -> str:
    """One row of the counts."""
    mean = "{:.3f} ± {:.3f}".format(*row["mean_queue"]) if row["mean_queue"] else "-"
    return f"| {name} | {counts} | {row['agree']} | {row['apart']} | {row['undecided']} | {mean} |"


def head(group: str, what: str) -> str:
    """The first two lines of the table."""
    columns = (group, what, "of these differ", "cells: agree", "differ", "need more runs", "mean queue")
    return f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}\n"


def table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """The counts of one group, a row for each name."""
    return "\n".join(shown(name, f"{row['compared']:,} | {row['differ']:,}", row) for name, row in rows.items())


def words(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """The words of one group, a point for all names with the same words: the exact part, and the part that is not as
    in Linux.
    """
    names: dict[str, list[str]] = {}
    for name, row in rows.items():
        otherwise = f". *Not as in Linux:* {row['otherwise']}." if row["otherwise"] != "-" else "."
        names.setdefault(f"{row['exact']}{otherwise}", []).append(f"**{name}**")
    return "\n".join(f"- {', '.join(of)}: {text}" for text, of in names.items())


def two_laws(closed: Iterable[Row]) -> str:
    """The row of settings with two laws on the link."""
    mixed = (row for row in closed if len(row.setting.controls) > 1)
    return shown("two laws on one link", "- | -", cells_of(mixed))


def write(rows: Mapping[str, Any]) -> None:
    """The package's file."""
    ROWS.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
