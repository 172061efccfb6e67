"""The counterpart of a word of tc in a line, for hints: its row on the page "Coming from tc", or what explain says."""

from __future__ import annotations

import re

from . import coming_from
from .glossary import glossary
from .names import absent, plain_name

__all__ = ["counterpart"]

_BRIEF = 280


def counterpart(word: str) -> str:
    """The counterpart of a queueing discipline of tc, on one line; empty without one."""
    if not plain_name(word):
        return ""
    if own := glossary(f"{word} qdisc"):
        return own
    for tool, row in coming_from.rows_for(word):
        if tool == coming_from.TITLES["tc"]:
            return _brief(row.ours, word)
    return glossary(word) or absent(word)


def _brief(cell: str, word: str) -> str:
    """A cell of a page, or its first piece of code if it is long."""
    whole = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", coming_from.plain(cell)).replace("`", "")
    if len(whole) <= _BRIEF:
        return whole
    code = next((text for _, text in coming_from.code(cell)), "")
    return f"{code if len(code) <= _BRIEF else 'a table of its own'}; sojourn explain {word} has all of it"
