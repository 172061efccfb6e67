"""Files that are there whole or not at all, and errors that say which file."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import shutil
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = [
    "MOST_BYTES",
    "UTF_16",
    "StudyWarning",
    "aside",
    "check_folder",
    "check_writable",
    "content_of",
    "is_inside",
    "is_there",
    "look_into",
    "naming",
    "read_text",
    "sync_folder",
    "together",
    "write_new",
    "write_whole",
]

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""The marks with which a text in UTF-16 begins."""

# The mark in names that `aside` makes; a user knows no file with it.
_ASIDE = re.compile(r"\.[0-9a-f]{32}(?![0-9a-f])")


class StudyWarning(UserWarning):
    """A study directory holds something that cannot be used; the message says how it is treated."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of the system that names no file, such as a full disk, or one of ours aside, name this one."""
    try:
        yield
    except OSError as error:
        known = error.filename is not None and not _ASIDE.search(str(error.filename))
        if known or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def aside(path: Path) -> Path:
    """A hidden name beside `path` that nobody else has."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}")


def write_whole(path: Path, content: str | bytes | Iterable[bytes], *, follow: bool = True) -> None:
    """Write beside the file and rename, so that half a file is never seen; a device or a pipe is written as it is.

    When it returns, the file survives a loss of power.

    Parameters
    ----------
    follow
        Whether the target of a link is written. A file that the user names may be a link. One of a study may not: the
        study may have come from somebody else. There a new file takes the place of the link.

    Raises
    ------
    OSError
        With the name of the file, for a full disk too. Files that were there before are unchanged.
    """
    data = content.encode() if isinstance(content, str) else content
    # A link stays a link.
    target = path.resolve() if follow else path
    with naming(path):
        if follow and target.exists() and not target.is_file():
            with target.open("wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
            return
        temporary = aside(target)
        try:
            write_new(temporary, data)
            temporary.replace(target)
            sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)


def write_new(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file that is not there yet, at once or in parts, and wait until the disk has it."""
    with path.open("xb") as file:
        file.writelines([data] if isinstance(data, bytes) else data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems, such as those over a network, know no such thing for a folder.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)


MOST_BYTES = 64_000_000
"""The most that a scenario, a file of a study or a work, or a trace may have."""

_SEEN: dict[str, bytes] = {}
"""The content of pipes: they can be read only once."""


def content_of(path: Path, *, plain: bool = False) -> bytes:
    """The content of a file, which has at most :data:`MOST_BYTES`.

    Parameters
    ----------
    plain
        Whether anything else than a plain file is refused: where another file names this one, a name may be that of
        a device, which has no end, or of a pipe, which may never begin.

    Raises
    ------
    OSError
        With the name of the file.
    """
    if plain and path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "this is no plain file", str(path))
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES} bytes", str(path))
    return content


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a file is in a folder, or in one below it, wherever links lead."""
    return path.resolve().is_relative_to(folder.resolve())


def look_into(path: Path) -> str:
    """The text of a file that is to be read later; the content of a pipe is kept until then."""
    content = content_of(path)
    if not path.is_file():
        _SEEN[str(path)] = content
    return _text(content)


def read_text(path: Path) -> str:
    """The text of a file; for a pipe, the content that :func:`look_into` kept, if it did."""
    seen = _SEEN.pop(str(path), None)
    return _text(content_of(path) if seen is None else seen)


def _text(content: bytes) -> str:
    """In UTF-8 or UTF-16, without a mark of the byte order, and with the ends of lines of this system."""
    encoding = "utf-16" if content.startswith(UTF_16) else "utf-8-sig"
    return io.TextIOWrapper(io.BytesIO(content), encoding=encoding).read()


def is_there(path: Path) -> bool:
    """Whether there is something of this name, as far as we are allowed to see."""
    try:
        path.lstat()
    except OSError:
        return False
    return True


@contextmanager
def together(folder: Path) -> Iterator[Path]:
    """A hidden folder to write into. Its files move to `folder` when all are written: they come together or not at all.

    Raises
    ------
    OSError
        With the name of the folder, or of the file that is in the way there. Files that were there before are
        unchanged.
    """
    new = [place for place in (folder, *folder.parents) if not is_there(place)]
    with naming(folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # In the folder itself, which may be a file system of its own.
            temporary = aside(folder / "files")
            try:
                temporary.mkdir()
                yield temporary
                files = sorted(temporary.iterdir())
                for target in (folder / file.name for file in files):
                    if target.is_dir():
                        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
                for file in files:
                    file.replace(folder / file.name)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
        except BaseException:
            for place in new:
                with suppress(OSError):
                    place.rmdir()
            raise


def check_folder(folder: Path) -> None:
    """Try whether files could be written into a folder, which need not be there yet, and leave nothing behind.

    Raises
    ------
    OSError
        With the name of the folder, or of the one above it that is there.
    """
    place = folder
    while not is_there(place):
        place = place.parent
    if not place.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
    temporary = aside(place / "files")
    with naming(place):
        temporary.touch(exist_ok=False)
    temporary.unlink()


_ROOM = 1 << 16
"""Bytes that a disk that is not full takes; the smallest reports have that many."""


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
        # On a full disk a file can be made, but nothing be written to it.
        with temporary.open("xb") as file:
            file.write(bytes(_ROOM))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        temporary.unlink(missing_ok=True)
