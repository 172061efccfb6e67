"""Figures and tables of a work, by the words in which texts name them."""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = ["Place", "figure_or_table", "named"]

Place: TypeAlias = tuple[str, str]
"""``figure`` or ``table``, and its number."""

_ASKED = re.compile(r"(?P<kind>fig|table)\w*\.?\s*(?P<number>\d+(?:\.\d+)?)\s*\(?[a-z]?\)?", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<kind>\b(?:figure|table)s?\b)|(?P<number>\b\d+(?:\.\d+)*)|(?P<to>\bto\b)|(?P<panel>\(?\b[a-z]\b\)?)"
    r"|(?P<and>\band\b|,)|(?P<other>\w+|[^\w\s])"
)
"""A panel, as in 3.21c or 2.10(b), is a part of its figure."""


def figure_or_table(text: str) -> Place | None:
    """The figure or table that somebody asks for by name; None for anything else.

    >>> figure_or_table("Fig. 5.6(a)"), figure_or_table("table 13"), figure_or_table("E5.3")
    (('figure', '5.6'), ('table', '13'), None)
    """
    found = _ASKED.fullmatch(text.strip())
    return None if found is None else ({"fig": "figure"}.get(found["kind"].lower(), "table"), found["number"])


def named(text: str) -> set[Place]:
    """All that a text names.

    >>> sorted(named("section 2.4, figures 2.9(a) to 2.11 and 2.14, table 3"))
    [('figure', '2.10'), ('figure', '2.11'), ('figure', '2.14'), ('figure', '2.9'), ('table', '3')]
    """
    found: set[Place] = set()
    kind, last, through = "", "", False
    for token in _TOKEN.finditer(re.sub(r"(\d)([a-z])\b", r"\1(\2)", text.lower())):
        if token["kind"]:
            kind, last = token["kind"].rstrip("s"), ""
        elif token["other"]:
            kind = ""
        elif token["number"] and kind:
            numbers = _span(last, token["number"]) if through and last else [token["number"]]
            found |= {(kind, number) for number in numbers}
            last = token["number"]
        through = bool(token["to"])
    return found


def _span(first: str, last: str) -> list[str]:
    """All numbers from one to another: whole ones, or those of a chapter."""
    (chapter, _, low), (other, _, high) = first.rpartition("."), last.rpartition(".")
    if chapter != other:
        return [first, last]
    return [f"{chapter}.{n}".lstrip(".") for n in range(int(low), int(high) + 1)]
