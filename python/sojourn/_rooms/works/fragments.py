"""Common parts of the study files of one work: axes' points, metrics, readings and claims of ``shared.toml``, by name.

Wherever a study file has ``shared = [...]``, the parts of these names replace it::

    axes.flows.shared = ["3", "28", "103"]
    metrics.shared = ["AQS", "VQS"]

    [[reading]]
    shared = ["delayed acknowledgements"]
    only.flows = ["28"]

Keys beside ``shared`` in a list are added to each of them; keys beside it in a table are further points or
metrics, or others of the same name. ``words.link = "forward"`` replaces ``{link}`` in the parts that a file takes, in
their keys and in their texts. ``[words]`` of ``shared.toml`` has the defaults.

``[quick_settings]`` of ``shared.toml`` has the settings of quick runs of a scenario file, by its name::

    "udp.toml" = { duration = "100s" }
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._base import toml
from .._base.schema import Wrong, known, table, tables, told_of, under
from .folders import SHARED, root_of

__all__ = ["Item", "as_text", "filled", "quick_settings", "read", "unfilled"]

_LISTS = ("reading", "claim", "printed", "trace", "curve")
_KEYS = ("words", "quick_settings", "axes", "metrics", *_LISTS)
_BRACES = re.compile(r"\{(\w+)\}")


class Item(dict[str, Any]):
    """A table of a list, which knows its place in its file, or in ``shared.toml``."""

    path: Sequence[str] = ()

    @classmethod
    def at(cls, path: Sequence[str], content: Mapping[str, Any]) -> Item:
        """The table of this place."""
        made = cls(content)
        made.path = tuple(path)
        return made


def read(path: Path, part: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A study file, or a part of it, with the parts that it shares with other files of its work.

    Raises
    ------
    ValueError
        With the file, the name and the allowed ones, if a part does not exist.
    """
    whole = toml.read(path)
    content = dict(whole if part is None else part)
    root = root_of(path)
    shared = _parts(root)
    try:
        with under("words"):
            words = {**shared.get("words", {}), **table(whole.get("words", {})), **table(content.pop("words", {}))}
        return {
            key: value if key == "part" else _with_parts((key,), value, filled(shared.get(key, {}), words))
            for key, value in content.items()
        }
    except Wrong as wrong:
        if part is not None:
            raise
        raise told_of(wrong, [(path, ()), (root / SHARED, ())]) from None


def _parts(folder: Path) -> Mapping[str, Any]:
    """The content of ``shared.toml``; every key is a table."""
    path = folder / SHARED
    if not path.exists():
        return {}
    parts = toml.read(path)
    try:
        for key, value in parts.items():
            known(key, _KEYS, "key", key)
            with under(key):
                for name, one in table(value).items():
                    with under(name):
                        _ = one if key in ("words", "quick_settings") else table(one)
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    return parts


def quick_settings(folder: Path, scenario: object) -> Mapping[str, Any]:
    """The settings of quick runs of a scenario file."""
    found = _parts(folder).get("quick_settings", {}).get(scenario, {}) if isinstance(scenario, str) else {}
    return found if isinstance(found, Mapping) else {}


def _with_parts(place: Sequence[str], value: Any, parts: Mapping[str, Any]) -> Any:
    if place[-1] in _LISTS and len(place) == 1:
        with under(*place):
            return [
                one for number, item in enumerate(tables(value)) for one in _items(place[0], str(number), item, parts)
            ]
    if not isinstance(value, Mapping):
        return value
    own = {
        key: _with_parts((*place, key), item, parts.get(key, {}) if isinstance(parts, Mapping) else {})
        for key, item in value.items()
        if key != "shared"
    }
    if "shared" not in value:
        return own
    with under(*place):
        return {**_named(value["shared"], parts), **own}


def _items(place: str, number: str, item: Mapping[str, Any], parts: Mapping[str, Any]) -> list[Item]:
    """An item of a list, or one for each part that it names."""
    rest = {key: value for key, value in item.items() if key != "shared"}
    if "shared" not in item:
        return [Item.at((place, number), rest)]
    with under(number):
        named = _named(item["shared"], parts)
    return [
        Item.at((place, name), {**({"name": name} if place == "reading" else {}), **part, **rest})
        for name, part in named.items()
    ]


def _named(names: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise Wrong("write a list of names", "shared", found=names)
    for number, name in enumerate(names):
        known(name, parts, f"part of {SHARED}", "shared", str(number))
    return {name: parts[name] for name in names}


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """The text with names in braces replaced. A value that is not a text replaces the whole text."""
    if isinstance(value, str):
        for name, text in names.items():
            if not isinstance(text, str) and value == f"{{{name}}}":
                return text
            if f"{{{name}}}" in value:
                value = value.replace(f"{{{name}}}", as_text(text))
        return value
    if isinstance(value, dict):
        return {str(filled(key, names)): filled(item, names) for key, item in value.items()}
    return [filled(item, names) for item in value] if isinstance(value, list) else value


def unfilled(value: Any) -> str:
    """A name in braces that is still there, in a text anywhere; empty if there is none."""
    if isinstance(value, str):
        found = _BRACES.search(value)
        return found[1] if found else ""
    if isinstance(value, Mapping):
        return next((name for pair in value.items() for one in pair if (name := unfilled(one))), "")
    return next((name for one in value if (name := unfilled(one))), "") if isinstance(value, list) else ""


def as_text(value: Any) -> str:
    """A value as a part of a text."""
    if isinstance(value, list):
        return ", ".join(map(as_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else str(value)
