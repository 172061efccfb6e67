"""Queue disciplines as differential equations.

Each has a state besides the queue, and a probability that follows from it. All are handed the queue q in packets, the
rate x of arrivals and the capacity C in packets per second.
Probabilities are between 0 and 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["Avq", "Pi", "QueueModel", "Red", "Rem"]


class QueueModel(Protocol):
    """The part of a queue discipline that the model needs.

    Attributes
    ----------
    states
        Names of its state.
    resting_queue
        The queue at which it comes to rest in packets, or `None` if that depends on the load.
    """

    @property
    def states(self) -> tuple[str, ...]:
        """Names of its state."""
        ...

    @property
    def resting_queue(self) -> float | None:
        """The queue at rest in packets, or `None`."""
        ...

    def first(self, capacity: float) -> list[float]:
        """Its state at the start, with an empty queue."""
        ...

    def probability(self, own: list[float], arrivals: float) -> float:
        """The probability of a mark."""
        ...

    def rates(self, own: list[float], q: float, growth: float, arrivals: float, capacity: float) -> list[float]:
        """How its state changes, if the queue changes by `growth` packets per second."""
        ...

    def at_rest(self, q: float, p: float | None, arrivals: float) -> list[float]:
        """Its state where the queue rests at `q` with the probability `p`; `None` if that follows from the queue."""
        ...

    def resting_arrivals(self, capacity: float) -> float:
        """The rate of arrivals at rest."""
        ...


@dataclass(frozen=True, kw_only=True)
class Red:
    """RED: ``x' = -ln(1 - w) C (q - x)``, and a line over the average x.

    Source: Misra, Gong and Towsley 2000; Tahiliani 2013, eq. 5.1.2.

    Attributes
    ----------
    min_th, max_th
        Thresholds in packets.
    max_p
        The probability at max_th.
    w_q
        The weight of a packet in the average, sampled C times a second.
    above
        Beyond max_th: ``one`` jumps to 1, ``gentle`` rises to 1 at twice max_th, ``line`` goes on as below.
    spacing
        How marks are spread over packets. ``off``: each for itself. ``on``: 1 to 1/p packets apart, all numbers
        alike, which marks ``2 p / (1 + p)`` of them (Floyd and Jacobson 1993, section 7). ``wait``: 1/p to 2/p
        apart, ``2 p / (3 - p)``.
    """

    min_th: float
    max_th: float
    max_p: float
    w_q: float
    above: Literal["one", "gentle", "line"] = "gentle"
    spacing: Literal["off", "on", "wait"] = "off"
    states: tuple[str, ...] = ("average",)
    resting_queue: float | None = None

    def first(self, capacity: float) -> list[float]:  # noqa: ARG002
        """An empty average."""
        return [0.0]

    def line(self, average: float) -> float:
        """The probability for an average queue in packets."""
        if average < self.min_th:
            return 0.0
        slope = self.max_p / (self.max_th - self.min_th)
        if average < self.max_th or self.above == "line":
            return min(slope * (average - self.min_th), 1.0)
        if self.above == "one":
            return 1.0
        return min(self.max_p + (1.0 - self.max_p) * (average - self.max_th) / self.max_th, 1.0)

    def probability(self, own: list[float], arrivals: float) -> float:  # noqa: ARG002
        """By the line, and by how marks are spread."""
        p = self.line(own[0])
        if self.spacing == "on":
            return 2.0 * p / (1.0 + p)
        return 2.0 * p / (3.0 - p) if self.spacing == "wait" else p

    def rates(self, own: list[float], q: float, growth: float, arrivals: float, capacity: float) -> list[float]:  # noqa: ARG002
        """The average follows the queue."""
        return [-math.log1p(-self.w_q) * capacity * (q - own[0])]

    def at_rest(self, q: float, p: float | None, arrivals: float) -> list[float]:  # noqa: ARG002
        """The average is the queue."""
        return [q]

    def resting_arrivals(self, capacity: float) -> float:
        """The link is full."""
        return capacity


@dataclass(frozen=True, kw_only=True)
class Pi:
    """PI: ``p' = f (a - b) (q - q_ref) + b q'``.

    This is the sum of f changes a second by ``a (q - q_ref) - b (q_old - q_ref)``.

    Attributes
    ----------
    q_ref
        In packets.
    a, b
        Gains in 1/packet, as those of the queue ``pi``.
    frequency_hz
        f, updates per second.
    """

    q_ref: float
    a: float
    b: float
    frequency_hz: float = 170.0
    states: tuple[str, ...] = ("probability",)

    @property
    def resting_queue(self) -> float | None:
        """The reference."""
        return self.q_ref

    def first(self, capacity: float) -> list[float]:  # noqa: ARG002
        """Nothing is marked."""
        return [0.0]

    def probability(self, own: list[float], arrivals: float) -> float:  # noqa: ARG002
        """The state itself."""
        return min(max(own[0], 0.0), 1.0)

    def rates(self, own: list[float], q: float, growth: float, arrivals: float, capacity: float) -> list[float]:  # noqa: ARG002
        """As above, held between 0 and 1."""
        change = self.frequency_hz * (self.a - self.b) * (q - self.q_ref) + self.b * growth
        return [_held(own[0], change, 0.0, 1.0)]

    def at_rest(self, q: float, p: float | None, arrivals: float) -> list[float]:  # noqa: ARG002
        """The probability."""
        return [p or 0.0]

    def resting_arrivals(self, capacity: float) -> float:
        """The link is full."""
        return capacity


@dataclass(frozen=True, kw_only=True)
class Rem:
    """REM: each T seconds the price changes by ``gamma (alpha (q - q_ref) + x T - C T)``; ``p = 1 - phi^-price``.

    Attributes
    ----------
    q_ref
        In packets.
    gamma, alpha, phi, period_s
        As `gamma`, `alpha`, `phi` and `interval` of the queue ``rem``.
    """

    q_ref: float
    gamma: float = 0.001
    alpha: float = 0.1
    phi: float = 1.001
    period_s: float = 0.002
    states: tuple[str, ...] = ("price",)

    @property
    def resting_queue(self) -> float | None:
        """The target."""
        return self.q_ref

    def first(self, capacity: float) -> list[float]:  # noqa: ARG002
        """No price."""
        return [0.0]

    def probability(self, own: list[float], arrivals: float) -> float:  # noqa: ARG002
        """Exponential in the price."""
        return -math.expm1(-max(own[0], 0.0) * math.log(self.phi))

    def rates(self, own: list[float], q: float, growth: float, arrivals: float, capacity: float) -> list[float]:  # noqa: ARG002
        """As above, never below 0."""
        change = self.gamma * (self.alpha * (q - self.q_ref) / self.period_s + arrivals - capacity)
        return [_held(own[0], change, 0.0, math.inf)]

    def at_rest(self, q: float, p: float | None, arrivals: float) -> list[float]:  # noqa: ARG002
        """The price of that probability."""
        return [-math.log1p(-(p or 0.0)) / math.log(self.phi)]

    def resting_arrivals(self, capacity: float) -> float:
        """The link is full."""
        return capacity


@dataclass(frozen=True, kw_only=True)
class Avq:
    """AVQ: the virtual capacity moves by ``v' = alpha (gamma C - x)``, ``p = (x - v) / x`` is the share beyond it.

    The virtual queue has no buffer here (Kunniyur and Srikant 2001, section III): its overflow is that of the rates.

    Attributes
    ----------
    gamma, alpha
        The desired part of the link, and the gain in 1/s, as those of the queue ``avq``.
    start
        The virtual capacity at the start, as a part of the link's.
    """

    gamma: float = 0.98
    alpha: float = 0.15
    start: float = 0.8
    states: tuple[str, ...] = ("virtual capacity",)

    @property
    def resting_queue(self) -> float | None:
        """Empty, for less arrives than the link carries."""
        return 0.0

    def first(self, capacity: float) -> list[float]:
        """A part of the link's capacity."""
        return [self.start * capacity]

    def probability(self, own: list[float], arrivals: float) -> float:
        """The part of the arrivals that the virtual link cannot carry."""
        return 0.0 if arrivals <= own[0] or arrivals <= 0.0 else 1.0 - max(own[0], 0.0) / arrivals

    def rates(self, own: list[float], q: float, growth: float, arrivals: float, capacity: float) -> list[float]:  # noqa: ARG002
        """As above, held between 0 and the link's."""
        return [_held(own[0], self.alpha * (self.gamma * capacity - arrivals), 0.0, capacity)]

    def at_rest(self, q: float, p: float | None, arrivals: float) -> list[float]:  # noqa: ARG002
        """The capacity that lets the other arrivals pass."""
        return [(1.0 - (p or 0.0)) * arrivals]

    def resting_arrivals(self, capacity: float) -> float:
        """The desired part of the link."""
        return self.gamma * capacity


def _held(value: float, change: float, least: float, most: float) -> float:
    """The change, unless it leads out of the bounds."""
    if (value <= least and change < 0.0) or (value >= most and change > 0.0):
        return 0.0
    return change
