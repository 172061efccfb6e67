"""Means with intervals over independent runs, paired differences and fairness.

The interval of a mean over *n* runs is Student's: ``mean ± t(n-1) s / sqrt(n)``. Runs of two queues with the same
seed see the same flow starts (common random numbers), so their difference is formed seed by seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Interval", "jain_index", "mean_interval", "paired_difference"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval.

    Attributes
    ----------
    mean
        Mean over the runs; NaN without any.
    half_width
        Half of the interval's width; NaN with fewer than two runs.
    n
        Number of runs with a value.
    """

    mean: float
    half_width: float
    n: int

    @property
    def low(self) -> float:
        """Lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end."""
        return self.mean + self.half_width

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval: a difference that the runs can tell from none."""
        return math.isfinite(self.half_width) and abs(self.mean) > self.half_width


def mean_interval(values: Iterable[float], *, level: float = 0.95) -> Interval:
    """Mean of independent runs with Student's interval.

    Parameters
    ----------
    values
        One value for each run. Runs without a value (NaN) are left out and not counted.
    level
        Confidence, between 0 and 1.

    Examples
    --------
    >>> mean_interval([2.0, 4.0, 6.0]).mean
    4.0
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"the confidence level is {level}; allowed is a number between 0 and 1, such as 0.95")
    # Adding in sorted order makes the last bit independent of the order of the runs.
    sample = sorted(float(value) for value in values if math.isfinite(value))
    n = len(sample)
    if n == 0:
        return Interval(math.nan, math.nan, 0)
    mean = math.fsum(sample) / n
    if n == 1:
        return Interval(mean, math.nan, 1)
    if sample[0] == sample[-1]:
        return Interval(sample[0], 0.0, n)
    from scipy.special import stdtrit

    variance = math.fsum((value - mean) * (value - mean) for value in sample) / (n - 1)
    quantile = float(stdtrit(n - 1, 0.5 + level / 2.0))
    return Interval(mean, quantile * math.sqrt(variance / n), n)


def paired_difference(values: Sequence[float], baseline: Sequence[float], *, level: float = 0.95) -> Interval:
    """Mean of ``values - baseline`` run by run, with its interval.

    Both hold one value for each seed, in the same order of seeds.

    Examples
    --------
    >>> paired_difference([3.0, 5.0], [1.0, 3.0])
    Interval(mean=2.0, half_width=0.0, n=2)
    """
    if len(values) != len(baseline):
        raise ValueError(f"{len(values)} values cannot be paired with {len(baseline)} of the baseline")
    return mean_interval((value - base for value, base in zip(values, baseline, strict=True)), level=level)


def jain_index(rates: Iterable[float]) -> float:
    """Jain's fairness index ``(Σx)² / (n Σx²)``: 1 if all are equal, 1/n if one has everything.

    NaN without rates, or if all of them are zero.

    Examples
    --------
    >>> jain_index([1.0, 1.0, 0.0, 0.0])
    0.5
    """
    sample = [float(rate) for rate in rates]
    # Scaled by the largest, so that squares neither overflow nor vanish.
    largest = max(map(abs, sample), default=0.0)
    if largest == 0.0:
        return math.nan
    scaled = [rate / largest for rate in sample]
    total = math.fsum(scaled)
    return total * total / (len(scaled) * math.fsum(rate * rate for rate in scaled))
