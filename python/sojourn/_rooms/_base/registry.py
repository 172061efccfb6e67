"""The registry of the core: its queues, senders, sources, losses and tables, with their parameters and texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ... import _core

__all__ = ["read_registry"]

_LISTS = ("queues", "groups", "transports", "controls", "apps", "losses", "tables", "warnings")


@cache
def read_registry() -> Mapping[str, Any]:
    """The registry as the core writes it: 800 kB, of which each list is read once, when it is first asked for.

    Its lists are tuples: nobody changes them.
    """
    return _Registry()


class _Registry(Mapping[str, Any]):
    def __init__(self) -> None:
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = tuple(json.loads(_core.registry(name), object_hook=_without_lists))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_LISTS)

    def __len__(self) -> int:
        return len(_LISTS)


def _without_lists(found: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
