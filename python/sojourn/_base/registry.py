"""The registry of the core: its queues, senders, sources, losses and tables, with their parameters and texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from .. import _core

__all__ = ["read_registry"]


@cache
def read_registry() -> Mapping[str, Any]:
    """The registry as the core writes it, read once: it has 800 kB. Nobody changes it."""
    found: Mapping[str, Any] = json.loads(_core.registry())
    return found
