"""A frontier in sentences: which curve dominates which, where, by how much, and what the runs leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..catalogue.columns import described, measure
from ..statistics.domination import ALIKE
from ..statistics.intervals import Interval

if TYPE_CHECKING:
    from .frontier import Frontier

__all__ = ["Said", "joined", "said", "value"]

_ONE_IN = {"p90": 10, "p95": 20, "p99": 100}
_MOST_NAMED = 3


@dataclass(frozen=True)
class Said:
    """The sentences of a frontier.

    Attributes
    ----------
    headline
        The curve that dominates, whom and where; or that no curve dominates another.
    detail
        Two settings with their numbers.
    price
        The reach of each queue that no other has.
    certainty
        Runs, and the statements that they leave open.
    swept
        The settings that were tried.
    others
        The other pairs of queues of which one curve dominates the other.
    """

    headline: str
    detail: str
    price: str
    certainty: str
    swept: str
    others: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.headline, self.detail, self.others, self.price, self.certainty)))


@dataclass(frozen=True)
class _Relation:
    """A queue beside the curve of another one."""

    other: str
    queue: str
    front: Sequence[str]
    worse: Sequence[int]
    alike: Sequence[int]

    @property
    def is_whole(self) -> bool:
        return bool(self.front) and len(self.worse) == len(self.front)

    @property
    def is_covered(self) -> bool:
        return bool(self.front) and len(self.worse) + len(self.alike) == len(self.front)


def said(found: Frontier) -> Said:
    """The sentences."""
    known = _relations(found)
    return Said(
        _headline(found, known),
        _detail(found, known),
        _price(found),
        _certainty(found),
        _swept(found),
        _others(found, known),
    )


def value(found: Frontier, setting: str, metric: int) -> str:
    """A mean with its unit, no finer than its interval.

    >>> _rounded(Interval(83.529, 1.188, 14), 1.0), _rounded(Interval(0.95825, 0.00286, 14), 100.0)
    ('84', '95.8')
    """
    shown = measure(found.metrics[metric].column, [found.mean(setting, metric)])
    return _rounded(found.interval(setting, metric), shown.factor) + (f"\u202f{shown.unit}" if shown.unit else "")


def joined(words: Sequence[str], last: str = "and") -> str:
    """Words as a list.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""


def _rounded(interval: Interval, factor: float) -> str:
    mean, half = interval.mean * factor, interval.half_width * factor
    if not math.isfinite(mean):
        return "no value"
    digits = 2 - math.floor(math.log10(abs(mean))) if mean else 0
    if math.isfinite(half) and half > 0.0:
        digits = min(-math.floor(math.log10(half)), max(digits, 1))
    return f"{round(mean, digits):.{max(digits, 0)}f}"


def _relations(found: Frontier) -> list[_Relation]:
    """Every queue beside every other; the ones with the most to say first, those of the user before others."""
    known = []
    for queue in found.queues:
        for other in found.queues:
            if other != queue:
                beside = found.of(queue, other)
                known.append(
                    _Relation(
                        other,
                        queue,
                        [one.setting for one in beside],
                        [at for at, one in enumerate(beside) if one.verdict == "worse"],
                        [at for at, one in enumerate(beside) if one.verdict == "alike"],
                    )
                )

    def rank(one: _Relation) -> tuple[bool, bool, bool, float]:
        own = found.own(one.queue) or found.own(one.other)
        return not one.is_whole, not own, not (one.is_covered and one.worse), -len(one.worse) / max(len(one.front), 1)

    return sorted(known, key=rank)


def _headline(found: Frontier, known: Sequence[_Relation]) -> str:
    whole = [one for one in known if one.is_whole]
    if whole:
        first = whole[0].other
        beaten = [one.queue for one in whole if one.other == first]
        return f"{first} dominates {joined(beaten)} at every setting."
    top = known[0]
    same = f"does within {100 * ALIKE:g}\u202f% the same as"
    if top.worse and top.is_covered:
        return f"{top.other} {same} {top.queue}, and dominates it {_where(found, top)}."
    if top.worse:
        return f"{top.other} dominates {top.queue} {_where(found, top)}."
    alike = [one for one in known if one.is_covered]
    if alike:
        return f"{alike[0].other} {same} {alike[0].queue}; neither dominates the other."
    named = joined(found.queues) if len(found.queues) <= _MOST_NAMED else f"the {len(found.queues)} queues"
    return f"None of {named} dominates another."


def _others(found: Frontier, known: Sequence[_Relation]) -> str:
    """The other pairs, which the headline leaves out."""
    whole = [one for one in known if one.is_whole]
    told = [one for one in whole if one.other == whole[0].other] if whole else list(known[:1])
    left = [one for one in known if one.worse and one not in told]
    places: dict[tuple[str, str], list[str]] = {}
    for one in left:
        where = "at every setting" if one.is_whole else _where(found, one)
        places.setdefault((one.queue, where), []).append(one.other)
    return " ".join(
        f"{joined(others)} dominate{'s' * (len(others) == 1)} {queue} {where}."
        for (queue, where), others in list(places.items())[:_MOST_NAMED]
    )


def _where(found: Frontier, one: _Relation) -> str:
    """The part of the front that is dominated, by the second metric: it gets better along the front."""
    runs: list[list[int]] = []
    for at in one.worse:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    longest = max(runs, key=len)
    low, high = value(found, one.front[longest[0]], 1), value(found, one.front[longest[-1]], 1)
    more = found.metrics[1].better == "more"
    if low == high or len(longest) == 1:
        amount, low = low, low
        span = f"about {amount}"
    elif longest[-1] == len(one.front) - 1:
        span = f"{low} or {'more' if more else 'less'}"
    elif longest[0] == 0:
        span = f"{high} or {'less' if more else 'more'}"
    else:
        span = f"{low} to {high}"
    if found.metrics[1].column == "utilisation":
        return f"where {span} of the link is used"
    return f"where the {described(found.metrics[1].column).noun or found.metrics[1].name} is {span}"


def _detail(found: Frontier, known: Sequence[_Relation]) -> str:
    """The setting of the dominated queue that loses most, beside a setting that is better in both."""
    for one in known:
        pairs = [
            (beside.setting, beside.better) for beside in found.of(one.queue, one.other) if beside.verdict == "worse"
        ]
        pairs = [pair for pair in pairs if pair[1]]
        if not pairs:
            continue
        setting, better = max(pairs, key=lambda pair: _gain(found, *pair))
        return f"With {better} {_number(found, better)}; with {setting} {_number(found, setting, short=True)}."
    return ""


def _gain(found: Frontier, setting: str, better: str) -> float:
    """The smaller one of the relative gains."""
    return min(
        abs(found.mean(setting, at) - found.mean(better, at)) / (abs(found.mean(setting, at)) or 1.0) for at in (0, 1)
    )


def _number(found: Frontier, setting: str, *, short: bool = False) -> str:
    texts = [value(found, setting, at) for at in (0, 1)]
    if short:
        return f"these are {texts[0]} and {texts[1]}"
    return f"{_told(found, 0, texts[0])}, and {_told(found, 1, texts[1])}"


def _told(found: Frontier, metric: int, text: str) -> str:
    """A value of a metric as a clause."""
    one = found.metrics[metric]
    what, of = described(one.column), f" of {one.row}" if one.row else ""
    if one.column == "utilisation":
        return f"{text} of the link is used"
    if what.kind == "wait" and what.statistic in _ONE_IN:
        return f"one packet in {_ONE_IN[what.statistic]}{of} waits longer than {text}"
    statistic = (
        f"{what.statistic} of the " if what.statistic and what.statistic != "mean" else "mean " * bool(what.statistic)
    )
    return f"the {statistic}{what.noun or one.name}{of} is {text}"


def _name(found: Frontier, metric: int) -> str:
    """The words for a metric in a sentence."""
    one = found.metrics[metric]
    what = described(one.column)
    noun = f"the {'wait' if what.kind == 'wait' else what.noun or one.name}"
    of_all = f"{what.statistic} of {noun}" if what.statistic else noun
    return of_all + (f" of {one.row}" if one.row else "")


def _price(found: Frontier) -> str:
    """Where a queue goes and no other: one clause for each metric."""
    told = []
    for metric in (0, 1):
        more = found.metrics[metric].better == "more"
        for queue in found.queues:
            beyond: dict[str, list[bool]] = {}
            for one in found.beside:
                if one.setting in found.front(queue) and one.other != queue:
                    beyond.setdefault(one.setting, []).append(one.beyond[metric])
            alone = [setting for setting, all_ in beyond.items() if all(all_) and all_]
            if not alone:
                continue
            best = max(alone, key=lambda one: found.mean(one, metric) * (1.0 if more else -1.0))
            others = [one for other in found.queues if other != queue for one in found.front(other)]
            nearest = max(others, key=lambda one: found.mean(one, metric) * (1.0 if more else -1.0))
            told.append(
                f"Only {queue} gets {_name(found, metric)} {'up' if more else 'down'} to {value(found, best, metric)}, "
                f"where {_name(found, 1 - metric)} is {value(found, best, 1 - metric)}; "
                f"the others get to {value(found, nearest, metric)}."
            )
    return " ".join(told)


def _certainty(found: Frontier) -> str:
    runs = len(found.seeds)
    count = sum(len(found.settings(queue)) for queue in found.queues)
    text = f"{runs * count} runs, {runs} of each setting with the same seeds."
    text += " The statements hold together in 95 of 100 such studies."
    left = sum(one.verdict == "open" and not any(one.beyond) for one in found.beside)
    return text + (f" Of {len(found.beside)} pairs of a setting and a curve {left} are not decided." if left else "")


def _swept(found: Frontier) -> str:
    told = []
    for line in found.lines:
        if line.parameter:
            told.append(f"{line.queue}: {line.parameter} {line.values[0]} to {line.values[-1]} ({line.source})")
        else:
            told.append(f"{line.queue}: as it is")
    return "; ".join(told) + "."
