"""A lock on a directory, which ends with the process that holds it, however that ends."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["LOCK", "is_ours_lock", "locked"]

LOCK = ".lock"
"""The name of the file."""

# The errors of a file system without locks.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})

# The text that we write into it. Older versions wrote the number alone.
_OURS = re.compile(rb"(?:sojourn )?([0-9]{1,20})\n")

# A lock file has one line; a longer file is not ours.
_MOST_BYTES = 64


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold a directory; others that try meanwhile, in this process too, are refused.

    A file of this name that Sojourn did not write is left as it is: a link is not followed, and nothing is emptied.

    Raises
    ------
    ValueError
        If it is held, with the number of the process that holds it.
    FileExistsError
        If its lock is not a file that Sojourn wrote.
    """
    path = directory / LOCK
    handle = _opened(path)
    try:
        try:
            _take(handle)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                holder = _OURS.fullmatch(_content(handle))
                by = f"process {holder[1].decode()}" if holder else "another process"
                raise ValueError(
                    f"{directory} is in use by {by}\n  hint:    wait until that is done, or name another directory"
                ) from None
        found = _content(handle)
        if found and not _OURS.fullmatch(found):
            raise _not_ours(path, "a file that Sojourn did not write")
        os.lseek(handle, 0, os.SEEK_SET)
        os.truncate(handle, 0)
        os.write(handle, f"sojourn {os.getpid()}\n".encode())
        yield
    finally:
        os.close(handle)


def is_ours_lock(directory: Path) -> bool:
    """Whether a directory was once held: its lock is a file that Sojourn wrote."""
    path = directory / LOCK
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            return _OURS.fullmatch(file.read(_MOST_BYTES)) is not None
    except OSError:
        return False


def _opened(path: Path) -> int:
    """The file, made if it is not there. It is a plain file with one name, so that writing to it changes no other."""
    # A pipe of this name would wait for a reader without O_NONBLOCK.
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink():
        raise _not_ours(path, "a link")
    try:
        handle = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise _not_ours(path, "a link") from None
        if error.errno in (errno.EISDIR, errno.ENXIO, errno.ENODEV):
            raise _not_ours(path, "no plain file") from None
        raise
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(handle)
        raise _not_ours(path, "a link" if stat.S_ISREG(about.st_mode) else "no plain file")
    return handle


def _not_ours(path: Path, what: str) -> FileExistsError:
    return FileExistsError(f"{path} is {what}; it stays as it is\n  hint:    name a new directory")


def _content(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    return os.read(handle, _MOST_BYTES)


def _take(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        # A byte far behind the text, which others may read.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
