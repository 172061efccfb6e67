"""The numbers of a printed table of a work beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..statistics.figures import figures as in_figures
from ..statistics.intervals import Interval
from ..statistics.samples import factor
from . import references
from .design import Design, Point, label, point_in_words
from .exhibits import Grid
from .figures import Figure, by_label, title_in
from .kinds import Near, Table
from .points import Drawn
from .studies import StudyExperiment
from .work import Paper

__all__ = ["Cell", "cells_of"]


@dataclass(frozen=True)
class Cell:
    """A printed number beside ours: its experiment, its row and its column in words, and both in the unit shown."""

    experiment: str
    row: str
    column: str
    printed: str
    ours: str
    apart: str = ""


def cells_of(figure: Figure, paper: Paper, found: Drawn) -> Iterator[Cell]:
    """The numbers of a printed table: those of claims and of tables whose source names it.

    A row is named by the axes along which the numbers of its experiment differ.
    """
    every: dict[str, list[_Number]] = {}
    for one in paper.experiments:
        study = one.study
        if not isinstance(study, StudyExperiment):
            continue
        grid = found.grids.get(study.name if study.shown else study.continues)
        for kind in [*study.claims, *study.printed]:
            if isinstance(kind, Near | Table) and figure.named in references.named(kind.source):
                every.setdefault(study.continues or one.name, []).extend(_numbers(figure, kind, study.design, grid))
    for experiment, numbers in every.items():
        axes = list(dict.fromkeys(axis for one in numbers for axis in one.point))
        several = [axis for axis in axes if len({one.point.get(axis) for one in numbers}) > 1]
        yield from (one.cell(experiment, several or axes) for one in numbers)


@dataclass(frozen=True)
class _Number:
    """A printed number, its metric, its point, and ours."""

    design: Design
    metric: str
    point: Point
    printed: float
    ours: Interval | None

    def cell(self, experiment: str, axes: Sequence[str]) -> Cell:
        """In words, with these axes in the name of the row."""
        unit, titles, ours = self.design.metrics[self.metric].unit, self.design.titles, self.ours
        scale, title = factor(unit), title_in(self.design, self.metric)
        apart = f"{100.0 * (ours.mean / self.printed - 1.0):+.0f} %" if ours and self.printed else ""
        return Cell(
            experiment,
            row=", ".join(point_in_words(axis, self.point[axis], titles) for axis in axes if axis in self.point),
            column=f"{title} ({unit})" if unit else title,
            printed=f"{self.printed * scale:.6g}",
            ours=in_figures(ours, scale) if ours else "",
            apart=apart.replace("-", "\u2212"),
        )


def _numbers(figure: Figure, kind: Near | Table, design: Design, grid: Grid | None) -> Iterator[_Number]:
    """The numbers of a claim; a number of the text is one of a table only if it is about one point."""
    if kind.relative_to:
        return
    if isinstance(kind, Table):
        values = {at: value for (_, at), value in kind.of_points(design).items() if math.isfinite(value)}
    elif figure.named[0] == "table" and kind.published is not None and set(kind.at) == set(design.axes):
        values = {label({axis: kind.at[axis] for axis in design.axes}): kind.published}
    else:
        return
    points = {label(point): point for point in design.points()}
    row = by_label(grid, kind.metric) if grid else {}
    for at, value in values.items():
        yield _Number(design, kind.metric, points[at], value, row.get(at))
