"""When parity repairs more under one queue than under another (Alemu 2004, section 5.5)."""

from __future__ import annotations

import math

__all__ = [
    "BETA_DROP_TAIL",
    "BETA_RED",
    "advantage",
    "at_most",
    "crossing",
    "exactly",
    "independent_left",
    "largest_data",
    "least_parity",
    "left",
    "linear_largest_data",
    "offset",
    "red_is_better",
    "sign_changes",
]

BETA_RED, BETA_DROP_TAIL = 0.9, 0.6
"""Share of groups of one: P(LRL=1) as read off figure 5.6."""

_FAR = 64
"""From this h on ``x_h - h`` has settled to four digits."""
_ROUNDING = 1e-10
"""A difference of probabilities below this is rounding."""


def exactly(count: int, x: float, beta: float) -> float:
    """P(N = count) over a block with x losses in the mean, at least 0 (eq. 5.2)."""
    _check(x, beta)
    mean = 2.0 - beta
    ones, twos = x * beta / mean, x * (1.0 - beta) / mean
    return math.fsum(_poisson(pairs, twos) * _poisson(count - 2 * pairs, ones) for pairs in range(count // 2 + 1))


def at_most(h: int, x: float, beta: float) -> float:
    """P(N <= h) over a block with x losses in the mean, at least 0 (eq. 5.3)."""
    return math.fsum(exactly(count, x, beta) for count in range(h + 1))


def advantage(h: int, x: float, *, red: float = BETA_RED, drop_tail: float = BETA_DROP_TAIL) -> float:
    """Delta_h(x): by how much likelier RED's losses can be repaired than drop tail's, for shares of single losses."""
    return at_most(h, x, red) - at_most(h, x, drop_tail)


def sign_changes(h: int, *, until: float, step: float = 0.01) -> list[float]:
    """Where the advantage changes its sign for x in (0, until]."""
    from scipy.optimize import brentq

    found: list[float] = []
    last, before = 0.0, 0.0
    for i in range(1, round(until / step) + 1):
        x = i * step
        value = advantage(h, x)
        if abs(value) > _ROUNDING:
            if last * value < 0.0:
                found.append(float(brentq(lambda at: advantage(h, at), before, x, xtol=1e-13)))
            last, before = value, x
    return found


def crossing(h: int) -> float:
    """x_h, up to which RED's losses are the likelier repaired, the advantage's one sign change; h is at least 1."""
    if h < 1:
        raise ValueError(f"there are {h} packets of parity\n  allowed: at least 1")
    from scipy.optimize import brentq

    # The root lies within 1 of h: 1.63 for h = 1, h + 0.26 for large h; both ends are far above rounding.
    return float(brentq(lambda x: advantage(h, x), h + 0.05, h + 1.0, xtol=1e-13))


def offset() -> float:
    """C, by which x_h exceeds h for large h."""
    return crossing(_FAR) - _FAR


def red_is_better(p: float, k: int, h: int) -> bool:
    """The decision rule: RED is better for blocks of k and h at loss rate p if ``p (k + h) <= x_h``."""
    return _rate(p) * (k + h) <= crossing(h)


def largest_data(p: float, h: int) -> float:
    """The k up to which RED is better: ``x_h / p - h``, not rounded; below 0 if there is none."""
    return crossing(h) / _rate(p) - h


def linear_largest_data(p: float, h: int) -> float:
    """The same by ``x_h = h + C``: ``k <= (1 - p) h / p + C / p``, as the thesis prints it."""
    return (1.0 - _rate(p)) * h / p + offset() / p


def least_parity(p: float, k: int, *, most: int = 1000) -> int | None:
    """The least h with which RED is better for k packets of data at loss rate p; `None` if it is above `most`."""
    return next((h for h in range(1, most + 1) if red_is_better(p, k, h)), None)


def left(p: float, k: int, h: int, beta: float) -> float:
    """The loss rate after correction, ``E[N; N > h] / T``: a block with more than h losses keeps them all."""
    x = _rate(p) * (k + h)
    return (x - math.fsum(count * exactly(count, x, beta) for count in range(1, h + 1))) / (k + h)


def independent_left(p: float, k: int, h: int) -> float:
    """The same if packets are lost independently: ``p (1 - P(at most h - 1 of the other T - 1 are lost))``."""
    others = k + h - 1
    _rate(p)
    return p * (1.0 - math.fsum(math.comb(others, i) * p**i * (1.0 - p) ** (others - i) for i in range(h)))


def _check(x: float, beta: float) -> None:
    if not x >= 0.0:
        raise ValueError(f"the mean number of losses is {x:g}\n  allowed: at least 0")
    if not 0.0 <= beta <= 1.0:
        raise ValueError(f"the share of single losses is {beta:g}\n  allowed: 0 to 1")


def _rate(p: float) -> float:
    if not 0.0 < p < 1.0:
        raise ValueError(f"the loss rate is {p:g}\n  allowed: above 0 and below 1")
    return p


def _poisson(count: int, mean: float) -> float:
    return math.exp(count * math.log(mean) - mean - math.lgamma(count + 1)) if mean > 0.0 else float(count == 0)
