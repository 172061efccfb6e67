"""``sojourn reproduce KEY --numbers``."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from ..showing.text.progress import progress_bar
from ..works import printed_tables
from ..works.forensics.beside import Beside, beside
from ..works.forensics.beside_words import as_json, summary, tables
from ..works.work import folder
from .forensics import WIDTH, show_table
from .guard import print_json
from .streams import then

__all__ = ["show"]


def show(
    key: str,
    *,
    only: Sequence[str] | None,
    reading: str,
    runs: int | None,
    workers: int | None,
    as_text: bool,
    out: Path | None,
    report: Path | None,
    record: bool,
) -> None:
    """Print each printed number of a work beside ours, and a line for each of its tables."""
    with progress_bar() as progress:
        done = beside(key, only=only, reading=reading, runs=runs, workers=workers, progress=progress, out=out)
    with then(lambda: _write(done, report=report, record=record)):
        if not as_text:
            print_json(as_json(done))
            return
        about = textwrap.fill(printed_tables.ABOUT.replace("*", ""), WIDTH)
        print(f"{key}: {done.paper.title}\n{done.paper.citation}\n\n{about}")
        if reading:
            print(f"\nThe reading here: {reading}.")
        for one in [*tables(done), summary(done)]:
            show_table(one)


def _write(done: Beside, *, report: Path | None, record: bool) -> None:
    if record:
        printed_tables.keep(folder(done.key), done.key, done.lines)
    if report is not None:
        from ..works.forensics import page

        page.write_numbers(done, report)
        print(f"report: {report}", file=sys.stderr)
