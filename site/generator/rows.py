"""Tables for a phone: each cell gets the head of its column, so that a row can be a block of lines; see site.css.

An extension of Sphinx.
"""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

__all__ = ["labelled", "setup"]

FEW = 3
"""The number of columns that fit on a phone, unless the first one has sentences or long names."""
SENTENCES = (
    "claim",
    "what",
    "What",
    "difference",
    "point",
    "setting",
    "seen in",
    "queues",
    "queue, and",
    "sender, and",
)
"""How the heads of such columns begin."""
OWN = "parameters presets probes published evidence things keys accepted columns scores warnings"
"""Containers whose cells need no heads."""


def labelled(body: str) -> str:
    """The page with the heads of wide tables at their cells, and at a blank first cell the text of the cell above it.

    >>> head = "<thead><tr><th>n</th><th>a</th><th>b</th><th>c</th></tr></thead>"
    >>> row = "<tbody><tr><td>x</td><td>1</td><td></td><td>3</td></tr></tbody>"
    >>> labelled(f'<table class="docutils">{head}{row}</table>').partition("<tbody>")[2]
    '<tr><td data-head="n">x</td><td data-head="a">1</td><td></td><td data-head="c">3</td></tr></tbody></table>'
    """
    return _TABLE.sub(_labelled, body)


# A table and its container. The other parts of a page are left alone: to parse all pages takes a tenth of the build.
_TABLE = re.compile(r'(?P<around>(?:<div class="[^"]*">\s*)*)(?P<table><table class="docutils\b.*?</table>)', re.S)


def _labelled(found: re.Match[str]) -> str:
    if any(name in OWN.split() for text in re.findall(r'class="([^"]*)"', found["around"]) for name in text.split()):
        return found[0]
    page = BeautifulSoup(found["table"], "html.parser")
    table = page.select_one("table")
    heads = [head.get_text(" ", strip=True) for head in page.select("thead th")]
    few = 1 if heads and heads[0].startswith(SENTENCES) else FEW
    if table is None or len(heads) <= few:
        return found[0]
    table["class"] = [*table.get_attribute_list("class"), "rows"]
    above = ""
    for row in page.select("tbody tr"):
        cells = [cell for cell in row.find_all(["td", "th"], recursive=False) if isinstance(cell, Tag)]
        for place, (head, cell) in enumerate(zip(heads, cells, strict=False)):
            text = cell.get_text(" ", strip=True)
            if text or cell.find("img"):
                cell["data-head"] = head
            elif place == 0 and above:
                cell["data-head"], cell["data-above"] = head, above
            above = text or above if place == 0 else above
    return f"{found['around']}{page}"


def _label(_app: object, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    if "<table" in context.get("body", ""):
        context["body"] = labelled(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("html-page-context", _label, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
