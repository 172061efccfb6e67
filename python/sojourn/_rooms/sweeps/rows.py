"""A file of rows that is only ever appended to: a line for each row, and in each line a check of its own.

::

    5b1f0c9a3e5d7f21 41b9a4f7c0d2e35f8a96 {"utilisation": 0.91}

The check is the beginning of the SHA-256 of the rest of the line. A damaged line is found by it, and only its own row
is lost. A row that is given again is added to the values of its key.

A row is handed to the system when it is appended: a process that is killed loses nothing. The file is synchronised to
disk within a quarter of a second, and at the latest when it is closed: then the row survives a loss of power. A small
file beside it says how long the file was when it was closed last, so that a file that was cut is found as well.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from .._base.files import naming, sync_folder, write_whole
from .._base.seal import digest, is_whole, sealed

__all__ = ["LENGTH", "ROWS", "Rows", "has_rows", "rows_of"]

ROWS = "runs.log"
"""The name of the file."""
LENGTH = "runs.length.json"
"""The name of the file that says how long it was."""

_PAUSE_S = 0.25
"""Seconds between two synchronisations of the file to disk: one takes some milliseconds, for all rows."""
_CHECK = 16
"""Letters of a check."""


def rows_of(path: Path, wanted: Container[str] | None = None) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The wanted keys that the file has, by key; and the damage in it, in words.

    The last line of a file that is being written may be there in part: that is no damage.
    """
    found: dict[str, dict[str, Any]] = {}
    damages = []
    for number, line, key, values in _lines(path):
        if values is None:
            if line.endswith(b"\n"):
                damages.append(f"{path}, line {number}: it has changed since it was written")
        elif wanted is None or key in wanted:
            found.setdefault(key, {}).update(values)
    return found, damages


def has_rows(path: Path) -> bool:
    """Whether some row of the file is whole."""
    return any(values is not None for *_, values in _lines(path))


def _lines(path: Path) -> Iterator[tuple[int, bytes, str, dict[str, Any] | None]]:
    """Number and text of each line, the key, and the values; None where the line is damaged."""
    with naming(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            check, _, rest = line.rstrip(b"\n").partition(b" ")
            values = None
            if line.endswith(b"\n") and check.decode("ascii", "replace") == digest(rest)[:_CHECK]:
                values = _values(rest.partition(b" ")[2])
            yield number, line, rest.partition(b" ")[0].decode("ascii", "replace"), values


def _values(text: bytes) -> dict[str, Any] | None:
    """The values of a row: numbers or nothing by name, and lists of texts."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict):
        return None
    return values if all(_is_value(value) for value in values.values()) else None


def _is_value(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(text, str) for text in value)
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


class Rows:
    """A file of rows that is written; the caller holds the lock of its folder.

    Parameters
    ----------
    folder
        Where it is, or is made.

    Attributes
    ----------
    damages
        Descriptions of damaged parts of the file. The other parts were saved.

    Raises
    ------
    OSError
        If the file cannot be read or written, with its name; by the methods too.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / ROWS
        self._length = folder / LENGTH
        self.damages = self._mend()
        self._lock = threading.Lock()
        self._dirty, self._closing = threading.Event(), threading.Event()
        self._failure: OSError | None = None
        self._syncing: threading.Thread | None = None
        with naming(self.path):
            self._handle = _opened(self.path)
            sync_folder(folder)

    def _mend(self) -> list[str]:
        """Write the file anew without its damaged lines, if it has some."""
        size = self.path.stat().st_size if self.path.is_file() else 0
        damages = self._cut(size)
        if size == 0:
            return damages
        good = True
        for number, line, _, values in _lines(self.path):
            if values is None:
                good = False
                how = "it has changed since it was written" if line.endswith(b"\n") else "it is cut off"
                damages.append(f"{self.path}, line {number}: {how}")
        if not good:
            whole = b"".join(line for _, line, _, values in _lines(self.path) if values is not None)
            write_whole(self.path, whole, follow=False)
        return damages

    def _cut(self, size: int) -> list[str]:
        """In words, whether the file is shorter than it was."""
        if not self._length.is_file():
            return []
        try:
            about = json.loads(self._length.read_bytes())
            least = int(about["bytes"]) if is_whole(about) else None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            least = None
        if least is None:
            return [f"{self._length}: it has changed since it was written"]
        return [f"{self.path}: it has {size} bytes instead of {least}"] if size < least else []

    def append(self, key: str, values: dict[str, Any]) -> None:
        """Hand a row to the system; the disk has it a quarter of a second later."""
        rest = f"{key} {json.dumps(values)}".encode()
        line = digest(rest)[:_CHECK].encode() + b" " + rest + b"\n"
        with self._lock, naming(self.path):
            if self._failure is not None:
                raise self._failure
            before = os.fstat(self._handle).st_size
            if os.write(self._handle, line) < len(line):
                # The disk is full: half a line is useless.
                os.ftruncate(self._handle, before)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if self._syncing is None:
                self._syncing = threading.Thread(target=self._sync, daemon=True)
                self._syncing.start()
        self._dirty.set()

    def _sync(self) -> None:
        while not self._closing.is_set():
            self._dirty.wait()
            self._dirty.clear()
            try:
                os.fsync(self._handle)
            except OSError as error:
                self._failure = error
                return
            self._closing.wait(_PAUSE_S)

    def close(self) -> None:
        """Wait until the disk has everything."""
        self._closing.set()
        self._dirty.set()
        if self._syncing is not None:
            self._syncing.join()
        try:
            with naming(self.path):
                if self._failure is not None:
                    raise self._failure
                os.fsync(self._handle)
                size = os.fstat(self._handle).st_size
        finally:
            with suppress(OSError):
                os.close(self._handle)
        write_whole(self._length, sealed({"bytes": size}), follow=False)


def _opened(path: Path) -> int:
    """The file, to append to. A link is not followed."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    if path.is_symlink():
        raise FileExistsError(errno.EEXIST, "is a link, and is not followed", str(path))
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(handle)
        raise FileExistsError(errno.EEXIST, "is not a file of its own, and is not written to", str(path))
    return handle
