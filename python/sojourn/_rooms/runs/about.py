"""The number that a comparison is about, and how its values are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["POINT", "Yardstick", "figure", "percent", "short"]

POINT = 0.01
"""Shares that differ by less are no cost worth a sentence."""


@dataclass(frozen=True)
class Yardstick:
    """The number by which queues are compared.

    Attributes
    ----------
    metric, table, row
        The column, and the group or the link that it is of.
    why
        A sentence that says why it is this one; empty where somebody asked for it.
    """

    metric: str
    table: str
    row: str
    why: str = ""


def figure(value: float) -> str:
    """Three significant digits, thin spaces between thousands."""
    if value == 0.0:
        return "0"
    place = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, place):,.{max(place, 0)}f}".replace(",", "\u202f")


def percent(share: float) -> str:
    """A share in per cent, with three significant digits."""
    return f"{figure(100.0 * share)}\u202f%"


def short(value: float, unit: str) -> str:
    """Two digits, or those before the point; a second and more in seconds.

    >>> short(1315.2, "ms"), short(80.79, "ms"), short(0.0521, "%")
    ('1.3\u202fs', '81\u202fms', '0.052\u202f%')
    """
    if unit == "ms" and abs(value) >= 1e3:
        value, unit = value / 1e3, "s"
    places = max(1 - math.floor(math.log10(abs(value))), 0) if value else 0
    return f"{value:,.{places}f}".replace(",", "\u202f") + (f"\u202f{unit}" if unit else "")
