"""The results of a search: ranks, effects of choices, groups of rows, numbers that no setting reaches."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from .choices import Factor, Setting
from .numbers import Printed, Row
from .plan import taken
from .score import CAP, Fit, fit
from .trials import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Effect", "Findings", "Group", "HeldOut", "Ranked"]

_FAR = 2.0
"""A number is out of reach if it is this many deviations from the number of every setting."""

_WORTH = 0.15
"""Cells are split into a further group only if that lowers the score by this share.

Chosen by looking at the works. It affects only the display; no verdict depends on it."""


@dataclass(frozen=True)
class Ranked:
    """A setting and its score among those tried; 1 is the best."""

    setting: Setting
    score: float
    rank: int


@dataclass(frozen=True)
class Effect:
    """How a choice moves the score: the mean over the settings that have it, less that over all of the same plan."""

    factor: Factor
    choice: int
    change: float


@dataclass(frozen=True)
class Group:
    """Cells, which are points of the work's tables, that one setting suits."""

    setting: Setting
    cells: Sequence[str]
    score: float
    numbers: int


@dataclass(frozen=True)
class HeldOut:
    """A table that is left out, and predicted by the setting that is best for the rest.

    Attributes
    ----------
    table
        Its name.
    numbers
        The number of numbers that it prints.
    by_rest, by_taken, at_best
        Its score under the setting that the rest prefers, under the setting taken, and the least of all.
    setting
        The setting that the rest prefers.
    """

    table: str
    numbers: int
    setting: Setting
    by_rest: float
    by_taken: float
    at_best: float


@dataclass(frozen=True)
class Findings:
    """A part of a work under all settings that were tried.

    Attributes
    ----------
    name
        The name of the part.
    factors
        The open points that were varied.
    rows
        Printed rows.
    settings
        The settings that were tried; the first is the one that the work's runs have.
    values
        The numbers of each setting.
    planned
        The number of settings, from the first, that form the plan over which effects are averaged.
    complete
        Whether these are all settings that there are.
    made
        The number of runs behind each row's means.
    confirmed
        Settings that were run again with seeds that took no part in the search, and their results.
    seeds, fresh
        The seeds of the search, and of the last runs.
    stopped
        Whether the budget ended the search before it was done.
    """

    name: str
    factors: Sequence[Factor]
    rows: Sequence[Row]
    settings: Sequence[Setting]
    values: Sequence[Values] = field(repr=False)
    planned: int
    complete: bool
    made: Sequence[int]
    confirmed: Mapping[Setting, Values] = field(repr=False)
    seeds: Sequence[int] = ()
    fresh: Sequence[int] = ()
    stopped: bool = False

    @cached_property
    def numbers(self) -> list[tuple[int, str, Printed]]:
        """Every printed number: its row, its case, itself."""
        return [(place, case, printed) for place, row in enumerate(self.rows) for case, printed in row.numbers.items()]

    @cached_property
    def _usual(self) -> list[float]:
        """Deviation of single runs at each number: the median over the settings that have the number."""
        return [
            statistics.median(
                [
                    _deviation(ours)
                    for values in self.values
                    if all(map(math.isfinite, ours := list(values[place][case])))
                ]
                or [0.0]
            )
            for place, case, _ in self.numbers
        ]

    def fits(self, values: Values) -> list[Fit]:
        """Each printed number beside that of a setting."""
        return [
            fit(printed, values[place][case], usual=usual, made=self.made[place])
            for (place, case, printed), usual in zip(self.numbers, self._usual, strict=True)
        ]

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """Distance of each printed number from each setting's prediction; shape (settings, numbers)."""
        return np.array([[one.distance for one in self.fits(values)] for values in self.values])

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        squares = np.minimum(self.distances**2, CAP)
        return np.where(np.isnan(squares), CAP, squares)

    @cached_property
    def by_row(self) -> NDArray[np.float64]:
        """Score of each setting at each row; shape (settings, rows)."""
        place_of = np.array([place for place, _, _ in self.numbers])
        columns = [self._scores[:, place_of == row].sum(axis=1) for row in range(len(self.rows))]
        return np.stack(columns, axis=1)

    @cached_property
    def cells(self) -> list[str]:
        """The points of the work's tables, each once."""
        return list(dict.fromkeys(printed.cell for _, _, printed in self.numbers))

    @cached_property
    def by_cell(self) -> NDArray[np.float64]:
        """Score of each setting at each cell; shape (settings, cells)."""
        cell_of = np.array([self.cells.index(printed.cell) for _, _, printed in self.numbers])
        columns = [self._scores[:, cell_of == cell].sum(axis=1) for cell in range(len(self.cells))]
        return np.stack(columns, axis=1)

    def order(self, rows: Sequence[int] | None = None) -> list[int]:
        """Places of the settings, the best first, by all rows or by some."""
        chosen = list(range(len(self.rows))) if rows is None else list(rows)
        return [int(place) for place in np.argsort(self.by_row[:, chosen].sum(axis=1), kind="stable")]

    def ranked(self, rows: Sequence[int] | None = None) -> list[Ranked]:
        """All settings, the best first."""
        chosen = list(range(len(self.rows))) if rows is None else list(rows)
        scores = self.by_row[:, chosen].sum(axis=1)
        return [
            Ranked(self.settings[place], float(scores[place]), rank)
            for rank, place in enumerate(self.order(rows), start=1)
        ]

    @property
    def taken(self) -> Ranked:
        """The setting with which the experiments are run."""
        wanted = taken(self.factors)
        return next(one for one in self.ranked() if one.setting == wanted)

    @property
    def best(self) -> Ranked:
        """The best by all rows."""
        return self.ranked()[0]

    @property
    def below_the_middle(self) -> bool:
        """Whether the setting taken is in the worse half."""
        return self.taken.rank > (len(self.settings) + 1) / 2

    @property
    def effects(self) -> list[Effect]:
        """The change that each choice makes, the greatest first.

        It is the change of the mean over the plan. Without time for a plan, it is the change when this choice alone is
        made in the setting taken.
        """
        found = self._effects_alone() if self.alone else self._effects_of_the_plan()
        spread = {
            factor.name: max(one.change for one in found if one.factor is factor)
            - min(one.change for one in found if one.factor is factor)
            for factor in self.factors
        }
        return sorted(found, key=lambda one: (-spread[one.factor.name], one.change))

    @property
    def alone(self) -> bool:
        """Whether there was no plan, so that choices were made one at a time."""
        return self.planned == 1

    def _effects_of_the_plan(self) -> list[Effect]:
        plan = self.by_row[: self.planned].sum(axis=1)
        found = []
        for place, factor in enumerate(self.factors):
            for choice in range(len(factor.choices)):
                own = [setting[place] == choice for setting in self.settings[: self.planned]]
                if any(own):
                    found.append(Effect(factor, choice, float(plan[own].mean() - plan.mean())))
        return found

    def _effects_alone(self) -> list[Effect]:
        scores = {one.setting: one.score for one in self.ranked()}
        base = taken(self.factors)
        return [
            Effect(factor, choice, scores[moved] - scores[base])
            for place, factor in enumerate(self.factors)
            for choice in range(len(factor.choices))
            if (moved := (*base[:place], choice, *base[place + 1 :])) in scores
        ]

    def groups(self, most: int = 3) -> list[Group]:
        """Cells by the setting that suits them: as few groups as explain the numbers well.

        A further group has to lower the score by a share, and by more than a single number that is far off could.
        """
        scores = self.by_cell
        chosen: tuple[int, ...] = (self.order()[0],)
        least = _together(scores, chosen)
        # Settings that are best for no cell are not needed.
        candidates = sorted({*map(int, scores.argmin(axis=0)), *self.order()[:10]})
        for count in range(2, 1 + min(most, len(self.cells))):
            together = min(combinations(candidates, count), key=lambda one: _together(scores, one), default=())
            total = _together(scores, together) if together else least
            if not together or least - total < max(_WORTH * least, CAP):
                break
            chosen, least = together, total
        nearest = scores[list(chosen)].argmin(axis=0)
        made = []
        for number, place in enumerate(chosen):
            own = [cell for cell in range(len(self.cells)) if nearest[cell] == number]
            names = {self.cells[cell] for cell in own}
            if own:
                count = sum(printed.cell in names for _, _, printed in self.numbers)
                cells = [self.cells[cell] for cell in own]
                made.append(Group(self.settings[place], cells, float(scores[place, own].sum()), count))
        return sorted(made, key=lambda group: -group.numbers)

    @property
    def out_of_reach(self) -> list[tuple[int, str, Printed, float]]:
        """Numbers that no setting comes near: row, case, the number and the least distance."""
        nearest = np.abs(self.distances).min(axis=0)
        return [
            (place, case, printed, float(distance))
            for (place, case, printed), distance in zip(self.numbers, nearest, strict=True)
            if not distance <= _FAR
        ]

    @property
    def tables(self) -> dict[str, list[int]]:
        """Rows by the table or text of the work that prints them."""
        found: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            found.setdefault(row.claim.source or row.experiment, []).append(place)
        return found

    @property
    def held_out(self) -> list[HeldOut]:
        """Each table left out in turn; with a single table, each row."""
        tables = self.tables
        if len(tables) == 1:
            tables = {f"{row.title}": [place] for place, row in enumerate(self.rows)}
        if len(tables) == 1:
            return []
        first, found = taken(self.factors), []
        for name, rows in tables.items():
            rest = [row for row in range(len(self.rows)) if row not in rows]
            place = self.order(rest)[0]
            own = self.by_row[:, rows].sum(axis=1)
            count = sum(len(self.rows[row].numbers) for row in rows)
            at_taken = float(own[list(self.settings).index(first)])
            found.append(HeldOut(name, count, self.settings[place], float(own[place]), at_taken, float(own.min())))
        return found

    def inside(self, setting: Setting, cells: Sequence[str] | None = None) -> tuple[int, int]:
        """The number of printed numbers in the prediction interval of a setting, and of all.

        The runs are those with fresh seeds, if there are any.
        """
        values = self.confirmed.get(setting)
        if values is None:
            values = self.values[list(self.settings).index(setting)]
        chosen = [
            one
            for one, (_, _, printed) in zip(self.fits(values), self.numbers, strict=True)
            if cells is None or printed.cell in cells
        ]
        return sum(one.inside for one in chosen), len(chosen)

    def confirmed_score(self, setting: Setting) -> float | None:
        """The score with fresh seeds, where these were run."""
        if setting not in self.confirmed:
            return None
        return sum(one.score for one in self.fits(self.confirmed[setting]))

    def in_words(self, setting: Setting) -> str:
        """How a setting differs from the one taken."""
        changed = [
            f"{factor.name}: {factor.choices[choice].name}"
            for factor, choice in zip(self.factors, setting, strict=True)
            if choice != factor.taken
        ]
        return "; ".join(changed) or "as run"


def _together(scores: NDArray[np.float64], settings: Sequence[int]) -> float:
    """The score of all cells, each under the most suitable of some settings."""
    return float(scores[list(settings)].min(axis=0).sum())


def _deviation(values: Sequence[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else 0.0
