"""Means with intervals over independent runs, paired differences and fairness.

The interval of a mean over *n* runs is Student's: ``mean ± t(n-1) s / sqrt(n)``. Runs of two queues with the same
seed see the same flow starts (common random numbers), so their difference is formed seed by seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["FEW", "Interval", "is_cut", "jain_index", "mean_interval", "paired_difference", "share_interval"]

FEW = 10.0
"""With fewer events over all runs, the bounds of a share are exact: Student's would be too narrow."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval.

    Attributes
    ----------
    mean
        Mean over the runs; NaN without any.
    half_width
        Half of the interval's width, before it is cut off where no mean can be; NaN with fewer than two runs.
    n
        Number of runs with a value.
    ends
        Lower and upper end if the mean is not in the middle: for rare events, and for values that cannot be below zero
        or above one where Student's interval would go on.
    """

    mean: float
    half_width: float
    n: int
    ends: tuple[float, float] | None = None

    @property
    def low(self) -> float:
        """Lower end."""
        return self.ends[0] if self.ends else self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end."""
        return self.ends[1] if self.ends else self.mean + self.half_width

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval: a difference that the runs can tell from none.

        An interval of no width excludes nothing: runs that are all equal bound nothing.
        """
        return math.isfinite(self.half_width) and self.low < self.high and (self.low > 0.0 or self.high < 0.0)


def is_cut(mean: float, low: float, high: float) -> bool:
    """Whether a mean is not in the middle of its interval, apart from rounding.

    >>> is_cut(0.3, 0.1, 0.5), is_cut(0.3, 0.0, 0.7), is_cut(5e6 + 0.1, 5e6 + 0.1 - 1e-4, 5e6 + 0.1 + 1e-4)
    (False, True, False)
    """
    return abs((high + low) / 2.0 - mean) > 1e-6 * (high - low) + 1e-12 * abs(mean)


def mean_interval(values: Iterable[float], *, level: float = 0.95) -> Interval:
    """Mean of independent runs with Student's interval.

    Parameters
    ----------
    values
        One value for each run. Runs without a value (NaN) are left out and not counted. If all are equal the interval
        has no width. That describes these runs and bounds nothing: for shares of events that no run has seen there
        is :func:`share_interval`, and :mod:`sojourn.claims` judges the median of equal runs.
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


def share_interval(
    events: Sequence[float], trials: Sequence[float], *, together: float = 1.0, level: float = 0.95
) -> Interval:
    """Mean over the runs of a share of counted events, with an interval that holds for rare ones too.

    With :data:`FEW` events or more the interval is Student's over the runs. With fewer, each end is the wider of
    Student's and the exact one of Clopper and Pearson; without any event that is the rule of three: at most about
    3.7 / trials at 95 % (both sides).

    Parameters
    ----------
    events, trials
        For each run, the number of events and the number of trials. Runs without a trial are left out.
    together
        How many events may come together. A group of this size counts as one event of one trial.

    Examples
    --------
    >>> round(share_interval([0, 0], [500, 500]).high, 5)
    0.00368
    """
    if together < 1.0:
        raise ValueError(f"{together} events together; allowed is 1 or more")
    runs = [(event, trial) for event, trial in zip(events, trials, strict=True) if trial > 0]
    plain = mean_interval((event / trial for event, trial in runs), level=level)
    groups, chances = (math.fsum(column) / together for column in zip(*runs, strict=True)) if runs else (0.0, 0.0)
    rare = min(groups, chances - groups)
    if not runs or (rare >= FEW and plain.half_width > 0.0):
        return plain
    from scipy.special import betaincinv

    tail = (1.0 - level) / 2.0
    low = float(betaincinv(groups, chances - groups + 1.0, tail)) if groups > 0.0 else 0.0
    high = float(betaincinv(groups + 1.0, chances - groups, 1.0 - tail)) if groups < chances else 1.0
    if math.isfinite(plain.half_width):
        low, high = max(min(low, plain.low), 0.0), min(max(high, plain.high), 1.0)
    return Interval(plain.mean, (high - low) / 2.0, plain.n, (low, high))


def paired_difference(values: Sequence[float], baseline: Sequence[float], *, level: float = 0.95) -> Interval:
    """Mean of ``values - baseline`` run by run, with its interval.

    Both hold one value for each seed, in the same order of seeds.

    Examples
    --------
    >>> paired_difference([3.0, 5.0], [1.0, 3.0]).mean
    2.0
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
