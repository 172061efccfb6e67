"""Text for a router: lines to paste, lines that undo them, and sentences beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Pasted"]


@dataclass(frozen=True)
class Pasted:
    """Text for a router.

    Attributes
    ----------
    where
        Where it is pasted, without a point at the end.
    lines
        The lines, which may be pasted again.
    undo
        The lines that undo them.
    notes
        Sentences that a user needs before.
    """

    where: str
    lines: Sequence[str]
    undo: Sequence[str]
    notes: Sequence[str] = ()
