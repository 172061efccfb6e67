"""Differential equations with delay, by the method of steps over scipy's Runge-Kutta pairs with error control.

No step is longer than the least delay, so that a step looks back only at known states: each step is a plain initial
value problem, whose error scipy controls, and its dense output is the past of those that follow. A kink at a switch
comes back after each delay, weaker by one derivative each time; the first few are made ends of steps.

Why this: of the packages for such equations, ``jitcdde`` wants a C compiler on the user's machine and symbolic
right-hand sides, which bounds (a queue is never below 0) are not; ``ddeint`` controls no error of the past, which it
interpolates linearly; ``diffrax`` has no delays. scipy is there anyway.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import RK45

__all__ = ["Past", "Solution", "solve"]

State = NDArray[np.float64]
Past = Callable[[float], State]
Rates = Callable[[float, State, Past], State]

_ECHOES = 4
"""After four delays a kink is in the fifth derivative, which a pair of orders 5 and 4 does not notice."""


class Solution:
    """The state at any time: the given state before the start, then the solution."""

    def __init__(self, before: State, start: float) -> None:
        self._before = before
        self._start = start
        self._ends: list[float] = []
        self._pieces: list[Callable[[float], State]] = []

    def add(self, end: float, piece: Callable[[float], State]) -> None:
        """A step that ended there."""
        self._ends.append(end)
        self._pieces.append(piece)

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self._ends)

    def at(self, time: float) -> State:
        """The state at `time`; at a jump the one before it, and beyond the end the last."""
        if time <= self._start or not self._ends:
            return self._before
        place = min(bisect.bisect_left(self._ends, time), len(self._ends) - 1)
        return self._pieces[place](min(time, self._ends[-1]))

    def sampled(self, times: NDArray[np.float64]) -> State:
        """The states at several times, a row each."""
        return np.array([self.at(float(time)) for time in times])


def solve(
    rates: Rates,
    before: Sequence[float] | State,
    *,
    start: float = 0.0,
    until: float,
    least_delay: float,
    echoes: Sequence[float] = (),
    jumps: Sequence[tuple[float, Callable[[State], State]]] = (),
    relative: float = 1e-6,
    absolute: float = 1e-9,
) -> Solution:
    """Solve ``y'(t) = rates(t, y(t), past)`` from `start` to `until`; ``past(s)`` is the state at s.

    Parameters
    ----------
    rates
        The right-hand side; it may ask for the past up to ``t - least_delay``.
    before
        The state up to `start`, a constant.
    start, until, least_delay
        In seconds; no delay is ever shorter than `least_delay`, which is above 0.
    echoes
        Delays after which a kink at the start or at a jump returns; where they change with the state, their least
        values.
    jumps
        Times in order, and the change of the state then.
    relative, absolute
        Tolerances of each step, as scipy defines them.

    Raises
    ------
    ValueError
        If a step would have to be too short: the equations have no solution there.
    """
    if not least_delay > 0.0:
        raise ValueError(f"the least delay is {least_delay:g} s\n  allowed: above 0")
    state = np.asarray(before, dtype=np.float64)
    found = Solution(state, start)
    at = dict(jumps)
    for begin, end in _stretches(start, until, list(at), echoes):
        if begin in at:
            state = at[begin](state)
        stepper = RK45(
            lambda t, y: rates(t, y, found.at),
            begin,
            state,
            end,
            max_step=least_delay,
            rtol=relative,
            atol=absolute,
        )
        while stepper.status == "running":
            stepper.step()
            if stepper.status == "failed":
                raise ValueError(f"the equations cannot be followed beyond {stepper.t:.6g} s")
            found.add(float(stepper.t), stepper.dense_output())
        state = np.asarray(stepper.y)
    return found


def _stretches(
    start: float, until: float, jumps: Sequence[float], echoes: Sequence[float]
) -> list[tuple[float, float]]:
    kinks = [start, *(time for time in jumps if start < time < until)]
    marks = {until, *kinks}
    for kink in kinks:
        for delay in set(echoes):
            marks |= {kink + n * delay for n in range(1, _ECHOES + 1) if kink + n * delay < until}
    ordered = sorted(marks)
    # Marks that differ only by rounding are one mark; jumps stay as they are.
    apart: list[float] = []
    for mark in ordered:
        if apart and math.isclose(mark, apart[-1], rel_tol=1e-12, abs_tol=1e-12):
            apart[-1] = mark if mark in jumps else apart[-1]
        else:
            apart.append(mark)
    return list(itertools.pairwise(apart))
