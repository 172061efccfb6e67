"""Arithmetic on the rows of a run for a metric, with the cases in which there is no number."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..statistics.series import Series

__all__ = ["divided", "of_rows", "raised", "summed"]


def divided(value: float, other: float) -> float:
    """A quotient; NaN where the divisor is 0."""
    return value / other if other else math.nan


def raised(value: float, power: float) -> float:
    """A power; NaN where there is none, such as for a number below zero."""
    try:
        found = value**power
    except (ZeroDivisionError, OverflowError):
        return math.nan
    return math.nan if isinstance(found, complex) else found


def of_rows(over: str, numbers: Sequence[float]) -> float:
    """One number from those of several rows."""
    if over == "spread":
        return divided(max(numbers), min(numbers))
    if over == "jain":
        return divided(math.fsum(numbers) ** 2, len(numbers) * math.fsum(one * one for one in numbers))
    if over in ("min", "max"):
        return min(numbers) if over == "min" else max(numbers)
    total = math.fsum(numbers)
    if over == "sum":
        return total
    mean = total / len(numbers)
    if over == "mean":
        return mean
    return (
        math.sqrt(math.fsum((one - mean) ** 2 for one in numbers) / (len(numbers) - 1))
        if len(numbers) > 1
        else math.nan
    )


def summed(rows: Series) -> Series:
    """The sum of all values of each time."""
    times, places = np.unique(rows.times, return_inverse=True)
    return Series.of(times, np.bincount(places, rows.values, len(times)))
