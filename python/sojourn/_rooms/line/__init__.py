"""The question of a home or an operator: which queue for this line, and how to set it with ``tc``."""

from __future__ import annotations

from .answer import Answered
from .candidates import CANDIDATES, Candidate, candidate
from .links import LINKS, LinkKind
from .question import Line, ask, check_interface
from .ranking import Ranked

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
