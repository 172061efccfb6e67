"""Runs scenarios: one, with many seeds, or with several queues; over all cores.

The compiled core releases the interpreter while it simulates, so threads are enough. Each run advances in short slices,
between which it can be stopped; neither the slices nor the number of workers change a result.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from .._base.checks import checked_seed
from .._base.door import progress_bar
from .._base.memory import available_bytes
from ..scenario.scenario import QueueLike, Scenario, queue_label
from .comparison import Comparison
from .result import Result, Study
from .store import StudyDirectory
from .tables import Tables

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["Interrupted", "Progress", "compare", "replicate", "run", "study"]

# Wall-clock seconds that a slice should take: short enough to stop at once, long enough to cost nothing.
_SLICE_S = 0.05

# Events of a slice: of the first, and of any. What an event costs differs a thousandfold between networks, but hardly
# within one; how many there are in a second of simulated time may change at any moment.
# The first one is short, for an event may call a hook in Python that takes long.
_FIRST_EVENTS = 256
_MOST_EVENTS = 1_000_000

# Wall-clock seconds that a stopped study waits for slices to end; tables of millions of rows may take longer.
_PATIENCE_S = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a study has come.

    Attributes
    ----------
    runs_done, runs_total
        Finished runs, those found on disk included, and all runs.
    simulated_s, simulated_total_s
        Simulated seconds done and to do.
    elapsed_s, remaining_s
        Wall-clock seconds since the start, and to the end if it goes on like this (None while nothing is known).
    """

    runs_done: int
    runs_total: int
    simulated_s: float
    simulated_total_s: float
    elapsed_s: float
    remaining_s: float | None


class Interrupted(KeyboardInterrupt):
    """A study was stopped; the finished runs are in ``finished``, and on disk if a directory was given."""

    def __init__(self, finished: Study, total: int) -> None:
        super().__init__(f"stopped after {len(finished.results)} of {total} runs")
        self.finished = finished
        self.total = total


ProgressCallback = Callable[[Progress], None]

ScenarioLike = Scenario | str | os.PathLike[str]
"""A scenario, its file, or the name of one that comes with Sojourn."""


def run(
    scenario: ScenarioLike, *, seed: int = 1, out: StrPath | None = None, progress: ProgressCallback | None = None
) -> Result:
    """Run a scenario once.

    Parameters
    ----------
    scenario
        What to run: a :class:`Scenario`, a file, or the name of a scenario that comes with Sojourn.
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
    seeds: Iterable[int] = range(1, 21),
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
) -> Study:
    """Run a scenario once with every seed.

    ``workers`` is the number of runs at a time, by default one for each core; it does not change any result.
    """
    loaded = loaded_scenario(scenario)
    return study({loaded.title: loaded}, seeds=seeds, workers=workers, out=out, progress=progress)


def compare(
    scenario: ScenarioLike,
    *,
    queues: Sequence[QueueLike] | Mapping[str, QueueLike],
    seeds: Iterable[int] = range(1, 21),
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
        Run *k* of every queue sees the same flow starts, so that differences are formed seed by seed.
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
    done = study(variants, seeds=seeds, workers=workers, out=out, progress=progress, baseline=first)
    assert isinstance(done, Comparison)  # noqa: S101 - a baseline makes it one
    return done


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
    seeds: Iterable[int] = range(1, 21),
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
    baseline: str | None = None,
    keep: Mapping[str, Sequence[str]] | None = None,
) -> Study:
    """Run every variant with every seed; with `baseline` the result is a :class:`Comparison`.

    With `keep`, a run is reduced to these columns of these tables when it ends; what `out` keeps is whole.

    Raises
    ------
    ScenarioError
        If a variant cannot be built; nothing has been run or written then.
    Interrupted
        On Ctrl-C, with the finished runs.
    """
    seed_list = _checked_seeds(seeds)
    check(variants, seed_list)
    directory = StudyDirectory(Path(out)) if out is not None else None
    workers = workers_of(workers)
    if directory is None:
        return _done(_Pool(variants, seed_list, _light(None, keep), {}), workers, progress, baseline)
    directory.check()
    with directory.held():
        directory.begin(variants, seed_list, baseline=baseline)
        sink = _light(directory, keep)
        found = directory.finished(variants, seed_list)
        if keep is not None:
            found = {job: result.only(keep) for job, result in found.items()}
        return _done(_Pool(variants, seed_list, sink, found), workers, progress, baseline)


def check(variants: Mapping[str, Scenario], seeds: Sequence[int]) -> None:
    """Refuse a variant that cannot be built, before anything is run."""
    for scenario in variants.values():
        _core.Simulation(scenario.resolved_json, seeds[0])


def _light(directory: StudyDirectory | None, keep: Mapping[str, Sequence[str]] | None) -> Sink | None:
    """The use of a run when it ends."""
    if directory is None and keep is None:
        return None

    def sink(_label: str, result: Result) -> Result:
        if directory is not None:
            directory.save(result)
            result = directory.light(result)
        return result if keep is None else result.only(keep)

    return sink


@dataclass(frozen=True, slots=True)
class RunValues:
    """The kept part of a run: its seed, some values, and its warnings, each as the code and the place."""

    seed: int
    values: tuple[float, ...]
    warnings: tuple[str, ...] = ()


Sink = Callable[[str, "Result"], "Result | RunValues"]
"""Called in the thread of a run when it ends, with its label: what is kept of it."""


def reduce_runs(
    variants: Mapping[str, Scenario],
    seeds: Sequence[int],
    found: Mapping[tuple[str, int], tuple[float, ...]],
    keep: Callable[[str, Result], RunValues],
    *,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[dict[tuple[str, int], tuple[float, ...]], bool]:
    """Run every variant with every seed, and keep of each run only what `keep` makes of it when it ends.

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
    pool = _Pool(variants, _checked_seeds(seeds), keep, known)
    stopped = False
    try:
        pool.work(workers_of(workers), progress or progress_bar())
    except KeyboardInterrupt:
        stopped = True
    return {(label, run.seed): run.values for label, run in pool.finished() if isinstance(run, RunValues)}, stopped


def _done(pool: _Pool, workers: int, progress: ProgressCallback | None, baseline: str | None) -> Study:
    """Let a pool do its work, and gather the results."""
    try:
        pool.work(workers, progress or progress_bar())
    except KeyboardInterrupt:
        raise Interrupted(pool.gathered(baseline), pool.total) from None
    return pool.gathered(baseline)


def _checked_seeds(seeds: Iterable[int]) -> tuple[int, ...]:
    if not isinstance(seeds, Iterable):
        raise TypeError(f"seeds are several numbers, and this is {seeds!r}: write range(1, 21) or [1, 4, 7]")
    found = tuple(sorted({checked_seed(seed) for seed in seeds}))
    if not found:
        raise ValueError("there are no seeds; give at least one")
    return found


def workers_of(workers: int | None) -> int:
    """The number of runs at a time: as asked for, or one for each core."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"the number of workers is {workers}; allowed is 1 or more")
    return workers


def simulate(scenario: Scenario, seed: int) -> Result:
    """One run from its beginning to its end, in this thread and without progress: what a worker elsewhere does."""
    simulation = _core.Simulation(scenario.resolved_json, seed)
    memory = available_bytes()
    while not _advanced(simulation, _MOST_EVENTS, memory):
        parts = simulation.footprint()
        held = sum(size for _, size in parts)
        if held > memory:
            raise _too_much(max(parts, key=_size), held, memory, simulation.now_s)
    captures = simulation.captures()
    return Result(scenario, seed, _core.build(), Tables(simulation.tables()), captures)


def _advanced(simulation: _core.Simulation, events: int, memory: int) -> bool:
    """One slice, which takes at most so many bytes; whether the run is over."""
    now_s = simulation.now_s
    try:
        return simulation.advance(simulation.duration_s, events=events, memory=max(memory, 0))
    except _core.OutOfMemory as full:
        what, held = full.args
        raise _too_much((what, held), held, memory, now_s) from None


def _size(part: tuple[str, int]) -> int:
    return part[1]


def _too_much(part: tuple[str, int], held: int, memory: int, now_s: float) -> MemoryError:
    """`part` is the largest of what is held."""
    what, most = part
    return MemoryError(
        f"this takes more memory than there is: {held / 1e9:.1f} GB of {memory / 1e9:.1f} GB at "
        f"{now_s:g} s of simulated time, of which {most / 1e9:.1f} GB are for {what}\n"
        "  hint:    record less, run for a shorter time, or run fewer at a time (workers)"
    )


def _joined(threads: Sequence[threading.Thread]) -> bool:
    """Wait for threads a moment: whether all have ended."""
    until = time.monotonic() + _PATIENCE_S
    for thread in threads:
        thread.join(max(until - time.monotonic(), 0.0))
    return not any(thread.is_alive() for thread in threads)


class _EndedHook(KeyboardInterrupt):
    """Raised within a hook that does not end by itself, by Ctrl-C in the thread that waits for it."""


def _interrupt(thread: threading.Thread) -> None:
    """Raise an exception in the Python code of another thread; in compiled code it waits for the end of that."""
    if thread.is_alive() and thread.ident is not None:
        # A thread that is left behind is no way out: the end of Python would abort the process in the midst of it.
        import ctypes

        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_EndedHook))


class _Pool:
    """The runs of a study, and the threads that work on them; `found` are those that are finished already."""

    def __init__(
        self,
        variants: Mapping[str, Scenario],
        seeds: Sequence[int],
        sink: Sink | None,
        found: Mapping[tuple[str, int], Result | RunValues],
    ) -> None:
        # Seed by seed, so that a study that is stopped early has every variant equally often.
        everything = [(label, scenario, seed) for seed in seeds for label, scenario in variants.items()]
        self._jobs = [(label, scenario, seed) for label, scenario, seed in everything if (label, seed) not in found]
        self._variants = variants
        self._seeds = tuple(seeds)
        self._sink = sink
        self._finished: list[tuple[str, Result | RunValues]] = [(label, result) for (label, _), result in found.items()]
        self._simulated_s = [0.0] * len(self._jobs)
        # How long the last run of each variant took.
        self._took_s: dict[str, float] = {}
        self._loaded_s = sum(variants[label].duration_s for label, _ in found)
        self._next = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._given_up = False
        self._held = [0] * len(self._jobs)
        self._memory = available_bytes()
        self._failure: BaseException | None = None
        self.total = len(everything)

    def gathered(self, baseline: str | None) -> Study:
        """The finished runs, by variant and then by seed, whatever order they finished in."""
        results = tuple((label, run) for label, run in self.finished() if isinstance(run, Result))
        if baseline is not None:
            return Comparison(self._variants, self._seeds, results, baseline)
        return Study(self._variants, self._seeds, results)

    def finished(self) -> list[tuple[str, Result | RunValues]]:
        """The finished runs, by variant and then by seed."""
        order = {label: place for place, label in enumerate(self._variants)}
        with self._lock:
            return sorted(self._finished, key=lambda entry: (order[entry[0]], entry[1].seed))

    def work(self, workers: int, progress: ProgressCallback | None) -> None:
        """Do all runs; returns when they are done, raises what stopped them."""
        # `Thread.join` is not used: before Python 3.13 an interrupted one takes the thread for ended.
        ended = [threading.Event() for _ in range(min(workers, len(self._jobs)))]
        threads = [
            threading.Thread(target=self._worker, args=(event,), daemon=True, name=f"sojourn run {place}")
            for place, event in enumerate(ended)
        ]
        started = time.monotonic()
        try:
            for thread in threads:
                thread.start()
            for event in ended:
                while not event.wait(0.1):
                    if progress is not None:
                        progress(self._progress(time.monotonic() - started))
        except BaseException:
            self._give_up(threads)
            raise
        if progress is not None:
            progress(self._progress(time.monotonic() - started))
        if self._failure is not None:
            raise self._failure

    def _give_up(self, threads: Sequence[threading.Thread]) -> None:
        """Stop all work. What is not finished within a moment is lost."""
        self._stop.set()
        started = [thread for thread in threads if thread.ident is not None]
        if not _joined(started):
            # A hook that is written in Python takes long, or never returns: it is ended where it is.
            for thread in started:
                _interrupt(thread)
            _joined(started)
        with self._lock:
            self._given_up = True

    def _progress(self, elapsed_s: float) -> Progress:
        with self._lock:
            worked = sum(self._simulated_s)
            to_do = sum(scenario.duration_s for _, scenario, _ in self._jobs)
            remaining = elapsed_s * (to_do - worked) / worked if worked > 0.0 else None
            done, total = worked + self._loaded_s, to_do + self._loaded_s
            return Progress(len(self._finished), self.total, done, total, elapsed_s, remaining)

    def _worker(self, ended: threading.Event) -> None:
        try:
            while not self._stop.is_set():
                with self._lock:
                    job = self._take()
                if job >= len(self._jobs):
                    return
                self._do(job)
        except BaseException as failure:
            with self._lock:
                self._failure = self._failure or failure
            self._stop.set()
        finally:
            ended.set()

    def _take(self) -> int:
        """The next run. Of each seed the longest begin first, so that at the end no worker waits long for another."""
        job = self._next
        self._next += 1
        if job < len(self._jobs) and (job == 0 or self._jobs[job - 1][2] != self._jobs[job][2]):
            seed = self._jobs[job][2]
            own = list(itertools.takewhile(lambda one: one[2] == seed, itertools.islice(self._jobs, job, None)))
            own.sort(key=lambda one: self._took_s.get(one[0], math.inf), reverse=True)
            self._jobs[job : job + len(own)] = own
        return job

    def _do(self, job: int) -> None:
        label, scenario, seed = self._jobs[job]
        began = time.perf_counter()
        result = self._simulate(job, scenario, seed)
        if result is None:
            return
        self._took_s[label] = time.perf_counter() - began
        kept: Result | RunValues = result
        if self._given_up:
            return
        if self._sink is not None:
            kept = self._sink(label, result)
        with self._lock:
            if not self._given_up:
                self._finished.append((label, kept))

    def _check_memory(self, job: int, simulation: _core.Simulation) -> None:
        """Stop before there is no memory left; what the runs at work hold together counts."""
        parts = simulation.footprint()
        self._held[job] = sum(size for _, size in parts)
        held = sum(self._held)
        if held > self._memory:
            raise _too_much(max(parts, key=_size), held, self._memory, simulation.now_s)

    def _simulate(self, job: int, scenario: Scenario, seed: int) -> Result | None:
        """One run in short slices; None if it was stopped."""
        simulation = _core.Simulation(scenario.resolved_json, seed, stop=self._stop.is_set)
        events = _FIRST_EVENTS
        while True:
            if self._stop.is_set():
                return None
            before = time.perf_counter()
            is_over = _advanced(simulation, events, self._memory - sum(self._held) + self._held[job])
            took_s = max(time.perf_counter() - before, 1e-6)
            self._simulated_s[job] = simulation.now_s
            self._check_memory(job, simulation)
            if is_over:
                break
            # They grow with care, for the load may grow at any time, and shrink at once.
            events = min(max(int(events * min(_SLICE_S / took_s, 2.0)), 1), _MOST_EVENTS)
        captures = simulation.captures()
        tables = Tables(simulation.tables())
        self._held[job] = 0
        return Result(scenario=scenario, seed=seed, version=_core.build(), tables=tables, captures=captures)
