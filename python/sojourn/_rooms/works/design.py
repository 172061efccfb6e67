"""The design of an experiment, as data: axes over a scenario, metrics, seeds and readings; and its results."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import Annotated, Any

from .._base import toml
from .._base.schema import Between, Wrong, check, in_print, known, under
from ..runs.metrics import Metric
from ..runs.numbers import MetricStudy
from ..scenario.scenario import Scenario, ScenarioError
from ..statistics.looks import FEWEST
from ..statistics.samples import bounds_of, first, one_of
from ..sweeps.axes import keys_of
from .claims import Matrix, Paired, Sample
from .context import Context

__all__ = ["Design", "Metric", "NotRunError", "Only", "Point", "Product", "Reading", "Results", "Seeds", "Settings"]

Settings = Mapping[str, Any]
"""Keys of a scenario and their values: ``{"dumbbell.queue.max_p": 0.1}``; ``flow[*]`` is every group of flows,
``flow[0,2]`` are some."""

Only = Mapping[str, Sequence[str]]
"""Points of axes, to which something is limited; other axes are whole."""

Point = Mapping[str, str]
"""A label of each axis, or of some."""


MOST_SEEDS = 100_000
"""The greatest number of seeds of one point."""


@dataclass(frozen=True, kw_only=True)
class Product:
    """A number that is a product of powers of other metrics, seed by seed.

    Attributes
    ----------
    of
        Names of the metrics.
    powers
        Of each of them; by labels of an axis, where they differ from point to point.
    unit
        To show it in.
    shown_over
        Tables and charts have it over that at another point, seed by seed: ``{"queue": "ARED"}``.
    """

    of: Sequence[str]
    powers: Sequence[float] | Mapping[str, Sequence[float]]
    unit: str = ""
    shown_over: Point = field(default_factory=dict)

    def check(self, design: Design) -> None:
        """Refuse unknown names, and powers that do not fit them."""
        plain = [name for name, metric in design.metrics.items() if metric is not self]
        for place, name in enumerate(self.of):
            known(name, plain, "other metric", "of", str(place))
        check_point(self.shown_over, design, "shown_over")
        if isinstance(self.powers, Mapping):
            axis = next((axis for axis, points in design.axes.items() if set(points) <= set(self.powers)), None)
            if axis is None:
                raise Wrong("there are no powers for every point of an axis", "powers", found=dict(self.powers))
        rows = self.powers.values() if isinstance(self.powers, Mapping) else [self.powers]
        if wrong := [row for row in rows if len(row) != len(self.of)]:
            raise Wrong(f"there are {len(wrong[0])} powers of {len(self.of)} metrics", "powers", found=list(wrong[0]))

    def sample(self, results: Results, point: Point) -> Sample:
        """At a point that names every axis."""
        powers = self.powers
        if isinstance(powers, Mapping):
            powers = next(powers[name] for name in point.values() if name in powers)
        parts = [results.sample(name, point) for name in self.of]
        # One of them may have more runs.
        runs = min(map(len, parts))
        parts = [first(part, runs) for part in parts]
        columns = zip(*parts, strict=True)
        return Paired(
            (math.prod(value**power for value, power in zip(column, powers, strict=True)) for column in columns),
            of=parts,
            bounds=(0.0, math.inf) if all(bounds_of(part)[0] >= 0.0 for part in parts) else (-math.inf, math.inf),
        )


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read a source where it is silent or ambiguous.

    Its settings decide its runs: a variant whose scenario it does not change has the runs of the base, and a claim
    whose number it does not change is not judged again.

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
    only
        Points of axes at which it is run, where all would take too long. Claims are judged again at these.
    """

    name: str
    settings: Settings = field(default_factory=dict)
    axes: Mapping[str, Mapping[str, Settings]] = field(default_factory=dict)
    scenario: str = ""
    only: Only = field(default_factory=dict)
    path: Sequence[str] = ()
    """Its place in its file."""


@dataclass(frozen=True, kw_only=True)
class Seeds:
    """How many replications: with ``--quick``, with ``--full``, and at most for claims that are undecided by then.

    The number is doubled until it is at most `most`. Each look at the runs is one among :attr:`looks`, for which the
    p-values pay. A claim that is open then gets up to `open` seeds, if so many would decide it with the mean and the
    spread as seen; for points whose runs take long that may be fewer.
    """

    quick: Annotated[int, Between(1, MOST_SEEDS)]
    full: Annotated[int, Between(1, MOST_SEEDS)]
    most: Annotated[int, Between(0, MOST_SEEDS)] = 0
    open: Annotated[int, Between(0, MOST_SEEDS)] = 480

    def __post_init__(self) -> None:
        check(Seeds, vars(self))
        if 0 < self.most < self.full:
            raise Wrong(
                f"at most {self.most} seeds are fewer than the {self.full} of a full run", "most", found=self.most
            )

    @property
    def looks(self) -> int:
        """How often the runs may be looked at in full."""
        return 1 + max(0, math.floor(math.log2(self.most / self.full))) if self.most else 1

    @property
    def from_few(self) -> Seeds:
        """The same with few seeds at first: more are for claims that these leave open."""
        few = min(self.full, FEWEST)
        return Seeds(quick=self.quick, full=few, most=max(self.full, self.most), open=self.open)


@dataclass(frozen=True, kw_only=True)
class Design:
    """The design of an experiment.

    Attributes
    ----------
    scenario
        File of the work.
    axes
        By name: labels of the points, and the settings of each. A variant is a point of each axis.
    metrics
        By name. `{axis}` in a row is the label of the point: an axis may be the rows of a table.
    seeds, readings
        See there; the base is no reading.
    quick_only, quick_settings
        Points of axes to which quick runs are limited, and their settings: shorter runs leave time for more of them.
    also
        Metrics that other experiments want of the same runs: they are measured along.
    titles
        Names of metrics in words, for people; see :meth:`sojourn.papers.About.titles`.
    negligible
        By metric, the difference that says nothing; see :class:`works.kinds.kind.Kind`.
    """

    scenario: str
    axes: Mapping[str, Mapping[str, Settings]]
    metrics: Mapping[str, Metric | Product]
    seeds: Seeds
    readings: Sequence[Reading] = ()
    quick_only: Only = field(default_factory=dict)
    quick_settings: Settings = field(default_factory=dict)
    also: Sequence[Metric] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    negligible: Mapping[str, float] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse unknown axes, points and metrics, and points that do not differ."""
        check_only(self.quick_only, self, "quick_only")
        for name, metric in self.metrics.items():
            with under("metrics", name):
                if isinstance(metric, Product):
                    metric.check(self)
                else:
                    for axis in _AXES_IN_ROW.findall(metric.row or ""):
                        known(axis, self.axes, "axis", "row")
        self._check_readings()
        points = [label(point) for point in self.points()]
        if len(set(points)) < len(points):
            twice = next(one for one in points if points.count(one) > 1)
            raise Wrong(f"two points are called {twice!r}", "axes", hint="call them so that they differ")

    def _check_readings(self) -> None:
        names: set[str] = set()
        for reading in self.readings:
            path = reading.path or ("reading",)
            with under(*path, place=f"reading {in_print(reading.name)}"):
                if reading.name in names or not reading.name:
                    raise Wrong("each reading has a name of its own", "name")
                names.add(reading.name)
                check_only(reading.only, self, "only")
                for axis, points in reading.axes.items():
                    known(axis, self.axes, "axis", "axes", axis)
                    for name in points:
                        known(name, self.axes[axis], f"point of {axis}", "axes", axis, name)

    @property
    def run_metrics(self) -> Mapping[str, Metric]:
        """The metrics of each run."""
        own = {}
        for name, metric in self.metrics.items():
            if isinstance(metric, Metric):
                axes = {axis: self.axes[axis] for axis in self.axes if f"{{{axis}}}" in (metric.row or "")}
                for labels in product(*axes.values()):
                    point = dict(zip(axes, labels, strict=True))
                    own[_named(name, metric, point)] = _at(metric, point)
        return own | {f"also {place}": metric for place, metric in enumerate(self.also)}

    def only(self, context: Context, reading: Reading | None = None) -> Only:
        """The points that are run: some of them in a quick run or under a reading."""
        limits = [self.quick_only if context.quick else {}, reading.only if reading else {}]
        found: dict[str, Sequence[str]] = {}
        for limit in limits:
            for axis, names in limit.items():
                found[axis] = [name for name in found.get(axis, list(self.axes[axis])) if name in names]
        return found

    def points(self, only: Only | None = None) -> list[Point]:
        """Every point of each axis with every one of the others."""
        axes = [(only or {}).get(axis, list(points)) for axis, points in self.axes.items()]
        return [dict(zip(self.axes, labels, strict=True)) for labels in product(*axes)]

    def variants(self, context: Context, reading: Reading | None = None) -> dict[str, Scenario]:
        """The scenarios by label, under a reading."""
        points = self.points(self.only(context, reading))
        return {label(point): self.scenario_at(context, point, reading) for point in points}

    def scenario_at(self, context: Context, point: Point, reading: Reading | None = None) -> Scenario:
        """The scenario at a point that names every axis, under a reading."""
        settings: dict[str, Any] = {}
        places: dict[str, Sequence[str]] = {}

        def lay(over: Settings, *place: str) -> None:
            for key, value in over.items():
                # The last setting wins, also over a key that names more groups: flow[*] after flow[0,1].
                settings.pop(key, None)
                settings[key], places[key] = value, (*place, key)

        lay(self.quick_settings if context.quick else {}, "quick_settings")
        for axis, name in point.items():
            replaced = reading.axes.get(axis, {}).get(name) if reading else None
            if replaced is None:
                lay(self.axes[axis][name], "axes", axis, name)
            elif reading:
                lay(replaced, *reading.path, "axes", axis, name)
        if reading:
            lay(reading.settings, *reading.path, "settings")
        file = reading.scenario if reading and reading.scenario else self.scenario
        groups = len(context.scenario(file).resolved()["flow"])
        every = [(one, key) for key in settings for one in keys_of(key, groups)]
        texts = [f"{one}={toml.inline(settings[key])}" for one, key in every]
        try:
            return context.scenario(file, *texts)
        except ScenarioError as error:
            key = next((key for one, key in reversed(every) if error.key.startswith(one)), "")
            if not key:
                raise
            what = f"{error.what}{f' ({error.key})' if error.key != key else ''}"
            wrong = Wrong(what, *places[key], allowed=error.allowed, hint=error.hint)
            wrong.found = error.found
            raise wrong from None


def _at(metric: Metric, point: Point) -> Metric:
    """A metric whose row depends on the point: ``row = "{group}"``. A run at another point may not have it."""
    return replace(metric, row=str(metric.row).format(**point), absent=True) if "{" in (metric.row or "") else metric


def _named(name: str, metric: Metric, point: Point) -> str:
    return f"{name}@{str(metric.row).format(**point)}" if "{" in (metric.row or "") else name


def label(point: Point) -> str:
    """Name of a variant."""
    return ", ".join(point.values())


def point_in_words(axis: str, name: str, titles: Mapping[str, str] = MappingProxyType({})) -> str:
    """A point of an axis for people: a number has the name of its axis, in the work's words for the axis or the point.

    >>> point_in_words("flows", "3"), point_in_words("queue", "RED")
    ('flows 3', 'RED')
    >>> point_in_words("class", "delay", {"points.class.delay": "delay-sensitive"})
    'delay-sensitive'
    >>> [point_in_words("n", number, {"points.n": "{} flows"}) for number in ("5", "1")]
    ['5 flows', '1 flow']
    """
    if not numeric(name):
        return titles.get(f"points.{axis}.{name}", name)
    said = titles.get(f"points.{axis}", f"{axis} {{}}").format(name)
    return one_of(said) if said.startswith("1 ") else said


def numeric(text: str) -> bool:
    """Whether a label is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


class NotRunError(Exception):
    """The points of a claim were not run: a quick run or a reading has fewer points."""


class Results:
    """The numbers of an experiment under one reading; `only` are the points that were run, if not all."""

    only: Only = MappingProxyType({})

    def __init__(self, design: Design, study: MetricStudy, looks: int = 1, only: Only | None = None) -> None:
        self.design: Design = design
        self.study: MetricStudy = study
        self.looks: int = looks
        self.only = only or {}
        self.used: set[str] = set()
        """Labels of the variants from which a sample was taken."""

    def with_seeds(self, seeds: Sequence[int]) -> Results:
        """The results with some of the seeds."""
        return Results(self.design, self.study.with_seeds(seeds), self.looks, self.only)

    def with_all(self, context: Context) -> Results:
        """The results with all runs: variants of claims that were left open have more."""
        return Results(self.design, context.with_further_seeds(self.study), self.looks, self.only)

    def beside(self, other: Results) -> Results:
        """The numbers beside those of a reading: of the same seeds and points."""
        return Results(self.design, self.study.with_seeds(other.study.seeds), self.looks, other.only)

    @property
    def axes(self) -> Mapping[str, Sequence[str]]:
        """Labels of the points that were run, by axis."""
        return {axis: self.only.get(axis, list(points)) for axis, points in self.design.axes.items()}

    def sample(self, metric: str, point: Point) -> Sample:
        """A metric at a point that names every axis."""
        variant = label(point)
        self.used.add(variant)
        wanted = self.design.metrics[metric]
        if isinstance(wanted, Product):
            return wanted.sample(self, point)
        named = _named(metric, wanted, point)
        return self.study.sample(named, variant)

    def has(self, metric: str, point: Point) -> bool:
        """Whether the table of a metric was recorded at a point."""
        wanted = self.design.metrics[metric]
        if isinstance(wanted, Product):
            return all(self.has(name, point) for name in wanted.of)
        return self.study.has(_named(metric, wanted, point), label(point))

    def matrix(self, metric: str, at: Point | None = None, only: Mapping[str, Sequence[str]] | None = None) -> Matrix:
        """A metric by the cases of all axes that `at` does not fix; `only` names some of an axis's points.

        Raises :class:`NotRunError` if none of these was run.
        """
        known(metric, self.design.metrics, "metric")
        check_point(at or {}, self.design)
        check_only(only or {}, self.design)
        free = [axis for axis in self.design.axes if axis not in (at or {})]
        wanted = {axis: (only or {}).get(axis, list(self.design.axes[axis])) for axis in free}
        run = {axis: [name for name in names if name in self.axes[axis]] for axis, names in wanted.items()}
        if any(not names for names in run.values()) or any(
            name not in self.axes[axis] for axis, name in (at or {}).items()
        ):
            raise NotRunError
        found = {}
        cases = product(*run.values())
        for names in cases:
            point = {**(at or {}), **dict(zip(free, names, strict=True))}
            found[", ".join(names)] = self.sample(metric, {axis: point[axis] for axis in self.design.axes})
        return Matrix(found)


_AXES_IN_ROW = re.compile(r"\{(\w+)\}")


def check_point(point: Point, design: Design, *path: str) -> None:
    """Refuse axes that a design does not have, and points that these do not have."""
    for axis, name in point.items():
        known(axis, design.axes, "axis", *path, axis)
        known(name, design.axes[axis], f"point of {axis}", *path, axis)


def check_only(only: Only, design: Design, *path: str) -> None:
    for axis, names in only.items():
        known(axis, design.axes, "axis", *path, axis)
        if not names:
            raise Wrong("name a point at least", *path, axis)
        for place, name in enumerate(names):
            known(name, design.axes[axis], f"point of {axis}", *path, axis, str(place))
