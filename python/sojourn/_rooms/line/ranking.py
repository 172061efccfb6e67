"""The ranking of queues on a line: steps down from the best of each kind, and the queues that are equal.

:data:`RULE` is the rule in the words of the documentation. The steps are taken run by run, so that two queues are
compared in the same traffic; each kind has the same best for all runs, the greatest mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..catalogue.grades import GRADES, grade
from ..statistics.intervals import Interval
from ..statistics.samples import column_interval
from .candidates import candidate

if TYPE_CHECKING:
    from ..runs.result import Study

__all__ = ["HALF", "LOST", "METRICS", "RULE", "WAYS", "WORSE_CALL", "Ranked", "Ranking", "ranked"]

RULE = (
    "A queue is one step down for each tenth of the best upload, each tenth of the best download and each 0.3 of the "
    "best call's MOS that it lacks, and two steps for each time that its round trips per minute under load are half of "
    "the most. The queue with the fewest steps is named; queues that are less than half a step behind it are equal, "
    "and of them the one with the better grade is named, then the one with the simplest lines, then the one with the "
    "lowest p99."
)
METRICS: Mapping[str, tuple[str, str, str]] = {
    "rpm": ("responsiveness", "rpm", "probe"),
    "added_ms": ("responsiveness", "added_ms", "probe"),
    "p99_ms": ("group", "rtt_p99_ms", "probe"),
    "call_up_p99_ms": ("group", "queueing_p99_ms", "call_up"),
    "call_down_p99_ms": ("group", "queueing_p99_ms", "call_down"),
    "call_up_mos": ("quality", "mos", "call_up"),
    "call_down_mos": ("quality", "mos", "call_down"),
    "game_up_late": ("quality", "late_fraction", "game_up"),
    "game_down_late": ("quality", "late_fraction", "game_down"),
    "up_bps": ("group", "goodput_mean_bps", "upload"),
    "down_bps": ("group", "goodput_mean_bps", "download"),
    "fairness_up": ("group", "fairness_index", "upload"),
    "fairness_down": ("group", "fairness_index", "download"),
    "web_s": ("group", "completion_mean_s", "web"),
}
"""The numbers of each candidate: table, column and row."""
WAYS = {"upload": "up_bps", "download": "down_bps"}
LOST = 0.1
"""Part of the goodput that a user would miss: a step."""
WORSE_CALL = 0.3
"""Difference in the opinion of a call that users notice: the classes of ITU-T G.107 annex B begin 0.3 to 0.5 apart."""
_STEPS_OF_HALF = 2.0
"""Steps for half the round trips per minute: our choice. From grade D to A+ without a load of 30 ms it makes seven."""
HALF = 0.5
"""Steps below which nobody notices a difference: a twentieth of the goodput."""
_LEAST_RPM = 1.0
"""Round trips per minute under a queue where no probe came back."""
_WORST_CALL = 1.0
"""The lowest MOS."""
_LETTERS = {letter: place for place, (_, letter) in enumerate(GRADES)} | {"F": len(GRADES)}


@dataclass(frozen=True)
class Ranked:
    """A candidate and its numbers.

    Attributes
    ----------
    name
        Of the candidate.
    place
        From 1 on; equal ones share it.
    values
        By the names of :data:`METRICS`, each with its interval; rates are those of all four flows together.
    shares
        Of ``"upload"`` and ``"download"``: the goodput as a part of that of the best candidate there.
    call
        The opinion of the call in its worse direction (MOS).
    loses
        Its losses against the best of each, where that is more than a step: ``"upload"`` and ``"download"`` as
        parts, ``"call"`` in MOS. An answer that begins with none of them hides nothing.
    behind
        Steps behind the candidate with the fewest.
    """

    name: str
    place: int
    values: Mapping[str, Interval]
    shares: Mapping[str, float]
    call: float
    loses: Mapping[str, float]
    behind: Interval

    @property
    def grade(self) -> str:
        """The letter for the latency that the load adds."""
        return grade(self.values["added_ms"].mean)

    @property
    def rpm(self) -> float:
        """Round trips per minute under load, in the mean."""
        return self.values["rpm"].mean

    @property
    def worth(self) -> int:
        """The place of its grade: 0 for A+."""
        return _LETTERS.get(self.grade, len(_LETTERS))

    def costs(self, other: Ranked) -> dict[str, float]:
        """Its losses against another one, where they show: parts of the goodput, and of the call's MOS."""
        parts = {
            way: 1.0 - self.values[key].mean / other.values[key].mean
            for way, key in WAYS.items()
            if other.values[key].mean > 0.0
        }
        found = {way: part for way, part in parts.items() if part > LOST / 2.0}
        if other.call - self.call > WORSE_CALL / 2.0:
            found["call"] = other.call - self.call
        return found


@dataclass(frozen=True)
class Ranking:
    """All candidates, the named one first.

    Attributes
    ----------
    all
        In the order of their places.
    equal
        Those that are less than half a step behind the one with the fewest steps, the named one first.
    undecided
        Those of the others that the runs do not tell from it.
    unsettled
        Those that are neither told from it, nor surely less than half a step behind.
    """

    all: Sequence[Ranked]
    equal: Sequence[Ranked]
    undecided: Sequence[Ranked]
    unsettled: Sequence[str]


def ranked(samples: Mapping[str, Mapping[str, Sequence[float]]], study: Study) -> Ranking:
    """By :data:`RULE`.

    Parameters
    ----------
    samples
        The numbers of each candidate by the names of :data:`METRICS`, one of each for each seed.
    study
        It tells apart two numbers by the runs.
    """
    steps = _steps(samples)
    least = min(steps, key=lambda name: math.fsum(steps[name]))
    most = {way: max((_mean(of_one[key]) for of_one in samples.values()), default=0.0) for way, key in WAYS.items()}
    calls = {name: _call(of_one) for name, of_one in samples.items()}
    found = []
    for name, of_one in samples.items():
        values = {key: column_interval(METRICS[key][1], sample) for key, sample in of_one.items()}
        shares = {way: values[key].mean / most[way] if most[way] > 0.0 else 1.0 for way, key in WAYS.items()}
        loses = {way: 1.0 - share for way, share in shares.items() if share < 1.0 - LOST}
        if calls[name] < max(calls.values()) - WORSE_CALL:
            loses["call"] = max(calls.values()) - calls[name]
        found.append(Ranked(name, 0, values, shares, calls[name], loses, study.apart(steps[name], steps[least])))
    found.sort(key=lambda one: (one.behind.mean, one.name != least))
    first = sorted((one for one in found if one.behind.mean < HALF), key=_choice)
    placed = _placed([*first, *(one for one in found if one not in first)])
    told = {name for name in steps if study.differs(steps[name], steps[least])}
    undecided = [one for one in placed[len(first) :] if one.name not in told]
    unsettled = [one.name for one in placed if one.name not in {least, *told} and not _is_near(one.behind)]
    return Ranking(tuple(placed), tuple(placed[: len(first)]), tuple(undecided), tuple(unsettled))


def _steps(samples: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, list[float]]:
    """Steps down from the best of each kind, of each run."""
    most = {key: max((_mean(of_one[key]) for of_one in samples.values()), default=0.0) for key in WAYS.values()}
    quickest = max((_mean(list(map(_trips, of_one["rpm"]))) for of_one in samples.values()), default=_LEAST_RPM)
    best_call = max(map(_call, samples.values()), default=_WORST_CALL)
    found = {}
    for name, of_one in samples.items():
        runs = zip(*(of_one[key] for key in ("up_bps", "down_bps", "call_up_mos", "call_down_mos", "rpm")), strict=True)
        found[name] = [
            sum(
                (1.0 - rate / most[key]) / LOST
                for key, rate in zip(WAYS.values(), (up, down), strict=True)
                if most[key]
            )
            + (best_call - _opinion(min(call_up, call_down))) / WORSE_CALL
            + _STEPS_OF_HALF * math.log2(quickest / _trips(rpm))
            for up, down, call_up, call_down, rpm in runs
        ]
    return found


def _placed(found: Sequence[Ranked]) -> list[Ranked]:
    """In this order, with places: those that are less than half a step behind the first of a place share it."""
    placed: list[Ranked] = []
    # The first place is that of the one with the fewest steps, wherever it is among its equals.
    least = 0.0
    for one in found:
        shares = bool(placed) and one.behind.mean - least < HALF
        least = least if shares or not placed else one.behind.mean
        placed.append(replace(one, place=placed[-1].place if shares else len(placed) + 1))
    return placed


def _choice(one: Ranked) -> tuple[object, ...]:
    """The order of equal queues."""
    return one.worth, candidate(one.name).length, one.values["p99_ms"].mean


def _is_near(behind: Interval) -> bool:
    """Whether the runs are sure that it is less than half a step behind; equal runs are."""
    return behind.mean == 0.0 or (behind.low < behind.high and behind.low > -HALF and behind.high < HALF)


def _mean(sample: Sequence[float]) -> float:
    known = [value for value in sample if math.isfinite(value)]
    return math.fsum(known) / len(known) if known else 0.0


def _call(of_one: Mapping[str, Sequence[float]]) -> float:
    """The opinion of the call in its worse direction, in the mean."""
    return min(_mean(list(map(_opinion, of_one[key]))) for key in ("call_up_mos", "call_down_mos"))


def _opinion(mos: float) -> float:
    return mos if math.isfinite(mos) else _WORST_CALL


def _trips(rpm: float) -> float:
    return max(rpm, _LEAST_RPM) if math.isfinite(rpm) else _LEAST_RPM
