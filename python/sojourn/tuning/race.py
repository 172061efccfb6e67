"""A race: candidates get more seeds as long as they may still beat the best.

All have the same seeds (common random numbers), so that a difference is formed seed by seed. A candidate that a member
of the frontier beats in everything, by paired 95 % intervals, gets no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..scenario.scenario import Scenario
from ..statistics.intervals import mean_interval, paired_difference
from ..sweeps.axes import Axis
from .objectives import Objective
from .runs import Runs

__all__ = ["Candidate", "Race", "levels"]

FIRST = 3
"""Seeds of a candidate at first: fewer have no interval to speak of."""


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
        Of each objective, a value for each seed that it has had, in the order of the seeds.
    out
        Whether it was dropped.
    """

    settings: dict[str, Axis]
    scenario: Scenario
    samples: list[list[float]] = field(default_factory=list)
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
    """How many seeds a candidate has at each stage.

    >>> levels(20), levels(2)
    ([3, 6, 12, 20], [2])
    """
    found = [min(FIRST, seeds)]
    while found[-1] < seeds:
        found.append(min(2 * found[-1], seeds))
    return found


class Race:
    """Candidates against the frontier of those that have had all seeds; the default is its first member."""

    def __init__(self, default: Candidate, objectives: Sequence[Objective], seeds: Sequence[int], runs: Runs) -> None:
        self.default = default
        self._objectives, self._seeds, self._runs = objectives, list(seeds), runs
        self.frontier: list[Candidate] = [default]
        self._measure([default], len(self._seeds))

    def run(self, candidates: Sequence[Candidate], told: Callable[[int], None] = lambda _: None) -> None:
        """Race some candidates; those that stay to the end may enter the frontier."""
        running = list(candidates)
        for number in levels(len(self._seeds)):
            told(len(running))
            self._measure(running, number)
            for one in running:
                one.out = any(math.isnan(mean) for mean in one.means()) or any(
                    self._beats(member, one) for member in self.frontier
                )
            running = [one for one in running if not one.out]
        for one in running:
            self._enter(one)

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

    def _beats(self, member: Candidate, one: Candidate) -> bool:
        """Whether a member of the frontier is better in every objective, by paired intervals."""
        for objective, own, other in zip(self._objectives, one.samples, member.samples, strict=True):
            worse = paired_difference(own, other[: len(own)])
            # Runs that are all equally worse have an interval of no width.
            sure = worse.excludes_zero or (worse.n > 1 and worse.half_width == 0.0)
            if not sure or objective.sign * worse.mean <= 0.0:
                return False
        return True

    def _enter(self, one: Candidate) -> None:
        own = self._goals(one)
        if any(one.scenario == member.scenario for member in self.frontier):
            return
        if any(_dominates(self._goals(member), own) for member in self.frontier):
            return
        # Equals stay out as well: the first among them is as good.
        if any(self._goals(member) == own for member in self.frontier):
            return
        self.frontier = [member for member in self.frontier if not _dominates(own, self._goals(member))] + [one]

    def _goals(self, one: Candidate) -> list[float]:
        """The means, less being better."""
        return [objective.sign * mean for objective, mean in zip(self._objectives, one.means(), strict=True)]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)
