"""The points that the figures of a work are drawn from: of a run, or as its last full run kept them.

``sojourn reproduce KEY --full --record`` writes ``record/points.toml``, from which the site draws every figure without
a run: of each experiment about a figure or a table the metrics at every point, and the lines of its charts with at most
:data:`KEPT` points each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from ... import _core
from .._base import toml
from .._base.files import write_whole
from ..statistics.intervals import Interval
from .exhibits import Chart, Curves, Grid
from .folders import record_of
from .reproduction import Reproduction

__all__ = ["KEPT", "POINTS", "Drawn", "keep", "last", "of_run"]

POINTS = "points.toml"
KEPT = 120
"""Greatest number of points of a line in a record: as many as its panel has columns of pixels on a phone."""

_MEAN, _HALF, _LINE = 5, 2, 4
"""Digits of a mean, of half of its interval, and of a line's points."""


@dataclass(frozen=True)
class Drawn:
    """The points from which the figures of a work are drawn.

    Attributes
    ----------
    grids
        The metrics at every point, by experiment.
    curves
        The lines of charts, by experiment and the chart's title.
    version, date
        Of Sojourn and of the run, if a record kept them.
    runs
        The least number of runs behind a number, by experiment.
    """

    grids: Mapping[str, Grid] = field(default_factory=dict)
    curves: Mapping[tuple[str, str], Curves] = field(default_factory=dict)
    version: str = ""
    date: str = ""
    runs: Mapping[str, int] = field(default_factory=dict)


def of_run(done: Reproduction) -> Drawn:
    """The points of a run: parts of an experiment have its grid, and may have further metrics."""
    parts: dict[str, list[Grid]] = {}
    curves: dict[tuple[str, str], Curves] = {}
    for name, one in done.exhibits:
        if isinstance(one, Grid):
            parts.setdefault(one.experiment, []).append(one)
        if isinstance(one, Chart) and one.curves is not None:
            curves[name, one.title] = one.curves
    grids = {name: _together(own) for name, own in parts.items()}
    return Drawn(grids, curves, runs={name: one.runs for name, one in grids.items()})


def _together(parts: Sequence[Grid]) -> Grid:
    """The grid with most points, and the metrics that only others with the same axes have."""
    most = max(parts, key=lambda one: len(_labels(one, one.axes)))
    metrics = dict(most.metrics)
    for other in parts:
        if set(other.axes) == set(most.axes):
            at = {label: place for place, label in enumerate(_labels(other, most.axes))}
            places = [at.get(label) for label in _labels(most, most.axes)]
            for metric, row in other.metrics.items():
                metrics.setdefault(metric, [None if place is None else row[place] for place in places])
    return replace(most, metrics=metrics)


def _labels(grid: Grid, order: Iterable[str]) -> list[tuple[str, ...]]:
    """The points of a grid in its order, each with its labels in the order of these axes."""
    points = [dict(zip(grid.axes, names, strict=True)) for names in product(*grid.axes.values())]
    return [tuple(point[axis] for axis in order) for point in points]


def keep(done: Reproduction) -> None:
    """Write the points of all experiments about figures and tables into the record of the work."""
    if done.folder is None:
        return
    found, wanted = of_run(done), {one.name for one in done.paper.experiments if one.places}
    # A part of an experiment has the runs of the whole.
    wanted |= {grid.experiment for name, grid in done.exhibits if isinstance(grid, Grid) and name in wanted}
    head = {"version": _core.version(), "date": datetime.now(UTC).date().isoformat()}
    parts = [f"# Made by `sojourn reproduce {done.key} --full --record`.\n{toml.document(head)}"]
    parts += [_grid(name, grid) for name, grid in found.grids.items() if name in wanted]
    parts += [_curves(*key, one) for key, one in found.curves.items() if key[0] in wanted]
    file = record_of(done.folder, POINTS)
    file.parent.mkdir(exist_ok=True)
    write_whole(file, "\n".join(parts))


def _grid(name: str, grid: Grid) -> str:
    """An experiment: its axes, and of each metric the means, half of the intervals, and both ends where they differ."""
    lines = [f"[grids.{toml.key(name)}]", f"runs = {grid.runs}"]
    lines += [f"axes.{toml.key(axis)} = {toml.inline(list(points))}" for axis, points in grid.axes.items()]
    for metric, row in grid.metrics.items():
        ends = {at: one.ends for at, one in enumerate(row) if one and one.ends}
        means = [_short(one.mean, _MEAN) if one else "nan" for one in row]
        halves = [_short(one.half_width, _HALF) if one else "nan" for one in row]
        text = f"mean = [{', '.join(means)}], half = [{', '.join(halves)}]"
        if ends:
            pairs = (f"[{at}, {_short(low, 3)}, {_short(high, 3)}]" for at, (low, high) in ends.items())
            text += f", ends = [{', '.join(pairs)}]"
        lines.append(f"metrics.{toml.key(metric)} = {{ {text} }}")
    return "\n".join(lines) + "\n"


def _curves(experiment: str, title: str, one: Curves) -> str:
    """A chart: the titles of its axes, and of each line the points; evenly spaced ones by the first and the step."""
    lines = [f"[curves.{toml.key(experiment)}.{toml.key(title)}]"]
    lines += [f"x = {toml.inline(one.x)}", f"y = {toml.inline(one.y)}"]
    if one.marks:
        lines.append(f"marks = {toml.inline(list(one.marks))}")
    if not one.joined:
        lines.append("joined = false")
    for panel, own in one.panels.items():
        for line, points in own.items():
            few = points[:: max(math.ceil(len(points) / KEPT), 1)] if one.joined else points
            at, values = [x for x, _ in few], ", ".join(_short(y, _LINE) for _, y in few)
            text = f"{{ {_along(at)}, y = [{values}] }}"
            lines.append(f"panels.{toml.key(panel)}.{toml.key(line)} = {text}")
    return "\n".join(lines) + "\n"


def _along(at: Sequence[float]) -> str:
    steps = [after - before for before, after in pairwise(at)]
    if len(steps) > 1 and max(steps) - min(steps) < 1e-3 * abs(steps[0]):
        return f"from = {_short(at[0], 6)}, step = {_short((at[-1] - at[0]) / len(steps), 6)}"
    return f"x = [{', '.join(_short(one, _MEAN) for one in at)}]"


def _short(value: float, digits: int) -> str:
    """A number as TOML, with so many digits.

    >>> [_short(value, 3) for value in (12.3456, 1234567.0, 0.0, 2.0, 1.2e-7)], _short(float("nan"), 2)
    (['12.3', '1230000', '0', '2', '1.2e-07'], 'nan')
    """
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    short = float(f"{value:.{digits}g}")
    return str(int(short)) if short == int(short) and abs(short) < 1e15 else repr(short)


def last(folder: Path) -> Drawn:
    """The points that the last full run kept; none where there was none."""
    file = record_of(folder, POINTS)
    if not file.exists():
        return Drawn()
    content = toml.read(file)
    grids = {name: _read_grid(name, table) for name, table in content.get("grids", {}).items()}
    curves = {
        (name, title): _read_curves(table)
        for name, charts in content.get("curves", {}).items()
        for title, table in charts.items()
    }
    runs = {name: int(table["runs"]) for name, table in content.get("grids", {}).items()}
    return Drawn(grids, curves, str(content["version"]), str(content["date"]), runs)


def _read_grid(name: str, table: Mapping[str, Any]) -> Grid:
    metrics = {metric: list(_intervals(row, int(table["runs"]))) for metric, row in table["metrics"].items()}
    return Grid(experiment=name, axes=table["axes"], metrics=metrics)


def _intervals(row: Mapping[str, Any], runs: int) -> Iterator[Interval | None]:
    ends = {int(at): (float(low), float(high)) for at, low, high in row.get("ends", [])}
    for at, (mean, half) in enumerate(zip(row["mean"], row["half"], strict=True)):
        yield None if math.isnan(mean) else Interval(float(mean), float(half), runs, ends.get(at))


def _read_curves(table: Mapping[str, Any]) -> Curves:
    plain = Curves(x=table["x"], y=table["y"], panels={}, marks=table.get("marks", ()))
    panels = {
        panel: {line: _points(one) for line, one in own.items()} for panel, own in table.get("panels", {}).items()
    }
    return replace(plain, panels=panels, joined=table.get("joined", True))


def _points(line: Mapping[str, Any]) -> list[tuple[float, float]]:
    values = [float(one) for one in line["y"]]
    if "step" in line:
        return [(line["from"] + line["step"] * place, value) for place, value in enumerate(values)]
    return list(zip(map(float, line["x"]), values, strict=True))
