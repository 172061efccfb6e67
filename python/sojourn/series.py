"""One number of many: of a series (values at times) or of a distribution (values with weights)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

__all__ = ["STATISTICS", "Rows", "approach", "distance", "fraction_within", "settling"]

Rows = list[tuple[float, float, float]]
"""Time in seconds, value and weight; of a series all weights are 1, of a distribution all times."""


def fraction_within(rows: Rows, low: float, high: float) -> float:
    """P(low < X <= high); NaN of nothing.

    >>> fraction_within([(0.0, 5.0, 1.0), (0.0, 6.0, 2.0), (0.0, 15.0, 1.0)], 5.0, 15.0)
    0.75
    """
    total = math.fsum(weight for *_, weight in rows)
    inside = math.fsum(weight for _, value, weight in rows if low < value <= high)
    return inside / total if total > 0.0 else math.nan


def settling(rows: Rows, low: float, high: float, *, since: float = 0.0, hold: float | None = None) -> float:
    """Seconds from `since` to the last sample outside [low, high]; 0 if none is, NaN of nothing.

    With `hold`: to the first sample from which on all are inside for so many seconds (0 seconds: to the first inside).
    A series that never settles counts to its end.

    >>> series = [(1.0, 9.0, 1.0), (2.0, 5.0, 1.0), (3.0, 9.0, 1.0), (4.0, 9.0, 1.0)]
    >>> settling(series, 8.0, 10.0), settling(series, 8.0, 10.0, hold=1.0), settling(series, 8.0, 10.0, hold=0.0)
    (2.0, 3.0, 1.0)
    """
    if not rows:
        return math.nan
    end = rows[-1][0]
    inside = [(time, low <= value <= high) for time, value, _ in rows]
    if hold is None:
        return max((time - since for time, is_inside in inside if not is_inside), default=0.0)
    began: float | None = None
    for time, is_inside in inside:
        began = (time if began is None else began) if is_inside else None
        if began is not None and time - began >= hold:
            return began - since
    return end - since


def approach(rows: Rows, *, since: float = 0.0) -> float:
    """When a series is first within a tenth of the mean that it has from after `since` on; NaN if it never is.

    >>> approach([(0.0, 2.0, 1.0), (1.0, 9.5, 1.0), (2.0, 10.0, 1.0), (3.0, 10.0, 1.0)], since=1.5)
    1.0
    """
    mean = _mean([row for row in rows if row[0] > since])
    return next((time for time, value, _ in rows if abs(value - mean) <= 0.1 * abs(mean)), math.nan)


def distance(rows: Rows, target: float) -> float:
    """Mean distance from a value.

    >>> distance([(0.0, 9.0, 1.0), (1.0, 13.0, 1.0)], 10.0)
    2.0
    """
    return _mean([(time, abs(value - target), weight) for time, value, weight in rows])


def _mean(rows: Rows) -> float:
    total = math.fsum(weight for *_, weight in rows)
    return math.fsum(value * weight for _, value, weight in rows) / total if total > 0.0 else math.nan


def _variance(rows: Rows) -> float:
    """With n (the sum of the weights) in the denominator."""
    mean, total = _mean(rows), math.fsum(weight for *_, weight in rows)
    return math.fsum((value - mean) ** 2 * weight for _, value, weight in rows) / total if total > 0.0 else math.nan


def _sd(rows: Rows) -> float:
    return math.sqrt(_variance(rows))


def _cov(rows: Rows) -> float:
    mean = _mean(rows)
    return _sd(rows) / mean if mean else math.nan


def _median(rows: Rows) -> float:
    return _quantile(rows, 0.5)


def _quantile(rows: Rows, share: float) -> float:
    """The least value that at least `share` of the weight does not exceed."""
    wanted, gathered = share * math.fsum(weight for *_, weight in rows), 0.0
    for _, value, weight in sorted(rows, key=lambda row: row[1]):
        gathered += weight
        if gathered >= wanted:
            return value
    return math.nan


def _period(rows: Rows) -> float:
    """Seconds in a turn of the strongest sine of those that fit into an evenly sampled series a whole number of times.

    NaN of a series that does not change.

    >>> round(_period([(0.5 * n, math.sin(math.pi * n / 8.0), 1.0) for n in range(64)]), 6)
    8.0
    """
    import numpy as np

    values = np.array([value for _, value, _ in rows])
    if len(values) < 3 or not np.ptp(values) > 0.0:
        return math.nan
    power = np.abs(np.fft.rfft(values - values.mean())[1:]) ** 2
    step = (rows[-1][0] - rows[0][0]) / (len(rows) - 1)
    return float(len(rows) * step / (1 + int(np.argmax(power))))


def _values(rows: Rows) -> list[float]:
    return [value for _, value, weight in rows if weight > 0.0]


STATISTICS: Mapping[str, Callable[[Rows], float]] = {
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
    "last": lambda rows: rows[-1][1] if rows else math.nan,
    "count": lambda rows: float(len(rows)),
}
"""By their names in study files."""
