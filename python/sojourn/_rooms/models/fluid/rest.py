"""Where the model rests: windows, queue and probability that change no more."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from .dde import State
from .model import Fluid

__all__ = ["Rest", "rest"]

_LEAST_P = 1e-12


@dataclass(frozen=True)
class Rest:
    """An equilibrium.

    Attributes
    ----------
    state
        In the order of `Fluid.names`.
    queue
        In packets.
    probability
        Of a mark or a loss.
    windows
        In packets, of each class.
    """

    state: State
    queue: float
    probability: float
    windows: tuple[float, ...]


def rest(model: Fluid) -> Rest:
    """The equilibrium with all classes sending.

    For Reno the windows are ``sqrt(2 / (b p))``, for Surathkal ``sqrt(2 / b) / p``; together they fill the link. A
    discipline with a reference rests there with the probability that this takes; RED rests where its line and the
    windows agree.

    Raises
    ------
    ValueError
        If there is none: the windows are bounded and do not fill the link, or RED's line jumps past the point.
    """
    if model.queue.resting_queue is not None:
        return _at_reference(model, model.queue.resting_queue)
    return _on_the_line(model)


def _excess(model: Fluid, q: float, p: float) -> float:
    """The rate of packets that join, beyond the rate that the link is to carry, in packets per second."""
    rates = (one.flows * one.resting_window(p) / model.rtt(i, q) for i, one in enumerate(model.classes))
    return sum(rates) * (1.0 if model.marks else 1.0 - p) - model.queue.resting_arrivals(model.capacity)


def _at_reference(model: Fluid, q: float) -> Rest:
    if q >= model.limit:
        # At the edge itself the buffer cuts every swing, so that a linearised model does not describe it.
        raise ValueError(f"the reference of {q:g} packets is not below the buffer of {model.limit:g}")
    if _excess(model, q, _LEAST_P) < 0.0:
        raise ValueError("the greatest windows do not fill the link: nothing is marked, and the queue stays empty")
    p = float(brentq(lambda p: _excess(model, q, p), _LEAST_P, 1.0, xtol=1e-15, rtol=1e-13))
    return _made(model, q, p)


def _on_the_line(model: Fluid) -> Rest:
    def p_at(q: float) -> float:
        return model.queue.probability(model.queue.at_rest(q, None, model.capacity), model.capacity)

    def excess(q: float) -> float:
        return _excess(model, q, max(p_at(q), _LEAST_P))

    if excess(0.0) < 0.0:
        raise ValueError("the greatest windows do not fill the link: nothing is marked, and the queue stays empty")
    high = 1.0
    while excess(high) > 0.0:
        high *= 2.0
        if high > 1e12:
            raise ValueError("the windows fill any queue: nothing marks them")
    q = float(brentq(excess, 0.0, high, xtol=1e-12, rtol=1e-13))
    # Where the line jumps, the sign changes without a root.
    if abs(excess(q)) > 1e-6 * model.capacity:
        raise ValueError(
            f"there is no equilibrium: at {q:.6g} packets the probability jumps from {p_at(q * (1 - 1e-9)):.3g} to "
            f"{p_at(q * (1 + 1e-9)):.3g}, and {_needed(model, q):.4g} would be needed"
        )
    if q > model.limit:
        raise ValueError(f"there is no equilibrium in the buffer of {model.limit:g} packets: it would be at {q:.6g}")
    return _made(model, q, p_at(q))


def _needed(model: Fluid, q: float) -> float:
    return float(brentq(lambda p: _excess(model, q, p), _LEAST_P, 1.0))


def _made(model: Fluid, q: float, p: float) -> Rest:
    windows = tuple(one.resting_window(p) for one in model.classes)
    if any(not math.isfinite(window) or window < 1.0 for window in windows):
        raise ValueError(f"there is no equilibrium with windows of at least one packet: p would be {p:.4g}")
    arrivals = sum(
        one.flows * w / model.rtt(i, q) for i, (one, w) in enumerate(zip(model.classes, windows, strict=True))
    )
    own = model.queue.at_rest(q, p, arrivals)
    return Rest(np.array([*windows, q, *own]), q, p, windows)
