"""What a run and a study of runs give."""

from .runs.result import *  # noqa: F403
from .runs.result import __all__ as __all__
