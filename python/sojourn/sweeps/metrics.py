"""The metrics of a sweep: one number of a run each, and which direction is better."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .. import _core
from ..result import _KEYS, Result

__all__ = ["DEFAULT_METRICS", "SweepMetric", "parse_metric"]

DEFAULT_METRICS = ("utilisation", "sojourn_mean_ms", "sojourn_p99_ms", "loss_ratio")
"""What a sweep measures unless it is told: the link is used, packets wait, packets are lost."""

_TABLES = ("queue", "group", "flow")
_FORWARD = "forward"
"""The link of a dumbbell that the first flow's data cross."""
_MORE = ("utilisation", "throughput", "goodput", "jain", "completed")
_LESS = ("sojourn", "delay", "rtt", "loss", "drops", "backlog", "retransmits", "timeouts", "completion", "duration")


@dataclass(frozen=True)
class SweepMetric:
    """A number of a run.

    Attributes
    ----------
    name
        As it was asked for: ``utilisation``, ``group.goodput_mean_bps@bulk``.
    table, column
        Where it stands; see ``docs/reference/results.md``.
    row
        Link, group or flow. Empty: the link ``forward`` of a dumbbell in the table ``queue``, the row ``all`` of
        ``group``, or the only one.
    """

    name: str
    table: str
    column: str
    row: str = ""

    @property
    def better(self) -> Literal["more", "less", ""]:
        """Which direction is better; empty where it depends on what one wants."""
        if self.column.startswith(_MORE):
            return "more"
        return "less" if self.column.startswith(_LESS) else ""

    def of(self, result: Result) -> float:
        """Its value in a run; NaN where the run has none.

        Raises
        ------
        ValueError
            If there is no such row, or several and none is named.
        """
        rows = self._rows(result)
        if self.row:
            if self.row not in rows:
                near = difflib.get_close_matches(self.row, rows, n=1)
                hint = f"\n  hint:    did you mean {near[0]}?" if near else ""
                raise ValueError(
                    f"metric {self.name}: there is no row {self.row!r} in {self.table}\n"
                    f"  allowed: {', '.join(rows)}{hint}"
                )
            return rows[self.row]
        if self.table == "group" and "all" in rows:
            return rows["all"]
        if self.table == "queue" and _FORWARD in rows:
            return rows[_FORWARD]
        if len(rows) > 1:
            raise ValueError(f"metric {self.name}: say which row: {self.name}@ROW\n  allowed: {', '.join(rows)}")
        return next(iter(rows.values()), math.nan)

    def _rows(self, result: Result) -> dict[str, float]:
        raw = result.raw
        present = raw.columns(self.table)
        keys = [raw.column(self.table, key) for key in _KEYS.get(self.table, []) if key in present]
        values = raw.column(self.table, self.column)
        return {
            " ".join(str(part) for part in names): math.nan if value is None else float(value)
            for *names, value in zip(*keys, values, strict=True)
        }


def parse_metric(text: str) -> SweepMetric:
    """Read ``[TABLE.]COLUMN[@ROW]``.

    >>> parse_metric("group.goodput_mean_bps@bulk").row
    'bulk'
    """
    found = re.fullmatch(r"(?:(?P<table>\w+)\.)?(?P<column>\w+)(?:@(?P<row>.+))?", text.strip())
    known = _columns()
    if found:
        for table in [found["table"]] if found["table"] else _TABLES:
            if found["column"] in known.get(table, ()):
                return SweepMetric(text.strip(), table, found["column"], found["row"] or "")
    column = found["column"] if found else text
    names = [name for columns in known.values() for name in columns]
    near = [name for name in names if name.startswith(column)] or difflib.get_close_matches(column, names, n=1)
    hint = f"\n  hint:    did you mean {near[0]}?" if near else ""
    raise ValueError(
        f"metric {text!r}: there is no such column in the tables {', '.join(_TABLES)}\n"
        f"  allowed: [TABLE.]COLUMN[@ROW]; sojourn list metrics shows the columns{hint}"
    )


def _columns() -> Mapping[str, Sequence[str]]:
    tables = json.loads(_core.registry())["tables"]
    return {
        table["name"]: [metric["name"] for metric in table["metrics"] if metric["values"] != "text"]
        for table in tables
        if table["name"] in _TABLES
    }
