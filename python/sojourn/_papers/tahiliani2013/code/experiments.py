"""Tahiliani 2013: experiments that need no network, and so are not study files.

README.md says what the thesis states and how we read the rest.
"""

from sojourn.papers import Paper

from . import fluid, travel, xecn

PAPER = Paper()

travel.enter(PAPER)
xecn.enter(PAPER)
fluid.enter(PAPER)
