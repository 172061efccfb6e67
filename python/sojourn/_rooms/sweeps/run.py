"""Runs the points of a sweep with every seed, and keeps the metrics of each run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ... import _core
from .._base.schema import Wrong, told_of
from ..catalogue.added import ADDED
from ..runs.metrics import Metric, not_begun
from ..runs.result import Result
from ..runs.runner import MOST, loaded_scenario, reduce_runs
from ..runs.store import run_key
from ..scenario.scenario import Scenario, ScenarioError, at_file
from ..scenario.texts import seeds_of
from ..statistics.questions import Question
from .axes import Axis, scenarios
from .ending import Ending, asked_about, state
from .executor import Elsewhere, run_elsewhere, run_values
from .file import StudyFile, is_study_file, load_study_file
from .metrics import parse_metric
from .outcome import Swept
from .recording import recording
from .store import RunStore

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from _typeshed import StrPath

    from ..runs.pool import ProgressCallback, RunValues
    from ..runs.runner import ScenarioLike
    from ..scenario.texts import Seeds

__all__ = ["StoppedSweep", "elsewhere_of", "sweep"]

Kept = TypeVar("Kept")


class StoppedSweep(KeyboardInterrupt):
    """A sweep was stopped; the finished runs are in ``finished``, and on disk if a directory was given."""

    def __init__(self, finished: Swept, done: int, total: int) -> None:
        super().__init__(f"stopped after {done} of {total} runs")
        self.finished: Swept = finished
        self.done: int = done
        self.total: int = total


def sweep(
    scenario: ScenarioLike | StudyFile,
    *,
    over: Mapping[str, Axis | Iterable[Any]] | None = None,
    metrics: Sequence[str | Metric] | None = None,
    seeds: Seeds | None = None,
    until: str | None = None,
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
    on: str = "local",
    executor: Executor | None = None,
) -> Swept:
    """Run a scenario at every point of some axes, every point with the same seeds.

    Parameters
    ----------
    scenario
        The scenario of each point, without the values that the axes set: a :class:`Scenario`, a file, or the name of a
        scenario that comes with Sojourn. Or a study, as a file or a :class:`StudyFile`: its values hold if they are not
        given here, and axes are added to its own.
    over
        Values by key, such as ``{"dumbbell.queue.max_p": [0.02, 0.1], "queue": ["red", "ared"]}``, or an
        :class:`Axis` by name. Each point of one is run with each point of the others.
    metrics
        Columns as ``[TABLE.]COLUMN[@ROW]``: ``utilisation``, ``group.goodput_mean_bps@bulk``; or metrics with names.
        By default utilisation, waiting times and losses.
    seeds
        Those of every point, as in :func:`sojourn.compare`; by default 20, with `until` at most 40.
    until
        When it stops, as in :func:`sojourn.compare`: with ``"2%"`` each point by itself, by its first metric; with
        ``"decided"`` all together, when the best point for the first metric with a better direction is known.
    out
        Directory for finished runs. If it is there, they are read and not repeated.
    on, executor
        Where it runs: ``"local"``, in threads, one for each core or as `workers` says; ``"dask://HOST:PORT"``, or
        ``"dask+tls://HOST:PORT"`` with certificates (see ``docs/cluster.md``); or any executor of
        ``concurrent.futures`` whose workers have the same build of Sojourn. The values are the same.

    Raises
    ------
    ValueError
        If an axis, a metric or a point is wrong; nothing has been run or written then.
    StoppedSweep
        On Ctrl-C, with the finished runs.
    """
    asked = _study_of(scenario)
    scenario = asked.scenario
    axes = {name: _axis(name, values) for name, values in {**asked.over, **(over or {})}.items()}
    if not axes:
        raise ValueError("there is no axis; name at least one key and its values")
    listed = asked.metrics if metrics is None else metrics
    wanted = [parse_metric(one) if isinstance(one, str) else one for one in listed]
    if not wanted:
        raise ValueError("there is no metric; name at least one")
    added = [metric.column for metric in wanted if metric.column in ADDED.get(metric.table, {})]
    if added and (out is not None or on != "local" or executor is not None):
        raise ValueError(
            f"the column {added[0]} is computed by a function of yours, and a sweep keeps no numbers of it\n"
            "  hint:    sweep in this process, without a folder; or keep runs with sojourn compare --out"
        )
    most = MOST if until and not isinstance(scenario, StudyFile) and asked.file is None else asked.seeds
    chosen = seeds_of(most if seeds is None else seeds)
    question = None if until is None else Question.parse(until)
    looks = [len(chosen)] if question is None else question.looks(len(chosen))
    about = None if question is None else asked_about(question, wanted)
    with _of_file(asked.file):
        variants = scenarios(scenario, axes)
        _check(variants, wanted, chosen)
    names = [metric.name for metric in wanted]
    with (
        RunStore(Path(out)) if out is not None else nullcontext() as store,
        elsewhere_of(on, executor) as elsewhere,
    ):
        # If points have the same scenario, such as those that a reading does not change, one of them is run.
        points = variants
        first = {scenario: label for label, scenario in reversed(points.items())}
        variants = {label: scenario for label, scenario in points.items() if first[scenario] == label}
        jobs = [(label, seed) for label in variants for seed in chosen]
        if store:
            store.describe(Swept(axes, tuple(wanted), tuple(chosen), {}, scenario, title=asked.title))
        keys = {job: run_key(variants[job[0]], job[1]) for job in jobs} if store else {}
        known = store.load(list(keys.values()), names) if store else {}
        found = {job: tuple(known[key].values()) for job, key in keys.items() if key in known}
        warned = store.warnings(keys) if store else {}
        done = dict(found)

        alike: dict[tuple[str, ...], tuple[str, ...]] = {}

        def save(label: str, run: RunValues) -> None:
            if run.warnings:
                warned[label, run.seed] = alike.setdefault(run.warnings, run.warnings)
            if store:
                store.save(keys[label, run.seed], dict(zip(names, run.values, strict=True)), run.warnings)

        def keep(label: str, result: Result) -> RunValues:
            run = run_values(result, wanted)
            save(label, run)
            return run

        def gather(label: str, run: RunValues) -> None:
            save(label, run)
            done[label, run.seed] = run.values

        lean = {label: recording(scenario, wanted) for label, scenario in variants.items()}

        def make(labels: Sequence[str], seeds: Sequence[int]) -> bool:
            """Make the runs that are missing; whether Ctrl-C stopped it."""
            asked_for = [(label, seed) for seed in seeds for label in labels]
            at = {label: lean[label] for label in labels}
            if elsewhere is not None:
                missing = [job for job in asked_for if job not in done]
                return run_elsewhere(elsewhere, at, missing, wanted, gather, progress)
            here = {job: done[job] for job in asked_for if job in done}
            made, stopped = reduce_runs(at, seeds, here, keep, workers=workers, progress=progress)
            done.update(made)
            return stopped

        runs = dict.fromkeys(variants, 0)
        going, stopped = list(variants), False
        for runs_now in looks:
            stopped = make(going, chosen[:runs_now])
            runs |= dict.fromkeys(going, runs_now)
            if stopped:
                break
            if question is not None and about is not None:
                kept = {label: [done[label, seed] for seed in chosen[:runs_now]] for label in going}
                at = [look for look in looks if look <= runs_now]
                going = _unanswered(question, kept, at, wanted.index(about), about.better)
            if not going:
                break
        wanted_seeds = {seed: number for number, seed in enumerate(chosen)}
        done = {(label, seed): kept for (label, seed), kept in done.items() if wanted_seeds[seed] < runs[label]}
        warned = {(label, seed): kept for (label, seed), kept in warned.items() if wanted_seeds[seed] < runs[label]}
        twins = {label: own for label, one in points.items() if (own := first[one]) != label}
        done |= _of_twins(done, twins, chosen)
        warned |= _of_twins(warned, twins, chosen)
        ending = None
        if question is not None and about is not None:
            counts = {label: runs[first[one]] for label, one in points.items()}
            still = tuple(label for label, one in points.items() if first[one] in going)
            ending = Ending(question, len(chosen), about.name, counts, still)
        seen = tuple(chosen[: max(runs.values())])
        swept = Swept(axes, tuple(wanted), seen, done, scenario, warned, asked.title, ending)
        if store and ending and not stopped:
            store.describe(swept)
    if stopped:
        raise StoppedSweep(swept, len(done), len(points) * len(chosen)) from None
    return swept


def _unanswered(
    question: Question, kept: Mapping[str, Sequence[tuple[float, ...]]], at: Sequence[int], place: int, better: str
) -> list[str]:
    """The points that go on, by the metric in this place."""
    samples = {label: [run[place] for run in runs] for label, runs in kept.items()}
    sure = [label for label, runs in kept.items() if len(set(map(repr, runs))) == 1]
    together = [samples] if question.verdict else [{label: sample} for label, sample in samples.items()]
    found = [(one, state(question, one, at, better, sure)) for one in together]
    return [label for one, now in found if not (now and now.is_answered) for label in one]


def elsewhere_of(on: str, executor: Executor | None) -> AbstractContextManager[Elsewhere | None]:
    """Where the runs are made; None: in threads of this process."""
    if executor is not None:
        return nullcontext(Elsewhere(executor))
    if on == "local":
        return nullcontext()
    from .cluster import executor_of

    return executor_of(on)


def _study_of(scenario: ScenarioLike | StudyFile) -> StudyFile:
    """A study from a file or an object; for a scenario alone, the defaults."""
    if isinstance(scenario, StudyFile):
        return scenario
    if isinstance(scenario, str | os.PathLike) and (path := Path(scenario)).is_file() and is_study_file(path):
        return load_study_file(path)
    return StudyFile(loaded_scenario(scenario), {})


def _of_twins(
    kept: Mapping[tuple[str, int], Kept], twins: Mapping[str, str], seeds: Sequence[int]
) -> dict[tuple[str, int], Kept]:
    """The results of points whose runs are those of another point."""
    return {(label, seed): kept[own, seed] for label, own in twins.items() for seed in seeds if (own, seed) in kept}


def _axis(name: str, values: Axis | Iterable[Any]) -> Axis:
    """An axis as it is, or the key of a scenario with its values."""
    if isinstance(values, Axis):
        return values
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"axis {name}: a list of values is wanted, such as [0.02, 0.1]; this is {values!r}")
    # Numbers of NumPy are not numbers of a scenario.
    return Axis(name, [value.item() if hasattr(value, "item") else value for value in values])


@contextmanager
def _of_file(file: Path | None) -> Iterator[None]:
    """Report mistakes in points or metrics of a study file with the file."""
    try:
        yield
    except Wrong as wrong:
        raise (told_of(wrong, [(file, ())]) if file else wrong) from None
    except ScenarioError as error:
        raise (at_file(error, file) if file else error) from None


def _check(variants: Mapping[str, Scenario], wanted: Sequence[Metric], seeds: Sequence[int]) -> None:
    """Refuse points that cannot be built, and rows that no table has, before anything is run."""
    for label, scenario in variants.items():
        try:
            _core.Simulation(scenario.resolved_json, seeds[0])
        except ScenarioError as error:
            raise ScenarioError(f"at the point {label}: {error}") from None
        if label == next(iter(variants)):
            run = not_begun(scenario)
            for metric in wanted:
                try:
                    metric.try_on(run)
                except Wrong as wrong:
                    wrong.path = ("metrics", metric.name, *wrong.path)
                    raise
