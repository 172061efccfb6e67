"""A frontier on a terminal: a row for each setting, and the sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...catalogue.columns import measure
from ...sweeps.frontier_words import joined, said
from . import layout, tables
from .prose import print_wrapped

if TYPE_CHECKING:
    from ...sweeps.frontier import Frontier

__all__ = ["frontier_rows", "show_frontier"]

_FINEST = 3
"""Most decimals."""


def show_frontier(found: Frontier) -> None:
    """The answer, all settings, and the reach and the certainty."""
    told = said(found)
    print_wrapped(told.headline, 0)
    if told.detail:
        print_wrapped(told.detail, 0)
    print()
    heads, rows = frontier_rows(found)
    layout.print_in_parts(layout.console(), heads, rows, labels=2)
    for text in (told.price, told.certainty, f"Settings: {told.swept}"):
        if text:
            print_wrapped(text, 0)


def frontier_rows(found: Frontier) -> tuple[list[str], list[list[str]]]:
    """Queue and setting, both metrics with intervals, and the settings and curves that are better; the heads first."""
    columns = []
    heads = ["queue", "setting"]
    settings = [
        (line, value, one) for line in found.lines for value, one in zip(line.values, line.settings, strict=True)
    ]
    for at, metric in enumerate(found.metrics):
        intervals = [found.interval(one, at) for *_, one in settings]
        shown = measure(metric.column, [one.mean for one in intervals])
        heads.append(tables.with_unit(f"{shown.label}{f' {metric.row}' if metric.row else ''}", shown.unit))
        decimals = tables.decimals_of(intervals, shown.factor, _FINEST)
        columns.append([tables.cell(one, shown.factor, decimals) for one in intervals])
    heads.append("beaten by")
    worse: dict[str, list[str]] = {}
    for beside in found.beside:
        if beside.verdict == "worse":
            worse.setdefault(beside.setting, []).append(beside.better or beside.other)
    own = {queue: found.front(queue) for queue in found.queues}
    rows = []
    for place, (line, value, one) in enumerate(settings):
        by = joined(worse.get(one, [])) or ("" if one in own[line.queue] else "(its own queue)")
        setting = f"{line.parameter}={value}" if line.parameter else ""
        rows.append([line.queue, setting, *(column[place] for column in columns), by])
    return heads, rows
