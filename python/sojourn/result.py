"""The results of a run and of a study."""

from .runs.result import *  # noqa: F403
from .runs.result import __all__ as __all__
