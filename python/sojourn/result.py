"""The results of a run and of a study."""

from .runs.comparison import Comparison
from .runs.result import Result, Study

__all__ = ["Comparison", "Result", "Study"]
