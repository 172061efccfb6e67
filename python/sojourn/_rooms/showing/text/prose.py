"""Prose for a terminal: wrapped to its width."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import stat
import sys
import textwrap
from pathlib import Path
from typing import TextIO

__all__ = [
    "first_sentence",
    "hold",
    "message",
    "print_wrapped",
    "sound_streams",
    "tell",
    "tell_held",
    "width",
    "wrapped",
]

_held: list[str] = []
_ALIKE = "sojourn.alike"
# Spaces that do not break a line, and the signs of numbers.
_LETTERS = {"\u202f": " ", "\u2009": " ", "\xa0": " ", "\u2212": "-", "\u2013": "-"}


def first_sentence(text: str) -> str:
    """Return the text before the first full stop."""
    head, stop, _ = " ".join(text.split()).partition(". ")
    return head + ("." if stop else "")


def sound_streams() -> None:
    """Let a stream that was closed take anything, and one whose encoding lacks a letter show one like it, or ``?``."""
    codecs.register_error(_ALIKE, _alike)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
        elif isinstance(stream, io.TextIOWrapper) and (stream.errors == "strict" or _lacks_letters(stream)):
            stream.reconfigure(errors=_ALIKE)


def _alike(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)  # noqa: S101 - a stream that is written to encodes
    letters = error.object[error.start : error.end]
    return "".join(_LETTERS.get(letter, "?") for letter in letters), error.end


def _lacks_letters(stream: TextIO) -> bool:
    """Whether it lacks letters that we print; in a locale such as C a stream takes ASCII alone."""
    return stream.errors == "surrogateescape" and not (stream.encoding or "").lower().startswith("utf")


def width() -> int:
    """The width of the terminal, but no wider than reads well; 100 if there is none, as a pipe may lead to a pager."""
    if sys.stdout.isatty():
        return min(shutil.get_terminal_size((80, 24)).columns, 100)
    return min(_columns(sys.stderr) or 100, 100) if _is_pipe(sys.stdout) else 100


def _is_pipe(stream: TextIO) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def _columns(stream: TextIO) -> int | None:
    """The width of the terminal that a stream is, if it is one."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def tell(text: str) -> None:
    """Print a message on stderr, after the held ones; see :func:`message`."""
    tell_held()
    print(message(text), file=sys.stderr)


def hold(text: str) -> None:
    """Keep a message until the next one, or until the runs begin: a command that is refused says nothing else."""
    if text not in _held:
        _held.append(text)


def tell_held(*, drop: bool = False) -> None:
    """Print the messages that were held, or drop them."""
    held = [] if drop else list(_held)
    _held.clear()
    for text in held:
        print(message(text), file=sys.stderr)


def message(text: str) -> str:
    """A message for stderr: on a terminal its lines are wrapped, each with its own indentation."""
    columns = _columns(sys.stderr)
    if columns is None:
        return text
    lines = []
    for line in text.split("\n"):
        label = re.match(r"  \w+: +", line)
        indent = " " * (len(label[0]) if label else len(line) - len(line.lstrip()))
        lines.append(_filled(line, columns, indent))
    return "\n".join(lines)


def _filled(line: str, columns: int, indent: str) -> str:
    return textwrap.fill(
        line,
        columns,
        subsequent_indent=indent,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )


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
    """Print `line`, wrapped; further lines are indented by `hanging` columns."""
    print(_filled(line, width(), " " * hanging))
