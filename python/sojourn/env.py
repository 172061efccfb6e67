"""Gymnasium environments of a queue or a sender."""

from .own.environments import *  # noqa: F403
from .own.environments import __all__ as __all__
