"""Writes the numbers of docs/validation.md, between the marks that name them.

    python evidence/validation_page.py

Nothing is run: the numbers are those of the files in this folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tables

EVIDENCE = tables.EVIDENCE
ROOT = EVIDENCE.parent
PAGE = ROOT / "docs" / "validation.md"
METRICS = {
    "mean_queue": "mean queue",
    "loss": "loss",
    "utilisation": "utilisation",
    "mark_ratio": "marks",
    "share": "share of the first group",
    "transfer": "time of a transfer",
    "nearest": "part of the nearest flow",
    "cuts": "windows cut by marks",
}


def toml(path: str) -> dict[str, Any]:
    """A file of this folder."""
    return tomllib.loads((EVIDENCE / path).read_text(encoding="utf-8"))


def ns2() -> str:
    """How far ours are from ns-2's means, by metric."""
    settings = tomllib.loads((ROOT / "tests" / "peers" / "settings.toml").read_text(encoding="utf-8"))["setting"]
    agree = sum(not one.get("deviation") for one in settings)
    rows = []
    for metric, name in METRICS.items():
        cells = [row[metric] for row in toml("ns2/measured.toml").values() if metric in row]
        off = np.array([abs(one["apart"]) for one in cells])
        inside = sum(abs(one["ours"] - one["ns2"]) <= one["half_width"] for one in cells)
        middle, most, largest = (f"{100 * value:.1f} %" for value in (*np.quantile(off, [0.5, 0.9]), off.max()))
        rows.append([name, str(len(cells)), str(inside), middle, most, largest])
    columns = ("metric", "means", "inside ns-2's interval", "off by, median", "9 of 10 are off by less than", "largest")
    return f"**{agree} of {len(settings)} settings agree.**\n\n{tables.markdown(columns, rows)}"


def classes() -> str:
    """Settings of queues by class, and the numbers that do not agree."""
    _, rows = tables.read(EVIDENCE / "ns2" / "classes.toml")
    cells = [cell for row in rows for cell in row[2:] if cell]
    differ = sum(cell.startswith("**") for cell in cells)
    return tables.paragraph(
        f"Of {len(cells)} numbers of {sum(bool(row[0]) for row in rows)} settings {differ} do not agree: the waits of "
        f"short packets under fair queueing."
    )


def explicit() -> str:
    """XCP, TFRC and RAP."""
    columns, rows = tables.read(EVIDENCE / "ns2" / "explicit.toml")
    return tables.markdown(columns, rows)


def namespaces() -> str:
    """The TCP of a machine's kernel."""
    kept = toml("linux/namespaces/compared.toml")
    judged = ("mean_queue", "loss", "mark_ratio")
    cells = [row[metric] for row in kept.values() for metric in judged]
    agree = sum(one["agrees"] for one in cells)
    return f"**In {len(kept)} settings {agree} of {len(cells)} means agree.**"


def second() -> str:
    """The number of second implementations."""
    kept: Mapping[str, Mapping[str, str]] = toml("second.toml")
    return tables.paragraph(
        f"{len(kept['queues'])} queues and {len(kept['senders'])} senders have one; the other {len(kept['programs'])} "
        f"queues ({', '.join(f'`{name}`' for name in kept['programs'])}) are compared with another program."
    )


def publications() -> str:
    """The counts of published results, and those that do not agree."""
    kept = toml("publications/measured.toml")["rows"]
    bounds = ("at most", "at least", "to")
    claims = [row for row in kept if any(word in row["printed"] for word in bounds)]
    near = sum(row["agrees"] for row in kept if row not in claims)
    hold = sum(row["agrees"] for row in claims)
    left = [row for row in kept if not row["agrees"]]
    whats = ("source", "what", "printed", "ours", "comment")
    rows = [[f"`{row['queue']}`", *(row[what] for what in whats)] for row in left]
    columns = ("queue", "source", "what", "printed", "ours", "what is known of the cause")
    counts = (
        f"**Of {len(kept)} published results {near} numbers agree within 10 %, {hold} claimed properties hold, and "
        f"{len(left)} do not agree:**"
    )
    return f"{counts}\n\n{tables.markdown(columns, rows, words=len(columns))}"


def mutation() -> str:
    """Deliberate faults."""
    columns, rows = tables.read(EVIDENCE / "mutation.toml")
    of = {column: [row[place] for row in rows] for place, column in enumerate(columns)}
    tried, missed = (sum(map(int, of[column])) for column in ("mutants", "survive"))
    samples = ", ".join(f"{area} {sample}" for area, sample in zip(of["area"], of["sample"], strict=True))
    return tables.paragraph(
        f"Of {tried} mutants in {len(rows)} areas {missed or 'none'} survive{'s' * (missed < 2)} ({samples})."
    )


PARTS: dict[str, Callable[[], str]] = {
    "ns2": ns2,
    "classes": classes,
    "explicit": explicit,
    "namespaces": namespaces,
    "second": second,
    "publications": publications,
    "mutation": mutation,
}


def page(path: Path = PAGE) -> str:
    """The page with its numbers."""
    return tables.filled(path.read_text(encoding="utf-8"), {name: make() for name, make in PARTS.items()})


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
