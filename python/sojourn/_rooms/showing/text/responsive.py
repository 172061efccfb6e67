"""Responsiveness of the network under load, and quality for users, as tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...catalogue.grades import classed, grade
from ...runs.busy import IN_ROWS
from ...statistics.intervals import Interval
from ...statistics.samples import column_interval
from .layout import empty_table, print_table
from .tables import cell, decimals_of, unit_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from ...runs.result import Study

__all__ = ["quality_table", "responsiveness_table", "show_responsiveness"]

_PROBED = (
    ("rpm", "RPM", "count"),
    ("foreign_rpm", "new connections", "count"),
    ("loaded_rpm", "loaded", "count"),
    ("added_ms", "added (ms)", "ms"),
    ("idle_ms", "idle (ms)", "ms"),
    ("rpm_deviation_fraction", "spread (%)", "share"),
)
_NOTICED = (
    ("mos", "call (MOS)", "plain"),
    ("late_fraction", "late (%)", "share"),
    ("video_bitrate_bps", "video", "rate"),
    ("stall_fraction", "stalled (%)", "share"),
    ("round_slowest_mean_s", "round (s)", "plain"),
    ("round_slowest_p99_s", "p99 (s)", "plain"),
)
_FINEST = {"count": 0, "ms": 2, "share": 2, "plain": 3, "rate": 3}


def show_responsiveness(out: Console, study: Study) -> None:
    """Print both tables, where there is something to show."""
    for heading, table in (responsiveness_table(study), quality_table(study)):
        if table is not None:
            out.print(heading)
            print_table(out, table, labels=2 if len(study.variants) > 1 else 1)


def responsiveness_table(study: Study) -> tuple[str, RichTable | None]:
    """A row for each queue and group of probes, with the grade and the class; no table without probes."""
    if not study.has("responsiveness"):
        return "", None
    found = {name: study.values(name, table="responsiveness") for name, _, _ in _PROBED}
    heads = [head for _, head, _ in _PROBED]
    table = _table(study, "probes", heads[0], "", *heads[1:4], "grade", *heads[4:])
    for label, rows in found["rpm"].items():
        for group in list(rows)[:IN_ROWS]:
            cells = [_cell(name, found[name][label][group], kind) for name, _, kind in _PROBED]
            rpm = column_interval("rpm", rows[group]).mean
            added = column_interval("added_ms", found["added_ms"][label][group]).mean
            _add(table, study, label, group, cells[0], classed(rpm), *cells[1:4], grade(added), *cells[4:])
        _add_rest(table, study, label, len(rows), len(heads) + 2)
    return "Round trips per minute under load, and the latency that it adds:", table


def quality_table(study: Study) -> tuple[str, RichTable | None]:
    """A row for each queue and group with a quality of its own, such as calls; no table without one."""
    if not study.has("quality"):
        return "", None
    found = {name: study.values(name, table="quality") for name, _, _ in _NOTICED}
    shown = [
        (name, head, kind)
        for name, head, kind in _NOTICED
        if any(math.isfinite(value) for rows in found[name].values() for sample in rows.values() for value in sample)
    ]
    if not shown:
        return "", None
    largest = max(
        (v for rows in found["video_bitrate_bps"].values() for s in rows.values() for v in s if v > 0), default=0
    )
    factor, unit = unit_of("rate", largest)
    heads = [f"{head} ({unit})" if kind == "rate" else head for _, head, kind in shown]
    table = _table(study, "users", *heads)
    for label, rows in found[shown[0][0]].items():
        for group in list(rows)[:IN_ROWS]:
            cells = [_cell(name, found[name][label][group], kind, factor) for name, _, kind in shown]
            _add(table, study, label, group, *cells)
        _add_rest(table, study, label, len(rows), len(shown))
    return "Quality for users:", table


def _table(study: Study, what: str, *heads: str) -> RichTable:
    table = empty_table("queue", what, *heads) if len(study.variants) > 1 else empty_table(what, *heads)
    if len(study.variants) > 1:
        table.columns[1].justify = "left"
    return table


def _add(table: RichTable, study: Study, label: str, group: str, *cells: str) -> None:
    table.add_row(*([label] if len(study.variants) > 1 else []), group, *cells)


def _add_rest(table: RichTable, study: Study, label: str, count: int, cells: int) -> None:
    """How many rows of a queue are left out, if any."""
    if count > IN_ROWS:
        _add(table, study, label, f"and {count - IN_ROWS} more", *[""] * cells)


def _cell(name: str, values: list[float], kind: str, rate: float = 1.0) -> str:
    interval: Interval = column_interval(name, values)
    if not math.isfinite(interval.mean):
        return "–"
    factor = {"share": 100.0, "rate": rate}.get(kind, 1.0)
    return cell(interval, factor, min(decimals_of([interval], factor, _FINEST[kind]), _FINEST[kind]))
