"""The side bar: the tree of all pages, beside each page.

Furo has it made anew for each page, which takes a third of the whole build. Beside the pages of one folder the trees
differ in little: the page itself, and the items that lead to it, are marked. So the tree of a folder is made once.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from furo.navigation import get_navigation_tree
from sphinx.application import Sphinx

Change = tuple[int, int, str]
"""Beginning and end of a text that is replaced, and the new text."""

_TOKEN = re.compile(
    r'<ul>|</ul>|<li class="(?P<level>toctree-l\d+)[^"]*(?P<ends>)">|</li>|<input [^>]*?(?P<box>) class="toctree-checkbox"'
    r'|<a class="(?P<kind>reference internal)" href="(?P<link>[^"]*)">'
)
_MARKS = re.compile(r' class="current"(?=>)|(?<=toctree-l\d) current\b(?!-)| current-page\b| checked=""')
_HERE = re.compile(r'<a class="current reference internal" href="#">')


def setup(app: Sphinx) -> None:
    """Called by Sphinx: before and after Furo, which asks for the tree."""
    trees: dict[str, Mapping[str, str]] = {}

    def ask_once(_app: object, page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
        folder = posixpath.dirname(page)
        if folder not in trees:
            trees[folder] = Beside(neutral(whole(context["toctree"]), link_of(page)))
        context["toctree"] = lambda **_: ""

    def lay(_app: object, page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
        context["furo_navigation_tree"] = trees[posixpath.dirname(page)][link_of(page)]

    app.connect("html-page-context", ask_once, priority=100)
    app.connect("html-page-context", lay, priority=800)


def whole(toctree: Callable[..., str]) -> str:
    """The tree beside a page, as Furo makes it."""
    return str(get_navigation_tree(toctree(collapse=False, titles_only=True, maxdepth=-1, includehidden=True)))


def link_of(page: str) -> str:
    """How pages of its folder lead to a page."""
    return f"{posixpath.basename(page)}.html"


def neutral(tree: str, link: str) -> str:
    """The tree beside a page without its marks."""
    return _HERE.sub(f'<a class="reference internal" href="{link}">', _MARKS.sub("", tree))


@dataclass
class _Item:
    """An item that is open: the changes in it if it leads to the page."""

    level: int
    ends: int
    box: int = 0


@dataclass
class _Place:
    """A link to a page, and the lists and items around it."""

    start: int
    end: int
    lists: list[int]
    items: list[_Item] = field(default_factory=list)


class Beside(Mapping[str, str]):
    """The tree beside each page of a folder, by the link to the page."""

    def __init__(self, tree: str) -> None:
        self._tree = tree
        self._places: dict[str, list[_Place]] = {}
        lists: list[int] = []
        items: list[_Item] = []
        for token in _TOKEN.finditer(tree):
            if token[0] == "<ul>":
                lists.append(token.end() - 1)
            elif token[0] == "</ul>":
                lists.pop()
            elif token["level"]:
                items.append(_Item(token.end("level"), token.end("ends")))
            elif token[0] == "</li>":
                items.pop()
            elif token["kind"]:
                place = _Place(token.start(), token.end(), [*lists], [*items])
                self._places.setdefault(token["link"], []).append(place)
            else:
                items[-1].box = token.end("box")

    def __getitem__(self, link: str) -> str:
        changes: set[Change] = set()
        for place in self._places.get(link, []):
            changes.add((place.start, place.end, '<a class="current reference internal" href="#">'))
            changes |= {(at, at, ' class="current"') for at in place.lists}
            for item in place.items:
                changes.add((item.level, item.level, " current"))
                if item.box:
                    changes.add((item.box, item.box, ' checked=""'))
        if own := self._places.get(link):
            ends = own[-1].items[-1].ends
            changes.add((ends, ends, " current-page"))
        parts, end = [], 0
        for start, stop, text in sorted(changes):
            parts += [self._tree[end:start], text]
            end = stop
        return "".join([*parts, self._tree[end:]])

    def __iter__(self) -> Any:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
