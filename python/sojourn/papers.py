"""Published experiments, run again."""

from .works.work import *  # noqa: F403
from .works.work import __all__ as __all__
