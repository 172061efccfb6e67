"""The settings with which an experiment runs, and the runs made so far."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..runs.metrics import Metric
from ..runs.numbers import ExtendedStudy, MetricStudy, Parts, identity, parts_of, reducer
from .folders import EXPECTED, scenarios_of

if TYPE_CHECKING:
    from ..runs.comparison import Comparison
    from ..runs.pool import ProgressCallback
    from ..runs.result import Result, Study
    from ..scenario.scenario import QueueLike, Scenario
    from ..sweeps.store import RunStore

__all__ = ["Context"]


@dataclass
class Context:
    """The settings with which an experiment runs.

    Attributes
    ----------
    directory
        The paper's directory.
    quick
        Whether few runs are wanted rather than as many as the paper's.
    runs
        Number of seeds, if not the paper's or the quick number.
    workers, progress
        As for :func:`sojourn.study`.
    out
        Directory that keeps finished runs, a study directory for each study in it.
    experiment
        Name of the experiment that is being run.
    studies
        The studies that were run so far, by ``experiment/name``, for the report.
    among
        How many claims the experiment decides together: a claim that some runs decide alone gets more of them until it
        is decided among all.
    readings
        Whether the other readings of the work are run.
    from_few
        Whether a full run begins with few seeds, and adds more only where claims are open.
    """

    directory: Path
    quick: bool
    runs: int | None = None
    workers: int | None = None
    progress: ProgressCallback | None = None
    out: Path | None = None
    experiment: str = ""
    studies: dict[str, Study | MetricStudy] = field(default_factory=dict)
    among: int = 1
    readings: bool = True
    from_few: bool = False
    _scenarios: dict[tuple[str, tuple[str, ...]], Scenario] = field(default_factory=dict)
    _results: dict[tuple[Scenario, int], Result] = field(default_factory=dict)
    _done: dict[tuple[Scenario, int], dict[str, Parts]] = field(default_factory=dict)

    def seeds(self, *, full: int, quick: int) -> range:
        """Seeds 1 to `full`, or to `quick`."""
        return range(1, 1 + (self.runs or (quick if self.quick else full)))

    @cached_property
    def expected(self) -> Mapping[str, Any]:
        """The published numbers: ``expected.toml``."""
        return tomllib.loads((self.directory / EXPECTED).read_text(encoding="utf-8"))

    def scenario(self, name: str, *overrides: str) -> Scenario:
        """A scenario file of the paper, or one that comes with Sojourn, with ``key=value`` overrides."""
        from ..scenario.scenario import Scenario

        key = (name, overrides)
        if key not in self._scenarios:
            self._scenarios[key] = Scenario.load_beside(
                scenarios_of(self.directory), name, within=self.directory, overrides=overrides
            )
        return self._scenarios[key]

    def study(
        self,
        name: str,
        variants: Mapping[str, Scenario],
        *,
        seeds: Iterable[int],
        baseline: str | None = None,
        keep: Mapping[str, Sequence[str]] | None = None,
        counted: bool = True,
    ) -> Study:
        """Run variants; see :func:`sojourn.study`.

        Runs are not repeated: a variant that a reading does not change has the runs of the base.
        With `keep`, a run is reduced to these columns of these tables when it ends. Runs that are not `counted` are for
        figures; no claim uses them.
        """
        from ..runs import runner
        from ..runs.comparison import Comparison
        from ..runs.result import Study

        key = f"{self.experiment}/{name}"
        wanted = tuple(sorted(set(seeds)))
        # One of several variants with the same scenario is run.
        missing = {
            label: scenario
            for scenario, label in {scenario: label for label, scenario in variants.items()}.items()
            if any((scenario, seed) not in self._results for seed in wanted)
        }
        if missing:
            own = runner.study(
                missing,
                seeds=sorted({seed for one in missing.values() for seed in wanted if (one, seed) not in self._results}),
                workers=self.workers,
                progress=self.progress,
                out=self._directory_of(key),
                keep=keep,
            )
            self._results |= {(missing[label], result.seed): result for label, result in own.results}
        results = tuple(
            (label, self._results[scenario, seed]) for label, scenario in variants.items() for seed in wanted
        )
        done = Comparison(variants, wanted, results, baseline) if baseline else Study(variants, wanted, results)
        if counted:
            self.studies[key] = done
        return done

    def metric_study(
        self, name: str, variants: Mapping[str, Scenario], metrics: Mapping[str, Metric], *, seeds: Iterable[int]
    ) -> MetricStudy:
        """Run variants, and keep of each run only the metrics, when it ends.

        No run of this reproduction is repeated. With a directory those of an earlier one are not repeated either.
        """
        wanted = tuple(sorted(set(seeds)))
        keys = {one: identity(metric) for one, metric in metrics.items()}
        scenarios = dict.fromkeys(variants.values())
        with self._store() as store:
            if store is not None:
                self._load(store, scenarios, wanted, list(keys.values()))
            missing = self._missing(scenarios, wanted, list(keys.values()))
            if missing:
                self._measure(missing, wanted, metrics, store)
        found = {
            (label, seed): {one: self._done[scenario, seed][key] for one, key in keys.items()}
            for label, scenario in variants.items()
            for seed in wanted
        }
        done = MetricStudy(variants, wanted, metrics, found)
        self.studies[f"{self.experiment}/{name}"] = done
        return done

    def with_further_seeds(self, done: MetricStudy) -> ExtendedStudy:
        """The results of the variants of `done`, with the additional seeds that claims of any experiment wanted."""
        keys = {one: identity(metric) for one, metric in done.metrics.items()}
        parts = dict(done.parts)
        for label, scenario in done.variants.items():
            seed = done.seeds[-1] + 1
            while further := self._done.get((scenario, seed)):
                parts[label, seed] = {one: further[key] for one, key in keys.items() if key in further}
                seed += 1
        return ExtendedStudy(done.variants, done.seeds, done.metrics, parts)

    def _missing(self, scenarios: Iterable[Scenario], seeds: Sequence[int], keys: Sequence[str]) -> list[Scenario]:
        """Scenarios with a run that lacks a metric."""
        return [
            scenario
            for scenario in scenarios
            if any(key not in self._done.get((scenario, seed), {}) for seed in seeds for key in keys)
        ]

    def _measure(
        self, missing: Sequence[Scenario], seeds: Sequence[int], metrics: Mapping[str, Metric], store: RunStore | None
    ) -> None:
        from ..runs import runner
        from ..runs.pool import RunValues
        from ..runs.store import run_key

        labelled = {str(place): scenario for place, scenario in enumerate(missing)}
        keys = {one: identity(metric) for one, metric in metrics.items()}
        reduce = reducer(metrics)

        def keep(label: str, result: Result) -> RunValues:
            values = reduce(result)
            if store is not None:
                parts = {keys[one]: found for one, found in parts_of(metrics, values).items()}
                store.save_parts(run_key(labelled[label], result.seed), parts)
            return RunValues(result.seed, values)

        known = {
            (label, seed): tuple(part for key in keys.values() for part in found[key])
            for label, scenario in labelled.items()
            for seed in seeds
            if set(keys.values()) <= set(found := self._done.get((scenario, seed), {}))
        }
        runner.check(labelled, seeds)
        done, stopped = runner.reduce_runs(labelled, seeds, known, keep, workers=self.workers, progress=self.progress)
        for (label, seed), values in done.items():
            own = self._done.setdefault((labelled[label], seed), {})
            own |= {keys[one]: found for one, found in parts_of(metrics, values).items()}
        if stopped:
            raise KeyboardInterrupt

    @contextmanager
    def _store(self) -> Iterator[RunStore | None]:
        """The file of measured values, if runs are kept."""
        from ..sweeps.store import RunStore

        if self.out is None:
            yield None
            return
        with RunStore(self.out / "measured") as store:
            yield store

    def _load(
        self, store: RunStore, scenarios: Iterable[Scenario], seeds: Sequence[int], wanted: Sequence[str]
    ) -> None:
        from ..runs.store import run_key

        keys = {run_key(scenario, seed): (scenario, seed) for scenario in scenarios for seed in seeds}
        for key, parts in store.load_parts(list(keys)).items():
            own = self._done.setdefault(keys[key], {})
            own |= {name: found for name, found in parts.items() if name in wanted}

    def compare(
        self,
        scenario: str | Scenario,
        *,
        queues: Sequence[QueueLike] | Mapping[str, QueueLike],
        seeds: Iterable[int],
        baseline: str | None = None,
        name: str | None = None,
    ) -> Comparison:
        """Run a scenario (or a file's name) with several queues; see :func:`sojourn.compare`."""
        from ..runs.comparison import Comparison
        from ..runs.runner import labelled

        loaded = self.scenario(scenario) if isinstance(scenario, str) else scenario
        variants = {label: loaded.with_queue(queue) for label, queue in labelled(queues).items()}
        first = next(iter(variants)) if baseline is None else baseline
        done = self.study(name or loaded.title, variants, seeds=seeds, baseline=first)
        assert isinstance(done, Comparison)  # noqa: S101 - a baseline makes it one
        return done

    def _directory_of(self, key: str) -> Path | None:
        return None if self.out is None else self.out / _file_name(key)


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "study"
