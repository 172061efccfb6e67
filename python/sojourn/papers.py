"""Published experiments, run again: the paper's numbers beside ours.

A paper is a directory ``papers/<key>/`` with scenario files, ``expected.toml`` with the published numbers, and
``claims.py``, which defines ``PAPER``::

    from collections.abc import Iterator
    from sojourn.papers import Claim, Context, Paper

    PAPER = Paper(title="Hybrid RED", citation="Haider, Sirisena, Pawlikowski 2005, TR-COSC 02/05")

    @PAPER.experiment("topology1", "Three long flows through one bottleneck")
    def topology1(context: Context) -> Iterator[Claim]:
        comparison = context.compare("topology1.toml", queues=["red", "ared"], seeds=context.seeds(full=100, quick=5))
        yield Claim.near(
            "utilisation with RED",
            published=context.expected["topology1"]["red"]["utilisation"],
            ours=comparison.interval("utilisation", variant="red", row="forward"),
            within=0.01,
            unit="%",
            source="table 6.1",
        )
        yield Claim.that(
            "ARED uses less of the link than RED",
            comparison.difference("utilisation", variant="ared", row="forward").high < 0.0,
            source="section 6.3",
        )
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .result import Comparison, Study
    from .runner import ProgressCallback
    from .scenario import QueueLike, Scenario
    from .stats import Interval

__all__ = ["Claim", "Context", "Experiment", "Paper", "Reproduction", "find", "load", "reproduce"]

_FACTORS = {"%": 100.0, "us": 1e3, "kbit/s": 1e-3, "Mbit/s": 1e-6, "Gbit/s": 1e-9}

Verdict = Literal["holds", "differs", "explained", "shown"]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a paper beside what we find.

    Attributes
    ----------
    text
        What is claimed, in a line.
    verdict
        ``holds``; ``differs``; ``explained`` if it differs and `note` says why; ``shown`` if it is not judged.
    published, ours
        The numbers, if there are any, in the units of the tables: shares 0 to 1, times in ms, rates in bit/s.
    unit
        Unit to show them in: ``"%"``, ``"ms"``, ``"us"``, ``"kbit/s"``, ``"Mbit/s"``, ``"Gbit/s"``; others as they are.
    source
        Table, figure or section of the paper.
    note
        What a reader should know: an assumption, or why it differs.
    experiment
        Name of the experiment; filled in by :func:`reproduce`.
    """

    text: str
    verdict: Verdict
    published: float | None = None
    ours: Interval | None = None
    unit: str = ""
    source: str = ""
    note: str = ""
    experiment: str = ""

    @property
    def factor(self) -> float:
        """What the numbers are multiplied with to show them in :attr:`unit`."""
        return _FACTORS.get(self.unit, 1.0)

    @classmethod
    def near(
        cls,
        text: str,
        *,
        published: float,
        ours: Interval,
        within: float,
        unit: str = "",
        source: str = "",
        explanation: str = "",
    ) -> Claim:
        """A number: it holds if our mean is no further than `within` from the published one.

        With `explanation`, a difference is ``explained``.
        """
        holds = abs(ours.mean - published) <= within
        return cls(
            text=text,
            verdict=_judged(holds, explanation),
            published=published,
            ours=ours,
            unit=unit,
            source=source,
            note="" if holds else explanation,
        )

    @classmethod
    def that(
        cls,
        text: str,
        holds: bool,
        *,
        ours: Interval | None = None,
        unit: str = "",
        source: str = "",
        explanation: str = "",
    ) -> Claim:
        """A statement that holds or does not, such as an order; `ours` may show the difference it rests on."""
        return cls(
            text=text,
            verdict=_judged(holds, explanation),
            ours=ours,
            unit=unit,
            source=source,
            note="" if holds else explanation,
        )


def _judged(holds: bool, explanation: str) -> Verdict:
    if holds:
        return "holds"
    return "explained" if explanation else "differs"


Check = Callable[["Context"], Iterable[Claim]]


@dataclass(frozen=True)
class Experiment:
    """One experiment of a paper.

    Attributes
    ----------
    name, doc
        Its name for ``--only``, and a line about it.
    check
        Runs it and gives the claims.
    """

    name: str
    doc: str
    check: Check


@dataclass(kw_only=True)
class Paper:
    """A paper with its experiments.

    Attributes
    ----------
    title, citation
        What it is about in a few words, and where it was published.
    """

    title: str
    citation: str
    experiments: list[Experiment] = field(default_factory=list)

    def experiment(self, name: str, doc: str) -> Callable[[Check], Check]:
        """Enter the decorated function as an experiment."""

        def enter(check: Check) -> Check:
            self.experiments.append(Experiment(name, doc, check))
            return check

        return enter


@dataclass
class Context:
    """What an experiment runs with.

    Attributes
    ----------
    directory
        The paper's directory.
    quick
        Whether few runs are wanted rather than as many as the paper's.
    workers, progress
        As for :func:`sojourn.study`.
    studies
        What was run so far, by name, for the report.
    """

    directory: Path
    quick: bool
    workers: int | None = None
    progress: ProgressCallback | None = None
    studies: dict[str, Study] = field(default_factory=dict)

    def seeds(self, *, full: int, quick: int) -> range:
        """Seeds 1 to `full`, or to `quick`."""
        return range(1, 1 + (quick if self.quick else full))

    @cached_property
    def expected(self) -> Mapping[str, Any]:
        """The published numbers: ``expected.toml``."""
        return tomllib.loads((self.directory / "expected.toml").read_text(encoding="utf-8"))

    def scenario(self, name: str) -> Scenario:
        """A scenario file of the paper."""
        from .scenario import Scenario

        return Scenario.load(self.directory / name)

    def study(
        self, name: str, variants: Mapping[str, Scenario], *, seeds: Iterable[int], baseline: str | None = None
    ) -> Study:
        """Run variants; see :func:`sojourn.study`."""
        from . import runner

        done = runner.study(variants, seeds=seeds, workers=self.workers, progress=self.progress, baseline=baseline)
        self.studies[name] = done
        return done

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
        from . import runner

        loaded = self.scenario(scenario) if isinstance(scenario, str) else scenario
        done = runner.compare(
            loaded, queues=queues, seeds=seeds, workers=self.workers, baseline=baseline, progress=self.progress
        )
        self.studies[name or loaded.title] = done
        return done


@dataclass(frozen=True)
class Reproduction:
    """What came out of a paper's experiments.

    Attributes
    ----------
    key, paper
        Which paper.
    quick
        Whether it was run with few seeds.
    claims
        All claims, in order.
    studies
        What was run, by name.
    """

    key: str
    paper: Paper
    quick: bool
    claims: tuple[Claim, ...]
    studies: Mapping[str, Study]

    @property
    def differs(self) -> bool:
        """Whether a claim differs without an explanation."""
        return any(claim.verdict == "differs" for claim in self.claims)


def find() -> dict[str, Path]:
    """Directories of the papers by key: of ``$SOJOURN_PAPERS``, else of the working tree."""
    named = os.environ.get("SOJOURN_PAPERS")
    places = [Path(named)] if named else [Path("papers"), Path(__file__).resolve().parents[2] / "papers"]
    for place in places:
        found = {script.parent.name: script.parent for script in sorted(place.glob("*/claims.py"))}
        if found:
            return found
    return {}


def load(key: str) -> Paper:
    """The paper called `key`."""
    known = find()
    if key not in known:
        there = f"\n  allowed: {', '.join(known)}" if known else ": no papers/ directory with a claims.py was found"
        raise ValueError(f"there is no paper {key!r}{there}")
    script = known[key] / "claims.py"
    name = f"sojourn_papers_{key}"
    spec = importlib.util.spec_from_file_location(name, script)
    if spec is None or spec.loader is None:
        raise ValueError(f"{script} cannot be read as Python")
    module = importlib.util.module_from_spec(spec)
    # Data classes and pickling look a module up by its name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    paper = getattr(module, "PAPER", None)
    if not isinstance(paper, Paper):
        raise ValueError(f"{script} does not define PAPER = Paper(...)")
    return paper


def reproduce(
    key: str,
    *,
    only: Sequence[str] | None = None,
    quick: bool = True,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    started: Callable[[Experiment], None] | None = None,
) -> Reproduction:
    """Run a paper's experiments, all or those named in `only`; `started` is called before each."""
    paper = load(key)
    experiments = list(_chosen(key, paper, only))
    context = Context(find()[key], quick, workers, progress)
    claims: list[Claim] = []
    for experiment in experiments:
        if started is not None:
            started(experiment)
        claims += [replace(claim, experiment=experiment.name) for claim in experiment.check(context)]
    return Reproduction(key, paper, quick, tuple(claims), dict(context.studies))


def _chosen(key: str, paper: Paper, only: Sequence[str] | None) -> Iterator[Experiment]:
    known = {experiment.name: experiment for experiment in paper.experiments}
    for name in only if only else known:
        if name not in known:
            raise ValueError(f"{key} has no experiment {name!r}\n  allowed: {', '.join(known)}")
        yield known[name]
