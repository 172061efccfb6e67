"""Names of charts, and of their axes of times, for editors and type checkers."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["PlotName", "Times"]

PlotName: TypeAlias = Literal[
    "summary",
    "differences",
    "group_summary",
    "group_delays",
    "group_series",
    "delay_throughput",
    "sojourn_cdf",
    "sojourn_tail",
    "backlog",
    "reasons",
    "drops",
    "flow_throughput",
    "rate",
    "cwnd",
    "completion_cdf",
    "probes",
]
"""The names of the plots."""

Times: TypeAlias = Literal["auto", "log", "linear"]
"""The scale of axes of times: logarithmic where the values span a decade, wherever possible, or never."""
