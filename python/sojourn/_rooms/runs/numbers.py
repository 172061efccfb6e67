"""Runs of which only some metrics are kept: a study of a hundred thousand runs fits into memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from itertools import count, takewhile
from typing import TYPE_CHECKING

from ..statistics.samples import Sample
from .metrics import Metric, record_key
from .readout import Readout

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario
    from .result import Result

__all__ = ["ExtendedStudy", "MetricStudy", "UnevenStudy", "identity", "parts_of", "reducer"]

Parts = tuple[float, ...]
"""The part of a run that is kept for one metric; see :meth:`sojourn.Metric.parts`."""


@dataclass(frozen=True)
class MetricStudy:
    """Metrics of variants of a scenario, each with the same seeds.

    Attributes
    ----------
    variants
        Scenarios by label.
    seeds
        In order.
    metrics
        By name.
    parts
        By label and seed: the kept part of the run of each metric, by name.
    """

    variants: Mapping[str, Scenario]
    seeds: tuple[int, ...]
    metrics: Mapping[str, Metric]
    parts: Mapping[tuple[str, int], Mapping[str, Parts]] = field(repr=False)

    def sample(self, metric: str, variant: str) -> Sample:
        """A metric of a variant: one value for each seed.

        Raises
        ------
        ValueError
            If the variant does not record the metric's table.
        """
        if not self.has(metric, variant):
            self.metrics[metric].refuse_table()
        return self._sample(metric, variant, self.seeds)

    def _sample(self, metric: str, variant: str, seeds: Sequence[int]) -> Sample:
        wanted = self.metrics[metric]
        runs = [self.parts[variant, seed][metric] for seed in seeds]
        # The length of the runs matters for times only.
        length = self.variants[variant].duration_s if wanted.statistic == "settling" else math.inf
        return wanted.sample(runs, duration_s=length)

    def has(self, metric: str, variant: str) -> bool:
        """Whether the variant records the table of a metric."""
        key = record_key(self.metrics[metric].table)
        return not key or bool(self.variants[variant].resolved()["record"].get(key))

    @property
    def runs(self) -> list[tuple[Scenario, int]]:
        """Scenario and seed of each run."""
        return [(scenario, seed) for scenario in self.variants.values() for seed in self.seeds]

    def with_seeds(self, seeds: Sequence[int]) -> MetricStudy:
        """The runs with some of the seeds."""
        return replace(self, seeds=tuple(seed for seed in self.seeds if seed in set(seeds)))


@dataclass(frozen=True)
class ExtendedStudy(MetricStudy):
    """All measurements of variants: with the seeds that all of them have, and with further seeds that claims needed.

    `parts` has the further runs, too. A metric has the further runs up to the first one without it.
    """

    def sample(self, metric: str, variant: str) -> Sample:
        """As :meth:`MetricStudy.sample`, of all seeds of the variant."""
        if not self.has(metric, variant):
            self.metrics[metric].refuse_table()
        further = takewhile(
            lambda seed: metric in self.parts.get((variant, seed), {}), count(self.seeds[-1] + 1 if self.seeds else 1)
        )
        seeds = [*self.seeds, *further]
        return self._sample(metric, variant, seeds)


@dataclass(frozen=True)
class UnevenStudy(MetricStudy):
    """Measurements of variants of which some have more seeds than others.

    `counts` has the number of seeds of each variant, the first ones of `seeds`.
    """

    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, study: MetricStudy, further: MetricStudy) -> UnevenStudy:
        """A study with the longer runs of some of its variants."""
        before = study.counts if isinstance(study, UnevenStudy) else dict.fromkeys(study.variants, len(study.seeds))
        seeds = max(study.seeds, further.seeds, key=len)
        counts = {**before, **dict.fromkeys(further.variants, len(further.seeds))}
        return cls(study.variants, seeds, study.metrics, {**study.parts, **further.parts}, counts)

    def sample(self, metric: str, variant: str) -> Sample:
        """As :meth:`MetricStudy.sample`, of the seeds of the variant."""
        if not self.has(metric, variant):
            self.metrics[metric].refuse_table()
        return self._sample(metric, variant, self.seeds[: self.counts[variant]])


def identity(metric: Metric) -> str:
    """The fields that decide a metric's value in a run: not its name or unit.

    Fields with their default values are left out, so that kept runs stay usable when metrics get another attribute.

    >>> identity(Metric(column="goodput_mean_bps", table="group", row="tcp", unit="Mbit/s"))
    "column='goodput_mean_bps', table='group', row='tcp'"
    """
    decides = replace(metric, name="", unit="", together=1.0, never=None)
    return ", ".join(
        f"{one.name}={value!r}"
        for one in fields(decides)
        if (value := getattr(decides, one.name)) != (one.default if one.default is not MISSING else {})
    )


def reducer(metrics: Mapping[str, Metric]) -> Callable[[Result], Parts]:
    """The kept part of a run: the parts of all metrics in a row, NaN if the run does not record the table."""

    def keep(result: Result) -> Parts:
        run = Readout(result)
        return tuple(part for metric in metrics.values() for part in _parts(metric, run))

    return keep


def _parts(metric: Metric, run: Readout) -> Parts:
    if record_key(metric.table) and metric.table not in run.raw:
        return (math.nan,) * (2 if metric.per else 1)
    return metric.parts(run)


def parts_of(metrics: Mapping[str, Metric], values: Sequence[float]) -> dict[str, Parts]:
    """The row of :func:`reducer` by metric again."""
    found, place = {}, 0
    for name, metric in metrics.items():
        size = 2 if metric.per else 1
        found[name] = tuple(values[place : place + size])
        place += size
    return found
