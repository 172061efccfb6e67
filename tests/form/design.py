"""The picture of crates and rooms in docs/design.md, and its tables of where things are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")

Rooms = list[list[str]]

# The crates of the core, from top to bottom.
CORE = ("sojourn-queues", "sojourn-senders", "sojourn-sim")


def picture(text: str = TEXT) -> dict[str, Rooms]:
    """The rooms of each crate and package, from top to bottom: of each room the paths without endings."""
    blocks = re.findall(r"```text\n(.*?)```", text, flags=re.S)
    (block,) = [block for block in blocks if block.startswith("┌─")]
    boxes: dict[str, Rooms] = {}
    for line in block.splitlines():
        names = re.split(r" {2,}", line.lstrip("┌├│└─ "))[0]
        if line.startswith(("┌─", "├─")):
            boxes[names] = []
        else:
            boxes[list(boxes)[-1]].append([name.strip("/") for name in names.split(", ")])
    return boxes


def where_is(text: str = TEXT) -> list[list[str]]:
    """The tables of where things are: of each its rows, and of each row the cell with the files."""
    tables = text.split("| where is ... | file |\n")[1:]
    return [[row.split(" | ", 1)[1] for row in table.split("\n\n")[0].splitlines()[1:]] for table in tables]


def missing(cells: list[str], *starts: Path) -> list[str]:
    """The paths in these cells that exist neither from one of ``starts`` on nor from the folder of the first path."""
    absent = []
    for cell in cells:
        paths = re.findall(r"`([\w.<>/-]+(?:/|\.(?:rs|py|toml|md)))`", cell)
        folder = paths[0] if paths and paths[0].endswith("/") else paths[0].rpartition("/")[0] if paths else ""
        places = [place for start in starts for place in (start, start / folder)]
        # A build makes what is in out/; <key> is any work.
        absent += [
            path
            for path in paths
            if not path.startswith("out/")
            and not any(any(place.glob(path.replace("<key>", "*").rstrip("/"))) for place in places)
        ]
    return absent
