"""An experiment of a published work: its name, its question, and the function that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import references
from .claims import Claim
from .exhibits import Exhibit, Later

if TYPE_CHECKING:
    from .context import Context

__all__ = ["Check", "Experiment", "Finding", "Named"]

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
        Runs it and gives the findings.
    claims
        The number of claims that it judges, if that is known before the run.
    seeds
        The number of seeds of a full run, and their limit, in words.
    texts, rules
        The text and the rule of each claim, by the claim's key, if they are known before the run.
    sources
        The places of its claims, tables and figures in the work, in words.
    prepare
        Refuses runs that cannot be made, before anything is run.
    named
        The names that it defines; none for a function of Python.
    study
        The experiment as data (:class:`sojourn.papers.StudyExperiment`), if it is data.
    """

    name: str
    doc: str
    check: Check
    claims: int = 0
    seeds: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[str] = ()
    prepare: Callable[[Context], None] | None = None
    named: Named | None = None
    study: object = None

    def shows(self, place: str) -> bool:
        """Whether it is about a figure or a table of the work, such as "figure 5.6"."""
        wanted = references.figure_or_table(place)
        return wanted is not None and wanted in self.places

    @property
    def places(self) -> set[references.Place]:
        """The figures and tables of the work that it is about."""
        return {place for text in (self.doc, *self.sources) for place in references.named(text)}
