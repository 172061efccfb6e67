"""A study that stops when its question is answered: the question, and what the runs say about it, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..catalogue.columns import measure
from ..statistics.questions import Beside, Question, Standing, standing
from .about import Yardstick, figure, percent

__all__ = ["Until", "left", "said"]

_NAMED = 4
"""Queues that a sentence names."""


@dataclass(frozen=True)
class Until:
    """The end of a study.

    Attributes
    ----------
    question
        The question.
    most
        The most runs of each queue.
    about
        The number by which the queues are compared.
    """

    question: Question
    most: int
    about: Yardstick

    def looks(self, runs: int) -> list[int]:
        """The looks that were made when there are so many runs."""
        return [look for look in self.question.looks(self.most) if look <= runs]

    def standing(
        self, values: Mapping[str, Sequence[float]], *, less: bool, sure: Sequence[str], runs: int
    ) -> Standing | None:
        """The state of the question; nothing before the first look. The values are from the best queue to the worst."""
        at = self.looks(runs)
        return standing(self.question, values, at, less=less, sure=sure) if at and at[-1] == runs else None

    def as_json(self) -> dict[str, Any]:
        """For the manifest of a study."""
        about = {name: getattr(self.about, name) for name in ("metric", "table", "row", "why")}
        return {"question": str(self.question), "most": self.most, "about": about}

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Until:
        """As :meth:`as_json` wrote it."""
        return cls(Question.parse(content["question"]), int(content["most"]), Yardstick(**content["about"]))


def said(until: Until, found: Standing, runs: int, *, one_run: bool = False) -> str:
    """Whether it is decided, after how many looks, by how much at least, and what could not be seen.

    With `one_run` all seeds give the same run with each queue.
    """
    looks = len(until.looks(runs))
    counted = f"after {runs} of at most {until.most} runs of each queue, at look {looks}"
    if one_run:
        return f"Stopped {counted}: all are one run, so that the seed has no effect, and there is no interval."
    text = (_verdict if until.question.verdict else _means)(until, found, counted, runs)
    unseen = 100.0 * (1.0 - 0.05 ** (1.0 / runs))
    return f"{text} Behaviour in fewer than {unseen:.0f}\u202f% of runs may not have been seen."


def _verdict(until: Until, found: Standing, counted: str, runs: int) -> str:
    wrong = "over all looks such a decision is wrong in at most 5\u202f% of studies"
    same = [queue for queue, one in found.others.items() if one.is_same]
    worse = {queue: one for queue, one in found.others.items() if one.is_worse and one.apart.low > 0.0}
    rest = {queue: one for queue, one in found.others.items() if not (one.is_worse or one.is_same)}
    parts = []
    if not rest and worse:
        parts.append(f"This is decided {counted}: {wrong}.")
    elif not rest:
        parts.append(f"Stopped {counted}.")
    elif found.is_answered:
        share = _share(until)
        parts.append(f"No difference from {found.best} above {share} of it is open {counted}: {wrong}.")
    else:
        parts.append(f"This is open {counted}.")
    if worse:
        parts.append(f"Worse than {found.best} by at least: {_listed(until, worse, at_least=True)}.")
    if rest:
        parts.append(f"Not told from {found.best}, and worse by at most: {_listed(until, rest, at_least=False)}.")
        if not found.is_answered:
            parts.append(_needed(rest, runs))
    if same:
        parts.append(f"The same in all {runs} runs as {found.best}: {', '.join(same)}.")
    return " ".join(filter(None, parts))


def _listed(until: Until, some: Mapping[str, Beside], *, at_least: bool) -> str:
    ends = {queue: one.apart.low if at_least else one.apart.high for queue, one in some.items()}
    texts = [f"{queue} {_amount(until, end)}" for queue, end in list(ends.items())[:_NAMED]]
    return ", ".join(texts) + (f" and {len(ends) - _NAMED} more" if len(ends) > _NAMED else "")


def _amount(until: Until, value: float) -> str:
    if not math.isfinite(value):
        return "unknown"
    shown = measure(until.about.metric, [value])
    unit = "points" if shown.unit == "%" else shown.unit
    return figure(value * shown.factor) + (f"\u202f{unit}" if unit else "")


def _needed(rest: Mapping[str, Beside], runs: int) -> str:
    """How many runs would decide differences as large as those of these runs."""
    needed = [_runs_for(one.apart.half_width, abs(one.apart.mean), runs) for one in rest.values()]
    most = max(needed, default=math.inf)
    if not math.isfinite(most):
        return ""
    return f"If the differences are as large as in these runs, about {most:.0f} runs would decide."


def _share(until: Until) -> str:
    return f"{100.0 * until.question.share:g}\u202f%"


def _runs_for(half: float, wanted: float, runs: int) -> float:
    return max(math.ceil(runs * (half / wanted) ** 2), runs + 1) if wanted > 0.0 and half > 0.0 else math.inf


def _means(until: Until, found: Standing, counted: str, runs: int) -> str:
    share = _share(until)
    if found.is_answered:
        return f"Each mean is known within {share} {counted} (95\u202f% intervals)."
    off = {queue: one for queue, one in found.means.items() if one.half_width > until.question.share * abs(one.mean)}
    named = [
        f"{queue} {percent(one.half_width / abs(one.mean))}" if one.mean else f"{queue} unknown"
        for queue, one in list(off.items())[:_NAMED]
    ]
    more = f" and {len(off) - _NAMED} more" if len(off) > _NAMED else ""
    needed = max(_runs_for(one.half_width, until.question.share * abs(one.mean), runs) for one in off.values())
    about = f" About {needed:.0f} runs would be enough." if math.isfinite(needed) else ""
    return f"Not every mean is known within {share} {counted}: {', '.join(named)}{more}.{about}"


def left(until: Until, found: Standing, runs: int) -> str:
    """The open difference, in a few words for a line of progress."""
    if not until.question.verdict:
        widest = max(found.means.values(), key=lambda one: one.half_width / abs(one.mean) if one.mean else math.inf)
        needed = _runs_for(widest.half_width, until.question.share * abs(widest.mean), runs)
        reached = percent(widest.half_width / abs(widest.mean)) if widest.mean else "nothing"
        return f"within {reached} after {runs}{_about_left(until, needed, runs)}"
    rest = {queue: one for queue, one in found.others.items() if not (one.is_worse or one.is_same or one.is_alike)}
    if not rest:
        return ""
    queue, one = max(rest.items(), key=lambda entry: _runs_for(entry[1].apart.half_width, abs(entry[1].apart.mean), 1))
    low, high = _amount(until, one.apart.low), _amount(until, one.apart.high)
    needed = _runs_for(one.apart.half_width, abs(one.apart.mean), runs)
    return f"{queue} worse than {found.best} by {low} to {high} after {runs}{_about_left(until, needed, runs)}"


def _about_left(until: Until, needed: float, runs: int) -> str:
    return f", about {min(needed, until.most) - runs:.0f} more" if min(needed, until.most) > runs else ""
