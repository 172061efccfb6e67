"""A race: candidates get more seeds as long as they may still beat the best.

All have the same seeds (common random numbers), so that a difference is formed seed by seed. A candidate that a member
of the frontier beats in everything gets no more; nor does one that surely breaks a constraint. Both are judged at
several looks, by a rule under which each is wrong in at most 5 % of cases (:mod:`statistics.looks`). Only those that
surely keep all constraints enter the frontier: a setting that just keeps them on these seeds may break them on others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..scenario.scenario import Scenario
from ..statistics.intervals import mean_interval, paired_difference
from ..statistics.looks import FEWEST, LEVEL, looks, sequential_p
from ..sweeps.axes import Axis
from .constraints import Constraint
from .objectives import Objective
from .runs import Runs

__all__ = ["Candidate", "Race", "levels"]

_WITH_ROOM = 4
"""Settings under constraints that enter the final comparison."""


@dataclass
class Candidate:
    """A setting that is tried.

    Attributes
    ----------
    settings
        A value of each parameter, as an axis with one point; none of them for the default.
    scenario
        With these values.
    samples
        By objective: a value for each seed that it has had, in the order of the seeds.
    bounded
        The same by constraint.
    out
        Whether it was dropped.
    """

    settings: dict[str, Axis]
    scenario: Scenario
    samples: list[list[float]] = field(default_factory=list)
    bounded: list[list[float]] = field(default_factory=list)
    out: bool = False

    @property
    def labels(self) -> dict[str, str]:
        """The value of each parameter."""
        return {name: axis.labels[0] for name, axis in self.settings.items()}

    @property
    def seeds(self) -> int:
        """How many seeds it has had."""
        return len(self.samples[0]) if self.samples else 0

    def means(self) -> list[float]:
        """The mean of each objective; NaN where some run has no value."""
        return [math.nan if any(map(math.isnan, one)) else mean_interval(one).mean for one in self.samples]


def levels(seeds: int) -> list[int]:
    """How many seeds a candidate has at each stage; so few that none can be dropped are one stage.

    >>> levels(20), levels(2)
    ([6, 8, 10, 14, 20], [2])
    """
    return looks(seeds) if seeds >= FEWEST else [seeds]


class Race:
    """Candidates against the frontier of those that have had all seeds.

    The default is its first member if it keeps the constraints.
    """

    def __init__(
        self,
        default: Candidate,
        objectives: Sequence[Objective],
        seeds: Sequence[int],
        runs: Runs,
        constraints: Sequence[Constraint] = (),
    ) -> None:
        self.default = default
        self._objectives, self._constraints = objectives, constraints
        self._seeds, self._runs = list(seeds), runs
        self._tried: list[Candidate] = []
        self._measure([default], len(self._seeds))
        self.frontier: list[Candidate] = [default] if self.keeps(default) else []

    def run(self, candidates: Sequence[Candidate], told: Callable[[int], None] = lambda _: None) -> None:
        """Race some candidates; those that reach the last stage may enter the frontier."""
        running = list(candidates)
        for number in levels(len(self._seeds)):
            told(len(running))
            self._measure(running, number)
            for one in running:
                one.out = (
                    any(math.isnan(mean) for mean in one.means())
                    or self._surely_breaks(one)
                    or any(self._beats(member, one) for member in self.frontier)
                )
            running = [one for one in running if not one.out]
        self._tried += candidates
        for one in running:
            if self.keeps(one):
                self._enter(one)

    def with_more_room(self) -> list[Candidate]:
        """For one objective with constraints: the best, and others at least twice as far from the bounds.

        The best of many settings often keeps a bound by chance. Settings that were dropped have had fewer seeds.
        """
        if not self._constraints or len(self._objectives) > 1:
            return []
        found = [one for one in self.frontier if one is not self.default]
        sign = self._objectives[0].sign
        known = [one for one in self._tried if self.keeps(one) and not math.isnan(self.estimate(one)[0])]
        for one in sorted(known, key=lambda one: sign * self.estimate(one)[0]):
            if not found or self._room(one) > max(2 * self._room(found[-1]), 0.0):
                found.append(one)
        return found[:_WITH_ROOM]

    def _room(self, one: Candidate) -> float:
        """The distance to the nearest bound, as a part of the bound."""
        pairs = zip(self._constraints, self.excesses(one), strict=True)
        return min(-excess / (abs(bound.bound) or 1.0) for bound, excess in pairs)

    def keeps(self, one: Candidate) -> bool:
        """Whether it surely keeps all constraints, by the seeds that it has had."""
        return all(map(Constraint.is_kept, self._constraints, one.bounded))

    def excesses(self, one: Candidate) -> list[float]:
        """The excess over each constraint: above zero it may be broken, else it is kept."""
        return list(map(Constraint.excess, self._constraints, one.bounded))

    def _surely_breaks(self, one: Candidate) -> bool:
        return any(
            self._is_more([bound.sign * value for value in sample], [bound.sign * bound.bound] * len(sample))
            for bound, sample in zip(self._constraints, one.bounded, strict=True)
        )

    def _is_more(self, values: Sequence[float], others: Sequence[float]) -> bool:
        """Whether values are surely above others, at the looks that there were."""
        at = [level for level in levels(len(self._seeds)) if level <= len(values)]
        return sequential_p(values, others, at) <= LEVEL and mean_interval(values).mean > mean_interval(others).mean

    def estimate(self, one: Candidate) -> list[float]:
        """The mean of each objective, as if it had had all seeds: the default's and the paired difference from it."""
        return [
            mean_interval(base).mean + paired_difference(own, base[: len(own)]).mean
            for own, base in zip(one.samples, self.default.samples, strict=True)
        ]

    def _measure(self, candidates: Sequence[Candidate], number: int) -> None:
        seeds = self._seeds[:number]
        self._runs.make([one.scenario for one in candidates], seeds)
        for one in candidates:
            runs = [self._runs.values(one.scenario, seed) for seed in seeds]
            one.samples = [[objective.of(run) for run in runs] for objective in self._objectives]
            one.bounded = [[constraint.measure.of(run) for run in runs] for constraint in self._constraints]

    def _beats(self, member: Candidate, one: Candidate) -> bool:
        """Whether a member of the frontier is surely better in every objective."""
        for objective, own, other in zip(self._objectives, one.samples, member.samples, strict=True):
            losses, least = ([objective.sign * value for value in sample] for sample in (own, other[: len(own)]))
            if not self._is_more(losses, least):
                return False
        return True

    def _enter(self, one: Candidate) -> None:
        own = self._goals(one)
        if any(one.scenario == member.scenario for member in self.frontier):
            return
        if any(_dominates(self._goals(member), own) for member in self.frontier):
            return
        # Equal settings stay out as well: the first among them is as good.
        if any(self._goals(member) == own for member in self.frontier):
            return
        self.frontier = [member for member in self.frontier if not _dominates(own, self._goals(member))] + [one]

    def _goals(self, one: Candidate) -> list[float]:
        """The means, less being better."""
        return [objective.sign * mean for objective, mean in zip(self._objectives, one.means(), strict=True)]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)
