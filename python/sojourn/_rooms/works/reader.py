"""Study files: experiments of a work (:mod:`works.studies`) as TOML, with the parts that they share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, TypeVar

from .._base import toml
from .._base.nearest import nearest_question
from .._base.schema import Between, Share, Wrong, check, in_print, keys, known, made, table, tables, told_of, under
from ..runs.metrics import Metric, checked
from ..scenario import shipped
from ..sweeps.axes import read_axis
from .about import About
from .claims import LEVEL
from .curves import Curve
from .design import Design, Product, Reading, Seeds
from .experiment import Experiment
from .folders import EXPECTED, EXPERIMENTS, SHARED, root_of, scenarios_of
from .fragments import Item, as_text, filled, quick_settings, read, unfilled
from .kinds import KINDS, KINDS_OF_DIFFERENCES, Kind, Table
from .kinds.small_samples import MOST_RUNS
from .studies import StudyExperiment, experiment
from .traces import Trace

__all__ = ["from_file", "from_files", "from_folder", "names_of_files"]


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
    """The experiments of files; if others continue its runs, it measures their metrics too."""
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
    """Read a study file: its experiment, or that of one of its parts.

    ``expected.toml`` may have its printed tables, under its name, and ``shared = [...]`` takes common parts of
    ``shared.toml`` (:mod:`works.fragments`): both are in the folder of the work, or beside a study file without
    a work. A ``[[part]]`` is an experiment of its own about the same runs, with further claims, and may have axes and
    metrics of its own; so is a file with ``continues = "E9.toml"`` about the runs of another file. They share its
    printed tables.

    Raises
    ------
    ValueError
        With the file, the line, the place, and the found and the allowed values.
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
        titles = about.titles(*names)
        found = _read(content, scenarios_of(root), _printed(root, *names), titles, about.negligible)
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
    """The content of a file or a part, with that which it continues; the owner of the runs, and its file."""
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
        raise Wrong("there is no such file beside this one", "continues", found=other, hint=hint)
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
    """The content of an experiment that continues another one, together with the keys that make the runs."""
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
    content: Mapping[str, Any],
    scenarios: Path,
    printed: Mapping[str, Any],
    titles: Mapping[str, str],
    negligible: Mapping[str, float],
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
        negligible=negligible,
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
    for name in ("id", "text"):
        there: set[str] = set()
        for path, claim in found:
            value = getattr(claim, name)
            if value in there:
                raise Wrong(f"another claim of this file has the same {name}", *path, name, found=value)
            there |= {value} if value else set()
    return [claim for _, claim in found]


def _figure(kind: type[F], content: Item, design: Design) -> F:
    with under(*content.path):
        figure = made(kind, content)
        figure.check(design)
        return figure


def _all(content: Mapping[str, Any], name: str) -> list[Item]:
    return [_with_runs(one, content) for item in content.get(name, []) for one in _each(item)]


def _with_runs(claim: Item, content: Mapping[str, Any]) -> Item:
    """A claim or a table with the experiment's keys about all its printed numbers."""
    kind = KINDS.get("table" if claim.path[0] == "printed" else str(claim.get("kind", "")))
    known_keys = {one.name for one in fields(kind)} if kind else set()
    more = {own: content[key] for key, own in _OF_PRINTED.items() if own in known_keys and key in content}
    return Item.at(claim.path, {**more, **claim})


def _each(item: Item) -> Iterator[Item]:
    """A claim for each of some names: ``for = { q = ["red", "ared"] }`` puts them in place of ``{q}`` in its texts.

    In its id they are in small letters, and any sign but a letter, a digit or a dot is a hyphen.

    ``"n, x" = [["3", "10.5"], ["103", "20"]]`` are names that go together; one may be a list, for `only`.
    """
    rest = {key: value for key, value in item.items() if key != "for"}
    with under(*item.path), under("for"):
        chosen = [_together(names, values) for names, values in table(item.get("for", {})).items()]
    for parts in product(*chosen):
        names = {name: value for part in parts for name, value in part.items()}
        more = {"id": filled(rest["id"], _in_id(names))} if "id" in rest else {}
        yield Item.at(item.path, {**filled(rest, names), **more})


_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_NOT_IN_ID = re.compile(r"[^a-z0-9.]+")


def _in_id(names: Mapping[str, Any]) -> Mapping[str, str]:
    """Names as parts of an id.

    >>> _in_id({"q": "AVQ*", "n": ["3", "10.5"]})
    {'q': 'avq-star', 'n': '3-10.5'}
    """
    texts = {name: as_text(value).replace("'s", "").replace("*", " star").lower() for name, value in names.items()}
    return {name: _NOT_IN_ID.sub("-", text).strip("-") for name, text in texts.items()}


def _together(names: str, values: Any) -> list[Mapping[str, Any]]:
    """The values that replace a name, or several names that are separated by commas."""
    parts = [name.strip() for name in names.split(",")]
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise Wrong("write a list of the values that replace it", names, found=values)
    for place, value in enumerate(values):
        if len(parts) > 1 and (not isinstance(value, list) or len(value) != len(parts)):
            raise Wrong(f"this is not a list of {len(parts)} texts", names, str(place), found=value)
    return [dict(zip(parts, [value] if len(parts) == 1 else value, strict=True)) for value in values]


def _claim(claim: Item, design: Design, printed: Mapping[str, Any]) -> Kind:
    """A claim; for ``printed`` a table without a text."""
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
            raise Wrong("the key 'text' is missing: a claim has its statement there")
        if isinstance(key := claim.get("id"), str) and not _ID.fullmatch(key):
            raise Wrong("an id has letters, digits, dots and hyphens", "id", found=key)
        metric = claim.get("metric", "")
        called = design.titles.get(metric, "") if isinstance(metric, str) else ""
        plain = kind in KINDS_OF_DIFFERENCES and isinstance(metric, str) and not claim.get("relative_to")
        own = {"negligible": design.negligible[metric]} if plain and metric in design.negligible else {}
        rest = {**own, **{key: value for key, value in claim.items() if key != "kind" or beside}}
        more: dict[str, Any] = {"called": called, "titles": design.titles}
        if kind not in _OF_A_SIZE or "whole" not in claim:
            more["whole"] = _whole(kind, claim, design)
        found = made(KINDS[kind], rest, hidden=tuple(more), more=more)
        found.check(design)
        return found


_OF_A_SIZE = ("near", "table", "bound")
"""Kinds of claims about the size of a number, not about a difference."""


def _whole(kind: str, claim: Item, design: Design) -> float | None:
    """Of a printed use of a link, or a bound of one, its value when the link is full; so of Jain's index; else None."""
    metric = claim.get("metric")
    used = design.metrics.get(metric) if isinstance(metric, str) else None
    plain = kind in _OF_A_SIZE and not claim.get("relative_to")
    return used.whole if plain and isinstance(used, Metric) else None


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
