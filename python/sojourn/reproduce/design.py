"""What an experiment runs, as data: axes over a scenario, metrics, seeds and readings; and what comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from .. import _toml
from ..claims import Counts, Matrix, Sample
from ..papers import Context
from ..result import Study
from ..scenario import Scenario

__all__ = ["Design", "Metric", "Point", "Reading", "Results", "Seeds", "Settings"]

Settings = Mapping[str, Any]
"""Keys of a scenario and their values: ``{"dumbbell.queue.max_p": 0.1}``; ``flow[*]`` is every group of flows."""

Point = Mapping[str, str]
"""A label of each axis, or of some."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number of a run.

    Attributes
    ----------
    column, table
        Where it stands; see ``docs/reference/results.md``.
    row
        Link, group or flow; may be left out where there is one.
    over
        What is done with several rows: ``one`` (there must be one), ``sum`` or ``mean``.
    per
        Another column of the table, of which `column` is a share that is counted: lost packets of packets, say. Such a
        share has exact bounds where it is rare.
    together
        How many of what is counted may come together.
    power
        What each run's number is raised to: 2 makes a variance of a standard deviation.
    unit
        To show it in; see :func:`sojourn.claims.factor`.
    """

    column: str
    table: str = "queue"
    row: str | None = None
    over: str = "one"
    per: str = ""
    together: float = 1.0
    power: float = 1.0
    unit: str = ""

    def __post_init__(self) -> None:
        if self.over not in ("one", "sum", "mean"):
            raise ValueError(f"a metric's `over` is one, sum or mean, not {self.over!r}")

    def of(self, rows: Callable[[str, str], Mapping[str, list[float]]]) -> Sample:
        """The sample of a variant, whose rows of a column and a table `rows` gives."""
        values = self._one(rows(self.column, self.table))
        if self.power != 1.0:
            return [value**self.power for value in values]
        return Counts(values, self._one(rows(self.per, self.table)), together=self.together) if self.per else values

    def _one(self, rows: Mapping[str, list[float]]) -> list[float]:
        if self.over == "one":
            if self.row is None and len(rows) > 1:
                raise ValueError(f"{self.column}: say which row: {', '.join(rows)}")
            return rows[next(iter(rows)) if self.row is None else self.row]
        sums = [math.fsum(values) for values in zip(*rows.values(), strict=True)]
        return sums if self.over == "sum" else [value / len(rows) for value in sums]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read a source where it is silent or ambiguous.

    What it touches follows from what it sets: a variant whose scenario it leaves as it is has the runs of the base, and
    a claim whose number it does not change is not judged again.

    Attributes
    ----------
    name
        As people say it.
    settings
        Laid over every variant.
    axes
        Points that it replaces: ``{"queue": {"ARED": {...}}}``.
    scenario
        Another scenario file.
    """

    name: str
    settings: Settings = field(default_factory=dict)
    axes: Mapping[str, Mapping[str, Settings]] = field(default_factory=dict)
    scenario: str = ""


@dataclass(frozen=True, kw_only=True)
class Seeds:
    """How many replications: with ``--quick``, with ``--full``, and at most for claims that are undecided by then.

    The number is doubled until it is at most `most`. Each look at the runs is one among :attr:`looks`, for which the
    p-values pay.
    """

    quick: int
    full: int
    most: int = 0

    @property
    def looks(self) -> int:
        """How often the runs may be looked at in full."""
        return 1 + max(0, math.floor(math.log2(self.most / self.full))) if self.most else 1


@dataclass(frozen=True, kw_only=True)
class Design:
    """What an experiment runs.

    Attributes
    ----------
    scenario
        File of the work.
    axes
        By name: labels of the points, and what each sets. A variant is a point of each axis.
    metrics
        By name.
    seeds, readings
        See there; the base is no reading.
    """

    scenario: str
    axes: Mapping[str, Mapping[str, Settings]]
    metrics: Mapping[str, Metric]
    seeds: Seeds
    readings: Sequence[Reading] = ()

    def points(self) -> list[Point]:
        """Every point of each axis with every one of the others."""
        return [dict(zip(self.axes, labels, strict=True)) for labels in product(*self.axes.values())]

    def variants(self, context: Context, reading: Reading | None = None) -> dict[str, Scenario]:
        """The scenarios by label, under a reading."""
        return {label(point): self._scenario(context, point, reading) for point in self.points()}

    def _scenario(self, context: Context, point: Point, reading: Reading | None) -> Scenario:
        settings: dict[str, Any] = {}
        for axis, name in point.items():
            replaced = reading.axes.get(axis, {}).get(name) if reading else None
            settings |= self.axes[axis][name] if replaced is None else replaced
        if reading:
            settings |= reading.settings
        file = reading.scenario if reading and reading.scenario else self.scenario
        groups = range(len(context.scenario(file).resolved()["flow"]))
        return context.scenario(
            file,
            *(
                f"{key.replace('[*]', f'[{group}]')}={_toml.inline(value)}"
                for key, value in settings.items()
                for group in (groups if "[*]" in key else [0])
            ),
        )


def label(point: Point) -> str:
    """Name of a variant."""
    return ", ".join(point.values())


class Results:
    """The numbers of an experiment under one reading."""

    def __init__(self, design: Design, study: Study, looks: int = 1) -> None:
        self.design, self.study, self.looks = design, study, looks
        self._read: dict[tuple[str, str], Mapping[str, Mapping[str, list[float]]]] = {}
        self.used: set[str] = set()
        """Labels of the variants from which a sample was taken."""

    def with_seeds(self, seeds: Sequence[int]) -> Results:
        """Those of some of the seeds."""
        return Results(self.design, self.study.with_seeds(seeds), self.looks)

    def sample(self, metric: str, point: Point) -> Sample:
        """A metric at a point that names every axis."""
        variant = label(point)
        self.used.add(variant)
        return self.design.metrics[metric].of(lambda column, table: self._values(column, table)[variant])

    def _values(self, column: str, table: str) -> Mapping[str, Mapping[str, list[float]]]:
        if (column, table) not in self._read:
            self._read[column, table] = self.study.values(column, table=table)
        return self._read[column, table]

    def matrix(self, metric: str, at: Point | None = None, only: Mapping[str, Sequence[str]] | None = None) -> Matrix:
        """A metric by the cases of all axes that `at` does not fix; `only` names some of an axis's points."""
        self._check(metric, at or {}, only or {})
        free = [axis for axis in self.design.axes if axis not in (at or {})]
        cases = product(*((only or {}).get(axis, self.design.axes[axis]) for axis in free))
        found = {}
        for names in cases:
            point = {**(at or {}), **dict(zip(free, names, strict=True))}
            found[", ".join(names)] = self.sample(metric, {axis: point[axis] for axis in self.design.axes})
        return Matrix(found)

    def _check(self, metric: str, at: Point, only: Mapping[str, Sequence[str]]) -> None:
        _known(metric, self.design.metrics, "metric")
        for axis, names in {**{axis: [name] for axis, name in at.items()}, **only}.items():
            _known(axis, self.design.axes, "axis")
            for name in names:
                _known(name, self.design.axes[axis], f"point of {axis}")


def _known(name: str, names: Iterable[str], what: str) -> None:
    if name not in names:
        raise ValueError(f"there is no {what} {name!r}\n  allowed: {', '.join(names)}")
