"""AVQ's alpha by Alemu 2004, theorem 1: the greatest for which the linearised loop is stable.

With ``K11 = N / (g C R^2)`` the loop is ``L(s) = (K12 s + K2 alpha) exp(-s R) / (s (s + K11))``. Its gain is 1 at w,
where ``w^2 = (D + sqrt(D^2 + 4 K2^2 alpha^2)) / 2`` and ``D = K12^2 - K11^2`` (eq. 1.19), and there its phase shall
be -180°.

=========  ===========================  =======================================================
reading    K12 = K2                     phase
=========  ===========================  =======================================================
printed    ``3/2 g C / N``              ``w R + atan(w / K11) = pi/2`` (eq. 1.18)
lead       ``2/3 g C / N``              ``w R + atan(w / K11) - atan(w K12 / (K2 alpha)) = pi/2``
=========  ===========================  =======================================================

The second is our own linearisation, with the lead of the numerator's zero. Since ``alpha = w sqrt(w^2 - D) / K2``,
both are equations in w alone that rise with it, so a root either is the only one or there is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from ..margins import Array, margins
from .basics import Design, Load, NoRoot, Step, checked, packet_text

__all__ = ["Reading", "avq_alpha", "least_flows", "of_avq"]

Reading = Literal["printed", "lead"]
_SOURCE = "Alemu 2004, theorem 1, eqs 1.18 and 1.19"
_LEAD = "ours: the loop with the lead of its zero"
_MOST_FLOWS = 1e9


@dataclass(frozen=True)
class _Loop:
    load: Load
    utilisation: float
    reading: Reading

    @property
    def k11(self) -> float:
        return self.load.flows / (self.utilisation * self.load.capacity * self.load.rtt_s**2)

    @property
    def k2(self) -> float:
        factor = 1.5 if self.reading == "printed" else 2.0 / 3.0
        return factor * self.utilisation * self.load.capacity / self.load.flows

    @property
    def excess(self) -> float:
        """D, which has to be overcome if it is above 0."""
        return self.k2**2 - self.k11**2

    @property
    def slowest(self) -> float:
        """The frequency that the crossover approaches as alpha goes to 0."""
        return math.sqrt(max(self.excess, 0.0))

    def alpha(self, w: float) -> float:
        return w * math.sqrt(max(w * w - self.excess, 0.0)) / self.k2

    def turned(self, w: float) -> float:
        """The phase beyond pi/2."""
        lag = w * self.load.rtt_s + math.atan(w / self.k11)
        if self.reading == "lead":
            # w K12 / (K2 alpha) = w / alpha = K2 / sqrt(w^2 - D).
            lag -= math.atan2(self.k2, math.sqrt(max(w * w - self.excess, 0.0)))
        return lag - math.pi / 2.0


def avq_alpha(load: Load, *, utilisation: float = 1.0, reading: Reading = "printed") -> float:
    """AVQ's greatest stable alpha in 1/s, for the desired `utilisation` (gamma, above 0 and at most 1).

    Raises
    ------
    NoRoot
        If even a vanishing alpha is not stable.

    Source: Alemu 2004, theorem 1 (eqs 1.18 and 1.19); see this module for the readings.
    """
    checked("the utilisation", utilisation, most=1.0)
    loop = _Loop(load, utilisation, reading)
    if loop.turned(loop.slowest) >= 0.0:
        raise NoRoot(_why(loop))
    w = float(brentq(loop.turned, loop.slowest, math.pi / load.rtt_s, xtol=1e-14 / load.rtt_s, rtol=1e-14))
    return loop.alpha(w)


def least_flows(load: Load, *, utilisation: float = 1.0, reading: Reading = "printed") -> int:
    """The least whole number of flows from which on the rule has a root, at the round-trip time and rate of `load`."""

    def has_root(flows: float) -> bool:
        loop = _Loop(replace(load, flows=flows), utilisation, reading)
        return loop.turned(loop.slowest) < 0.0

    low, high = 0, 1
    while not has_root(high) and high < _MOST_FLOWS:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_root(middle) else (middle, high)
    return high


def _why(loop: _Loop) -> str:
    need = least_flows(loop.load, utilisation=loop.utilisation, reading=loop.reading)
    w = loop.slowest
    return (
        f"avq: the rule has no root for {loop.load}: however small alpha is, the loop's gain stays above 1 up to "
        f"{w:.4g} rad/s, sqrt(K12^2 - K11^2), where its phase has turned by {loop.turned(w) + math.pi / 2.0:.4g} rad "
        f"already, and pi/2 is allowed\n"
        f"  allowed: at least {need} flows at this round-trip time and rate, a shorter one or a lower rate\n"
        f"  hint:    Alemu 2004 takes alpha = 0.251 where its rule gives none"
    )


def of_avq(load: Load, *, utilisation: float = 1.0, reading: Reading = "printed", limit: float | None = None) -> Design:
    """AVQ's alpha."""
    alpha = avq_alpha(load, utilisation=utilisation, reading=reading)
    loop = _Loop(load, utilisation, reading)
    queue: dict[str, str | float] = {"kind": "avq", "gamma": utilisation, "alpha": alpha}
    if limit is not None:
        queue["limit"] = packet_text(limit)
    source = _SOURCE if reading == "printed" else _LEAD
    half = loop.excess / 2.0
    w = math.sqrt(half + math.hypot(half, loop.k2 * alpha))
    phase = "w R + atan(w/K11)" + ("" if reading == "printed" else " - atan(w/alpha)")
    factor = "3/2" if reading == "printed" else "2/3"
    steps = (
        Step("K11", loop.k11, "rad/s", "N / (gamma C R^2)", source),
        Step("K12, K2", loop.k2, "rad/s", f"{factor} gamma C / N", source),
        Step("w", w, "rad/s", f"{phase} = pi/2", source),
        Step("alpha", alpha, "1/s", "w sqrt(w^2 - K12^2 + K11^2) / K2", source),
    )

    def open_loop(s: Array) -> Array:
        value: Array = loop.k2 * (s + alpha) * np.exp(-s * load.rtt_s) / (s * (s + loop.k11))
        return value

    found = margins(open_loop, low=1e-4 * min(alpha, loop.k11, 1.0 / load.rtt_s), high=50.0 / load.rtt_s + 2.0 * w)
    notes = [
        "This alpha is the bound: the theorem holds for all below it, and at it"
        + (
            " the phase margin is 0."
            if reading == "lead"
            else " the rule, which leaves out the lead of the zero, sees none."
        )
    ]
    return Design(f"AVQ for {load}", queue, steps, found, tuple(notes))
