"""An experiment that is data: a design and its claims, from a file or from Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from .. import _toml
from ..claims import LEVEL, Claim
from ..exhibits import Exhibit, Later
from ..metrics import Metric, checked
from ..papers import About, Context, Experiment, Finding, Remark
from ..sweeps.axes import read_axis
from . import shown
from .curves import Curve
from .design import Design, NotRunError, Product, Reading, Results, Seeds
from .kinds import KINDS, Kind, Table
from .parts import filled, quick_settings, read
from .readings import under_readings
from .traces import Trace

__all__ = ["StudyExperiment", "experiment", "from_file", "from_files"]

_LEAST = 1e-300
"""Below it a normal quantile has no end."""

Make = Kind | Callable[[Results], Claim]


@dataclass(frozen=True, kw_only=True)
class StudyExperiment:
    """An experiment of a work as data.

    Attributes
    ----------
    name, doc, about
        For ``--only``, a line about it, and a paragraph for the report on what is stated and what is not.
    design
        What is run.
    claims
        What is judged: kinds of claims, or functions of the results where no kind fits.
    rows
        The axis that stands in the rows of the table and along the chart; the first by default.
    traces
        Figures of single runs, mostly over time.
    curves
        Figures along points of an axis whose labels begin with a number.
    printed
        Tables whose numbers stand beside ours and are not judged.
    shown
        Whether its numbers are shown; those of another experiment's runs stand there.
    """

    name: str
    doc: str
    design: Design
    claims: Sequence[Make]
    about: str = ""
    rows: str = ""
    traces: Sequence[Trace] = ()
    curves: Sequence[Curve] = ()
    printed: Sequence[Table] = ()
    shown: bool = True


def experiment(made: StudyExperiment) -> Experiment:
    """As an experiment of a :class:`sojourn.papers.Paper`."""
    rules = {one.text: one.words(one.unit(made.design)) for one in made.claims if isinstance(one, Kind)}
    sources = [source for claim in made.claims if (source := getattr(claim, "source", ""))]
    seeds = _seeds_in_words(made.design.seeds)
    return Experiment(made.name, made.doc, partial(_run, made), len(made.claims), seeds, rules, sources)


def _seeds_in_words(seeds: Seeds) -> str:
    most = f", up to {seeds.most} for a claim that they leave open" if seeds.looks > 1 else ""
    return f"{seeds.full} seeds{most}"


def _run(made: StudyExperiment, context: Context) -> Iterator[Finding | Later]:
    """Claims under every reading, the table and the chart."""
    design = made.design
    if made.about:
        yield Remark(title="What is stated and what is not", text=made.about)
    seeds = context.seeds(full=design.seeds.full, quick=design.seeds.quick)
    grows = not context.quick and context.runs is None
    base = Results(
        design,
        context.measured("base", design.variants(context), design.measured, seeds=seeds),
        design.seeds.looks if grows else 1,
        design.only(context),
    )
    others = {
        reading.name: Results(
            design,
            context.measured(reading.name, design.variants(context, reading), design.measured, seeds=seeds),
            base.looks,
            design.only(context, reading),
        )
        for reading in (design.readings if context.readings else ())
        if design.points(design.only(context, reading))
    }
    judges = [partial(_one, make) for make in made.claims]
    for found in under_readings(judges, base, others, beside=Results.beside):
        more = grows and isinstance(found, Claim) and not found.reading and not found.settled(context.among)
        yield _with_more_seeds(made, context, base, found) if more and isinstance(found, Claim) else found
    yield Later(lambda: _shown(made, context, base, others))
    for trace in made.traces:
        if drawn := trace.chart(base, context):
            yield drawn


def _shown(made: StudyExperiment, context: Context, base: Results, others: Mapping[str, Results]) -> Iterator[Exhibit]:
    """Tables and charts of all runs."""
    rows = made.rows or next(iter(made.design.axes))
    tables = [make for make in [*made.claims, *made.printed] if isinstance(make, Table)]
    every = base.with_all(context)
    printed = shown.printed(base, tables)
    stated = shown.stated(base, made.claims, printed)
    if made.shown or tables:
        yield from shown.numbers(every, printed, rows, all_of_them=made.shown)
    if best := shown.fits({"as run": base, **others}, tables):
        yield best
    if made.shown and (chart := shown.lines(every, stated, rows)):
        yield chart
    for curve in made.curves:
        if drawn := curve.chart(every, stated):
            yield drawn


def _one(make: Make, results: Results) -> Iterator[Claim]:
    """The claim, unless what it is about was not run."""
    with suppress(NotRunError):
        yield make.claim(results) if isinstance(make, Kind) else make(results)


def _with_more_seeds(made: StudyExperiment, context: Context, base: Results, claim: Claim) -> Claim:
    """A claim that is not settled with twice the seeds, and twice again, up to the limit; only its own variants run.

    Where the limit would hardly settle it, nothing more is spent: that leaves a claim open and decides none.
    """
    ((place, make),) = (
        (place, make)
        for place, make in enumerate(made.claims)
        if [one.text for one in _one(make, base)] == [claim.text]
    )
    own = Results(made.design, base.study, base.looks, base.only)
    next(iter(_one(make, own)))
    variants = {label: scenario for label, scenario in base.study.variants.items() if label in own.used}
    count = len(base.study.seeds)
    most = made.design.seeds.most
    while not claim.settled(context.among) and 2 * count <= most and _may_settle(claim, context.among, most / count):
        count *= 2
        # Under a name of its own: the runs of the other variants are those of the base.
        name = f"base, further seeds for claim {place + 1}"
        study = context.measured(name, variants, made.design.measured, seeds=range(1, 1 + count))
        claim = next(iter(_one(make, Results(made.design, study, base.looks, base.only))))
    return claim


def _may_settle(claim: Claim, among: int, times: float) -> bool:
    """Whether so many times the seeds may settle a claim among so many: if it is one standard error better than seen.

    The p-values as normal quantiles; what lies z standard errors off lies z sqrt(n) off with n times the seeds.
    """
    from scipy.special import ndtri

    seen, wanted = (-float(ndtri(p / 2.0)) for p in (max(claim.p or 0.0, _LEAST), (1.0 - LEVEL) / among))
    return (seen + 1.0) * math.sqrt(times) >= wanted


# ---- From files.


def from_files(beside: str, *names: str) -> list[Experiment]:
    """Experiments of study files that lie beside a Python file: ``from_files(__file__, "E3.1.toml")``."""
    folder = Path(beside).parent
    made = {name: from_file(folder / name) for name in names}
    for name, one in made.items():
        # What continues other runs may want more of them: they are measured once.
        if (origin := made.get(_origin(folder, name))) and origin is not one:
            more = [metric for metric in one.design.measured.values() if metric not in origin.design.measured.values()]
            origin_name = _origin(folder, name)
            made[origin_name] = replace(origin, design=replace(origin.design, also=[*origin.design.also, *more]))
    return [experiment(one) for one in made.values()]


def _origin(folder: Path, name: str) -> str:
    """The file whose runs a file is about."""
    content = read(folder / name)
    return _origin(folder, content["continues"]) if "continues" in content else name


def from_file(path: Path) -> StudyExperiment:
    """Read a study file; ``expected.toml`` beside it may have its printed tables, under its name.

    ``shared`` takes parts of ``parts.toml`` (:mod:`sojourn.reproduce.parts`). With ``continues = "E9.toml"`` it has
    further claims about the runs of another file, whose printed tables it shares,
    and may have axes and metrics of its own.

    Raises
    ------
    ValueError
        With the file, the place and what is allowed.
    """
    content, owner = _content(path)
    content = {"quick_settings": quick_settings(path.parent, content.get("scenario", "")), **content}
    expected = path.parent / "expected.toml"
    tables = _toml.read(expected) if expected.exists() else {}
    titles = About.load(path.parent).titles(owner, content.get("name", ""))
    try:
        return _read(content, {**tables.get(owner, {}), **tables.get(content.get("name", ""), {})}, titles)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: {error.args[0] if error.args else error}") from None


def _content(path: Path) -> tuple[Mapping[str, Any], str]:
    """What a file says, with what it has of one that it continues; and the name of the one whose runs these are."""
    content = read(path)
    if "continues" not in content:
        return content, content.get("name", "")
    runs = read(path.parent / content.pop("continues"))
    shared = {key: runs[key] for key in _OF_DESIGN | {"rows"} if key in runs}
    return {
        **shared,
        "shown": "metrics" in content,
        **content,
        "axes": {**runs["axes"], **content.get("axes", {})},
    }, runs["name"]


def _read(content: Mapping[str, Any], printed: Mapping[str, Any], titles: Mapping[str, str]) -> StudyExperiment:
    rest = {
        key: value for key, value in content.items() if key not in _OF_DESIGN | {"claim", "trace", "curve", "printed"}
    }
    design = Design(
        scenario=content["scenario"],
        axes={name: _axis(name, axis) for name, axis in content["axes"].items()},
        metrics={name: _metric(name, metric) for name, metric in content["metrics"].items()},
        seeds=_made(Seeds, content["seeds"], "seeds"),
        readings=[_reading(reading) for reading in content.get("reading", [])],
        quick_only=content.get("quick_only", {}),
        quick_settings=content["quick_settings"],
        titles=titles,
    )
    claims = [_claim(one, printed, titles) for one in _all(content, "claim")]
    tables = [_claim({"kind": "table", "text": "", **one}, printed, titles) for one in _all(content, "printed")]
    figures = {
        "traces": [_made(Trace, trace, "trace") for trace in content.get("trace", [])],
        "curves": [_made(Curve, curve, "curve") for curve in content.get("curve", [])],
    }
    return _made(
        StudyExperiment, {**rest, "design": design, "claims": claims, "printed": tables, **figures}, "the file"
    )


def _metric(name: str, content: Mapping[str, Any]) -> Metric | Product:
    place = f"metrics.{name}"
    return _made(Product, content, place) if "of" in content else checked(content, place)


_OF_DESIGN = {"scenario", "axes", "metrics", "seeds", "reading", "quick_only", "quick_settings"}


def _axis(name: str, axis: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    return read_axis(name, axis).points or {}


def _reading(reading: Mapping[str, Any]) -> Reading:
    axes = {name: _axis(name, axis) for name, axis in reading.get("axes", {}).items()}
    return _made(Reading, {**reading, "axes": axes}, f"reading {reading.get('name', '')!r}")


def _all(content: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [one for made in content.get(name, []) for one in _each(made)]


def _each(claim: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A claim for each of some names: ``for = { q = ["red", "ared"] }`` puts them in place of ``{q}`` in its texts.

    ``"n, x" = [["3", "10.5"], ["103", "20"]]`` are names that go together; one may be a list, for `only`.
    """
    rest = {key: value for key, value in claim.items() if key != "for"}
    chosen = [_together(names, values) for names, values in claim.get("for", {}).items()]
    for parts in product(*chosen):
        yield filled(rest, {name: value for part in parts for name, value in part.items()})


def _together(names: str, values: Sequence[Any]) -> list[Mapping[str, Any]]:
    """What is put in place of a name, or of several that are separated by commas."""
    parts = [name.strip() for name in names.split(",")]
    wrong = [value for value in values if len(parts) > 1 and (isinstance(value, str) or len(value) != len(parts))]
    if wrong:
        raise ValueError(f"for {names!r}: {wrong[0]!r} is no list of {len(parts)} texts")
    return [dict(zip(parts, [value] if len(parts) == 1 else value, strict=True)) for value in values]


def _claim(claim: Mapping[str, Any], printed: Mapping[str, Any], titles: Mapping[str, str]) -> Kind:
    kind = claim.get("kind", "")
    if kind not in KINDS:
        raise ValueError(f"claim {claim.get('text', '')!r}: there is no kind {kind!r}\n  allowed: {', '.join(KINDS)}")
    rest = {key: value for key, value in claim.items() if key != "kind"}
    rest |= {"called": titles.get(claim.get("metric", ""), ""), "titles": titles}
    if kind == "table" and isinstance(rest.get("printed"), str):
        # A row of the expected numbers: `printed = "loss.ARED"`; `errors` in the same way.
        rest |= {key: _row(printed, rest[key]) for key in ("printed", "errors") if key in rest}
    return _made(KINDS[kind], rest, f"claim {claim.get('text', '')!r}")


def _row(printed: Mapping[str, Any], name: str) -> Sequence[float]:
    rows = {f"{table}.{row}": numbers for table, of_one in printed.items() for row, numbers in of_one.items()}
    if name not in rows:
        raise ValueError(f"expected.toml has no row {name!r}\n  allowed: {', '.join(rows)}")
    found: Sequence[float] = rows[name]
    return found


T = TypeVar("T")


def _made(kind: type[T], content: Mapping[str, Any], place: str) -> T:
    """An object of a table, with a message for keys that it does not have."""
    known = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    if wrong := [key for key in content if key not in known]:
        raise ValueError(f"{place}: there is no key {wrong[0]!r}\n  allowed: {', '.join(known)}")
    return kind(**content)
