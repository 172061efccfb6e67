"""Ctrl-C during a command: it waits for imports to end, and several within a second are one.

An exception that interrupts an import may be lost, because Python swallows it in a callback of the import's own lock,
and it leaves modules that are half there. An exception outside the command would be answered by the parser of the
command line, with a line of its own.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

__all__ = ["CtrlC", "hold_back", "ignore", "install", "let_through"]

_TOGETHER_S = 1.0
"""Time during which further ones say the same as the first."""
_LONGEST_S = 10.0
"""An import that takes longer is interrupted."""
_AGAIN_S = 0.02
_OURS = str(Path(__file__).parents[2]) + os.sep
_LIBRARY = str(Path(os.__file__).parent) + os.sep


class CtrlC:
    """The handler of SIGINT."""

    def __init__(self) -> None:
        self.is_held = True
        """Whether no command has begun, or it is over."""
        self._raised_at = self._held_since = -1e9
        self._is_due = False

    def __call__(self, _number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, at once or later."""
        now = time.monotonic()
        if self._is_due or now - self._raised_at < _TOGETHER_S:
            return
        if self.is_held or within_import(frame):
            if now - self._held_since > 2.0 * _LONGEST_S:
                self._held_since = now
            if now - self._held_since < _LONGEST_S:
                self.come_again()
                return
        self._raised_at, self._held_since = now, -1e9
        raise KeyboardInterrupt

    def come_again(self) -> None:
        """Send the signal once more, in a moment."""
        self._is_due, self._raised_at = True, -1e9
        # Not a thread of `threading`: the main thread may hold a lock of that module now.
        _thread.start_new_thread(self._send, ())

    def _send(self) -> None:
        time.sleep(_AGAIN_S)
        self._is_due = False
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def within_import(frame: FrameType | None) -> bool:
    """Whether the frame belongs to an import, and not to a file of the user's that is being imported."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return True
        if not file.startswith(("<", _OURS, _LIBRARY)) and "site-packages" not in file:
            return False
        frame = frame.f_back
    return False


def install() -> None:
    """Make it the handler, which holds Ctrl-C back until a command begins."""
    handler = CtrlC()
    usual = sys.unraisablehook

    def hook(about: Any) -> None:
        """Python swallows exceptions in callbacks and finalisers: there, Ctrl-C comes again."""
        if issubclass(about.exc_type, KeyboardInterrupt):
            handler.come_again()
        else:
            usual(about)

    sys.unraisablehook = hook
    signal.signal(signal.SIGINT, handler)


def let_through() -> None:
    """A command begins: it is told of Ctrl-C."""
    _hold(held=False)


def hold_back() -> None:
    """The command is over."""
    _hold(held=True)


def ignore() -> None:
    """From here on Ctrl-C changes nothing, if the handler is ours."""
    if isinstance(signal.getsignal(signal.SIGINT), CtrlC):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _hold(*, held: bool) -> None:
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, CtrlC):
        handler.is_held = held
