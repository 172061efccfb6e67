"""Claims about printed numbers of few runs, judged by the numbers that runs like ours would print."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from ..._base.schema import Between, Wrong
from ...statistics.intervals import Interval
from ...statistics.prediction import TOLERANCE, Prediction, enough, part, predict, times_part, wanted
from ...statistics.rules import Judgement, predicted
from ...statistics.samples import some_cut
from ..claims import Evidence, Sample
from ..design import Design, Results
from .kind import Kind, percent

__all__ = ["MOST_RUNS", "OfRuns", "evidence", "runs_in_words"]

MOST_RUNS = 100_000
"""Greatest number of runs of which a printed number may be the mean."""


@dataclass(frozen=True, kw_only=True)
class OfRuns(Kind, ABC):
    """A claim whose printed numbers come from a stated number of runs of the work.

    Attributes
    ----------
    printed_runs
        The number of runs behind a printed mean; 1 for a single run. 0 treats it as a true mean, which it never is.
    """

    printed_runs: Annotated[int, Between(0, MOST_RUNS)] = 0

    @property
    def is_predicted(self) -> bool:
        """Whether the printed numbers are judged by those that runs like ours would print."""
        return self.printed_runs > 0

    @property
    def cases_stand_alone(self) -> bool:
        """See :class:`Kind`: a printed number is judged by the least number of runs of all cases."""
        return False

    def judgement(self, cases: Mapping[str, Evidence], results: Results) -> Judgement:
        """See :class:`Kind`."""
        if not self.is_predicted:
            return super().judgement(cases, results)
        runs, theirs = min(evidence.interval.n for evidence in cases.values()), self.printed_runs
        return predicted(cases, looks=results.looks, enough=enough(runs, theirs), wanted=wanted(theirs))

    def check(self, design: Design) -> None:
        """See :class:`Kind`: a claim that could fail, but has too few seeds to hold at any time, is refused, too."""
        super().check(design)
        seeds = design.seeds
        most = max(seeds.full, seeds.most, seeds.open)
        if self.is_predicted and not enough(most, self.printed_runs):
            raise Wrong(
                f"{wanted(self.printed_runs)} runs of ours confirm the mean of {self.printed_runs} printed ones, and "
                f"the seeds of the experiment are at most {most}",
                "printed_runs",
                hint="raise `full`, `most` or `open` of its seeds",
            )

    def would_print(self, sample: Sample, printed: float, slack: float) -> Evidence:
        """The judgement of a sample about a printed number, which may be `slack` off."""
        found = predict(sample, self.printed_runs)
        limit = getattr(sample, "limit", math.inf)
        never = getattr(sample, "never", 0)
        if some_cut(sample) and not never:
            # Computed from times that were never reached.
            return evidence(found, printed, slack, is_reached=False)
        if never and printed + slack >= limit:
            # The runs show only that the time is after their end.
            printed = max(limit, printed - slack)
        is_reached = not (never == len(sample) and never and printed >= limit)
        return evidence(found, printed, slack, is_reached=is_reached)

    def mean_of(self, sample: Sample, digit: float) -> float:
        """The number that a work with these runs would print, with half of its last digit."""
        values = [value for value in sample if math.isfinite(value)]
        mean = math.fsum(values) / len(values) if values else math.nan
        return round(mean / (2.0 * digit)) * 2.0 * digit if digit and math.isfinite(mean) else mean

    def slack(self, printed: float, rounding: float, own: float | None = None) -> float:
        """The allowed difference of a printed number: its rounding, and `own` or the simulators' share."""
        return rounding + (TOLERANCE * part(printed, self.whole) if own is None else own)

    def slack_in_words(self, own: str = "") -> str:
        """The allowed difference in words; `own` is that of the claim."""
        return f"its rounding and {own or percent(TOLERANCE) + self.or_missing}"

    @property
    def or_missing(self) -> str:
        """Of which size a share is, in words; empty where it is of the number."""
        return "" if self.whole is None else " of it, or of what is missing where that is less"

    def times_number(self, printed: float, times: float) -> float:
        """A printed number that is `times` as large; near 100 % `times` as much is missing."""
        return times_part(printed, self.whole, times)


def evidence(found: Prediction, printed: float, slack: float, *, is_reached: bool = True) -> Evidence:
    """A prediction and a printed number as evidence."""
    if not found.runs or math.isnan(printed) or math.isnan(found.parts[0].mean):
        return Evidence(Interval(math.nan, math.nan, found.runs), 1.0, 1.0, math.nan)
    p = found.unusual(printed, slack)
    low, high = found.interval
    mean = math.fsum(part.weight * part.mean for part in found.parts)
    interval = Interval(mean, (high - low) / 2.0, found.runs, (min(low, mean), max(high, mean)))
    margin = min(printed + slack - low, high - printed + slack)
    note = "two modes: the prediction has both" if found.two_modes else ""
    return Evidence(
        interval, 0.0 if p >= 0.05 else 1.0, p, margin, (printed - slack, printed + slack), is_reached, note
    )


def runs_in_words(count: int) -> str:
    """The number of runs behind a number, in words.

    >>> runs_in_words(1), runs_in_words(50)
    ('one run', 'the mean of 50 runs')
    """
    return "one run" if count == 1 else f"the mean of {count} runs"
