"""The threads that runs work in, and how a run is watched: its progress, its memory, and its end before time.

Each run advances in short slices, between which it can be stopped; neither the slices nor the number of workers change
a result. The module :mod:`runs.runner` chooses the runs.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ... import _core
from .._base.memory import available_bytes, return_free_memory, return_large_blocks
from ..scenario.scenario import Scenario
from .comparison import Comparison
from .result import Result, Study
from .tables import Tables

__all__ = ["Pool", "Progress", "ProgressCallback", "RunValues", "Sink", "built", "simulate"]

# Wall-clock seconds that a slice should take: short enough to stop at once, long enough to cost nothing.
_SLICE_S = 0.05

# Events of the first slice, and of any. The cost of an event differs a thousandfold between networks, but hardly within
# one; the number of events in a second of simulated time may change at any moment. The first one is short, for an event
# may call a hook in Python that takes long.
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
    note
        In a study that stops when it is decided: the open difference, by the runs until the last look.
    """

    runs_done: int
    runs_total: int
    simulated_s: float
    simulated_total_s: float
    elapsed_s: float
    remaining_s: float | None
    note: str = ""


ProgressCallback = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class RunValues:
    """The kept part of a run: its seed, some values, and its warnings, each as the code and the place."""

    seed: int
    values: tuple[float, ...]
    warnings: tuple[str, ...] = ()


Sink = Callable[[str, "Result"], "Result | RunValues"]
"""Called in the thread of a run when it ends, with its label; gives the kept part of the run."""


def built(scenario: Scenario, seed: int, *, stop: Callable[[], bool] | None = None) -> _core.Simulation:
    """A run before its first event; `stop` may end the building of a large network."""
    simulation = _core.Simulation(scenario.resolved_json, seed, stop=stop)
    return_free_memory(scenario.resolved_json)
    return simulation


def simulate(scenario: Scenario, seed: int) -> Result:
    """One run from its beginning to its end, in this thread and without progress: for workers in other processes."""
    simulation = built(scenario, seed)
    memory = available_bytes()
    while not _advanced(simulation, _MOST_EVENTS, memory):
        parts = simulation.footprint()
        held = sum(size for _, size in parts)
        if held > memory:
            raise _too_much(max(parts, key=_size), held, memory, simulation.now_s)
    captures = simulation.captures()
    return Result(scenario, seed, _core.build(), Tables(simulation.tables()), captures)


def _advanced(simulation: _core.Simulation, events: int, memory: int) -> bool:
    """Advance by one slice, which takes at most `memory` bytes; whether the run is over."""
    now_s = simulation.now_s
    try:
        return simulation.advance(simulation.duration_s, events=events, memory=max(memory, 0))
    except _core.OutOfMemory as full:
        what, held = full.args
        raise _too_much((what, held), held, memory, now_s) from None


def _size(part: tuple[str, int]) -> int:
    return part[1]


def _too_much(part: tuple[str, int], held: int, memory: int, now_s: float) -> MemoryError:
    """The error of too little memory; `part` is the largest part in use."""
    what, most = part
    if held <= memory:
        # The system refused it: a limit of the process or of its container that was not known.
        said = f"the system has no more {most / 1e9:.1f} GB for {what} at {now_s:g} s of simulated time"
    else:
        said = (
            f"{held / 1e9:.1f} GB of {memory / 1e9:.1f} GB at {now_s:g} s of simulated time, "
            f"of which {most / 1e9:.1f} GB are for {what}"
        )
    return MemoryError(
        f"this takes more memory than there is: {said}\n"
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
        # A thread cannot be left behind: the end of Python would abort the process in the midst of it.
        import ctypes

        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_EndedHook))


class Pool:
    """The runs of a study, and the threads that work on them.

    Those in `found` are finished already. A study of a single run may have it in `made`, before its first event.
    """

    def __init__(
        self,
        variants: Mapping[str, Scenario],
        seeds: Sequence[int],
        sink: Sink | None,
        found: Mapping[tuple[str, int], Result | RunValues],
        made: Sequence[_core.Simulation] = (),
    ) -> None:
        # Seed by seed, so that a study that is stopped early has every variant equally often.
        everything = [(label, scenario, seed) for seed in seeds for label, scenario in variants.items()]
        self._jobs = [(label, scenario, seed) for label, scenario, seed in everything if (label, seed) not in found]
        self._variants = variants
        self._seeds = tuple(seeds)
        self._sink = sink
        self._made = list(made)
        self._finished: list[tuple[str, Result | RunValues]] = [(label, result) for (label, _), result in found.items()]
        self._simulated_s = [0.0] * len(self._jobs)
        # How long the last run of each variant took.
        self._took_s: dict[str, float] = {}
        self._loaded_s = sum(variants[label].duration_s for label, _ in found)
        self._next = 0
        self._lock = threading.Lock()
        # Held to interrupt a thread, and by the thread to say that it has ended: past this nothing may interrupt it.
        self._interruption = threading.Lock()
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
        """Do all runs; returns when they are done, raises the error that stopped them."""
        if len(self._jobs) > 1:
            return_large_blocks()
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
            self._give_up(threads, ended)
            raise
        if progress is not None:
            progress(self._progress(time.monotonic() - started))
        if self._failure is not None:
            raise self._failure

    def _give_up(self, threads: Sequence[threading.Thread], ended: Sequence[threading.Event]) -> None:
        """Stop all work. Runs that do not end within a moment are lost."""
        self._stop.set()
        started = [thread for thread in threads if thread.ident is not None]
        if not _joined(started):
            # A hook that is written in Python takes long, or never returns: it is ended where it is.
            for thread, event in zip(threads, ended, strict=True):
                with self._interruption:
                    if not event.is_set():
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
        """The body of a thread. :meth:`_give_up` may interrupt it anywhere in here, until it has ended."""
        try:
            self._work()
            with self._interruption:
                ended.set()
        except _EndedHook:
            ended.set()

    def _work(self) -> None:
        """Do runs until none is left, one fails or all are stopped."""
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

    def _take(self) -> int:
        """The next run. For each seed the longest begin first, so that at the end no worker waits long for another."""
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
        """Stop before there is no memory left; the memory of all runs at work counts."""
        parts = simulation.footprint()
        self._held[job] = sum(size for _, size in parts)
        held = sum(self._held)
        if held > self._memory:
            raise _too_much(max(parts, key=_size), held, self._memory, simulation.now_s)

    def _simulate(self, job: int, scenario: Scenario, seed: int) -> Result | None:
        """One run in short slices; None if it was stopped."""
        simulation = self._made.pop() if self._made else built(scenario, seed, stop=self._stop.is_set)
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
            # Slices grow slowly, because the load may grow at any time, and shrink at once.
            events = min(max(int(events * min(_SLICE_S / took_s, 2.0)), 1), _MOST_EVENTS)
        captures = simulation.captures()
        tables = Tables(simulation.tables())
        self._held[job] = 0
        return Result(scenario=scenario, seed=seed, version=_core.build(), tables=tables, captures=captures)
