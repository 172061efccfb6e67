"""Descriptions of the classes of components: fields, types and docstring of each, from its entry in the registry."""

from __future__ import annotations

import json
import keyword
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["Description", "class_name", "describe", "describe_group", "group_name"]

Entry = Mapping[str, Any]
"""An entry of the registry, a parameter or a group of parameters, as the core gives it."""

_TYPES = {
    "bool": "bool",
    "integer": "int",
    "number": "float",
    "fraction": "float | str",
    "rate": "str",
    "time": "str",
    "size": "str",
    "bytes": "str",
    "dscp": "str | int",
    "numbers": "Sequence[float]",
    "several": "str | int | Sequence[str | int]",
    "tables": "Sequence[Mapping[str, Any]]",
}

_WIDTH = 114
"""Columns of a docstring without its indentation in a file."""


class Description(NamedTuple):
    """A class of a kind of component, or of parameters that several kinds share.

    Attributes
    ----------
    name
        Its name.
    bases
        The names of its bases.
    doc
        Its docstring.
    fields
        The type of each field that it declares itself. Every field may also be None, which is its default.
    kind
        The name of the kind in scenario files; None for shared parameters.
    """

    name: str
    bases: tuple[str, ...]
    doc: str
    fields: Mapping[str, str]
    kind: str | None = None


class _Field(NamedTuple):
    name: str
    type: str
    doc: str


def class_name(base: str, kind: str) -> str:
    """``ared_feng`` is ``AredFeng``; a keyword of Python, such as ``none``, is ``NoControl``."""
    name = "".join(part.capitalize() for part in kind.split("_"))
    return f"No{base}" if keyword.iskeyword(name) else name


def group_name(group: str) -> str:
    """The class of the parameters of a group: that of ``red`` is ``RedParameters``."""
    return f"{class_name('', group)}Parameters"


def describe_group(base: str, group: Entry) -> Description:
    """The class of parameters that several kinds share."""
    fields = [_field(param) for param in group["params"]]
    lines = [group["doc"], *_attributes(fields)]
    return Description(group_name(group["name"]), (base,), "\n".join(lines), _types(fields))


def describe(base: str, entry: Entry, groups: Mapping[str, Entry]) -> Description:
    """The class of a kind: its own parameters, and in the text also its changes to shared ones.

    Parameters
    ----------
    base
        The name of the base of all such kinds: ``"Queue"``, ``"Transport"``, ``"Control"``, ``"App"`` or ``"Loss"``.
    entry
        The kind as in the registry.
    groups
        The groups of parameters, by name, that it has; see :func:`shared`.
    """
    names = shared(entry)
    declared = {param["name"]: param for name in names for param in groups[name]["params"]}
    own = list(_fields(base, entry, declared))
    changed = [
        _field(param)
        for param in entry["params"]
        if param["name"] in declared and _description(param) != _description(declared[param["name"]])
    ]
    lines = [f"{entry['title']}.", "", *_wrapped(entry["doc"]), "", *_wrapped(f"Reference: {entry['reference']}.")]
    if names:
        classes = " and ".join(f":class:`{group_name(name)}`" for name in names)
        lines += ["", *_wrapped(f"It has the attributes of {classes}, too.")]
    lines += _attributes([*own, *changed])
    # The base that declares last comes first: Python looks from left to right.
    bases = tuple(group_name(name) for name in reversed(names)) or (base,)
    return Description(class_name(base, entry["name"]), bases, "\n".join(lines), _types(own), entry["name"])


def shared(entry: Entry) -> list[str]:
    """The names of the groups of parameters that a kind has."""
    return list(dict.fromkeys(param["group"] for param in entry["params"] if param.get("group")))


def _fields(base: str, entry: Entry, inherited: Mapping[str, Any]) -> Iterator[_Field]:
    """The fields that are not inherited."""
    for key in ("preset", "profile"):
        presets = entry.get(f"{key}s", [])
        if presets:
            meanings = " ".join(f'"{preset["name"]}": {preset["doc"].rstrip(".")}.' for preset in presets)
            yield _Field(key, _literal(preset["name"] for preset in presets), f"Group of settings. {meanings}")
    if base == "Transport" and entry.get("control"):
        doc = f'Congestion control law: a name or an object. Default ``"{entry["control"]}"``.'
        yield _Field("control", "str | Control | Mapping[str, Any]", doc)
    for param in entry["params"]:
        if param["name"] not in inherited:
            yield _field(param)


def _field(param: Entry) -> _Field:
    name: str = param["name"]
    return _Field(f"{name}_" if keyword.iskeyword(name) else name, _type(param), _description(param))


def _types(fields: Iterable[_Field]) -> dict[str, str]:
    return {field.name: field.type for field in fields}


def _type(param: Entry) -> str:
    if param["type"] == "policy":
        return f"{_literal(param['choices'])} | Queue | Mapping[str, Any]"
    if param["type"] == "queue":
        return "str | Queue | Mapping[str, Any]"
    if param["type"] == "choice":
        return _literal([*param["choices"], *(["auto"] if param["auto"] else [])])
    kind = _TYPES[param["type"]]
    return f"{kind} | Literal['auto']" if param["auto"] and "str" not in kind else kind


def _literal(names: Iterable[str]) -> str:
    return f"Literal[{', '.join(map(repr, names))}]"


def _description(param: Entry) -> str:
    """Meaning, unit and range, default and its source."""
    doc = param["doc"].rstrip(".")
    return f"{doc}. Allowed: {param['allowed']}. Default {_default(param)}: {param['source'].rstrip('.')}."


def _default(param: Entry) -> str:
    """The default as Python, or a number of many digits as people write it."""
    text: str = param["written"]
    return f"``{_literal_default(param)}``" if text == param["default"] else text


def _literal_default(param: Entry) -> str:
    text: str = param["default"]
    if param["type"] == "bool":
        return text.capitalize()
    try:
        number = float(text)
    except ValueError:
        return json.dumps(text, ensure_ascii=False)
    return text if number == number else json.dumps(text)


def _attributes(fields: Iterable[_Field]) -> list[str]:
    lines = [line for field in fields for line in (field.name, *_wrapped(field.doc, "    "))]
    return ["", "Attributes", "----------", *lines] if lines else []


def _wrapped(text: str, indent: str = "") -> list[str]:
    joined = " ".join(text.split())
    return textwrap.wrap(joined, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
