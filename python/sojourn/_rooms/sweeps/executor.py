"""Runs of a sweep in other processes: any ``concurrent.futures`` executor, such as that of a Dask cluster.

Runs are sent in batches, each of which takes about a second, so that a run of ten milliseconds is worth sending. Only
the metrics come back. The executor schedules the batches, and decides what happens if a worker dies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import _core
from ..own._classes import Carried, carried, restore
from ..runs.metrics import Metric
from ..runs.pool import Progress, RunValues

if TYPE_CHECKING:
    from ..runs.pool import ProgressCallback
    from ..runs.result import Result
    from ..scenario.scenario import Scenario

__all__ = ["Elsewhere", "run_elsewhere", "run_values"]

_BATCH_S = 1.0
"""How long a batch should take."""
_MOST_IN_BATCH = 1000
_IN_FLIGHT = 4
"""Batches for each worker that are sent ahead."""
_FEWEST_IN_FLIGHT = 64
"""The number of batches if the number of workers is unknown."""

_FIRST = 8
"""Batches of one run that are sent before it is known how long a run takes."""

Job = tuple[str, int]
"""Label of the point, and seed."""


@dataclass(frozen=True)
class Batch:
    """The message to a worker: resolved scenarios, each once, with users' classes, and the runs with their seeds."""

    build: str
    scenarios: Sequence[str]
    runs: Sequence[tuple[int, int]]
    metrics: Sequence[Metric]
    classes: Carried


def _nothing() -> None:
    """The default for `look`: do nothing."""


@dataclass(frozen=True)
class Elsewhere:
    """An executor. `look` is called often while runs are away, and raises where they cannot come back.

    `run_returned` is called when some have come back.
    """

    executor: Executor
    look: Callable[[], None] = _nothing
    run_returned: Callable[[], None] = _nothing


def work(batch: Batch) -> tuple[list[RunValues], float]:
    """Run a batch in this process; gives the kept part of each run, and the time for all in seconds.

    Raises
    ------
    ValueError
        If Sojourn is of another build here.
    """
    from ..runs.pool import simulate
    from ..scenario.scenario import Scenario

    if _core.build() != batch.build:
        raise ValueError(refusal(batch.build, {_core.build()}))
    started = time.perf_counter()
    restore(batch.classes)
    scenarios = [Scenario.from_resolved(text) for text in batch.scenarios]
    found = []
    for place, seed in batch.runs:
        result = simulate(scenarios[place], seed)
        found.append(run_values(result, batch.metrics))
    return found, time.perf_counter() - started


def run_values(result: Result, metrics: Sequence[Metric]) -> RunValues:
    """The part of a run that a sweep keeps."""
    codes, places = (result.raw.column("warnings", name) for name in ("code", "place"))
    warnings = tuple(f"{code} in {place}" for code, place in zip(codes, places, strict=True))
    return RunValues(result.seed, tuple(metric.of(result) for metric in metrics), warnings)


def refusal(own: str, others: set[str]) -> str:
    """Why workers of another build are not used."""
    return (
        f"workers have Sojourn {', '.join(sorted(others))}, and this is {own}: their numbers need not be the same\n"
        "  hint:    install the same build on all of them"
    )


def run_elsewhere(
    place: Elsewhere,
    variants: Mapping[str, Scenario],
    jobs: Sequence[Job],
    metrics: Sequence[Metric],
    keep: Callable[[str, RunValues], None],
    progress: ProgressCallback | None = None,
) -> bool:
    """Run jobs in an executor; `keep` is called with each run that ends. Gives whether Ctrl-C stopped it.

    Raises
    ------
    ConnectionError
        If the executor, or a worker of it, is gone.
    """
    executor = place.executor
    waiting, flying = list(reversed(jobs)), dict[Future[Any], Sequence[Job]]()
    started, done, size = time.monotonic(), 0, 1
    window = max(_FEWEST_IN_FLIGHT, _IN_FLIGHT * int(getattr(executor, "_max_workers", None) or 0))
    try:
        while waiting or flying:
            while waiting and len(flying) < (window if done else _FIRST):
                own = [waiting.pop() for _ in range(min(size, len(waiting)))]
                flying[executor.submit(work, _batch(own, variants, metrics))] = own
            ended, _ = wait(flying, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ended:
                sent = flying.pop(future)
                found, took_s = _result(future, sent)
                place.run_returned()
                for (label, _), run in zip(sent, found, strict=True):
                    keep(label, run)
                done += len(sent)
                wanted = int(_BATCH_S * len(sent) / max(took_s, 1e-6))
                # The batch size grows slowly: the next runs may take longer.
                size = max(1, min(wanted, 4 * size, _MOST_IN_BATCH))
            place.look()
            if progress is not None:
                progress(_progress(done, jobs, variants, time.monotonic() - started))
    except KeyboardInterrupt:
        return True
    finally:
        for future in flying:
            future.cancel()
    return False


def _result(future: Future[Any], sent: Sequence[Job]) -> Any:
    """The result that came back, or an error that says why none did."""
    kept = "\n  hint:    with --out DIR finished runs are kept, and the same command resumes"
    label, seed = sent[0]
    runs = f"{label} with seed {seed}" + (f" and {len(sent) - 1} more" if len(sent) > 1 else "")
    try:
        return future.result()
    except CancelledError:
        raise ConnectionError(f"the scheduler is gone, or has given up the runs{kept}") from None
    except BrokenExecutor as error:
        raise ConnectionError(f"a worker of the executor died while it had runs ({error}){kept}") from None
    except Exception as error:
        name = type(error).__name__
        if name == "KilledWorker":
            raise ConnectionError(
                f"every worker died that had this: {runs}\n  hint:    memory, or a class of your own in the scenario"
            ) from None
        if isinstance(error, ImportError) or "ModuleNotFoundError" in str(error):
            raise ConnectionError(f"a worker cannot import a package: {error}{kept}") from None
        if name in ("FutureCancelledError", "CommClosedError"):
            raise ConnectionError(f"the scheduler is gone, or has given up the runs{kept}") from None
        raise


def _batch(jobs: Sequence[Job], variants: Mapping[str, Scenario], metrics: Sequence[Metric]) -> Batch:
    places = {label: place for place, label in enumerate(dict.fromkeys(label for label, _ in jobs))}
    scenarios = [variants[label].resolved_json for label in places]
    classes = tuple(dict.fromkeys(thing for label in places for thing in carried(variants[label].resolved())))
    return Batch(_core.build(), scenarios, [(places[label], seed) for label, seed in jobs], metrics, classes)


def _progress(done: int, jobs: Sequence[Job], variants: Mapping[str, Scenario], elapsed_s: float) -> Progress:
    mean_s = sum(variants[label].duration_s for label, _ in jobs) / max(len(jobs), 1)
    remaining = elapsed_s * (len(jobs) - done) / done if done else None
    return Progress(done, len(jobs), mean_s * done, mean_s * len(jobs), elapsed_s, remaining)
