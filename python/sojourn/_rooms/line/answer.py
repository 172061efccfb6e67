"""The answer from the runs of a line: the ranking, its sentences, and the same as data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

from ..catalogue.grades import classed
from ..runs.long import Long
from .ranking import METRICS, WAYS, Ranked, Ranking, ranked
from .sentences import sentences

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import StrPath

    from .._base.door import Drawing
    from ..runs.result import Study
    from .question import Line

__all__ = ["Answered", "answer", "samples_of"]

_FLOWS = 4
"""Uploads, and downloads: their goodputs are added."""


@dataclass(frozen=True)
class Answered(Long):
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

    def to_polars(self) -> pl.DataFrame:
        """A row for each value: ``queue``, ``seed``, ``metric`` and ``value``."""
        import polars as pl

        rows = [
            (queue, seed, metric, value)
            for queue, samples in samples_of(self.study).items()
            for metric, values in samples.items()
            for seed, value in zip(self.study.seeds, values, strict=True)
        ]
        schema = {"queue": pl.String, "seed": pl.UInt64, "metric": pl.String, "value": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def summary(self) -> pl.DataFrame:
        """The ranking: a row for each queue and number, with ``place``, ``n``, ``mean``, ``low`` and ``high``."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "queue": one.name,
                    "place": one.place,
                    "metric": metric,
                    "n": value.n,
                    "mean": value.mean,
                    "low": value.low,
                    "high": value.high,
                }
                for one in self.ranking
                for metric, value in one.values.items()
            ]
        )

    def plot(self) -> Drawing:
        """Round trips per minute, goodputs and calls of every queue, with intervals."""
        from .report import draw_ranking

        return draw_ranking(self)

    def report(self, path: StrPath) -> None:
        """Write the report as one HTML file."""
        from .report import write_report

        write_report(self, path)

    def _repr_html_(self) -> str:
        from ..showing.display import block, picture, table
        from .table import columns

        cells = columns(self)
        rows = [list(row) for row in zip([one.name for one in self.ranking], *(part for _, part in cells), strict=True)]
        heads = ["queue", *(head for head, _ in cells)]
        lines = "\n".join(self.line.lines(self.best.name))
        code = [f"<pre>{escape(lines)}</pre>"] if lines else []
        parts = [table(heads, rows, numbers=True), picture(self.plot), *code]
        return block(f"Queues for {self.line.words}", self.text, parts)

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
