"""How far a control loop with delay is from instability: gain, phase and delay margins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

__all__ = ["Loop", "Margins", "margins"]

Array = np.ndarray[Any, np.dtype[Any]]
Loop = Callable[[Array], Array]
"""L(s) of an open loop whose feedback is negative, for an array of s = i omega, in rad/s."""

_POINTS = 4000


@dataclass(frozen=True)
class Margins:
    """Margins of a loop that is stable without feedback; a loop is stable if the gain margin is above 1.

    Attributes
    ----------
    gain
        Factor by which the loop's gain may grow; below 1 it has to shrink. Infinite if the phase never reaches -180°.
    phase_deg
        Degrees that the phase may still turn where the gain is 1. Infinite if the gain never reaches 1.
    delay_s
        Seconds of further delay that the loop bears, from the phase margin.
    crossover
        Frequency in rad/s at which the gain is 1, the highest one; not a number if there is none.
    """

    gain: float
    phase_deg: float
    delay_s: float
    crossover: float

    @property
    def stable(self) -> bool:
        """Whether the closed loop is stable, by both margins."""
        return self.gain > 1.0 and self.phase_deg > 0.0


def margins(loop: Loop, *, low: float, high: float) -> Margins:
    """Margins of `loop`, looked for between two frequencies in rad/s.

    The phase is followed without jumps from `low` on, where it is taken between -180° and 180°: choose `low` far below
    and `high` above where gain and phase cross, and far enough below the first turn of the delay's ``exp(-s R)``.
    """
    omega = np.geomspace(low, high, _POINTS)
    value = loop(1j * omega)
    gain = np.log(np.abs(value))
    phase = np.unwrap(np.angle(value))
    # Phases at the crossings, refined: the branch is that of the nearest point.
    crossovers = [
        _refined(loop, omega[i], omega[i + 1], lambda one: math.log(abs(one)))
        for i in np.nonzero(np.diff(np.sign(gain)) != 0)[0]
    ]
    phases = [_phase_at(loop, w, omega, phase) for w in crossovers]
    turns = [
        _refined(loop, omega[i], omega[i + 1], lambda one: one.imag)
        for i in np.nonzero(np.diff(np.floor((phase / math.pi + 1.0) / 2.0)) != 0)[0]
    ]
    least = min((1.0 / abs(complex(loop(np.array([1j * w]))[0])) for w in turns), default=math.inf)
    if not crossovers:
        return Margins(least, math.inf, math.inf, math.nan)
    rest = [math.pi + angle for angle in phases]
    delay = min(angle / w for angle, w in zip(rest, crossovers, strict=True))
    return Margins(least, math.degrees(min(rest)), delay, max(crossovers))


def _refined(loop: Loop, low: float, high: float, part: Callable[[complex], float]) -> float:
    return float(brentq(lambda w: part(complex(loop(np.array([1j * w]))[0])), low, high, xtol=1e-13 * high))


def _phase_at(loop: Loop, at: float, omega: Array, phase: Array) -> float:
    near = float(np.interp(at, omega, phase))
    angle = float(np.angle(complex(loop(np.array([1j * at]))[0])))
    return angle + 2.0 * math.pi * round((near - angle) / (2.0 * math.pi))
