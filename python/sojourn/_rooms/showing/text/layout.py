"""How tables are laid out on a terminal: text as it is, no value cut, and no blanks at the ends of lines."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

__all__ = ["Plain", "console", "empty_table", "print_in_parts", "print_table", "texts", "width_of"]

_PIPED_WIDTH = 160


class Plain(Console):
    """A console that shows text as it is, and leaves a broken pipe to its caller.

    rich would take ``[call]`` for markup and ``:x:`` for a picture, and it ends Python when nobody reads the output any
    more.
    """

    def __init__(self, *, width: int | None = None, stderr: bool = False) -> None:
        super().__init__(width=width, stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)

    def on_broken_pipe(self) -> NoReturn:
        """Pass the error on to the command."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def empty_table(first: str, *others: str) -> RichTable:
    """A table with these heads; all columns but the first hold numbers."""
    table = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(first, overflow="fold")
    for head in others:
        # A head may break over two lines, a value may not.
        table.add_column(head.replace(" (", "\n("), justify="right", no_wrap=True)
    return table


def print_in_parts(console: Console, header: Sequence[str], body: Sequence[Sequence[str]], *, labels: int = 1) -> None:
    """Print rows of text as a table whose first `labels` columns are labels; see :func:`print_table`."""
    table = empty_table(*header)
    for row in body:
        table.add_row(*row)
    print_table(console, table, labels=labels)


def console() -> Console:
    """Colour and the terminal's width where there is a terminal; else plain text, wide enough."""
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((80, 24)).columns if terminal else _PIPED_WIDTH
    return Plain(width=width)


def width_of(table: RichTable) -> int:
    """Columns of a terminal that a table takes."""
    return Plain(width=10_000).measure(table).maximum


def print_table(console: Console, table: RichTable, *, labels: int = 1) -> None:
    """Print without blanks at the ends of lines.

    A table that is wider than the terminal becomes several below each other with the same labels, which are the first
    `labels` columns: no value is cut. Without a terminal there is no width to keep, and the table stays whole.
    """
    for part in _segments(table, console.width, labels) if console.is_terminal else [table]:
        wide = Plain(width=max(console.width, width_of(part)))
        with wide.capture() as capture:
            wide.print(part)
        print("\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n")


def _segments(table: RichTable, width: int, labels: int) -> list[RichTable]:
    """The table in parts that fit, each with at least one column beside its labels."""
    kept: list[list[int]] = [[]]
    for column in range(labels, len(table.columns)):
        if kept[-1] and width_of(_part(table, [*range(labels), *kept[-1], column])) > width:
            kept.append([])
        kept[-1].append(column)
    return [_part(table, [*range(labels), *columns]) for columns in kept]


def _part(table: RichTable, columns: Sequence[int]) -> RichTable:
    """Some columns of a table."""
    part = empty_table("")
    part.columns.clear()
    chosen = [table.columns[place] for place in columns]
    for one in chosen:
        part.add_column(one.header, justify=one.justify, no_wrap=one.no_wrap, overflow=one.overflow)
    for row in zip(*(one.cells for one in chosen), strict=True):
        part.add_row(*row)
    return part


def texts(tables: Iterable[RichTable]) -> list[str]:
    """The cells of tables."""
    return [str(text) for table in tables for column in table.columns for text in column.cells]
