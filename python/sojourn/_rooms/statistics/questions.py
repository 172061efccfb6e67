"""When a study stops: as soon as the best of its queues is decided, or as soon as every mean is known well enough."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .intervals import Interval
from .looks import FEWEST, LEVEL, looks, outer_interval, repeated_interval, sequential_p

__all__ = ["Beside", "Question", "Standing", "standing"]

_PRECISE_FROM = 10
"""Before so many runs the interval of a skewed sample is too often too narrow to stop by it."""
_FORM = "allowed: decided, decided:2% (or no difference above 2 % is left), or 2% (every mean is within 2 %)"


@dataclass(frozen=True)
class Question:
    """The question of a study.

    Attributes
    ----------
    verdict
        Whether it asks for the best queue; else for the means.
    share
        With a verdict, the part of the best mean below which differences do not matter (0: all do); without, the half
        width of the interval of each mean, as a part of the mean.
    """

    verdict: bool
    share: float = 0.0

    @classmethod
    def parse(cls, text: str, place: str = "until") -> Question:
        """Read ``decided``, ``decided:2%`` or ``2%``.

        >>> Question.parse("decided:2%"), Question.parse("0.5 %")
        (Question(verdict=True, share=0.02), Question(verdict=False, share=0.005))
        """
        found = re.fullmatch(r"(decided)?(?:(?(1):)\s*(\d+\.?\d*|\.\d+)\s*%)?", text.strip())
        share = float(found[2] or 0.0) / 100.0 if found else 0.0
        if found is None or not (found[1] or share > 0.0) or (found[2] and not 0.0 < share < 1.0):
            raise ValueError(f"{place} {text}: this is no end of a study\n  {_FORM}")
        return cls(verdict=found[1] is not None, share=share)

    def __str__(self) -> str:
        share = f"{100.0 * self.share:g}%" if self.share else ""
        return ":".join(filter(None, ("decided", share))) if self.verdict else share

    @property
    def least(self) -> int:
        """The fewest runs with which it may stop."""
        return FEWEST if self.verdict else _PRECISE_FROM

    def looks(self, most: int) -> list[int]:
        """The numbers of runs at which it may stop, if there are at most so many."""
        if most < self.least:
            raise ValueError(f"with until {self} there are at least {self.least} seeds, and this is {most}")
        return [look for look in looks(most) if look >= self.least]


@dataclass(frozen=True)
class Beside:
    """A queue beside the best one.

    Attributes
    ----------
    apart
        How much worse it is, with the interval that holds at all looks.
    is_worse
        Whether that is decided, for this queue alone.
    is_same
        Whether both have the same values in all runs.
    is_alike
        Whether the difference is below what matters.
    is_settled
        Whether it is worse or alike, if this must hold for all queues together.
    """

    apart: Interval
    is_worse: bool
    is_same: bool
    is_alike: bool
    is_settled: bool


@dataclass(frozen=True)
class Standing:
    """The state of a question.

    Attributes
    ----------
    best
        The queue with the best mean.
    others
        The other queues beside it, in their order; empty where the question is about the means.
    means
        The mean of each queue with its plain 95 % interval, from the outer ends of Student's and Hall's.
    is_answered
        Whether the study stops.
    """

    best: str
    others: Mapping[str, Beside]
    means: Mapping[str, Interval]
    is_answered: bool


def standing(
    question: Question,
    values: Mapping[str, Sequence[float]],
    at: Sequence[int],
    *,
    less: bool,
    sure: Collection[str] = (),
) -> Standing:
    """The state of a question at the last of some looks.

    Parameters
    ----------
    values
        By queue, from the best to the worst by their means: a value for each seed, the same seeds for all.
    at
        The looks that were made, the last at all of the seeds.
    less
        Whether less is better.
    sure
        Queues whose runs are all one run: chance has no part in a difference between two of them.
    """
    best, *rest = values
    means = {queue: outer_interval(sample) for queue, sample in values.items()}
    if not question.verdict:
        known = all(_within(one, question.share) for one in means.values())
        return Standing(best, {}, means, known and at[-1] >= question.least)
    together = max(len(rest), 1)
    others = {}
    for queue in rest:
        worse, better = (values[queue], values[best]) if less else (values[best], values[queue])
        apart = repeated_interval(worse, better)
        certain = {queue, best} <= set(sure) and apart.mean != 0.0
        p = 0.0 if certain else sequential_p(worse, better, at)
        wide = repeated_interval(worse, better, together)
        bound = question.share * abs(means[best].mean)
        is_alike = question.share > 0.0 and wide.low < wide.high and -bound < wide.low and wide.high < bound
        is_same = apart.n == at[-1] and apart.mean == 0.0 and apart.half_width == 0.0
        is_worse = p <= LEVEL and apart.mean > 0.0
        settled = is_same or is_alike or (is_worse and p * together <= LEVEL)
        others[queue] = Beside(apart, is_worse, is_same, is_alike, settled)
    is_best = all(one.is_worse or one.is_same for one in others.values())
    is_alike = question.share > 0.0 and all(one.is_settled for one in others.values())
    return Standing(best, others, means, is_best or is_alike or (set(values) <= set(sure)))


def _within(mean: Interval, share: float) -> bool:
    """Whether the interval is narrow enough; runs that are all equal leave nothing to wait for."""
    return mean.half_width <= share * abs(mean.mean)
