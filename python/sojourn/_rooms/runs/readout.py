"""The tables of one run as arrays, for many metrics: a column that one has read is there for the next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..statistics.series import Series
from .result import Result, row_keys
from .tables import Tables

__all__ = ["Readout", "Table", "labels"]

_LABELS = {"probe": ["link", "probe"], "latency": ["group", "measure"], "over_time": ["group"]} | {
    **{table: ["link"] for table in ("occupancy", "sojourn", "backlog", "drops", "packets")},
    **{table: ["flow", "group"] for table in ("window", "rate", "completion")},
}
"""The columns that distinguish the rows of distributions and series; for counters :func:`runs.result.row_keys`."""


def labels(table: str) -> Sequence[str]:
    """The columns that tell the rows of a table apart."""
    return _LABELS.get(table) or row_keys(table)


class Readout:
    """A run and the tables that were read of it."""

    def __init__(self, result: Result) -> None:
        self.raw: Tables = result.raw
        self._tables: dict[str, Table] = {}

    def table(self, name: str) -> Table:
        """One of its tables; a KeyError if it has none of the name."""
        if name not in self._tables:
            self._tables[name] = Table(self.raw, name)
        return self._tables[name]


class Table:
    """A table of a run; each column is made an array once."""

    def __init__(self, raw: Tables, name: str) -> None:
        self._raw, self._name = raw, name
        self._columns = raw.columns(name)
        self._numbers: dict[str, NDArray[np.float64]] = {}
        self._texts: dict[str, tuple[NDArray[np.intp], Sequence[str]]] = {}

    def numbers(self, column: str) -> NDArray[np.float64]:
        """The values of a column, NaN where there is none; without a name, of each row 1."""
        if column not in self._numbers:
            self._numbers[column] = _floats(self._values(column)) if column else np.ones(len(self))
        return self._numbers[column]

    def has(self, column: str, text: str) -> NDArray[np.bool_]:
        """The rows with this value, as text, in a column."""
        places, texts = self._codes(column)
        wanted = [place for place, one in enumerate(texts) if one == text]
        return np.isin(places, wanted) if len(wanted) != 1 else places == wanted[0]

    def __len__(self) -> int:
        return len(self._values(self._columns[0]))

    @cached_property
    def rows(self) -> Mapping[tuple[str, ...], NDArray[np.intp]]:
        """The numbers of the rows by label, in the order in which the labels come."""
        keys = [self._codes(column) for column in labels(self._name)]
        together = np.zeros(len(self), np.intp)
        for places, texts in keys:
            together = together * max(len(texts), 1) + places
        _, first, own, counts = np.unique(together, return_index=True, return_inverse=True, return_counts=True)
        parts = np.split(np.argsort(own, kind="stable"), np.cumsum(counts)[:-1])
        return {tuple(texts[places[first[one]]] for places, texts in keys): parts[one] for one in np.argsort(first)}

    def series(self, rows: NDArray[np.intp], column: str, times: str, weights: str) -> Series:
        """These rows of a column; names of the columns of times and weights may be empty."""
        return Series(
            np.zeros(len(rows)) if not times else self.numbers(times)[rows],
            self.numbers(column)[rows],
            self.numbers(weights)[rows],
        )

    def _values(self, column: str) -> Any:
        if column == "group" and column not in self._columns:
            groups = self._raw.column("flow", "group")
            return [groups[int(flow)] for flow in self._raw.column(self._name, "flow")]
        return self._raw.held(self._name, column)

    def _codes(self, column: str) -> tuple[NDArray[np.intp], Sequence[str]]:
        """The place of each row's value among those of the column, and the texts of these values."""
        if column not in self._texts:
            values = self._values(column)
            if isinstance(values, _core.Names):
                self._texts[column] = values.places().astype(np.intp), values.known
            elif isinstance(values, np.ndarray):
                distinct, places = np.unique(values, return_inverse=True)
                self._texts[column] = places, [str(one) for one in distinct.tolist()]
            else:
                place = {one: at for at, one in enumerate(dict.fromkeys(values))}
                found = np.fromiter(map(place.__getitem__, values), np.intp, len(values))
                self._texts[column] = found, [str(one) for one in place]
        return self._texts[column]


def _floats(values: Any) -> NDArray[np.float64]:
    if isinstance(values, np.ndarray):
        return values.astype(np.float64)
    return np.array([math.nan if one is None else float(one) for one in values], np.float64)
