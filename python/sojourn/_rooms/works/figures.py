"""The figures and tables of a work in its order, and the drawing of each from the points of runs.

They are listed in ``figures.toml`` beside ``sentences.toml``, with captions in our words::

    [[figure]]
    place = "figure 4.7"
    caption = "Throughput of a flow, set 1"
    experiment = "P2"
    metrics = ["throughput"]

    [[left]]
    places = "figures 1.1 to 2.3"
    why = "drawings of ideas, without results"

A figure over time names the `chart` of an experiment, and its panels if it has not all of them. One entry may be about
several figures: `place`, and `panel` or the points of an axis in `at`, are lists then, and ``{}`` in the caption is the
point. A table has a place and a caption: its numbers are in the study files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

from .._base import toml
from .._base.schema import Wrong, keys, known, made, tables, told_of, under
from ..statistics.figures import figures as in_figures
from ..statistics.samples import factor, with_unit
from . import references
from .design import Design, Only, Point, Product, check_only, check_point, label, point_in_words
from .exhibits import Curves, Grid
from .folders import FIGURES
from .kinds import Bound, Kind, Knee, Near, Table
from .line_charts import METRICS, begins_with_number, position
from .planes import Level, Line, Mark, Plane, places_of
from .planes import Point as Place
from .points import Drawn
from .studies import StudyExperiment
from .work import Paper

__all__ = ["Figure", "Left", "Listed", "anchor", "by_label", "check", "kinds_at", "planes", "read", "title_in"]

_TOO_FAR = 5.0
"""By how much the greatest values of panels may differ on one scale."""

Letters = Mapping[tuple[str, str], str]
"""The letter of the sentence of a claim, by experiment and the claim's key."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure or a table of a work.

    Attributes
    ----------
    place, caption
        ``figure 4.7``, and its subject in our words.
    experiment, metrics
        The experiment whose runs it shows, and the quantities: each has a drawing of its own. A quantity of another
        experiment has its name before it, ``E3.2: VQS``.
    along
        The axis along which it is drawn; the rows of the experiment by default.
    at, only
        Points of axes that are fixed, and those of other axes, if not all.
    apart
        Axes whose points have drawings of their own.
    chart, panel
        The title of a chart of the experiment whose lines it has, and its panels if not all; ``*`` stands for any
        letters.
    together
        Whether the lines of these panels are in one drawing.
    note
        What is to be known of it.
    """

    place: str
    caption: str
    experiment: str = ""
    metrics: Sequence[str] = ()
    along: str = ""
    at: Point = field(default_factory=dict)
    only: Only = field(default_factory=dict)
    apart: Sequence[str] = ()
    chart: str = ""
    panel: Sequence[str] = ()
    together: bool = False
    note: str = ""

    @property
    def heading(self) -> str:
        """With a capital: ``Figure 4.7: throughput of a flow``."""
        return f"{self.place[:1].upper()}{self.place[1:]}: {self.caption}"

    @property
    def quantities(self) -> list[tuple[str, str]]:
        """The experiment and the metric of each drawing; all metrics of the experiment have no name."""
        if not self.metrics:
            return [(self.experiment, "")] if self.experiment and self.place.startswith("figure") else []
        parts = [one.rpartition(": ") for one in self.metrics]
        return [(experiment or self.experiment, metric) for experiment, _, metric in parts]

    @property
    def named(self) -> references.Place:
        """Its kind and its number."""
        return next(iter(references.named(self.place)))


@dataclass(frozen=True, kw_only=True)
class Left:
    """Figures and tables that are not drawn again, and the reason."""

    places: str
    why: str


@dataclass(frozen=True)
class Listed:
    """The content of ``figures.toml``.

    Attributes
    ----------
    figures, left
        In the order of the work: those that are drawn, and those that are not.
    front
        The place of the figure on the first page.
    """

    figures: Sequence[Figure] = ()
    left: Sequence[Left] = ()
    front: str = ""

    def draws(self, experiment: str, chart: str) -> bool:
        """Whether the figures have the lines of a chart, or the metrics of its experiment."""
        return any(
            one.chart == chart if one.chart else chart.startswith(METRICS)
            for one in self.figures
            if experiment in (one.experiment, *(name for name, _ in one.quantities))
        )

    def about(self, places: Sequence[str]) -> list[Figure]:
        """The figures and tables that somebody asks for by name; all where nothing is asked for."""
        wanted = [references.figure_or_table(one) for one in places]
        return [one for one in self.figures if one.named in wanted]


def anchor(figure: Figure) -> str:
    """Its address: ``figure-4-7``."""
    return re.sub(r"[^a-z0-9]+", "-", figure.place.lower()).strip("-")


def read(directory: Path) -> Listed:
    """The figures of a work; none where it has no ``figures.toml``.

    Raises
    ------
    ValueError
        With the entry, and the found and the allowed values.
    """
    path = directory / FIGURES
    if not path.is_file():
        return Listed()
    content = toml.read(path)
    found: list[Figure] = []
    left: list[Left] = []
    try:
        keys(content, ("figure", "left", "front"))
        with under("figure"):
            for number, table in enumerate(tables(content.get("figure", []))):
                with under(str(number)):
                    for one in _each(table):
                        if references.figure_or_table(one.place) is None:
                            raise Wrong("this is no figure or table", "place", found=one.place, allowed='"figure 4.7"')
                        if any(other.place == one.place for other in found):
                            raise Wrong("this is there twice", "place", found=one.place)
                        found.append(one)
        with under("left"):
            for number, table in enumerate(tables(content.get("left", []))):
                with under(str(number)):
                    left.append(made(Left, table))
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    return Listed(found, left, str(content.get("front", "")))


def _each(table: Mapping[str, Any]) -> Iterator[Figure]:
    """The figures of an entry: several, if its place is a list."""
    places, at, panels = (table.get(name, empty) for name, empty in (("place", ""), ("at", {}), ("panel", [])))
    is_list = bool(places) and isinstance(places, list) and all(isinstance(one, str) for one in places)
    if not is_list or not isinstance(at, Mapping) or not isinstance(panels, list):
        # A mistake elsewhere than in the list of places is told there.
        yield made(Figure, dict(table) | ({"place": places[0]} if is_list else {}))
        return
    lists = {axis: points for axis, points in at.items() if isinstance(points, list)}
    panels = [] if lists else panels
    for key, one in [("at", points) for points in lists.values()] + ([("panel", panels)] if panels else []):
        if len(one) != len(places):
            raise Wrong(f"{len(places)} places need as many points", key, found=len(one))
    for number, place in enumerate(places):
        own = dict(table) | {"place": place}
        if lists:
            own["at"] = {**at, **{axis: points[number] for axis, points in lists.items()}}
        if panels:
            own["panel"] = [panels[number]]
        words = panels[number] if panels else ", ".join(str(points[number]) for points in lists.values())
        own["caption"] = str(table.get("caption", "")).replace("{}", str(words).removesuffix(", *"))
        yield made(Figure, own)


def check(directory: Path, paper: Paper) -> Listed:
    """The figures of a work, without experiments, metrics, axes and points that it does not have.

    Raises
    ------
    ValueError
        With the figure, and the found and the allowed values.
    """
    listed = read(directory)
    try:
        _check(listed, paper)
    except Wrong as wrong:
        raise told_of(wrong, [(directory / FIGURES, ())]) from None
    return listed


def _check(listed: Listed, paper: Paper) -> None:
    names = [one.name for one in paper.experiments]
    for one in listed.figures:
        for experiment, metric in one.quantities:
            known(experiment, names, "experiment", one.place, "experiment")
            study = _study(experiment, paper)
            if study is None or one.chart:
                continue
            if metric:
                known(metric, study.design.metrics, "metric", one.place, "metrics")
            for axis in (*one.apart, *([one.along] if one.along else [])):
                known(axis, study.design.axes, "axis", one.place)
            check_point(one.at, study.design, one.place, "at")
            check_only(one.only, study.design, one.place, "only")


def planes(figure: Figure, paper: Paper, found: Drawn, letters: Letters) -> list[Plane]:
    """The drawings of a figure; none where the points of its experiment are not there."""
    if figure.chart:
        curves = found.curves.get((figure.experiment, figure.chart))
        return list(_of_curves(figure, curves)) if curves else []
    drawings: list[Plane] = []
    for experiment, metric in figure.quantities:
        grid, study = found.grids.get(experiment), _study(experiment, paper)
        if grid is not None and study is not None:
            own = replace(figure, experiment=experiment, metrics=[metric] if metric else ())
            drawings += _of_grid(own, study, paper, grid, letters)
    return drawings


def _study(experiment: str, paper: Paper) -> StudyExperiment | None:
    found = next((one.study for one in paper.experiments if one.name == experiment), None)
    return found if isinstance(found, StudyExperiment) else None


def _of_curves(figure: Figure, curves: Curves) -> Iterator[Plane]:
    panels = {
        name: own
        for name, own in curves.panels.items()
        if not figure.panel or any(fnmatchcase(name, pattern) for pattern in figure.panel)
    }
    if figure.together:
        panels = {"": {_joined(name, line): points for name, own in panels.items() for line, points in own.items()}}
    names = list(dict.fromkeys(line for own in panels.values() for line in own))
    reach = _reach(panels)
    colours = dict(zip(names, places_of(names), strict=True))
    words, _, unit = curves.y.partition(" (")
    for name, own in panels.items():
        yield Plane(
            title=name or words or figure.caption,
            unit=(curves.y if name else unit.rstrip(")")),
            x=curves.x,
            lines=[Line(line, [Place(x, y) for x, y in points]) for line, points in own.items()],
            straight=curves.marks,
            joined=curves.joined,
            colours=[colours[line] for line in own],
            reach=reach,
        )


def _joined(*names: str) -> str:
    return ", ".join(filter(None, names))


def _reach(panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]) -> tuple[float, float]:
    """The values that all panels show, unless one scale would flatten some; no values then."""
    spans = []
    for own in panels.values():
        values = [y for points in own.values() for _, y in points if math.isfinite(y)]
        if values:
            spans.append((min(values), max(values)))
    most = [high for _, high in spans]
    if not spans or min(most) <= 0.0 or max(most) > _TOO_FAR * min(most):
        return math.nan, math.nan
    return min(low for low, _ in spans), max(most)


def _of_grid(figure: Figure, study: StudyExperiment, paper: Paper, grid: Grid, letters: Letters) -> Iterator[Plane]:
    """A drawing for each metric and each point of the axes that are apart."""
    design = study.design
    along = figure.along or study.rows or next(iter(design.axes))
    fixed = {axis for axis in figure.at if axis != along}
    names = _points(figure, grid, along)
    # Loads such as "10M 1/1 x5" begin with a number, too, but are not places of an axis.
    numeric = all(map(begins_with_number, names)) and len(set(map(position, names))) == len(names)
    at_x = {name: position(name) if numeric else float(place) for place, name in enumerate(names)}
    own = kinds_at(figure.experiment, paper)
    known_numbers = _printed(own, design)
    shown = figure.metrics or list(design.metrics)
    for metric, chosen in product(shown, product(*(_points(figure, grid, axis) for axis in figure.apart))):
        panel = dict(zip(figure.apart, chosen, strict=True))
        left = [axis for axis in grid.axes if axis not in (along, *fixed, *figure.apart)]
        unit = design.metrics[metric].unit
        lines = []
        for labels in product(*(_points(figure, grid, axis) for axis in left)):
            point = {**figure.at, **panel, **dict(zip(left, labels, strict=True))}
            apart = {
                axis: name for axis, name in zip(left, labels, strict=True) if len(_points(figure, grid, axis)) > 1
            }
            line = _line(design, grid, metric, point, along, at_x, known_numbers)
            if any(math.isfinite(one.mean) for one in line):
                words = ", ".join(point_in_words(axis, name, design.titles) for axis, name in apart.items())
                lines.append(Line(words, line))
        if not lines:
            continue
        where = ", ".join(point_in_words(axis, name, design.titles) for axis, name in panel.items())
        title = title_in(design, metric)
        yield Plane(
            title=f"{title[:1].upper()}{title[1:]}{f', {where}' if where else ''}",
            unit=unit,
            x=design.titles.get(f"axes.{along}", along),
            lines=lines,
            names={} if numeric else {at_x[name]: point_in_words(along, name, design.titles) for name in names},
            levels=list(_levels(own, metric, {**figure.at, **panel}, along, at_x, factor(unit), letters)),
            marks=[
                Mark(at_x[kind.knee], letters.get((experiment, kind.key), ""))
                for experiment, kind in own
                if isinstance(kind, Knee) and kind.metric == metric and kind.along == along and kind.knee in at_x
            ],
        )


def _points(figure: Figure, grid: Grid, axis: str) -> list[str]:
    """The points of an axis that are drawn."""
    if axis in figure.at:
        return [figure.at[axis]]
    wanted = figure.only.get(axis, grid.axes[axis])
    return [name for name in wanted if name in grid.axes[axis]]


def title_in(design: Design, metric: str) -> str:
    """The metric's name for people."""
    shown = design.metrics[metric]
    over = ", ".join(shown.shown_over.values()) if isinstance(shown, Product) else ""
    return design.titles.get(metric, metric) + (f" over that of {over}" if over else "")


def _line(
    design: Design,
    grid: Grid,
    metric: str,
    point: Point,
    along: str,
    at_x: Mapping[str, float],
    known_numbers: Mapping[tuple[str, str], float],
) -> list[Place]:
    """The places of a line."""
    unit = design.metrics[metric].unit
    scale, row = factor(unit), by_label(grid, metric)
    found = []
    for name, x in at_x.items():
        at = label({axis: {**point, along: name}[axis] for axis in grid.axes})
        one, printed = row.get(at), known_numbers.get((metric, at))
        if one is None:
            continue
        ours = with_unit(in_figures(one, scale), unit)
        of_work = f"; printed {with_unit(f'{printed * scale:.4g}', unit)}" if printed is not None else ""
        words = point_in_words(along, name, design.titles)
        found.append(
            Place(
                x,
                one.mean * scale,
                one.low * scale,
                one.high * scale,
                None if printed is None else printed * scale,
                f"{words}: {ours}{of_work}",
            )
        )
    return found


def by_label(grid: Grid, metric: str) -> Mapping[str, Any]:
    """The numbers of a metric by the label of the point."""
    labels = (", ".join(names) for names in product(*grid.axes.values()))
    return dict(zip(labels, grid.metrics.get(metric, ()), strict=False))


def kinds_at(experiment: str, paper: Paper) -> list[tuple[str, Kind]]:
    """The claims and printed tables about the runs of an experiment, with the part of it that has them."""
    found: list[tuple[str, Kind]] = []
    for one in paper.experiments:
        study = one.study
        if isinstance(study, StudyExperiment) and (study.name if study.shown else study.continues) == experiment:
            found += [(one.name, kind) for kind in [*study.claims, *study.printed] if isinstance(kind, Kind)]
    return found


def _printed(own: Sequence[tuple[str, Kind]], design: Design) -> dict[tuple[str, str], float]:
    """Printed numbers by metric and label of the point: of tables, and of statements about single points."""
    found: dict[tuple[str, str], float] = {}
    for _, kind in own:
        if isinstance(kind, Table):
            found |= {key: value for key, value in kind.of_points(design).items() if math.isfinite(value)}
    for _, kind in own:
        if isinstance(kind, Near) and kind.published is not None and not (kind.relative_to or kind.mean_over):
            fixed = {**kind.only, **{axis: [name] for axis, name in kind.at.items()}}
            for names in product(*(fixed.get(axis, list(points)) for axis, points in design.axes.items())):
                found.setdefault((kind.metric, ", ".join(names)), kind.published)
    return found


def _levels(
    own: Sequence[tuple[str, Kind]],
    metric: str,
    fixed: Point,
    along: str,
    at_x: Mapping[str, float],
    scale: float,
    letters: Letters,
) -> Iterator[Level]:
    """The bounds of statements about a metric, where the statement is about the points that are drawn."""
    seen: set[Level] = set()
    for experiment, kind in own:
        if not isinstance(kind, Bound) or kind.metric != metric or kind.relative_to or kind.mean_over:
            continue
        if any(
            kind.at.get(axis, name) != name or name not in kind.only.get(axis, [name]) for axis, name in fixed.items()
        ):
            continue
        names = [kind.at[along]] if along in kind.at else kind.only.get(along, list(at_x))
        places = [at_x[name] for name in names if name in at_x]
        if not places:
            continue
        whole = len(places) == len(at_x)
        level = Level(
            low=-math.inf if kind.above is None else kind.above * scale,
            high=math.inf if kind.below is None else kind.below * scale,
            first=-math.inf if whole else min(places),
            last=math.inf if whole else max(places),
            letter=letters.get((experiment, kind.key), ""),
            stated=None if kind.published is None else kind.published * scale,
        )
        if level not in seen:
            seen.add(level)
            yield level
