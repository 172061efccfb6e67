"""Claims about printed numbers of few runs, judged by the numbers that runs like ours would print."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from ..._base.schema import Between
from ...statistics.intervals import Interval
from ...statistics.prediction import TOLERANCE, Prediction, enough, predict
from ...statistics.rules import Judgement, predicted
from ...statistics.samples import some_cut
from ..claims import Evidence, Sample
from ..design import Results
from .kind import Kind, percent

__all__ = ["MOST_RUNS", "OfRuns", "evidence", "runs_in_words", "slack_in_words"]

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

    def judgement(self, cases: Mapping[str, Evidence], results: Results) -> Judgement:
        """See :class:`Kind`."""
        if not self.is_predicted:
            return super().judgement(cases, results)
        runs = min(evidence.interval.n for evidence in cases.values())
        return predicted(cases, looks=results.looks, enough=enough(runs, self.printed_runs))

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
        return rounding + (TOLERANCE * abs(printed) if own is None else own)


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


def slack_in_words(share: float | None = None) -> str:
    """The tolerance of a printed number."""
    return f"its rounding and {percent(TOLERANCE if share is None else share)}"
