"""Tables of comma-separated values with what programs put before them: a byte order mark, UTF-16, comments."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import TYPE_CHECKING

from .files import UTF_16

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_table"]


def read_table(path: Path) -> tuple[pl.DataFrame, int]:
    """A CSV with all values as texts, and the line of its header, from 1; lines with ``#`` before it are left out.

    Raises
    ------
    OSError, polars.exceptions.PolarsError, UnicodeDecodeError
        If it cannot be read.
    """
    import polars as pl

    content = path.read_bytes()
    if content.startswith(UTF_16):
        content = content.decode("utf-16").encode()
    skipped = 0
    for line in content.removeprefix(codecs.BOM_UTF8).splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
        skipped += 1
    return pl.read_csv(content, infer_schema=False, skip_rows=skipped), skipped + 1
