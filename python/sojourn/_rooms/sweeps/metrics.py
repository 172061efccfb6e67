"""The metrics of a sweep as texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .._base.nearest import nearest_hint
from .._base.registry import read_registry
from ..runs.metrics import Metric

__all__ = ["DEFAULT_METRICS", "parse_metric"]

DEFAULT_METRICS = ("utilisation", "sojourn_mean_ms", "sojourn_p99_ms", "loss_ratio")
"""The default metrics of a sweep: utilisation, waiting times, losses."""

_TABLES = ("queue", "group", "flow", "responsiveness", "quality")


def parse_metric(text: str, place: str = "metric ") -> Metric:
    """Read ``[TABLE.]COLUMN[@ROW]``; `place` is before it in messages.

    >>> parse_metric("group.goodput_mean_bps@bulk").row
    'bulk'
    """
    found = re.fullmatch(r"(?:(?P<table>\w+)\.)?(?P<column>\w+)(?:@(?P<row>.+))?", text.strip())
    known = _columns()
    if found:
        for table in [found["table"]] if found["table"] else _TABLES:
            if found["column"] in known.get(table, ()):
                return Metric(column=found["column"], table=table, row=found["row"], name=text.strip())
    column = found["column"] if found else text
    names = [name for columns in known.values() for name in columns]
    longer = next((name for name in names if column and name.startswith(column)), column)
    hint = nearest_hint(longer, names)
    raise ValueError(
        f"{place}{text!r}: there is no such column in the tables {', '.join(_TABLES)}\n"
        f"  allowed: [TABLE.]COLUMN[@ROW]; sojourn list metrics shows the columns{hint}"
    )


def _columns() -> Mapping[str, Sequence[str]]:
    tables = read_registry()["tables"]
    return {
        table["name"]: [metric["name"] for metric in table["metrics"] if metric["values"] != "text"]
        for table in tables
        if table["name"] in _TABLES
    }
