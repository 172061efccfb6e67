"""The number of digits of a mean and its interval."""

from __future__ import annotations

import math

from .intervals import Interval

__all__ = ["figures"]

_NOTHING = 1e-9
"""Smaller differences are rounding of a sum."""


def figures(interval: Interval, scale: float = 1.0) -> str:
    """A mean and its half width to the figures that mean something.

    >>> figures(Interval(0.98731, 0.00042, 10), 100.0), figures(Interval(0.02, 0.03, 5, (0.0, 0.0512)))
    ('98.731 ± 0.042', '0.020 [0, 0.051]')

    Ends of a record that were rounded to one number say nothing.

    >>> figures(Interval(49022.0, 1.8, 24, (49000.0, 49000.0)))
    '49022.0 ± 1.8'
    """
    if not math.isfinite(interval.mean):
        return "–"
    mean, half = interval.mean * scale, interval.half_width * scale
    if not (math.isfinite(half) and half > _NOTHING):
        return f"{mean if abs(mean) > _NOTHING else 0.0:.4g}"
    ends = [interval.low * scale, interval.high * scale]
    by_ends = interval.ends is not None and ends[1] > ends[0]
    width = (ends[1] - ends[0]) / 2.0 if by_ends else half
    decimals = min(max(1 - math.floor(math.log10(width)), 0), 7)
    if by_ends:
        low, high = (f"{end:.{decimals}f}" if end not in (0.0, scale) else f"{end:g}" for end in ends)
        # Events that were never seen are not 0.000000.
        return f"{f'{mean:.{decimals}f}' if mean else '0'} [{low}, {high}]"
    decimals = _no_more(decimals, mean, half)
    return f"{mean:.{decimals}f} ± {half:.{decimals}f}"


def _no_more(decimals: int, mean: float, half: float) -> int:
    """One figure of the interval where two would make more than six of the mean.

    >>> _no_more(6, 4.000032, 0.000072), _no_more(4, 98.9812, 0.0042)
    (5, 4)
    """
    six = 5 - math.floor(math.log10(abs(mean))) if mean else decimals
    return max(min(decimals, six), min(decimals, -math.floor(math.log10(half))))
