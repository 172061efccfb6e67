"""Tables of numbers, charts and remarks of a reproduced paper."""

from .works.exhibits import *  # noqa: F403
from .works.exhibits import __all__ as __all__
