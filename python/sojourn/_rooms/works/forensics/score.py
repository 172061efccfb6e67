"""How likely a printed number is under a setting: its distance from the distribution of such numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ...statistics.prediction import TOLERANCE, of_difference, part, quantile
from ...statistics.samples import Sample
from .numbers import Printed

__all__ = ["CAP", "Fit", "fit"]

CAP = 25.0
"""The most that one number adds to a score: a number that is five deviations off is no worse than one that is fifty."""

_NORMAL_99 = 2.576
"""Half of a printed interval of 99 % over the standard error of its mean, which is larger than of one of 95 %: the
printed error then counts for less than it might."""

_SHRUNK = 4.0
"""Weight, in degrees of freedom, of the deviation that other settings have at this number: three runs alone say little
about how much runs differ."""


@dataclass(frozen=True)
class Fit:
    """Our number beside a printed one.

    Attributes
    ----------
    mean, deviation, runs
        Ours: of the runs, seed by seed.
    distance
        Printed less ours, in standard deviations of the prediction.
    inside
        Whether the printed number lies in the prediction interval, its rounding included.
    low, high
        Ends of that interval.
    """

    mean: float
    deviation: float
    runs: int
    distance: float
    inside: bool
    low: float
    high: float

    @property
    def score(self) -> float:
        """The part of the number in the score of a setting."""
        return min(self.distance**2, CAP)


def fit(
    printed: Printed, ours: Sample, *, usual: float | None = None, made: int = 1, tolerance: float = TOLERANCE
) -> Fit:
    """Compare a printed number with our runs.

    The prediction is for the work's number: the mean of `made` runs, if no error is printed; else a mean whose
    standard error follows from the printed error.

    Parameters
    ----------
    usual
        Deviation of single runs at this number under other settings, if it is known.
    made
        The number of runs behind the printed mean.
    tolerance
        See :data:`statistics.prediction.TOLERANCE`; the interval does not have it.
    """
    values = list(ours)
    runs = len(values)
    if not values or not all(map(math.isfinite, values)):
        return Fit(math.nan, math.nan, runs, math.inf, False, math.nan, math.nan)
    mean = statistics.fmean(values)
    own = statistics.variance(values) if runs > 1 else 0.0
    variance = own if usual is None else ((runs - 1) * own + _SHRUNK * usual**2) / (runs - 1 + _SHRUNK)
    predicted = of_difference(variance, runs, made, printed.error / _NORMAL_99)
    rounding = printed.rounding**2 / 3.0
    spread = math.sqrt(predicted**2 + rounding + (tolerance * part(printed.value, printed.whole)) ** 2)
    off = printed.value - mean
    half = quantile(runs) * predicted + printed.rounding
    distance = off / spread if spread > 0.0 else (0.0 if off == 0.0 else math.copysign(math.inf, off))
    return Fit(mean, math.sqrt(variance), runs, distance, abs(off) <= half, mean - half, mean + half)


def total(fits: Sequence[Fit]) -> float:
    """The score of several numbers."""
    return sum(one.score for one in fits)
