"""Searches for settings with Optuna, and compares the settings that it finds with the default on fresh seeds."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import count
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._base.extras import need
from ..runs.metrics import not_begun
from ..runs.runner import loaded_scenario
from ..scenario.scenario import Scenario, ScenarioError
from ..scenario.texts import seeds_of
from ..statistics.intervals import mean_interval, paired_difference
from ..sweeps.axes import Axis
from ..sweeps.run import elsewhere_of
from ..sweeps.store import RunStore
from .constraints import Constraint, parse_constraint
from .objectives import Objective, parse_objective
from .outcome import Found, Tried, Tuned, Verdict
from .race import Candidate, Race, levels
from .ranges import Parameter, Range, default_of, laid_over, parameters
from .runs import Runs, StoppedRuns

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from _typeshed import StrPath
    from optuna.study import Study
    from optuna.trial import Trial

    from ..runs.pool import ProgressCallback
    from ..runs.runner import ScenarioLike
    from ..scenario.texts import Seeds

__all__ = ["StoppedTuning", "tune"]

_TOGETHER = 4
"""Settings that are asked for before results are reported. The number of workers changes nothing here."""


class StoppedTuning(KeyboardInterrupt):
    """A search was stopped by Ctrl-C; the runs are on disk if a directory was given."""


def tune(
    scenario: ScenarioLike,
    *,
    over: Mapping[str, Range | Axis | Sequence[Any]],
    objectives: Sequence[str | Objective],
    subject_to: Sequence[str | Constraint] = (),
    trials: int = 60,
    seeds: Seeds = 12,
    fresh: Seeds | None = None,
    held_out: Sequence[ScenarioLike] = (),
    seed: int = 1,
    workers: int | None = None,
    out: StrPath | None = None,
    progress: ProgressCallback | None = None,
    on: str = "local",
    executor: Executor | None = None,
    storage: str | None = None,
) -> Tuned:
    """Search for values of parameters that are better than those of a scenario.

    All settings have the same seeds. Each begins with six, and gets more as long as it may still beat the best. The
    last comparison is on seeds, and in scenarios, that the search has not seen.

    Parameters
    ----------
    scenario
        The scenario with the default. Parameters that are not searched keep their values.
    over
        The parameters that are searched, by key (as for :func:`sojourn.sweep`; ``NAME:KEY`` names it): a
        :class:`Range`, or choices as a list or an :class:`Axis`.
    objectives
        ``METRIC[/METRIC][:max|min]``. With several the answer is a frontier.
    subject_to
        Bounds that every setting must keep: ``METRIC[/METRIC]<NUMBER`` or ``...>NUMBER``, in the metric's unit. A bound
        is kept if all of the mean's 95 % interval keeps it.
    trials
        How many settings are tried; 1 or more.
    seeds
        The seeds of the search, as in :func:`sojourn.compare`, 2 or more; by default 12.
    fresh
        The seeds of the last comparison, 2 or more and none of `seeds`: which, or how many behind the last of the
        search; by default as many as the search has, at least 20.
    held_out
        Scenarios in which the settings are compared with these scenarios' own values as well.
    seed
        The seed of the search itself. With the same arguments the answer is the same, with any `workers` and `out`.
    out
        Directory for finished runs. If it is there, they are read and not repeated.
    on, executor
        Where it runs; see :func:`sojourn.sweep`.
    storage
        Where Optuna keeps its trials for programs such as its dashboard: ``"sqlite:///tuned.db"``. Each search is a
        study of its own there, under the title of the scenario; it does not change the answer.

    Raises
    ------
    ValueError
        If a key, a range, an objective or a number is wrong; nothing has been run or written then.
    ModuleNotFoundError
        Without Optuna, with the package to install.
    StoppedTuning
        On Ctrl-C.
    """
    base = loaded_scenario(scenario)
    wanted = tuple(parse_objective(one, "objective ") if isinstance(one, str) else one for one in objectives)
    kept = tuple(parse_constraint(one, "subject_to ") if isinstance(one, str) else one for one in subject_to)
    own, last = _numbers(trials, seeds, fresh)
    found = parameters(base, over)
    others = [loaded_scenario(one) for one in held_out]
    _check(base, wanted, kept, found, others)
    need("tune")
    try:
        with (
            RunStore(Path(out)) if out is not None else nullcontext() as store,
            elsewhere_of(on, executor) as elsewhere,
        ):
            metrics = [metric for one in (*wanted, *(one.measure for one in kept)) for metric in one.metrics]
            runs = Runs(metrics, store=store, workers=workers, elsewhere=elsewhere, progress=progress)
            return _Search(base, found, wanted, kept, own, last, others, runs).run(trials, seed, storage)
    except StoppedRuns as stopped:
        raise StoppedTuning(str(stopped)) from None


def _study_name(storage: str, title: str) -> str:
    """A name that no study of the storage has.

    Raises
    ------
    ValueError
        If there is no such storage.
    """
    import optuna

    try:
        known = set(optuna.get_all_study_names(storage))
    except Exception as error:  # Optuna passes the errors of any driver on.
        raise ValueError(
            f"storage {storage}: {str(error).splitlines()[0]}\n  allowed: an address such as sqlite:///tuned.db"
        ) from None
    return next(name for number in count(1) if (name := f"{title} ({number})" if number > 1 else title) not in known)


def _numbers(trials: int, seeds: Seeds, fresh: Seeds | None) -> tuple[list[int], list[int]]:
    own = list(seeds_of(seeds))
    if trials < 1:
        raise ValueError(f"{trials} trials: give at least one")
    if len(own) < 2:
        raise ValueError(f"a search has two seeds or more: one run has no interval; there is {len(own)}")
    last = behind(own, max(len(own), 20) if fresh is None else fresh)
    if len(last) < 2:
        raise ValueError(f"the decision needs two other seeds or more: one run has no interval; there is {len(last)}")
    if seen := set(own) & set(last):
        raise ValueError(f"seed {min(seen)} is one of the search: the decision needs other seeds")
    return own, last


def behind(own: Sequence[int], fresh: Seeds, place: str = "fresh") -> list[int]:
    """Seeds of the last comparison: a number alone means that many after those of the search.

    `place` is where it is written, for messages.
    """
    found = seeds_of(fresh, place)
    counted = isinstance(fresh, Integral) or (isinstance(fresh, str) and fresh.strip().isdecimal())
    return [seed + max(own) for seed in found] if counted else list(found)


def _check(
    base: Scenario,
    objectives: Sequence[Objective],
    constraints: Sequence[Constraint],
    found: Sequence[Parameter],
    others: Sequence[Scenario],
) -> None:
    if not objectives:
        raise ValueError("there is no objective\n  hint:    --objective sojourn_p99_ms, or --objective utilisation:max")
    names = [one.name for one in objectives]
    if len(set(names)) < len(names):
        raise ValueError(f"an objective is given twice: {', '.join(names)}")
    bounds = [one.name for one in constraints]
    if len(set(bounds)) < len(bounds):
        raise ValueError(f"a constraint is given twice: {', '.join(bounds)}")
    measures = [*objectives, *(one.measure for one in constraints)]
    for one in (base, *others):
        run = not_begun(one)
        for metric in (metric for measure in measures for metric in measure.metrics):
            metric.try_on(run)
    for one in others:
        parameters(one, {f"{p.name}:{'+'.join(p.keys)}": p.choices or p.range for p in found})  # type: ignore[misc]


class _Search:
    def __init__(
        self,
        base: Scenario,
        found: Sequence[Parameter],
        objectives: tuple[Objective, ...],
        constraints: tuple[Constraint, ...],
        seeds: Sequence[int],
        fresh: Sequence[int],
        held_out: Sequence[Scenario],
        runs: Runs,
    ) -> None:
        self._base, self._parameters, self._objectives = base, found, objectives
        self._seeds, self._fresh, self._held_out, self._runs = seeds, fresh, held_out, runs
        self._constraints = constraints
        self._refused = 0
        self._dropped = 0
        self._tried: list[Tried] = []

    def run(self, trials: int, seed: int, storage: str | None = None) -> Tuned:
        import optuna

        # Optuna writes a line for each setting, and warns about experimental features.
        optuna.logging.set_verbosity(logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(
                seed=seed,
                n_startup_trials=10,
                multivariate=True,
                group=False,
                constant_liar=True,
            )
            study = optuna.create_study(
                directions=["maximize" if one.more else "minimize" for one in self._objectives],
                sampler=sampler,
                storage=storage,
                study_name=None if storage is None else _study_name(storage, self._base.title),
            )
            self._expect(trials, 0)
            race = Race(Candidate({}, self._base), self._objectives, self._seeds, self._runs, self._constraints)
            done = 0
            while done < trials:
                number = min(_TOGETHER, trials - done)
                self._together(study, race, number)
                done += number
                self._expect(trials, done)
        return self._answer(race, trials)

    def _together(self, study: Study, race: Race, number: int) -> None:
        """Ask for some settings, race them, and report them."""
        from optuna.trial import TrialState

        asked: list[tuple[Trial, Candidate | None]] = [
            (trial := study.ask(), self._candidate(trial)) for _ in range(number)
        ]
        running = [one for _, one in asked if one is not None]
        race.run(running)
        for trial, one in asked:
            if one is None or any(map(math.isnan, [*race.estimate(one), *race.excesses(one)])):
                study.tell(trial, state=TrialState.FAIL)
                continue
            means = race.estimate(one)
            for bound, excess in zip(self._constraints, race.excesses(one), strict=True):
                # A number above zero means that the constraint is broken.
                trial.set_constraint(bound.name, excess)
            study.tell(trial, means)
            named = dict(zip((objective.name for objective in self._objectives), means, strict=True))
            bounded = {
                bound.name: mean_interval(sample).mean
                for bound, sample in zip(self._constraints, one.bounded, strict=True)
            }
            self._tried.append(Tried(one.labels, named, one.seeds, race.keeps(one), bounded))
        self._refused += number - len(running)
        self._dropped += sum(one.out and one.seeds < len(self._seeds) for one in running)

    def _candidate(self, trial: Trial) -> Candidate | None:
        settings = {one.name: one.ask(trial) for one in self._parameters}
        try:
            return Candidate(settings, laid_over(self._base, settings))
        except ScenarioError:
            return None

    def _expect(self, trials: int, done: int) -> None:
        """Estimate the number of runs: the mean or the least cost of a setting, for all settings to come."""
        each = (self._runs.used - len(self._seeds)) / done if done else levels(len(self._seeds))[0]
        last = 2 * len(self._fresh) * (1 + len(self._held_out))
        self._runs.expected = int(max(self._runs.used, len(self._seeds)) + each * (trials - done) + last)

    def _answer(self, race: Race, trials: int) -> Tuned:
        first = self._objectives[0]
        members = race.with_more_room() or sorted(
            (one for one in race.frontier if one is not race.default), key=lambda one: first.sign * one.means()[0]
        )
        places = [("", self._base), *((one.title or f"scenario {n}", one) for n, one in enumerate(self._held_out, 1))]
        level = 1.0 - 0.05 / max(len(members) * len(self._objectives), 1)
        found = {id(one): [] for one in members}  # type: dict[int, list[Verdict]]
        for place, scenario in places if members else []:
            candidates = {id(one): laid_over(scenario, one.settings) for one in members}
            self._runs.make([scenario, *candidates.values()], self._fresh)
            for key, candidate in candidates.items():
                found[key].append(self._verdict(place, candidate, scenario, level))
        return Tuned(
            objectives=self._objectives,
            default={one.name: default_of(one, self._base) for one in self._parameters},
            scenario=self._base,
            frontier=tuple(Found(one.labels, one.scenario, tuple(found[id(one)])) for one in members),
            seeds=tuple(self._seeds),
            fresh=tuple(self._fresh),
            trials=trials,
            refused=self._refused,
            dropped=self._dropped,
            runs=self._runs.used,
            constraints=self._constraints,
            default_means=dict(zip((one.name for one in self._objectives), race.default.means(), strict=True)),
            default_bounded={
                bound.name: mean_interval(sample).mean
                for bound, sample in zip(self._constraints, race.default.bounded, strict=True)
            },
            tried=tuple(self._tried),
            ranges={one.name: one.range for one in self._parameters},
        )

    def _verdict(self, place: str, candidate: Scenario, default: Scenario, level: float) -> Verdict:
        means, defaults, gaps = {}, {}, {}
        complete, gained, harmed = True, False, False
        for one in self._objectives:
            own, base = (
                [one.of(self._runs.values(scenario, seed)) for seed in self._fresh] for scenario in (candidate, default)
            )
            means[one.name], defaults[one.name] = mean_interval(own), mean_interval(base)
            gaps[one.name] = paired_difference(own, base, level=level)
            complete &= gaps[one.name].n == len(self._fresh)
            # The plain level is enough to call a setting worse: a loss is found sooner than a gain.
            plain = paired_difference(own, base)
            gained |= gaps[one.name].excludes_zero and one.sign * plain.mean < 0.0
            sure = plain.excludes_zero or plain.half_width == 0.0
            harmed |= sure and one.sign * plain.mean > 0.0
        bounded, default_bounded, broken, mended = {}, {}, [], False
        for bound in self._constraints:
            own, base = (
                [bound.measure.of(self._runs.values(scenario, seed)) for seed in self._fresh]
                for scenario in (candidate, default)
            )
            bounded[bound.name], default_bounded[bound.name] = mean_interval(own), mean_interval(base)
            mended |= bound.is_broken(base)
            if not bound.is_kept(own):
                broken.append(bound.name)
        better = complete and not broken and (mended or (gained and not harmed))
        improves = gained and not harmed
        return Verdict(place, means, defaults, gaps, better, improves, bounded, default_bounded, tuple(broken))
