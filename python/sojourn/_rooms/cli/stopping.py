"""Ctrl-C: one line, exit code 130, and nothing behind it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

from .._base import ctrl_c

__all__ = ["STOPPED", "leave", "say_stopped", "unprinted"]

STOPPED = 130
"""The exit code."""

_said: list[str] = []


def say_stopped(what: str = "") -> None:
    """Say once that the command was stopped, and how much was done by then."""
    if not _said:
        ctrl_c.ignore()
        _said.append(what)
        with suppress(OSError, ValueError):
            print(f"stopped{': ' + what if what else ''}", file=sys.stderr)


def leave(code: Any) -> NoReturn:
    """Leave with an exit code. From here on another Ctrl-C changes nothing.

    A hook that does not let itself be ended may still run: :mod:`sojourn.__main__` then ends the process without the
    end of Python, which would abort it.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code == STOPPED:
        say_stopped()
        _said.clear()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        code = code or unprinted(error)
        # Python would try to write the rest again at its end.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - until the end
    sys.exit(code)


def unprinted(error: OSError) -> int:
    """Say that standard output takes no more; the exit code."""
    with suppress(OSError, ValueError):
        print(f"error: standard output: {(error.strerror or str(error)).lower()}", file=sys.stderr)
    return 1
