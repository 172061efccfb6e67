"""Files that are there whole or not at all, and errors that say which file."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["StudyWarning", "aside", "check_writable", "naming", "write_whole"]


class StudyWarning(UserWarning):
    """A study directory holds something that cannot be used; the message says what becomes of it."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of the system that names no file, such as a full disk, name this one."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def aside(path: Path) -> Path:
    """A hidden name beside `path` that nobody else has."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the file and rename, so that half a file is never seen; a device or a pipe is written as it is.

    Raises
    ------
    OSError
        With the name of the file, for a full disk too. What was there before is there still.
    """
    data = content.encode() if isinstance(content, str) else content
    # A link stays a link.
    target = path.resolve()
    with naming(path):
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        temporary = aside(target)
        try:
            temporary.write_bytes(data)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Try whether `path` could be written, and leave nothing behind.

    Raises
    ------
    OSError
        With the name of the file.
    """
    target = path.resolve()
    if target.exists():
        with target.open("ab"):
            pass
        if not target.is_file():
            return
    temporary = aside(target)
    try:
        temporary.touch(exist_ok=False)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    temporary.unlink()
