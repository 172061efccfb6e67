"""Models on paper: formulas about a queue and its senders, for comparison with a simulation.

- `sojourn.models.tcp`: the throughput of TCP as a function of its losses;
- `sojourn.models.fec`: when parity repairs more under one queue than under another;
- `sojourn.models.design`: parameters of a queue from flows, round-trip time and rate;
- `sojourn.models.estimate`: the number of active flows in a sequence of packets;
- `sojourn.models.fluid`: windows and queues as differential equations with delay, and their stability.

Each function says its units, range and source. ``docs/models.md`` shows them at work.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import design, estimate, fec, fluid, tcp

__all__ = ["design", "estimate", "fec", "fluid", "tcp"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
