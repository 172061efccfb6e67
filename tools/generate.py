"""Writes the files that derive from the registry and are kept with the sources: ``make generate``.

These are the reference pages and the JSON Schema in ``docs/reference``, and tables in pages that people write.
``tools/stubs.py`` writes those that a build makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sojourn import _core
from sojourn.cli import coming_from
from sojourn.works.guide import with_table

__all__ = ["generated", "main"]

ROOT = Path(__file__).resolve().parents[1]
_GUIDE = "CONTRIBUTING.md"

# Between these comments of a page is a table that is made, with the name of a part of it if it has several.
_TABLE = re.compile(r"(^% table:([^\n]*)\n).*?(^% end of the table$)", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Write all generated files, and say which changed."""
    for path, text in generated().items():
        place = ROOT / path
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            print(path)


def generated() -> dict[str, str]:
    """Texts of all generated files by their path in the working tree."""
    texts = {f"docs/reference/{name}.md": text for name, text in _core.reference()}
    texts["docs/reference/scenario.schema.json"] = _core.schema() + "\n"
    texts[_GUIDE] = with_table((ROOT / _GUIDE).read_text(encoding="utf-8"))
    return texts | dict(_pages())


def _pages() -> Iterator[tuple[str, str]]:
    """The pages for those who come from another tool, with the tables by which ``sojourn explain`` answers, too."""
    for name in coming_from.PAGES:
        path = f"site/pages/coming-from/{name}.md"
        yield path, _TABLE.sub(partial(_table, name), (ROOT / path).read_text(encoding="utf-8"))


def _table(page: str, found: re.Match[str]) -> str:
    return f"{found[1]}\n{coming_from.table(page, found[2].strip())}\n{found[3]}"


if __name__ == "__main__":
    main()
