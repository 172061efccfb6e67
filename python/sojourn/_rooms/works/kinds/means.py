"""A mean that is printed with an interval, and ours: two means with errors, which are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from ...statistics.intervals import mean_interval
from ...statistics.prediction import enough, mean_apart, quantile, wanted
from ...statistics.rules import LEVEL, Judgement, predicted
from ...statistics.samples import interval_of
from ..claims import Evidence, Sample
from ..design import Results

__all__ = ["half_width", "of_means", "standard_error", "together"]

_MANY = 10**6
"""The number of runs where it is not known: the interval is then the normal distribution's."""

_MOST = 1.5
"""Our means are known well enough if both errors together are at most 1.5 times the printed one, in most cells."""


def standard_error(half_width: float, level: float, runs: int) -> float:
    """The standard error of a printed mean of `runs` runs, from half of its interval.

    >>> round(standard_error(2.576, 0.99, 0), 3)
    1.0
    """
    return half_width / quantile(runs or _MANY, level)


def half_width(sample: Sample, level: float) -> float:
    """Half of the interval that a work would print if it had made these runs."""
    return mean_interval(sample, level=level).half_width


def of_means(sample: Sample, printed: float, error: float, runs: int, slack: float) -> Evidence:
    """The judgement of a sample about a printed mean with a standard error; the p-value is that of one cell alone."""
    interval = interval_of(sample, level=LEVEL)
    _, p = mean_apart(sample, printed, error, runs=runs, slack=slack)
    low, high = printed - quantile(runs or _MANY) * error - slack, printed + quantile(runs or _MANY) * error + slack
    margin = (min(interval.high, high) - max(interval.low, low)) / error if error else math.nan
    return Evidence(interval, 0.0 if p >= 1.0 - LEVEL else 1.0, p, margin, (low, high))


def together(cases: Mapping[str, Evidence], errors: Sequence[float], runs: int, results: Results) -> Judgement:
    """All cells by the sum of the squares of their deviations (chi-squared).

    `errors` are the printed standard errors of means of `runs` runs (0 if the number is not known).
    """
    from scipy.special import chdtrc, ndtri

    squares = [float(ndtri(max(evidence.fail, 1e-300) / 2.0)) ** 2 for evidence in cases.values()]
    p = float(chdtrc(len(squares), math.fsum(squares)))
    counts = [evidence.interval.n for evidence in cases.values()]
    if runs:
        return predicted(cases, looks=results.looks, p=p, enough=enough(min(counts), runs), wanted=wanted(runs))
    ours = [
        evidence.interval.half_width / quantile(count) if count > 1 else math.inf
        for evidence, count in zip(cases.values(), counts, strict=True)
    ]
    both = [math.hypot(own, error) / error if error else 1.0 for own, error in zip(ours, errors, strict=True)]
    return predicted(cases, looks=results.looks, p=p, enough=median(both) <= _MOST)
