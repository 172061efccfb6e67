"""What study files of one work share: axes' points, metrics, readings and claims of ``parts.toml``, by name.

Wherever a study file has ``shared = [...]``, the parts of these names stand in its place::

    axes.flows.shared = ["3", "28", "103"]
    metrics.shared = ["AQS", "VQS"]

    [[reading]]
    shared = ["delayed acknowledgements"]
    only.flows = ["28"]

What stands beside ``shared`` in a list is added to each of them; what stands beside it in a table is further points or
metrics, or others of the same name. ``words.link = "forward"`` says what stands for ``{link}`` in the parts that a file
takes, in their keys and in their texts; ``[words]`` of ``parts.toml`` says what does otherwise.

``[quick_settings]`` of ``parts.toml`` has what quick runs of a scenario file set, by its name::

    "udp.toml" = { duration = "100s" }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _toml

__all__ = ["PARTS", "filled", "quick_settings", "read"]

PARTS = "parts.toml"
_LISTS = ("reading", "claim", "printed", "trace")


def read(path: Path) -> dict[str, Any]:
    """A study file with the parts that it shares with others of its work.

    Raises
    ------
    ValueError
        With the file, the name and what is allowed, for a part that is not there.
    """
    content = dict(_toml.read(path))
    beside = path.parent / PARTS
    parts = _toml.read(beside) if beside.exists() else {}
    words = {**parts.get("words", {}), **content.pop("words", {})}
    try:
        return {key: _with_parts(key, value, filled(parts.get(key, {}), words)) for key, value in content.items()}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def quick_settings(folder: Path, scenario: str) -> Mapping[str, Any]:
    """What quick runs of a scenario file set."""
    path = folder / PARTS
    found: Mapping[str, Any] = _toml.read(path).get("quick_settings", {}).get(scenario, {}) if path.exists() else {}
    return found


def _with_parts(place: str, value: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(value, list) and place in _LISTS:
        return [one for item in value for one in _items(place, item, parts)]
    if not isinstance(value, Mapping):
        return value
    own = {
        key: _with_parts(f"{place}.{key}", item, parts.get(key, {})) for key, item in value.items() if key != "shared"
    }
    return {**_named(place, value.get("shared", ()), parts), **own}


def _items(place: str, item: Mapping[str, Any], parts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """An item of a list, or one for each part that it names."""
    rest = {key: value for key, value in item.items() if key != "shared"}
    if "shared" not in item:
        return [rest]
    return [
        {**({"name": name} if place == "reading" else {}), **part, **rest}
        for name, part in _named(place, item["shared"], parts).items()
    ]


def _named(place: str, names: Sequence[str], parts: Mapping[str, Any]) -> dict[str, Any]:
    if wrong := [name for name in names if name not in parts]:
        raise ValueError(f"{place}: {PARTS} has no {wrong[0]!r}\n  allowed: {', '.join(parts) or 'nothing'}")
    return {name: parts[name] for name in names}


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """Names in braces replaced; what is no text takes the whole place of its name."""
    if isinstance(value, str):
        for name, text in names.items():
            if not isinstance(text, str) and value == f"{{{name}}}":
                return text
            value = value.replace(f"{{{name}}}", _as_text(text))
        return value
    if isinstance(value, dict):
        return {str(filled(key, names)): filled(item, names) for key, item in value.items()}
    return [filled(item, names) for item in value] if isinstance(value, list) else value


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return value if isinstance(value, str) else f"{value:g}"
