"""How often each claim of a work would be judged the right way, if our simulator had made its printed numbers.

A rule that fails for an honest table of the same simulator says nothing about the work. We find such rules with our own
runs: some of them stand for the work's and print its numbers, the others judge these. A claim without a printed number
states the result of our means or the opposite; then other draws of our runs judge it. The power is the share of the
draws in which the verdict is right. A printed number is also judged at half and at twice its size, which has to be
refused. The correction for several claims is left out: each claim is by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..runs.pool import ProgressCallback
from ..statistics.samples import Sample, chosen
from . import reproduction
from .context import Context
from .design import Metric, NotRunError, Point, Results
from .experiment import Experiment
from .kinds import Kind
from .kinds.small_samples import OfRuns
from .sentences import Sentence, names
from .studies import StudyExperiment

__all__ = ["ENOUGH", "REFUSED", "REPLICATIONS", "Power", "of_claim", "of_sentences", "of_work"]

REPLICATIONS = 100
ENOUGH = 0.95
"""A failing claim that is right in a smaller share of draws is not evidence against a work."""
REFUSED = 0.8
"""A printed number that holds is evidence for a work, if a wrong one is refused in this share of draws."""


@dataclass(frozen=True, kw_only=True)
class Power:
    """The power of a claim.

    Attributes
    ----------
    experiment, key, text
        The claim's experiment, key and text.
    printed
        Whether it is about a printed number, which runs of ours then print. If not: the right verdict.
    right
        The verdict that our means give, each case by itself.
    share
        The share of replications with the right verdict; for a printed number, that it holds, or cannot tell because
        runs spread so widely.
    refused
        For a printed number, the share of replications in which a wrong one fails, or cannot be told: the less of those
        for half and for twice the number. None for another claim.
    undecided
        The share of replications without a verdict.
    seeds
        Our runs.
    """

    experiment: str
    key: str
    text: str
    printed: bool
    right: str
    share: float
    refused: float | None
    undecided: float
    seeds: int


class _Drawn(Results):
    """Some of the runs, in some order; one may be there twice."""

    def __init__(self, results: Results, places: Sequence[int]) -> None:
        self.design, self.looks, self.only = results.design, 1, results.only
        self.used = set()
        self._results, self._places = results, places

    def sample(self, metric: str, point: Point) -> Sample:
        """See :class:`Results`."""
        wanted = self.design.metrics[metric]
        if not isinstance(wanted, Metric):
            return wanted.sample(self, point)
        return chosen(self._results.sample(metric, point), self._places)


def of_work(
    key: str,
    *,
    only: Sequence[str] | None = None,
    quick: bool = True,
    runs: int | None = None,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    out: str | None = None,
    started: Callable[[Experiment], None] | None = None,
    replications: int = REPLICATIONS,
) -> list[Power]:
    """The power of each claim that is data; the arguments are those of :func:`sojourn.papers.reproduce`."""
    _, context, experiments = reproduction.prepared(
        key, only=only, quick=quick, runs=runs, workers=workers, progress=progress, out=out, readings=False
    )
    found = []
    for experiment in experiments:
        if started is not None:
            started(experiment)
        context.experiment = experiment.name
        if isinstance(experiment.study, StudyExperiment):
            found += list(_of_experiment(experiment.name, experiment.study, context, replications))
    return found


def _of_experiment(name: str, made: StudyExperiment, context: Context, replications: int) -> Iterator[Power]:
    results, seeds = made.base(context), len(made.seeds(context))
    for claim in made.claims:
        if not isinstance(claim, Kind) or not claim.judges:
            continue
        try:
            yield of_claim(claim, results, seeds, experiment=name, replications=replications)
        except NotRunError:
            # A quick run leaves its points out.
            continue


def of_claim(
    claim: Kind, results: Results, seeds: int, *, experiment: str = "", replications: int = REPLICATIONS
) -> Power:
    """The power of a claim by the runs of `results`, of which there are `seeds` at each point."""
    random = np.random.default_rng(seeds)
    whole = _Drawn(results, range(seeds))
    printed = claim.as_printed(whole) is not claim
    right = "holds" if printed else _right(claim, whole)
    verdicts: list[str] = []
    wrong: dict[float, list[bool]] = {0.5: [], 2.0: []}
    for _ in range(replications):
        if printed:
            theirs, ours = _apart(claim, seeds, random)
            one = claim.as_printed(_Drawn(results, theirs))
        else:
            one, ours = claim, random.integers(0, seeds, seeds).tolist()
        drawn = _Drawn(results, ours)
        verdicts.append(_verdict(one, drawn))
        for times, refused in wrong.items():
            if (other := one.times_printed(times)) != one:
                refused.append(_verdict(other, drawn) in ("fails", "cannot tell"))
    # A printed number of runs that spread widely is not refused, and cannot be told.
    also = {"holds": "cannot tell", "fails": "equal"}.get(right)
    as_right = [verdict in (right, also) for verdict in verdicts]
    return Power(
        experiment=experiment,
        key=claim.key,
        text=claim.text,
        printed=printed,
        right=right,
        share=sum(as_right) / replications,
        refused=min(sum(refused) / len(refused) for refused in wrong.values()) if all(wrong.values()) else None,
        undecided=sum(verdict in ("undecided", "not measured") for verdict in verdicts) / replications,
        seeds=seeds,
    )


def of_sentences(sentences: Sequence[Sentence], found: Sequence[Power]) -> list[tuple[Sentence, list[Power]]]:
    """The sentences of a work that have claims with a power, and these; a headline rests on others' claims."""
    rows = [(one, [power for power in found if names(one, power.experiment, power.key)]) for one in sentences]
    return [(one, own) for one, own in rows if own and not one.headline]


def _verdict(claim: Kind, results: Results) -> str:
    return claim.with_power(claim.judgement(claim.cases(results), results), results).verdict


def _right(claim: Kind, results: Results) -> str:
    """The verdict that the means of all runs give."""
    cases = [evidence for evidence in claim.cases(results).values() if evidence.is_reached]
    if not cases:
        return "not measured"
    inside = [evidence.claimed[0] < evidence.interval.mean < evidence.claimed[1] for evidence in cases]
    return "holds" if all(inside) else "fails"


def _apart(claim: Kind, seeds: int, random: np.random.Generator) -> tuple[list[int], list[int]]:
    """Runs that stand for the work's, and ours.

    If the work has a single run, the others are ours. Otherwise the work's runs and ours are drawn from all, with
    replacement: all our runs together represent the simulator.
    """
    made = claim.printed_runs if isinstance(claim, OfRuns) else 0
    if made == 1 and seeds > 1:
        one = int(random.integers(seeds))
        return [one], [place for place in range(seeds) if place != one]
    theirs = random.integers(0, seeds, made).tolist() if made else list(range(seeds))
    return theirs, random.integers(0, seeds, seeds).tolist()
