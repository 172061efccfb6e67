"""Queue disciplines: one class for each kind, with its parameters.

A class is made from the registry when it is first used. Editors and type checkers read ``queues.pyi``, which
``make build`` writes.
"""

from __future__ import annotations

# The fields of the classes have these types.
from collections.abc import Mapping, Sequence  # noqa: F401
from typing import Any, ClassVar, Literal  # noqa: F401

from ._rooms.scenario.component import Queue
from ._rooms.scenario.kinds import Kinds

_KINDS = Kinds(__name__, queues=Queue)


def __getattr__(name: str) -> Any:
    return _KINDS.attribute(name)


def __dir__() -> list[str]:
    return dir(_KINDS)
