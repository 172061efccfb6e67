"""Haider 2005: figures 6.5 and 6.6, whose curves of single runs are not smooth, which no kind of claim can express.

README.md says what the report states and how we read the rest.
"""

from collections.abc import Callable
from itertools import pairwise

from sojourn.claims import Claim, Sample, above
from sojourn.papers import Paper
from sojourn.reproduce import Results

PAPER = Paper()

HALF = 0.5
"""The share of single curves that turn: written down before it was measured."""


def _turns(metric: str, figure: str, name: str) -> Callable[[Results], Claim]:
    """Most curves of single runs along xi turn more than once: the curves of means have one turn at most."""

    def judge(results: Results) -> Claim:
        lines = [
            [results.sample(metric, {"theta": theta, "xi": xi}) for xi in results.axes["xi"]]
            for theta in results.axes["theta"]
        ]
        share: Sample = [
            sum(_turning([sample[seed] for sample in line]) > 1 for line in lines) / len(lines)
            for seed in range(len(lines[0][0]))
        ]
        return Claim.judged(
            f"Section 6.3: most curves of single runs are not smooth: {name} turns more than once along xi",
            above(share, HALF),
            id=f"H1-sweep-single-{metric}",
            rule="the share of the five curves of a run (theta 1 to 5) with two turns or more is above a half",
            source=f"section 6.3, figure 6.{figure}",
            unit="%",
        )

    return judge


def _turning(values: list[float]) -> int:
    """How often a line changes between rising and falling.

    >>> _turning([3.0, 2.0, 2.5, 2.5, 1.0]), _turning([3.0, 2.0, 1.0])
    (2, 0)
    """
    steps = [after - before for before, after in pairwise(values) if after != before]
    return sum((before > 0.0) != (after > 0.0) for before, after in pairwise(steps))


PAPER.add_claims("H1-sweep", [_turns("loss", "5", "the loss rate"), _turns("utilisation", "6", "the use of the link")])
