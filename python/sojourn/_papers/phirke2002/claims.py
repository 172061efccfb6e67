"""Phirke 2002, "Traffic Sensitive Active Queue Management for Improved Quality of Service".

README.md says what is stated, derived and ambiguous; each experiment is a study file.
"""

from sojourn.papers import Paper
from sojourn.reproduce import from_files

PAPER = Paper(
    title="RED-Worcester and RED-Boston: queues that heed delay hints",
    citation="V. Phirke: MSc thesis, Worcester Polytechnic Institute, 2002",
)

PAPER.experiments += from_files(
    __file__,
    *("P1.toml", "P1-queue.toml", "P1-drops.toml", "P1-qos.toml"),
    *("P2.toml", "P2-delays.toml", "P2-drops.toml", "P2-qos.toml"),
    *("P3.toml", "P3-groups.toml", "P3-hints.toml"),
)
