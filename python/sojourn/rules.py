"""Rules: conditions on a sample for a claim to hold."""

from .statistics.rules import *  # noqa: F403
from .statistics.rules import __all__ as __all__
