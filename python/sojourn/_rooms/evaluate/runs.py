"""Runs the criteria of documents for subjects, every subject with the same seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ... import _core
from .._base.nearest import nearest_hint
from .._base.schema import Wrong
from ..runs.metrics import Metric, not_begun
from ..runs.runner import reduce_runs
from ..runs.store import run_key
from ..scenario.scenario import Scenario, ScenarioError
from ..statistics.looks import LEVEL, repeated_interval, sequential_p
from ..statistics.questions import Question
from ..sweeps.axes import points, scenarios
from ..sweeps.executor import run_elsewhere, run_values
from ..sweeps.recording import recording
from ..sweeps.store import RunStore
from .criteria import Criterion, Document
from .subjects import Subject, scenario_of

if TYPE_CHECKING:
    from ..runs.pool import ProgressCallback, RunValues
    from ..runs.result import Result

__all__ = ["Runs", "StoppedEvaluation", "run"]

Place = tuple[str, str]
"""A criterion and the label of a point of its axes, which is empty without any."""


class StoppedEvaluation(KeyboardInterrupt):
    """An evaluation was stopped after some of its runs."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"stopped after {done} of {total} runs")
        self.done: int = done
        self.total: int = total


@dataclass(frozen=True)
class Runs:
    """The results of the runs.

    Attributes
    ----------
    documents, seeds
        The questions that were asked, and the seeds.
    labels
        The subjects.
    values
        By criterion, point, measure and subject: a value for each seed, NaN where a run has none.
    refused
        Subjects that cannot be used in their place, with the reason.
    looks
        By criterion: the numbers of runs at which it was judged, if it stopped when it was decided.
    """

    documents: Sequence[Document]
    seeds: Sequence[int]
    labels: Sequence[str]
    values: Mapping[tuple[str, str, str, str], Sequence[float]]
    refused: Mapping[str, str] = field(default_factory=dict)
    looks: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Job:
    """One variant: its scenario, and its measures."""

    criterion: Criterion
    point: str
    subject: str
    scenario: Scenario

    @property
    def label(self) -> str:
        return f"{self.criterion.key} | {self.point} | {self.subject}"

    @property
    def metrics(self) -> list[Metric]:
        return [measure.metric for measure in self.criterion.measures]


def run(
    documents: Sequence[Document],
    subjects: Mapping[str, Subject],
    *,
    seeds: Sequence[int],
    question: Question | None = None,
    wanted: Sequence[str] = (),
    only: Sequence[str] = (),
    workers: int | None = None,
    out: Path | None = None,
    on: str = "local",
    progress: ProgressCallback | None = None,
) -> Runs:
    """Run every criterion with every subject and seed.

    Parameters
    ----------
    subjects
        The subject that is evaluated, and the baselines, by label.
    question
        With one, each criterion stops when the first subject is decided against every other one.
    wanted
        Subjects that the evaluation needs. If one of them cannot be used, it is an error.
    only
        Only criteria with these keys or sections; all if it is empty.
    out
        Directory for finished runs: they are read and not repeated.
    on
        ``local``, or a Dask scheduler as ``dask://HOST:PORT``.

    Raises
    ------
    ScenarioError
        If one of `wanted` cannot be used in its place; nothing has been run then.
    StoppedEvaluation
        On Ctrl-C.
    """
    chosen = _chosen(documents, only)
    refused: dict[str, str] = {}
    jobs = _jobs(chosen, subjects, refused, wanted)
    with RunStore(out) if out is not None else nullcontext() as store, _place(on) as elsewhere:
        by_label = {job.label: job for job in jobs}
        names = {job.label: [f"{job.criterion.key}.{metric.name}" for metric in job.metrics] for job in jobs}
        keys = {(job.label, seed): run_key(job.scenario, seed) for job in jobs for seed in seeds} if store else {}
        found: dict[tuple[str, int], tuple[float, ...]] = {}
        if store:
            for job in jobs:
                own = {seed: keys[job.label, seed] for seed in seeds}
                known = store.load(list(own.values()), names[job.label])
                found |= {(job.label, seed): tuple(known[key].values()) for seed, key in own.items() if key in known}

        def save(label: str, kept: RunValues) -> None:
            if store:
                store.save(keys[label, kept.seed], dict(zip(names[label], kept.values, strict=True)), kept.warnings)

        def keep(label: str, result: Result) -> RunValues:
            kept = run_values(result, by_label[label].metrics)
            save(label, kept)
            return kept

        lean = {job.label: recording(job.scenario, job.metrics) for job in jobs}
        done = dict(found)

        def gather(label: str, kept: RunValues) -> None:
            save(label, kept)
            done[label, kept.seed] = kept.values

        def make(going: Sequence[_Job], now: Sequence[int]) -> bool:
            """Make the runs that are missing; whether Ctrl-C stopped it."""
            if elsewhere is None:
                here = {
                    (job.label, seed): done[job.label, seed]
                    for job in going
                    for seed in now
                    if (job.label, seed) in done
                }
                variants = {job.label: lean[job.label] for job in going}
                made, stopped = reduce_runs(variants, now, here, keep, workers=workers, progress=progress)
                done.update(made)
                return stopped
            for criterion in {id(job.criterion): job.criterion for job in going}.values():
                own_jobs = [job for job in going if job.criterion is criterion]
                missing = [(job.label, seed) for job in own_jobs for seed in now if (job.label, seed) not in done]
                variants = {job.label: lean[job.label] for job in own_jobs}
                if missing and run_elsewhere(elsewhere, variants, missing, own_jobs[0].metrics, gather, progress):
                    return True
            return False

        going, counts, stopped = list(jobs), dict.fromkeys((job.criterion.key for job in jobs), 0), False
        looks = [len(seeds)] if question is None else question.looks(len(seeds))
        for runs_now in looks:
            stopped = make(going, seeds[:runs_now])
            counts |= {job.criterion.key: runs_now for job in going}
            if stopped:
                break
            if question is not None:
                at = [look for look in looks if look <= runs_now]
                values = _values(going, seeds, counts, done)
                open_ = _undecided(going, values, at)
                going = [job for job in going if job.criterion.key in open_]
            if not going:
                break
    if stopped:
        raise StoppedEvaluation(len(done), len(jobs) * len(seeds))
    labels = tuple(dict.fromkeys(job.subject for job in jobs))
    judged = {} if question is None else {key: [at for at in looks if at <= runs] for key, runs in counts.items()}
    used = tuple(seeds[: max(counts.values(), default=len(seeds))])
    return Runs(chosen, used, labels, _values(jobs, seeds, counts, done), refused, judged)


def _undecided(
    jobs: Sequence[_Job], values: Mapping[tuple[str, str, str, str], Sequence[float]], at: Sequence[int]
) -> set[str]:
    """The criteria in which the first subject is not yet decided against some other one.

    It is, if it is surely better or worse, if both are the same in all runs, or if they differ by less than counts.
    """
    first, found = jobs[0].subject if jobs else "", set()
    for job in jobs:
        for measure in job.criterion.measures if job.subject != first else ():
            own = values.get((job.criterion.key, job.point, measure.name, first))
            if own is None or not measure.better:
                continue
            other = values[job.criterion.key, job.point, measure.name, job.subject]
            apart = repeated_interval(own, other)
            same = apart.n == at[-1] and apart.mean == 0.0 and apart.half_width == 0.0
            little = apart.low < apart.high and -measure.least < apart.low and apart.high < measure.least
            if not (same or little or sequential_p(own, other, at) <= LEVEL):
                found.add(job.criterion.key)
    return found


def _values(
    jobs: Sequence[_Job],
    seeds: Sequence[int],
    counts: Mapping[str, int],
    done: Mapping[tuple[str, int], tuple[float, ...]],
) -> Mapping[tuple[str, str, str, str], Sequence[float]]:
    found = {}
    for job in jobs:
        for place, measure in enumerate(job.criterion.measures):
            own = seeds[: counts[job.criterion.key]]
            sample = [done[job.label, seed][place] * measure.times for seed in own]
            found[job.criterion.key, job.point, measure.name, job.subject] = sample
    return found


def _place(on: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - that of the executor
    if on == "local":
        return nullcontext()
    from ..sweeps.cluster import executor_of

    return executor_of(on)


def _chosen(documents: Sequence[Document], only: Sequence[str]) -> list[Document]:
    """The documents with the requested criteria only."""
    from dataclasses import replace

    if not only:
        return list(documents)
    names = {one.key: one for document in documents for one in document.criteria}
    sections = {name: key for key, one in names.items() for name in (one.section, key.partition("/")[2])}
    folders = [document.key for document in documents]
    for name in only:
        if name not in {*names, *sections, *folders}:
            allowed = [*folders, *names]
            hint = nearest_hint(name, [*names, *sections])
            raise ValueError(f"--only {name}: there is no such criterion\n  allowed: {', '.join(allowed)}{hint}")
    kept = []
    for document in documents:
        own = [
            one
            for one in document.criteria
            if document.key in only or {one.key, one.section, one.key.partition("/")[2]} & set(only)
        ]
        if own:
            kept.append(replace(document, criteria=own))
    if not kept:
        left = "; ".join(reason for one in documents if one.key in only for reason in one.left.values())
        raise ValueError(f"--only {only[0]}: nothing of it can be asked: {left}")
    return kept


def _jobs(
    documents: Sequence[Document], subjects: Mapping[str, Subject], refused: dict[str, str], wanted: Sequence[str]
) -> list[_Job]:
    """Every variant; a subject that cannot be used in one place is left out of all, unless it is wanted."""
    found: list[_Job] = []
    placed: set[str] = set()
    for document in documents:
        for criterion in document.criteria:
            bases = scenarios(criterion.scenario, criterion.axes) if criterion.axes else {"": criterion.scenario}
            for label, subject in subjects.items():
                if label in refused:
                    continue
                for point, base in bases.items():
                    try:
                        scenario = scenario_of(criterion, base, subject)
                        _core.Simulation(scenario.resolved_json, 1)
                    except ScenarioError as error:
                        if label in wanted:
                            # A subject that fits nowhere is itself wrong.
                            place = f"{document.document} {criterion.section}: " if label in placed else ""
                            raise ScenarioError(f"{place}{error}") from None
                        refused[label] = str(error)
                        break
                    placed.add(label)
                    found.append(_Job(criterion, point, label, scenario))
            _check(criterion, found)
    return [job for job in found if job.subject not in refused]


def _check(criterion: Criterion, jobs: Sequence[_Job]) -> None:
    """Refuse measures of rows that no table has."""
    own = next((job for job in reversed(jobs) if job.criterion is criterion), None)
    if own is None:
        return
    begun = not_begun(own.scenario)
    for measure in criterion.measures:
        try:
            measure.metric.try_on(begun)
        except Wrong as wrong:
            raise ValueError(f"{criterion.key}: measure.{measure.name}: {wrong}") from None


def point_labels(criterion: Criterion) -> list[str]:
    """The labels of a criterion's points, in order."""
    return [", ".join(point.values()) for point in points(criterion.axes)] if criterion.axes else [""]
