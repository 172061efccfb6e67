"""A lock on a directory, which ends with the process that holds it, however that ends."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["locked"]

_NAME = ".lock"
# What a file system says that knows no locks.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold a directory; others that try meanwhile, in this process too, are refused.

    Raises
    ------
    ValueError
        If it is held, with the number of the process that holds it.
    """
    with (directory / _NAME).open("a+", encoding="utf-8") as file:
        try:
            _take(file)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                file.seek(0)
                holder = file.read(20).strip()
                by = f"process {holder}" if holder.isdecimal() else "another process"
                raise ValueError(
                    f"{directory} is in use by {by}\n  hint:    wait until that is done, or name another directory"
                ) from None
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _take(file: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        # A byte far behind what is written there: others may read that.
        os.lseek(file.fileno(), 1 << 20, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
