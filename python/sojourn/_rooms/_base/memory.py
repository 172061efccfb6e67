"""How much memory there is to use, and its return."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["available_bytes", "return_free_memory", "return_large_blocks"]

# The share of free memory for runs. The rest is for the interpreter, frames made of tables, and errors of the estimate.
_SHARE = 0.7

# The bytes where nothing is known.
_FALLBACK = 8 << 30

# Bytes of a large block of memory, or of a long text.
_LARGE = 1 << 20

# The number of a setting in malloc.h.
_M_MMAP_THRESHOLD = -3


def available_bytes() -> int:
    """Bytes that runs may take together: most of what the machine, its container and its limits have left."""
    return int(_SHARE * min(_left(), default=_FALLBACK))


def return_large_blocks() -> None:
    """Let large blocks of memory go back to the system as soon as they are freed; in this process, from now on.

    The allocator of glibc keeps blocks of up to 32 MB for later once the first of that size was freed. The tables of
    runs that work at the same time then leave gaps that grow to 40 MB and more. Other allocators are left alone.
    """
    _glibc("mallopt", _M_MMAP_THRESHOLD, _LARGE)


def return_free_memory(read: str) -> None:
    """Give the system the memory that is free after a text was read, if it is long; glibc keeps it otherwise.

    A parsed text consists of many small blocks, which take some 15 times its bytes.
    """
    if len(read) >= _LARGE:
        _glibc("malloc_trim", 0)


def _glibc(function: str, *arguments: int) -> None:
    """Call a function that only glibc has."""
    if sys.platform == "linux":
        import ctypes

        found = getattr(ctypes.CDLL(None), function, None)
        if found is not None:
            found(*arguments)


def _left() -> Iterator[int]:
    if sys.platform == "win32":
        return
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        yield 1024 * int(next(line.split()[1] for line in lines if line.startswith("MemAvailable:")))
    group = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        yield limit - int((group / "memory.current").read_text(encoding="ascii"))
    with suppress(OSError, ValueError, IndexError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            yield limit - pages * resource.getpagesize()
