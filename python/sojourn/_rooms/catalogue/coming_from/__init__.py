"""Words of other tools in terms of Sojourn: the tables of the pages "Coming from", also for ``sojourn explain``.

Each cell for Sojourn has code with its kind before a colon, such as ``queue:{ kind = "red" }``; see
:data:`KINDS`. The pages show it without this word, and a test reads or runs each by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import flent, ns2, ns3, tc
from .row import Row

__all__ = ["KINDS", "PAGES", "TITLES", "Row", "code", "plain", "rows_for", "table"]

KINDS = {
    "queue": "a queue of a link",
    "transport": "a transport of a flow",
    "control": "a congestion control",
    "link": "keys of [dumbbell]",
    "flow": "keys of [[flow]]",
    "top": "keys of a scenario file",
    "command": "a command, with FILE, DIR or SCENARIO where something of the user's is",
    "option": "options of sojourn run",
    "name": "a name that is explained by itself, such as that of a table, a column or a parameter",
    "code": "a line of Python, or what another program has",
}

TITLES = {"tc": "tc", "ns2": "ns-2", "ns3": "ns-3", "flent": "Flent"}

PAGES: dict[str, tuple[Row, ...]] = {"tc": tc.ROWS, "ns2": ns2.ROWS, "ns3": ns3.ROWS, "flent": flent.ROWS}

_CODE = re.compile(r"`(\w+):((?:[^`])+)`")


def code(cell: str) -> list[tuple[str, str]]:
    """The pieces of code in a cell for Sojourn: the kind of each, and the code."""
    return [(found[1], found[2]) for found in _CODE.finditer(cell)]


def plain(cell: str) -> str:
    """A cell as a page shows it."""
    return _CODE.sub(r"`\2`", cell)


def table(page: str, part: str = "") -> str:
    """The table of a page in Markdown, or one of its parts."""
    lines = [f"| {TITLES[page]} | Sojourn |", "|---|---|"]
    for row in PAGES[page]:
        if row.part == part:
            theirs, ours = row.theirs.replace("|", r"\|"), plain(row.ours).replace("|", r"\|")
            lines.append(f"| {theirs} | {ours} |")
    return "\n".join(lines) + "\n"


def rows_for(word: str) -> Iterator[tuple[str, Row]]:
    """The rows that answer `word`, with the tool that it is from."""
    wanted = _bare(word)
    for page, rows in PAGES.items():
        for row in rows:
            if wanted and wanted in {_bare(name) for name in row.names.split()}:
                yield TITLES[page], row


def _bare(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower().removeprefix("ns3::").removeprefix("$ns "))
