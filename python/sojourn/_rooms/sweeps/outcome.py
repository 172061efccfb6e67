"""The results of a sweep: frames, intervals at every point, and the best point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from .._base import door
from ..runs.long import Long
from ..runs.metrics import Metric
from ..scenario.scenario import Scenario
from ..statistics.intervals import Interval, paired_difference
from ..statistics.looks import repeated_interval
from ..statistics.questions import Standing
from ..statistics.samples import Bounded, interval_of
from .axes import Axis, points
from .columns import columns_of
from .ending import Ending, state

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import StrPath

    from .._base.door import Drawing
    from ..catalogue.charts import Times

__all__ = ["SUMMARY", "Best", "Swept"]

SUMMARY = ("metric", "n", "mean", "low", "high")
"""The columns after the axes in :meth:`Swept.summary`."""


@dataclass(frozen=True)
class Best:
    """The best point of a sweep for one metric.

    Attributes
    ----------
    point
        Its label on each axis.
    interval
        Mean and 95 % interval there.
    ties
        Points that these runs do not tell from it: the paired difference from the best includes zero.
    """

    metric: str
    point: Mapping[str, str]
    interval: Interval
    ties: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class Swept(Long):
    """The values of every metric at every point with every seed.

    Attributes
    ----------
    axes, metrics, seeds, scenario, title
        The arguments of the sweep. Without a title of its own a sweep has the scenario's.
    values
        By label of the point and seed: a value for each metric, in their order. Runs that were not finished are absent.
    warnings
        By label and seed, where a run warns of something: ``CODE in PLACE``; see ``sojourn explain CODE``.
    ending
        How a sweep ended that stops when its question is answered.
    """

    axes: Mapping[str, Axis]
    metrics: tuple[Metric, ...]
    seeds: tuple[int, ...]
    values: Mapping[tuple[str, int], tuple[float, ...]]
    scenario: Scenario
    warnings: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    title: str = ""
    ending: Ending | None = None

    @cached_property
    def points(self) -> list[dict[str, str]]:
        """Every point: its label on each axis."""
        return points(self.axes)

    def frame(self) -> pl.DataFrame:
        """A row for each run: a column for each axis, ``seed``, and a column for each metric.

        An axis whose points are numbers with one unit is a column of numbers in that unit. An axis with the name of
        another column, such as ``seed`` or a metric, is the column ``axis_NAME``.
        """
        import polars as pl

        rows = [
            (*(point[name] for name in self.axes), seed, *self.values[label, seed])
            for point in self.points
            for seed in self.seeds
            if (label := ", ".join(point.values()), seed) in self.values
        ]
        names = [metric.name for metric in self.metrics]
        axes = columns_of(self.axes, ["seed", *names])
        schema = dict.fromkeys(axes.values(), pl.String) | {"seed": pl.UInt64} | dict.fromkeys(names, pl.Float64)
        return self._with_numbers(pl.DataFrame(rows, schema=schema, orient="row"), axes)

    def to_polars(self) -> pl.DataFrame:
        """A row for each value: a column for each axis, ``seed``, ``metric`` and ``value``."""
        names = [metric.name for metric in self.metrics]
        wide = self.frame()
        return wide.unpivot(names, index=[name for name in wide.columns if name not in names], variable_name="metric")

    def summary(self) -> pl.DataFrame:
        """A row for each point and metric: the axes, ``metric``, ``n``, ``mean``, ``low``, ``high``.

        An axis with the name of one of these is the column ``axis_NAME``, such as ``axis_low``.
        """
        import polars as pl

        rows = []
        for point in self.points:
            for metric in self.metrics:
                found = self.interval(metric.name, point)
                rows.append((*point.values(), metric.name, found.n, found.mean, found.low, found.high))
        axes = columns_of(self.axes, SUMMARY)
        schema = {
            **dict.fromkeys(axes.values(), pl.String),
            **dict(zip(SUMMARY, (pl.String, pl.Int64, pl.Float64, pl.Float64, pl.Float64), strict=True)),
        }
        return self._with_numbers(pl.DataFrame(rows, schema=schema, orient="row"), axes)

    def _with_numbers(self, frame: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
        import polars as pl

        for name, axis in self.axes.items():
            if axis.numbers is not None:
                numbers = dict(zip(axis.labels, axis.numbers, strict=True))
                frame = frame.with_columns(pl.col(columns[name]).replace_strict(numbers, return_dtype=pl.Float64))
        return frame

    def sample(self, metric: str, point: Mapping[str, str]) -> list[float]:
        """The values of a metric at a point, in the order of the seeds; NaN for runs that are not finished."""
        index = self._index(metric)
        label = ", ".join(point[name] for name in self.axes)
        return [self.values.get((label, seed), self._nothing)[index] for seed in self.seeds]

    def interval(self, metric: str, point: Mapping[str, str]) -> Interval:
        """Mean and 95 % interval of a metric at a point; it is cut where no mean can lie, such as below zero."""
        return interval_of(Bounded(self.sample(metric, point), self.metrics[self._index(metric)].bounds))

    def without_chance(self) -> list[str]:
        """Labels of the points at which runs with several seeds have the same values: no interval is shown there."""
        found = []
        for label in (", ".join(point.values()) for point in self.points):
            runs = {repr(self.values[label, seed]) for seed in self.seeds if (label, seed) in self.values}
            several = sum((label, seed) in self.values for seed in self.seeds) > 1
            found += [label] * (several and len(runs) == 1)
        return found

    def best(self, metric: str, *, better: Literal["more", "less", ""] = "") -> Best | None:
        """The point with the best mean, and those that cannot be told from it; None without any value.

        Raises
        ------
        ValueError
            If neither `better` nor the metric says which direction is better.
        """
        direction = better or self.metrics[self._index(metric)].better
        if not direction:
            raise ValueError(f"{metric}: say which is better, 'more' or 'less'")
        sign = 1.0 if direction == "more" else -1.0
        means = [(sign * self.interval(metric, point).mean, place) for place, point in enumerate(self.points)]
        means = [(mean, place) for mean, place in means if math.isfinite(mean)]
        if not means:
            return None
        # The first among equals.
        first = self.points[min(means, key=lambda one: (-one[0], one[1]))[1]]
        sample = self.sample(metric, first)
        found = self.standing() if self.ending and self.ending.metric == metric and not better else None
        told = {label for label, one in found.others.items() if one.is_worse} if found else set()
        apart = repeated_interval if self.ending and self.ending.question.verdict else paired_difference
        ties = tuple(
            point
            for point in self.points
            if point != first
            and not (
                ", ".join(point.values()) in told if found else self._differs(apart(self.sample(metric, point), sample))
            )
        )
        return Best(metric, first, self.interval(metric, first), ties)

    def standing(self) -> Standing | None:
        """The state of the question about the best point; None where the sweep had no such question."""
        ending = self.ending
        if ending is None or not ending.question.verdict:
            return None
        samples = {", ".join(point.values()): self.sample(ending.metric, point) for point in self.points}
        at = [look for look in ending.question.looks(ending.most) if look <= len(self.seeds)]
        return (
            state(ending.question, samples, at, self.metrics[self._index(ending.metric)].better, self.without_chance())
            if at
            else None
        )

    @staticmethod
    def _differs(difference: Interval) -> bool:
        if difference.n < 2:
            return difference.n == 1 and difference.mean != 0.0
        return difference.excludes_zero

    def plot(self, metric: str | None = None, *, times: Times = "auto") -> Drawing:
        """One axis as lines with intervals, two as a heat map or as lines, more as panels.

        `times` says when a time has a logarithmic axis; see :meth:`sojourn.Result.plot`.
        """
        return door.plot(self, "metric", metric=metric or self.metrics[0].name, times=times)

    def plot_trade_off(self, *, times: Times = "auto") -> Drawing:
        """Delay against utilisation: a line along the first axis, of the first delay and the first rate measured."""
        return door.plot(self, "trade_off", times=times)

    def report(self, path: StrPath) -> None:
        """Write the report as one HTML file."""
        door.report(self, path)

    def _index(self, metric: str) -> int:
        names = [one.name for one in self.metrics]
        if metric not in names:
            raise KeyError(f"there is no metric {metric!r}; there are {', '.join(names)}")
        return names.index(metric)

    @property
    def _nothing(self) -> tuple[float, ...]:
        return (math.nan,) * len(self.metrics)

    def _repr_html_(self) -> str:
        return door.html(self)

    def __repr__(self) -> str:
        sizes = " x ".join(f"{name} ({len(axis.labels)})" for name, axis in self.axes.items())
        return f"<Swept over {sizes}: {len(self.values)} runs of {len(self.points) * len(self.seeds)}>"
