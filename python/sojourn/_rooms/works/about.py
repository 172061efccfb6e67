"""The description of a work: title, proposal, and the points that it leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from .._base import toml
from .._base.schema import Between, Share, Wrong, known, made, tables, told_of, under
from .choices import Choice, Search
from .folders import WORK

if TYPE_CHECKING:
    from .experiment import Experiment

__all__ = ["About", "Unstated"]


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
        A short name, and the choices that a program can try (:mod:`works.forensics`).
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
            raise Wrong("one choice is not a choice", allowed="two or more")
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
        Its subject in a few words, and its place of publication.
    experiments
        Its study files, without ``.toml``, in their order; ``*`` stands for any letters. Without it all, by name.
    proposal
        The proposal of the work, in a paragraph.
    codes
        The meanings of the codes with which claims begin.
    metrics
        The names of its metrics in words; under an experiment's name those that have another name there.
    axes
        The names of its axes in words.
    points
        The form of a number of an axis: ``rate = "{} Mbit/s"``; without a form it is ``rate 5``.
    printed_runs, printed_level
        The number of runs behind its printed numbers, and the level of its printed intervals; a study file or a claim
        may say otherwise.
    negligible
        By metric, the difference that says nothing, in the units of the tables; a study file may say otherwise.
    most_seeds
        The least number of runs that an open claim may get: as many as the work made.
    unstated
        The points that it leaves open.
    forensics
        Settings of the search over its open points.
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
    negligible: Mapping[str, float] = field(default_factory=dict)
    most_seeds: Annotated[int, Between(0, 100_000)] = 0
    unstated: Sequence[Unstated] = ()
    forensics: Search = field(default_factory=Search)

    @classmethod
    def load(cls, directory: Path) -> About:
        """Read the file; nothing where there is none."""
        path = directory / WORK
        if not path.is_file():
            return cls()
        content = toml.read(path)
        # The file is checked once for all experiments of a work.
        if path not in _READ or _READ[path][0] is not content:
            _READ[path] = content, _read(path, content)
        return _READ[path][1]

    def check(self, experiments: Sequence[Experiment]) -> None:
        """Refuse names of readings, metrics and axes that no experiment has; experiments in Python may have any."""
        every = [one.name for one in experiments]
        for name, own in self.forensics.parts.items():
            for number, experiment in enumerate(own):
                known(experiment, every, "experiment", "forensics", "parts", name, str(number))
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
        for name in self.negligible:
            known(name, dict.fromkeys(metrics), "metric", "negligible", name)
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


_READ: dict[Path, tuple[Mapping[str, Any], About]] = {}
"""Cache of files' descriptions, by content."""


def _read(path: Path, written: Mapping[str, Any]) -> About:
    content = dict(written)
    try:
        rows = []
        with under("unstated"):
            for place, row in enumerate(tables(content.pop("unstated", []))):
                with under(str(place)):
                    rows.append(_unstated(row))
        with under("forensics"):
            search = made(Search, content.pop("forensics", {}))
        more = {"unstated": tuple(rows), "forensics": search}
        about = made(About, content, hidden=("unstated", "forensics"), more=more)
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    return replace(about, proposal=" ".join(about.proposal.split()))
