"""Commands and code of pages: blocks ``console`` with lines ``$ ...``, and blocks ``python``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "site" / "pages").rglob("*.md"))


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The text typed at the prompt; a backslash at the end of a line joins the next."""
        return [line[2:] for line in self.text.replace("\\\n", " ").splitlines() if line.startswith("$ ")]


def blocks(page: Path) -> list[Block]:
    """All blocks with a language, in their order."""
    text = page.read_text(encoding="utf-8")
    return [Block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)]
