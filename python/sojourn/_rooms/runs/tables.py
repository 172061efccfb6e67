"""Tables as the core gives them, by column.

Frames are made of them when somebody asks: polars takes longer to import than a short run takes, and a command that
prints a few numbers does not need it. A large table of a finished run is in a file, and is read when somebody asks.
"""

from __future__ import annotations

import io
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..catalogue.added import ADDED, Row, values_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RawTable", "Stored", "Tables", "parquet"]

RawTable = Mapping[str, tuple[str, Any]]
"""A table of the core: for each column its kind (``"f64"``, ``"u64"`` or ``"text"``) and its values.

Numbers are a list or an array. Texts are :class:`sojourn._core.Names`: each name once, and its place for each row.
"""

_LARGE = 1 << 16
"""Bytes from which on a table is worth a file."""

_PART = 1 << 14
"""Rows of a long table that become a frame at a time when it is written."""

_WRITING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Stored:
    """A table that is a Parquet file.

    Attributes
    ----------
    numeric
        For each column, whether it has numbers.
    content
        Gives the file: its path, or its bytes.
    """

    numeric: Mapping[str, bool]
    content: Callable[[], Any]

    def frame(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The table, or some of its columns."""
        import polars as pl

        return pl.read_parquet(self.content(), columns=None if columns is None else list(columns))

    def lazy(self) -> pl.LazyFrame:
        """The table, of which the rows and columns in use are read when somebody collects it."""
        import polars as pl

        content = self.content()
        return pl.scan_parquet(io.BytesIO(content) if isinstance(content, bytes) else content)


class Tables(Mapping[str, "pl.DataFrame"]):
    """Tables by name; each access gives a frame of its own, so that nobody changes the result."""

    def __init__(self, tables: Mapping[str, pl.DataFrame | RawTable | Stored]) -> None:
        held: Mapping[str, Any] = tables._tables if isinstance(tables, Tables) else tables
        self._tables: dict[str, Any] = dict(held)
        self._with_added: dict[str, tuple[Any, Any]] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        table = self._at(name)
        if isinstance(table, Stored):
            return table.frame()
        if isinstance(table, Mapping):
            table = _frame(table)
            if name not in ADDED:
                self._tables[name] = table
        frame: pl.DataFrame = table.clone()
        return frame

    def _at(self, name: str) -> Any:
        """A table with the columns that a user has added."""
        table, added = self._tables[name], ADDED.get(name)
        if not added:
            return table
        known, found = self._with_added.get(name, (None, None))
        if known != added:
            found = _widened(table.frame() if isinstance(table, Stored) else table, added)
            self._with_added[name] = dict(added), found
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"tables: {', '.join(self._tables)}"

    def __reduce__(self) -> tuple[type[Tables], tuple[dict[str, pl.DataFrame]]]:
        # A file may be of this process alone.
        return Tables, ({name: self[name] for name in self},)

    def only(self, keep: Mapping[str, Sequence[str]]) -> Tables:
        """These columns of these tables; those that a run does not have are left out."""
        kept: dict[str, Any] = {}
        for name, columns in keep.items():
            if name in self._tables:
                table = self._at(name)
                there = [column for column in columns if column in self.columns(name)]
                if isinstance(table, Stored):
                    kept[name] = table.frame(there)
                else:
                    kept[name] = {c: table[c] for c in there} if isinstance(table, Mapping) else table.select(there)
        return Tables(kept)

    def columns(self, name: str) -> list[str]:
        """The names of a table's columns."""
        return list(self.numeric(name))

    def numeric(self, name: str) -> dict[str, bool]:
        """For each column of a table, whether it has numbers."""
        return _numeric(self._at(name))

    def column(self, name: str, column: str) -> list[Any]:
        """The values of one column of a table."""
        values = self.held(name, column)
        return list(values) if isinstance(values, list) else list(values.tolist())

    def held(self, name: str, column: str) -> Any:
        """The values of one column as they are held: an array of numbers, names with their places, or a list."""
        table = self._at(name)
        if isinstance(table, Stored):
            values = table.frame([column])[column]
            return values.to_numpy() if table.numeric[column] and not values.null_count() else values.to_list()
        return table[column][1] if isinstance(table, Mapping) else table[column].to_list()

    def bytes_held(self) -> int:
        """Bytes of memory that the tables take, about."""
        return sum(_bytes(table) for table in self._tables.values())

    def parquet(self, name: str, **how: Any) -> bytes:
        """A table as the content of a Parquet file."""
        table = self._tables[name]
        # It takes memory beyond the table, and polars uses all cores by itself: one at a time.
        with _WRITING:
            if isinstance(table, Mapping):
                return _written(table, **how)
            return parquet(table.frame() if isinstance(table, Stored) else table, **how)

    def lazy(self, name: str) -> pl.LazyFrame:
        """A table that is read when somebody collects it."""
        table = self._at(name)
        return table.lazy() if isinstance(table, Stored) else self[name].lazy()

    def large(self) -> list[str]:
        """The names of the tables that take much memory."""
        return [name for name, table in self._tables.items() if _bytes(table) >= _LARGE]

    def stored(self, contents: Mapping[str, Callable[[], Any]]) -> Tables:
        """The same tables, these of them in files; see :class:`Stored`."""
        kept = {name: Stored(_numeric(self._tables[name]), content) for name, content in contents.items()}
        return Tables({**self._tables, **kept})


def parquet(frame: pl.DataFrame, **how: Any) -> bytes:
    """A frame as the content of a Parquet file."""
    held = io.BytesIO()
    frame.write_parquet(held, **how)
    return held.getvalue()


def _numeric(table: Any) -> dict[str, bool]:
    if isinstance(table, Stored):
        return dict(table.numeric)
    if isinstance(table, Mapping):
        return {column: kind != "text" for column, (kind, _) in table.items()}
    return {column: kind.is_numeric() for column, kind in table.schema.items()}


def _bytes(table: Any) -> int:
    if isinstance(table, Stored):
        return 0
    if not isinstance(table, Mapping):
        return int(table.estimated_size())
    return sum(values.nbytes if kind == "text" else 8 * len(values) for kind, values in table.values())


def _widened(table: Any, added: Mapping[str, Callable[[Row], float]]) -> Any:
    """A table with further columns, which are computed of each row."""
    raw = isinstance(table, Mapping)
    lists = (
        {name: list(one[1].tolist()) if hasattr(one[1], "tolist") else one[1] for name, one in table.items()}
        if raw
        else table.to_dict(as_series=False)
    )
    rows = [
        {name: math.nan if value is None else value for name, value in zip(lists, values, strict=True)}
        for values in zip(*lists.values(), strict=True)
    ]
    found = {name: values_of(name, function, rows) for name, function in added.items()}
    if raw:
        return {**table} | {name: ("f64", values) for name, values in found.items()}

    import polars as pl

    return table.with_columns(pl.Series(name, values, dtype=pl.Float64) for name, values in found.items())


def _frame(table: RawTable) -> pl.DataFrame:
    columns = _columns(table)
    return next(_parts(columns, _rows(columns)))


def _written(table: RawTable, **how: Any) -> bytes:
    """A table as the content of a Parquet file; a long one becomes frames of some rows, one after another."""
    columns = _columns(table)
    if _rows(columns) <= _PART:
        return parquet(next(_parts(columns, _PART)), **how)

    from polars.io.plugins import register_io_source

    held = io.BytesIO()
    schema = next(_parts(columns, 1)).schema
    rows = register_io_source(lambda *_: _parts(columns, _PART), schema=schema)
    rows.sink_parquet(held, row_group_size=_PART, **how)
    return held.getvalue()


_Column = tuple[Any, "pl.Series | type[pl.DataType]"]
"""A column of a frame to be: the numbers of its rows, and their type; or places, and the names at these."""


def _columns(table: RawTable) -> dict[str, _Column]:
    import polars as pl

    kinds = {"f64": pl.Float64, "u64": pl.UInt64}
    return {
        name: (values.places(), pl.Series(values.known, dtype=pl.String)) if kind == "text" else (values, kinds[kind])
        for name, (kind, values) in table.items()
    }


def _rows(columns: Mapping[str, _Column]) -> int:
    return max((len(values) for values, _ in columns.values()), default=0)


def _parts(columns: Mapping[str, _Column], size: int) -> Iterator[pl.DataFrame]:
    """Frames of `size` rows; the first is there if there are no rows."""
    import polars as pl

    def part(values: Any, what: pl.Series | type[pl.DataType]) -> pl.Series:
        return what.gather(values) if isinstance(what, pl.Series) else pl.Series(values, dtype=what)

    for first in range(0, max(_rows(columns), 1), max(size, 1)):
        rows = slice(first, first + size)
        yield pl.DataFrame({name: part(values[rows], what) for name, (values, what) in columns.items()})
