"""A part of a page that is folded up until it is opened: ``:::{folded} Its heading``."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator


class Folded(nodes.General, nodes.Element):
    """The part, with its heading in ``heading``."""


class FoldedDirective(SphinxDirective):
    """``details`` of HTML, which a link to something inside opens."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The part with its content."""
        return [Folded("", *self.parse_content_to_nodes(), heading=self.arguments[0])]


def visit(writer: HTML5Translator, node: Folded) -> None:
    """Begin."""
    name, _, about = node["heading"].partition(": ")
    about = f" {writer.encode(about)}" if about else ""
    writer.body.append(f'<details class="folded"><summary><b>{writer.encode(name)}</b>{about}</summary>\n')


def depart(writer: HTML5Translator, _node: Folded) -> None:
    """End."""
    writer.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_node(Folded, html=(visit, depart))
    app.add_directive("folded", FoldedDirective)
