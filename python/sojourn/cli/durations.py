"""How long the packets and transfers of each group of flows took, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.table import Table as RichTable

from ..result import Study
from ..samples import column_interval
from ..stats import Interval
from .tables import cell, decimals_of, empty_table

__all__ = ["durations_table", "waits_table"]

_STATISTICS = ("mean", "p50", "p95", "p99")
# What is timed, its columns in the table `group`, and the factor to milliseconds.
_MEASURES = (
    ("one-way delay", "delay_{}_ms", 1.0),
    ("in queues", "queueing_{}_ms", 1.0),
    ("round trip", "rtt_{}_ms", 1.0),
    ("transfer", "completion_{}_s", 1e3),
)


def durations_table(study: Study, label: str) -> RichTable:
    """Mean and percentiles in milliseconds: a row for each group and measure that has values."""
    groups = _groups(study, label)
    heads = ("packets of", "time (ms)", *_STATISTICS)
    table = empty_table(*heads[:2], *heads[2:])
    table.columns[1].justify = "left"
    for group in groups:
        name = group
        for measure, column, factor in _MEASURES:
            intervals = [_interval(study, label, column.format(one), group) for one in _STATISTICS]
            if not any(math.isfinite(interval.mean) for interval in intervals):
                continue
            cells = [cell(one, factor, decimals_of([one], factor, 3)) for one in intervals]
            table.add_row(name, measure, *cells)
            name = ""
    return table


def waits_table(study: Study) -> RichTable | None:
    """Of each queue the 99th percentile of the time in queues of every group's packets; None for a single group."""
    first = next(iter(study.variants))
    groups = _groups(study, first)
    if len(groups) < 2:
        return None
    table = empty_table("queue", *groups)
    columns = []
    for group in groups:
        intervals = [_interval(study, label, "queueing_p99_ms", group) for label in study.variants]
        decimals = decimals_of(intervals, 1.0, 3)
        columns.append([cell(interval, 1.0, decimals) for interval in intervals])
    for label, row in zip(study.variants, zip(*columns, strict=True), strict=True):
        table.add_row(label, *row)
    return table


def _groups(study: Study, label: str) -> Sequence[str]:
    names = list(study.values("flows", table="group")[label])
    return [name for name in names if name != "all"] or names


def _interval(study: Study, label: str, column: str, group: str) -> Interval:
    return column_interval(column, study.values(column, table="group")[label].get(group, ()))
