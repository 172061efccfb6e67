"""Queues and senders of your own, written in Python; ``sojourn.own`` has the words for users."""

from __future__ import annotations

from ..._core import DROP, MARK, PASS, Acked, Arrival, Congestion, Dropped, Heard, Packet, Queue, Random, Setup
from ..._core import Verdict as Decision
from ..catalogue.added import add_column
from ._check import Conformance, Promise, check
from ._classes import LinkInfo, registered
from ._failure import HookError
from ._files import load
from ._law import WindowLaw
from ._params import Bool, Bytes, Choice, Fraction, Integer, Number, Param, Rate, Size, Time
from ._policy import Policy

__all__ = [
    "DROP",
    "MARK",
    "PASS",
    "Acked",
    "Arrival",
    "Bool",
    "Bytes",
    "Choice",
    "Conformance",
    "Congestion",
    "Decision",
    "Dropped",
    "Fraction",
    "Heard",
    "HookError",
    "Integer",
    "LinkInfo",
    "Number",
    "Packet",
    "Param",
    "Policy",
    "Promise",
    "Queue",
    "Random",
    "Rate",
    "Setup",
    "Size",
    "Time",
    "WindowLaw",
    "add_column",
    "check",
    "load",
    "registered",
]
