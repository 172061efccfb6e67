"""The error of a failed hook: one message with the hook, the simulated time and the line."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

__all__ = ["HookError", "hook_error", "user_line"]

_OURS = str(Path(__file__).resolve().parents[2])


class HookError(RuntimeError):
    """A hook of a queue or of a window law that is written in Python failed; the error itself is ``__cause__``.

    Attributes
    ----------
    hook
        Its name.
    time_s
        Simulated seconds; None before a run begins.
    """

    def __init__(self, message: str, *, hook: str = "", time_s: float | None = None) -> None:
        super().__init__(message)
        self.hook = hook
        self.time_s = time_s


def hook_error(what: str, name: str, hook: str, time_s: float | None, error: BaseException) -> HookError:
    """The error with which a hook failed, as one message."""
    when = "" if time_s is None else f" at {time_s:.9g} s"
    place = user_line(error)
    message = f"{what} {name!r}: {hook} failed{when}: {_short(error)}{place}"
    failed = HookError(message, hook=hook, time_s=time_s)
    failed.__cause__ = error
    return failed


def user_line(error: BaseException) -> str:
    """The line of a user's file at which an error was raised, as lines of a message; empty where there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not str(Path(frame.filename)).startswith(_OURS)]
    if isinstance(error, SyntaxError) and error.filename:
        return _place(error.filename, error.lineno or 0, "", (error.text or "").strip())
    if not theirs:
        return ""
    frame = theirs[-1]
    return _place(frame.filename, frame.lineno or 0, frame.name, frame.line or "")


def _place(file: str, line: int, function: str, source: str) -> str:
    shown = Path(file).name if Path(file).suffix == ".py" else file
    where = f"\n  at:      {shown}, line {line}" + (f", in {function}" if function and function != "<module>" else "")
    return f"{where}\n           {source}" if source else where


def _short(error: BaseException) -> str:
    """Kind and text of an error, and the notes that were added to it, in one line."""
    if isinstance(error, SystemExit):
        how = repr(error.code) if isinstance(error.code, str) else f"exit code {error.code or 0}"
        return f"it ended Python ({how})"
    kind = type(error)
    name = (
        kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    )
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        notes = [f"({note})" for note in getattr(error, "__notes__", ())]
    except Exception as worse:
        # The error is the user's own class, and even its text may fail.
        text, notes = f"its text is not available: {type(worse).__name__}", []
    return " ".join(" ".join([f"{name}: {text}" if text else name, *notes]).split())


# A core that was built before the rooms had a folder of their own asks for the error here.
sys.modules.setdefault("sojourn.own._failure", sys.modules[__name__])
