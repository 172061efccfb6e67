"""Loss models of links: one class for each kind, with its parameters.

A class is made from the registry when it is first used. Editors and type checkers read ``losses.pyi``, which
``make build`` writes.
"""

from __future__ import annotations

# The fields of the classes have these types.
from typing import Any, ClassVar  # noqa: F401

from ._rooms.scenario.component import Loss
from ._rooms.scenario.kinds import Kinds

_KINDS = Kinds(__name__, losses=Loss)


def __getattr__(name: str) -> Any:
    return _KINDS.attribute(name)


def __dir__() -> list[str]:
    return dir(_KINDS)
