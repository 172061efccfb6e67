"""The scenarios that come with Sojourn."""

from .scenario.shipped import *  # noqa: F403
from .scenario.shipped import __all__ as __all__
