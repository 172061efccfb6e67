"""A work is run again: its experiments, and their findings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .._base.extras import need
from ..runs.numbers import MetricStudy
from .claims import Claim, corrected, undone
from .context import Context
from .exhibits import Exhibit, Later
from .experiment import Experiment, Finding
from .failure import named_faults
from .studies import StudyExperiment, of_claims
from .work import Paper, folder, load

if TYPE_CHECKING:
    from ..runs.pool import ProgressCallback
    from ..runs.result import Study

__all__ = ["Reproduction", "prepared", "reproduce", "selection"]


@dataclass(frozen=True)
class Reproduction:
    """The results of a paper's experiments.

    Attributes
    ----------
    key, paper
        The paper's key and its description.
    quick
        Whether it was run with few seeds.
    findings
        Each experiment's name and its findings, in order.
    studies
        The studies that were run, by ``experiment/name``.
    readings
        Whether the other readings of the work were run.
    folder
        The folder of its files.
    only
        The experiments, figures or claims that were asked for; none if all were.
    """

    key: str
    paper: Paper
    quick: bool
    findings: tuple[tuple[str, Finding], ...]
    studies: Mapping[str, Study | MetricStudy]
    readings: bool = True
    folder: Path | None = None
    only: tuple[str, ...] = ()

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

    def by_key(self) -> list[list[Claim]]:
        """Claims in order, each with its verdicts under other readings behind it."""
        groups: dict[tuple[str, str], list[Claim]] = {}
        for claim in self.claims:
            groups.setdefault((claim.experiment, claim.key), []).append(claim)
        return [sorted(group, key=lambda claim: claim.reading != "") for group in groups.values()]


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
    until_decided: bool = False,
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
        Whether the other readings of the paper are run, too; by default in a full run only. A quick one has more seeds
        instead.
    until_decided
        A full run that begins with few seeds, and adds more only where claims are open.
    """
    need("report")
    paper, context, experiments = prepared(
        key, only=only, quick=quick, runs=runs, workers=workers, progress=progress, out=out, readings=readings
    )
    directory, context.from_few = context.directory, until_decided
    found: list[tuple[str, Finding | Later]] = []
    for experiment in experiments:
        if started is not None:
            started(experiment)
        context.experiment = experiment.name
        # An experiment alone has the same verdicts as among all.
        context.among = max(1, experiment.claims)
        with named_faults(context.directory):
            found += [(experiment.name, _alone(one, experiment, context)) for one in experiment.check(context)]
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
        tuple(only or ()),
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
    """A paper with the settings of its experiments, and the chosen ones: none of them is run yet.

    Experiments that cannot be run are refused. The arguments are those of :func:`reproduce`.
    """
    paper = load(key)
    experiments = list(selection(key, paper, only))
    if runs is not None and runs < 1:
        raise ValueError(f"the number of runs is {runs}; allowed is 1 or more")
    context = Context(folder(key), quick, runs, workers, progress, None if out is None else Path(out))
    context.readings = not quick if readings is None else readings
    for experiment in experiments:
        if experiment.prepare is not None:
            experiment.prepare(context)
    return paper, context, experiments


def _alone(found: Finding | Later, experiment: Experiment, context: Context) -> Finding | Later:
    """A claim without the others of its experiment: decided only if it is so among them, whatever their verdicts."""
    is_part = isinstance(experiment.study, StudyExperiment) and experiment.study.labels
    if not is_part or not isinstance(found, Claim) or found.settled(context.among):
        return found
    return undone(found, context.among)


def _decided(findings: Sequence[tuple[str, Finding]]) -> Iterator[tuple[str, Finding]]:
    """The findings with the claims as decided among each other."""
    made = [found for _, found in findings if isinstance(found, Claim)]
    as_read_first = {(claim.experiment, claim.key): claim for claim in made if not claim.reading}
    claims = iter(corrected([_with_base(claim, as_read_first) for claim in made]))
    return ((name, next(claims) if isinstance(found, Claim) else found) for name, found in findings)


def _with_base(claim: Claim, bases: Mapping[tuple[str, str], Claim]) -> Claim:
    """A claim under a reading has a claim beside it, found by its key if it has none."""
    if not claim.reading or claim.beside is not None:
        return claim
    return replace(claim, beside=bases.get((claim.experiment, claim.key)))


def selection(key: str, paper: Paper, only: Sequence[str] | None) -> Iterator[Experiment]:
    """The experiments of a paper that are named, or are about a figure or a table that is named; all if none is.

    Of an experiment of which only a claim is named, by its id, that claim alone is left.
    """
    known = {experiment.name: experiment for experiment in paper.experiments}
    of_keys = {key: experiment.name for experiment in paper.experiments for key in experiment.texts}
    wanted: dict[str, Experiment] = {}
    claims: dict[str, list[str]] = {}
    for name in only if only else known:
        found = [name] if name in known else [one.name for one in known.values() if one.shows(name)]
        if not found and name in of_keys:
            claims.setdefault(of_keys[name], []).append(name)
        elif not found:
            raise ValueError(
                f"{key} has no experiment {name!r}\n  allowed: {', '.join(known)}; or a figure or a table of the work, "
                'such as "figure 2"; or the id of a claim\n  hint:    sojourn reproduce --list says what each is about'
            )
        wanted |= {one: known[one] for one in found}
    yield from wanted.values()
    yield from (of_claims(known[name], keys) for name, keys in claims.items() if name not in wanted)
