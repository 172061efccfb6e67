"""The throughput of a bulk TCP flow as a function of its losses, and the size of a sample."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "friendly_rate",
    "friendly_rate_delayed",
    "greatest_window",
    "greatest_window_delayed",
    "mathis",
    "padhye",
    "padhye_approximate",
    "sample_size",
]

Numbers = NDArray[np.float64]

PERIODIC = math.sqrt(1.5)
"""[Mat97]'s constant for periodic losses and an acknowledgement of every packet, sqrt(3/2) = 1.22."""


def mathis(p: ArrayLike, rtt_s: float, *, constant: float = PERIODIC, most: float = math.inf) -> Numbers:
    """``min(c / (R sqrt(p)), C)``: the square-root law, valid for p below about 2 %.

    `constant` is c (sqrt(3/2) for periodic losses, 1.31 for random ones, divided by sqrt(2) with delayed
    acknowledgements); `most` is the link's rate C. Source: [Mat97] eq. 3; [Ale04] eq. 1.
    """
    _positive("the round-trip time", rtt_s)
    return np.minimum(constant / (rtt_s * np.sqrt(_probability(p))), most)


def greatest_window(p: ArrayLike) -> Numbers:
    """``W = sqrt(8 / (3 p))`` packets, the window at which a loss is due if p is steady. Source: [Cha04] eq. 2.3."""
    return np.sqrt(8.0 / (3.0 * _probability(p)))


def friendly_rate(p: ArrayLike, rtt_s: float, *, packet_bytes: float = 1.0) -> Numbers:
    """``T = 1.5 sqrt(2/3) B / (R sqrt(p))``: three quarters of the greatest window in each round-trip time.

    With `packet_bytes` B the result is in bytes per second, else in packets. Source: [Cha04] eq. 2.4.
    """
    _positive("the round-trip time", rtt_s)
    return 1.5 * math.sqrt(2.0 / 3.0) * packet_bytes / (rtt_s * np.sqrt(_probability(p)))


def greatest_window_delayed(p: ArrayLike) -> Numbers:
    """``W = sqrt(4 / (3 p))`` packets with delayed acknowledgements. Source: [Cha04] eq. 2.6, solved for W."""
    return np.sqrt(4.0 / (3.0 * _probability(p)))


def friendly_rate_delayed(p: ArrayLike, rtt_s: float, *, packet_bytes: float = 1.0) -> Numbers:
    """``T = 1.5 sqrt(1/3) B / (R sqrt(p))``: with delayed acknowledgements. Source: [Cha04] eq. 2.7."""
    return friendly_rate(p, rtt_s, packet_bytes=packet_bytes) * math.sqrt(0.5)


def padhye_approximate(
    p: ArrayLike, rtt_s: float, *, timeout_s: float, ack_every: int = 1, window: float = math.inf
) -> Numbers:
    """``min(W / R, 1 / (R sqrt(2 b p / 3) + T0 min(1, 3 sqrt(3 b p / 8)) p (1 + 32 p^2)))``.

    `timeout_s` is T0, the first timeout; `window` is W, the receiver's window in packets. Source: [Pad98], the
    approximate model; [Cha04] eq. 2.5.
    """
    _positive("the round-trip time", rtt_s)
    _positive("the timeout", timeout_s)
    loss = _probability(p)
    waiting = timeout_s * np.minimum(1.0, 3.0 * np.sqrt(3.0 * ack_every * loss / 8.0)) * loss * (1.0 + 32.0 * loss**2)
    return np.minimum(window / rtt_s, 1.0 / (rtt_s * np.sqrt(2.0 * ack_every * loss / 3.0) + waiting))


def padhye(p: ArrayLike, rtt_s: float, *, timeout_s: float, ack_every: int = 1, window: float = math.inf) -> Numbers:
    """The full model of the sending rate of TCP Reno: duplicates, timeouts with back-off and the receiver's window.

    Arguments as in `padhye_approximate`. Source: [Pad98], the full model: section II-C, with the receiver's window.
    """
    _positive("the round-trip time", rtt_s)
    _positive("the timeout", timeout_s)
    loss = _probability(p)
    base = (2.0 + ack_every) / (3.0 * ack_every)
    free = base + np.sqrt(8.0 * (1.0 - loss) / (3.0 * ack_every * loss) + base**2)
    mean = np.minimum(free, window)
    rounds = np.where(
        free < window,
        ack_every / 2.0 * free + 1.0,
        ack_every / 8.0 * mean + (1.0 - loss) / (loss * mean) + 2.0,
    )
    chance = _timeout_chance(loss, mean)
    backoff = 1.0 + loss + 2.0 * loss**2 + 4.0 * loss**3 + 8.0 * loss**4 + 16.0 * loss**5 + 32.0 * loss**6
    sent = (1.0 - loss) / loss + mean + chance / (1.0 - loss)
    return np.asarray(sent / (rtt_s * rounds + chance * timeout_s * backoff / (1.0 - loss)))


def _timeout_chance(p: Numbers, window: Numbers) -> Numbers:
    """The probability that a loss in a window of `window` packets ends in a timeout ([Pad98], section II-B)."""
    kept = 1.0 - p
    after = 1.0 + kept**3 * (1.0 - kept ** (window - 3.0))
    return np.minimum(1.0, (1.0 - kept**3) * after / (1.0 - kept**window))


def sample_size(error: ArrayLike, *, part: float = 0.5, confidence: float = 0.95) -> Numbers:
    """``m = H (1 - H) (z / E)^2``: how many samples tell a part H of the queue to within E.

    `error` is E and `part` H, both above 0 and below 1; the worst part is a half. Source: [Cha04] eq. 3.9.
    """
    within = _probability(error, "the error")
    _probability(part, "the part")
    _probability(confidence, "the confidence")
    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    return part * (1.0 - part) * (z / within) ** 2


def _probability(values: ArrayLike, what: str = "the loss probability") -> Numbers:
    array = np.asarray(values, dtype=np.float64)
    wrong = array[~((array > 0.0) & (array < 1.0))]
    if wrong.size:
        raise ValueError(f"{what} is {wrong.flat[0]:g}\n  allowed: above 0 and below 1")
    return array


def _positive(what: str, value: Any) -> None:
    if not (value > 0.0 and math.isfinite(value)):
        raise ValueError(f"{what} is {value:g} s\n  allowed: above 0")
