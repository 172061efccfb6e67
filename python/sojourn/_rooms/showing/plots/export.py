"""From a chart to a file: PNG, SVG, PDF or a page of its own."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any, Final

import altair as alt

from ..._base.files import write_whole
from .notebook import offline
from .palette import Theme, config
from .paper import GREYS, NARROW, column_wide, sized, titled
from .registry import Drawing

GAP: Final = 18


def specification(chart: Drawing) -> dict[str, Any]:
    """The Vega-Lite specification, without altair's own configuration, so that a theme can be applied to it."""
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("config", None)
    return spec


def embedded_data(spec: dict[str, Any]) -> dict[str, str]:
    """The data inside a specification: comma-separated text by name."""
    found: dict[str, str] = {}

    def visit(node: Any) -> None:
        if isinstance(node, dict):
            data = node.get("data")
            if isinstance(data, dict) and isinstance(data.get("values"), str):
                found.setdefault(str(data.get("name", f"data{len(found)}")), data["values"])
            for child in node.values():
                visit(child)
        elif isinstance(node, list):
            for child in node:
                visit(child)

    visit(spec)
    return found


def panels(spec: dict[str, Any]) -> int:
    """How many panels a chart has."""
    if "vconcat" in spec:
        return sum(panels(part) for part in spec["vconcat"])
    field = spec.get("facet", {}).get("field", "")
    for text in embedded_data(spec).values() if field else ():
        rows = csv.DictReader(io.StringIO(text))
        if field in (rows.fieldnames or ()):
            return len({row[field] for row in rows})
    return 1


def fit(spec: dict[str, Any], width: float, *, size: float = 12.0) -> dict[str, Any]:
    """Lays the chart out for a page of this width, in pixels; report.js does the same in the browser.

    `size` is that of the labels of axes.
    """
    spec = dict(spec)
    hints = spec.get("usermeta", {}).get("sojourn", {})
    if hints.get("layout") == "facet":
        # The axis is beside every panel, or once beside the first of a row.
        once = hints["overhead"] if hints["shared"] else 0
        each = GAP + (0 if hints["shared"] else hints["overhead"])
        columns = max(1, min(hints["columns"], int((width - once + GAP) // (hints["panel_min"] + each))))
        panel = (width - once + GAP) / columns - each
        laid = {"columns": columns, "width": max(60, int(panel))}
        if "vconcat" in spec:
            spec["vconcat"] = [_laid_out(part, **laid) for part in spec["vconcat"]]
        else:
            spec = _laid_out(spec, **laid)
    else:
        spec["width"] = width
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    characters = hints.get("legend")
    if characters:
        columns = max(1, int(width // (characters * 0.6 * size + 38)))
        spec["config"] = {"legend": {"columns": columns}}
    return spec


def _laid_out(facets: dict[str, Any], columns: int, width: int) -> dict[str, Any]:
    return {**facets, "columns": columns, "spec": {**facets["spec"], "width": width}}


def notebook_chart(chart: Drawing, *, theme: Theme = "light", width: float = 760) -> Drawing:
    """The chart with size and colours of its own, as a notebook is to show it."""
    spec = fit(specification(chart), width)
    themed = config(theme)
    themed["legend"] = {**themed["legend"], **spec.pop("config", {}).get("legend", {})}
    drawn: Drawing = alt.Chart.from_dict({**spec, "config": themed})
    return offline(drawn)


def save(
    chart: Drawing,
    path: str | os.PathLike[str],
    *,
    theme: Theme = "light",
    width: float = 760,
    scale: float = 2.0,
    height: float | None = None,
    title: bool = True,
    font: str = "sans-serif",
    size: float = 12.0,
    grey: bool = False,
) -> None:
    """Writes a chart to a file, whose kind follows from the name: ``.png``, ``.svg``, ``.pdf``, ``.html`` or ``.json``.

    Parameters
    ----------
    theme
    width
        Width in pixels, which are points in a PDF: 245 is a column of many journals.
    scale
        Pixels of the PNG per pixel of the chart.
    height
        Height of the chart, or of each of its panels, in place of its own.
    title
        Whether the chart has a title; a figure with a caption needs none.
    font
        The typeface by its name, such as ``"Times New Roman"``. It must be installed: a PDF takes its letters along.
    size
        Points of the labels of axes; all other letters go with it.
    grey
        Greys in place of colours. Lines have dashes and points have markers in either case.

    Raises
    ------
    ValueError
        The ending of the name is none of these.
    """
    target = Path(path)
    spec = fit(specification(chart), width, size=size)
    if height is not None:
        inner = {**spec["spec"], "height": height} if isinstance(spec.get("spec"), dict) else None
        spec = {**spec, "height": height} if inner is None else {**spec, "spec": inner}
    spec = titled(spec, width, size, title=title)
    themed = sized(config(theme, font=font), size)
    if grey:
        themed["range"] = {**themed["range"], "category": GREYS}
    if width < NARROW:
        themed["padding"] = 4
    themed["legend"] = {**themed["legend"], **spec.pop("config", {}).get("legend", {})}
    if width < NARROW:
        spec = column_wide(spec, themed, width)
    import vl_convert

    match target.suffix.lower():
        case ".png":
            content = vl_convert.vegalite_to_png(spec, config=themed, scale=scale)
        case ".svg":
            content = vl_convert.vegalite_to_svg(spec, config=themed).encode()
        case ".pdf":
            content = vl_convert.vegalite_to_pdf(spec, config=themed)
        case ".html":
            content = vl_convert.vegalite_to_html(spec, config=themed, bundle=True).encode()
        case ".json":
            content = (_as_json({**spec, "config": themed}) + "\n").encode()
        case other:
            raise ValueError(f"cannot write {other or 'a name without ending'!r}: use .png, .svg, .pdf, .html or .json")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, content)


def _as_json(spec: dict[str, Any]) -> str:
    """A specification as text, keys in a fixed order."""
    return json.dumps(spec, indent=1, sort_keys=True)
