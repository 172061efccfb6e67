"""Published experiments, run again."""

from .works.about import About, Unstated
from .works.claims import Claim
from .works.context import Context
from .works.exhibits import Chart, Numbers, PrintedNumber, Remark
from .works.experiment import Experiment, Finding
from .works.reproduction import Reproduction, reproduce
from .works.work import Paper, find, folder, load

__all__ = [
    "About",
    "Chart",
    "Claim",
    "Context",
    "Experiment",
    "Finding",
    "Numbers",
    "Paper",
    "PrintedNumber",
    "Remark",
    "Reproduction",
    "Unstated",
    "find",
    "folder",
    "load",
    "reproduce",
]
