"""How an object is shown without knowing by whom: the way from the lower rooms to :mod:`showing`.

A study has `plot`, `report` and a view in a notebook, but the drawing code is far above it and is loaded on first use.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import altair as alt

    Drawing: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart

else:
    Drawing = Any

__all__ = ["Drawing", "html", "plot", "progress_bar", "report"]


def html(thing: object) -> str:
    """HTML of a scenario, study or sweep for notebooks."""
    return str(_views().html(thing))


def plot(thing: object, chart: str, **settings: Any) -> Drawing:
    """One of the charts of a study or a sweep."""
    drawn: Drawing = _views().plot(thing, chart, **settings)
    return drawn


def report(thing: object, path: Any, **settings: Any) -> None:
    """Write the report of a study or a sweep."""
    _views().report(thing, path, **settings)


def progress_bar() -> Any:
    """A display of a study's progress, below the cell of a notebook that runs; None outside of notebooks."""
    return None if "IPython" not in sys.modules else _views().notebook_bar()


def _views() -> Any:
    return import_module("sojourn._rooms.showing.views")
