"""The printed numbers beside ours, as tables for the shell and for the report, and for other programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ..claims import factor
from ..printed_tables import HEAD, cells
from .beside import Beside, Cell
from .words import TableOf

__all__ = ["as_json", "summary", "tables"]

_HEAD = ["number", "printed", "ours", "95 % interval", "printed is", "difference"]


def summary(done: Beside) -> TableOf:
    """A line for each table of the work."""
    return TableOf("All printed numbers", list(HEAD), list(cells(done.lines)))


def tables(done: Beside) -> Iterator[TableOf]:
    """Each table of the work, cell by cell."""
    for name, own in done.tables.items():
        several = len({one.experiment for one in own}) > 1
        yield TableOf(name[:1].upper() + name[1:], _HEAD, [_row(one, named=several) for one in own], _runs(own))


def _runs(own: Sequence[Cell]) -> str:
    made = sorted({one.made for one in own})
    theirs = "single runs" if made == [1] else f"means of {' or '.join(map(str, made))} runs"
    ours = sorted({one.runs for one in own})
    return f"Printed numbers are {theirs}; ours are means of {' or '.join(map(str, ours))}."


def _row(one: Cell, *, named: bool) -> list[str]:
    """A number; with the name of its experiment if the table has several."""
    scale = factor(one.unit)
    number = f"{f'{one.experiment}: ' if named else ''}{', '.join(filter(None, [one.row, one.case]))}"
    low, mean, high = _figures(one, scale)
    return [
        number,
        f"{one.printed * scale:.6g} {one.unit}".strip(),
        mean,
        f"{low} to {high}",
        "inside" if one.inside else "near" if one.near else "off",
        f"{100.0 * one.relative:+.1f} %".replace("-", "−") if math.isfinite(one.relative) else "",
    ]


def _figures(one: Cell, scale: float) -> list[str]:
    """Our mean and both ends, to the same place: three figures of the width of the interval."""
    wide = (one.high - one.low) * scale
    values = [value * scale for value in (one.low, one.ours, one.high)]
    if not all(map(math.isfinite, [wide, *values])):
        return ["-"] * 3
    size = wide or abs(values[1])
    places = min(max(2 - math.floor(math.log10(size)), 0), 6) if size else 0
    return [f"{value:.{places}f}" for value in values]


def as_json(done: Beside) -> dict[str, object]:
    """All of it for ``--json``; numbers are in the units of our tables."""
    return {
        "key": done.key,
        "tables": [{"table": name, **asdict(line)} for name, line in done.lines.tables.items()],
        "numbers": [
            {
                **{name: _plain(value) for name, value in asdict(one).items()},
                "inside": one.inside,
                "near": one.near,
                "relative": _plain(one.relative),
            }
            for one in done.cells
        ],
    }


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
