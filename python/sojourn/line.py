"""The question of a home or an operator: which queue for this line, and how to set it with ``tc``."""

from __future__ import annotations

from ._rooms.line.answer import Answered
from ._rooms.line.candidates import CANDIDATES, Candidate, candidate
from ._rooms.line.links import LINKS, LinkKind
from ._rooms.line.question import Line, ask, check_interface
from ._rooms.line.ranking import Ranked

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
