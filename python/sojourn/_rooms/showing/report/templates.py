"""The page's templates: Jinja2, with everything escaped that is not HTML already."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["render", "resource", "without_needless_ends"]

# HTML, 13.1.2.4: before the next cell or row, and at the end of a row or of a part of a table.
_NEEDLESS = re.compile(r"</(?:td|th|tr)>\s*(?=<t[dhr][ >]|</t(?:r|head|body|foot)>)")

# `// ...` on a line of its own, or from `/*` where a line begins to `*/` where one ends.
_COMMENT_LINES = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)


def resource(name: str) -> str:
    """A file of this folder as text; scripts and styles without the lines that are comments alone."""
    text = (resources.files("sojourn._rooms.showing.report") / name).read_text(encoding="utf-8")
    return _COMMENT_LINES.sub("", text) if name.endswith((".js", ".css")) else text


def render(name: str, **values: Any) -> Markup:
    """A template filled in; text is escaped, :class:`markupsafe.Markup` is not."""
    # The template's text is HTML, and the values put into it have been escaped.
    return Markup(_environment().get_template(name).render(**values))  # noqa: S704


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(resource), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=False
    )


def without_needless_ends(page: str) -> str:
    """A page without the end tags of cells and rows that HTML lets one leave out: a large work's loses 60 kB.

    >>> without_needless_ends("<tr><th>a</th><td>b</td></tr></tbody>")
    '<tr><th>a<td>b</tbody>'
    """
    return _NEEDLESS.sub("", str(page))
