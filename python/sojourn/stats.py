"""Means with intervals, paired differences and fairness."""

from .statistics.intervals import *  # noqa: F403
from .statistics.intervals import __all__ as __all__
