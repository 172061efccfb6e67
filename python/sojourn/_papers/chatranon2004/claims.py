"""Chatranon 2004, "Fairness of router mechanisms for unresponsive and TCP-friendly traffic": BLACK, AFC and others.

README.md says what is stated and what was read how; each experiment is a study file.
"""

from sojourn.papers import Paper
from sojourn.reproduce import from_files

PAPER = Paper(
    title="One unresponsive flow under BLACK, AFC, CARE, SFB, CHOKe and RED",
    citation="G. Chatranon: PhD thesis, University of Pittsburgh, 2004, sections 3.3.2 and 5.2.1",
)

PAPER.experiments += from_files(__file__, "E1.toml")
