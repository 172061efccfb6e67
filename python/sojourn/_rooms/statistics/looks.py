"""Looking at the runs again and again, and stopping as soon as they decide, without deciding wrongly more often.

A test at 5 % that is repeated while runs come in is wrong far more often than in 5 % of cases. Here runs are judged at
fixed *looks* only, after 6, 8, 10, 14, 20, 28, 40, 56 and 80 of them, and a difference decides if eight times its
p-value is at most 0.05. The interval that belongs to it is the *repeated confidence interval* of Jennison and Turnbull
(1989): it holds at all looks together. Neither depends on the number of runs that were planned, so that a study may be
continued. Because runs are few and skewed, p is the larger one of Student's test and of Hall's (1992), which removes
the skewness; and of the sign test where the differences have two modes.

``tests/helpers/studies.py`` simulates studies with a known truth, and counts how often this is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .intervals import Interval
from .modes import median_sides, two_modes

__all__ = ["FEWEST", "LEVEL", "first_look", "look_p", "looks", "outer_interval", "repeated_interval", "sequential_p"]

FEWEST = 6
"""Runs at the first look: five that all point one way have a p-value of 1/16, whatever their values."""
LEVEL = 0.05
"""The chance of a wrong decision, over all looks together."""

_LOOKS = (6, 8, 10, 14, 20, 28, 40, 56, 80)
_CAUTION = 14
"""Below this many runs, samples of different spread are judged only if the difference is large: one that is steady
beside a skewed one has a skewed difference, and few runs do not show it."""
_ALIKE = 1e-12
"""Differences that vary by less than this part of the values are equal: the rest is rounding."""


def looks(most: int) -> list[int]:
    """The numbers of runs at which a study of at most so many is judged.

    >>> looks(40), looks(25)
    ([6, 8, 10, 14, 20, 28, 40], [6, 8, 10, 14, 25])
    """
    if most < FEWEST:
        raise ValueError(f"{most} runs cannot decide: allowed are {FEWEST} or more")
    found, more = list(_LOOKS), (_LOOKS[-2], _LOOKS[-1])
    while found[-1] < most:
        more = (more[1], 2 * more[0])
        found.append(more[1])
    found = [look for look in found if look <= most]
    return found if found[-1] == most else [*found[:-1], most]


def _times(runs: int) -> int:
    """The factor of a p-value at a look: it grows behind the nine looks, so that all looks to come cost little."""
    factor, last, before = 8, _LOOKS[-1], _LOOKS[-2]
    while runs > last:
        last, before, factor = 2 * before, last, 2 * factor
    return factor


def first_look(statements: int) -> int:
    """The fewest runs that can decide that so many statements are right together.

    >>> first_look(1), first_look(2), first_look(7)
    (6, 8, 10)
    """
    return next(look for look in looks(1 << 20) if statements * 2.0 ** (1 - look) <= LEVEL)


@dataclass(frozen=True, slots=True)
class _Moments:
    n: int
    mean: float
    deviation: float
    skewness: float

    @classmethod
    def of(cls, values: Iterable[float], scale: float = 0.0) -> _Moments:
        """Of the values that there are; those that differ by rounding of numbers of this size only are equal."""
        sample = sorted(value for value in values if math.isfinite(value))
        n = len(sample)
        if n == 0:
            return cls(0, math.nan, math.nan, 0.0)
        mean = math.fsum(sample) / n
        if sample[-1] - sample[0] <= _ALIKE * max(scale, abs(sample[0]), abs(sample[-1])):
            return cls(n, sample[0] if sample[0] == sample[-1] else mean, 0.0, 0.0)
        second = math.fsum((value - mean) ** 2 for value in sample) / n
        third = math.fsum((value - mean) ** 3 for value in sample) / n
        return cls(n, mean, math.sqrt(second * n / (n - 1)), third / second**1.5)

    @property
    def error(self) -> float:
        return self.deviation / math.sqrt(self.n)

    def student(self) -> float:
        return self.mean / self.error

    def hall(self) -> float:
        """Student's number without the skewness (Hall 1992): it grows with it, and is nearer to a t."""
        t, g, root = self.student(), self.skewness, math.sqrt(self.n)
        return t + g * t**2 / (3 * root) + g**2 * t**3 / (27 * self.n) + g / (6 * root)

    def ends(self, quantile: float) -> tuple[float, float]:
        """The outer ones of Student's and Hall's ends."""
        ends = [self._inverse(quantile), self._inverse(-quantile)]
        half = quantile * self.error
        return (
            min(self.mean - half, self.mean - self.deviation * ends[0]),
            max(self.mean + half, self.mean - self.deviation * ends[1]),
        )

    def _inverse(self, y: float) -> float:
        g, root = self.skewness, math.sqrt(self.n)
        if abs(g) < 1e-6:
            return y / root
        return 3.0 / g * (math.cbrt(1.0 + g * (y / root - g / (6 * self.n))) - 1.0)


def look_p(values: Sequence[float], baseline: Sequence[float]) -> float:
    """The two-sided p-value of a difference by one look at it, for runs with the same seeds.

    Seeds of which one side has no value (NaN) are left out; of fewer than :data:`FEWEST` it is 1. Differences that are
    all equal are like signs: 1/32 of six runs.

    >>> look_p([5.4] * 6, [5.0] * 6)
    0.03125
    """
    own, base, apart = _paired(values, baseline)
    found = _moments(own, base, apart)
    if found.n < FEWEST or found.mean == 0.0:
        return 1.0
    if found.deviation == 0.0:
        return 2.0 * 0.5**found.n
    spreads = _Moments.of(own).deviation, _Moments.of(base).deviation
    if found.n < _CAUTION and max(spreads) > 2.0 * min(spreads) and abs(found.mean) < 5.0 * max(spreads):
        return 1.0
    from scipy.special import stdtr

    t, hall = found.student(), found.hall()
    p = 2.0 * float(stdtr(found.n - 1, -abs(t)))
    p = max(p, 2.0 * float(stdtr(found.n - 1, -abs(hall)))) if hall * t > 0.0 else 1.0
    return max(p, min(median_sides(apart, 0.0))) if two_modes(apart) else p


def sequential_p(values: Sequence[float], baseline: Sequence[float], at: Sequence[int]) -> float:
    """The p-value after several looks, of runs 1 to n of the samples at each n of `at`.

    It is valid however many of the looks were made, and whenever they end. A look counts if the difference had the
    sign that it has after the last one.

    >>> round(sequential_p([5.4] * 10, [5.0] * 10, [6, 8, 10]), 6)
    0.015625
    """
    now = _mean_apart(values[: at[-1]], baseline[: at[-1]])
    found = 1.0
    for runs in at:
        own, base = values[:runs], baseline[:runs]
        if _mean_apart(own, base) * now > 0.0:
            found = min(found, _times(runs) * look_p(own, base))
    return found


def repeated_interval(values: Sequence[float], baseline: Sequence[float], statements: int = 1) -> Interval:
    """Mean of ``values - baseline`` with the interval that holds at all looks together, in 95 of 100 studies.

    Parameters
    ----------
    statements
        How many such intervals must hold together (Bonferroni).
    """
    apart = _moments(*_paired(values, baseline))
    return _interval(apart, LEVEL / (2.0 * _times(len(values)) * statements))


def outer_interval(values: Sequence[float]) -> Interval:
    """Mean with the outer ends of Student's and Hall's 95 % intervals: for a mean, and one look at it.

    Use
    ---
    It is :func:`~sojourn.stats.mean_interval` for samples that may be skewed.
    """
    return _interval(_Moments.of(values), LEVEL / 2.0)


def _interval(found: _Moments, tail: float) -> Interval:
    if found.n < 2:
        return Interval(found.mean, math.nan, found.n)
    if found.deviation == 0.0:
        return Interval(found.mean, 0.0, found.n)
    from scipy.special import stdtrit

    low, high = found.ends(-float(stdtrit(found.n - 1, tail)))
    return Interval(found.mean, (high - low) / 2.0, found.n, (low, high))


def _paired(values: Sequence[float], baseline: Sequence[float]) -> tuple[list[float], list[float], list[float]]:
    """The values of both sides where both are there, and their differences."""
    pairs = [
        (value, base)
        for value, base in zip(values, baseline, strict=True)
        if math.isfinite(value) and math.isfinite(base)
    ]
    return [value for value, _ in pairs], [base for _, base in pairs], [value - base for value, base in pairs]


def _moments(own: Sequence[float], base: Sequence[float], apart: Sequence[float]) -> _Moments:
    return _Moments.of(apart, max(map(abs, [*own, *base]), default=0.0))


def _mean_apart(values: Sequence[float], baseline: Sequence[float]) -> float:
    """Their mean difference; 0 without any pair."""
    apart = _paired(values, baseline)
    return _moments(*apart).mean if apart[2] else 0.0
