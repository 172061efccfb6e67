"""The cells of an experiment: their numbers, ours and printed, and their names for tables and charts alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from ..statistics.samples import first
from .claims import Sample, ratio
from .design import NotRunError, Point, Product, Results, point_in_words
from .kinds import Kind, Knee, Near, Table

__all__ = ["Printed", "Stated", "printed", "stated"]

Printed = Mapping[tuple[str, str], tuple[float, float | None]]
"""Printed values and errors by metric and label of the point."""


@dataclass(frozen=True)
class Stated:
    """Statements of a work about its figures that a chart marks.

    Attributes
    ----------
    values
        Printed values, of tables and of the text.
    knees
        By metric: the points of the axis `along` where its text has a knee.
    """

    values: Printed = field(default_factory=dict)
    knees: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)


def cells_run(claim: Table, results: Results) -> Mapping[str, tuple[Sample, float, float]]:
    """Printed numbers beside ours, for points that were run."""
    try:
        return claim.cells(results)
    except NotRunError:
        return {}


def printed(results: Results, claims: Sequence[Kind]) -> Printed:
    """Printed numbers of tables for the points that were run."""
    found = {}
    axes = results.axes
    for claim in claims:
        if isinstance(claim, Table):
            left = [axis for axis in axes if axis not in claim.at]
            for case, (_, value, error) in cells_run(claim, results).items():
                point = {**claim.at, **dict(zip(left, case.split(", ") if left else [], strict=True))}
                found[claim.metric, ", ".join(point[axis] for axis in axes)] = (value, error if claim.errors else None)
    return found


def stated(results: Results, claims: Sequence[object], tables: Printed) -> Stated:
    """The marks of a chart: printed values, those of claims about single points too, and knees."""
    values, knees = dict(tables), dict[tuple[str, str], list[str]]()
    for claim in claims:
        if isinstance(claim, Near) and claim.published is not None and not (claim.relative_to or claim.mean_over):
            fixed = {**claim.only, **{axis: [name] for axis, name in claim.at.items()}}
            for point in product(*(fixed.get(axis, run) for axis, run in results.axes.items())):
                values.setdefault((claim.metric, ", ".join(point)), (claim.published, None))
        if isinstance(claim, Knee):
            knees.setdefault((claim.metric, claim.along), []).append(claim.knee)
    return Stated(values, knees)


def columns(results: Results, rows: str) -> list[Mapping[str, str]]:
    others = [axis for axis in results.axes if axis != rows]
    return [dict(zip(others, labels, strict=True)) for labels in product(*(results.axes[axis] for axis in others))]


def sample_of(results: Results, metric: str, point: Point) -> Sample:
    """The shown values of a metric: itself, or relative to another point."""
    own, over = results.sample(metric, point), _over(results, metric)
    if not over:
        return own
    other = results.sample(metric, {**point, **over})
    # One of the two may have more runs.
    runs = min(len(own), len(other))
    return ratio(first(own, runs), first(other, runs))


def _over(results: Results, metric: str) -> Point:
    shown = results.design.metrics[metric]
    return shown.shown_over if isinstance(shown, Product) else {}


def title_of(results: Results, metric: str) -> str:
    """The metric's name for people."""
    over = ", ".join(_over(results, metric).values())
    return results.design.titles.get(metric, metric) + (f" over that of {over}" if over else "")


def axis_title(results: Results, axis: str) -> str:
    """The axis's name for people."""
    return results.design.titles.get(f"axes.{axis}", axis)


def distinct_axes(results: Results, column: Point) -> Point:
    """The axes that distinguish columns: those with more than one point."""
    return {axis: name for axis, name in column.items() if len(results.design.axes[axis]) > 1}


def in_words(results: Results, point: Point) -> list[str]:
    """Labels of a point; a number has the name of its axis."""
    return [point_in_words(axis, name, results.design.titles) for axis, name in point.items()]
