"""A place on disk for the large tables of a study that nobody asked to keep: memory does not grow with its runs."""

from __future__ import annotations

import io
import tempfile
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from .result import Result

__all__ = ["Spill"]

_ROOM = 16 << 20
"""Bytes of tables that the studies of a process may hold in memory."""

_held = 0
_LOCK = threading.RLock()  # memory may be given back while more is taken


def _add(size: int) -> None:
    global _held
    with _LOCK:
        _held += size


class Spill:
    """A file without a name, which ends with the last table in it, or with the process.

    Parameters
    ----------
    room
        Bytes of tables that stay in memory, those of other studies included: a small study needs no file.
    """

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._file = _File()

    def kept(self, result: Result) -> Result:
        """The run; its large tables are in the file if there is no more room."""
        size = result.raw.bytes_held()
        if _held + size <= self._room:
            _add(size)
            weakref.finalize(result.raw, _add, -size)
            return result
        contents = {name: self._file.keep(result.raw.parquet(name, compression="lz4")) for name in result.raw.large()}
        return replace(result, tables=result.raw.stored({name: one for name, one in contents.items() if one}))


class _File:
    def __init__(self) -> None:
        self._file: io.FileIO | None = None
        self._end = 0
        self._lock = threading.Lock()

    def keep(self, content: bytes) -> Callable[[], bytes] | None:
        """Access to the content from then on; None if there is no room on the disk, or no folder for such files."""
        with self._lock:
            try:
                if self._file is None:
                    self._file = tempfile.TemporaryFile(prefix="sojourn-", buffering=0)  # noqa: SIM115
                    weakref.finalize(self, self._file.close)
                self._file.seek(self._end)
                if self._file.write(content) < len(content):
                    return None
            except OSError:
                return None
            place, self._end = self._end, self._end + len(content)
        return partial(self._read, place, len(content))

    def _read(self, place: int, size: int) -> bytes:
        with self._lock:
            assert self._file is not None  # noqa: S101 - something was written
            self._file.seek(place)
            return self._file.read(size)
