"""The runs of a search: each is made once and kept."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..runs.pool import Progress
from ..runs.runner import reduce_runs
from ..runs.store import run_key
from ..sweeps.executor import Elsewhere, run_elsewhere, run_values
from ..sweeps.recording import recording

if TYPE_CHECKING:
    from ..runs.metrics import Metric
    from ..runs.pool import ProgressCallback, RunValues
    from ..runs.result import Result
    from ..scenario.scenario import Scenario
    from ..sweeps.store import RunStore

__all__ = ["Runs", "StoppedRuns"]


class StoppedRuns(KeyboardInterrupt):
    """The runs were stopped by Ctrl-C."""


class Runs:
    """Values of metrics by scenario and seed.

    Attributes
    ----------
    made, used
        The numbers of runs that were made, and that were requested, kept ones included.
    expected
        The expected number of requests, for the time left.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        *,
        store: RunStore | None = None,
        workers: int | None = None,
        elsewhere: Elsewhere | None = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        self._metrics = tuple({metric.name: metric for metric in metrics}.values())
        self._names = [metric.name for metric in self._metrics]
        self._store, self._workers, self._elsewhere, self._progress = store, workers, elsewhere, progress
        self._known: dict[tuple[Scenario, int], tuple[float, ...]] = {}
        self._began = time.monotonic()
        self._busy_s = 0.0
        self.made = 0
        self.expected = 0

    @property
    def used(self) -> int:
        """The number of requested runs, including those made earlier."""
        return len(self._known)

    def values(self, scenario: Scenario, seed: int) -> dict[str, float]:
        """The values of a run that was made, by the metric's name."""
        return dict(zip(self._names, self._known[scenario, seed], strict=True))

    def make(self, scenarios: Sequence[Scenario], seeds: Sequence[int]) -> None:
        """Make the runs of these scenarios with these seeds that are not there yet.

        Raises
        ------
        StoppedRuns
            On Ctrl-C; finished runs are kept on disk, if there is a folder.
        """
        wanted = {(one, seed) for one in scenarios for seed in seeds if (one, seed) not in self._known}
        if not wanted:
            return
        variants = {f"{place}": one for place, one in enumerate(dict.fromkeys(one for one, _ in wanted))}
        order = {one: place for place, one in enumerate(scenarios)}
        variants = dict(sorted(variants.items(), key=lambda item: order[item[1]]))
        found = {
            (label, seed): self._known[one, seed]
            for label, one in variants.items()
            for seed in seeds
            if (one, seed) in self._known
        }
        keys: dict[tuple[str, int], str] = {}
        if self._store is not None:
            keys = {(label, seed): run_key(one, seed) for label, one in variants.items() for seed in seeds}
            kept = self._store.load(list(keys.values()), self._names)
            found |= {job: tuple(kept[key].values()) for job, key in keys.items() if key in kept}
        stopped = self._run(variants, seeds, found, keys)
        for (label, seed), values in found.items():
            self._known[variants[label], seed] = values
        if stopped:
            raise StoppedRuns(f"{self.made} runs are finished")

    def _run(
        self,
        variants: Mapping[str, Scenario],
        seeds: Sequence[int],
        found: dict[tuple[str, int], tuple[float, ...]],
        keys: Mapping[tuple[str, int], str],
    ) -> bool:
        lean = {label: recording(one, self._metrics) for label, one in variants.items()}
        jobs = [(label, seed) for seed in seeds for label in variants if (label, seed) not in found]
        began, busy = time.monotonic(), self._busy_s
        # Points whose runs are all there have nothing to do, and an empty pool would report its end.
        if not jobs:
            return False

        def save(label: str, run: RunValues) -> None:
            self.made += 1
            if self._store is not None:
                self._store.save(keys[label, run.seed], dict(zip(self._names, run.values, strict=True)), run.warnings)

        def keep(label: str, result: Result) -> RunValues:
            run = run_values(result, self._metrics)
            save(label, run)
            return run

        def gather(label: str, run: RunValues) -> None:
            save(label, run)
            found[label, run.seed] = run.values

        def tell(progress: Progress) -> None:
            self._busy_s = busy + time.monotonic() - began
            self._tell(progress, len(jobs))

        if self._elsewhere is not None:
            return run_elsewhere(self._elsewhere, lean, jobs, self._metrics, gather, tell)
        # All requested runs have the same seeds, except for those that are there already.
        done, stopped = reduce_runs(lean, seeds, dict(found), keep, workers=self._workers, progress=tell)
        found.update(done)
        return stopped

    def _tell(self, part: Progress, jobs: int) -> None:
        if self._progress is None:
            return
        done = self.used + max(part.runs_done - (part.runs_total - jobs), 0)
        total = max(self.expected, done)
        each_s = part.simulated_total_s / max(part.runs_total, 1)
        left = self._busy_s * (total - done) / self.made if self.made else None
        self._progress(Progress(done, total, each_s * done, each_s * total, time.monotonic() - self._began, left))
