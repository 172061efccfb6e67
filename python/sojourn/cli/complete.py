"""What the shell offers while a command is typed: queues with their parameters, papers, metrics, scenarios and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import typer

from .. import _core

__all__ = ["experiments", "keys", "metrics", "papers", "queues", "scenarios", "tables", "things"]


@cache
def _registry() -> Mapping[str, Any]:
    known: Mapping[str, Any] = json.loads(_core.registry())
    return known


def _starting(names: Iterator[str] | list[str], incomplete: str, before: str = "") -> list[str]:
    return [before + name for name in names if name.startswith(incomplete)]


def queues(incomplete: str) -> list[str]:
    """Names in a list with commas; behind ``NAME:`` its parameters."""
    before, comma, last = incomplete.rpartition(",")
    before += comma
    kind, colon, parameter = last.partition(":")
    params = {entry["name"]: entry["params"] for entry in _registry()["queues"]}
    if not colon:
        # Behind a comma, another parameter of the queue before it, too.
        more = before.rpartition(":")[0].rpartition(",")[2] if ":" in before else ""
        others = [f"{param['name']}=" for param in params.get(more, [])]
        return _starting([*params, *others], last, before)
    return _starting([f"{param['name']}=" for param in params.get(kind, [])], parameter, f"{before}{kind}:")


def metrics(incomplete: str) -> list[str]:
    """Columns of the tables ``queue`` and ``group``, in a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    names = dict.fromkeys(
        column["name"]
        for table in _registry()["tables"]
        if table["name"] in ("queue", "group")
        for column in table["metrics"]
        if column["values"] != "text"
    )
    return _starting(list(names), last, before + comma)


def papers(incomplete: str) -> list[str]:
    """Keys of the papers."""
    from .._folders import paper_folders

    return _starting(sorted(paper_folders()), incomplete)


def experiments(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of the experiments of the paper on the line."""
    from ..papers import find, load

    key = ctx.params.get("key")
    return _starting([one.name for one in load(key).experiments], incomplete) if key in find() else []


def scenarios(incomplete: str) -> list[str]:
    """Those that come with Sojourn, and files."""
    from ..scenarios import names

    typed = Path(incomplete)
    folder = typed if incomplete.endswith("/") else typed.parent
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    shown = [f"{file}/" if file.is_dir() else str(file) for file in files if file.is_dir() or file.suffix == ".toml"]
    return _starting([*names(), *shown], incomplete)


def keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keys of the scenario on the line, up to the equals sign."""
    from ..scenario import Scenario

    named = ctx.params.get("scenario")
    try:
        resolved = Scenario.load(named).resolved() if named else {}
    except (OSError, ValueError):
        resolved = {}
    return _starting([f"{key}=" for key in _flat(resolved)], incomplete)


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
    """What ``sojourn list`` lists."""
    known = ["queues", "transports", "controls", "traffic", "losses", "metrics", "papers", "scenarios"]
    return _starting(known, incomplete)


def things(incomplete: str) -> list[str]:
    """Whatever has a name."""
    kinds = ("queues", "transports", "controls", "apps", "losses", "tables")
    names = [entry["name"] for kind in kinds for entry in _registry()[kind]]
    return _starting(list(dict.fromkeys(names)), incomplete) + papers(incomplete)
