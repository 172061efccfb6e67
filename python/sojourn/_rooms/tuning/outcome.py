"""The outcome of a search: the settings that were tried, and a comparison of the best with the default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..scenario.scenario import Scenario
from ..statistics.intervals import Interval
from .constraints import Constraint
from .objectives import Objective
from .ranges import Range

__all__ = ["Found", "Tried", "Tuned", "Verdict", "interval_text", "number_text", "word_of"]


_FEW = 6
"""Settings from which on they show a way."""


def number_text(value: float, digits: int = 4) -> str:
    """A number with some digits, without an exponent if it is readable without one.

    >>> number_text(41931.2), number_text(0.8962345), number_text(-0.2307, 3)
    ('41930', '0.8962', '-0.231')
    """
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < 1e9 else text


def interval_text(interval: Interval) -> str:
    """A mean and its half width."""
    return f"{number_text(interval.mean)} ± {number_text(interval.half_width, 2)}"


@dataclass(frozen=True)
class Verdict:
    """A setting beside the default, on seeds or in a scenario that the search has not seen.

    Attributes
    ----------
    place
        The scenario: empty for that of the search.
    means, defaults
        By objective: the mean and its interval with the setting, and with the default.
    differences
        By objective: the setting less the default, seed by seed. The level is 95 % for all comparisons of settings and
        objectives together (Bonferroni).
    better
        Whether it surely keeps all constraints, and is surely better in an objective and surely worse in none. If the
        default surely breaks a constraint, keeping them is enough.
    bounded, default_bounded
        By constraint: the mean of the bounded number with the setting, and with the default.
    broken
        The constraints that the setting does not surely keep.
    """

    place: str
    means: Mapping[str, Interval]
    defaults: Mapping[str, Interval]
    differences: Mapping[str, Interval]
    better: bool
    improves: bool
    bounded: Mapping[str, Interval]
    default_bounded: Mapping[str, Interval]
    broken: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """A setting of the frontier: its values by parameter, its scenario, and its final comparisons."""

    settings: Mapping[str, str]
    scenario: Scenario
    verdicts: tuple[Verdict, ...]

    @property
    def better(self) -> bool:
        """Whether it is better than the default in every scenario of the final comparison."""
        return bool(self.verdicts) and all(one.better for one in self.verdicts)

    @property
    def improves(self) -> bool:
        """Whether it is better in the objectives, and does not only keep a bound that the default breaks."""
        return self.better and all(one.improves for one in self.verdicts)


@dataclass(frozen=True)
class Tried:
    """A setting that was tried, in the order of the search.

    Attributes
    ----------
    settings
        Its values by parameter.
    means
        By objective: its mean as if it had had all seeds.
    seeds
        How many seeds it had.
    kept
        Whether it surely keeps all constraints, by the seeds that it had.
    bounded
        By constraint: the mean of the bounded number over the seeds that it had.
    """

    settings: Mapping[str, str]
    means: Mapping[str, float]
    seeds: int
    kept: bool
    bounded: Mapping[str, float]


def word_of(one: Verdict) -> str:
    """The verdict in a word or two; empty where the comparison does not tell the setting from the default."""
    if one.better:
        return "better" if one.improves else "keeps the bound"
    return "may break" if one.broken else ""


@dataclass(frozen=True)
class Tuned:
    """The outcome of :func:`sojourn.tune`.

    Attributes
    ----------
    objectives
        The objectives of the search.
    default
        The values of the parameters in the scenario as it was given.
    scenario
        That scenario.
    frontier
        Tried settings that no other one dominates, without the default; at most one for one objective, and up to four
        with constraints, each further from the bounds. Sorted by the first objective, the best first.
    seeds, fresh
        The seeds of the search, and those of the last comparison, which the search has not seen.
    trials, refused, dropped, runs
        The numbers of settings that were tried, that no scenario allows, and that were dropped before the last seed;
        and of runs that the search and the last comparison used.
    constraints
        The bounds that every setting must keep.
    default_means
        By objective: the default's mean over the seeds of the search.
    default_bounded
        The same by constraint.
    tried
        All settings that were run, in their order.
    ranges
        The range of each parameter; None for choices.
    """

    objectives: tuple[Objective, ...]
    default: Mapping[str, str]
    scenario: Scenario
    frontier: tuple[Found, ...]
    seeds: tuple[int, ...]
    fresh: tuple[int, ...]
    trials: int
    refused: int
    dropped: int
    runs: int
    constraints: tuple[Constraint, ...]
    default_means: Mapping[str, float]
    default_bounded: Mapping[str, float]
    tried: tuple[Tried, ...]
    ranges: Mapping[str, Range | None]

    @property
    def better(self) -> tuple[Found, ...]:
        """The settings that are better than the default by the final comparison."""
        return tuple(one for one in self.frontier if one.better)

    @property
    def best(self) -> Found | None:
        """The first of them; None where no setting is better than the default."""
        return self.better[0] if self.better else None

    @property
    def places(self) -> list[str]:
        """The scenarios of the final comparison; that of the search is empty. None without a frontier."""
        return [one.place for one in self.frontier[0].verdicts] if self.frontier else []

    def words(self) -> str:
        """The answer in a sentence."""
        on = f"on {len(self.fresh)} seeds that the search has not seen"
        if self.constraints and not any(one.kept for one in self.tried):
            return f"no setting that was tried surely keeps {self._bounds()}{nearest_words(self)}"
        if not self.frontier:
            return "no setting is better than the default: none of those that were tried had a better mean"
        if self.best is None:
            return f"no setting is better than the default: {self._why(on)}"
        if len(self.objectives) > 1:
            number = len(self.better)
            are = "is" if number == 1 else "are"
            return f"{number} of {len(self.frontier)} settings of the frontier {are} better than the default, {on}"
        values = ", ".join(f"{name} = {value}" for name, value in self.best.settings.items())
        objective = self.objectives[0].name
        one = self.best.verdicts[0]
        gap = one.differences[objective]
        others = [one.place for one in self.best.verdicts[1:]]
        word = "better" if self.best.improves else "kept"
        too = f", and {word} in {', '.join(others)}, too" if others else ""
        broken = [bound.name for bound in self.constraints if bound.is_beyond(one.default_bounded[bound.name].mean)]
        breaks = ", which the default breaks" if len(broken) == len(self.constraints) > 0 else ""
        if not one.improves:
            more = "costs" if self.objectives[0].sign * gap.mean > 0.0 else "gains"
            return (
                f"{values} keeps {self._bounds()}{breaks or ', which the default breaks in part'}; {objective} is "
                f"{number_text(one.means[objective].mean)} instead of {number_text(one.defaults[objective].mean)}: it "
                f"{more} {number_text(abs(gap.mean), 3)} ({number_text(gap.low, 3)} to {number_text(gap.high, 3)}) {on}"
            )
        too += f"; it keeps {self._bounds()}{breaks}" if self.constraints else ""
        return (
            f"{values} is better than the default: {objective} is {number_text(one.means[objective].mean)} instead of "
            f"{number_text(one.defaults[objective].mean)}, a difference of {number_text(gap.mean, 3)} "
            f"({number_text(gap.low, 3)} to {number_text(gap.high, 3)}) {on}{too}"
        )

    def _bounds(self) -> str:
        return " and ".join(one.name for one in self.constraints)

    def _why(self, on: str) -> str:
        """Why no setting of the frontier is better."""
        every = [one for found in self.frontier for one in found.verdicts]
        if self.constraints and all(any(one.broken for one in found.verdicts) for found in self.frontier):
            return f"none of those that seemed so surely keeps {self._bounds()} {on}"
        if all(gap.half_width == gap.mean == 0.0 for one in every for gap in one.differences.values()):
            return f"those that seemed so are equal to it in every run {on}"
        if all(gap.half_width == 0.0 for one in every for gap in one.differences.values()):
            return "the runs are equal with every seed, so that there is no interval; give the scenario some chance"
        if len(self.objectives) > 1:
            return f"none is better in an objective, by paired intervals, without being worse in another, {on}"
        failed = list(dict.fromkeys(one.place or "the scenario of the search" for one in every if not one.better))
        where = "" if failed == ["the scenario of the search"] else f", in {', '.join(failed)}"
        return f"the paired 95 % interval does not say so {on}{where}"

    def __repr__(self) -> str:
        return f"<Tuned {', '.join(self.default)}: {self.trials} settings, {self.runs} runs; {self.words()}>"


def nearest_words(tuned: Tuned) -> str:
    """The setting that is nearest to the bounds, and the way to go; empty where no setting has a value."""
    nearest = min(tuned.tried, key=lambda one: _beyond(tuned, one), default=None)
    if nearest is None or not math.isfinite(_beyond(tuned, nearest)):
        return ""
    values = ", ".join(f"{name} = {value}" for name, value in nearest.settings.items())
    numbers = ", ".join(
        f"{bound.measure.name} is {number_text(nearest.bounded[bound.name])}" for bound in tuned.constraints
    )
    ways = [way for name in tuned.default if (way := _way(tuned, name, nearest))]
    text = f"; the nearest is {values}: {numbers}"
    return f"{text}; {' and '.join(ways)}" if ways else text


def _beyond(tuned: Tuned, one: Tried) -> float:
    """How far its means are beyond the bounds, as parts of these; infinite without values."""
    parts = []
    for bound in tuned.constraints:
        over = (one.bounded[bound.name] - bound.bound) * (-1.0 if bound.measure.more else 1.0)
        parts.append(over / (abs(bound.bound) or 1.0))
    worst = max(parts, default=math.nan)
    return worst if math.isfinite(worst) else math.inf


def _way(tuned: Tuned, name: str, nearest: Tried) -> str:
    """The direction of a parameter in which the settings come nearer to the bounds, if there is a clear one."""
    span = tuned.ranges[name]
    if span is None:
        return ""
    places = [(span.number(one.settings[name]), _beyond(tuned, one)) for one in tuned.tried]
    known = [(number, beyond) for number, beyond in places if number is not None and math.isfinite(beyond)]
    if len(known) < _FEW:
        return ""
    low, high = (sorted(known, key=lambda one: one[0] * sign)[: len(known) // 2] for sign in (1.0, -1.0))
    best_low, best_high = min(beyond for _, beyond in low), min(beyond for _, beyond in high)
    if best_low == best_high:
        return ""
    upwards = best_high < best_low
    at = span.number(nearest.settings[name])
    ends = span.high if upwards else span.low
    number = f"{ends:g}{span.unit}"
    way = "higher" if upwards else "lower"
    if at is not None and abs(at - ends) > 0.01 * abs(ends):
        return (
            f"{way} values of {name}, up to {number}, come nearer" if upwards else f"{way} values of {name} come nearer"
        )
    return f"{way} values of {name} than {number} may come nearer"
