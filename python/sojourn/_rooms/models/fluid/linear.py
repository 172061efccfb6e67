"""The model near its equilibrium: margins of the loop, and the roots of its characteristic equation.

With ``y' = A y(t) + sum of A_k y(t - tau_k)`` the roots are the s of ``det(s - A - sum of A_k exp(-s tau_k)) = 0``.
All but finitely many lie far to the left, and the rightmost says whether the equilibrium is stable. They are found
as eigenvalues of the derivative along the past, on Chebyshev points (Breda, Maset and Vermiglio 2005), and the
rightmost is refined by Newton's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..margins import Array, Loop, Margins, margins
from .dde import State
from .model import Fluid
from .rest import Rest, rest

__all__ = ["Linear", "linearise", "rightmost_root"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """The model, linearised.

    Attributes
    ----------
    rest
        The equilibrium about which the model is linearised.
    now
        A without the loop: the effect of the present state.
    before
        A_k without the loop, one for each lag: the effect of windows and queue one lag ago.
    marks
        How a change of the probability one lag ago moves the state, a column for each lag.
    reads
        How the probability follows from the state.
    lags
        In seconds.
    """

    rest: Rest
    now: Matrix
    before: tuple[Matrix, ...]
    marks: tuple[State, ...]
    reads: State
    lags: tuple[float, ...]

    @property
    def closed(self) -> tuple[Matrix, ...]:
        """A_k with the loop closed: the probability one lag ago follows from the state then."""
        return tuple(a + np.outer(b, self.reads) for a, b in zip(self.before, self.marks, strict=True))

    def loop(self) -> Loop:
        """L(s), from the probability around to the probability, for negative feedback."""

        def one(s: complex) -> complex:
            matrix = s * np.eye(len(self.reads)) - self.now
            moved = np.zeros(len(self.reads), dtype=complex)
            for a, b, lag in zip(self.before, self.marks, self.lags, strict=True):
                turn = np.exp(-s * lag)
                matrix = matrix - a * turn
                moved = moved + b * turn
            return complex(-(self.reads @ np.linalg.solve(matrix, moved)))

        def at(s: Array) -> Array:
            return np.array([one(complex(value)) for value in s])

        return at

    def margins(self) -> Margins:
        """Gain, phase and delay margins of `loop`."""
        least = min(self.lags)
        poles = np.abs(np.linalg.eigvals(self.now))
        slow = min([float(pole) for pole in poles if pole > 1e-12] + [1.0 / least])
        return margins(self.loop(), low=1e-3 * slow, high=30.0 / least)


def linearise(model: Fluid, *, at: Rest | None = None) -> Linear:
    """The model near its equilibrium, by central differences."""
    about = rest(model) if at is None else at
    size, p = len(model.classes), about.probability
    lags = tuple(model.lag(i, about.queue) for i in range(size))
    on = [True] * size
    still = [about.state] * size

    def change(state: State, before: Sequence[State], marked: Sequence[float]) -> State:
        return model.rates(state, before, marked, on, on)

    now = _slope(lambda y: change(y, still, [p] * size), about.state)
    before, marks = [], []
    for k in range(size):

        def past(y: State, k: int = k) -> State:
            return change(about.state, [y if i == k else about.state for i in range(size)], [p] * size)

        def marked(value: State, k: int = k) -> State:
            return change(about.state, still, [float(value[0]) if i == k else p for i in range(size)])

        before.append(_slope(past, about.state))
        marks.append(_slope(marked, np.array([p]))[:, 0])
    reads = _slope(lambda y: np.array([model.probability(y, on)]), about.state)[0]
    if about.queue <= 0.0:
        # An empty queue stays empty: a small disturbance of it is not part of the loop. It fades alone, faster than all
        # else.
        for matrix in (now, *before):
            matrix[size, :] = matrix[:, size] = 0.0
        now[size, size] = -1.0 / min(lags)
        for column in marks:
            column[size] = 0.0
        reads[size] = 0.0
    return Linear(about, now, tuple(before), tuple(marks), reads, lags)


def _slope(function: Any, at: State) -> Matrix:
    columns = []
    for i, value in enumerate(at):
        step = 1e-6 * max(abs(float(value)), 1e-3)
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        columns.append((function(up) - function(down)) / (2.0 * step))
    return np.array(columns).T


def rightmost_root(linear: Linear, *, points: int = 24) -> complex:
    """The root with the greatest real part, in 1/s; below 0 the equilibrium is stable. The upper one of a pair."""
    delayed = linear.closed
    guesses = np.linalg.eigvals(_generator(linear.now, delayed, linear.lags, points))
    # A few to the right are refined: the points of the past may have moved them past each other.
    ordered = sorted(guesses, key=lambda root: -float(root.real))[:6]
    refined = [_refined(linear, delayed, complex(root.real, abs(root.imag))) for root in ordered]
    return max(refined, key=lambda root: root.real)


def _generator(now: Matrix, delayed: Sequence[Matrix], lags: Sequence[float], points: int) -> Matrix:
    """The derivative along the past on Chebyshev points, with the equation itself at the present."""
    size, longest = len(now), max(lags)
    nodes = np.cos(np.pi * np.arange(points + 1) / points)
    weights = np.array([0.5 if i in (0, points) else 1.0 for i in range(points + 1)]) * (-1.0) ** np.arange(points + 1)
    gaps = nodes[:, None] - nodes[None, :] + np.eye(points + 1)
    derivative = (weights[None, :] / weights[:, None]) / gaps
    derivative -= np.diag(derivative.sum(axis=1))
    matrix = np.kron(derivative * 2.0 / longest, np.eye(size))
    matrix[:size] = 0.0
    matrix[:size, :size] = now
    for a, lag in zip(delayed, lags, strict=True):
        place = 1.0 - 2.0 * lag / longest
        matrix[:size] += np.kron(_interpolation(nodes, weights, place)[None, :], a)
    return matrix


def _interpolation(nodes: Matrix, weights: Matrix, place: float) -> State:
    """Weights that interpolate the value at `place` from those at the nodes (barycentric)."""
    gaps = place - nodes
    hit = np.abs(gaps) < 1e-14
    if hit.any():
        return hit.astype(np.float64)
    terms = weights / gaps
    return np.asarray(terms / terms.sum())


def _refined(linear: Linear, delayed: Sequence[Matrix], guess: complex) -> complex:
    """Newton's method on the determinant, whose logarithmic derivative is a trace."""
    root, size = guess, len(linear.now)
    for _ in range(50):
        turns = [np.exp(-root * lag) for lag in linear.lags]
        matrix = root * np.eye(size) - linear.now - sum(a * t for a, t in zip(delayed, turns, strict=True))
        slope = np.eye(size) + sum(lag * a * t for a, t, lag in zip(delayed, turns, linear.lags, strict=True))
        try:
            trace = complex(np.trace(np.linalg.solve(matrix, slope)))
        except np.linalg.LinAlgError:
            return root
        if trace == 0.0:
            return guess
        root -= 1.0 / trace
        if abs(1.0 / trace) < 1e-12 * (1.0 + abs(root)):
            return root if abs(root - guess) < 1.0 + 0.5 * abs(guess) else guess
    return guess
