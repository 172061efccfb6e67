"""The line that files of measurements describe, for ``sojourn line --from``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..showing.text.prose import print_wrapped, tell

if TYPE_CHECKING:
    from ..line.question import Line
    from ..measured.again import Beside
    from ..measured.estimate import Estimate, Estimates
    from ..showing.report.page import Report

__all__ = ["as_data", "line_of", "report_of", "show"]

_WORDS = {
    "up_bps": ("upload", "Mbit/s", 1e-6),
    "down_bps": ("download", "Mbit/s", 1e-6),
    "rtt_s": ("round trip without load", "ms", 1e3),
    "buffer_up_s": ("buffer up", "ms", 1e3),
    "buffer_down_s": ("buffer down", "ms", 1e3),
    "jitter_s": ("jitter", "ms", 1e3),
}
_HEADS = ("number", "value", "95 % interval", "how", "from")


def line_of(files: Sequence[Path], told: Line | None, *, link: str, rtt: str | None, buffer: str | None) -> Estimates:
    """The line of these files; numbers of the command take the place of measured ones."""
    from ..line.question import Line
    from ..measured.estimate import estimated
    from ..measured.reading import read

    # The same checks as without files.
    given = Line.read("1/1", rtt=rtt or "30ms", link=link, buffer=buffer)
    found = estimated(
        [read(file) for file in files],
        link=given.link,
        rates=None if told is None else (told.up_bps, told.down_bps),
        rtt_s=None if rtt is None else given.rtt_s,
        buffer_s=None if buffer is None else given.buffer_s,
    )
    return replace(found, line=replace(found.line, varying=given.varying))


def show(found: Estimates, beside: Sequence[Beside]) -> None:
    """Print the numbers of the line with their sources, and the measurement beside its simulation."""
    from ..measured.again import disagreement
    from ..showing.text.layout import console, empty_table, print_table

    out = console()
    files = ", ".join(f"{one.file} ({one.tool})" for one in found.measurements)
    print_wrapped(f"The line of {files}:", 0)
    table = empty_table(*_HEADS[:4])
    for row in _rows(found):
        table.add_row(*row[:4])
    print_table(out, table, labels=1)
    for row in _rows(found):
        print_wrapped(f"{row[0]}: {row[4]}", 2)
    if beside:
        print()
        print_wrapped("The same test, simulated on this line with three seeds:", 0)
        table = empty_table("", "measured", "simulated")
        for cells in _compared(beside, with_file=len(found.measurements) > 1):
            table.add_row(*cells)
        print_table(out, table, labels=1)
        print_wrapped(disagreement(beside, found) or "They agree.", 0)
    print()
    for note in found.notes:
        tell(f"note: {note}")


def as_data(found: Estimates, beside: Sequence[Beside]) -> dict[str, Any]:
    """For JSON; an end that is not known is null."""
    data = found.to_dict()
    for one in data["estimates"].values():
        one["high"] = one["high"] if math.isfinite(one["high"]) else None
    rows = [
        {
            "file": row.file,
            "number": row.words,
            "measured": row.measured,
            "simulated": row.simulated.mean,
            "low": row.simulated.low,
            "high": row.simulated.high,
            "agrees": row.agrees,
        }
        for row in beside
    ]
    return {**data, "simulated": rows}


def report_of(page: Report, found: Estimates, beside: Sequence[Beside]) -> None:
    """The same two tables in a report."""
    import polars as pl

    from ..measured.again import disagreement

    rows = list(_rows(found))
    frame = pl.DataFrame({head: [row[at] for row in rows] for at, head in enumerate(_HEADS)})
    page.add_tables([("", frame)], "The measured line", " ".join(found.notes), file=frame, keys=frame.columns)
    if beside:
        compared = list(_compared(beside, with_file=len(found.measurements) > 1))
        heads = ("number", "measured", "simulated")
        frame = pl.DataFrame({head: [row[at] for row in compared] for at, head in enumerate(heads)})
        text = disagreement(beside, found) or "They agree."
        page.add_tables([("", frame)], "The same test, simulated", text, file=frame, keys=frame.columns)


def _rows(found: Estimates) -> list[tuple[str, str, str, str, str]]:
    rows: list[tuple[str, str, str, str, str]] = []
    for name, one in found.numbers.items():
        words, unit, scale = _WORDS[name]
        rows.append((words, f"{scale * one.value:.3g} {unit}", _interval(one, scale), one.how, one.source))
    return rows


def _interval(one: Estimate, scale: float) -> str:
    if one.low == one.high:
        return ""
    if one.bound:
        return f"{one.bound} {scale * (one.low if one.bound == 'at least' else one.high):.3g}"
    return f"{scale * one.low:.3g} to {scale * one.high:.3g}"


def _compared(beside: Sequence[Beside], *, with_file: bool) -> list[tuple[str, str, str]]:
    rows = []
    for row in beside:
        name = f"{row.file}: {row.words}" if with_file else row.words
        half = f" ± {row.simulated.half_width:.2g}" if row.simulated.half_width >= 0.005 * row.simulated.mean else ""
        rows.append((name, f"{row.measured:.3g}", f"{row.simulated.mean:.3g}{half}"))
    return rows
