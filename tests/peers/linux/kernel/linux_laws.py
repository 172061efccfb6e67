"""The part of docs/linux.md about window laws: recordings of senders beside Sojourn's."""

from __future__ import annotations

from pathlib import Path
from string import Template

import segments
from recorded_senders import DIFFER, LAWS, RECORDED
from same_senders import FOLDER, Comparison, compare

HERE = Path(__file__).resolve().parent


def row(found: Comparison, why: str) -> str:
    """One recording."""
    first = found.first_window
    where = f"{first[0]:,}: {first[1]}, here {first[2]}" if first else "-"
    return f"| {found.name} | {found.heard:,} | {found.windows:,} | {where} | {why if first else '-'} |"


def section() -> str:
    """The whole part."""
    lines = ["| recording | acknowledgements | other window | first one | why |", "|---|---|---|---|---|"]
    for name, sender in RECORDED.items():
        if name.split("-", maxsplit=1)[0] in LAWS:
            found = compare(name, segments.read(FOLDER / f"{name}.xz"), sender)
            lines.append(row(found, DIFFER[name][1]))
    return Template((HERE / "linux_laws.md").read_text()).substitute(rows="\n".join(lines))
