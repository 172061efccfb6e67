"""The answer from the runs of a line: a ranking with intervals, and words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..catalogue.grades import classed, grade
from ..statistics.intervals import Interval, paired_difference
from ..statistics.samples import column_interval
from .candidates import CANDIDATES

if TYPE_CHECKING:
    from ..runs.result import Study
    from .question import Line

__all__ = ["METRICS", "Answered", "Ranked", "answer"]

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
        From 1 on; those that the runs do not tell from the best mean of their place share it.
    values
        By the names of :data:`METRICS`, each with its interval; rates are those of all four flows together.
    """

    name: str
    place: int
    values: Mapping[str, Interval]

    @property
    def grade(self) -> str:
        """The letter for the latency that the load adds."""
        return grade(self.values["added_ms"].mean)


@dataclass(frozen=True)
class Answered:
    """The ranking of a line.

    Attributes
    ----------
    line, study
        The question, and the runs.
    ranking
        The best first; of those that share a place, the one with the fewest settings.
    """

    line: Line
    study: Study
    ranking: Sequence[Ranked]

    @property
    def best(self) -> Ranked:
        """The first that ``tc`` can make, or the first."""
        first = [one for one in self.ranking if one.place == 1]
        return next((one for one in first if self.line.lines(one.name)), self.ranking[0])

    @property
    def text(self) -> str:
        """The answer in sentences."""
        best = self.best
        last = self.ranking[-1].place
        worst = min((one for one in self.ranking if one.place == last), key=lambda one: one.values["rpm"].mean)
        ties = [one for one in self.ranking if one.place == 1 and one is not best]
        rpm = best.values["rpm"]
        said = [
            f"{best.name} is best: {_number(rpm.mean)} round trips per minute under load ({classed(rpm.mean)}), "
            f"grade {best.grade}; {worst.name} has {_number(worst.values['rpm'].mean)}, grade {worst.grade}."
        ]
        if ties:
            said.append(f"These runs do not tell it from {' or '.join(one.name for one in ties)}.")
        if any(one.values["rpm"].mean > rpm.mean for one in ties):
            said.append(f"{best.name} is named first because it has the fewest settings.")
        if len(self.study.seeds) == 1:
            said.append("One run of each does not tell merit from luck.")
        top = max(self.ranking, key=lambda one: one.values["up_bps"].mean + one.values["down_bps"].mean)
        given = [
            f"the {way} together get {1e-6 * (top.values[key].mean - best.values[key].mean):.3g} Mbit/s more"
            for way, key in (("uploads", "up_bps"), ("downloads", "down_bps"))
            if top.values[key].mean > 1.01 * best.values[key].mean
        ]
        if given:
            said.append(f"With {top.name} {' and '.join(given)}.")
        return " ".join(said)

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
                    "class": classed(one.values["rpm"].mean),
                    "tc": line.lines(one.name),
                    "values": {
                        name: {"mean": value.mean, "low": value.low, "high": value.high, "n": value.n}
                        for name, value in one.values.items()
                    },
                }
                for one in self.ranking
            ],
        }


def answer(line: Line, study: Study) -> Answered:
    """Rank the variants of a study by round trips per minute; at a tie, those with fewer settings come first."""
    values: dict[str, dict[str, list[float]]] = {label: {} for label in study.variants}
    for name, (table, column, row) in METRICS.items():
        factor = _FLOWS if name in ("up_bps", "down_bps") else 1
        for label, rows in study.values(column, table=table).items():
            nothing = [math.nan] * len(study.seeds)
            values[label][name] = [factor * value for value in rows.get(row, nothing)]
    rpm = {label: column_interval("rpm", of_one["rpm"]).mean for label, of_one in values.items()}
    order = sorted(values, key=lambda label: -rpm[label] if math.isfinite(rpm[label]) else math.inf)
    ranking: list[Ranked] = []
    head, place = order[0], 1
    for number, label in enumerate(order, 1):
        apart = paired_difference(values[label]["rpm"], values[head]["rpm"])
        if label != head and (apart.n < 2 or apart.excludes_zero):
            head, place = label, number
        intervals = {name: column_interval(METRICS[name][1], sample) for name, sample in values[label].items()}
        ranking.append(Ranked(label, place, intervals))
    ranking.sort(key=lambda one: (one.place, CANDIDATES[one.name].settings))
    return Answered(line, study, tuple(ranking))


def _number(value: float) -> str:
    return f"{value:,.0f}".replace(",", "\u202f")
