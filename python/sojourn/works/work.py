"""Published experiments, run again: the paper's numbers beside ours.

A paper is a folder ``papers/<key>/``: ``work.toml`` says its title, ``experiments/`` has a study file for each
experiment, ``scenarios/`` what they run, ``expected.toml`` the published numbers. ``sojourn init --work KEY`` writes
one. What no study file can say is in ``code/experiments.py``, which defines ``PAPER`` and may import modules beside it
(``from . import tables``)::

    from collections.abc import Iterator
    from sojourn.claims import Claim, below
    from sojourn.papers import Context, Finding, Paper

    PAPER = Paper()

    @PAPER.experiment("H1", "Three long flows through one bottleneck")
    def static(context: Context) -> Iterator[Finding]:
        comparison = context.compare("H1.toml", queues=["red", "ared"], seeds=context.seeds(full=100, quick=10))
        loss = comparison.values("loss_ratio")
        less = [ared - red for ared, red in zip(loss["ared"]["bottleneck"], loss["red"]["bottleneck"], strict=True)]
        yield Claim.judged(
            "ARED loses less than RED", below(less), rule="paired difference below 0", source="table 6.1", unit="points"
        )

An experiment yields claims and exhibits (tables, charts, remarks; :mod:`sojourn.exhibits`) in the order of the report.
Where the paper is ambiguous, a claim is yielded again for each other reading, with the same text.
Nothing here knows of any one paper.
"""

from __future__ import annotations

import difflib
import fnmatch
import importlib.util
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from .._base import toml
from .._base.extras import need
from .._base.schema import Between, Share, Wrong, known, made, tables, told_of, under
from ..runs.metrics import Metric
from ..runs.numbers import Gathered, Measured, Parts, identity, parts_of, reducer
from ..scenario import shipped as scenarios
from . import references
from .choices import Choice, Search
from .claims import Claim, corrected
from .exhibits import Chart, Exhibit, Later, Number, Numbers, Remark
from .failure import named_faults
from .folders import CODE, EXPECTED, EXPERIMENTS, WORK, check_layout, folder_of, paper_folders, scenarios_of

if TYPE_CHECKING:
    from ..runs.result import Comparison, Result, Study
    from ..runs.runner import ProgressCallback
    from ..scenario.scenario import QueueLike, Scenario
    from ..sweeps.store import RunStore

__all__ = [
    "About",
    "Chart",
    "Claim",
    "Context",
    "Experiment",
    "Finding",
    "Number",
    "Numbers",
    "Paper",
    "Remark",
    "Reproduction",
    "Unstated",
    "find",
    "folder",
    "load",
    "reproduce",
]

Finding = Claim | Exhibit
"""The results of an experiment."""

Check = Callable[["Context"], Iterable[Finding | Later]]


@dataclass(frozen=True)
class Named:
    """The named parts of an experiment that is data."""

    metrics: Sequence[str]
    axes: Mapping[str, Sequence[str]]
    readings: Sequence[str]


@dataclass(frozen=True)
class Experiment:
    """One experiment of a paper.

    Attributes
    ----------
    name, doc
        Its name for ``--only``, and a line about it.
    check
        Runs it and gives what was found.
    claims
        How many claims it judges, where that is known before it is run.
    seeds
        With how many seeds it is run in full, and up to how many, in words.
    rules
        What is asked of the number of a claim, by the claim's text, where that is known before it is run.
    sources
        The place of its claims in the work, in words.
    prepare
        Refuses what cannot be run, before anything is.
    named
        What it has names for; nothing of a function of Python.
    study
        The experiment as data (:class:`sojourn.reproduce.StudyExperiment`), if it is data.
    """

    name: str
    doc: str
    check: Check
    claims: int = 0
    seeds: str = ""
    rules: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[str] = ()
    prepare: Callable[[Context], None] | None = None
    named: Named | None = None
    study: object = None

    def shows(self, place: str) -> bool:
        """Whether it is about a figure or a table of the work, such as "figure 5.6"."""
        wanted = references.asked(place)
        return wanted is not None and any(wanted in references.named(text) for text in (self.doc, *self.sources))


@dataclass(frozen=True, kw_only=True)
class Unstated:
    """A point that a work does not state but an experiment needs.

    Attributes
    ----------
    what, taken, why
        In words.
    readings
        Names of the readings that choose otherwise.
    name, choice
        A short name, and the choices that a program can try (:mod:`sojourn.works.forensics`).
    """

    what: str
    taken: str
    why: str
    readings: Sequence[str] = ()
    name: str = ""
    choice: Sequence[Choice] = ()


def _unstated(row: Mapping[str, Any]) -> Unstated:
    """An item of ``[[unstated]]`` with its choices, of which one is taken."""
    choices = []
    with under("choice"):
        for place, one in enumerate(tables(row.get("choice", []))):
            with under(str(place)):
                choices.append(made(Choice, one))
        if len(choices) == 1:
            raise Wrong("one choice is none", allowed="two or more")
        if choices and (count := sum(one.taken for one in choices)) != 1:
            raise Wrong(f"{count} choices have taken = true", allowed="one, with which the experiments are run")
    if choices and not row.get("name"):
        raise Wrong("an item with choices needs a short name", hint='write name = "packets"')
    rest = {key: value for key, value in row.items() if key != "choice"}
    return made(Unstated, rest, hidden=("choice",), more={"choice": tuple(choices)})


@dataclass(frozen=True, kw_only=True)
class About:
    """The description of a work in a report, before its claims: ``work.toml`` in its directory.

    Attributes
    ----------
    title, citation
        What it is about in a few words, and where it was published.
    experiments
        Its study files, without ``.toml``, in their order; ``*`` stands for any letters. Without it all, by name.
    proposal
        The proposal of the work, in a paragraph.
    codes
        What the codes mean with which claims begin.
    metrics
        What its metrics are called in words; under an experiment's name those that are called otherwise there.
    axes
        What its axes are called in words.
    points
        How a number of an axis is said: ``rate = "{} Mbit/s"``; without it is ``rate 5``.
    printed_runs, printed_level
        Of how many runs its printed numbers are, and the level of its printed intervals; a study file or a claim may
        say otherwise.
    most_seeds
        How many runs a claim may get that is left open, at least: as many as the work made.
    unstated
        What it leaves open.
    forensics
        How a search over what it leaves open is made.
    """

    title: str = ""
    citation: str = ""
    experiments: Sequence[str] = ()
    proposal: str = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    points: Mapping[str, str] = field(default_factory=dict)
    printed_runs: Annotated[int, Between(0, 100_000)] | None = None
    printed_level: Annotated[float, Share()] | None = None
    most_seeds: Annotated[int, Between(0, 100_000)] = 0
    unstated: Sequence[Unstated] = ()
    forensics: Search = field(default_factory=Search)

    @classmethod
    def load(cls, directory: Path) -> About:
        """Read the file; nothing where there is none."""
        path = directory / WORK
        if not path.is_file():
            return cls()
        content = dict(toml.read(path))
        try:
            rows = []
            with under("unstated"):
                for place, row in enumerate(tables(content.pop("unstated", []))):
                    with under(str(place)):
                        rows.append(_unstated(row))
            with under("forensics"):
                search = made(Search, content.pop("forensics", {}))
            more = {"unstated": tuple(rows), "forensics": search}
            about = made(cls, content, hidden=("unstated", "forensics"), more=more)
        except Wrong as wrong:
            raise told_of(wrong, [(path, ())]) from None
        return replace(about, proposal=" ".join(about.proposal.split()))

    def check(self, experiments: Sequence[Experiment]) -> None:
        """Refuse names of readings, metrics and axes that no experiment has; those of Python may have any."""
        every = [one.name for one in experiments]
        for name, own in self.forensics.parts.items():
            for number, experiment in enumerate(own):
                known(experiment, every, "experiment", "forensics", "parts", name, str(number))
        for name in self.forensics.runs:
            known(name, every, "experiment", "forensics", "runs", name)
        if any(one.named is None for one in experiments):
            return
        names = [one.named for one in experiments if one.named is not None]
        readings = [name for one in names for name in one.readings]
        axes = {axis: points for one in names for axis, points in one.axes.items()}
        metrics = [name for one in names for name in one.metrics]
        for place, row in enumerate(self.unstated):
            for number, reading in enumerate(row.readings):
                known(reading, dict.fromkeys(readings), "reading", "unstated", str(place), "readings", str(number))
        for name, title in self.metrics.items():
            # A table has the names of one experiment, which may continue another.
            there = metrics if isinstance(title, str) else every
            known(name, dict.fromkeys(there), "metric" if isinstance(title, str) else "experiment", "metrics", name)
        for name in self.axes:
            known(name, axes, "axis", "axes", name)
        for name in self.points:
            known(name.partition(".")[0], axes, "axis", "points", name)

    @property
    def of_runs(self) -> dict[str, float]:
        """The keys about all of its printed numbers, as in a study file."""
        own = {"printed_runs": self.printed_runs, "printed_level": self.printed_level}
        return {key: value for key, value in own.items() if value is not None}

    def titles(self, *experiments: str) -> dict[str, str]:
        """Words for the metrics of experiments, for axes as `axes.flows`, and for their numbers as `points.flows`."""
        found = {f"axes.{name}": title for name, title in self.axes.items()}
        found |= {f"points.{name}": text for name, text in self.points.items()}
        found |= {name: title for name, title in self.metrics.items() if isinstance(title, str)}
        for one in experiments:
            own = self.metrics.get(one, {})
            found |= own if isinstance(own, Mapping) else {}
        return found


@dataclass(kw_only=True)
class Paper:
    """A paper with its experiments.

    Attributes
    ----------
    title, citation
        What it is about in a few words, and where it was published: ``work.toml`` says it.
    about
        What it proposed and leaves open, from ``work.toml``.
    """

    title: str = ""
    citation: str = ""
    experiments: list[Experiment] = field(default_factory=list)
    about: About = field(default_factory=About)
    _before: dict[str, str] = field(default_factory=dict, repr=False)
    _after: dict[str, str] = field(default_factory=dict, repr=False)
    _claims: dict[str, list[Callable[..., Claim]]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"<Paper {self.title!r}: {len(self.experiments)} experiments>"

    def _repr_html_(self) -> str:
        from ..showing.display import block, table

        rows = [(experiment.name, experiment.doc) for experiment in self.experiments]
        about = escape(self.about.proposal)
        proposal = f'<p style="max-width: 50em">{about}</p>' if about else ""
        return block(self.title, self.citation, [proposal, table(("experiment", "what it does"), rows)])

    def experiment(self, name: str, doc: str, *, before: str = "", after: str = "") -> Callable[[Check], Check]:
        """Enter the decorated function as an experiment: before or after another one, else behind all study files."""

        def enter(check: Check) -> Check:
            self.experiments.append(Experiment(name, doc, check))
            if before:
                self._before[name] = before
            if after:
                self._after[name] = after
            return check

        return enter

    def add_claims(self, experiment: str, claims: Iterable[Callable[..., Claim]]) -> None:
        """Add claims about the results of an experiment that is data, as functions of its :class:`Results`."""
        self._claims.setdefault(experiment, []).extend(claims)


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
        What was run so far, by ``experiment/name``, for the report.
    among
        How many claims the experiment decides together: a claim that some runs decide alone gets more of them until it
        is decided among so many.
    readings
        Whether the other readings of the work are run.
    """

    directory: Path
    quick: bool
    runs: int | None = None
    workers: int | None = None
    progress: ProgressCallback | None = None
    out: Path | None = None
    experiment: str = ""
    studies: dict[str, Study | Measured] = field(default_factory=dict)
    among: int = 1
    readings: bool = True
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
            self._scenarios[key] = Scenario.load(
                scenarios.beside(scenarios_of(self.directory), name), overrides=overrides
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

        What was run before is not run again: where a reading does not touch a variant, it has the runs of the base.
        With `keep`, a run is reduced to these columns of these tables when it ends. Runs that are not `counted` are of
        figures; no claim rests on them.
        """
        from ..runs import runner
        from ..runs.result import Comparison, Study

        key = f"{self.experiment}/{name}"
        wanted = tuple(sorted(set(seeds)))
        # Of variants with the same scenario one is run.
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

    def measured(
        self, name: str, variants: Mapping[str, Scenario], metrics: Mapping[str, Metric], *, seeds: Iterable[int]
    ) -> Measured:
        """Run variants, and keep of each run only the metrics, when it ends.

        What was measured before is not run again, in this reproduction or, with a directory, in one before.
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
        done = Measured(variants, wanted, metrics, found)
        self.studies[f"{self.experiment}/{name}"] = done
        return done

    def gathered(self, done: Measured) -> Gathered:
        """The results of the variants of `done`, with the additional seeds that claims of any experiment wanted."""
        keys = {one: identity(metric) for one, metric in done.metrics.items()}
        parts = dict(done.parts)
        for label, scenario in done.variants.items():
            seed = done.seeds[-1] + 1
            while further := self._done.get((scenario, seed)):
                parts[label, seed] = {one: further[key] for one, key in keys.items() if key in further}
                seed += 1
        return Gathered(done.variants, done.seeds, done.metrics, parts)

    def _missing(self, scenarios: Iterable[Scenario], seeds: Sequence[int], keys: Sequence[str]) -> list[Scenario]:
        """Scenarios of which a run lacks a metric."""
        return [
            scenario
            for scenario in scenarios
            if any(key not in self._done.get((scenario, seed), {}) for seed in seeds for key in keys)
        ]

    def _measure(
        self, missing: Sequence[Scenario], seeds: Sequence[int], metrics: Mapping[str, Metric], store: RunStore | None
    ) -> None:
        from ..runs import runner
        from ..runs.runner import Reduced
        from ..runs.store import run_key

        labelled = {str(place): scenario for place, scenario in enumerate(missing)}
        keys = {one: identity(metric) for one, metric in metrics.items()}
        reduce = reducer(metrics)

        def keep(label: str, result: Result) -> Reduced:
            values = reduce(result)
            if store is not None:
                parts = {keys[one]: found for one, found in parts_of(metrics, values).items()}
                store.save_parts(run_key(labelled[label], result.seed), parts)
            return Reduced(result.seed, values)

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
        """The file of what was measured, if runs are kept."""
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
        from ..runs.result import Comparison
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


@dataclass(frozen=True)
class Reproduction:
    """The results of a paper's experiments.

    Attributes
    ----------
    key, paper
        Which paper.
    quick
        Whether it was run with few seeds.
    findings
        Name of the experiment and what it found, in order.
    studies
        What was run, by ``experiment/name``.
    readings
        Whether the other readings of the work were run.
    folder
        Where its files are.
    """

    key: str
    paper: Paper
    quick: bool
    findings: tuple[tuple[str, Finding], ...]
    studies: Mapping[str, Study | Measured]
    readings: bool = True
    folder: Path | None = None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, in order."""
        return tuple(found for _, found in self.findings if isinstance(found, Claim))

    @property
    def exhibits(self) -> tuple[tuple[str, Exhibit], ...]:
        """All exhibits with the experiments that they belong to."""
        return tuple((name, found) for name, found in self.findings if not isinstance(found, Claim))

    def count(self, verdict: str) -> int:
        """Number of claims with this verdict, under the readings that the experiments are run with."""
        return sum(claim.verdict == verdict and not claim.reading for claim in self.claims)

    def by_text(self) -> list[list[Claim]]:
        """Claims in order, each with its verdicts under other readings behind it."""
        groups: dict[tuple[str, str], list[Claim]] = {}
        for claim in self.claims:
            groups.setdefault((claim.experiment, claim.text), []).append(claim)
        return [sorted(group, key=lambda claim: claim.reading != "") for group in groups.values()]


find = paper_folders


def folder(key: str) -> Path:
    """The folder of the work called `key`, or at this place.

    Raises
    ------
    ValueError
        With the works that there are, and where others are looked for.
    """
    found = folder_of(key)
    if found is not None:
        return found
    if os.sep in key or Path(key).is_dir():
        raise ValueError(f"{key}: there is no work: it has no {WORK}")
    there = find()
    near = difflib.get_close_matches(key, there, n=1)
    hint = f"did you mean {near[0]}?" if near else "works of your own are looked for in ./papers and $SOJOURN_PAPERS"
    raise ValueError(f"there is no paper {key!r}\n  allowed: {', '.join(there)}; or a folder\n  hint:    {hint}")


def load(key: str) -> Paper:
    """The paper called `key`, or in the folder `key`."""
    directory = folder(key)
    check_layout(directory)
    about = About.load(directory)
    code = _of_python(directory) if (directory / CODE).is_file() else Paper()
    try:
        for name in ("title", "citation"):
            if not getattr(about, name):
                raise Wrong(f"the key {name!r} is missing")
        paper = Paper(title=about.title, citation=about.citation, about=about)
        paper.experiments = _in_order(_of_data(directory, about, code), code, directory)
        if not paper.experiments:
            raise Wrong(f"this work has no experiment: {EXPERIMENTS}/ has no study file")
        names = [one.name for one in paper.experiments]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"{directory}: two experiments are called {twice[0]!r}")
        about.check(paper.experiments)
    except Wrong as wrong:
        raise told_of(wrong, [(directory / WORK, ())]) from None
    return paper


def _of_python(directory: Path) -> Paper:
    """The paper that ``code/experiments.py`` of a folder makes."""
    script = directory / CODE
    name = f"sojourn_papers_{re.sub(r'[^A-Za-z0-9_]', '_', directory.resolve().name)}"
    # A package, so that `from . import tables` finds the module beside it.
    spec = importlib.util.spec_from_file_location(name, script, submodule_search_locations=[str(script.parent)])
    if spec is None or spec.loader is None:
        raise ValueError(f"{script} cannot be read as Python")
    for stale in [one for one in sys.modules if one.startswith(f"{name}.")]:
        del sys.modules[stale]
    module = importlib.util.module_from_spec(spec)
    # Data classes and pickling look a module up by its name.
    sys.modules[name] = module
    with named_faults(directory):
        spec.loader.exec_module(module)
    paper = getattr(module, "PAPER", None)
    if not isinstance(paper, Paper):
        raise ValueError(f"{script} does not define PAPER = Paper()")
    if paper.title or paper.citation:
        raise ValueError(f"{script}: {WORK} says the title and the citation; write PAPER = Paper()")
    return paper


def _of_data(directory: Path, about: About, code: Paper) -> list[Experiment]:
    """The experiments of the study files, with the claims that are added to them."""
    from .reader import experiment, from_folder, names_of_files

    there = names_of_files(directory)
    chosen: dict[str, None] = {}
    for place, pattern in enumerate(about.experiments):
        found = fnmatch.filter(there, pattern)
        if not found:
            known(pattern, there, "study file", "experiments", str(place))
        chosen |= dict.fromkeys(found)
    studies = from_folder(directory, list(chosen or there))
    names = [one.name for one in studies]
    if other := [name for name in code._claims if name not in names]:
        raise ValueError(f"{directory / CODE}: claims are added to {other[0]!r}, which is no study file's experiment")
    return [experiment(replace(one, claims=[*one.claims, *code._claims.get(one.name, [])])) for one in studies]


def _in_order(of_data: Sequence[Experiment], code: Paper, directory: Path) -> list[Experiment]:
    """The experiments of the study files, with those of Python at their places."""
    made = list(of_data)
    for one in code.experiments:
        beside = code._before.get(one.name) or code._after.get(one.name)
        names = [other.name for other in made]
        if beside is None:
            made.append(one)
        elif beside not in names:
            raise ValueError(f"{directory / CODE}: {one.name!r} is beside {beside!r}, which is no experiment")
        else:
            made.insert(names.index(beside) + (one.name not in code._before), one)
    return made


def reproduce(
    key: str,
    *,
    only: Sequence[str] | None = None,
    quick: bool = True,
    runs: int | None = None,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    out: str | os.PathLike[str] | None = None,
    started: Callable[[Experiment], None] | None = None,
    readings: bool | None = None,
) -> Reproduction:
    """Run a paper's experiments, all or those named in `only`.

    Parameters
    ----------
    quick, runs
        Few seeds or as many as the paper's; `runs` says how many.
    out
        Directory for finished runs: with the same one, an interrupted reproduction goes on where it stopped.
    started
        Called before each experiment.
    readings
        Whether what else the paper may mean is run, too: if not said, in a full run. A quick one has more seeds.
    """
    need("report")
    paper, context, experiments = prepared(
        key, only=only, quick=quick, runs=runs, workers=workers, progress=progress, out=out, readings=readings
    )
    directory = context.directory
    found: list[tuple[str, Finding | Later]] = []
    for experiment in experiments:
        if started is not None:
            started(experiment)
        context.experiment = experiment.name
        # Whatever else is run: an experiment alone has the verdicts that it has among all.
        context.among = max(1, experiment.claims)
        with named_faults(context.directory):
            found += [(experiment.name, one) for one in experiment.check(context)]
    with named_faults(context.directory):
        findings = [
            (name, replace(one, experiment=name) if isinstance(one, Claim) else one)
            for name, made in found
            for one in (made.make() if isinstance(made, Later) else [made])
        ]
    return Reproduction(
        directory.resolve().name,
        paper,
        quick,
        tuple(_decided(findings)),
        dict(context.studies),
        context.readings,
        directory,
    )


def prepared(
    key: str,
    *,
    only: Sequence[str] | None,
    quick: bool,
    runs: int | None,
    workers: int | None,
    progress: ProgressCallback | None,
    out: str | os.PathLike[str] | None,
    readings: bool | None,
) -> tuple[Paper, Context, list[Experiment]]:
    """A paper with what its experiments run with, and those that are chosen: none of them is run yet.

    What cannot be run is refused. The arguments are those of :func:`reproduce`.
    """
    paper = load(key)
    experiments = list(_chosen(key, paper, only))
    if runs is not None and runs < 1:
        raise ValueError(f"the number of runs is {runs}; allowed is 1 or more")
    context = Context(folder(key), quick, runs, workers, progress, None if out is None else Path(out))
    context.readings = not quick if readings is None else readings
    for experiment in experiments:
        if experiment.prepare is not None:
            experiment.prepare(context)
    return paper, context, experiments


def _decided(findings: Sequence[tuple[str, Finding]]) -> Iterator[tuple[str, Finding]]:
    """The findings with the claims as decided among each other."""
    made = [found for _, found in findings if isinstance(found, Claim)]
    as_read_first = {(claim.experiment, claim.text): claim for claim in made if not claim.reading}
    claims = iter(corrected([_with_base(claim, as_read_first) for claim in made]))
    return ((name, next(claims) if isinstance(found, Claim) else found) for name, found in findings)


def _with_base(claim: Claim, bases: Mapping[tuple[str, str], Claim]) -> Claim:
    """A claim under a reading has a claim beside it, by itself or that of the same text."""
    if not claim.reading or claim.beside is not None:
        return claim
    return replace(claim, beside=bases.get((claim.experiment, claim.text)))


def _chosen(key: str, paper: Paper, only: Sequence[str] | None) -> Iterator[Experiment]:
    known = {experiment.name: experiment for experiment in paper.experiments}
    wanted: dict[str, Experiment] = {}
    for name in only if only else known:
        found = [name] if name in known else [one.name for one in known.values() if one.shows(name)]
        if not found:
            raise ValueError(
                f"{key} has no experiment {name!r}\n  allowed: {', '.join(known)}; or a figure or a table of the work, "
                'such as "figure 2"\n  hint:    sojourn reproduce --list says what each is about'
            )
        wanted |= {one: known[one] for one in found}
    yield from wanted.values()
