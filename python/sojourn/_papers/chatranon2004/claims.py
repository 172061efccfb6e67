"""Chatranon 2004, "Providing Fairness through Detection and Preferential Dropping of High Bandwidth Unresponsive Flows": BLACK, AFC, others.

README.md says what is stated and what was read how; each experiment is a study file.
"""

from sojourn.papers import Paper
from sojourn.reproduce import from_files

PAPER = Paper(
    title="BLACK and AFC among queues that hold flows to a fair share, and estimators of the number of active flows",
    citation="G. Chatranon: PhD thesis, University of Pittsburgh, 2004",
)

PAPER.experiments += from_files(__file__, "E1.toml", "E1-text.toml", "E1-text2.toml", "E1s.toml", "E1s-text.toml", "E1c.toml", "E1t.toml")
PAPER.experiments += from_files(__file__, "E2.toml", "E2-text.toml", "E3.toml", "E3-text.toml", "E4.toml", "E4-text.toml")
PAPER.experiments += from_files(__file__, "E5.toml", "E5-text.toml", "E6.toml", "E6h.toml", "E7.toml", "E8a.toml", "E8b.toml")
