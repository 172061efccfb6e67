"""Classes of flows, and how their windows answer to marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["Class", "Law"]

Law = Literal["reno", "surathkal"]


@dataclass(frozen=True, kw_only=True)
class Class:
    """Flows that are alike.

    Attributes
    ----------
    flows
        How many, above 0.
    rtt_s
        Their round-trip time without the queue, in seconds, above 0.
    law
        ``reno``: a mark halves the window. ``surathkal``: it takes ``p / 2`` of it, where p is the part of the
        packets that are marked (Tahiliani 2013, eqs 4.3.2 and 5.2.1).
    ack_every
        b, packets for each acknowledgement; the window grows by 1/b in a round-trip time.
    window
        The greatest window in packets; infinite if there is none.
    on
        Times between which the flows send, in seconds; empty for always.
    name
        For tables and plots.
    """

    flows: float
    rtt_s: float
    law: Law = "reno"
    ack_every: int = 1
    window: float = math.inf
    on: tuple[tuple[float, float], ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        if not (self.flows > 0.0 and math.isfinite(self.flows)):
            raise ValueError(f"a class has {self.flows:g} flows\n  allowed: above 0")
        if not (self.rtt_s > 0.0 and math.isfinite(self.rtt_s)):
            raise ValueError(f"a class has a round-trip time of {self.rtt_s:g} s\n  allowed: above 0")
        if self.law not in ("reno", "surathkal"):
            raise ValueError(f"there is no law {self.law!r}\n  allowed: reno, surathkal")

    def sends(self, time: float) -> bool:
        """Whether the flows send at this time; none does before 0."""
        if not self.on:
            return time >= 0.0
        return any(begin <= time < end for begin, end in self.on)

    def loses(self, window: float, p: float) -> float:
        """By how many packets a mark cuts the window, if a part p of the packets is marked."""
        return window / 2.0 if self.law == "reno" else window * p / 2.0

    def resting_window(self, p: float) -> float:
        """The window at which growth and cuts are even: ``sqrt(2 / (b p))``, or ``sqrt(2 / b) / p`` for Surathkal."""
        if p <= 0.0:
            return self.window
        free = math.sqrt(2.0 / (self.ack_every * p))
        return min(free if self.law == "reno" else free / math.sqrt(p), self.window)
