"""Charts of runs, studies and sweeps."""

from .showing.plots import *  # noqa: F403
from .showing.plots import __all__ as __all__
