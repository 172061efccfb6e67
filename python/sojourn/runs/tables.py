"""Tables as the core gives them, by column.

Frames are made of them when somebody asks: polars takes longer to import than a short run takes, and a command that
prints a few numbers does not need it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RawTable", "Tables"]

RawTable = Mapping[str, tuple[str, Any]]
"""A table of the core: for each column its kind (``"f64"``, ``"u64"`` or ``"text"``) and its values."""


class Tables(Mapping[str, "pl.DataFrame"]):
    """Tables by name; each access gives a frame of its own, so that nobody changes the result."""

    def __init__(self, tables: Mapping[str, pl.DataFrame | RawTable]) -> None:
        held: Mapping[str, pl.DataFrame | RawTable] = tables._tables if isinstance(tables, Tables) else tables
        self._tables: dict[str, Any] = dict(held)

    def __getitem__(self, name: str) -> pl.DataFrame:
        table = self._tables[name]
        if isinstance(table, Mapping):
            self._tables[name] = table = _frame(table)
        frame: pl.DataFrame = table.clone()
        return frame

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"tables: {', '.join(self._tables)}"

    def only(self, keep: Mapping[str, Sequence[str]]) -> Tables:
        """These columns of these tables; those that a run does not have are left out."""
        kept: dict[str, Any] = {}
        for name, columns in keep.items():
            if name in self._tables:
                table = self._tables[name]
                there = [column for column in columns if column in self.columns(name)]
                kept[name] = {c: table[c] for c in there} if isinstance(table, Mapping) else table.select(there)
        return Tables(kept)

    def columns(self, name: str) -> list[str]:
        """The names of a table's columns."""
        table = self._tables[name]
        return list(table) if isinstance(table, Mapping) else list(table.columns)

    def column(self, name: str, column: str) -> list[Any]:
        """The values of one column of a table."""
        values = self.held(name, column)
        return list(values) if isinstance(values, list) else list(values.tolist())

    def held(self, name: str, column: str) -> Any:
        """The values of one column as they are held: an array of numbers, or a list."""
        table = self._tables[name]
        return table[column][1] if isinstance(table, Mapping) else table[column].to_list()


def _frame(table: RawTable) -> pl.DataFrame:
    import polars as pl

    kinds = {"f64": pl.Float64, "u64": pl.UInt64, "text": pl.String}
    return pl.DataFrame({name: pl.Series(values, dtype=kinds[kind]) for name, (kind, values) in table.items()})
