"""The numbers of a printed table of a work beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..statistics.figures import figures as in_figures
from ..statistics.samples import factor
from . import references
from .design import Design, label, point_in_words
from .exhibits import Grid
from .figures import Figure, by_label, title_in
from .kinds import Table
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
    """The numbers of a printed table: those of claims and of tables whose source names it."""
    for one in paper.experiments:
        study = one.study
        if not isinstance(study, StudyExperiment):
            continue
        grid = found.grids.get(study.name if study.shown else study.continues)
        for kind in [*study.claims, *study.printed]:
            if isinstance(kind, Table) and figure.named in references.named(kind.source) and not kind.relative_to:
                yield from _cells(study.continues or one.name, kind, study.design, grid)


def _cells(experiment: str, kind: Table, design: Design, grid: Grid | None) -> Iterator[Cell]:
    row = by_label(grid, kind.metric) if grid else {}
    unit = design.metrics[kind.metric].unit
    scale, axes = factor(unit), list(design.axes)
    points = {label(point): point for point in design.points()}
    for at, value in kind.of_points(design).items():
        if not math.isfinite(value):
            continue
        point = points[at[1]]
        several = [axis for axis in axes if len(design.axes[axis]) > 1]
        words = [point_in_words(axis, point[axis], design.titles) for axis in several or axes]
        ours = row.get(at[1])
        title = title_in(design, kind.metric)
        yield Cell(
            experiment,
            row=", ".join(words),
            column=f"{title} ({unit})" if unit else title,
            printed=f"{value * scale:.6g}",
            ours=in_figures(ours, scale) if ours else "",
            apart=f"{100.0 * (ours.mean / value - 1.0):+.0f} %".replace("-", "\u2212") if ours and value else "",
        )
