"""Reports: one HTML file that holds everything and opens without a network."""

from .. import requirements  # noqa: F401
from .comparison import comparison_report
from .page import Report
from .study import write_report

__all__ = ["Report", "comparison_report", "write_report"]
