"""Runs in the formats of other tools."""

from .runs.formats import *  # noqa: F403
from .runs.formats import __all__ as __all__
