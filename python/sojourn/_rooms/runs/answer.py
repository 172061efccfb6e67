"""The answer of a comparison: which queue is best for those whom the scenario is about, if the runs decide it.

>>> import sojourn
>>> from sojourn import answer
>>> study = sojourn.compare("home_uplink", queues=["fifo", "fq_codel"], seeds=range(1, 4))  # doctest: +SKIP
>>> print(answer(study).text)  # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ..catalogue.columns import described, lower_is_better, measure
from ..statistics.intervals import Interval, mean_interval
from ..statistics.questions import Standing
from ..statistics.samples import column_interval
from .about import POINT, Yardstick, figure, percent, short
from .merits import harm_of, short_buffers
from .result import Study
from .until import Until, said

__all__ = ["Answer", "Yardstick", "answer", "busiest", "groups_that_want_the_same", "yardstick"]

_OWN_PACE = ("cbr", "voice", "on_off", "poisson", "telnet", "trace", "streaming")
"""Sources that send at a pace of their own, which no queue slows down."""
_SMALL = 0.25
"""A group that sends at its own pace is a load if it takes more than this part of a link."""
_TRANSFERS = ("transfers", "http", "mice", "packmime")
"""Sources with transfers whose end somebody awaits."""
_NAMED = 3
_LUCK = ", which does not tell merit from luck"
_ONE_IN = {"p90": 10, "p95": 20, "p99": 100}
_LONGER = {
    "wait": ("waits longer", "wait longer"),
    "transfer": ("takes longer", "take longer"),
    "delay": ("is longer", "are longer"),
}

_Values = Mapping[str, Sequence[float]]
"""By queue: a value for each seed."""


@dataclass(frozen=True)
class Answer:
    """The answer of a comparison.

    Attributes
    ----------
    about
        The number that was compared.
    best
        The best queue and those that the runs do not tell from it; empty where no queue has a value, or where neither
        direction is better.
    decided
        Whether `best` is one queue, and the paired difference of each other one from it excludes zero.
    text
        The answer with its evidence and its cost.
    standing
        In a study that stops when its question is answered, what the runs say about it.
    headline, detail
        The answer in few words; then the meaning of its number, and the price.
    certainty, remarks
        Further sentences of the text: about the runs, and about buffers and queues of the user's own.
    """

    about: Yardstick
    best: tuple[str, ...]
    decided: bool
    text: str
    standing: Standing | None = None
    headline: str = ""
    detail: str = ""
    certainty: str = ""
    remarks: str = ""


def answer(study: Study, *, link: str | None = None, group: str = "", about: Yardstick | None = None) -> Answer:
    """Which queue is best, by the metric and the group that the scenario is about.

    Parameters
    ----------
    link
        The link whose utilisation is the cost, and whose packets count where there is no group. Default: the most
        utilised one.
    group
        The group of flows that is meant. By default it follows from the groups: the one that sends least at its own
        pace (a call), else one whose transfers somebody awaits (browsing), else all packets of the link.
    about
        The metric and its row, if they are known. A study that stopped when it was decided has its own.
    """
    link = link or busiest(study)
    until: Until | None = getattr(study, "until", None)
    about = about or (until.about if until and not group else None) or yardstick(study, link, group)
    if until and (until.about.metric, until.about.row) != (about.metric, about.row):
        # The looks were about another number.
        until = None
    values = _values(study, about)
    less = lower_is_better(about.metric)
    if less is None:
        less = False if about.metric == "utilisation" else None
    means = {queue: mean_interval(sample).mean for queue, sample in values.items()}
    known = [queue for queue in values if math.isfinite(means[queue])]
    if less is None or len(values) < 2 or not known:
        return Answer(about, (), False, "")
    if len(known) == 1:
        # The others have no value, and that is the answer.
        return Answer(about, (known[0],), False, _Words(study, about, values, means, less=less).silent(known))
    order = sorted(known, key=lambda queue: means[queue] if less else -means[queue])
    same = set(study.without_chance())
    harm = harm_of(study, about, means)
    ahead = list(takewhile(lambda queue: queue in harm, order))
    order = [queue for queue in order if queue not in ahead]
    ranked = {queue: values[queue] for queue in order if queue not in harm}
    found = until and until.standing(ranked, less=less, sure=list(same), runs=len(study.seeds))
    if found and found.others:
        ties = [queue for queue in order[1:] if queue in harm or not found.others[queue].is_worse]
    else:
        ties = [queue for queue in order[1:] if not _differs(study, values, queue, order[0], same)]
    best = (order[0], *(queue for queue in ties if queue not in harm))
    words = _Words(study, about, values, means, less=less, ahead=tuple(ahead))
    sure = said(until, found, len(study.seeds), one_run=same >= set(values)) if until and found else ""
    costs = [*words.costs(best, link), words.silent(known)]
    remarks = short_buffers(study, link)
    harms = [harm[queue] for queue in ahead]
    return Answer(
        about,
        best,
        len(best) == 1 and len(study.seeds) > 1,
        " ".join(filter(None, [words.sentence(order, best), sure, *harms, *costs, *remarks])),
        found or None,
        headline=words.sentence(order, best, brief=True).rstrip("."),
        detail=" ".join(filter(None, [words.unit(), *harms, *costs])),
        certainty=sure,
        remarks=" ".join(remarks),
    )


def busiest(study: Study) -> str:
    """The link with the highest utilisation over all variants; empty where no link is observed."""
    values = study.values("utilisation")
    links = list(dict.fromkeys(link for rows in values.values() for link in rows))
    total = {link: math.fsum(mean_interval(rows.get(link, [])).mean for rows in values.values()) for link in links}
    return max(links, key=lambda link: total[link], default="")


def groups_that_want_the_same(study: Study) -> bool:
    """Whether all flows of each direction have sources of one kind, so that equal shares of a link are fair ones.

    A call and an upload want different rates: among them an index of equal shares says nothing of fairness.
    """
    flows = next(iter(study.variants.values())).outline["flow"]
    ways: dict[object, set[str]] = {}
    for flow in flows:
        way = flow.get("direction", "")
        ways.setdefault(way, set()).add(repr(_wish(flow["app"])))
    return all(len(wishes) == 1 for wishes in ways.values())


def _wish(app: Mapping[str, object]) -> object:
    """The demand of a source: unlimited, or the rate of its parameters."""
    return "all" if app["kind"] == "bulk" else dict(app)


def yardstick(study: Study, link: str = "", group: str = "") -> Yardstick:
    """The number that the scenario is about."""
    link = link or busiest(study)
    scenario = next(iter(study.variants.values())).resolved()
    apps = {str(flow["name"]): str(flow["app"]["kind"]) for flow in scenario["flow"]}
    rows = next(iter(study.values("flows", table="group").values()))
    found = [name for name in apps if name in rows] if not group else [group]
    at_own_pace = [name for name in found if apps.get(name) in _OWN_PACE]
    awaited = [name for name in found if apps.get(name) in _TRANSFERS]
    if group:
        if awaited and _has_all(study, "completion_mean_s", group):
            return Yardstick("completion_mean_s", "group", group)
        return Yardstick("queueing_p99_ms" if at_own_pace else "queueing_mean_ms", "group", group)
    rates = {name: _most(study, "throughput_mean_bps", name) for name in at_own_pace}
    capacity = _capacity(study, link)
    small = [name for name in at_own_pace if 0.0 < rates[name] * max(rows[name]) <= _SMALL * capacity]
    if small and len(found) > len(small):
        # Of two groups that differ only in their losses, the first.
        least = next(name for name in small if rates[name] <= 1.25 * min(rates[one] for one in small))
        why = (
            f"This is about {least}: it sends little, at its own pace, so that the wait is all that a queue "
            "can do to it besides losses."
        )
        return Yardstick("queueing_p99_ms", "group", least, why)
    if awaited and _has_all(study, "completion_mean_s", awaited[0]):
        why = f"This is about {awaited[0]}, because somebody waits until each of its transfers is done."
        return Yardstick("completion_mean_s", "group", awaited[0], why)
    why = f"This is about all packets at {link}: no group of flows here sends little at its own pace or is awaited."
    return Yardstick("sojourn_mean_ms", "queue", link, why)


def _capacity(study: Study, link: str) -> float:
    values = study.values("capacity_bps")
    return max((value for rows in values.values() for value in rows.get(link, ()) if math.isfinite(value)), default=0.0)


def _most(study: Study, metric: str, group: str) -> float:
    """The largest mean over the queues."""
    rows = study.values(metric, table="group").values()
    means = [mean_interval(of_one.get(group, ())).mean for of_one in rows]
    return max((mean for mean in means if math.isfinite(mean)), default=0.0)


def _has_all(study: Study, metric: str, group: str) -> bool:
    """Whether every queue has values of it."""
    rows = study.values(metric, table="group").values()
    return all(math.isfinite(mean_interval(of_one.get(group, ())).mean) for of_one in rows)


def _values(study: Study, about: Yardstick) -> dict[str, list[float]]:
    nothing = [math.nan] * len(study.seeds)
    by_queue = study.values(about.metric, table=about.table)
    return {queue: rows.get(about.row, nothing) for queue, rows in by_queue.items()}


def _differs(study: Study, values: _Values, queue: str, best: str, same: Collection[str]) -> bool:
    """Whether the runs tell the two apart; chance has no part in it if all runs of each are the `same`."""
    found = study.apart(values[queue], values[best])
    if found.n < 2 or {queue, best} <= set(same):
        return found.n > 0 and found.mean != 0.0
    return found.excludes_zero


@dataclass(frozen=True)
class _Words:
    """The sentences."""

    study: Study
    about: Yardstick
    values: _Values
    means: Mapping[str, float]
    less: bool
    ahead: tuple[str, ...] = ()
    brief: bool = False

    def sentence(self, order: Sequence[str], best: Sequence[str], *, brief: bool = False) -> str:
        """The best queue, by how much it is best, and whether the runs decide this; for a title in a few digits."""
        if brief:
            return replace(self, brief=True).sentence(order, best)
        runs = len(self.study.seeds)
        first, others = best[0], [queue for queue in order if queue not in best]
        if runs == 1:
            text = f"{self._claim(first)}, in one run of each queue" + _LUCK * (not self.brief)
            rest = others or list(order[1:])
            against = f", against {self._beside(rest)}" if rest else ""
            return f"{text}: {self._number(first)}{against}."
        if not others and len(best) == 1:
            return f"{self._claim(first)}: {self._number(first)}."
        if len(best) == len(order):
            far = f"from {self._mean_text(best[0])} to {self._mean_text(best[-1])}"
            return f"These {runs} runs of each queue do not decide which is best for {self._whom()}: {far}."
        if len(best) > 1:
            named = _joined(best[: _NAMED + 1], "or") if len(best) <= _NAMED + 1 else f"one of {len(best)} queues"
            return (
                f"{self._claim(named)}; these runs do not tell them apart ({self._mean_text(best[0])} to "
                f"{self._mean_text(best[-1])}, against {self._beside(others)})."
            )
        return f"{self._claim(first)}: {self._number(first)}, against {self._beside(others)}."

    def costs(self, best: Sequence[str], link: str) -> list[str]:
        """The price of the winner: utilisation of the link, and packets of the group."""
        said = []
        if link:
            used = {queue: rows.get(link, ()) for queue, rows in self.study.values("utilisation").items()}
            said.append(self._given_up(best, used, "the link carries {} of its rate", more=True))
        if self.about.table == "group":
            row = self.about.row
            lost = {queue: rows.get(row, ()) for queue, rows in self.study.values("loss_ratio", table="group").items()}
            said.append(self._given_up(best, lost, f"{row} loses {{}} of its packets", more=False))
        return [text for text in said if text]

    def silent(self, known: Sequence[str]) -> str:
        """Queues without a value."""
        rest = [queue for queue in self.values if queue not in known]
        if not rest:
            return ""
        if described(self.about.metric).kind == "transfer":
            return f"With {_joined(rest, 'and')} none of {self._whom()} is done."
        return f"With {_joined(rest, 'and')} none of {self._whom()} comes through."

    def _given_up(self, best: Sequence[str], values: _Values, what: str, *, more: bool) -> str:
        """The amount by which the best queues are behind the one that is best in this metric."""
        means = {queue: mean_interval(sample).mean for queue, sample in values.items()}
        means = {queue: mean for queue, mean in means.items() if math.isfinite(mean)}
        if not means:
            return ""
        top = (max if more else min)(means, key=lambda queue: means[queue])
        behind = []
        for queue in best:
            if queue == top or queue not in means:
                continue
            apart = self.study.apart(values[queue], values[top])
            decided = apart.excludes_zero or len(self.study.seeds) == 1
            if decided and abs(apart.mean) >= POINT:
                behind.append((queue, apart))
        if not behind:
            return ""
        if len(behind) == 1:
            queue, apart = behind[0]
            amount = percent(means[queue])
            return f"With {queue} {what.format(amount)}, against {percent(means[top])} with {top} ({_points(apart)})."
        ends = sorted(means[queue] for queue, _ in behind)
        low, high = percent(ends[0]), percent(ends[-1])
        amount = low if low == high else f"{low} to {high}"
        named = "all of them" if len(behind) == len(best) else f"{len(behind)} of them"
        return f"With {named} {what.format(amount)}, against {percent(means[top])} with {top}."

    def _claim(self, queue: str) -> str:
        what, about = described(self.about.metric), self.about
        of_row = f"at {about.row}" if about.table == "queue" else f"of {about.row}"
        whom = self._whom()
        if what.kind == "wait" and self.ahead:
            return f"Apart from {_joined(self.ahead, 'and')}, {whom} wait least with {queue}"
        if what.kind == "wait":
            return f"{whom[:1].upper()}{whom[1:]} wait least with {queue}"
        if what.kind == "transfer":
            return f"{whom[:1].upper()}{whom[1:]} are done soonest with {queue}"
        if what.kind == "spread":
            return f"The deviation of the {what.noun} {of_row} is lowest with {queue}"
        better = "shortest" if what.kind == "delay" else "lowest" if self.less else "highest"
        if about.table in ("responsiveness", "quality"):
            return f"The {what.noun} is {better} for {about.row} with {queue}"
        return f"The {what.noun} {of_row} is {better} with {queue}"

    def _whom(self) -> str:
        about = self.about
        if described(about.metric).kind == "transfer":
            return f"the transfers of {about.row}"
        if about.table == "group":
            return f"the packets of {about.row}"
        at_link = about.table == "queue" or described(about.metric).kind == "wait"
        return f"packets at {about.row}" if at_link else f"what {about.row} has"

    def unit(self) -> str:
        """The meaning of the number in a title."""
        what = described(self.about.metric)
        verb, verbs = _LONGER.get(what.kind, ("is more", "are more"))
        one = "One run does not tell merit from luck." if len(self.study.seeds) == 1 else ""
        if what.statistic in _ONE_IN:
            one = f"One in {_ONE_IN[what.statistic]} of {self._whom()} {verb}. {one}"
        elif what.statistic == "p50":
            one = f"Half of {self._whom()} {verbs}. {one}"
        return one.strip()

    def _number(self, queue: str) -> str:
        what, text = described(self.about.metric), self._mean_text(queue)
        if self.brief:
            return text
        verb, verbs = _LONGER.get(what.kind, ("is more", "are more"))
        if what.statistic in _ONE_IN:
            return f"one in {_ONE_IN[what.statistic]} {verb} than {text}"
        if what.statistic == "p50":
            return f"half of them {verbs} than {text}"
        if what.statistic == "max":
            return f"none of them {verb} than {text}"
        return text + (" in the mean" if what.statistic == "mean" else "")

    def _mean_text(self, queue: str) -> str:
        shown = measure(self.about.metric, list(self.means.values()))
        found = column_interval(self.about.metric, self.values[queue])
        if self.brief:
            return short(found.mean * shown.factor, shown.unit)
        return figure(found.mean * shown.factor) + (f"\u202f{shown.unit}" if shown.unit else "")

    def _beside(self, others: Sequence[str]) -> str:
        """The next one and the baseline, each with its value."""
        base = getattr(self.study, "baseline", None) or others[-1]
        chosen = [others[0], *([base] if base in others and base != others[0] else [])]
        return _joined([f"{self._mean_text(queue)} with {queue}" for queue in chosen], "and")


def _points(apart: Interval) -> str:
    """A difference of shares in percentage points.

    >>> _points(Interval(-0.0573, 0.00512, 5))
    '−5.73 ± 0.51 points'
    """
    half = 100.0 * apart.half_width
    if not half > 0.0:
        return f"{_signed(100.0 * apart.mean)} points"
    places = max(1 - math.floor(math.log10(half)), 0)
    return f"{_signed(100.0 * apart.mean, places)} ± {half:.{places}f} points"


def _signed(value: float, places: int | None = None) -> str:
    text = figure(abs(value)) if places is None else f"{abs(value):.{places}f}"
    return f"{'+' if value > 0 else chr(0x2212)}{text}"


def _joined(words: Sequence[str], last: str) -> str:
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
