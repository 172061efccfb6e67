"""How long the packets and transfers of each group of flows took, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.table import Table as RichTable

from ...runs.busy import SIDE_BY_SIDE, busiest_groups
from ...runs.result import Study
from ...statistics.intervals import Interval
from ...statistics.samples import column_interval
from .layout import empty_table
from .tables import cell, decimals_of, unit_of

__all__ = ["durations_table", "goodput_table", "waits_table"]

_STATISTICS = ("mean", "p50", "p95", "p99")
# Each duration, its columns in the table `group`, and the factor to milliseconds.
_MEASURES = (
    ("one-way delay", "delay_{}_ms", 1.0),
    ("in queues", "queueing_{}_ms", 1.0),
    ("round trip", "rtt_{}_ms", 1.0),
    ("transfer", "completion_{}_s", 1e3),
)


def durations_table(study: Study, label: str) -> RichTable:
    """Mean and percentiles in one unit: a row for each measure that has values, of each of the busiest groups."""
    found = []
    columns = [column.format(one) for _, column, _ in _MEASURES for one in _STATISTICS]
    groups, _ = busiest_groups(study)
    values = {column: study.values(column, table="group", rows=groups)[label] for column in columns}
    for group in groups:
        name = group
        for measure, column, factor in _MEASURES:
            wanted = [column.format(one) for one in _STATISTICS]
            intervals = [_scaled(column_interval(one, values[one].get(group, ())), factor) for one in wanted]
            if any(math.isfinite(interval.mean) for interval in intervals):
                found.append((name, measure, intervals))
                name = ""
    factor, unit = unit_of("time", _largest([one for _, _, intervals in found for one in intervals]))
    table = empty_table("packets of", f"time ({unit})", *_STATISTICS)
    table.columns[1].justify = "left"
    for name, measure, intervals in found:
        table.add_row(name, measure, *(cell(one, factor, decimals_of([one], factor, 3)) for one in intervals))
    return table


def waits_table(study: Study) -> tuple[str, RichTable | None]:
    """The 99th percentile of the time in queues of the busiest groups, for each queue; no table for a single group."""
    unit, table = _by_group(study, "queueing_p99_ms", "time", 3)
    return f"Time in queues of the packets of each group, 99th percentile ({unit}):", table


def goodput_table(study: Study) -> tuple[str, RichTable | None]:
    """The goodput of a flow of the busiest groups under each queue; no table for a single group."""
    unit, table = _by_group(study, "goodput_mean_bps", "rate", 4)
    return f"Goodput of a flow of each group ({unit}):", table


def _by_group(study: Study, metric: str, kind: str, finest: int) -> tuple[str, RichTable | None]:
    """A row for each queue and a column for each of the busiest groups, in one unit."""
    groups, _ = busiest_groups(study, SIDE_BY_SIDE)
    if len(groups) < 2:
        return "", None
    values = study.values(metric, table="group")
    found = {
        group: [column_interval(metric, values[label].get(group, ())) for label in study.variants] for group in groups
    }
    factor, unit = unit_of(kind, _largest([one for of_one in found.values() for one in of_one]))
    table = empty_table("queue", *groups)
    columns = []
    for intervals in found.values():
        decimals = decimals_of(intervals, factor, finest)
        columns.append([cell(interval, factor, decimals) for interval in intervals])
    for label, row in zip(study.variants, zip(*columns, strict=True), strict=True):
        table.add_row(label, *row)
    return unit, table


def _largest(intervals: Sequence[Interval]) -> float:
    return max((abs(one.mean) for one in intervals if math.isfinite(one.mean)), default=0.0)


def _scaled(interval: Interval, factor: float) -> Interval:
    ends = interval.ends and (interval.ends[0] * factor, interval.ends[1] * factor)
    return Interval(interval.mean * factor, interval.half_width * factor, interval.n, ends)
