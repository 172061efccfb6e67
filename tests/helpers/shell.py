"""The command ``sojourn`` within the process of the tests: its output, and its exit code.

A process of its own costs a second for each command, most of it imports. Tests that are about the process itself
(what is imported, signals, terminals, an installation) start one.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
from pathlib import Path

from sojourn._rooms.cli import app


def sojourn(*arguments: object, cwd: str | Path = ".") -> subprocess.CompletedProcess[str]:
    """Run the command in a folder; nothing but text on its streams."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    words = [str(argument) for argument in arguments]
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app(words, prog_name="sojourn")
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else int(left.code is not None)
    return subprocess.CompletedProcess(["sojourn", *words], code, out.getvalue(), err.getvalue())


def refused(*arguments: object, cwd: str | Path = ".") -> str:
    """The one message of wrong input."""
    done = sojourn(*arguments, cwd=cwd)
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr
