"""The fluid model of Misra, Gong and Towsley: windows and a queue as differential equations with delay."""

from .dde import Solution, solve
from .linear import Linear, linearise, rightmost_root
from .maps import grows, stability_map
from .model import Course, Fluid
from .over import StabilityMap, stability_over
from .queues import Avq, Pi, QueueModel, Red, Rem
from .rest import Rest, rest
from .scenario import FromScenario, of_scenario
from .senders import Class

__all__ = [
    "Avq",
    "Class",
    "Course",
    "Fluid",
    "FromScenario",
    "Linear",
    "Pi",
    "QueueModel",
    "Red",
    "Rem",
    "Rest",
    "Solution",
    "StabilityMap",
    "grows",
    "linearise",
    "of_scenario",
    "rest",
    "rightmost_root",
    "solve",
    "stability_map",
    "stability_over",
]
