"""Tahiliani 2013: what needs no network, and so is no study file.

README.md says what is stated and what was read how.
"""

from sojourn.papers import Paper

from . import fluid, travel, xecn

PAPER = Paper()

travel.enter(PAPER)
xecn.enter(PAPER)
fluid.enter(PAPER)
