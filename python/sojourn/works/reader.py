"""An experiment that is data: a design and its claims, from a file or from Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any, TypeVar

from .._base import toml
from .._base.nearest import nearest_question
from .._base.schema import (
    Between,
    Share,
    Starts,
    Wrong,
    check,
    in_print,
    keys,
    known,
    made,
    table,
    tables,
    told_of,
    under,
)
from ..runs.metrics import Metric, checked, not_begun
from ..scenario import shipped
from ..scenario.scenario import Scenario
from ..sweeps.axes import read_axis
from . import overview as shown
from .about import About
from .claims import LEVEL, Claim
from .context import Context
from .curves import Curve
from .design import Design, NotRunError, Product, Reading, Results, Seeds
from .exhibits import Exhibit, Later, Remark
from .experiment import Experiment, Finding, Named
from .folders import EXPECTED, EXPERIMENTS, SHARED, root_of, scenarios_of
from .fragments import Item, filled, quick_settings, read, unfilled
from .kinds import KINDS, Kind, Printed, Table
from .kinds.small_samples import MOST_RUNS
from .readings import under_readings
from .traces import Trace

__all__ = ["StudyExperiment", "experiment", "from_file", "from_files", "from_folder", "names_of_files"]

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
        The axis that is in the rows of the table and along the chart; the first by default.
    traces
        Figures of single runs, mostly over time.
    curves
        Figures along points of an axis whose labels begin with a number.
    printed
        Tables whose numbers are beside ours and are not judged.
    shown
        Whether its numbers are shown; those of another experiment's runs are there.
    further
        Tables of files that continue it, whose printed numbers its charts mark, too.
    continues
        The experiment whose runs these are, if they are not its own.
    files
        Where it was read from, for messages.
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
    further: Sequence[Table] = ()
    continues: str = ""
    files: Starts = ()

    def seeds(self, context: Context) -> range:
        """The seeds of a run."""
        return context.seeds(full=self.design.seeds.full, quick=self.design.seeds.quick)

    def base(self, context: Context, looks: int = 1) -> Results:
        """Its runs, as the work is read first."""
        variants = self.design.variants(context)
        measured = context.metric_study("base", variants, self.design.run_metrics, seeds=self.seeds(context))
        return Results(self.design, measured, looks, self.design.only(context))

    @cached_property
    def of_the_work(self) -> Printed:
        """The numbers that the work prints for the metrics, by the label of the variant."""
        found: dict[tuple[str, str], float] = {}
        for one in [*self.claims, *self.printed]:
            if isinstance(one, Table):
                found |= one.of_points(self.design)
        return found


def experiment(made: StudyExperiment) -> Experiment:
    """As an experiment of a :class:`sojourn.papers.Paper`."""
    rules = {one.text: one.words(one.unit(made.design)) for one in made.claims if isinstance(one, Kind)}
    sources = [source for claim in made.claims if (source := getattr(claim, "source", ""))]
    seeds = _seeds_in_words(made.design.seeds)
    return Experiment(
        name=made.name,
        doc=made.doc,
        check=partial(_run, made),
        claims=len(made.claims),
        seeds=seeds,
        rules=rules,
        sources=sources,
        prepare=partial(_prepare, made),
        named=Named(
            metrics=list(made.design.metrics),
            axes={axis: list(points) for axis, points in made.design.axes.items()},
            readings=[reading.name for reading in made.design.readings],
        ),
        study=made,
    )


def _prepare(made: StudyExperiment, context: Context) -> None:
    """Refuse scenarios that cannot be built, rows that runs do not have, and claims about what is not recorded."""
    design = made.design
    try:
        base = design.variants(context)
        _check_recorded(made, base)
        for reading in design.readings if context.readings else ():
            design.variants(context, reading)
    except Wrong as wrong:
        raise told_of(wrong, made.files) from None


def _check_recorded(made: StudyExperiment, variants: Mapping[str, Scenario]) -> None:
    """Some points may leave out what is recorded at others, but for claims."""
    design = made.design
    lacks: set[tuple[str, str]] = set()
    empty = cache(lambda label: not_begun(variants[label]))
    for name, metric in design.run_metrics.items():
        plain = name.partition("@")[0]
        found: list[Wrong] = []
        for label in list(variants) if metric.is_recorded else list(variants)[:1]:
            try:
                metric.try_on(empty(label))
            except Wrong as wrong:
                wrong.path = ("metrics", plain, *wrong.path)
                if not metric.is_recorded or "table" not in wrong.path:
                    raise
                found.append(wrong)
                lacks.add((plain, label))
        if found and len(found) == len(variants):
            raise found[0]
    for claim in made.claims if lacks else ():
        if isinstance(claim, Kind) and (wanted := sorted(lacks & claim.needs(design))):
            metric_name, where = wanted[0]
            raise ValueError(f"claim {in_print(claim.text)}: the metric {metric_name!r} is not recorded at {where}")


def _seeds_in_words(seeds: Seeds) -> str:
    most = f", up to {seeds.most} for a claim that they leave open" if seeds.looks > 1 else ""
    return f"{seeds.full} seeds{most}"


def _run(made: StudyExperiment, context: Context) -> Iterator[Finding | Later]:
    """Claims under every reading, the table and the chart."""
    design = made.design
    if made.about:
        yield Remark(title="Stated and open settings", text=made.about)
    seeds = made.seeds(context)
    grows = not context.quick and context.runs is None
    base = made.base(context, design.seeds.looks if grows else 1)
    others = {
        reading.name: Results(
            design,
            context.metric_study(reading.name, design.variants(context, reading), design.run_metrics, seeds=seeds),
            base.looks,
            design.only(context, reading),
        )
        for reading in (design.readings if context.readings else ())
        if design.points(design.only(context, reading))
    }
    judges = [partial(_one, made.of_the_work, make) for make in made.claims]
    for found in under_readings(judges, base, others, beside=Results.beside):
        more = grows and isinstance(found, Claim) and not found.reading and not found.settled(context.among)
        yield _with_more_seeds(made, context, base, found) if more and isinstance(found, Claim) else found
    yield Later(lambda: _exhibits(made, context, base, others))
    for trace in made.traces:
        if drawn := trace.chart(base, context):
            yield drawn


def _exhibits(
    made: StudyExperiment, context: Context, base: Results, others: Mapping[str, Results]
) -> Iterator[Exhibit]:
    """Tables and charts of all runs."""
    rows = made.rows or next(iter(made.design.axes))
    tables = [make for make in [*made.claims, *made.printed] if isinstance(make, Table)]
    every = base.with_all(context)
    printed = shown.printed(base, tables)
    marked = shown.printed(base, [*tables, *made.further])
    stated = shown.stated(base, made.claims, marked)
    if made.shown or tables:
        yield from shown.numbers(every, printed, rows, all_of_them=made.shown)
    if best := shown.fits({"as run": base, **others}, tables):
        yield best
    if made.shown and (chart := shown.lines(every, stated, rows)):
        yield chart
    for curve in made.curves:
        if drawn := curve.chart(every, stated):
            yield drawn


def _one(printed: Printed, make: Make, results: Results) -> Iterator[Claim]:
    """The claim, unless it is about points that a quick run or a reading leaves out by name."""
    try:
        yield make.claim(results, printed) if isinstance(make, Kind) else make(results)
    except NotRunError:
        if not results.only:
            raise ValueError(f"claim {getattr(make, 'text', make)!r} has no verdict: nothing of it was run") from None


def _with_more_seeds(made: StudyExperiment, context: Context, base: Results, claim: Claim) -> Claim:
    """A claim that is not settled with twice the seeds, and twice again, up to the limit; only its own variants run.

    Where the limit would hardly settle it, nothing more is spent: that leaves a claim open and decides none.
    """
    ((place, make),) = (
        (place, make)
        for place, make in enumerate(made.claims)
        if [one.text for one in _one({}, make, base)] == [claim.text]
    )
    own = Results(made.design, base.study, base.looks, base.only)
    next(iter(_one({}, make, own)))
    variants = {label: scenario for label, scenario in base.study.variants.items() if label in own.used}
    count = len(base.study.seeds)
    most = made.design.seeds.most
    while not claim.settled(context.among) and 2 * count <= most and _may_settle(claim, context.among, most / count):
        count *= 2
        # Under a name of its own: the runs of the other variants are those of the base.
        name = f"base, further seeds for claim {place + 1}"
        study = context.metric_study(name, variants, made.design.run_metrics, seeds=range(1, 1 + count))
        claim = next(iter(_one(made.of_the_work, make, Results(made.design, study, base.looks, base.only))))
    return claim


def _may_settle(claim: Claim, among: int, times: float) -> bool:
    """Whether so many times the seeds may settle a claim among so many: if it is one standard error better than seen.

    The p-values as normal quantiles; what lies z standard errors off lies z sqrt(n) off with n times the seeds.
    """
    from scipy.special import ndtri

    if claim.short:
        return True
    seen, wanted = (-float(ndtri(p / 2.0)) for p in (max(claim.p or 0.0, _LEAST), (1.0 - LEVEL) / among))
    return (seen + 1.0) * math.sqrt(times) >= wanted


# ---- From files.


def from_files(beside: str, *names: str) -> list[Experiment]:
    """Experiments of study files that lie beside a Python file: ``from_files(__file__, "E3.1.toml")``."""
    return [experiment(one) for one in _all_of([Path(beside).parent / name for name in names])]


def names_of_files(root: Path) -> list[str]:
    """Names of the files in the folder ``experiments`` of a work, without their ending: E2, E2a, E2-changes, E10."""
    return sorted((path.stem for path in (root / EXPERIMENTS).glob("*.toml")), key=_in_order)


def _in_order(name: str) -> list[tuple[int, str]]:
    return [(int(part or 0), text.replace("-", "~")) for part, text in _PARTS.findall(name)]


def from_folder(root: Path, names: Sequence[str]) -> list[StudyExperiment]:
    """The experiments of a work that are data, from the files of these names in its folder ``experiments``."""
    return _all_of([root / EXPERIMENTS / f"{name}.toml" for name in names])


def _all_of(files: Sequence[Path]) -> list[StudyExperiment]:
    """The experiments of files; one whose runs others continue measures what these want, once."""
    made = [one for file in files for one in _studies(file)]
    return [_continued_by(one, [other for other in made if other.continues == one.name]) for one in made]


def _continued_by(origin: StudyExperiment, others: Sequence[StudyExperiment]) -> StudyExperiment:
    design, also, further = origin.design, [*origin.design.also], [*origin.further]
    for other in others:
        also += [one for one in other.design.run_metrics.values() if one not in [*design.run_metrics.values(), *also]]
        if other.design.axes == design.axes:
            tables = [table for table in [*other.claims, *other.printed] if isinstance(table, Table)]
            further += [table for table in tables if table.metric in design.metrics]
    return replace(origin, design=replace(design, also=also), further=further) if others else origin


_PARTS = re.compile(r"(\d*)(\D*)")


def _studies(path: Path) -> Iterator[StudyExperiment]:
    """The experiment of a file and those of its parts."""
    yield _study(path, None)
    for place, _ in enumerate(_parts(path)):
        yield _study(path, place)


def _parts(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        with under("part"):
            return tables(toml.read(path).get("part", []))
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None


def from_file(path: Path, part: str = "") -> StudyExperiment:
    """Read a study file: its experiment, or the one that a part of it is.

    ``expected.toml`` may have its printed tables, under its name, and ``shared = [...]`` takes common parts of
    ``shared.toml`` (:mod:`sojourn.works.fragments`): both are in the folder of the work, or beside a study file without
    a work. A ``[[part]]`` is an experiment of its own about the same runs, with further claims, and may have axes and
    metrics of its own; so is a file with ``continues = "E9.toml"`` about the runs of another file. They share its
    printed tables.

    Raises
    ------
    ValueError
        With the file, the line, the place, what was found and what is allowed.
    """
    names = {name: place for place, one in enumerate(_parts(path)) if isinstance(name := one.get("name"), str)}
    try:
        if part:
            known(part, names, "part")
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    return _study(path, names[part] if part else None)


def _study(path: Path, part: int | None) -> StudyExperiment:
    root = root_of(path)
    starts: list[tuple[Path, Sequence[str]]] = [(path, () if part is None else ("part", str(part)))]
    try:
        content, origin, file = _content(path, part)
        starts += [(one, ()) for one in dict.fromkeys((path, file)) if (one, ()) not in starts]
        content = {"quick_settings": quick_settings(root, content.get("scenario")), **content}
        starts.append((root / SHARED, ()))
        name = content.get("name", "")
        about = About.load(root)
        names = [one for one in dict.fromkeys((origin, name)) if isinstance(one, str)]
        content = {**about.of_runs, **content}
        found = _read(content, scenarios_of(root), _printed(root, *names), about.titles(*names))
        seeds = found.design.seeds
        if about.most_seeds > max(seeds.most, seeds.full):
            found = replace(found, design=replace(found.design, seeds=replace(seeds, most=about.most_seeds)))
    except Wrong as wrong:
        raise told_of(wrong, starts) from None
    return replace(found, files=tuple(starts), continues="" if origin == name else origin)


def _printed(root: Path, *names: str) -> Mapping[str, Any]:
    """The rows of ``expected.toml`` under the names of experiments, of which later ones count."""
    file = root / EXPECTED
    content = toml.read(file) if file.exists() else {}
    found: dict[str, Any] = {}
    for name in names:
        own = content.get(name, {})
        found |= own if isinstance(own, Mapping) else {}
    return found


def _content(path: Path, part: int | None) -> tuple[dict[str, Any], str, Path]:
    """The content of a file or of a part of it, with that of what it continues; whose runs these are, and its file."""
    if part is not None:
        whole, origin, file = _content(path, None)
        own = read(path, _parts(path)[part])
        keys(own, _KEYS_OF_PART)
        _check_runs(whole, "this file")
        return _continued(whole, own), origin, file
    content = read(path)
    content.pop("part", None)
    if "continues" not in content:
        return content, content["name"] if isinstance(content.get("name"), str) else "", path
    other = content.pop("continues")
    if not isinstance(other, str) or not (path.parent / other).is_file():
        files = sorted(one.name for one in path.parent.glob("*.toml") if one != path)
        hint = nearest_question(other, files)
        raise Wrong("this is no file beside this one", "continues", found=other, hint=hint)
    runs = read(path.parent / other)
    if "continues" in runs:
        raise Wrong(
            "this file continues another one itself", "continues", found=other, hint=f"name {runs['continues']}"
        )
    _check_runs(runs, other, "continues")
    return _continued(runs, content), str(runs["name"]), path.parent / other


def _check_runs(runs: Mapping[str, Any], file: str, *path: str) -> None:
    for key in _OF_RUNS:
        if key not in runs:
            raise Wrong(f"{file} has no key {key!r}", *path, found=file if path else None)


def _continued(runs: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """What claims about the runs of another experiment say, with what makes these runs."""
    shared = {key: runs[key] for key in _OF_DESIGN | {"rows"} if key in runs}
    axes = [table(one.get("axes", {})) for one in (runs, content)]
    return {**shared, "shown": "metrics" in content, **content, "axes": {**axes[0], **axes[1]}}


_OF_PRINTED = {"printed_runs": "printed_runs", "printed_level": "level"}
"""Keys of a work or an experiment about all its printed numbers, and the key of a claim."""
_OF_DESIGN = {"scenario", "axes", "metrics", "seeds", "reading", "quick_only", "quick_settings", *_OF_PRINTED}
_OF_RUNS = ("name", "scenario", "axes", "metrics", "seeds")
_LISTS = ("claim", "printed", "trace", "curve")
_KEYS_OF_PART = ("name", "doc", "about", "rows", "shown", *sorted(_OF_DESIGN), *_LISTS, "words")
_KEYS = (*_KEYS_OF_PART, "continues", "part")


def _read(
    content: Mapping[str, Any], scenarios: Path, printed: Mapping[str, Any], titles: Mapping[str, str]
) -> StudyExperiment:
    """The experiment of a file's content."""
    keys(content, _KEYS, ("name", "doc", *_OF_RUNS[1:]))
    own = {key: value for key, value in content.items() if key in ("name", "doc", "about", "rows", "shown")}
    check(StudyExperiment, own)
    check(Design, {key: content.get(key, {}) for key in ("quick_only", "quick_settings")})
    check(Design, {"scenario": content["scenario"]})
    check(_OfPrinted, {key: content[key] for key in _OF_PRINTED if key in content})
    for key in ("name", "scenario"):
        if not content[key]:
            raise Wrong("this is empty", key)
    with under("seeds"):
        seeds = made(Seeds, content["seeds"])
    design = Design(
        scenario=content["scenario"],
        axes={name: _axis(name, axis) for name, axis in _filled_table(content, "axes").items()},
        metrics={name: _metric(name, metric) for name, metric in _filled_table(content, "metrics").items()},
        seeds=seeds,
        readings=[_reading(reading) for reading in content.get("reading", [])],
        quick_only=content.get("quick_only", {}),
        quick_settings=content["quick_settings"],
        titles=titles,
    )
    design.check()
    shipped.beside(scenarios, design.scenario)
    for reading in design.readings:
        with under(*reading.path):
            shipped.beside(scenarios, reading.scenario or design.scenario)
    if own.get("rows"):
        known(own["rows"], design.axes, "axis", "rows")
    return StudyExperiment(
        **own,
        design=design,
        claims=_claims(content, design, printed),
        printed=[
            beside for one in _all(content, "printed") if isinstance(beside := _claim(one, design, printed), Table)
        ],
        traces=[_figure(Trace, one, design) for one in _all(content, "trace")],
        curves=[_figure(Curve, one, design) for one in _all(content, "curve")],
    )


@dataclass(frozen=True, kw_only=True)
class _OfPrinted:
    """The keys of an experiment about all its printed numbers."""

    printed_runs: Annotated[int, Between(0, MOST_RUNS)] = 0
    printed_level: Annotated[float, Share()] = LEVEL


def _filled_table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    with under(key):
        if not table(content[key]):
            raise Wrong("this is empty")
        return table(content[key])


def _metric(name: str, content: Any) -> Metric | Product:
    if not isinstance(content, Mapping) or "of" not in content:
        return checked(content, name)
    with under("metrics", name):
        return made(Product, content)


def _axis(name: str, axis: Any) -> Mapping[str, Mapping[str, Any]]:
    with under("axes", name):
        return read_axis(axis).points or {}


def _reading(reading: Item) -> Reading:
    with under(*reading.path, place=f"reading {in_print(reading.get('name', ''))}"):
        with under("axes"):
            written = table(reading.get("axes", {}))
        axes = {name: _axis(name, axis) for name, axis in written.items()}
        return made(Reading, {**reading, "axes": axes}, hidden=("path",), more={"path": reading.path})


def _claims(content: Mapping[str, Any], design: Design, printed: Mapping[str, Any]) -> list[Kind]:
    found = [(one.path, _claim(one, design, printed)) for one in _all(content, "claim")]
    texts: set[str] = set()
    for path, claim in found:
        if claim.text in texts:
            raise Wrong("another claim of this file has the same text", *path, "text", found=claim.text)
        texts.add(claim.text)
    return [claim for _, claim in found]


def _figure(kind: type[F], content: Item, design: Design) -> F:
    with under(*content.path):
        figure = made(kind, content)
        figure.check(design)
        return figure


def _all(content: Mapping[str, Any], name: str) -> list[Item]:
    return [_with_runs(one, content) for item in content.get(name, []) for one in _each(item)]


def _with_runs(claim: Item, content: Mapping[str, Any]) -> Item:
    """A claim or a table with what the experiment says of all its printed numbers."""
    kind = KINDS.get("table" if claim.path[0] == "printed" else str(claim.get("kind", "")))
    known_keys = {one.name for one in fields(kind)} if kind else set()
    more = {own: content[key] for key, own in _OF_PRINTED.items() if own in known_keys and key in content}
    return Item.at(claim.path, {**more, **claim})


def _each(item: Item) -> Iterator[Item]:
    """A claim for each of some names: ``for = { q = ["red", "ared"] }`` puts them in place of ``{q}`` in its texts.

    ``"n, x" = [["3", "10.5"], ["103", "20"]]`` are names that go together; one may be a list, for `only`.
    """
    rest = {key: value for key, value in item.items() if key != "for"}
    with under(*item.path), under("for"):
        chosen = [_together(names, values) for names, values in table(item.get("for", {})).items()]
    for parts in product(*chosen):
        yield Item.at(item.path, filled(rest, {name: value for part in parts for name, value in part.items()}))


def _together(names: str, values: Any) -> list[Mapping[str, Any]]:
    """The values that replace a name, or several names that are separated by commas."""
    parts = [name.strip() for name in names.split(",")]
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise Wrong("write a list of the values that replace it", names, found=values)
    for place, value in enumerate(values):
        if len(parts) > 1 and (not isinstance(value, list) or len(value) != len(parts)):
            raise Wrong(f"this is no list of {len(parts)} texts", names, str(place), found=value)
    return [dict(zip(parts, [value] if len(parts) == 1 else value, strict=True)) for value in values]


def _claim(claim: Item, design: Design, printed: Mapping[str, Any]) -> Kind:
    """A claim; of ``printed`` a table without a text."""
    text, kind = claim.get("text", ""), claim.get("kind", "")
    if beside := claim.path[0] == "printed":
        claim, kind = Item.at(claim.path, {"text": "", **claim}), "table"
    with under(*claim.path, place=f"claim {in_print(text)}" if text else ""):
        if name := unfilled(claim):
            raise Wrong(f"nothing says {{{name}}}", hint="for = { " + name + " = [...] } gives its values")
        known(kind, KINDS, "kind", "kind")
        if kind == "table":
            claim = Item.at(claim.path, {**claim, **_rows(claim, printed)})
        if not (text or beside):
            raise Wrong("the key 'text' is missing: a claim says what is claimed")
        metric = claim.get("metric", "")
        called = design.titles.get(metric, "") if isinstance(metric, str) else ""
        rest = {key: value for key, value in claim.items() if key != "kind" or beside}
        found = made(KINDS[kind], rest, hidden=("called", "titles"), more={"called": called, "titles": design.titles})
        found.check(design)
        return found


def _rows(claim: Mapping[str, Any], printed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Rows of the expected numbers: ``printed = "loss.ARED"``; `errors` in the same way."""
    return {key: _row(printed, claim[key], key) for key in ("printed", "errors") if isinstance(claim.get(key), str)}


def _row(printed: Mapping[str, Any], name: str, key: str) -> Sequence[float]:
    rows = {
        f"{table}.{row}": numbers
        for table, of_one in printed.items()
        if isinstance(of_one, Mapping)
        for row, numbers in of_one.items()
    }
    known(name, rows, f"row in {EXPECTED}", key)
    found: Sequence[float] = rows[name]
    return found


F = TypeVar("F", Trace, Curve)
