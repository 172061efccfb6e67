"""Windows and queue as differential equations with delay (Misra, Gong and Towsley 2000).

For each class of n flows, with ``R = r + q / C`` and lag ``tau`` (R itself, or a constant),

    W' = 1 / (b R) - cut(W) W(t - tau) / R(t - tau) p(t - tau)
    q' = sum of n W / R - C

where ``cut`` is W / 2 for Reno and W p / 2 for Surathkal, and p follows from the queue's discipline. Windows are of
at least one packet, and the queue is never below 0. Where packets are dropped and not marked, only ``1 - p`` of the
arrivals join; a full buffer lets no more in, and the packets that do not fit count as lost. Slow start and timeouts are
not modelled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .dde import Past, Solution, State, solve
from .queues import QueueModel
from .senders import Class

__all__ = ["Course", "Fluid"]


@dataclass(frozen=True, kw_only=True)
class Fluid:
    """Classes of flows over one queue.

    Attributes
    ----------
    classes
        At least one.
    queue
        Its discipline.
    capacity
        C in packets per second.
    lag_s
        tau in seconds; `None` for the round-trip time of each class, with the queue's delay.
    limit
        The buffer in packets; infinite if it never overflows.
    marks
        Whether packets are marked (and join) or dropped.
    """

    classes: tuple[Class, ...]
    queue: QueueModel
    capacity: float
    lag_s: float | None = None
    limit: float = math.inf
    marks: bool = True

    def __post_init__(self) -> None:
        if not self.classes:
            raise ValueError("there are no flows\n  allowed: at least one class")
        if not (self.capacity > 0.0 and math.isfinite(self.capacity)):
            raise ValueError(f"the link carries {self.capacity:g} packets/s\n  allowed: above 0")
        if self.lag_s is not None and not self.lag_s > 0.0:
            raise ValueError(f"the lag is {self.lag_s:g} s\n  allowed: above 0")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the state: the windows, the queue, and the discipline's own."""
        windows = tuple(f"window {one.name or i + 1}" for i, one in enumerate(self.classes))
        return (*windows, "queue", *self.queue.states)

    def rtt(self, index: int, q: float) -> float:
        """R of a class in seconds, with a queue of q packets."""
        return self.classes[index].rtt_s + max(q, 0.0) / self.capacity

    def lag(self, index: int, q: float) -> float:
        """Tau of a class in seconds."""
        return self.rtt(index, q) if self.lag_s is None else self.lag_s

    def arrivals(self, state: State, sends: Sequence[bool]) -> float:
        """Packets per second that reach the queue."""
        q = float(state[len(self.classes)])
        return sum(one.flows * float(state[i]) / self.rtt(i, q) for i, one in enumerate(self.classes) if sends[i])

    def probability(self, state: State, sends: Sequence[bool]) -> float:
        """The probability of a mark or of a loss, overflow included."""
        size = len(self.classes)
        arrivals = self.arrivals(state, sends)
        p = self.queue.probability([float(value) for value in state[size + 1 :]], arrivals)
        joining = arrivals if self.marks else arrivals * (1.0 - p)
        if float(state[size]) >= self.limit and joining > self.capacity:
            return 1.0 - (1.0 - p) * self.capacity / joining
        return p

    def rates(
        self,
        state: State,
        before: Sequence[State],
        marked: Sequence[float],
        sends: Sequence[bool],
        sent: Sequence[bool],
    ) -> State:
        """How the state changes.

        `before` has the state one lag ago for each class, `marked` the probability then; `sends` and `sent` say
        whether the class sends now and sent then.
        """
        size = len(self.classes)
        q = float(state[size])
        change = np.zeros(len(state))
        for i, one in enumerate(self.classes):
            if not sends[i]:
                continue
            window = float(state[i])
            heard = 0.0
            if sent[i]:
                then = before[i]
                heard = float(then[i]) / self.rtt(i, float(then[size])) * marked[i]
            moves = 1.0 / (one.ack_every * self.rtt(i, q)) - one.loses(window, marked[i]) * heard
            bound = (window <= 1.0 and moves < 0.0) or (window >= one.window and moves > 0.0)
            change[i] = 0.0 if bound else moves
        arrivals = self.arrivals(state, sends)
        own = [float(value) for value in state[size + 1 :]]
        joining = arrivals if self.marks else arrivals * (1.0 - self.queue.probability(own, arrivals))
        growth = joining - self.capacity
        if (q <= 0.0 and growth < 0.0) or (q >= self.limit and growth > 0.0):
            growth = 0.0
        change[size] = growth
        change[size + 1 :] = self.queue.rates(own, q, growth, arrivals, self.capacity)
        return change

    def start(self) -> State:
        """Windows of one packet, nothing in the queue."""
        return np.array([1.0] * len(self.classes) + [0.0, *self.queue.first(self.capacity)])

    def run(
        self,
        until: float,
        *,
        start: Sequence[float] | NDArray[np.float64] | None = None,
        sample_s: float | None = None,
        relative: float = 1e-6,
    ) -> Course:
        """Follow the model from 0 to `until` seconds.

        Parameters
        ----------
        until
            In seconds.
        start
            The state up to 0; the default is `Fluid.start`. With it, flows send before 0, too.
        sample_s
            Seconds between the rows of the result's frame; the default makes 2000 rows.
        relative
            Tolerance of each step.
        """
        first = self.start() if start is None else np.asarray(start, dtype=np.float64)
        resumed = start is not None

        def rates(time: float, state: State, past: Past) -> State:
            q = float(state[len(self.classes)])
            before, marked, sent = [], [], []
            for i in range(len(self.classes)):
                then = time - self.lag(i, q)
                state_then = past(then)
                then_sends = [resumed and not c.on if then < 0.0 else c.sends(then) for c in self.classes]
                before.append(state_then)
                sent.append(then_sends[i])
                marked.append(self.probability(state_then, then_sends) if sent[-1] else 0.0)
            return self.rates(state, before, marked, [one.sends(time) for one in self.classes], sent)

        least = min(self.lag(i, 0.0) for i in range(len(self.classes)))
        found = solve(
            rates,
            first,
            until=until,
            least_delay=least,
            echoes=[self.lag(i, 0.0) for i in range(min(len(self.classes), 8))],
            jumps=self._switches(),
            relative=relative,
            absolute=relative,
        )
        return Course(self, found, until, sample_s or until / 2000.0)

    def _switches(self) -> list[tuple[float, Any]]:
        """Where flows begin or end; those that begin have windows of one packet again."""
        times = sorted({time for one in self.classes for span in one.on for time in span if math.isfinite(time)})

        def at(time: float) -> Any:
            def switched(state: State) -> State:
                new = state.copy()
                for i, one in enumerate(self.classes):
                    if any(begin == time for begin, _ in one.on):
                        new[i] = 1.0
                return new

            return switched

        return [(time, at(time)) for time in times]


class Course:
    """The course of windows and queue over time."""

    def __init__(self, model: Fluid, solution: Solution, until: float, sample_s: float) -> None:
        self.model = model
        self.solution = solution
        self.until = until
        self._sample_s = sample_s

    def at(self, time: float) -> dict[str, float]:
        """The state at a time in seconds, by name."""
        return dict(zip(self.model.names, map(float, self.solution.at(time)), strict=True))

    def frame(self, *, begin: float = 0.0, end: float | None = None) -> pl.DataFrame:
        """A row for each sample from `begin` to `end`.

        Its columns are ``time_s``, the state by name, ``mark_ratio`` and ``arrivals_pps``.
        """
        last = self.until if end is None else end
        times = np.minimum(np.arange(begin, last + self._sample_s / 2.0, self._sample_s), last)
        states = self.solution.sampled(times)
        sends = [[one.sends(float(time)) for one in self.model.classes] for time in times]
        columns: dict[str, Any] = {"time_s": times}
        columns |= {name: states[:, i] for i, name in enumerate(self.model.names)}
        rows = list(zip(states, sends, strict=True))
        columns["mark_ratio"] = [float(self.model.probability(state, on)) for state, on in rows]
        columns["arrivals_pps"] = [float(self.model.arrivals(state, on)) for state, on in rows]
        return pl.DataFrame(columns)

    def mean(self, name: str, begin: float, end: float) -> float:
        """The mean of a column between two times in seconds."""
        return float(np.mean(self.frame(begin=begin, end=end)[name].to_numpy()))

    def spread(self, name: str, begin: float, end: float) -> float:
        """The standard deviation of a column between two times in seconds."""
        return float(np.std(self.frame(begin=begin, end=end)[name].to_numpy()))
