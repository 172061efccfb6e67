"""``sojourn reproduce KEY --forensics``."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..showing.text.progress import progress_bar
from ..works.forensics import words
from ..works.forensics.investigation import Investigation, investigate
from .guard import print_json
from .streams import then

__all__ = ["WIDTH", "search", "show_table"]

WIDTH = 116
_NUMERIC = {"", *"+-0123456789"}
_NUMBER = 16
"""Letters of a cell that may be a number; a longer one is a text that begins with one."""


def search(
    key: str, *, budget_s: float, workers: int | None, as_json: bool, out: Path | None, report: Path | None
) -> None:
    """Search the choices that a work leaves open, and show to which of them its printed numbers point."""
    print(f"{key}: a search of at most {budget_s / 60.0:.3g} minutes", file=sys.stderr)
    with progress_bar() as progress:
        done = investigate(
            key,
            budget_s=budget_s,
            workers=workers,
            progress=progress,
            out=out,
            told=lambda line: print(line, file=sys.stderr),
        )
    with then(lambda: _write(done, report)):
        _show_all(done, as_json=as_json)


def _write(done: Investigation, report: Path | None) -> None:
    if report is not None:
        from ..works.forensics import page

        page.write(done, report)
        print(f"report: {report}", file=sys.stderr)


def _show_all(done: Investigation, *, as_json: bool) -> None:
    key = done.key
    if as_json:
        print_json(words.asdict(done))
    else:
        print(f"{key}: {done.paper.title}\n{done.paper.citation}\n\n{textwrap.fill(words.RULE, WIDTH)}")
        print(textwrap.fill(words.SCORE, WIDTH))
        for found in done.parts:
            print(f"\n{found.name}" if len(done.parts) > 1 else "")
            for text in (words.warning(found), words.summary(found)):
                if text:
                    print(textwrap.fill(text, WIDTH))
            for table in words.tables(found):
                show_table(table)
        print(f"\n{done.seconds:.0f} s of {done.budget:.0f} s")


def show_table(table: words.TableOf) -> None:
    """Print a table."""
    print(f"\n{table.title}")
    if table.text:
        print(textwrap.fill(table.text, WIDTH))
    shown = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, head in enumerate(table.header):
        numbers = all(row[place][:1] in _NUMERIC and len(row[place]) < _NUMBER for row in table.rows)
        shown.add_column(Text(head), justify="right" if numbers else "left", overflow="fold")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    out = Console(width=WIDTH, highlight=False)
    with out.capture() as capture:
        out.print(shown)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))
