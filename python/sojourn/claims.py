"""What a paper claims, and how runs decide about it."""

from .works.claims import *  # noqa: F403
from .works.claims import __all__ as __all__
