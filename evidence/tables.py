"""Tables that are kept as files, columns and rows of texts in TOML; and pages with parts that programs write."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

EVIDENCE = Path(__file__).resolve().parent
# Of a page's lines.
WIDTH = 165


def read(file: Path) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a kept table."""
    kept = tomllib.loads(file.read_text(encoding="utf-8"))
    return kept["columns"], kept["rows"]


def write(file: Path, about: Sequence[str], columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Keeps a table; `about` are the lines of the comment at its head.

    Raises
    ------
    ValueError
        If a row has not as many cells as there are columns.
    """
    rows = [list(row) for row in rows]
    if bad := [row for row in rows if len(row) != len(columns)]:
        raise ValueError(f"{file}: {len(columns)} columns, but {len(bad[0])} cells in the row of {bad[0][0]}")
    lines = [*(f"# {line}".rstrip() for line in about), "", f"columns = {_inline(columns)}", "rows = ["]
    lines += [f"  {_inline(row)}," for row in rows]
    file.write_text("\n".join([*lines, "]"]) + "\n", encoding="utf-8")


def _inline(texts: Sequence[str]) -> str:
    """A row; the escapes of JSON are those of TOML."""
    return json.dumps(list(texts), ensure_ascii=False)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """The table in Markdown: so many columns of words, and then columns of numbers."""
    ruler = "---|" * words + "---:|" * (len(columns) - words)
    return "\n".join([f"| {' | '.join(columns)} |", f"|{ruler}", *(f"| {' | '.join(row)} |" for row in rows)])


def cells(lines: Iterable[str]) -> list[list[str]]:
    """The rows of lines of Markdown, without the line below the head."""
    rows = [[cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split(" | ")] for line in lines]
    return [row for row in rows if set("".join(row)) - set("-:| ")]


def paragraph(text: str) -> str:
    """A text in lines as pages have them."""
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def filled(page: str, parts: Mapping[str, str]) -> str:
    """A page with its parts: each between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.

    Raises
    ------
    ValueError
        If the page has no place for a part.
    """
    for name, made in parts.items():
        place = re.compile(rf"(<!-- begin {re.escape(name)} -->\n).*?(<!-- end {re.escape(name)} -->)", re.DOTALL)
        if not place.search(page):
            raise ValueError(f"the page has no place for {name}")
        page = place.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", page)
    return page
