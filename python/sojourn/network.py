"""The tables of a scenario: the network, flows and records."""

from .scenario.network import *  # noqa: F403
from .scenario.network import __all__ as __all__
