"""``sojourn explain NAME --evidence``: the comparisons that were made of a queue or a sender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .._base.checks import shortened
from ..catalogue.beside_linux import row_of
from ..catalogue.evidence import facts_of, parts_of
from ..showing.text.prose import wrapped
from .guard import print_json

__all__ = ["show"]

_NONE = "It is compared with no other program. It passes the tests of all queues or senders, and its own."


def show(name: str, found: Sequence[tuple[str, str, str, str]], *, as_json: bool) -> None:
    """Print the evidence of these entries: the registry's kind of each, its word for people, its name and its title.

    Raises
    ------
    ValueError
        If there is no queue or sender among them.
    """
    having = [(kind, word, own, title) for kind, word, own, title in found if facts_of(kind, own) is not None]
    if not having:
        hint = "only these have evidence; sojourn list queues and sojourn list transports show them"
        raise ValueError(f"{shortened(repr(name))} is no queue and no sender\n  hint:    {hint}")
    if as_json:
        entries = [_json(kind, word, own) for kind, word, own, _ in having]
        print_json(entries[0] if len(entries) == 1 else entries)
        return
    print("\n\n".join("\n".join(_lines(*entry)) for entry in having))


def _json(kind: str, word: str, name: str) -> dict[str, Any]:
    row = row_of("queues" if kind == "queues" else "senders", name)
    linux = {} if row is None else {"linux": asdict(row)}
    return {"kind": word, "name": name, **linux, **(facts_of(kind, name) or {})}


def _lines(kind: str, word: str, name: str, title: str) -> list[str]:
    lines = [f"{name} ({word}): {title}"]
    parts = parts_of(kind, name)
    for head, texts in parts:
        lines += ["", head, *(line for text in texts for line in wrapped(text, "  "))]
    return lines if parts else [*lines, "", *wrapped(_NONE, "  ")]
