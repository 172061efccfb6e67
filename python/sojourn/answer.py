"""The answer of a comparison."""

from .runs.answer import *  # noqa: F403
from .runs.answer import __all__ as __all__
