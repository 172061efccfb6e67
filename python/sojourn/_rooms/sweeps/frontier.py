"""Queues at their best: each over settings of its own, and whether one curve of two metrics dominates another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from .._base import door
from ..own._classes import registered
from ..runs.long import Long, as_xarray
from ..runs.metrics import Metric
from ..runs.runner import labelled, loaded_scenario
from ..scenario.scenario import QueueLike, parse_queue
from ..statistics.domination import EQUAL, Compared, Point, compared, decided_by_holm
from ..statistics.intervals import Interval
from .axes import Axis
from .frontier_words import said
from .metrics import parse_metric
from .outcome import Swept
from .run import sweep
from .settings import Line, check_over, lines_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import polars as pl
    import xarray as xr
    from _typeshed import StrPath

    from .._base.door import Drawing
    from ..runs.pool import ProgressCallback
    from ..runs.runner import ScenarioLike
    from ..scenario.texts import Seeds

__all__ = ["SEEDS", "Beside", "Frontier", "frontier", "metrics_of"]

SEEDS = 14
"""Seeds of each setting: from 14 on two samples of different spread are judged as any others."""

_WORDS = {
    "delay": ("sojourn_p99_ms", "queueing_p99_ms"),
    "utilisation": ("utilisation", "utilisation"),
    "goodput": ("throughput_bps", "goodput_mean_bps"),
    "throughput": ("throughput_bps", "throughput_mean_bps"),
    "loss": ("loss_ratio", "loss_ratio"),
    "fairness": ("fairness_index", "fairness_index"),
}
"""Short names of metrics: the column of a link, and that of a group."""

Verdict = Literal["worse", "alike", "open"]


@dataclass(frozen=True)
class Beside:
    """A setting of one queue beside the curve of another.

    Attributes
    ----------
    setting
        The setting, as a text for ``--queue``.
    other
        The label of the other queue.
    verdict
        ``"worse"``: the other queue dominates it; ``"alike"``: the other queue does at least the same, within 2 %;
        ``"open"``: neither is decided.
    beyond
        Whether it is surely better than every setting of the other queue, for each metric.
    better
        The setting of the other queue whose means are better; empty where only a place between two is.
    """

    setting: str
    other: str
    verdict: Verdict
    beyond: tuple[bool, bool]
    better: str = ""


@dataclass(frozen=True)
class Frontier(Long):
    """Curves of queues: every setting with every seed, and how the curves lie to each other.

    Attributes
    ----------
    swept
        The runs, as a sweep over the axis ``queue``.
    lines
        The settings, along one parameter each.
    metrics
        Both metrics.
    """

    swept: Swept
    lines: tuple[Line, ...]
    metrics: tuple[Metric, Metric]

    @property
    def queues(self) -> list[str]:
        """The labels of the queues."""
        return list(dict.fromkeys(line.queue for line in self.lines))

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of every setting."""
        return self.swept.seeds

    def own(self, queue: str) -> bool:
        """Whether it is a queue of the user's."""
        return str(parse_queue(self.settings(queue)[0])["kind"]) in registered()

    def settings(self, queue: str) -> list[str]:
        """The settings of a queue, each once."""
        return list(dict.fromkeys(one for line in self.lines if line.queue == queue for one in line.settings))

    def interval(self, setting: str, metric: int) -> Interval:
        """Mean and 95 % interval of the first or second metric (0 or 1) at a setting."""
        return self.swept.interval(self.metrics[metric].name, {"queue": setting})

    def mean(self, setting: str, metric: int) -> float:
        """The mean of the first or second metric (0 or 1) at a setting."""
        return self.interval(setting, metric).mean

    def is_better(self, one: str, other: str) -> bool:
        """Whether a setting has better means of both metrics than another."""
        return all(a < b for a, b in zip(self._means[one], self._means[other], strict=True))

    @cached_property
    def _means(self) -> dict[str, tuple[float, float]]:
        """Means by setting, turned so that less is better."""
        return {
            setting: tuple(self._sign(at) * self.mean(setting, at) for at in (0, 1))  # type: ignore[misc]
            for queue in self.queues
            for setting in self.settings(queue)
        }

    def front(self, queue: str) -> list[str]:
        """The settings of a queue that none of its other settings is better than in both means, by the first metric."""
        mine = [one for one in self.settings(queue) if all(map(math.isfinite, self._means[one]))]
        best = [one for one in mine if not any(self.is_better(other, one) for other in mine)]
        return sorted(best, key=lambda one: self._means[one])

    @cached_property
    def beside(self) -> list[Beside]:
        """Every setting beside the curve of every other queue; all statements hold together in 95 % of cases."""
        pairs: list[tuple[str, str, Compared]] = []
        for queue in self.queues:
            for other in self.queues:
                if other != queue:
                    curve = [[self._point(one) for one in line.settings] for line in self.lines if line.queue == other]
                    pairs += [(one, other, compared(self._point(one), curve)) for one in self.settings(queue)]
        worse = decided_by_holm([found.worse for *_, found in pairs])
        alike = decided_by_holm([found.alike for *_, found in pairs])
        beyond = decided_by_holm([p for *_, found in pairs for p in found.beyond])
        return [
            Beside(
                setting,
                other,
                "worse" if worse[at] else "alike" if alike[at] else "open",
                (beyond[2 * at], beyond[2 * at + 1]),
                self._better(setting, other),
            )
            for at, (setting, other, _) in enumerate(pairs)
        ]

    def of(self, queue: str, other: str) -> list[Beside]:
        """The settings of the front of a queue beside another queue, in the order of the first metric."""
        found = {one.setting: one for one in self.beside if one.other == other}
        return [found[setting] for setting in self.front(queue)]

    def frame(self) -> pl.DataFrame:
        """A row for each run: ``queue``, ``parameter``, ``value``, ``setting``, ``seed`` and both metrics."""
        import polars as pl

        names = [(line.queue, line.parameter, value, one) for line in self.lines for value, one in self._named(line)]
        about = pl.DataFrame(names, schema=["queue", "parameter", "value", "setting"], orient="row")
        return about.join(
            self.swept.frame().rename({"queue": "setting"}), on="setting", how="inner", maintain_order="left"
        )

    def to_polars(self) -> pl.DataFrame:
        """A row for each value: ``setting``, ``queue``, ``parameter``, ``seed``, ``metric`` and ``value``."""
        names = [metric.name for metric in self.metrics]
        labels = ["setting", "queue", "parameter", "seed"]
        wide = self.frame().drop("value").unique(["setting", "seed"], maintain_order=True)
        return wide.unpivot(names, index=labels, variable_name="metric")

    def to_xarray(self) -> xr.Dataset:
        """Both metrics over ``setting`` and ``seed``; xarray has to be installed."""
        return as_xarray(self.to_polars().drop("queue", "parameter"))

    def summary(self) -> pl.DataFrame:
        """A row for each setting: both means with their intervals, and the queues that dominate it."""
        import polars as pl

        rows = []
        for line in self.lines:
            for value, setting in self._named(line):
                row: dict[str, Any] = {
                    "queue": line.queue,
                    "parameter": line.parameter,
                    "value": value,
                    "setting": setting,
                }
                for at, metric in enumerate(self.metrics):
                    found = self.interval(setting, at)
                    row |= {
                        f"{metric.name}": found.mean,
                        f"{metric.name}_low": found.low,
                        f"{metric.name}_high": found.high,
                    }
                row["front"] = setting in self.front(line.queue)
                row["dominated_by"] = [
                    one.other for one in self.beside if one.setting == setting and one.verdict == "worse"
                ]
                rows.append(row)
        return pl.DataFrame(rows)

    def plot(self) -> Drawing:
        """Both metrics of every setting, a line for each queue."""
        return door.plot(self, "frontier")

    def report(self, path: StrPath) -> None:
        """Write the report as one HTML file."""
        door.report(self, path)

    def __str__(self) -> str:
        return str(said(self))

    def _repr_html_(self) -> str:
        return door.html(self)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{queue} ({len(self.settings(queue))})" for queue in self.queues)
        return f"<Frontier of {' against '.join(one.name for one in self.metrics)}: {sizes}>"

    @staticmethod
    def _named(line: Line) -> list[tuple[str, str]]:
        return list(zip(line.values, line.settings, strict=True))

    def _sign(self, metric: int) -> float:
        return -1.0 if self.metrics[metric].better == "more" else 1.0

    def _point(self, setting: str) -> Point:
        first, second = (
            [self._sign(at) * value for value in self.swept.sample(metric.name, {"queue": setting})]
            for at, metric in enumerate(self.metrics)
        )
        return first, second

    def _better(self, setting: str, other: str) -> str:
        """The setting of another queue that has the greatest lesser gain over this one."""
        mine = self._means[setting]
        found = []
        for one in self.settings(other):
            gains = [(a - b) / (abs(a) or 1.0) for a, b in zip(mine, self._means[one], strict=True)]
            if min(gains) > -EQUAL and sum(gains) > 0.0:
                found.append((min(gains), one))
        return max(found, default=(0.0, ""))[1]


def metrics_of(words: Sequence[str], *, link: str | None = None, group: str = "") -> tuple[Metric, Metric]:
    """Both metrics: short names such as ``delay``, or columns as in a sweep.

    Raises
    ------
    ValueError
        If they are not two, or neither direction of one is better.
    """
    if len(words) != 2:
        raise ValueError(
            f"a frontier has two metrics, and these are {len(words)}\n"
            f"  allowed: two of {', '.join(_WORDS)}, or columns: sojourn list metrics"
        )
    found = []
    for word in words:
        columns = _WORDS.get(word)
        if columns is None:
            metric = parse_metric(word, "frontier ")
        elif group and word != "utilisation":
            metric = parse_metric(f"group.{columns[1]}@{group}")
        else:
            metric = parse_metric(columns[0] + (f"@{link}" if link else ""))
        if not metric.better:
            raise ValueError(f"frontier {word}: neither more nor less of {metric.column} is better for everybody")
        found.append(metric)
    if found[0].name == found[1].name:
        raise ValueError(f"frontier: both metrics are {found[0].name}; name two")
    return found[0], found[1]


def frontier(
    scenario: ScenarioLike,
    *,
    queues: Sequence[QueueLike] | Mapping[str, QueueLike],
    of: Sequence[str] = ("delay", "utilisation"),
    over: Mapping[str, Sequence[Any]] | None = None,
    seeds: Seeds = SEEDS,
    link: str | None = None,
    group: str = "",
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
    on: str = "local",
    executor: Executor | None = None,
) -> Frontier:
    """Compare queues at their best: each over settings of its own, by two metrics, every setting with the same seeds.

    Parameters
    ----------
    scenario, queues, seeds
        As in :func:`sojourn.compare`.
    of
        Two metrics: ``delay``, ``utilisation``, ``goodput``, ``loss``, ``fairness``, or columns as in a sweep.
    over
        Values by ``PARAMETER`` (of every queue that has it) or ``QUEUE.PARAMETER``. By default the parameter that the
        source of a queue calls tunable, from a fifth to ten times its value; of a queue of yours all its numbers.
    link, group
        The link, or the group of flows, of the metrics with short names.
    workers, out, progress, on, executor
        As in :func:`sojourn.sweep`.

    Raises
    ------
    ValueError
        If a queue, a metric or a value is wrong; nothing has been run then.
    """
    loaded = loaded_scenario(scenario)
    named = labelled(queues)
    if len(named) < 2:
        raise ValueError("one queue has nothing to be compared with\n  hint:    name two or more: --queue codel,pie")
    metrics = metrics_of(of, link=link, group=group)
    check_over(named, over or {})
    lines = [line for label, queue in named.items() for line in lines_of(loaded, label, queue, over or {})]
    settings = list(dict.fromkeys(one for line in lines for one in line.settings))
    swept = sweep(
        loaded,
        over={"queue": Axis("queue", settings)},
        metrics=metrics,
        seeds=seeds,
        workers=workers,
        out=out,
        progress=progress,
        on=on,
        executor=executor,
    )
    return Frontier(swept, tuple(lines), metrics)
