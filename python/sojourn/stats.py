"""Means with intervals, paired differences and fairness."""

from __future__ import annotations

from ._rooms.statistics.intervals import (
    FEW,
    Interval,
    is_cut,
    jain_index,
    mean_interval,
    paired_difference,
    share_interval,
)

__all__ = ["FEW", "Interval", "is_cut", "jain_index", "mean_interval", "paired_difference", "share_interval"]
