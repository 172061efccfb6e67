"""Common parts of generated pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sojourn import _core
from sojourn._rooms.catalogue.sources import SOURCES, cited
from sojourn._rooms.showing.plots.palette import THEMES

REGISTRY: Mapping[str, Any] = json.loads(_core.registry())


def cell(text: object) -> str:
    """A text for a cell of a table. A long name may end a line behind an underscore or before a capital."""
    return _NAME.sub(_breakable, str(text).strip().replace("|", "\\|").replace("\n", " "))


# Code, marks of HTML and targets of links are left as they are.
_NAME = re.compile(r"(?P<kept>`[^`]*`|\]\([^)]*\)|https?://\S+|<[^>]*>)|\b\w{11,}\b")


def _breakable(name: re.Match[str]) -> str:
    if name["kept"]:
        return name[0]
    return re.sub(r"(?<=_)(?=\w)|(?<=[a-z])(?=[A-Z])", "\N{ZERO WIDTH SPACE}", name[0])


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def parameters(entry: Mapping[str, Any]) -> str:
    """Parameters with their allowed values, their defaults and the sources of these."""
    if not entry["params"]:
        return "It has no parameters."
    tables = [("", entry["params"])]
    # The classes of a scheduler have parameters of their own.
    tables += [(f"\nEach `{one['name']}` has:\n\n", one["params"]) for one in entry["params"] if one.get("params")]
    listings = "\n".join(head + _listing(params) for head, params in tables)
    return listings + cited_in(row for _, params in tables for row in _rows(params))


def _listing(params: Sequence[Mapping[str, Any]]) -> str:
    listing = table(["parameter", "meaning", "takes", "default", "source of the default"], _rows(params))
    # On a phone each becomes a block of lines: see site.css.
    return f":::{{container}} parameters\n{listing}\n:::\n"


def _rows(params: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    return [(f"`{one['name']}`", _meaning(one), _allowed(one), _default(one), one["source"]) for one in params]


def _meaning(param: Mapping[str, Any]) -> str:
    """The description of a parameter, and the meaning of each of its choices."""
    choices = [f"`{name}`: {meaning}" for name, meaning in param.get("meanings", {}).items()]
    return "<br>".join([param["doc"], *choices])


def _allowed(param: Mapping[str, Any]) -> str:
    """The allowed values; the names of all policies would fill a screen, and are folded up."""
    if param["type"] != "policy":
        return str(param["allowed"])
    choices = param["choices"]
    return f"<details><summary>the name of one of {len(choices)} queues</summary>{', '.join(choices)}</details>"


def _default(param: Mapping[str, Any]) -> str:
    """A default as people write it."""
    return f"`{param['written']}`" if param["default"] else "empty"


def cited_in(rows: Iterable[Sequence[str]]) -> str:
    """The publications that texts cite by short names such as [Flo93]."""
    named = [key for key in cited(" ".join(text for row in rows for text in row)) if key in SOURCES]
    if not named:
        return ""
    return "\nPublications by short names:\n\n" + "\n".join(f"- [{key}]: {SOURCES[key]}." for key in named) + "\n"


def presets(entry: Mapping[str, Any], key: str) -> str:
    """Named groups of settings."""
    named = entry.get("presets") or entry.get("profiles") or []
    if not named:
        return ""
    rows = [
        (f"`{one['name']}`", one["doc"], ", ".join(f"`{name} = {value}`" for name, value in one["written"].items()))
        for one in named
    ]
    return (
        f"\n## {key.capitalize()}s\n\n`{key}` sets a group of parameters at once. Each stays settable.\n\n"
        f":::{{container}} presets\n{table([key, 'stands for', 'sets'], rows)}\n:::\n"
    )


def index(folder: Path, title: str, text: str, entries: Sequence[Mapping[str, Any]], shown: str) -> None:
    """The page that leads to the pages of a folder."""
    rows = [(f"[{one['title']}]({one['name']}.md)", f"`{one['name']}`", one["doc"]) for one in entries]
    names = "\n".join(one["name"] for one in entries)
    listing = table([shown, "name", "what it does"], rows)
    (folder / "index.md").write_text(
        f"# {title}\n\n{text}\n\n:::{{container}} things\n{listing}\n:::\n\n:::{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{names}\n:::\n",
        encoding="utf-8",
    )


# The themes and shapes of a picture.
SHAPES = ("wide", "narrow")


def themed(name: str, alternative: str) -> str:
    """A picture in the reader's theme, and narrow on a phone: see site.css."""
    return "\n".join(
        f":::{{image}} {name}-{theme}-{shape}.svg\n:alt: {alternative}\n:class: only-{theme} only-{shape}\n:::\n"
        for theme in THEMES
        for shape in SHAPES
    )
