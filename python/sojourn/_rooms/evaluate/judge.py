"""A subject compared with baselines: differences seed by seed, and which of them count.

A difference counts if it is at least as large as the measure says, and if the runs decide it. Of all differences of one
subject that are decided, at most one in twenty is wrong in the mean (false discovery rate; Benjamini and Hochberg).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..statistics.false_discovery import decided_together
from ..statistics.intervals import Interval, paired_difference
from ..statistics.looks import repeated_interval, sequential_p
from ..statistics.samples import Bounded, interval_of
from .criteria import Criterion, Measure
from .runs import Runs, point_labels

__all__ = ["Number", "Standing", "numbers", "standings"]

RATE = 0.05

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Number:
    """One number of the page.

    Attributes
    ----------
    criterion, point, measure
        The question, its point, and the measure that the number is a value of.
    subject
        The label of the queue or sender that it belongs to.
    interval
        Mean and 95 % interval over the seeds, in the measure's unit.
    """

    criterion: Criterion
    point: str
    measure: Measure
    subject: str
    interval: Interval


@dataclass(frozen=True)
class Standing:
    """A number of a subject beside those of the baselines.

    Attributes
    ----------
    number
        The subject's.
    better, alike, worse
        Baselines that it is better than, not told from, and worse than.
    differences
        From each baseline, seed by seed.
    """

    number: Number
    better: tuple[str, ...]
    alike: tuple[str, ...]
    worse: tuple[str, ...]
    differences: Mapping[str, Interval]


def numbers(runs: Runs, subject: str) -> list[Number]:
    """Every number of a subject, in the order of the documents."""
    return [
        Number(criterion, point, measure, subject, _interval(measure, runs.values[key]))
        for document in runs.documents
        for criterion in document.criteria
        for point in point_labels(criterion)
        for measure in criterion.measures
        if (key := (criterion.key, point, measure.name, subject)) in runs.values
    ]


def _interval(measure: Measure, sample: Sequence[float]) -> Interval:
    low, high = measure.metric.bounds
    return interval_of(Bounded(list(sample), (low * measure.times, high * measure.times)))


def standings(runs: Runs, subject: str, baselines: Sequence[str]) -> list[Standing]:
    """Every number of a subject that has a better direction, beside those of the baselines."""
    own = numbers(runs, subject)
    found: list[tuple[Number, dict[str, Interval]]] = []
    chances: list[tuple[float, int, str]] = []
    for place, number in enumerate(own):
        differences = {}
        for baseline in baselines:
            key = (number.criterion.key, number.point, number.measure.name, baseline)
            if baseline == subject or key not in runs.values or not number.measure.better:
                continue
            mine = runs.values[number.criterion.key, number.point, number.measure.name, subject]
            at = runs.looks.get(number.criterion.key)
            theirs = runs.values[key]
            difference = repeated_interval(mine, theirs) if at else paired_difference(mine, theirs)
            differences[baseline] = difference
            chances.append((sequential_p(mine, theirs, at) if at else _chance(difference), place, baseline))
        found.append((number, differences))
    decided = _decided(chances)
    return [_standing(number, differences, place, decided) for place, (number, differences) in enumerate(found)]


def _standing(
    number: Number, differences: Mapping[str, Interval], place: int, decided: frozenset[tuple[int, str]]
) -> Standing:
    parts: dict[str, list[str]] = {"better": [], "alike": [], "worse": []}
    for baseline, difference in differences.items():
        counts = abs(difference.mean) >= number.measure.least and (place, baseline) in decided
        more = (difference.mean > 0.0) == (number.measure.better == "more")
        parts["alike" if not counts else "better" if more else "worse"].append(baseline)
    return Standing(number, tuple(parts["better"]), tuple(parts["alike"]), tuple(parts["worse"]), differences)


def _chance(difference: Interval) -> float:
    """The probability of a difference at least this large if there is none (Student, two sides)."""
    from scipy.special import stdtr, stdtrit

    if difference.n < 2 or not math.isfinite(difference.half_width):
        return 1.0
    if difference.half_width <= _ROUNDING * abs(difference.mean):
        # The same in all runs: then they are as many signs, and no more.
        return 2.0 * 0.5**difference.n if difference.mean else 1.0
    free = difference.n - 1
    error = difference.half_width / float(stdtrit(free, 0.975))
    return 2.0 * float(stdtr(free, -abs(difference.mean) / error))


def _decided(chances: Sequence[tuple[float, int, str]]) -> frozenset[tuple[int, str]]:
    """The differences that are decided when all are taken together (Benjamini and Hochberg 1995)."""
    count = decided_together([chance for chance, _, _ in chances], RATE)
    return frozenset((place, baseline) for _, place, baseline in sorted(chances)[:count])
