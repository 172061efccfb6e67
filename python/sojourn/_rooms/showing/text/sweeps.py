"""The table of a sweep: a row for each point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..sweeps.labels import is_named, metric_measure
from . import tables

if TYPE_CHECKING:
    from ...sweeps.outcome import Swept

__all__ = ["sweep_rows"]

_FINEST = 3
"""Most decimals."""


def sweep_rows(swept: Swept) -> tuple[list[str], list[list[str]]]:
    """A row for each point: its label on each axis, then each metric with its interval; the heads come first."""
    numbers = {metric.name: [swept.interval(metric.name, point) for point in swept.points] for metric in swept.metrics}
    shown = {
        metric.name: metric_measure(metric, [one.mean for one in numbers[metric.name]]) for metric in swept.metrics
    }
    heads, columns = list(swept.axes), []
    if swept.ending:
        heads.append("runs")
        columns.append([str(swept.ending.runs[", ".join(point.values())]) for point in swept.points])
    for metric in swept.metrics:
        label, unit = shown[metric.name].label, shown[metric.name].unit
        row = None if is_named(metric) else metric.row
        heads.append(" ".join(filter(None, [label, row, f"({unit})" if unit else ""])))
        factor = shown[metric.name].factor
        decimals = tables.decimals_of(numbers[metric.name], factor, _FINEST)
        columns.append([tables.cell(one, factor, decimals) for one in numbers[metric.name]])
    return heads, [[*point.values(), *cells] for point, *cells in zip(swept.points, *columns, strict=True)]
