"""The question of a home or an operator: which queue for this line, and how to set it with ``tc``."""

from __future__ import annotations

from ._rooms.line import CANDIDATES, LINKS, Answered, Candidate, Line, LinkKind, Ranked, ask, candidate, check_interface

__all__ = [
    "CANDIDATES",
    "LINKS",
    "Answered",
    "Candidate",
    "Line",
    "LinkKind",
    "Ranked",
    "ask",
    "candidate",
    "check_interface",
]
