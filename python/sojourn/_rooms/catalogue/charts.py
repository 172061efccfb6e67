"""Names of charts, of their axes of times and of tables of counters, for editors and type checkers."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["PlotName", "TableName", "Times"]

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

TableName: TypeAlias = Literal["queue", "group", "flow", "medium", "responsiveness", "quality"]
"""The tables of counters, with one value for each link, group or flow of a run."""
