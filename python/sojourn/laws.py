"""The laws of queues and senders as points."""

from .runs.laws import *  # noqa: F403
from .runs.laws import __all__ as __all__
