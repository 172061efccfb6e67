"""Reports: one HTML file that holds everything and opens without a network."""

from sojourn.showing import requirements  # noqa: F401
from sojourn.showing.report.comparison import comparison_report
from sojourn.showing.report.page import Report
from sojourn.showing.report.study import write_report

__all__ = ["Report", "comparison_report", "write_report"]
