"""Completions of the shell: queues with their parameters, papers, metrics, scenarios and keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from .._base.registry import read_registry
from ..catalogue.warnings import known_warnings

__all__ = [
    "axes",
    "experiments",
    "keys",
    "measures",
    "packaged",
    "papers",
    "queues",
    "rules",
    "scenarios",
    "tables",
    "things",
]

_QUEUES = ("queue", "reverse_queue")
"""Keys whose value may be the name of a queue."""


def _starting(names: Iterator[str] | list[str], incomplete: str, before: str = "") -> list[str]:
    return [before + name for name in names if name.startswith(incomplete)]


def queues(incomplete: str) -> list[str]:
    """Names in a list with commas; behind ``NAME:`` its parameters."""
    before, comma, last = incomplete.rpartition(",")
    before += comma
    kind, colon, parameter = last.partition(":")
    params = {entry["name"]: entry["params"] for entry in read_registry()["queues"]}
    if not colon:
        # Behind a comma, another parameter of the queue before it, too.
        more = before.rpartition(":")[0].rpartition(",")[2] if ":" in before else ""
        others = [f"{param['name']}=" for param in params.get(more, [])]
        return _starting([*params, *others], last, before)
    return _starting([f"{param['name']}=" for param in params.get(kind, [])], parameter, f"{before}{kind}:")


def measures(incomplete: str) -> list[str]:
    """Columns of the tables ``queue``, ``group`` and ``flow``, plain or behind the table, in a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    names: dict[str, None] = {}
    for table in read_registry()["tables"]:
        if table["name"] in ("queue", "group", "flow"):
            columns = [column["name"] for column in table["metrics"] if column["values"] != "text"]
            names |= dict.fromkeys([*columns, *(f"{table['name']}.{column}" for column in columns)])
    return _starting(list(names), last, before + comma)


def papers(incomplete: str) -> list[str]:
    """Keys of the papers."""
    from ..works.folders import paper_folders

    return _starting(sorted(paper_folders()), incomplete)


def experiments(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of the experiments of the paper on the line."""
    from ..works.work import find, load

    key = _argument(ctx, "key")
    return _starting([one.name for one in load(key).experiments], incomplete) if key in find() else []


def packaged(incomplete: str) -> list[str]:
    """Scenarios that come with Sojourn."""
    from ..scenario.shipped import names

    return _starting(names(), incomplete)


def rules(incomplete: str) -> list[str]:
    """The subjects of ``sojourn design``."""
    from .design_rules import RULES

    return _starting(list(RULES), incomplete)


def scenarios(incomplete: str) -> list[str]:
    """Those that come with Sojourn, and files."""
    from ..scenario.shipped import names

    typed = Path(incomplete)
    folder = typed if incomplete.endswith("/") else typed.parent
    try:
        files = sorted(folder.iterdir())
    except OSError:
        files = []
    shown = [f"{file}/" if file.is_dir() else str(file) for file in files if file.is_dir() or file.suffix == ".toml"]
    return _starting([*names(), *shown], incomplete)


def keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keys of the scenario or the study file on the line, up to the equals sign; behind ``queue=`` the queues."""
    from ..scenario.scenario import Scenario
    from ..scenario.shipped import find
    from ..sweeps.file import is_study_file, load_study_file

    key, equals, value = incomplete.partition("=")
    if equals:
        return [f"{key}={queue}" for queue in queues(value)] if key.rpartition(".")[2] in _QUEUES else []
    named = _argument(ctx, "scenario", "file", "what")
    try:
        if not named:
            return []
        path = find(Path(named))
        scenario = load_study_file(path).scenario if is_study_file(path) else Scenario.load(path)
    except (OSError, ValueError):
        return []
    return _starting([f"{key}=" for key in _flat(scenario.resolved())], incomplete)


def _argument(ctx: typer.Context, *names: str) -> str:
    """The argument on the line that has one of these names; an option without its value leaves it among the rest."""
    found = next((ctx.params[name] for name in names if ctx.params.get(name)), "")
    return str(found or next(iter(ctx.args), ""))


def axes(ctx: typer.Context, incomplete: str) -> list[str]:
    """The axes of a sweep: keys of the scenario, and whole queues."""
    return keys(ctx, incomplete) + ([] if "=" in incomplete else _starting(["queue="], incomplete))


def _flat(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from _flat(child, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for place, child in enumerate(value):
            name = child.get("name", place) if isinstance(child, Mapping) else place
            yield from _flat(child, f"{path}.{name}" if isinstance(name, str) else f"{path}[{place}]")
    else:
        yield path


def tables(incomplete: str) -> list[str]:
    """The subjects of ``sojourn list``."""
    known = ["queues", "transports", "controls", "traffic", "losses", "metrics", "papers", "scenarios"]
    return _starting(known, incomplete)


def things(incomplete: str) -> list[str]:
    """Every thing that has a name."""
    kinds = ("queues", "transports", "controls", "apps", "losses", "tables")
    entries = [entry for kind in kinds for entry in read_registry()[kind]] + list(known_warnings(read_registry()))
    parts = [part for entry in entries for key in ("params", "metrics") for part in entry.get(key, ())]
    names = [entry["name"] for entry in [*entries, *parts]]
    return _starting(list(dict.fromkeys(names)), incomplete) + packaged(incomplete) + papers(incomplete)
