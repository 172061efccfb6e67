"""A scenario: a network, its queue, flows, and the records to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scenario import QueueLike, Scenario, ScenarioError, parse_queue, queue_label

__all__ = ["QueueLike", "Scenario", "ScenarioError", "parse_queue", "queue_label"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import scenario

    return getattr(scenario, name)
