"""The questions of an evaluation: criteria of a document, each a scenario with measures, as files in ``_evaluate``.

A folder is a document, such as an RFC; ``about.toml`` has its name, the kind of subject (queues, or laws of senders)
and the baselines. Every other file of it is a criterion::

    section = "5.2"
    title = "an aggressive sender"
    asks = "One long CUBIC flow: is the link used?"
    quick = { duration = "40s" }        # changes of the scenario by --quick

    [scenario]                          # as in a scenario file
    [axes]                              # as a study file has them; each point is a row

    [measure.wait]
    label = "wait, p95"
    section = "2.6"                     # the section that the number answers
    unit = "ms"
    better = "less"
    least = 0.5                         # a smaller difference is none
    metric = { column = "sojourn_p95_ms" }
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from .._base import toml
from .._base.files import read_text
from .._base.registry import read_registry
from .._base.schema import Least, More, Wrong, keys, made, told_of, under
from ..runs.metrics import Metric, checked
from ..scenario.scenario import Scenario
from ..sweeps.axes import Axis, read_axis
from .synchrony import Synchrony

__all__ = ["Criterion", "Document", "Measure", "Question", "Shown", "documents"]

PLACE = Path(__file__).resolve().parents[2] / "_evaluate"
_ABOUT = "about.toml"


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The words about a number.

    Attributes
    ----------
    name, label, unit
        Its name in files and in tables, and the unit of its values.
    section
        The section of the document that it answers.
    better
        Which direction is better; empty where it only describes.
    least
        The smallest difference that counts, in `unit`.
    good
        The use for which a queue is good if its number is among the best, as a noun; empty if the number says too
        little.
    """

    name: str = ""
    label: str
    section: str
    unit: str = ""
    better: Literal["more", "less", ""] = ""
    least: Annotated[float, Least(0.0)] = 0.0
    good: str = ""


@dataclass(frozen=True, kw_only=True)
class Measure(Shown):
    """A number of a criterion: how a run gives it, and the factor to its unit."""

    metric: Metric
    times: Annotated[float, More(0.0)] = 1.0


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question of a document.

    Attributes
    ----------
    key
        Folder and file: ``rfc7928/5.2``.
    section, title, asks
        Where the document asks it, its name, and the question.
    """

    key: str
    section: str
    title: str
    asks: str


@dataclass(frozen=True, kw_only=True)
class Criterion(Question):
    """A question of a document, and how it is asked.

    Attributes
    ----------
    scenario
        The scenario that is run; its queue, or the sender's law, is replaced.
    axes
        The question is asked at each point.
    subject
        Keys of the queue or sender that is evaluated: none for the queue of the bottleneck.
    marks
        Whether a queue that can mark does.
    inside
        A scheduler of flows that contains the queue; empty for the bottleneck itself.
    """

    scenario: Scenario
    axes: Mapping[str, Axis]
    measures: Sequence[Measure]
    subject: Sequence[str] = ()
    marks: bool = False
    inside: str = ""


@dataclass(frozen=True, kw_only=True)
class Document:
    """A document whose questions are asked.

    Attributes
    ----------
    key, document, title
        The folder, the document's name and its title.
    subject
        The kind of thing that is evaluated: ``queue`` or ``sender``.
    baselines
        The baselines.
    criteria
        The questions.
    left
        Questions that are not asked here, by section or title, with the reason.
    answered
        Questions that other criteria answer, by section.
    """

    key: str
    document: str
    title: str
    subject: Literal["queue", "sender"]
    baselines: Sequence[str]
    criteria: Sequence[Criterion]
    left: Mapping[str, str] = field(default_factory=dict)
    answered: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _About:
    """``about.toml``."""

    title: str
    document: str
    subject: Literal["queue", "sender"]
    baselines: Sequence[str]
    answered: Mapping[str, str] = field(default_factory=dict)
    unanswered: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _Swing:
    """A rate of the bottleneck that changes at even intervals."""

    every_s: Annotated[float, More(0.0)]
    rates: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class _Written:
    """A criterion's own keys, beside those of a study file."""

    section: str
    title: str
    asks: str
    quick: Mapping[str, Any] = field(default_factory=dict)
    quick_points: Mapping[str, Any] = field(default_factory=dict)
    only_full: bool = False
    needs: Sequence[str] = ()
    subject: Sequence[str] = ()
    marks: bool = False
    inside: str = ""
    swing: Mapping[str, Any] = field(default_factory=dict)


def documents(subject: Literal["queue", "sender"], *, quick: bool, place: Path = PLACE) -> list[Document]:
    """The documents that evaluate queues, or senders, in the order of their folders.

    Raises
    ------
    ValueError
        With the file, the place and the allowed values.
    """
    found = [_document(folder, quick=quick) for folder in sorted(place.iterdir()) if (folder / _ABOUT).is_file()]
    # The guidelines come before the promises of single laws.
    return sorted((one for one in found if one.subject == subject), key=lambda one: -len(one.criteria))


def _document(folder: Path, *, quick: bool) -> Document:
    file = folder / _ABOUT
    try:
        about = made(_About, tomllib.loads(read_text(file)))
    except Wrong as wrong:
        raise told_of(wrong, [(file, ())]) from None
    left = dict(about.unanswered)
    criteria = []
    for path in sorted(folder.glob("*.toml"), key=_order):
        if path.name == _ABOUT:
            continue
        content = tomllib.loads(read_text(path))
        try:
            written = made(_Written, {key: value for key, value in content.items() if key not in _STUDY})
            missing = [need for need in written.needs if need not in _names()]
            if missing:
                left[written.section] = f"{written.title}: it needs {', '.join(missing)}, which is not there"
            elif not (quick and written.only_full):
                criteria.append(_criterion(f"{folder.name}/{path.stem}", path, written, content, quick=quick))
        except Wrong as wrong:
            raise told_of(wrong, [(path, ())]) from None
    return Document(
        key=folder.name,
        document=about.document,
        title=about.title,
        subject=about.subject,
        baselines=about.baselines,
        criteria=criteria,
        left=left,
        answered=about.answered,
    )


_STUDY = ("scenario", "axes", "measure")


def _order(path: Path) -> tuple[list[int], str]:
    """Sections as numbers: 9.1 comes before 10.2."""
    numbers = path.stem.partition("-")[0].split(".")
    return [int(one) for one in numbers if one.isdecimal()], path.stem


def _criterion(key: str, path: Path, written: _Written, content: Mapping[str, Any], *, quick: bool) -> Criterion:
    keys(content, (*_STUDY, *_Written.__dataclass_fields__), ("scenario", "measure"))
    changed = dict(written.quick) if quick else {}
    scenario = Scenario.from_toml(toml.document(content["scenario"]), file=f"{path}: scenario")
    for name, value in changed.items():
        scenario = scenario.set(name, value)
    if written.swing:
        with under("swing"):
            swing = made(_Swing, written.swing)
        scenario = scenario.set("dumbbell.changes", _changes(swing, scenario.duration_s))  # type: ignore[arg-type]
    axes = {}
    for name, axis in content.get("axes", {}).items():
        with under("axes", name):
            axes[name] = read_axis(axis)
        if quick and name in written.quick_points:
            wanted = written.quick_points[name]
            axes[name] = Axis(points={label: (axes[name].points or {})[label] for label in wanted})
    measures = []
    for name, measure in content["measure"].items():
        with under("measure", name):
            measures.append(_measure(name, measure))
    return Criterion(
        key=key,
        section=written.section,
        title=written.title,
        asks=written.asks,
        scenario=scenario,
        axes=axes,
        measures=measures,
        subject=written.subject,
        marks=written.marks,
        inside=written.inside,
    )


def _measure(name: str, written: Mapping[str, Any]) -> Measure:
    """A measure: its words, and its metric or the synchrony of losses."""
    own = {key: value for key, value in written.items() if key not in ("metric", "synchrony")}
    synchrony = written.get("synchrony")
    metric = checked(written.get("metric", {}), name) if synchrony is None else Synchrony.read(synchrony)
    return made(Measure, own, hidden=("name", "metric"), more={"name": name, "metric": metric})


def _changes(swing: _Swing, duration_s: float) -> list[dict[str, str]]:
    """The changes of a rate that alternates until the end of the run."""
    count = int(duration_s / swing.every_s + 1e-9)
    return [
        {"at": f"{place * swing.every_s:g}s", "rate": swing.rates[(place - 1) % len(swing.rates)]}
        for place in range(1, count)
    ]


@cache
def _names() -> frozenset[str]:
    """All names, such as ``control:reno``."""
    kinds = {"queues": "queue", "transports": "transport", "controls": "control", "apps": "app"}
    return frozenset(f"{kind}:{one['name']}" for group, kind in kinds.items() for one in read_registry()[group])
