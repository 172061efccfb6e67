"""Writes what derives from the registry.

``make generate`` writes the tables in pages that people write. ``make docs`` writes the reference pages and the JSON
Schema to ``out/reference``; the site has them, too. ``tools/stubs.py`` writes the files that a build makes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sojourn import _core
from sojourn._rooms.catalogue import coming_from
from sojourn._rooms.works.guide import with_table

__all__ = ["generated", "main", "reference"]

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = "out/reference"
_GUIDE = "docs/works.md"

# Between these comments of a page is a table that is made, with the name of a part of it if it has several.
_TABLE = re.compile(r"(^% table:([^\n]*)\n).*?(^% end of the table$)", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Write the tables, or with ``--reference`` the reference pages, and say which files changed."""
    arguments = argparse.ArgumentParser(description="Write the tables that derive from the registry.")
    arguments.add_argument("--reference", action="store_true", help=f"write the reference pages, to {REFERENCE}")
    for path, text in (reference() if arguments.parse_args().reference else generated()).items():
        place = ROOT / path
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            print(path)


def generated() -> dict[str, str]:
    """Texts of the pages with generated tables, by their path in the working tree."""
    guide = with_table((ROOT / _GUIDE).read_text(encoding="utf-8"))
    return {_GUIDE: guide} | dict(_pages())


def reference() -> dict[str, str]:
    """Texts of the reference pages and of the JSON Schema, by their path in the working tree."""
    texts = {f"{REFERENCE}/{name}.md": text for name, text in _core.reference()}
    return texts | {f"{REFERENCE}/scenario.schema.json": _core.schema() + "\n"}


def _pages() -> Iterator[tuple[str, str]]:
    """The pages "Coming from", with the tables that ``sojourn explain`` answers with, too."""
    for name in coming_from.PAGES:
        path = f"site/pages/coming-from/{name}.md"
        yield path, _TABLE.sub(partial(_table, name), (ROOT / path).read_text(encoding="utf-8"))


def _table(page: str, found: re.Match[str]) -> str:
    return f"{found[1]}\n{coming_from.table(page, found[2].strip())}\n{found[3]}"


if __name__ == "__main__":
    main()
