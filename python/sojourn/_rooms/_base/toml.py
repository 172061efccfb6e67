"""Reads files of TOML, each text once, and writes values as TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from .files import content_of, look_into

__all__ = ["Value", "document", "inline", "is_study_file", "read"]

Value = bool | int | float | str | Sequence["Value"] | Mapping[str, "Value"]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read(path: Path) -> Mapping[str, Any]:
    """The content of a file. A text that was read recently is not read again, so do not change the content.

    Raises
    ------
    ValueError
        With the file, if it is not TOML.
    """
    try:
        return _read(content_of(path).decode("utf-8-sig").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this is not TOML: {error}") from None


@lru_cache(maxsize=64)
def _read(text: str) -> Mapping[str, Any]:
    return tomllib.loads(text)


def is_study_file(path: Path) -> bool:
    """Whether the file has axes: a scenario has none. A file that is no TOML counts if a line begins with them."""
    try:
        text = look_into(path)
        # Most files do not have the word, and to read a large one takes seconds.
        return "axes" in text and "axes" in tomllib.loads(text)
    except UnicodeDecodeError:
        return False
    except tomllib.TOMLDecodeError:
        return re.search(r"^\[*axes\b", text, re.MULTILINE) is not None


def inline(value: Value) -> str:
    """A value on one line: ``{ kind = "red", limit = "50p" }``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        return "{ " + ", ".join(f"{key(name)} = {inline(item)}" for name, item in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    raise TypeError(f"a {type(value).__name__} cannot be in a scenario; write a text with a unit, a number or a table")


def key(name: str) -> str:
    """A key, in quotation marks where it must be."""
    return name if _BARE_KEY.fullmatch(name) else inline(name)


def document(content: Mapping[str, Value]) -> str:
    """A whole file: plain values first, then tables and lists of tables."""
    plain: list[str] = []
    tables: list[str] = []
    for name, value in content.items():
        if isinstance(value, Mapping):
            tables.append(_section(f"[{key(name)}]", value))
        elif isinstance(value, Sequence) and value and all(isinstance(item, Mapping) for item in value):
            tables += [_section(f"[[{key(name)}]]", item) for item in value if isinstance(item, Mapping)]
        else:
            plain.append(f"{key(name)} = {inline(value)}")
    return "\n\n".join(part for part in ["\n".join(plain), *tables] if part) + "\n"


def _section(head: str, table: Mapping[str, Value]) -> str:
    return "\n".join([head, *(f"{key(name)} = {inline(value)}" for name, value in table.items())])
