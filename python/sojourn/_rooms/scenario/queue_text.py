"""A queue as a text: ``"red:min_th=5p"``, or a line of tc. All commands and Python read it here."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from ..._core import ScenarioError
from .._base import toml
from .._base.checks import shortened
from .._base.registry import read_registry
from ..catalogue.names import plain_name
from .component import Named
from .tc_line import instead_of, is_of_tc, is_tc_line, tc_label, tc_queue

__all__ = ["in_short", "is_queue", "parse_queue", "table_of", "with_lines_read"]

_LONGEST, _DEEPEST = 10_000, 8
"""The most characters of a text, and the most braces around a setting."""
_INSIDE = frozenset({"policy", "queue"})
"""Parameters that take a queue."""
# Not between braces or brackets.
_COMMA = re.compile(r",(?![^{]*\})(?![^\[]*\])")


def parse_queue(text: str) -> dict[str, toml.Value]:
    """Read ``"red:min_th=5p,ecn=true"`` as ``{"kind": "red", "min_th": "5p", "ecn": True}``.

    A preset may come first by its name alone: ``"red:ns2,ecn=true"``. The policy of another queue is in braces where it
    has settings: ``"flow_queue:policy={kind=red,min_th=5p}"``. A line of tc such as ``"fq_codel target 5ms"`` has
    Linux's defaults.

    Raises
    ------
    ScenarioError
        If a setting has no value, or tc would not take a word. The core refuses names that it does not know.

    Warns
    -----
    WordWarning
        About words of tc that are taken and have no effect here.
    """
    if len(text) > _LONGEST:
        raise ScenarioError(
            f"queue {shortened(repr(text))}: it has {len(text)} characters\n  allowed: at most {_LONGEST}"
        )
    if is_tc_line(text):
        return tc_queue(text)
    kind, _, settings = text.partition(":")
    table: dict[str, toml.Value] = {"kind": _known(kind.strip())}
    first, _, more = settings.partition(",")
    if any(entry["name"] == table["kind"] and _has_preset(entry, first.strip()) for entry in read_registry()["queues"]):
        table["preset"], settings = first.strip(), more
    return _settings(text, f"{kind}:", settings, table)


def _has_preset(entry: Mapping[str, Any], name: str) -> bool:
    return any(preset["name"] == name for preset in entry["presets"])


def table_of(text: str) -> toml.Value:
    """A queue for a scenario file: a bare name stays one, any other text becomes a table."""
    table = parse_queue(text)
    return table["kind"] if len(table) == 1 else table


def with_lines_read(table: dict[str, toml.Value]) -> dict[str, toml.Value]:
    """The table of a queue, with lines of tc in it as tables: those of its policy and of its classes."""
    read: dict[str, toml.Value] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            read[key] = with_lines_read(value)
        elif isinstance(value, list):
            read[key] = [with_lines_read(item) if isinstance(item, dict) else item for item in value]
        else:
            line = key in _INSIDE and isinstance(value, str) and is_tc_line(value)
            read[key] = _inside(key, str(value)) if line else value
    return read


def _inside(key: str, line: str) -> dict[str, toml.Value]:
    """A line of tc within a queue. The limit of a policy is that of the queue around it, not tc's default."""
    table = tc_queue(line)
    if key == "policy" and "limit" not in line.split():
        table.pop("limit", None)
    return table


def is_queue(text: str) -> str:
    """The words for a text that is a queue, in a place where none is wanted; empty for any other text."""
    if is_of_tc(text):
        return "a line of tc"
    name, colon, _ = text.partition(":")
    if name.strip() not in [entry["name"] for entry in read_registry()["queues"]]:
        return ""
    return "a queue with its settings" if colon else "the name of a queue"


def in_short(text: str) -> str | None:
    """The label of a line of tc, in its own words; None for any other text."""
    return tc_label(text) if is_tc_line(text) else None


def _known(kind: str) -> str:
    """The name of the queue that is spelt so but for its signs, such as ``fq_codel`` for ``fqcodel``."""
    names = [*(entry["name"] for entry in read_registry()["queues"]), *_own_names(Named)]
    if kind in names:
        return kind
    alike = [name for name in names if plain_name(name) == plain_name(kind)]
    if not alike and (meant := instead_of(kind)):
        raise ScenarioError(f"queue {kind!r}: there is no queue of this name\n  hint:    {meant}")
    return alike[0] if len(alike) == 1 else kind


def _own_names(base: type[Any]) -> Iterator[str]:
    for cls in base.__subclasses__():
        if "name" in vars(cls):
            yield str(vars(cls)["name"])
        yield from _own_names(cls)


def _settings(text: str, head: str, settings: str, table: dict[str, toml.Value]) -> dict[str, toml.Value]:
    """Add the settings of the queue `text`, or of the policy in it, to `table`; `head` is the text before them."""
    if head.count("{") > _DEEPEST:
        raise ScenarioError(f"queue {shortened(repr(text))}: it has braces in braces, more than {_DEEPEST} deep")
    for setting in filter(None, (part.strip() for part in _COMMA.split(settings))):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not key or not value:
            raise ScenarioError(
                f"queue {shortened(repr(text))}: {shortened(repr(setting))} is not a setting\n"
                f"  hint:    write {shortened(head)}key=value,key=value"
            )
        if key in table:
            raise ScenarioError(f"queue {shortened(repr(text))}: {shortened(repr(key))} is set twice")
        braces = value.startswith("{") and value.endswith("}")
        inside = value[1:-1] if braces else value
        if key in _INSIDE and is_tc_line(inside):
            table[key] = _inside(key, inside)
        else:
            table[key] = _settings(text, f"{head}{key}={{", inside, {}) if braces else _scalar(value)
    return table


def _scalar(text: str) -> toml.Value:
    """A number or a truth value where it is one, else text."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return value if isinstance(value, bool | int | float | str) else text
