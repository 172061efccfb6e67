"""Reports: one HTML file that holds everything and opens without a network."""

from sojourn import _needs_report  # noqa: F401
from sojourn.report.comparison import comparison_report
from sojourn.report.page import Report
from sojourn.report.study import write_report

__all__ = ["Report", "comparison_report", "write_report"]
