"""Haider, Sirisena and Pawlikowski 2005, "Hybrid Random Early Detection", TR-COSC 02/05.

README.md says what is stated, derived and ambiguous; each experiment is a study file.
"""

from sojourn.papers import Paper
from sojourn.reproduce import from_files

PAPER = Paper(
    title="Hybrid RED: gentle RED that also looks at the queue itself",
    citation="Haider, Sirisena, Pawlikowski: TR-COSC 02/05, University of Canterbury, 2005",
)

PAPER.experiments += from_files(
    __file__,
    *("H1-queues.toml", "H1-claims.toml", "H1-traces.toml", "H1-lpf.toml"),
    *("H1-sweep.toml", "H1-use.toml", "H1-changes.toml"),
    *("H2-queues.toml", "H2-claims.toml", "H2-lpf.toml"),
    *("H2-sweep.toml", "H2-use.toml", "H2-changes.toml"),
)
