"""The records of a sweep's runs: only the tables of its metrics.

A run is reduced to its metrics when it ends. Other recordings of its scenario over time, such as each
millisecond's queue, would be recorded and thrown away. Without them no other number changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..runs.metrics import Metric, record_key
from ..scenario.scenario import Scenario

__all__ = ["recording"]


def recording(scenario: Scenario, metrics: Sequence[Metric]) -> Scenario:
    """The scenario without records that no metric needs.

    >>> from sojourn import Metric
    >>> red = Scenario.load("red_classic")
    >>> kept = recording(red, [Metric(column="value", table="probe", row="forward avg", statistic="max", name="a")])
    >>> [key for key, value in kept.resolved()["record"].items() if value]
    ['probes']
    """
    asked = scenario.resolved().get("record", {})
    wanted = {key for metric in metrics for key in _keys(metric)}
    if all(key in wanted or not value for key, value in asked.items()):
        return scenario
    return scenario.set("record", {key: value for key, value in asked.items() if key in wanted and value})


def _keys(metric: Metric) -> Iterable[str]:
    """The keys of ``[record]`` that a metric needs, blank where it needs none."""
    against = {} if isinstance(metric.against, str) else metric.against
    yield record_key(metric.table)
    yield record_key(against.get("table", metric.table))
    # Columns such as backlog_sampled_mean_packets are of the samples of the queue.
    if metric.sampled or "sampled" in metric.column or "sampled" in against.get("column", ""):
        yield "queue"
