"""How a metric of a sweep is shown: its words, its unit and its scale."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ...catalogue.columns import Measure, measure
from ...statistics.samples import factor

if TYPE_CHECKING:
    from ...runs.metrics import Metric

__all__ = ["is_named", "metric_measure"]

_SECONDS = ("settling", "approach", "period")
_PLAIN_STATISTICS = ("count", "cov", "variance")


def metric_measure(metric: Metric, values: Iterable[float]) -> Measure:
    """The words and unit of a metric: those of its column, or its name and unit.

    >>> from sojourn._rooms.runs.metrics import Metric
    >>> metric_measure(Metric(column="throughput_bps", name="throughput_bps@forward"), [2e6]).title
    'Throughput (Mbit/s)'
    >>> share = Metric(column="throughput_bps", table="flow", row="0", fair="forward", name="share")
    >>> metric_measure(share, [0.8]).title
    'share'
    """
    found = measure(metric.column, values)
    if not is_named(metric):
        return found
    unit, scale = _unit(metric, found)
    return replace(found, label=metric.name.replace("_", " "), unit=unit, factor=scale)


def is_named(metric: Metric) -> bool:
    """Whether somebody gave the metric a name, which is then no ``[TABLE.]COLUMN[@ROW]``."""
    return re.fullmatch(rf"(\w+\.)?{re.escape(metric.column)}(@.+)?", metric.name) is None


def _unit(metric: Metric, plain: Measure) -> tuple[str, float]:
    if metric.unit:
        return metric.unit, factor(metric.unit)
    if metric.statistic in _SECONDS:
        return "s", 1.0
    if metric.within or metric.per:
        return "%", 100.0
    pure = metric.fair or metric.against or metric.odds or metric.over == "spread"
    if pure or metric.statistic in _PLAIN_STATISTICS or (metric.times, metric.power) != (1.0, 1.0):
        return "", 1.0
    return plain.unit, plain.factor
