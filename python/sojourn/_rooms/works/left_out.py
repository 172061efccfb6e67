"""Statements of a work about its results that have no verdict, each with the reason.

They are in ``not-tested.toml`` beside ``sentences.toml``::

    [[statement]]
    place = "section 4.4.1, figure 4.6"
    text = "Large windows save energy"
    reason = "the work states no model of energy"

A sentence whose data is lost, but which is counted, is one of ``sentences.toml`` with ``missing``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .._base import toml
from .._base.schema import Wrong, keys, made, tables, told_of, under
from .folders import NOT_TESTED, SENTENCES
from .sentences import read as sentences_of

__all__ = ["HEAD", "HEADING", "Statement", "cells", "markdown", "read"]

HEADING: Final = "Statements without a verdict"
HEAD: Final = ("statement", "place", "why it has none")


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement as in the source, its place there, and why it has no verdict."""

    place: str
    text: str
    reason: str


def read(directory: Path) -> list[Statement]:
    """The statements of a work; none where it has no ``not-tested.toml``.

    Raises
    ------
    ValueError
        With the statement, and the found and the allowed values.
    """
    path = directory / NOT_TESTED
    if not path.is_file():
        return []
    content = toml.read(path)
    judged = {one.text for one in sentences_of(directory)}
    found: list[Statement] = []
    try:
        keys(content, ("statement",))
        with under("statement"):
            for place, table in enumerate(tables(content.get("statement", []))):
                with under(str(place)):
                    one = made(Statement, table)
                    for name in ("place", "text", "reason"):
                        if not getattr(one, name).strip():
                            raise Wrong("this is empty", name, allowed="a text")
                    if one.text in judged:
                        raise Wrong(f"this is a sentence of {SENTENCES}, too", "text", allowed="a place in one of them")
                    if one in found:
                        raise Wrong("this is there twice", "text", allowed="each statement once")
                    found.append(one)
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    return found


def cells(statements: Sequence[Statement]) -> list[tuple[str, str, str]]:
    """A row for each statement, below :data:`HEAD`."""
    return [(one.text, one.place, one.reason) for one in statements]


def markdown(statements: Sequence[Statement]) -> str:
    """A list for a page."""
    return "\n".join(f"- {one.text} ({one.place}): *{one.reason}*" for one in statements)
