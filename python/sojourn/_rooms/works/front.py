"""The first page of a work: the claims of its author, our findings, the best setting, a surprise, and one picture.

The words are the paragraphs of the work's README before its first section, each with a title in bold; "In one sentence"
is the headline. The picture is
the figure that `front` of ``figures.toml`` names; a full run with ``--record`` draws it into ``record/front.svg``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup, escape

from .._base.files import write_whole
from ..showing.plots.palette import CATEGORY, Theme
from ..showing.report.page import colour_classes
from ..showing.report.templates import render, resource
from .figures import Figure, planes, read
from .folders import record_of
from .planes import drawn, picture
from .points import Drawn
from .work import Paper

__all__ = ["PICTURE", "front_html", "headline", "keep", "words"]

PICTURE = "front.svg"
HEADLINE = "In one sentence"
_PART = re.compile(r"^\*\*(?P<title>[^*]+)\.\*\* (?P<text>.+?)(?=\n\n|\Z)", re.S | re.M)


def words(folder: Path) -> list[tuple[str, str]]:
    """The paragraphs with their titles, that of the headline first; none where the README has none."""
    readme = folder / "README.md"
    if not readme.is_file():
        return []
    text = readme.read_text(encoding="utf-8").partition("\n## ")[0]
    return [(one["title"], " ".join(one["text"].split())) for one in _PART.finditer(text)]


def headline(folder: Path | None) -> str:
    """The finding in one sentence; empty where the README has none."""
    found = dict(words(folder)) if folder is not None else {}
    return found.get(HEADLINE, "").rstrip(".").replace("`", "")


def front_html(folder: Path, paper: Paper, points: Drawn, tally: Sequence[tuple[str, int, str]]) -> Markup:
    """The first page, with a square for each sentence by outcome; nothing where the README has no such paragraphs."""
    found = [(title, text) for title, text in words(folder) if title != HEADLINE]
    if not found:
        return Markup("")
    return render(
        "front.html",
        parts=[(title, _with_code(text)) for title, text in found],
        caption=figure.heading if (figure := _front(folder)) else "",
        planes=[drawn(one) for one in planes(figure, paper, points, {})] if figure else [],
        tally=tally,
    )


def _front(folder: Path) -> Figure | None:
    """The figure of the first page."""
    listed = read(folder)
    return next(iter(listed.about([listed.front])), None)


def _with_code(text: str) -> Markup:
    """A paragraph of Markdown with names in the form of code, and nothing else."""
    parts = [
        Markup("<code>{}</code>").format(one) if place % 2 else escape(one) for place, one in enumerate(text.split("`"))
    ]
    return Markup("").join(parts)


def keep(folder: Path, paper: Paper, points: Drawn) -> None:
    """Draw the figure of the first page into the record."""
    figure = _front(folder)
    if figure is not None and (found := planes(figure, paper, points, {})):
        file = record_of(folder, PICTURE)
        file.parent.mkdir(exist_ok=True)
        write_whole(file, picture(found, _style()))


def _style() -> str:
    """The colours of both themes, and the lines of the style of figures that are about drawings."""
    inks: Mapping[Theme, str] = {
        "light": "--ink:#1b2530;--muted:#566270;--work:#566270;--line:#dfe4e9;--accent:#0b63a5",
        "dark": "--ink:#e8ecf1;--muted:#a3afbb;--work:#a3afbb;--line:#2c3641;--accent:#6db8f2",
    }
    light, dark = (
        ";".join([ink, *(f"--k{at}:{colour}" for at, colour in enumerate(CATEGORY[theme]))])
        for theme, ink in inks.items()
    )
    own = colour_classes() + "".join(one for one in resource("figures.css").splitlines() if one.startswith(".plane "))
    return (
        f"svg{{{light};font-family:system-ui,sans-serif}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}{own}"
        ".plane .head{font-size:14px;font-weight:600}"
    )
