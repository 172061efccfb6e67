"""Comparisons of a queue or a sender with other programs and publications, in a screen of text.

``evidence/collected.py`` of the repository writes ``facts.json``. Complete runs beside Linux are in
:mod:`..beside_linux`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..beside_linux import row_of

__all__ = ["Part", "facts_of", "parts_of"]

_FILE = Path(__file__).parent / "facts.json"
_GROUPS = {"queues": "queues", "transports": "senders", "controls": "senders"}

Part = tuple[str, list[str]]
"""A heading, and paragraphs."""


@functools.cache
def _facts() -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def facts_of(kind: str, name: str) -> Mapping[str, Any] | None:
    """The kept facts of an entry of the registry; `kind` is ``queues``, ``transports`` or ``controls``.

    Other kinds have none, and neither has an entry of a user.
    """
    group = _GROUPS.get(kind)
    return None if group is None else _facts()[group].get(name)


def parts_of(kind: str, name: str) -> list[Part]:
    """The same in words, with the row beside Linux: each comparison that was made of it."""
    facts = facts_of(kind, name)
    return [] if facts is None else list(_parts(_GROUPS[kind], name, facts))


def _parts(group: str, name: str, facts: Mapping[str, Any]) -> Iterator[Part]:
    linux = row_of(group, name)
    if linux is not None:
        what = "decisions" if group == "queues" else "windows"
        yield "Beside Linux 6.12", [*_recorded(facts.get("recordings")), linux.sentences(what).replace("`", "")]
    if named := facts.get("ns2"):
        number = f"{len(named)} setting" + "s" * (len(named) > 1)
        yield "Beside ns-2 2.35", [f"{number} with runs of both sides, in the mean: {_few(named)}."]
    if program := facts.get("program"):
        yield "In place of a second implementation", [f"It is held to another program: {program}."]
    if second := facts.get("second"):
        yield "Second implementation, written from the publication", [f"{second} compares it with ours."]
    if published := facts.get("published"):
        yield "Publications", [_published(row) for row in published]
    if cost := facts.get("cost"):
        yield (
            "Cost",
            [
                f"{one}: {alone} ns of one processor for a packet with 1,000 flows, {full} ns in a full buffer."
                for one, (alone, full) in cost.items()
            ],
        )


def _recorded(counts: Mapping[str, int] | None) -> Iterator[str]:
    if counts is None:
        return
    number = f"{counts['number']} recording" + "s" * (counts["number"] > 1)
    if "dropped" in counts:
        yield f"{number} of its calls in a kernel: {counts['dropped']:,} drops and {counts['marked']:,} marks."
        return
    yield (
        f"{number} at both ends in a kernel: {counts['segments_differ']:,} of {counts['segments']:,} segments differ, "
        f"and {counts['answers_differ']:,} of {counts['answers']:,} acknowledgements of the receiver."
    )


def _few(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _published(row: Mapping[str, str]) -> str:
    """A published number or claim beside ours."""
    what = row["what"].replace("`", "")
    source = f"{row['source'].replace('`', '')}: " if "source" in row else ""
    if "printed" not in row:
        return f"{source}{what}. Ours: {row['ours']}."
    difference = row["difference"].strip("*")
    comment = f" ({row['comment'].replace('`', '')})" if "comment" in row else ""
    return f"{source}{what}: {row['printed']}; ours {row['ours']}, {difference}{comment}."
