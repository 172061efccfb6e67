"""Samples, one value for each seed."""

from .statistics.samples import *  # noqa: F403
from .statistics.samples import __all__ as __all__
