"""``python -m sojourn`` is the command ``sojourn``."""

import os
import sys
from contextlib import suppress

from ._rooms._base import ctrl_c
from ._rooms._base.checks import is_ctrl_c

__all__ = ["main"]

_STOPPED = 130


def main() -> None:
    """Entry point of the command. Its modules are read here, so that Ctrl-C during that time also gives one line."""
    # NumPy's OpenBLAS starts a thread for each core when it is read, which takes longer than all else of NumPy. The
    # matrices here are small, and runs have threads of their own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        ctrl_c.install()
        from ._rooms.cli import main as command

        command()
    except SystemExit as ended:
        if ended.code != _STOPPED:
            raise
    except BaseException as fault:
        if not is_ctrl_c(fault):
            raise
        print("stopped", file=sys.stderr)
    else:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Python itself would end by the signal, instead of with the code, where Ctrl-C came while it compiled a text.
    os._exit(_STOPPED)


if __name__ == "__main__":
    main()
