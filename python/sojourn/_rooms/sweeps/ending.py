"""The end of a sweep that stops when its question is answered.

With a question about means each point stops by itself. With one about the best point all points have the same seeds, so
that differences are formed seed by seed, and all stop together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..runs.metrics import Metric
from ..statistics.intervals import mean_interval
from ..statistics.questions import Question, Standing, standing

__all__ = ["Ending", "asked_about", "state"]


@dataclass(frozen=True)
class Ending:
    """How a sweep ended.

    Attributes
    ----------
    question
        The question.
    most
        The most runs of a point.
    metric
        The name of the metric that it was about.
    runs
        By label of the point: the number of its runs.
    unanswered
        The points that had all runs without an answer.
    """

    question: Question
    most: int
    metric: str
    runs: Mapping[str, int]
    unanswered: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For the description of a sweep."""
        return {
            "question": str(self.question),
            "most": self.most,
            "metric": self.metric,
            "runs": dict(self.runs),
            "unanswered": list(self.unanswered),
        }

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Ending:
        """As :meth:`as_json` wrote it."""
        question = Question.parse(content["question"])
        return cls(question, content["most"], content["metric"], content["runs"], tuple(content["unanswered"]))


def asked_about(question: Question, metrics: Sequence[Metric]) -> Metric:
    """The first metric; for the best point, the first one of which more or less is better."""
    found = next((one for one in metrics if one.better or not question.verdict), None)
    if found is None:
        raise ValueError(f"until {question}: of no metric is more or less better\n  hint:    name another first")
    return found


def state(
    question: Question,
    samples: Mapping[str, Sequence[float]],
    at: Sequence[int],
    better: str,
    sure: Collection[str] = (),
) -> Standing | None:
    """The state of a question at the last of some looks; None where no point has a value.

    `sure` are the points at which chance has no part.
    """
    means = {label: mean_interval(sample).mean for label, sample in samples.items()}
    less = better == "less"
    order = sorted(
        (label for label, mean in means.items() if math.isfinite(mean)),
        key=lambda label: means[label] if less else -means[label],
    )
    return standing(question, {label: samples[label] for label in order}, at, less=less, sure=sure) if order else None
