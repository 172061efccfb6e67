"""P controller, PI controller and RED by Hollot, Misra, Towsley and Gong 2001 [Hol01].

TCP and a queue, linearised about their equilibrium, are

    P(s) = (C^2 / (2 N)) exp(-s R) / ((s + 2 N / (R^2 C)) (s + 1 / R))

from the probability to the queue ([Hol01] eq. 3). Each rule chooses a controller of which this loop is stable for at
least N- flows and round-trip times of at most R+.
"""

from __future__ import annotations

import math

import numpy as np

from ..margins import Array, Loop, Margins, margins
from .basics import Design, Load, Step, checked, packet_text

__all__ = ["of_p", "of_pi", "of_red", "p_slope", "pi_gains", "plant", "red_line"]

_P = "Hollot et al., INFOCOM 2001, section IV; Alemu 2004, eq. 1.20"
_PI = "Hollot et al., INFOCOM 2001, proposition 2; Alemu 2004, eqs 1.21 to 1.23"
_RED = "Hollot et al., INFOCOM 2001 (RED), proposition 1"


def plant(load: Load) -> Loop:
    """P(s) in packets, from the probability to the queue; negative feedback is not in it ([Hol01] eq. 3)."""

    def at(s: Array) -> Array:
        gain = load.capacity**2 / (2.0 * load.flows)
        value: Array = gain * np.exp(-s * load.rtt_s) / ((s + load.tcp_pole) * (s + load.queue_pole))
        return value

    return at


def p_slope(load: Load) -> tuple[float, float]:
    """The P controller's slope in 1/packet, and the frequency in rad/s for which it is chosen.

    ``L = |1 + i w / p_tcp| |1 + i w / p_queue| / ((R C)^3 / (2 N)^2)`` with ``w = sqrt(p_tcp p_queue)``, the
    geometric mean of the poles. Source: [Hol01]; Alemu 2004, eq. 1.20 (``Max_th - Min_th = Max_p / L``).
    """
    frequency = math.sqrt(load.tcp_pole * load.queue_pole)
    poles = abs(1.0 + 1j * frequency / load.tcp_pole) * abs(1.0 + 1j * frequency / load.queue_pole)
    return poles / load.plant_gain, frequency


def pi_gains(load: Load, *, frequency_hz: float = 170.0) -> tuple[float, float, float, float]:
    """``a`` and ``b`` of the PI controller in 1/packet, K_PI in 1/(packet s), and w_g in rad/s.

    The zero lies on TCP's pole, ``w_g = 2 N / (R^2 C)``; the gain makes w_g the crossover, ``K = w_g |1 + i w_g R| /
    ((R C)^3 / (2 N)^2)``; ``a = K (1 / (2 f) + 1 / w_g)`` and ``b = K (1 / w_g - 1 / (2 f))`` follow by the bilinear
    transform at `frequency_hz` updates per second. Source: [Hol01], proposition 2; Alemu 2004, eqs 1.21 to 1.23.
    """
    zero = load.tcp_pole
    gain = zero * abs(1.0 + 1j * zero * load.rtt_s) / load.plant_gain
    half = 1.0 / (2.0 * checked("the number of updates per second", frequency_hz))
    return gain * (1.0 / zero + half), gain * (1.0 / zero - half), gain, zero


def red_line(load: Load) -> tuple[float, float, float]:
    """RED's slope in 1/packet, the pole K of its average and the frequency w_g, both in rad/s.

    ``w_g = 0.1 min(p_tcp, p_queue)``, below which the loop crosses; with K a tenth of it, the slope is the greatest
    that the proposition allows: ``L (R C)^3 / (2 N)^2 = sqrt(w_g^2 / K^2 + 1)``. Source: Hollot, Misra, Towsley and
    Gong, "A control theoretic analysis of RED", INFOCOM 2001, proposition 1; that K is a tenth is our choice, near
    that of its example.
    """
    crossover = 0.1 * min(load.tcp_pole, load.queue_pole)
    pole = 0.1 * crossover
    return math.hypot(crossover / pole, 1.0) / load.plant_gain, pole, crossover


def _margins(load: Load, controller: Loop) -> Margins:
    low = 1e-4 * min(load.tcp_pole, load.queue_pole)
    return margins(lambda s: plant(load)(s) * controller(s), low=low, high=50.0 / load.rtt_s)


def _loop(load: Load) -> tuple[Step, ...]:
    source = "Hollot et al., INFOCOM 2001, eqs 3 and 4"
    return (
        Step("p_tcp", load.tcp_pole, "rad/s", "2 N / (R^2 C)", source),
        Step("p_queue", load.queue_pole, "rad/s", "1 / R", source),
        Step("gain", load.plant_gain, "packets", "(R C)^3 / (2 N)^2", source),
    )


def of_p(load: Load, *, max_p: float = 1.0, limit: float | None = None) -> Design:
    """The P controller's slope."""
    slope, frequency = p_slope(load)
    span = checked("max_p", max_p, most=1.0) / slope
    queue: dict[str, str | float] = {"kind": "p_controller", "min_th": "0p", "slope": slope}
    steps = (
        *_loop(load),
        Step("w_g", frequency, "rad/s", "sqrt(p_tcp p_queue)", _P),
        Step("slope", slope, "1/packet", "|1 + i w_g/p_tcp| |1 + i w_g/p_queue| / gain", _P),
        Step("max_th - min_th", span, "packets", "max_p / slope", _P),
    )
    if limit is not None:
        queue["limit"] = packet_text(limit)
    notes = [f"From 0 to {max_p:g} it takes a queue of {span:.4g} packets."]
    if limit is not None and limit < span:
        notes.append(
            f"A buffer of {limit:g} packets overflows before: the greatest probability is {limit * slope:.3g}."
        )
    found = _margins(load, lambda s: np.full_like(s, slope))
    return Design(f"P controller for {load}", queue, steps, found, tuple(notes))


def of_pi(
    load: Load, *, frequency_hz: float = 170.0, target: float | None = None, limit: float | None = None
) -> Design:
    """The PI controller's gains."""
    a, b, gain, zero = pi_gains(load, frequency_hz=frequency_hz)
    queue: dict[str, str | float] = {"kind": "pi", "a": a, "b": b, "w": frequency_hz}
    if target is not None:
        queue["q_ref"] = packet_text(target)
    if limit is not None:
        queue["limit"] = packet_text(limit)
    steps = (
        *_loop(load),
        Step("w_g", zero, "rad/s", "p_tcp: the zero and the crossover", _PI),
        Step("K_PI", gain, "1/(packet s)", "w_g |1 + i w_g R| / gain", _PI),
        Step("a", a, "1/packet", "K_PI (1/w_g + 1/(2 f))", _PI),
        Step("b", b, "1/packet", "K_PI (1/w_g - 1/(2 f))", _PI),
    )
    notes = []
    if zero * load.rtt_s > 0.5:
        notes.append(
            f"The rule asks for w_g far below 1/R; here w_g R is {zero * load.rtt_s:.3g}, "
            f"as windows are of {load.window:.3g} packets."
        )
    if b <= 0.0:
        raise ValueError(
            f"pi: {frequency_hz:g} updates per second are too few: b is {b:.3g} and must be above 0\n"
            f"  allowed: more than {zero / 2.0:.3g} per second"
        )
    found = _margins(load, lambda s: gain * (1.0 + s / zero) / s)
    return Design(f"PI controller for {load}", queue, steps, found, tuple(notes))


def of_red(load: Load, *, max_p: float = 0.1, target: float | None = None, limit: float | None = None) -> Design:
    """RED's thresholds and weight, with `target` packets midway between them; by default max_th is 3 min_th."""
    slope, pole, crossover = red_line(load)
    span = checked("max_p", max_p, most=1.0) / slope
    middle = span if target is None else checked("the target in packets", target)
    least = middle - span / 2.0
    if least < 0.0:
        raise ValueError(
            f"red: the thresholds are {span:.4g} packets apart and cannot lie around {middle:g} packets\n"
            f"  allowed: a target of at least {span / 2.0:.4g} packets, a smaller max_p or more flows"
        )
    weight = -math.expm1(-pole / load.capacity)
    queue: dict[str, str | float] = {
        "kind": "red",
        "min_th": packet_text(least),
        "max_th": packet_text(least + span),
        "max_p": max_p,
        "w_q": weight,
    }
    if limit is not None:
        queue["limit"] = packet_text(limit)
    steps = (
        *_loop(load),
        Step("w_g", crossover, "rad/s", "0.1 min(p_tcp, p_queue)", _RED),
        Step("K", pole, "rad/s", "0.1 w_g", "ours, near the example there"),
        Step("slope", slope, "1/packet", "sqrt(w_g^2/K^2 + 1) / gain", _RED),
        Step("max_th - min_th", span, "packets", "max_p / slope", _RED),
        Step("w_q", weight, "", "1 - exp(-K / C)", _RED),
    )
    notes = [f"The average follows the queue with a time constant of {1.0 / pole:.3g} s."]
    if limit is not None and limit < least + span:
        notes.append(f"A buffer of {limit:g} packets overflows below max_th, {least + span:.4g} packets.")
    found = _margins(load, lambda s: slope / (1.0 + s / pole))
    return Design(f"RED for {load}", queue, steps, found, tuple(notes))
