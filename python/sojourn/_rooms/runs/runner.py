"""Runs scenarios: one, with many seeds, or with several queues; over all cores.

The compiled core releases the interpreter while it simulates, so threads are enough (:mod:`runs.pool`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ... import _core
from .._base.door import progress_bar
from ..scenario.scenario import QueueLike, Scenario, queue_label
from ..scenario.texts import Seeds, seeds_of
from ..statistics.questions import Question
from .about import Yardstick
from .answer import answer, yardstick
from .comparison import Comparison
from .pool import Pool, Progress, ProgressCallback, RunValues, Sink, built
from .result import Result, Study
from .spill import Spill
from .store import StudyDirectory
from .until import Until, left

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["MOST", "Interrupted", "compare", "replicate", "run", "study", "until_answered"]


class Interrupted(KeyboardInterrupt):
    """A study was stopped; the finished runs are in ``finished``, and on disk if a directory was given."""

    def __init__(self, finished: Study, total: int) -> None:
        super().__init__(f"stopped after {len(finished.results)} of {total} runs")
        self.finished = finished
        self.total = total


MOST = 40
"""The most seeds of a study that stops when it is decided."""

About = Yardstick | Callable[[Comparison], Yardstick | None]
"""The number that a question is about, or its choice when the first runs are there."""

ScenarioLike = Scenario | str | os.PathLike[str]
"""A scenario, its file, or the name of one that comes with Sojourn."""


def run(
    scenario: ScenarioLike, *, seed: int = 1, out: StrPath | None = None, progress: ProgressCallback | None = None
) -> Result:
    """Run a scenario once.

    Parameters
    ----------
    scenario
        The scenario: a :class:`Scenario`, a file, or the name of a scenario that comes with Sojourn.
    seed
        Everything random derives from it; a run is a function of (scenario, seed, version).
    out
        Study directory to keep the run in. If it is there already, it is read and not repeated.
    progress
        Called about ten times a second with a :class:`Progress`; in a notebook it is a bar unless you say otherwise.

    Examples
    --------
    >>> result = run("red_classic", seed=7)  # doctest: +SKIP
    >>> result.queue["sojourn_mean_ms"]  # doctest: +SKIP
    """
    loaded = loaded_scenario(scenario)
    finished = study({loaded.title: loaded}, seeds=[seed], workers=1, out=out, progress=progress)
    return finished.results[0][1]


def replicate(
    scenario: ScenarioLike,
    *,
    seeds: Seeds = 20,
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
) -> Study:
    """Run a scenario once with every seed; see :func:`compare` for `seeds`.

    ``workers`` is the number of runs at a time, by default one for each core; it does not change any result.
    """
    loaded = loaded_scenario(scenario)
    return study({loaded.title: loaded}, seeds=seeds, workers=workers, out=out, progress=progress)


def compare(
    scenario: ScenarioLike,
    *,
    queues: Sequence[QueueLike] | Mapping[str, QueueLike],
    seeds: Seeds | None = None,
    until: str | None = None,
    about: About | None = None,
    workers: int | None = None,
    baseline: str | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Run a scenario with several queues, every queue with the same seeds.

    Parameters
    ----------
    scenario
        Its bottleneck queues are replaced by each of `queues`; see :meth:`Scenario.with_queue`.
    queues
        Names such as ``"red"``, texts such as ``"red:min_th=5p,max_th=15p"`` or objects such as
        ``queues.Red(min_th="5p")``; a mapping gives them labels.
    seeds
        How many, such as 20 for 1 to 20, or which, such as ``[1, 4, 7]`` or ``"5-9"``; by default 20, with `until` at
        most 40. Run *k* of every queue sees the same flow starts, so that differences are formed seed by seed.
    until
        Stop as soon as the question is answered, in the order of the seeds: ``"decided"``, the best queue is known;
        ``"decided:2%"``, or no difference above 2 % of the best mean is left; ``"2%"``, the 95 % interval of every
        mean is within 2 % of it. docs/studies.md has the method.
    about
        The number that `until` is about, or a function that chooses it when the first runs are there. By default it is
        that of :func:`answer`.
    baseline
        Label of the queue that the others are compared with; the first by default.
    """
    loaded = loaded_scenario(scenario)
    variants = {label: loaded.with_queue(queue) for label, queue in labelled(queues).items()}
    if not variants:
        raise ValueError("there is no queue to compare; name at least one")
    first = next(iter(variants)) if baseline is None else baseline
    if first not in variants:
        raise ValueError(f"the baseline {first!r} is not among the queues: {', '.join(variants)}")
    if until is None:
        chosen = 20 if seeds is None else seeds
        return _comparison(study(variants, seeds=chosen, workers=workers, out=out, progress=progress, baseline=first))
    question = Question.parse(until)
    return until_answered(
        variants, question, seeds=seeds, about=about, workers=workers, out=out, progress=progress, baseline=first
    )


def _judged(done: Comparison) -> tuple[bool, str]:
    """Whether the question of a comparison is answered, and the note on what is open."""
    found = answer(done)
    if found.standing is None or done.until is None:
        return len(found.best) == 1, ""
    return found.standing.is_answered, left(done.until, found.standing, len(done.seeds))


def until_answered(
    variants: Mapping[str, Scenario],
    question: Question,
    *,
    seeds: Seeds | None,
    about: About | None,
    baseline: str,
    judged: Callable[[Comparison], tuple[bool, str]] = _judged,
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Run up to one look after the other; the runs of more seeds that are in the directory are not looked at.

    `judged` says whether the question is answered, and else in a few words what is open.
    """
    seeds = sorted(seeds_of(MOST if seeds is None else seeds))
    looks = question.looks(len(seeds))
    progress = progress or progress_bar()
    check(variants, seeds)
    directory = StudyDirectory(Path(out)) if out is not None else None
    sink, workers = _light(directory, None), workers_of(workers)
    if directory is not None:
        directory.check()
    with directory.held() if directory is not None else nullcontext():
        found: dict[tuple[str, int], Result] = {}
        until, note = None, ""
        for runs in looks:
            now = seeds[:runs]
            if directory is not None:
                directory.begin(variants, now, baseline=baseline, until=until)
                known = {seed for _, seed in found}
                found |= directory.finished(variants, [seed for seed in now if seed not in known])
            pool = Pool(variants, now, sink, found)
            done = _comparison(_done(pool, workers, _noted(progress, note), baseline))
            if until is None:
                chosen = about(done) if callable(about) else about
                until = Until(question, len(seeds), chosen or yardstick(done))
            done = replace(done, until=until)
            is_answered, note = judged(done)
            if is_answered:
                break
            found = {(label, run.seed): run for label, run in done.results}
        if directory is not None:
            directory.begin(variants, now, baseline=baseline, until=until)
    return done


def _comparison(done: Study) -> Comparison:
    assert isinstance(done, Comparison)  # noqa: S101 - a baseline makes it one
    return done


def _noted(progress: ProgressCallback | None, note: str) -> ProgressCallback | None:
    """Progress with a note."""
    if progress is None:
        return None
    told = progress

    def tell(now: Progress) -> None:
        told(replace(now, note=note))

    return tell


def loaded_scenario(scenario: ScenarioLike) -> Scenario:
    if isinstance(scenario, Scenario):
        return scenario
    if not isinstance(scenario, str | os.PathLike):
        raise TypeError(f"a scenario, its file or its name is wanted, and this is a {type(scenario).__name__}")
    return Scenario.load(scenario)


def labelled(queues: Sequence[QueueLike] | Mapping[str, QueueLike]) -> dict[str, QueueLike]:
    """Queues by label; a queue given twice is an error, for its label must tell them apart."""
    if isinstance(queues, Mapping):
        return dict(queues)
    if isinstance(queues, str):
        raise ValueError(f"queues is one text\n  found:   {queues!r}\n  hint:    write a list: {queues.split(',')}")
    named: dict[str, QueueLike] = {}
    for queue in queues:
        label = queue_label(queue)
        if label in named:
            raise ValueError(f"the queue {label!r} is given twice; give different parameters or labels")
        named[label] = queue
    return named


def study(
    variants: Mapping[str, Scenario],
    *,
    seeds: Seeds = 20,
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
    baseline: str | None = None,
    keep: Mapping[str, Sequence[str]] | None = None,
) -> Study:
    """Run every variant with every seed; with `baseline` the result is a :class:`Comparison`.

    With `keep`, a run is reduced to these columns of these tables when it ends; runs in `out` are kept whole.

    Raises
    ------
    ScenarioError
        If a variant cannot be built; nothing has been run or written then.
    Interrupted
        On Ctrl-C, with the finished runs.
    """
    seed_list = seeds_of(seeds)
    made = check(variants, seed_list)
    directory = StudyDirectory(Path(out)) if out is not None else None
    workers = workers_of(workers)
    if directory is None:
        sink = None if len(variants) * len(seed_list) == 1 and keep is None else _light(None, keep)
        return _done(Pool(variants, seed_list, sink, {}, made), workers, progress, baseline)
    directory.check()
    with directory.held():
        directory.begin(variants, seed_list, baseline=baseline)
        sink = _light(directory, keep)
        found = directory.finished(variants, seed_list)
        if keep is not None:
            found = {job: result.only(keep) for job, result in found.items()}
        return _done(Pool(variants, seed_list, sink, found, made), workers, progress, baseline)


def check(variants: Mapping[str, Scenario], seeds: Sequence[int]) -> list[_core.Simulation]:
    """Refuse a variant that cannot be built, before anything is run.

    A single run is given as it was built: to build a large network takes longer than a short run in it.
    """
    made = []
    for scenario in variants.values():
        made = [built(scenario, seeds[0])]
    return made if len(variants) == len(seeds) == 1 else []


def _light(directory: StudyDirectory | None, keep: Mapping[str, Sequence[str]] | None) -> Sink:
    """The use of a run when it ends: it is saved, and holds little memory from then on."""
    spill = Spill()

    def sink(_label: str, result: Result) -> Result:
        if directory is not None:
            saved = directory.save(result)
            return saved if keep is None else result.only(keep)
        return spill.kept(result if keep is None else result.only(keep))

    return sink


def reduce_runs(
    variants: Mapping[str, Scenario],
    seeds: Sequence[int],
    found: Mapping[tuple[str, int], tuple[float, ...]],
    keep: Callable[[str, Result], RunValues],
    *,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[dict[tuple[str, int], tuple[float, ...]], bool]:
    """Run every variant with every seed, and keep only the result of `keep` for each run when it ends.

    Parameters
    ----------
    found
        Values of runs that are finished already, by label and seed; they are not run.
    keep
        Called in the thread of the run, with the label.

    Returns
    -------
    tuple
        The values by label and seed, and whether it was stopped by Ctrl-C.
    """
    known = {job: RunValues(job[1], values) for job, values in found.items()}
    pool = Pool(variants, seeds_of(seeds), keep, known)
    stopped = False
    try:
        pool.work(workers_of(workers), progress or progress_bar())
    except KeyboardInterrupt:
        stopped = True
    return {(label, run.seed): run.values for label, run in pool.finished() if isinstance(run, RunValues)}, stopped


def _done(pool: Pool, workers: int, progress: ProgressCallback | None, baseline: str | None) -> Study:
    """Let a pool do its work, and gather the results."""
    try:
        pool.work(workers, progress or progress_bar())
    except KeyboardInterrupt:
        raise Interrupted(pool.gathered(baseline), pool.total) from None
    return pool.gathered(baseline)


def workers_of(workers: int | None) -> int:
    """The number of runs at a time: as asked for, or one for each core."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"the number of workers is {workers}; allowed is 1 or more")
    return workers
