"""Published experiments, run again: find and run a work, and what the code of a work is made of."""

from __future__ import annotations

from ._rooms.works.about import About, Unstated
from ._rooms.works.context import Context
from ._rooms.works.design import NotRunError, Reading, Results, label
from ._rooms.works.exhibits import Chart, Curves, Numbers, PrintedNumber, Remark
from ._rooms.works.experiment import Experiment, Finding
from ._rooms.works.reader import from_file
from ._rooms.works.reproduction import Reproduction, reproduce
from ._rooms.works.studies import StudyExperiment
from ._rooms.works.work import Paper, find, folder, load

__all__ = [
    "About",
    "Chart",
    "Context",
    "Curves",
    "Experiment",
    "Finding",
    "NotRunError",
    "Numbers",
    "Paper",
    "PrintedNumber",
    "Reading",
    "Remark",
    "Reproduction",
    "Results",
    "StudyExperiment",
    "Unstated",
    "find",
    "folder",
    "from_file",
    "label",
    "load",
    "reproduce",
]
