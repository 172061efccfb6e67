"""Common parts of all rules: the design problem, the result, and the reason if there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..._base.toml import Value
from ..margins import Margins

__all__ = ["Design", "Load", "NoRoot", "Step", "checked", "packet_text"]


class NoRoot(ValueError):  # noqa: N818 - a rule without a root is an answer
    """A rule has no solution for these flows, round-trip time and rate; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """The load for which a queue is designed.

    Attributes
    ----------
    flows
        N-, the least number of flows; above 0.
    rtt_s
        R+, the greatest round-trip time in seconds, with the delay in the queue; above 0.
    capacity
        C, the rate of the link in packets per second; above 0.
    """

    flows: float
    rtt_s: float
    capacity: float

    def __post_init__(self) -> None:
        checked("the number of flows", self.flows)
        checked("the round-trip time in seconds", self.rtt_s)
        checked("the rate in packets per second", self.capacity)

    @property
    def window(self) -> float:
        """Packets in flight of each flow, R C / N."""
        return self.rtt_s * self.capacity / self.flows

    @property
    def tcp_pole(self) -> float:
        """p_tcp = 2 N / (R^2 C) in rad/s: how fast windows follow ([Hol01] eq. 3)."""
        return 2.0 * self.flows / (self.rtt_s**2 * self.capacity)

    @property
    def queue_pole(self) -> float:
        """p_queue = 1 / R in rad/s: how fast the queue follows ([Hol01] eq. 3)."""
        return 1.0 / self.rtt_s

    @property
    def plant_gain(self) -> float:
        """(R C)^3 / (2 N)^2: packets of queue for a change of the probability, at frequency 0 ([Hol01] eq. 4)."""
        return (self.rtt_s * self.capacity) ** 3 / (2.0 * self.flows) ** 2

    def __str__(self) -> str:
        flows = f"{self.flows:g} flow" + ("" if self.flows == 1 else "s")
        return f"{flows}, {self.rtt_s * 1e3:g} ms and {self.capacity:g} packets/s"


@dataclass(frozen=True)
class Step:
    """A number on the way to the parameters: its value and unit, the formula, and its place."""

    name: str
    value: float
    unit: str
    formula: str
    source: str


@dataclass(frozen=True)
class Design:
    """Parameters of a queue.

    Attributes
    ----------
    title
        The queue that was designed, and the load that it is for.
    queue
        The queue as in a scenario: ``queue = { kind = "pi", ... }``.
    steps
        How the parameters came about.
    margins
        Of the linearised loop at the load of the design; none where the rule is about no loop.
    notes
        Remarks for its use.
    """

    title: str
    queue: Mapping[str, Value]
    steps: tuple[Step, ...]
    margins: Margins | None = None
    notes: tuple[str, ...] = ()


def checked(what: str, value: float, *, most: float = math.inf) -> float:
    """The value, if it is above 0 and at most `most`.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not (0.0 < value <= most and math.isfinite(value)):
        bound = "above 0" if math.isinf(most) else f"above 0 and at most {most:g}"
        raise ValueError(f"{what} is {value:g}\n  allowed: a number {bound}")
    return float(value)


def packet_text(packets: float) -> str:
    """A number of packets, as in a scenario."""
    return f"{packets:.10g}p"
