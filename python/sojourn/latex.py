"""Tables of means with intervals for a paper, in LaTeX."""

from .showing.latex import *  # noqa: F403
from .showing.latex import __all__ as __all__
