"""The answer from the runs of a line: the ranking, its sentences, and the same as data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..catalogue.grades import classed
from .ranking import METRICS, WAYS, Ranked, Ranking, ranked
from .sentences import sentences

if TYPE_CHECKING:
    from ..runs.result import Study
    from .question import Line

__all__ = ["Answered", "answer", "samples_of"]

_FLOWS = 4
"""Uploads, and downloads: their goodputs are added."""


@dataclass(frozen=True)
class Answered:
    """The ranking of a line.

    Attributes
    ----------
    line, study
        The question, and the runs.
    found
        The queues in their order, and those that are equal.
    """

    line: Line
    study: Study
    found: Ranking

    @property
    def ranking(self) -> Sequence[Ranked]:
        """The best first."""
        return self.found.all

    @property
    def best(self) -> Ranked:
        """The first."""
        return self.found.all[0]

    @property
    def unsettled(self) -> Sequence[str]:
        """Candidates of which it is open whether they are as good as the one with the fewest steps."""
        return self.found.unsettled

    @property
    def text(self) -> str:
        """The answer in sentences; the first one has the trade."""
        runs = len(self.study.seeds)
        until = getattr(self.study, "until", None)
        if until is None:
            return " ".join(sentences(self.found, runs))
        counted = f"after {runs} of at most {until.most} runs of each"
        # What is open is said in the last sentence.
        said = sentences(replace(self.found, undecided=()), runs)
        if self.unsettled:
            said.append(f"Open {counted}: {', '.join(self.unsettled)}.")
        else:
            wrong = "over all looks such a decision is wrong in at most 5\u202f% of studies"
            said.append(f"This is decided {counted}; {wrong}.")
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
            "equal": [one.name for one in self.found.equal],
            "text": self.text,
            "ranking": [
                {
                    "name": one.name,
                    "place": one.place,
                    "steps_behind": {"mean": one.behind.mean, "low": one.behind.low, "high": one.behind.high},
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
    """Rank the variants of a study."""
    return Answered(line, study, ranked(samples_of(study), study))


def samples_of(study: Study) -> dict[str, dict[str, list[float]]]:
    """Of each candidate the numbers of :data:`METRICS`, one for each seed; NaN where a run has none."""
    samples: dict[str, dict[str, list[float]]] = {label: {} for label in study.variants}
    for name, (table, column, row) in METRICS.items():
        factor = _FLOWS if name in WAYS.values() else 1
        for label, rows in study.values(column, table=table).items():
            nothing = [math.nan] * len(study.seeds)
            samples[label][name] = [factor * value for value in rows.get(row, nothing)]
    return samples
