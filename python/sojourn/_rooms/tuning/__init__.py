"""Tuning: a search for parameters of a scenario, with a final comparison on seeds that the search has not seen.

>>> import sojourn
>>> tuned = sojourn.tune(
...     "red_classic",
...     over={"dumbbell.queue.max_p": sojourn.Range(0.01, 0.5, log=True)},
...     objectives=["sojourn_mean_ms"],
... )  # doctest: +SKIP
>>> tuned.words()  # doctest: +SKIP
"""

from __future__ import annotations

from .constraints import Constraint, parse_constraint
from .objectives import Objective, parse_objective
from .outcome import Found, Tried, Tuned
from .ranges import Range, parse_range
from .search import StoppedTuning, tune

__all__ = [
    "Constraint",
    "Found",
    "Objective",
    "Range",
    "StoppedTuning",
    "Tried",
    "Tuned",
    "parse_constraint",
    "parse_objective",
    "parse_range",
    "tune",
]
