"""Words for the settings of candidates that follow from a line."""

from __future__ import annotations

from collections.abc import Iterable

from .candidates import CANDIDATES
from .question import Line

__all__ = ["set_for_the_line"]


def set_for_the_line(line: Line, names: Iterable[str]) -> str:
    """The candidates whose settings differ from the defaults on this line; empty if there are none.

    >>> set_for_the_line(Line.read("20/100"), CANDIDATES)
    ''
    >>> set_for_the_line(Line.read("1/20"), ["codel", "cake"])
    'Set for this line: codel interval 114ms target 19ms (up).'
    """
    parts = []
    for name in names:
        up, down = line.words_for(name)
        plain = CANDIDATES[name].words if name in CANDIDATES else name
        if up == down != plain:
            parts.append(up)
        else:
            parts += [f"{words} ({way})" for words, way in ((up, "up"), (down, "down")) if words != plain]
    return f"Set for this line: {'; '.join(parts)}." if parts else ""
