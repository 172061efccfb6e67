"""Tahiliani 2013: experiments that need no network, and a claim that no study file can state.

README.md says what the thesis states and how we read the rest.
"""

from sojourn.papers import Paper

from . import between, fluid, travel, xecn

PAPER = Paper()

between.enter(PAPER)
travel.enter(PAPER)
xecn.enter(PAPER)
fluid.enter(PAPER)
