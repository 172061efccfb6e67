"""The registry of the core: its queues, senders, sources, losses and tables, with their parameters and texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ... import _core

__all__ = ["Registry", "read_registry"]

_LISTS = ("queues", "groups", "transports", "controls", "apps", "losses", "tables", "warnings")


@cache
def read_registry() -> Registry:
    """The registry as the core writes it: 800 kB, of which each list is read once, when it is first asked for.

    Its lists are tuples: nobody changes them.
    """
    return Registry()


class Registry(Mapping[str, Any]):
    """Lists by name; tables may get columns that a user adds."""

    def __init__(self) -> None:
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = tuple(json.loads(_core.registry(name), object_hook=_without_lists))
        return self._read[name]

    def add_column(self, table: str, entry: Mapping[str, Any]) -> None:
        """Add a column to a table, in place of one of this name."""
        self._read["tables"] = tuple(
            {**one, "metrics": (*(old for old in one["metrics"] if old["name"] != entry["name"]), entry)}
            if one["name"] == table
            else one
            for one in self["tables"]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(_LISTS)

    def __len__(self) -> int:
        return len(_LISTS)


def _without_lists(found: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
