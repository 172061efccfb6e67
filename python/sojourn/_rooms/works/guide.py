"""The kinds of claims and their keys as a table, for docs/works.md: made of the classes, so that it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

from .kinds import KINDS, Kind

__all__ = ["MARKS", "table", "with_table"]

MARKS = ("<!-- kinds of claims, made by `make generate` -->", "<!-- end of the kinds -->")
_COMMON = {one.name for one in fields(Kind)}
"""Keys of every claim, which the text above the table names."""


def table() -> str:
    """A row for each kind: its meaning, the keys that it needs, and its optional keys with their defaults."""
    lines = ["| kind | the claim | needs | may have |", "|---|---|---|---|"]
    for name, kind in KINDS.items():
        said = re.sub(r"\s+", " ", (kind.__doc__ or "").strip().partition("\n\n")[0])
        needs = [f"`{one.name}`" for one in _own(kind) if _is_needed(one)]
        may = [f"`{one.name}`{_default(one)}" for one in _own(kind) if not _is_needed(one)]
        lines.append(f"| `{name}` | {said} | {', '.join(needs)} | {', '.join(may)} |")
    return "\n".join(lines)


def with_table(page: str) -> str:
    """A page with the table between its marks."""
    begin, end = MARKS
    head, _, rest = page.partition(begin)
    return f"{head}{begin}\n\n{table()}\n\n{end}{rest.partition(end)[2]}"


def _own(kind: type[Kind]) -> Iterator[Field[Any]]:
    return (one for one in fields(kind) if one.name not in _COMMON)


def _is_needed(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _default(one: Field[Any]) -> str:
    """The default of the key, if it is a number or a truth value."""
    if isinstance(one.default, bool):
        return f" ({str(one.default).lower()})"
    return f" ({one.default:g})" if isinstance(one.default, int | float) else ""
