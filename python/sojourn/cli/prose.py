"""Prose for a terminal: wrapped to its width."""

from __future__ import annotations

import shutil
import sys
import textwrap

__all__ = ["first_sentence", "print_wrapped", "width", "wrapped"]


def first_sentence(text: str) -> str:
    """Return what comes before the first full stop."""
    head, stop, _ = " ".join(text.split()).partition(". ")
    return head + ("." if stop else "")


def width() -> int:
    """Of the terminal, but no wider than reads well; 100 where there is none."""
    return min(shutil.get_terminal_size((80, 24)).columns, 100) if sys.stdout.isatty() else 100


def wrapped(text: str, indent: str) -> list[str]:
    """Lines of `text`, each indented."""
    joined = " ".join(text.split())
    return textwrap.wrap(
        joined,
        width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def print_wrapped(line: str, hanging: int) -> None:
    """Print `line`; what does not fit goes on below, `hanging` columns in."""
    print(
        textwrap.fill(
            line,
            width(),
            subsequent_indent=" " * hanging,
            replace_whitespace=False,
            drop_whitespace=True,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
