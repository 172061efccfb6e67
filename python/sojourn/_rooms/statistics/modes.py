"""Samples with two modes: a queue that sits at 10 packets in some runs and at 19 in others.

Student's interval is about the mean of a sample with one mode. Of eight runs with two modes it says p < 1e-4 where
nothing is known so well. Such a sample is found by its widest gap, and the judgement is about its median, whose
interval goes from one run to another (order statistics), and its test is that of signs. Both hold for any distribution.

The gap test was chosen over the dip test because it needs few runs: of eight runs, four and four, the dip has hardly
any power, while a gap of six standard deviations within the groups is seen in one of 200 normal samples only.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

__all__ = ["median_interval", "median_sides", "two_modes"]

_CRITICAL = (
    *((6, 9.37), (7, 7.18), (8, 5.93), (9, 5.10), (10, 4.47), (12, 3.66), (14, 3.12), (16, 2.77), (20, 2.10)),
    *((24, 1.81), (32, 1.37), (40, 1.11), (48, 1.0)),
)
"""Runs, and the widest gap over the standard deviation within the groups that one normal sample in 200 exceeds.

By 400,000 normal samples (100,000 of more than 32 runs; ``tests/unit/statistics/test_modes.py`` makes some of them
again). From 48 runs on one deviation, because two groups that lie closer look like one.
"""

_SHARE = 8
"""A group has at least one in eight of the runs: fewer runs apart are outliers."""


def two_modes(values: Iterable[float]) -> tuple[Sequence[float], Sequence[float]] | None:
    """The two groups of a sample, each in order, if a gap tells them apart; nothing of fewer than six runs.

    If values repeat in both groups, these are not modes: counts take few values, and there is always a gap between two.

    >>> two_modes([10.1, 18.8, 10.4, 18.2, 10.6, 10.2, 18.6, 10.3])
    ([10.1, 10.2, 10.3, 10.4, 10.6], [18.2, 18.6, 18.8])
    >>> two_modes([10.1, 10.9, 11.4, 12.6, 13.0, 11.2, 12.0, 11.7]) is None
    True
    """
    sample = sorted(value for value in values if math.isfinite(value))
    n = len(sample)
    if n < _CRITICAL[0][0] or sample[0] == sample[-1]:
        return None
    middle = sample[n // 2]
    sums = list(accumulate(value - middle for value in sample))
    squares = list(accumulate((value - middle) ** 2 for value in sample))
    least = max(2, math.ceil(n / _SHARE))
    best, at = 0.0, 0
    for count in range(least, n - least + 1):
        left = squares[count - 1] - sums[count - 1] ** 2 / count
        right = squares[-1] - squares[count - 1] - (sums[-1] - sums[count - 1]) ** 2 / (n - count)
        within = math.sqrt(max(left + right, 0.0) / (n - 2))
        gap = sample[count] - sample[count - 1]
        if within > 1e-9 * abs(sample[-1] - sample[0]) and gap > best * within:
            best, at = gap / within, count
    return (sample[:at], sample[at:]) if best > _critical(n) else None


def _critical(n: int) -> float:
    place = bisect_right(_CRITICAL, (n, math.inf))
    if place == len(_CRITICAL):
        return _CRITICAL[-1][1]
    (fewer, high), (more, low) = _CRITICAL[place - 1 : place + 1]
    return high + (low - high) * (n - fewer) / (more - fewer)


def median_interval(values: Iterable[float], *, level: float = 0.95) -> tuple[float, float]:
    """The two runs between which the median lies, at a level or more; everything, if the runs are too few.

    >>> median_interval([3.0, 1.0, 2.0, 6.0, 5.0, 4.0, 8.0, 7.0])
    (1.0, 8.0)
    """
    sample = sorted(value for value in values if math.isfinite(value))
    n, left_out, chance = len(sample), 0, 0.0
    while (chance := chance + math.comb(n, left_out) * 0.5**n) <= (1.0 - level) / 2.0:
        left_out += 1
    return (sample[left_out - 1], sample[n - left_out]) if left_out else (-math.inf, math.inf)


def median_sides(values: Iterable[float], bound: float) -> tuple[float, float]:
    """The p-values that the median is below `bound`, and that it is above, each doubled: the sign test.

    >>> median_sides([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 7.0)
    (0.03125, 1.0)
    """
    sample = [value for value in values if math.isfinite(value)]
    less, more = (sum(value < bound for value in sample), sum(value > bound for value in sample))
    return _sign(less, less + more), _sign(more, less + more)


def _sign(many: int, of: int) -> float:
    """Twice the chance that at least `many` of the runs lie on one side, if both sides are equally probable."""
    return min(1.0, 2.0 * sum(math.comb(of, count) for count in range(many, of + 1)) * 0.5**of)
