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

from .._rooms.models.fluid import (
    Avq,
    Class,
    Course,
    Fluid,
    FromScenario,
    Linear,
    Pi,
    QueueModel,
    Red,
    Rem,
    Rest,
    Solution,
    StabilityMap,
    grows,
    linearise,
    of_scenario,
    rest,
    rightmost_root,
    solve,
    stability_map,
    stability_over,
)

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
