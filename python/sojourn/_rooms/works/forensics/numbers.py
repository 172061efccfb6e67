"""The printed numbers of a work, each with the claim that forms our number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ...statistics.prediction import rounding as half_digit
from ...statistics.samples import Sample, factor
from ..design import Design, Point, Results, label, point_in_words
from ..experiment import Experiment
from ..kinds import Largest, Near, Table
from ..studies import StudyExperiment
from ..work import Paper

__all__ = ["TEXT", "Printed", "Row", "rows"]

TEXT = "text and figures"
"""The place of numbers that no table has."""


@dataclass(frozen=True)
class Printed:
    """One printed number.

    Attributes
    ----------
    value
        In the units of our tables.
    error
        Half of its printed interval, or 0 if none is printed.
    rounding
        Half of its last printed digit.
    case
        Its case in the row, in words.
    cell
        Its point of the design, in words: numbers of one cell come from the same runs.
    whole
        What it is a part of, if it is near that: the tolerance is then of what is missing.
    """

    value: float
    error: float
    rounding: float
    case: str
    cell: str
    whole: float | None = None


@dataclass(frozen=True)
class Row:
    """Numbers that one claim or table of a work prints together.

    Attributes
    ----------
    experiment, title
        The experiment and the table that show them.
    study
        The experiment as data.
    claim
        The claim, which forms our numbers.
    numbers
        By case, as in :meth:`samples`.
    unit
        The unit to show them in.
    """

    experiment: str
    title: str
    study: StudyExperiment
    claim: Table | Near | Largest
    numbers: Mapping[str, Printed]
    unit: str

    @property
    def points(self) -> list[Point]:
        """The points of the design from which our numbers are made."""
        return _points(self.claim, self.study.design)

    @property
    def made(self) -> int:
        """The number of runs behind each number; one where the work does not say."""
        return max(1, self.claim.printed_runs)

    @property
    def table(self) -> str:
        """The table of the work that prints it, or several with the same number; :data:`TEXT` for all others."""
        place = self.claim.source.partition(",")[0]
        return place if place.startswith("table") else TEXT

    def case_in_words(self, case: str) -> str:
        """A case for people: a number has the name of its axis."""
        claim, design = self.claim, self.study.design
        if isinstance(claim, Largest) or not case:
            # One number of all cells.
            return ""
        left = [axis for axis in design.axes if axis not in (*claim.at, *claim.mean_over)]
        names = case.split(", ")
        return ", ".join(point_in_words(axis, name, design.titles) for axis, name in zip(left, names, strict=True))

    def samples(self, results: Results) -> Mapping[str, Sample]:
        """Our numbers, one value for each seed, by case."""
        if isinstance(self.claim, Table):
            return {case: sample for case, (sample, _, _) in self.claim.cells(results).items()}
        if isinstance(self.claim, Largest):
            return {"": self.claim.of_runs(results)}
        return dict(self.claim.numbers(results, self.claim.at))


def rows(paper: Paper) -> list[Row]:
    """All rows of the experiments of a work that are data, each once."""
    found: list[Row] = []
    seen: set[tuple[object, ...]] = set()
    for experiment in paper.experiments:
        study = _study(experiment)
        if study is None:
            continue
        for claim in [*study.claims, *study.printed]:
            row = _row(experiment, study, claim)
            # Two experiments on the same runs may print the same row.
            if row is not None and (what := _identity(row)) not in seen:
                seen.add(what)
                found.append(row)
    return found


def _study(experiment: Experiment) -> StudyExperiment | None:
    return experiment.study if isinstance(experiment.study, StudyExperiment) else None


def _row(experiment: Experiment, study: StudyExperiment, claim: object) -> Row | None:
    if isinstance(claim, Table):
        numbers = _of_table(claim, study.design)
    elif isinstance(claim, Near) and claim.published is not None:
        numbers = _of_text(claim, study.design)
    elif isinstance(claim, Largest) and claim.published is not None:
        numbers = {"": Printed(claim.published, 0.0, _digit(claim, study.design, claim.published), "", claim.text)}
    else:
        return None
    if not numbers:
        return None
    at = {} if isinstance(claim, Largest) else claim.at
    points = [point_in_words(axis, name, study.design.titles) for axis, name in at.items()]
    title = claim.text or ", ".join([claim.called or claim.metric, *points])
    return Row(experiment.name, title, study, claim, numbers, claim.unit(study.design))


def _identity(row: Row) -> tuple[object, ...]:
    values = tuple(number.value for number in row.numbers.values())
    return row.study.design.scenario, row.claim.metric, tuple(map(label, row.points)), values


def _of_table(claim: Table, design: Design) -> dict[str, Printed]:
    cases = _cases(claim, design, [*claim.at, *claim.mean_over])
    errors = claim.errors or [0.0] * len(claim.printed)
    rounding = _digit(claim, design, *claim.printed)
    return {
        case: Printed(value, error, rounding, case, _cell(claim, design, case), claim.whole)
        for case, value, error in zip(cases, claim.printed, errors, strict=True)
        if not math.isnan(value)
    }


def _of_text(claim: Near, design: Design) -> dict[str, Printed]:
    cases = _cases(claim, design, [*claim.at, *claim.mean_over])
    value = claim.published
    if value is None or len(cases) != 1:
        # A sentence about several cases does not print the number of a single case.
        return {}
    (case,) = cases
    return {case: Printed(value, 0.0, _digit(claim, design, value), case, _cell(claim, design, case), claim.whole)}


def _digit(claim: Table | Near | Largest, design: Design, *values: float) -> float:
    """Half of the last printed digit, in the units of our tables: a work prints 9177 kbit/s, not 9177000 bit/s."""
    scale = factor(claim.unit(design))
    return half_digit(*(float(f"{value * scale:.10g}") for value in values)) / scale


def _cases(claim: Table | Near, design: Design, fixed: Sequence[str]) -> list[str]:
    axes = [claim.only.get(axis, list(points)) for axis, points in design.axes.items() if axis not in fixed]
    return [", ".join(names) for names in product(*axes)]


def _cell(claim: Table | Near, design: Design, case: str) -> str:
    """The point of a number in words; a number from several points is a cell of its own."""
    if claim.relative_to or claim.mean_over:
        return f"{claim.text} {case}".strip()
    left = [axis for axis in design.axes if axis not in claim.at]
    names = case.split(", ") if left else []
    point = {**claim.at, **dict(zip(left, names, strict=True))}
    return ", ".join(point_in_words(axis, point[axis], design.titles) for axis in design.axes)


def _points(claim: Table | Near | Largest, design: Design) -> list[Point]:
    """Every point that a row needs, including the one to which it is relative."""
    if isinstance(claim, Largest):
        return [point for at in (claim.this, claim.that) for point in _points_at(claim, design, at)]
    return _points_at(claim, design, claim.at)


def _points_at(claim: Table | Near | Largest, design: Design, at: Point) -> list[Point]:
    fixed = {
        **{axis: list(names) for axis, names in claim.only.items()},
        **{axis: [name] for axis, name in at.items()},
    }
    found: list[Point] = []
    for moved in [{}, claim.relative_to] if claim.relative_to else [{}]:
        axes = {
            axis: [moved[axis]] if axis in moved else fixed.get(axis, list(points))
            for axis, points in design.axes.items()
        }
        found += [dict(zip(axes, names, strict=True)) for names in product(*axes.values())]
    return found
