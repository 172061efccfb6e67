"""Charts in a notebook without a network.

Each output has a picture of the chart, and its specification. The first one of a session has the scripts that draw it,
too, packed as in reports. From then on every chart of the notebook takes the place of its picture, and shows values
under the pointer; on a dark ground it has the colours of the dark theme. Where the scripts are not there, in a notebook
that was opened again for instance, the picture stays.
"""

from __future__ import annotations

import base64
import json
import sys
import uuid
from functools import cache
from html import escape
from importlib import resources
from typing import Any

import altair as alt

from .library import library, packed
from .palette import config
from .registry import Drawing

__all__ = ["offline"]

_carriers: list[str] = []
"""The cell whose output has the scripts, once there is one."""


class _Offline:
    def _repr_mimebundle_(self, *args: Any, **named: Any) -> Any:
        if alt.renderers.active not in ("", "default"):
            # A renderer that the user has chosen goes first.
            return super()._repr_mimebundle_(*args, **named)  # type: ignore[misc]
        spec = self.to_dict(context={"pre_transform": False})  # type: ignore[attr-defined]
        return {"text/html": _html(spec, carries=_carries(_cell())), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: a chart; .save(FILE) writes it>"


class Chart(_Offline, alt.Chart):
    """A chart of one panel and one kind of mark."""


class LayerChart(_Offline, alt.LayerChart):
    """A chart of one panel."""


class FacetChart(_Offline, alt.FacetChart):
    """A chart of several panels."""


_OF: dict[type, type] = {alt.Chart: Chart, alt.LayerChart: LayerChart, alt.FacetChart: FacetChart}


def offline(chart: Drawing) -> Drawing:
    """The same chart, which a notebook shows without a network."""
    if type(chart) in _OF:
        # Altair takes any attribute that is set for a part of the specification.
        object.__setattr__(chart, "__class__", _OF[type(chart)])
    return chart


def _cell() -> str:
    """The cell that runs, if the front end names it."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    parent = shell.get_parent() if shell is not None and hasattr(shell, "get_parent") else {}
    named = (parent or {}).get("metadata", {}).get("cellId")
    return str(named or getattr(shell, "execution_count", ""))


def _carries(cell: str) -> bool:
    """Whether the output of this cell has the scripts: the first has, and has them again when it is run again."""
    if not _carriers:
        _carriers.append(cell)
    return _carriers[0] == cell


def _html(spec: dict[str, Any], *, carries: bool) -> str:
    import vl_convert

    name = f"sojourn-chart-{uuid.uuid4().hex[:12]}"
    letters = base64.b64encode(vl_convert.vegalite_to_svg(spec).encode()).decode("ascii")
    picture = f"data:image/svg+xml;base64,{letters}"
    about = escape(str(spec.get("description", "chart")))
    dark = _turned(spec.get("config", {}), config("light"), config("dark"))
    parts = [packed(json.dumps(spec)), packed(json.dumps(dark)), library() if carries else ""]
    given = json.dumps([name, *parts]).strip("[]")
    return (
        f'<div id="{name}"><img alt="{about}" style="max-width: 100%" src="{picture}"></div>\n'
        f"<script>{_script()}({given});</script>"
    )


def _turned(own: Any, light: Any, dark: Any) -> Any:
    """A chart's parts of the light theme replaced by those of the dark one; its own parts stay."""
    if isinstance(own, dict) and isinstance(light, dict) and isinstance(dark, dict):
        return {key: _turned(value, light.get(key), dark.get(key)) for key, value in own.items()}
    return dark if own == light else own


@cache
def _script() -> str:
    return (resources.files("sojourn._rooms.showing.plots") / "notebook.js").read_text(encoding="utf-8").rstrip()
