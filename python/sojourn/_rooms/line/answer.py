"""The answer from the runs of a line: a ranking with intervals, and words.

The rule, in this order:

1. A queue that loses more than 10 % of the goodput in a direction comes after all that do not; one that loses more than
   twice as much comes after these, and so on. If another candidate gives more than 10 % in the other direction for it,
   that part is taken off: acknowledgements of a faster download take a part of the way up. Calls that are more than
   0.3 of MOS worse than the best count as much as 10 %.
2. Among equals, round trips per minute rank. Differences below 5 %, and those that the runs do not decide, are ties.
3. Of a tie the one with the most goodput comes first, and of those within 2 % of it the one with the fewest settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..catalogue.grades import classed, grade
from ..statistics.intervals import Interval
from ..statistics.samples import column_interval
from .candidates import candidate

if TYPE_CHECKING:
    from ..runs.result import Study
    from .question import Line

__all__ = ["LOST", "METRICS", "Answered", "Ranked", "answer"]

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
LOST = 0.1
"""Part of the goodput that a user would miss."""
_WORSE_CALL = 0.3
"""Difference in the opinion of a call that users notice: the classes of ITU-T G.107 annex B begin 0.3 to 0.5 apart."""
_ALIKE = 0.05
"""Part of the round trips per minute below which nobody notices a difference."""
_ALIKE_GOODPUT = 0.02
_FLOWS = 4
"""Uploads, and downloads: their goodputs are added."""


@dataclass(frozen=True)
class Ranked:
    """A candidate and its numbers.

    Attributes
    ----------
    name
        Of the candidate.
    place
        From 1 on; ties share it.
    values
        By the names of :data:`METRICS`, each with its interval; rates are those of all four flows together.
    shares
        Of ``"upload"`` and ``"download"``: the goodput as a part of that of the best candidate there.
    call
        The opinion of the call in its worse direction (MOS).
    loses
        What it loses against the best of each, where that is more than the least loss that counts: ``"upload"`` and
        ``"download"`` as parts, ``"call"`` in MOS. An answer that begins with none of them hides nothing.
    step
        Its greatest loss in steps, by the first rule; 1 if it loses nothing that counts.
    """

    name: str
    place: int
    values: Mapping[str, Interval]
    shares: Mapping[str, float]
    call: float
    loses: Mapping[str, float]
    step: int = 1

    @property
    def grade(self) -> str:
        """The letter for the latency that the load adds."""
        return grade(self.values["added_ms"].mean)

    @property
    def rpm(self) -> float:
        """Round trips per minute under load, in the mean."""
        return self.values["rpm"].mean


@dataclass(frozen=True)
class Answered:
    """The ranking of a line.

    Attributes
    ----------
    line, study
        The question, and the runs.
    ranking
        The best first.
    unsettled
        Candidates without more losses than the best of which it is open whether they are as responsive.
    """

    line: Line
    study: Study
    ranking: Sequence[Ranked]
    unsettled: Sequence[str] = ()

    @property
    def best(self) -> Ranked:
        """The first."""
        return self.ranking[0]

    @property
    def text(self) -> str:
        """The answer in sentences; the first one has the trade."""
        best = self.best
        said = [self._first(best), *self._traps(best), *self._ties(best)]
        if len(self.study.seeds) == 1:
            said.append("One run of each does not tell merit from luck.")
        until = getattr(self.study, "until", None)
        if until is not None:
            counted = f"after {len(self.study.seeds)} of at most {until.most} runs of each"
            if self.unsettled:
                said.append(f"Open {counted}: {', '.join(self.unsettled)}.")
            else:
                wrong = "over all looks such a decision is wrong in at most 5\u202f% of studies"
                said.append(f"This is decided {counted}; {wrong}.")
        return " ".join(said)

    def _first(self, best: Ranked) -> str:
        shares = " and ".join(f"{_percent(share)} of the best {way}" for way, share in best.shares.items())
        name = best.name if candidate(best.name).words else f"the line as it is ({best.name})"
        text = (
            f"{name} is best: {_number(best.rpm)} round trips per minute under load ({classed(best.rpm)}, grade "
            f"{best.grade}), {shares}, calls of {best.call:.1f} MOS"
        )
        if best.loses:
            text = f"at the cost of {_losses(best.loses)}, {text}"
        other = self._beside(best)
        text += f"; {other.name} has {_number(other.rpm)} (grade {other.grade})." if other else "."
        # The name of a queue keeps its small letter.
        return text if text.startswith(best.name) else f"{text[:1].upper()}{text[1:]}"

    def _beside(self, best: Ranked) -> Ranked | None:
        """The line without a queue, or the candidate with the fewest round trips."""
        others = [one for one in self.ranking if one is not best]
        bare = [one for one in others if not candidate(one.name).words]
        return min(bare or others, key=lambda one: one.rpm, default=None)

    def _traps(self, best: Ranked) -> list[str]:
        """Candidates with more round trips that lose too much."""
        faster = [one for one in self.ranking if one.step > best.step and one.rpm > (1.0 + _ALIKE) * best.rpm]
        faster.sort(key=lambda one: -one.rpm)
        return [f"{one.name} has {_number(one.rpm)}, but loses {_losses(one.loses)}." for one in faster[:2]]

    def _ties(self, best: Ranked) -> list[str]:
        ties = [one for one in self.ranking if one.place == best.place and one is not best]
        if not ties:
            return []
        names = " and ".join(f"{one.name} (less {_losses(one.loses)})" if one.loses else one.name for one in ties)
        alike = f"{names} {'is' if len(ties) == 1 else 'are'} about as responsive."
        mine = candidate(best.name).settings
        if max(sum(one.shares.values()) for one in ties) < sum(best.shares.values()) - 2.0 * _ALIKE_GOODPUT:
            return [alike, f"{best.name} is named first because it has the most goodput."]
        if min(candidate(one.name).settings for one in ties) > mine:
            return [alike, f"{best.name} is named first because it has the fewest settings."]
        return [alike]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        line = self.line
        return {
            "line": {
                "up_bps": line.up_bps,
                "down_bps": line.down_bps,
                "rtt_s": line.rtt_s,
                "link": line.link,
                "buffer_s": line.buffer_s,
                "window_s": line.window_s,
            },
            "seeds": list(self.study.seeds),
            "best": self.best.name,
            "text": self.text,
            "ranking": [
                {
                    "name": one.name,
                    "place": one.place,
                    "grade": one.grade,
                    "class": classed(one.rpm),
                    "tc": line.lines(one.name),
                    "loses": dict(one.loses),
                    "values": {
                        name: {"mean": value.mean, "low": value.low, "high": value.high, "n": value.n}
                        for name, value in one.values.items()
                    },
                }
                for one in self.ranking
            ],
        }


def answer(line: Line, study: Study) -> Answered:
    """Rank the variants of a study, by the rule above."""
    samples: dict[str, dict[str, list[float]]] = {label: {} for label in study.variants}
    for name, (table, column, row) in METRICS.items():
        factor = _FLOWS if name in ("up_bps", "down_bps") else 1
        for label, rows in study.values(column, table=table).items():
            nothing = [math.nan] * len(study.seeds)
            samples[label][name] = [factor * value for value in rows.get(row, nothing)]
    found = [_measured(label, of_one) for label, of_one in samples.items()]
    most = {way: max((one.values[key].mean for one in found), default=0.0) for way, key in _WAYS.items()}
    call = max(one.call for one in found)
    found = [_judged(one, most, call) for one in found]
    found = [replace(one, step=_step(one, found)) for one in found]
    ranking: list[Ranked] = []
    for step in sorted({one.step for one in found}):
        equals = [one for one in found if one.step == step]
        ranking += _ranked(equals, len(ranking), lambda label: samples[label]["rpm"], study)
    first = [one for one in found if one.step == ranking[0].step]
    return Answered(line, study, tuple(ranking), tuple(_unsettled(first, samples, study)))


def _unsettled(
    group: Sequence[Ranked], samples: Mapping[str, Mapping[str, Sequence[float]]], study: Study
) -> list[str]:
    """Those of a group that are neither told from its most responsive one, nor surely within 5 % of it."""
    head = max(group, key=lambda one: one.rpm if math.isfinite(one.rpm) else -math.inf)
    found = []
    for one in group:
        own, best = samples[one.name]["rpm"], samples[head.name]["rpm"]
        apart, bound = study.apart(own, best), _ALIKE * head.rpm
        is_alike = apart.mean == 0.0 or (apart.low < apart.high and -bound < apart.low and apart.high < bound)
        if one is not head and not is_alike and not study.differs(own, best):
            found.append(one.name)
    return found


_WAYS = {"upload": "up_bps", "download": "down_bps"}


def _measured(label: str, samples: Mapping[str, Sequence[float]]) -> Ranked:
    values = {name: column_interval(METRICS[name][1], sample) for name, sample in samples.items()}
    call = min(values["call_up_mos"].mean, values["call_down_mos"].mean)
    return Ranked(label, 0, values, {}, call if math.isfinite(call) else 1.0, {})


def _judged(one: Ranked, most: Mapping[str, float], call: float) -> Ranked:
    """With its part of the most goodput in each direction, and its losses."""
    shares = {way: one.values[key].mean / most[way] if most[way] > 0.0 else 1.0 for way, key in _WAYS.items()}
    loses = {way: 1.0 - share for way, share in shares.items() if share < 1.0 - LOST}
    if one.call < call - _WORSE_CALL:
        loses["call"] = call - one.call
    return replace(one, shares=shares, loses=loses)


def _step(one: Ranked, all_: Sequence[Ranked]) -> int:
    """The greatest loss in steps, less what the other one gives for it in the other direction."""
    losses = [one.loses.get("call", 0.0) / _WORSE_CALL]
    for way, other in (("upload", "download"), ("download", "upload")):
        for each in all_:
            given = _less(each.shares[other], one.shares[other])
            losses.append((_less(one.shares[way], each.shares[way]) - (given if given > LOST else 0.0)) / LOST)
    return max(math.ceil(max(losses)), 1)


def _less(share: float, other: float) -> float:
    """By which part it is less than another; 0 if it is not less."""
    return max(0.0, 1.0 - share / other) if other > 0.0 else 0.0


def _ranked(
    group: Sequence[Ranked], before: int, sample: Callable[[str], Sequence[float]], study: Study
) -> list[Ranked]:
    """By round trips per minute, with ties, behind the first `before`."""
    order = sorted(group, key=lambda one: -one.rpm if math.isfinite(one.rpm) else math.inf)
    found: list[Ranked] = []
    while order:
        head = order[0]
        ties = [one for one in order if one is head or _alike(one, head, sample, study)]
        order = [one for one in order if one not in ties]
        most = max(sum(one.shares.values()) for one in ties)
        behind = {one.name: int((most - sum(one.shares.values())) / (2.0 * _ALIKE_GOODPUT)) for one in ties}
        ties.sort(key=lambda one: (behind[one.name], candidate(one.name).settings, -one.rpm))
        place = before + len(found) + 1
        found += [replace(one, place=place) for one in ties]
    return found


def _alike(one: Ranked, best: Ranked, sample: Callable[[str], Sequence[float]], study: Study) -> bool:
    """Whether nobody notices the difference, or the runs do not decide that there is one."""
    if one.rpm >= (1.0 - _ALIKE) * best.rpm:
        return True
    values, others = sample(one.name), sample(best.name)
    return study.apart(values, others).n >= 2 and not study.differs(values, others)


def _losses(loses: Mapping[str, float]) -> str:
    """The losses in words."""
    parts = [f"{_percent(loss)} of the {way}" for way, loss in loses.items() if way != "call"]
    parts += [f"{loses['call']:.1f} of the call's MOS"] if "call" in loses else []
    return " and ".join(parts)


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f}\u202f%"


def _number(value: float) -> str:
    return f"{value:,.0f}".replace(",", "\u202f")
