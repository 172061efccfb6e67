"""The registry of the core: its queues, senders, sources, losses and tables, with their parameters and texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from ... import _core

__all__ = ["read_registry"]


@cache
def read_registry() -> Mapping[str, Any]:
    """The registry as the core writes it, read once: it has 800 kB. Its lists are tuples: nobody changes them."""
    found: Mapping[str, Any] = json.loads(_core.registry(), object_hook=_without_lists)
    return found


def _without_lists(found: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
