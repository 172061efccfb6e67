"""A metric: one number of a run, or a share that is counted."""

from .runs.metrics import *  # noqa: F403
from .runs.metrics import __all__ as __all__
