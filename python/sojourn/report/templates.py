"""The page's templates: Jinja2, with everything escaped that is not HTML already."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["render", "resource"]


def resource(name: str) -> str:
    """A file of this folder as text."""
    return (resources.files("sojourn.report") / name).read_text(encoding="utf-8")


def render(name: str, **values: Any) -> Markup:
    """A template filled in; text is escaped, :class:`markupsafe.Markup` is not."""
    # What the template says is HTML, and what is put into it has been escaped.
    return Markup(_environment().get_template(name).render(**values))  # noqa: S704


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(resource), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=False
    )
