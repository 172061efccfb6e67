"""The number of active flows in a sequence of packets."""

from .statistics.estimate import *  # noqa: F403
from .statistics.estimate import __all__ as __all__
