"""Reports: one HTML file that holds everything and opens without a network."""

from .showing.report import *  # noqa: F403
from .showing.report import __all__ as __all__
