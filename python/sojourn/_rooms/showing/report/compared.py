"""The first screen of a comparison: the answer, every queue less the best one in what it costs, and how sure it is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...catalogue.columns import described, lower_is_better, measure
from ...runs.about import short
from ...runs.answer import Answer, busiest
from ...runs.result import Study
from ...statistics.intervals import Interval
from ...statistics.samples import column_interval
from .first import Dot, Fact, Panel, Row, first_screen, rows_picture, ticks
from .provenance import ranges

__all__ = ["about_runs", "compared", "spaced"]

_FAR = 30.0
"""A difference that is as many times the next one leaves the axis."""
_SAME = 0.02
"""Means that differ by a smaller part are called the same where the runs do not tell them apart."""
_LOSS = 0.1
"""A part of the link that a title names first, if the best queue leaves it unused and another one does not."""
_MOST = 3
_TITLES = {"wait": "Wait", "transfer": "Time of a transfer", "delay": "Delay", "carried": "Use of the link"}


@dataclass(frozen=True)
class _Measure:
    """A metric at one row: the means by queue, and the differences from the best queue."""

    metric: str
    whose: str
    means: Mapping[str, Interval]
    apart: Mapping[str, Interval]

    @property
    def title(self) -> str:
        """Its name at the head of a column, with the statistic."""
        what = described(self.metric)
        if what.kind == "carried":
            return _TITLES["carried"]
        if self.metric == "loss_ratio":
            return f"Loss {self.whose}"
        noun = _TITLES.get(what.kind, measure(self.metric).label)
        return f"{noun} {self.whose}, {what.statistic}" if what.kind in _TITLES else f"{noun} {self.whose}"

    @property
    def less(self) -> bool:
        """Whether less is better."""
        return lower_is_better(self.metric) is True

    def unit(self, *, of_differences: bool = False) -> tuple[str, float]:
        """The unit, and the factor from values to it."""
        shown = measure(self.metric, [one.mean for one in self.means.values()])
        return (shown.of_differences if of_differences else shown).unit, shown.factor

    @property
    def better(self) -> str:
        """The better direction."""
        return "less" if self.less else "more"

    def value(self, queue: str) -> str:
        """The mean in two or three digits, with its unit."""
        unit, factor = self.unit()
        return short(factor * self.means[queue].mean, unit)

    def is_decided(self, queue: str) -> bool:
        """Whether the runs tell the queue from the best one; of one run each, whether they differ."""
        one = self.apart[queue]
        return one.excludes_zero or (not one.half_width > 0.0 and one.mean != 0.0)

    def difference(self, queue: str) -> str:
        """Such as ``+2.3 ± 0.3``: the decimals of a column are those that its narrowest interval bears."""
        one, (_, factor) = self.apart[queue], self.unit()
        halves = sorted(one.half_width for one in self.apart.values() if one.half_width > 0.0)
        size = factor * (halves[0] if halves else max(abs(one.mean) for one in self.apart.values()) / 10)
        places = min(max(-math.floor(math.log10(size)), 0), 4) if size > 0.0 else 0
        text = f"{factor * one.mean:+.{places}f}"
        text = text.replace("-", "\N{MINUS SIGN}") if text.strip("+-0.") else text[1:]
        half = factor * one.half_width
        return f"{text} ± {half:.{places}f}" if half > 0.0 else text


def about_runs(study: Study) -> tuple[str, str]:
    """The scenario, and the runs, in a few words."""
    runs, scenario = len(study.seeds), next(iter(study.variants.values()))
    counted = f"{runs} runs of each queue" if runs > 1 else "one run of each queue"
    return scenario.title, f"{counted}, {spaced(scenario.outline['duration'])} long"


def compared(study: Study, said: Answer, link: str | None) -> tuple[str, Markup, list[str]] | None:
    """The headline, the screen, and the queues in its order; None where fewer than two queues have a value."""
    known = _measure(study, said.best[0], said.about.metric, said.about.table, said.about.row) if said.best else None
    if known is None or len(known.means) < 2:
        return None
    best = said.best[0]
    sign = 1.0 if known.less else -1.0
    rest = sorted(
        (queue for queue in known.means if queue not in said.best), key=lambda one: sign * known.means[one].mean
    )
    order = [*said.best, *rest]
    others = [one for one in _prices(study, said, link or busiest(study)) if set(one.means) == set(order)][:_MOST]
    several = len(study.seeds) > 1
    note = f"First the number itself, then each queue less {best}" + ", run by run" * several + "."
    marks = f" Bars: 95\u00a0% intervals of {len(study.seeds)} runs; hollow: not decided." if several else ""
    picture = rows_picture(
        _finding(said, known, others, order),
        note + marks if others else marks.strip(),
        [Row(queue, said.decided and queue == best) for queue in order],
        [_first(known, order), *(_less(one, order, best) for one in others)],
    )
    facts = [
        Fact("Price", _price(others, best)),
        Fact("Certainty", _certainty(study, said, known, others)),
        Fact("Assumed", _assumed(study, said)),
    ]
    return _headline(said, others), first_screen(picture, facts), order


def _headline(said: Answer, others: Sequence[_Measure]) -> str:
    """The answer; a great loss of the link comes first."""
    use = next((one.apart for one in others if one.metric == "utilisation"), {})
    most = max((apart.mean for queue, apart in use.items() if queue not in said.best), default=0.0)
    if most < _LOSS:
        return said.headline
    text = said.headline if said.headline.startswith("These") else f"{said.headline[:1].lower()}{said.headline[1:]}"
    return f"At the cost of {short(100.0 * most, '%')} of the link, {text}"


def spaced(value: object) -> str:
    """Such as ``15 ms`` of ``15ms``."""
    text = re.sub(r"^([\d.]+)(?=[a-zA-Z])", "\\1\u00a0", str(value))
    return f"{text}/s" if text.endswith("bit") else re.sub(r"(?<=\u00a0)p$", "packets", text)


def _measure(study: Study, best: str, metric: str, table: str, row: str) -> _Measure | None:
    """The metric, if the best queue has a value."""
    if not study.has(table):
        return None
    values = {queue: rows[row] for queue, rows in study.values(metric, table=table).items() if row in rows}
    means = {queue: column_interval(metric, of_one) for queue, of_one in values.items()}
    means = {queue: one for queue, one in means.items() if math.isfinite(one.mean)}
    if best not in means:
        return None
    apart = {queue: study.apart(values[queue], values[best]) for queue in means}
    return _Measure(metric, f"at {row}" if table == "queue" else f"of {row}", means, apart)


def _prices(study: Study, said: Answer, link: str) -> list[_Measure]:
    """The possible costs of a queue: use of the link, losses, and the times of others."""
    about = said.about
    group = about.row if about.table == "group" else ""
    asked = [("utilisation", "queue", link), ("loss_ratio", *(("group", group) if group else ("queue", link)))]
    groups = next(iter(study.values("flows", table="group").values()))
    asked += [("completion_mean_s", "group", name) for name in groups if name not in (group, "all")]
    asked += [("sojourn_p99_ms", "queue", link)]
    found = [_measure(study, said.best[0], *one) for one in asked if one != (about.metric, about.table, about.row)]
    return [one for one in found if one is not None and any(each.mean for each in one.means.values())]


def _first(known: _Measure, order: Sequence[str]) -> Panel:
    """The number of the answer, and how many times that of the best queue it is."""
    unit, factor = known.unit()
    means = {queue: known.means[queue] for queue in order}
    best, sizes = means[order[0]].mean, [factor * one.mean for one in means.values()]
    places = max(1 - math.floor(math.log10(min(abs(size) for size in sizes if size))), 0) if any(sizes) else 0
    dots = []
    for queue, one in means.items():
        times = f"{short(one.mean / best, '')}\u00a0×" if best > 0.0 and queue != order[0] else ""
        dots.append(
            Dot(factor * one.mean, factor * one.low, factor * one.high, (f"{factor * one.mean:.{places}f}", times))
        )
    return Panel.of(known.title, unit, known.better, dots)


def _less(one: _Measure, order: Sequence[str], best: str) -> Panel:
    """The differences from the best queue; one that is far from the others is an arrow at the end of the axis."""
    _, factor = one.unit()
    dots = []
    for queue in order:
        apart = one.apart[queue]
        text = "0" if queue == best else one.difference(queue)
        is_open = queue != best and not one.is_decided(queue)
        dots.append(Dot(factor * apart.mean, factor * apart.low, factor * apart.high, (text,), is_open))
    sizes = sorted(abs(dot.value) for dot in dots)
    far = len(sizes) > 2 and sizes[-1] > _FAR * sizes[-2] > 0.0
    most = 2.0 * sizes[-2] if far else math.inf
    shown = [end for dot in dots for end in (dot.value, dot.low, dot.high) if math.isfinite(end) and abs(end) <= most]
    note = f"{one.unit(of_differences=True)[0]}; {one.better} is better".removeprefix("; ")
    return Panel(one.title, note, dots, ticks(max(*shown, 0.0), min(*shown, 0.0)), most=most)


def _finding(said: Answer, known: _Measure, others: Sequence[_Measure], order: Sequence[str]) -> str:
    """The best queue beside the next one, in the number and in the use of the link."""
    best, second = order[0], order[1]
    what = described(known.metric)
    noun = {"wait": "wait", "transfer": "time", "delay": "delay"}.get(what.kind, what.noun)
    use = next((one for one in others if one.metric == "utilisation"), None)
    end = ""
    if use is not None:
        apart = use.apart[second]
        if use.is_decided(second):
            end = f" for {short(100.0 * abs(apart.mean), '')} points {'more' if apart.mean > 0 else 'less'} of the link"
        elif not abs(apart.half_width) > _SAME:
            end = " for the same use of the link"
    mean = known.means[best].mean
    ratio = known.means[second].mean / mean if mean > 0.0 else math.nan
    if not math.isfinite(ratio) or ratio == 1.0:
        return f"{best} has {known.value(best)}, {second} {known.value(second)}"
    sure = "" if said.decided else ", which these runs do not decide"
    return f"The {noun} with {second} is {short(ratio, '')} times that with {best}{end}{sure}"


def _price(others: Sequence[_Measure], best: str) -> str:
    """The cost of the best queue in each measure, against the queue that is best there."""
    parts = []
    for one in others:
        top = (min if one.less else max)(one.means, key=lambda queue: one.means[queue].mean)
        unit = one.unit(of_differences=True)[0]
        text = f"{one.title}: {one.value(best)}"
        if top == best or not one.is_decided(top):
            parts.append(f"{text}; no queue is surely better.")
        else:
            parts.append(f"{text}, with {top} {one.value(top)} ({one.difference(top)} {unit}).")
    return " ".join(parts) or "No other number of these runs has a better direction."


def _certainty(study: Study, said: Answer, known: _Measure, others: Sequence[_Measure]) -> str:
    """The runs, and what they do not decide."""
    best, runs = said.best[0], len(study.seeds)
    if runs == 1:
        return "One run of each queue does not tell merit from luck: ask for 10 seeds."
    text = f"{runs} runs of each queue with the same traffic (seeds {ranges(study.seeds)})."
    ties = said.best[1:]
    if ties:
        unit = known.unit(of_differences=True)[0]
        far = f"{known.difference(ties[0])} {unit}".rstrip()
        text += f" Not decided: {best} against {', '.join(ties[:_MOST])} ({far})."
    else:
        text += f" That {best} is best is decided against each."
    same = [
        f"{queue} in {one.title[:1].lower()}{one.title[1:]} ({one.difference(queue)})"
        for one in others
        for queue in one.means
        if queue != best and not one.is_decided(queue)
    ]
    if same:
        text += f" Not told from {best}: {'; '.join(same[:_MOST])}" + (
            f"; {len(same) - _MOST} more." if len(same) > _MOST else "."
        )
    return " ".join(filter(None, (text, said.certainty)))


def _assumed(study: Study, said: Answer) -> str:
    """The link and its buffer, the queues with a limit of their own, and warnings of runs."""
    links = {queue: scenario.outline.get("dumbbell") for queue, scenario in study.variants.items()}
    parts: list[str] = []
    if (link := next(iter(links.values()))) is not None:
        parts.append(f"A link of {spaced(link['rate'])}, {spaced(link['delay'])} each way.")
    limits: dict[str, list[str]] = {}
    for queue, link in links.items():
        if link is not None and isinstance(link["queue"], Mapping) and (limit := link["queue"].get("limit")):
            limits.setdefault(spaced(limit), []).append(queue)
    if limits:
        first, *rest = sorted(limits, key=lambda limit: -len(limits[limit]))
        others = "".join(f", of {' and '.join(limits[limit])} {limit}" for limit in rest)
        parts.append(f"Buffers hold {first}{others}.")
    found: dict[tuple[str, str], set[int]] = {}
    for row in study.warnings.iter_rows(named=True):
        found.setdefault((row["queue"], row["code"]), set()).add(row["seed"])
    parts += [f"{queue}: {code} in {len(seeds)} of {len(study.seeds)} runs." for (queue, code), seeds in found.items()][
        :_MOST
    ]
    return " ".join(filter(None, (*parts, said.remarks, said.about.why)))
