"""Columns that users add: numbers computed from the others of a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from .._base.registry import read_registry
from .columns import Direction, described, forget

__all__ = ["ADDED", "Row", "add_column", "values_of"]

Row = Mapping[str, Any]
"""The values of a row by column; NaN where a number does not exist."""
_Function = TypeVar("_Function", bound=Callable[[Row], float])

ADDED: dict[str, dict[str, Callable[[Row], float]]] = {}
"""By table and name."""

TABLES = ("queue", "reasons", "flow", "group", "medium", "responsiveness", "quality")
"""Tables of counters, which have one value for each link, flow or group."""
UNITS = ("", "%", "ms", "s", "bit/s", "packets", "bytes")
DIRECTIONS = ("less", "more", "neither")


def add_column(
    table: str = "queue",
    *,
    label: str,
    unit: str = "",
    better: Direction = "neither",
    bounds: tuple[float, float] = (0.0, math.inf),
) -> Callable[[_Function], _Function]:
    """Add a column to a table of results, computed of the other numbers of each row by the function below it.

    The name of the function is that of the column, and its docstring is the meaning.

    Parameters
    ----------
    table
        A table with one value for each link, flow or group, such as ``"queue"`` or ``"group"``.
    label
        Words without the unit, such as ``"Variation of the sojourn time"``.
    unit
        ``""``, ``"%"`` (of a share, which is 0 to 1 in the table), ``"ms"``, ``"s"``, ``"bit/s"``, ``"packets"`` or
        ``"bytes"``.
    better
        Which direction is better: ``"less"``, ``"more"`` or ``"neither"``.
    bounds
        The least and the greatest value in any run.

    Raises
    ------
    ValueError
        If there is no such table or unit, the function has no docstring, or the table has a column of this name.

    Examples
    --------
    A ratio of two columns of each link::

        @own.add_column(label="Variation of the sojourn time", better="less")
        def sojourn_cv(row):
            "Standard deviation of the waiting times by their mean."
            return row["sojourn_sd_ms"] / row["sojourn_mean_ms"]
    """
    for what, value, allowed in (("table", table, TABLES), ("unit", unit, UNITS), ("better", better, DIRECTIONS)):
        if value not in allowed:
            raise ValueError(f"a column: {what} is {value!r}\n  allowed: {', '.join(map(repr, allowed))}")

    def add(function: _Function) -> _Function:
        name, doc = function.__name__, " ".join((function.__doc__ or "").split())
        own = {one for columns in ADDED.values() for one in columns}
        tables = read_registry()["tables"]
        if taken := [one["name"] for one in tables if name in {c["name"] for c in one["metrics"]} - own]:
            raise ValueError(f"the column {name}: the table {taken[0]} has one of this name")
        if not doc:
            raise ValueError(f"the column {name} has no meaning\n  hint:    write a docstring in its function")
        least, most = (bound if math.isfinite(bound) else None for bound in bounds)
        words = {
            "label": label,
            "head": label.lower(),
            "noun": label[:1].lower() + label[1:],
            "statistic": "",
            "doc": doc,
        }
        shown = {"unit": unit if unit != "%" else "", "shown": unit, "factor": 100.0 if unit == "%" else 1.0}
        rest = {"better": better, "wanted": better, "kind": "other", "least": least, "most": most}
        formula = f"the function {name} of {function.__module__}"
        read_registry().add_column(table, {"name": name, "values": "real", "formula": formula} | words | shown | rest)
        ADDED.setdefault(table, {})[name] = function
        forget()
        return function

    return add


def values_of(name: str, function: Callable[[Row], float], rows: Sequence[Row]) -> list[float]:
    """The value of each row; NaN where the function divides by zero."""
    least, most = described(name).bounds
    values = []
    for row in rows:
        try:
            value = float(function(row))
        except ZeroDivisionError:
            value = math.nan
        except Exception as error:
            raise ValueError(f"the column {name}: {type(error).__name__}: {error}") from error
        if value < least or value > most:
            raise ValueError(f"the column {name}: {value:g} is outside of its bounds, {least:g} to {most:g}")
        values.append(value)
    return values
