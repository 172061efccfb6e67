"""Frames as CSV that is only data, in a spreadsheet too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["csv_text"]

# A spreadsheet takes a text that begins with one of these for a formula, unless it is a number.
_FORMULA = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?(?:\d|\.\d|inf|nan)"


def csv_text(frame: pl.DataFrame, *, heads: bool = True) -> str:
    """A frame as CSV, with the names of its columns or without.

    A text that a spreadsheet would run as a formula, such as ``=cmd|..``, gets an apostrophe.
    """
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    is_formula = [pl.col(name).str.contains(_FORMULA) & ~pl.col(name).str.contains(f"(?i){_NUMBER}") for name in texts]
    plain = frame.with_columns(
        pl.when(formula).then("'" + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name, formula in zip(texts, is_formula, strict=True)
    )
    renamed = {
        name: f"'{name}"
        for name in frame.columns
        if re.match(_FORMULA, name) and not re.match(_NUMBER, name, re.IGNORECASE)
    }
    return plain.rename(renamed).write_csv(include_header=heads)
