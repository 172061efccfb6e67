"""What is exact of each queue and sender, and what is not: a table of docs/linux.md, and the package's rows.json, which
`sojourn explain` reads. Words are in exact.toml; numbers are counted.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from closed_settings import CONTROLS
from closed_verdicts import AGREES, DIFFERS, OPEN, Row, counted
from recorded import QUEUES

HERE = Path(__file__).resolve().parent
WORDS = HERE / "exact.toml"
ROWS = HERE.parents[3] / "python" / "sojourn" / "catalogue" / "beside_linux" / "rows.json"
# A queue that is measured under another name in the mean.
FLOWBLIND = "cake_flowblind"

Counts = Mapping[str, tuple[int, int]]


def cells_of(rows: Iterable[Row], group: str, name: str) -> dict[str, int]:
    """Verdicts on the cells that a queue or a sender is in."""

    def concerns(row: Row) -> bool:
        if group == "senders":
            return name in row.setting.controls
        return QUEUES[row.setting.queue].name == name

    cells = counted(row for row in rows if concerns(row))
    return {
        "agree": sum(one.verdict == AGREES for one in cells),
        "apart": sum(one.verdict == DIFFERS for one in cells),
        "undecided": sum(one.verdict == OPEN for one in cells),
    }


def rows_of(decisions: Counts, windows: Counts, closed: Iterable[Row]) -> dict[str, dict[str, dict[str, Any]]]:
    """All rows. `decisions` and `windows` have what was compared and what differs, by Sojourn's names."""
    closed = list(closed)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for group, words in tomllib.loads(WORDS.read_text()).items():
        counts = decisions if group == "queues" else windows
        for name, said in words.items():
            compared, differ = counts.get(name, (0, 0))
            kernel = said.get("kernel", name)
            assert group == "queues" or kernel in CONTROLS, name
            found.setdefault(group, {})[name] = {
                "compared": compared,
                "differ": differ,
                **cells_of(closed, group, kernel),
                "exact": said["exact"],
                "otherwise": said["otherwise"],
            }
    return found


def table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """The rows of one group, as the page has them."""
    return "\n".join(
        f"| {name} | {row['compared']:,} | {row['differ']:,} | {row['agree']} | {row['apart']} | {row['undecided']} "
        f"| {row['exact']} | {row['otherwise']} |"
        for name, row in rows.items()
    )


def write(rows: Mapping[str, Any]) -> None:
    """The package's file."""
    ROWS.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
