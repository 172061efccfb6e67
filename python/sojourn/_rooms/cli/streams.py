"""Standard output that carries JSON and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

__all__ = ["json_only", "output", "then"]

_kept: list[TextIO] = []
"""Where JSON goes while standard output is turned to standard error."""


def output() -> TextIO:
    """The stream for the data of a command."""
    return _kept[-1] if _kept else sys.stdout


@contextmanager
def json_only() -> Iterator[None]:
    """Send printed text to standard error, except for the text that :func:`output` takes.

    A class of the user's may print, in this process and in those that it starts: these have its descriptors.
    """
    before, turned = sys.stdout, None
    before.flush()
    try:
        place, other = before.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):
        # Streams of a test or a notebook have no descriptors.
        _kept.append(before)
    else:
        turned = os.dup(place)
        os.dup2(other, place)
        _kept.append(os.fdopen(turned, "w", encoding=before.encoding, errors=before.errors))
    sys.stdout = sys.stderr
    try:
        yield
        output().flush()
    finally:
        sys.stdout = before
        mine = _kept.pop()
        if turned is not None:
            # Text written to the old stream itself goes to standard error, where its descriptor still leads.
            with suppress(OSError):
                before.flush()
            os.dup2(turned, place)
            _close(mine)


def _close(stream: TextIO) -> None:
    """A failed write was reported when it was flushed."""
    with suppress(OSError):
        stream.close()


@contextmanager
def then(write: Callable[[], None]) -> Iterator[None]:
    """Write files after the printed output, even if nobody reads that to its end: ``| head``."""
    try:
        yield
    except BrokenPipeError:
        write()
        raise
    write()
