"""The kernel's constants beside Sojourn's parameters: tables of the site. Names and values of Linux are in
constants.toml, and Sojourn's come from the registry.
"""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import closed_tables
import places

from sojourn import _core

WORDS = places.WORDS / "constants.toml"
PRESET = "linux"
UNITS = {"": 1.0, "p": 1.0, "B": 1.0, "%": 0.01, "s": 1.0, "ms": 1e-3, "us": 1e-6}
# A number with its unit, as in files; the last one of "2/ln 2 ≈ 2.885".
NUMBER = re.compile(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)(p|B|%|s|ms|us)?$")


# In place of a parameter.
WITHOUT = {"": "built in", "-": "not here"}


@dataclass(frozen=True)
class Constant:
    """One of the kernel's."""

    name: str
    value: str
    # Sojourn's parameter or a key of WITHOUT, and the kernel's value in the parameter's unit, if it has one.
    parameter: str
    number: str


@dataclass(frozen=True)
class Group:
    """Those of a queue or a sender."""

    name: str
    source: str
    constants: list[Constant]
    # Numbers of the preset that Linux has no constant for.
    without: Mapping[str, str]


def groups(what: str) -> list[Group]:
    """Those of `queues` or `senders`."""
    found = []
    for name, said in tomllib.loads(WORDS.read_text())[what].items():
        constants = [Constant(*row, *[""] * (4 - len(row))) for row in said["rows"]]
        found.append(Group(name, said["source"], constants, said.get("without", {})))
    return found


@functools.cache
def _registry() -> dict[str, Any]:
    registry: dict[str, Any] = json.loads(_core.registry())
    return registry


def _entry(what: str, name: str) -> Mapping[str, Any]:
    kinds = {"queues": ["queues"], "senders": ["controls", "transports"]}[what]
    found = [entry for kind in kinds for entry in _registry()[kind] if entry["name"] == name]
    return found[0]


def set_by_preset(what: str, name: str) -> dict[str, str]:
    """The settings of the preset (of `tcp` the profile) `linux`, as in files; those of a queue of Linux's own are its
    defaults.
    """
    entry = _entry(what, name)
    if name.startswith("sch_"):
        return {param["name"]: str(param["written"]) for param in entry["params"]}
    presets = [*entry.get("presets", []), *entry.get("profiles", [])]
    return next((dict(preset["written"]) for preset in presets if preset["name"] == PRESET), {})


def value_of(what: str, name: str, parameter: str) -> str:
    """A parameter in preset `linux`, as in files."""
    defaults = {param["name"]: str(param["written"]) for param in _entry(what, name)["params"]}
    return {**defaults, **set_by_preset(what, name)}[parameter]


def number_of(written: str) -> float | None:
    """The number in it, in seconds, bytes or packets."""
    found = NUMBER.search(written)
    return float(found[1]) * UNITS[found[2] or ""] if found else None


def in_sojourn(what: str, name: str, parameter: str) -> str:
    """The last cell of a row."""
    if parameter in WITHOUT:
        return WITHOUT[parameter]
    return f"`{parameter} = {value_of(what, name, parameter)}`"


def rows(what: str) -> Iterator[str]:
    """The rows of a table."""
    for group in groups(what):
        yield f"| **{group.name}**: {group.source} | | |"
        for one in group.constants:
            ours = in_sojourn(what, group.name, one.parameter)
            yield f"| {one.name} | {one.value} | {ours} |"


def table(what: str) -> str:
    """The table of `queues` or `senders`."""
    columns = (f"{what.removesuffix('s')}, and its constants in Linux", "value", "in Sojourn")
    return "\n".join([closed_tables.head(columns, words=len(columns)), *rows(what)])
