"""Tahiliani 2013, "Optimizing Congestion Avoidance and Congestion Control in Wired and Wireless Networks".

README.md says what is stated and what was read how; each experiment is a study file.
"""

from sojourn.papers import Paper
from sojourn.reproduce import from_files

from . import fluid, travel, xecn

PAPER = Paper(
    title="Adaptive RED's relatives, and TCP Surathkal",
    citation="M. P. Tahiliani: PhD thesis, National Institute of Technology Karnataka, 2013, chapters 3 to 5",
)

travel.enter(PAPER)
PAPER.experiments += from_files(
    __file__,
    *("E3.1.toml", "E3.1-mean.toml", "E3.1-order.toml", "E3.1-gain.toml", "E3.2.toml", "E3.3.toml", "E3.4.toml"),
    *("E3.5.toml", "E3.5-order.toml", "E3.6.toml", "E3.6-changes.toml"),
    *("E3.7-flows.toml", "E3.7-long.toml", "E3.7-steps.toml", "E3.8.toml"),
)
xecn.enter(PAPER)
PAPER.experiments += from_files(
    __file__,
    *("E4.0-acks.toml", "E4.1a.toml", "E4.1a-gain.toml", "E4.1b.toml", "E4.1c.toml", "E4.1c-shares.toml"),
    *("E4.1d.toml", "E4.1e.toml", "E4.1-changes.toml"),
    *("E4.2a.toml", "E4.2a-slow.toml", "E4.2a-fast.toml", "E4.2a-more.toml", "E4.2a-queue.toml"),
    *("E4.2b.toml", "E4.2b-xcp.toml", "E4.2b-queue.toml", "E4.2-changes.toml"),
    *("E4.3a.toml", "E4.3a-westwood.toml", "E4.3b.toml", "E4.3b-more.toml"),
)
fluid.enter(PAPER)
