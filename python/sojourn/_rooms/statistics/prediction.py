"""The number that a work with our runs would print: the distribution of one run, or of the mean of as many as it made.

A number of one run is no statement about a mean. Whether it is unusual is asked of this distribution, never of the
interval of our mean, which shrinks with our runs while one run stays as random as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from .modes import two_modes
from .samples import Counts

__all__ = [
    "LEVEL",
    "TOLERANCE",
    "Prediction",
    "bisected",
    "enough",
    "mean_apart",
    "of_difference",
    "part",
    "predict",
    "quantile",
    "rounding",
    "times_part",
    "wanted",
]

TOLERANCE = 0.02
"""Share of a printed number by which two simulators that agree may lie apart.

Without it a number with almost no noise, such as the throughput of a full link, would decide everything. Of a use of
the link near 100 %, and of Jain's index near 1, it is a share of what is missing (:func:`part`): 2 % of 98.7 % would
admit every full link.
"""

LEVEL = 0.95
"""The level of the prediction interval."""

_NORMAL = 1.959964
"""The quantile of the normal distribution, at :data:`LEVEL`."""

_WIDER = 1.5
"""A prediction whose interval is wider by more, because our runs are few, cannot confirm anything."""

_FEW, _SKEWED = 20, 0.001
"""A sample that is not normal is noticed from this number of runs on, if Shapiro's and Wilk's p-value is below that."""

_DRAWS = 4000
"""Draws of the mean of several runs of a sample that is not normal, and of events that our runs do not have."""


def quantile(runs: int, level: float = LEVEL) -> float:
    """Half of Student's interval of `runs` runs at a level, in standard errors."""
    from scipy.special import stdtrit

    return float(stdtrit(max(1, runs - 1), 0.5 + level / 2.0))


def of_difference(variance: float, ours: int, printed: int, error: float = 0.0) -> float:
    """Standard error of a printed mean less ours: of `printed` runs, or with a standard error that is known.

    >>> round(of_difference(1.0, 4, 1), 4)
    1.118
    """
    return math.sqrt((error**2 if error > 0.0 else variance / max(printed, 1)) + variance / ours)


def enough(ours: int, printed: int) -> bool:
    """Whether `ours` runs predict well: more runs would make the interval narrower by a third at most.

    >>> enough(5, 1), enough(6, 1), enough(20, 50), enough(50, 50)
    (False, True, False, True)
    """
    if ours < 2:
        return False
    return quantile(ours) * math.sqrt(1.0 + printed / ours) <= _WIDER * _NORMAL


def wanted(printed: int) -> int:
    """The least number of runs of ours that are :func:`enough`.

    >>> wanted(1), wanted(50), wanted(100)
    (6, 45, 85)
    """
    # Fewer than four fifths are never enough.
    return next(ours for ours in count(max(2, printed * 4 // 5)) if enough(ours, printed))


def part(value: float, whole: float | None) -> float:
    """The size of a number: of a share near its whole the part that is missing, else the number itself.

    >>> part(0.02, 1.0), round(part(0.98, 1.0), 9), part(-3.0, None)
    (0.02, 0.02, 3.0)
    """
    return whole - value if whole is not None and _is_near(value, whole) else abs(value)


def times_part(value: float, whole: float | None, times: float) -> float:
    """A number with `times` its :func:`part`.

    >>> times_part(0.02, 1.0, 2.0), round(times_part(0.98, 1.0, 2.0), 9)
    (0.04, 0.96)
    """
    if whole is None or not _is_near(value, whole):
        return value * times
    return whole - times * (whole - value)


def _is_near(value: float, whole: float) -> bool:
    return whole / 2.0 < value <= whole


def rounding(*values: float) -> float:
    """Half of the last printed digit; of several numbers the one with the most decimals counts.

    >>> rounding(10.9, 11.25)
    0.005
    >>> rounding(0.1277, 0.13)
    5e-05
    """
    digits = max((_decimals(value) for value in values if math.isfinite(value)), default=0)
    return 0.5 * 10.0**-digits


def _decimals(value: float) -> int:
    mantissa, _, exponent = repr(float(value)).partition("e")
    return max(0, len(mantissa.partition(".")[2].rstrip("0")) - int(exponent or 0))


@dataclass(frozen=True)
class _Part:
    """A part of the distribution: Student's about a mean."""

    weight: float
    mean: float
    error: float
    freedom: int

    def below(self, value: float) -> float:
        from scipy.special import stdtr

        if self.error > 0.0:
            return float(stdtr(self.freedom, (value - self.mean) / self.error))
        return float(value >= self.mean)


@dataclass(frozen=True)
class Prediction:
    """The distribution of the number that a work would print.

    Attributes
    ----------
    parts
        Student's distributions with weights: one, or one for each share of runs in either of two modes.
    draws
        Of a sample that is not normal, in order: single runs or means of several. Beyond them the part decides.
    runs, printed
        The number of our runs, and of those whose mean is printed.
    """

    parts: Sequence[_Part]
    draws: NDArray[np.float64] | None
    runs: int
    printed: int

    @property
    def two_modes(self) -> bool:
        """Whether our runs have two modes."""
        return len(self.parts) > 1

    def below(self, value: float) -> float:
        """The chance of a number of at most `value`."""
        plain = self._plain(value)
        if self.draws is None:
            return plain
        n = len(self.draws)
        lowest, highest = float(self.draws[0]), float(self.draws[-1])
        if value < lowest:
            return min(1.0, plain / max(self._plain(lowest), 1e-300)) / (n + 1)
        if value > highest:
            return 1.0 - min(1.0, (1.0 - plain) / max(1.0 - self._plain(highest), 1e-300)) / (n + 1)
        return float(np.interp(value, self.draws, np.arange(1, n + 1) / (n + 1)))

    def _plain(self, value: float) -> float:
        return math.fsum(part.weight * part.below(value) for part in self.parts)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The bounds of 95 of 100 such numbers."""
        return self.at((1.0 - LEVEL) / 2.0), self.at(0.5 + LEVEL / 2.0)

    def at(self, chance: float) -> float:
        """The number that this share of them does not exceed."""
        low = min(part.mean - 40.0 * part.error for part in self.parts)
        high = max(part.mean + 40.0 * part.error for part in self.parts)
        return bisected(self.below, chance, low, high)

    def unusual(self, printed: float, slack: float) -> float:
        """The p-value of a printed number that may lie `slack` off."""
        return min(1.0, 2.0 * min(self.below(printed + slack), 1.0 - self.below(printed - slack - 1e-15)))


def bisected(below: Callable[[float], float], chance: float, low: float, high: float) -> float:
    """The quantile of a distribution, by bisection."""
    for _ in range(80):
        middle = (low + high) / 2.0
        if middle in (low, high):
            # No number lies between them.
            return middle
        if below(middle) < chance:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def predict(sample: Sequence[float], printed: int = 1) -> Prediction:
    """The distribution of the mean of `printed` runs by a sample of runs.

    One mode and normal: Student's, with the error of our mean. Two modes: as many of the runs in either mode as the
    shares of ours let expect (beta-binomial), each mode with its own mean. Not normal: our runs themselves. Counted
    events that never occurred: the number in as many further trials (beta-binomial with Jeffreys' prior).

    >>> low, high = predict([1.0, 2.0, 3.0, 2.0, 1.5, 2.5]).interval
    >>> round(low, 2), round(high, 2)
    (0.04, 3.96)
    """
    if isinstance(sample, Counts) and (rare := _of_none(sample, max(1, printed))):
        return rare
    values = sorted(value for value in sample if math.isfinite(value))
    n, printed = len(values), max(1, printed)
    if not values:
        return Prediction([_Part(1.0, math.nan, 0.0, 1)], None, 0, printed)
    if modes := two_modes(values):
        return Prediction(_of_modes(modes, printed), None, n, printed)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1) if n > 1 else 0.0
    part = _Part(1.0, mean, of_difference(variance, n, printed), max(1, n - 1))
    return Prediction([part], _draws(values, printed) if _is_skewed(values) else None, n, printed)


def _of_none(sample: Counts, printed: int) -> Prediction | None:
    """The printed number to expect for events that none of our runs has; None if some run has them."""
    chances = [trials / sample.together for trials in sample.trials if trials > 0]
    if not chances or any(sample.events):
        return None
    total = math.fsum(chances)
    theirs = max(1, round(total / len(chances) * printed))
    random = np.random.default_rng(len(chances))
    draws = random.binomial(theirs, random.beta(0.5, total + 0.5, _DRAWS)) / theirs
    return Prediction([_Part(1.0, 0.0, 0.0, 1)], np.sort(draws), len(chances), printed)


def _of_modes(modes: tuple[Sequence[float], Sequence[float]], printed: int) -> list[_Part]:
    from scipy.stats import betabinom

    counts = [len(mode) for mode in modes]
    means = [math.fsum(mode) / len(mode) for mode in modes]
    squares = math.fsum((value - mean) ** 2 for mode, mean in zip(modes, means, strict=True) for value in mode)
    freedom = sum(counts) - 2
    variance = squares / freedom
    parts = []
    for first in range(printed + 1):
        shares = first / printed, 1.0 - first / printed
        mean = shares[0] * means[0] + shares[1] * means[1]
        ours = sum(share**2 / count for share, count in zip(shares, counts, strict=True))
        weight = float(betabinom.pmf(first, printed, counts[0] + 0.5, counts[1] + 0.5))
        parts.append(_Part(weight, mean, math.sqrt(variance * (1.0 / printed + ours)), freedom))
    return parts


def _is_skewed(values: Sequence[float]) -> bool:
    if len(values) < _FEW or values[0] == values[-1]:
        return False
    # The import takes half a second.
    from scipy.stats import shapiro

    return bool(shapiro(values).pvalue < _SKEWED)


def _draws(values: Sequence[float], printed: int) -> NDArray[np.float64]:
    ours = np.asarray(values, np.float64)
    if printed == 1:
        return ours
    random = np.random.default_rng(len(values))
    theirs = random.choice(ours, (_DRAWS, printed)).mean(axis=1)
    off = random.choice(ours, (_DRAWS, len(ours))).mean(axis=1) - ours.mean()
    return np.sort(theirs - off)


def mean_apart(
    sample: Sequence[float], printed: float, error: float, *, runs: int = 0, slack: float = 0.0
) -> tuple[float, float]:
    """How far a printed mean lies from ours: in deviations of a normal distribution, and the p-value of both sides.

    Parameters
    ----------
    error
        Standard error of the printed mean.
    runs
        The number of its runs; 0 if that is not known.
    slack
        The difference that is allowed.
    """
    from scipy.special import ndtri, stdtr

    values = [value for value in sample if math.isfinite(value)]
    n = len(values)
    if n < 2:
        return math.nan, 1.0
    mean = math.fsum(values) / n
    own = math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n
    both = own + error**2
    off = max(0.0, abs(printed - mean) - slack)
    if both == 0.0:
        return (0.0, 1.0) if off == 0.0 else (math.copysign(math.inf, printed - mean), 0.0)
    # Welch and Satterthwaite.
    freedom = both**2 / ((own**2 / (n - 1)) + (error**4 / (runs - 1) if runs > 1 else 0.0)) if own else math.inf
    tail = float(stdtr(min(freedom, 1e9), -off / math.sqrt(both)))
    return math.copysign(-float(ndtri(max(tail, 1e-300))), printed - mean), min(1.0, 2.0 * tail)
