"""One number from many: from a series (values at times) or a distribution (values with weights)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["STATISTICS", "Series", "approach", "distance", "fraction_within", "settling"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Series:
    """Times in seconds, values and weights; in a series all weights are 1, in a distribution all times 0."""

    times: _Floats
    values: _Floats
    weights: _Floats

    @classmethod
    def of(cls, times: ArrayLike, values: ArrayLike, weights: ArrayLike = 1.0) -> Series:
        """A series from numbers; a single weight is for all values."""
        columns = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (times, values, weights)))
        return cls(*columns)

    def __len__(self) -> int:
        return len(self.values)

    def since(self, time: float) -> Series:
        """Values later than a time."""
        later = self.times > time
        return Series(self.times[later], self.values[later], self.weights[later])


def _sum(values: _Floats) -> float:
    """The sum, rounded once: whatever the order of the values."""
    return math.fsum(values.tolist())


def fraction_within(rows: Series, low: float, high: float) -> float:
    """P(low < X <= high); NaN without values.

    >>> fraction_within(Series.of([0.0, 0.0, 0.0], [5.0, 6.0, 15.0], [1.0, 2.0, 1.0]), 5.0, 15.0)
    0.75
    """
    total = _sum(rows.weights)
    inside = _sum(rows.weights[(low < rows.values) & (rows.values <= high)])
    return inside / total if total > 0.0 else math.nan


def settling(rows: Series, low: float, high: float, *, since: float = 0.0, hold: float | None = None) -> float:
    """Seconds from `since` to the last sample outside [low, high]; 0 if none is, NaN without values.

    With `hold`: to the first sample from which on all are inside for `hold` seconds (0: to the first inside).
    A series that never settles counts to its end.

    >>> series = Series.of([1.0, 2.0, 3.0, 4.0], [9.0, 5.0, 9.0, 9.0])
    >>> settling(series, 8.0, 10.0), settling(series, 8.0, 10.0, hold=1.0), settling(series, 8.0, 10.0, hold=0.0)
    (2.0, 3.0, 1.0)
    """
    if not len(rows):
        return math.nan
    inside = (low <= rows.values) & (rows.values <= high)
    if hold is None:
        return max((rows.times[~inside] - since).tolist(), default=0.0)
    began: float | None = None
    for time, is_inside in zip(rows.times.tolist(), inside.tolist(), strict=True):
        began = (time if began is None else began) if is_inside else None
        if began is not None and time - began >= hold:
            return began - since
    return float(rows.times[-1]) - since


def approach(rows: Series, *, since: float = 0.0) -> float:
    """When a series is first within a tenth of the mean that it has from after `since` on; NaN if it never is.

    >>> approach(Series.of([0.0, 1.0, 2.0, 3.0], [2.0, 9.5, 10.0, 10.0]), since=1.5)
    1.0
    """
    mean = _mean(rows.since(since))
    near = np.flatnonzero(np.abs(rows.values - mean) <= 0.1 * abs(mean))
    return float(rows.times[near[0]]) if len(near) else math.nan


def distance(rows: Series, target: float) -> float:
    """Mean distance from a value.

    >>> distance(Series.of([0.0, 1.0], [9.0, 13.0]), 10.0)
    2.0
    """
    return _mean(Series(rows.times, np.abs(rows.values - target), rows.weights))


def _mean(rows: Series) -> float:
    total = _sum(rows.weights)
    return _sum(rows.values * rows.weights) / total if total > 0.0 else math.nan


def _variance(rows: Series) -> float:
    """With n (the sum of the weights) in the denominator."""
    mean = _mean(rows)
    return _mean(Series(rows.times, (rows.values - mean) ** 2, rows.weights))


def _sd(rows: Series) -> float:
    return math.sqrt(_variance(rows))


def _cov(rows: Series) -> float:
    mean = _mean(rows)
    return _sd(rows) / mean if mean else math.nan


def _median(rows: Series) -> float:
    return _quantile(rows, 0.5)


def _quantile(rows: Series, share: float) -> float:
    """The least value that at least `share` of the weight does not exceed."""
    order = np.argsort(rows.values, kind="stable")
    enough = np.flatnonzero(np.cumsum(rows.weights[order]) >= share * _sum(rows.weights))
    return float(rows.values[order[enough[0]]]) if len(enough) else math.nan


def _period(rows: Series) -> float:
    """Seconds in a turn of the strongest sine of those that fit into an evenly sampled series a whole number of times.

    NaN for a series that does not change.

    >>> round(_period(Series.of(0.5 * np.arange(64), np.sin(np.pi * np.arange(64) / 8.0))), 6)
    8.0
    """
    values = rows.values
    if len(values) < 3 or not np.ptp(values) > 0.0:
        return math.nan
    power = np.abs(np.fft.rfft(values - values.mean())[1:]) ** 2
    step = float(rows.times[-1] - rows.times[0]) / (len(rows) - 1)
    return float(len(rows) * step / (1 + int(np.argmax(power))))


def _values(rows: Series) -> list[float]:
    return list(rows.values[rows.weights > 0.0].tolist())


STATISTICS: Mapping[str, Callable[[Series], float]] = {
    "mean": _mean,
    "sd": _sd,
    "variance": _variance,
    "cov": _cov,
    "median": _median,
    "p1": lambda rows: _quantile(rows, 0.01),
    "p99": lambda rows: _quantile(rows, 0.99),
    "swing": lambda rows: _quantile(rows, 0.99) - _quantile(rows, 0.01),
    "period": _period,
    "min": lambda rows: min(_values(rows), default=math.nan),
    "max": lambda rows: max(_values(rows), default=math.nan),
    "range": lambda rows: max(_values(rows), default=math.nan) - min(_values(rows), default=math.nan),
    "last": lambda rows: float(rows.values[-1]) if len(rows) else math.nan,
    "count": lambda rows: float(len(rows)),
}
"""The statistics by their names in study files."""
