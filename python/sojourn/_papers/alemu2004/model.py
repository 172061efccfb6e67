"""Section 5.5: losses as a compound Poisson process, and when a queue with smaller groups of losses is the better one.

Groups of losses come at a constant rate; a group has one packet with probability beta, else two. Over a block of T
packets with loss rate p the number of losses depends on x = pT alone: there are Poisson numbers of groups of one and of
two, with means ``x beta / m`` and ``x (1 - beta) / m``, where ``m = 2 - beta`` is the mean group.
"""

from __future__ import annotations

import math

BETA_RED, BETA_DROP_TAIL = 0.9, 0.6
"""Share of groups of one: P(LRL=1) as read off figure 5.6."""


def at_most(h: int, x: float, beta: float) -> float:
    """P(N <= h) over a block with x losses in the mean (equation 5.3)."""
    mean = 2.0 - beta
    ones, twos = x * beta / mean, x * (1.0 - beta) / mean
    return math.fsum(
        _poisson(pairs, twos) * math.fsum(_poisson(single, ones) for single in range(h - 2 * pairs + 1))
        for pairs in range(h // 2 + 1)
    )


def advantage(h: int, x: float) -> float:
    """Delta_h(x): by how much likelier RED's losses can be repaired than drop tail's."""
    return at_most(h, x, BETA_RED) - at_most(h, x, BETA_DROP_TAIL)


def sign_changes(h: int, *, until: float, step: float = 0.01) -> list[float]:
    """Where the advantage changes its sign for x in (0, until], by bisection; below 1e-10 it is rounding."""
    found: list[float] = []
    last = 0.0
    for i in range(1, round(until / step) + 1):
        value = advantage(h, i * step)
        if abs(value) > 1e-10:
            if last * value < 0.0:
                found.append(_root(h, (i - 1) * step, i * step))
            last = value
    return found


def _root(h: int, low: float, high: float) -> float:
    rises = advantage(h, low) < 0.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if (advantage(h, middle) < 0.0) == rises:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _poisson(count: int, mean: float) -> float:
    return math.exp(count * math.log(mean) - mean - math.lgamma(count + 1)) if mean > 0.0 else float(count == 0)
