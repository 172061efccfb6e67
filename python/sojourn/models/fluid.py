"""The fluid model of Misra, Gong and Towsley: windows and a queue as differential equations with delay.

>>> from sojourn.models import fluid
>>> red = fluid.Red(min_th=150, max_th=200, max_p=0.1, w_q=1e-4)
>>> flows = fluid.Class(flows=40, rtt_s=0.2)
>>> model = fluid.Fluid(classes=(flows,), queue=red, capacity=1000.0, lag_s=0.2)
>>> course = model.run(100.0)
>>> round(course.mean("queue", 90.0, 100.0))
162
"""

from __future__ import annotations

from .._rooms.models.fluid.dde import Solution, solve
from .._rooms.models.fluid.linear import Linear, linearise, rightmost_root
from .._rooms.models.fluid.maps import grows, stability_map
from .._rooms.models.fluid.model import Course, Fluid
from .._rooms.models.fluid.over import StabilityMap, stability_over
from .._rooms.models.fluid.queues import Avq, Pi, QueueModel, Red, Rem
from .._rooms.models.fluid.rest import Rest, rest
from .._rooms.models.fluid.scenario import FromScenario, of_scenario
from .._rooms.models.fluid.senders import Class

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
