"""Configuration of the site's generator, Sphinx. ``make site`` stages the pages and calls it."""

from __future__ import annotations

import inspect
import re
from typing import Any

from sphinx.application import Sphinx

import sojourn
from sojourn._rooms.scenario.component import Table

project = "Sojourn"
author = "The Sojourn developers"
copyright = author  # noqa: A001
version = release = sojourn.__version__
html_title = "Sojourn"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "generator.folded",
    "generator.rows",
    "generator.sidebar",
]
myst_enable_extensions = ["colon_fence", "attrs_block", "attrs_inline", "deflist"]
myst_heading_anchors = 4
exclude_patterns = ["fragments"]
suppress_warnings = ["myst.strikethrough"]
# Quotes are those that a reader types into a scenario.
smartquotes = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css", "figures.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# The page asks no other machine for anything: no fonts, no scripts.
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0060a0",
        "color-brand-content": "#0060a0",
        "font-stack": "system-ui, sans-serif",
    },
    "dark_css_variables": {"color-brand-primary": "#6db5ea", "color-brand-content": "#6db5ea"},
    "navigation_with_keys": True,
}
html_extra_path = ["_extra"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_maximum_signature_line_length = 90


myst_heading_slug_func = "generator.stage.slug"


def escape_names(_app: object, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """A name of ns-2 ends in an underscore, which means a link here."""
    lines[:] = [re.sub(r"(?<![`\w:])(\w+)_(?![\w`])", r"\1\\_", line) for line in lines]


def name_each(_app: object, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Attributes that share a description each get it: Sphinx takes the first of two names for the type of the second."""
    shared = re.compile(r":ivar (?P<names>\w+(?:, \w+)+):(?P<text>.*)")
    told: list[str] = []
    while lines:
        line = lines.pop(0)
        found = shared.fullmatch(line)
        if found is None:
            told.append(line)
            continue
        text = [found["text"]]
        while lines and lines[0].startswith(" "):
            text.append(lines.pop(0))
        for name in found["names"].split(", "):
            told += [f":ivar {name}:{text[0]}", *text[1:]]
    lines[:] = told


def name_fields(
    _app: object, what: str, _name: str, made: object, _options: object, *_: object
) -> tuple[str, str] | None:
    """The signature of a table without types, which its list of fields has: with them it would fill a screen."""
    if what != "class" or not (isinstance(made, type) and issubclass(made, Table)):
        return None
    own = inspect.signature(made)
    named = [field.replace(annotation=field.empty) for field in own.parameters.values()]
    return str(own.replace(parameters=named, return_annotation=own.empty)), ""


def break_names(_app: object, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """A long name breaks behind an underscore, and not in the middle of a word; a short one does not break."""
    literal = re.compile(r'(?<=<span class="pre">)(?=[^<]{13})[^<]+_[^<]*(?=</span>)')
    if "body" in context:
        context["body"] = literal.sub(lambda found: re.sub(r"_(?=\w)", "_<wbr>", found[0]), context["body"])


def set_dashes(_app: object, page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """A dash between a parameter and its meaning, which Sphinx writes as two hyphens where quotes stay as they are."""
    if page.startswith("api/") and "body" in context:
        context["body"] = context["body"].replace(" -- ", " \N{EN DASH} ")


def level_captions(_app: object, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """The captions of the side bar are headings, which Sphinx gives no level."""
    side = str(context.get("furo_navigation_tree", ""))
    context["furo_navigation_tree"] = side.replace('role="heading"', 'role="heading" aria-level="2"')


def spare_files(app: Sphinx, page: str, _template: str, _context: object, _tree: object) -> None:
    """A browser lets no script read the pages beside one that is a file: a search among files has no summaries."""
    if page == "search":
        off = "if (location.protocol === 'file:') DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;"
        app.add_js_file(None, body=off)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("html-page-context", level_captions, priority=900)
    app.connect("html-page-context", break_names, priority=900)
    app.connect("html-page-context", set_dashes, priority=900)
    app.connect("html-page-context", spare_files)
    app.connect("autodoc-process-signature", name_fields)
    app.connect("autodoc-process-docstring", escape_names, priority=100)
    app.connect("autodoc-process-docstring", name_each, priority=900)
