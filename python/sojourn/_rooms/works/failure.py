"""The error for the files of a user's work: one message with the file, the line and the error."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..own._failure import user_line

__all__ = ["named_faults"]

_OURS = Path(__file__).resolve().parents[2]
_IN_WORDS = (RuntimeError, ValueError, OSError, ImportError)
"""Errors that Sojourn raises with a message of its own."""


@contextmanager
def named_faults(directory: Path) -> Iterator[None]:
    """Turn an error in the Python files of a work into one message; works that come with Sojourn are its own fault."""
    try:
        yield
    except Exception as error:
        if directory.resolve().is_relative_to(_OURS) or _says_it_itself(error):
            raise
        lines = traceback.format_exception_only(type(error), error)
        raise ValueError(f"{directory}: {' '.join(lines[-1].split())}{user_line(error)}") from error


def _says_it_itself(error: Exception) -> bool:
    """Whether Sojourn raised the error, with a message of its own."""
    if not isinstance(error, _IN_WORDS):
        return False
    frames = [Path(one.filename) for one in traceback.extract_tb(error.__traceback__) if one.filename[0] != "<"]
    return bool(frames) and frames[-1].is_relative_to(_OURS) and frames[-1] != Path(__file__).resolve()
