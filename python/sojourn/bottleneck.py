"""A bottleneck for the packets of another program."""

from .runs.bottleneck import *  # noqa: F403
from .runs.bottleneck import __all__ as __all__
