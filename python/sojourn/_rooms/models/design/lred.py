"""LRED's beta by Alemu 2004, eq. 1.26: the greatest for which the linearised loop is stable.

The loop is ``L(s) = K_c H_c exp(-s R) / (s (s + K11))`` with ``K11 = 2 N / (C R^2)``, ``K_c = C^2 / (eta N)``,
``H_c = beta sqrt(eta N^2 / (C^2 R^2))`` and ``eta = 3/2``. Its gain is 1 at w with ``K_c H_c = w sqrt(w^2 +
K11^2)``, and its phase is -180° where ``w R + atan(w / K11) = pi/2``, which always has a root.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from ..margins import Array, margins
from .basics import Design, Load, Step, packet_text

__all__ = ["lred_beta", "lred_cap", "of_lred"]

_ETA = 1.5
_SOURCE = "Alemu 2004, eq. 1.26"


def _pole(load: Load) -> float:
    """K11 in rad/s."""
    return 2.0 * load.flows / (load.capacity * load.rtt_s**2)


def _crossover(load: Load) -> float:
    pole = _pole(load)
    most = math.pi / 2.0 / load.rtt_s
    return float(
        brentq(lambda w: w * load.rtt_s + math.atan(w / pole) - math.pi / 2.0, 0.0, most, xtol=1e-15 * most, rtol=1e-14)
    )


def _gain(load: Load) -> float:
    """K_c H_c for beta = 1, in rad^2/s^2."""
    return load.capacity**2 / (_ETA * load.flows) * math.sqrt(_ETA) * load.flows / (load.capacity * load.rtt_s)


def lred_beta(load: Load) -> float:
    """LRED's greatest stable beta (beta-bar) per packet, by the loop alone. Source: Alemu 2004, eq. 1.26."""
    w = _crossover(load)
    return w * math.hypot(w, _pole(load)) / _gain(load)


def lred_cap(load: Load) -> float:
    """The other bound of beta, per packet: ``sqrt(2 eta) (2 N)^4 / (R C)^3``.

    With ``eta = 3/2``. Source: Alemu 2004, eq. 1.26.
    """
    return math.sqrt(2.0 * _ETA) * (2.0 * load.flows) ** 4 / (load.rtt_s * load.capacity) ** 3


def of_lred(load: Load, *, target: float | None = None, limit: float | None = None) -> Design:
    """LRED's beta: the smaller of its two bounds."""
    by_loop, cap = lred_beta(load), lred_cap(load)
    beta = min(by_loop, cap)
    queue: dict[str, str | float] = {"kind": "lred", "beta": beta}
    if target is not None:
        queue["q_ref"] = packet_text(target)
    if limit is not None:
        queue["limit"] = packet_text(limit)
    steps = (
        Step("K11", _pole(load), "rad/s", "2 N / (C R^2)", _SOURCE),
        Step("w", _crossover(load), "rad/s", "w R + atan(w/K11) = pi/2", _SOURCE),
        Step("beta by the loop", by_loop, "1/packet", "w sqrt(w^2 + K11^2) / (K_c H_c / beta)", _SOURCE),
        Step("the other bound", cap, "1/packet", "sqrt(2 eta) (2 N)^4 / (R C)^3, eta = 3/2", _SOURCE),
        Step("beta", beta, "1/packet", "the smaller", _SOURCE),
    )

    def open_loop(s: Array) -> Array:
        value: Array = beta * _gain(load) * np.exp(-s * load.rtt_s) / (s * (s + _pole(load)))
        return value

    found = margins(open_loop, low=1e-4 * min(_pole(load), 1.0 / load.rtt_s), high=50.0 / load.rtt_s)
    notes = (
        "This beta is the bound: the loop is stable for all below it"
        + (", and at it the margins are used up." if by_loop <= cap else "."),
    )
    return Design(f"LRED for {load}", queue, steps, found, notes)
