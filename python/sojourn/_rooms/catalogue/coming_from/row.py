"""A row of a page "Coming from"."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Row"]


@dataclass(frozen=True)
class Row:
    """The counterpart of a word of another tool.

    Attributes
    ----------
    theirs, ours
        The cells in Markdown; in `ours` each piece of code has its kind before a colon.
    names
        Words, with blanks between them, which ``sojourn explain`` answers with this row.
    part
        Which table of the page has the row, where it has several.
    """

    theirs: str
    ours: str
    names: str = ""
    part: str = ""
