"""Claims of a paper, and the rules by which runs decide about them."""

from .works.claims import *  # noqa: F403
from .works.claims import __all__ as __all__
