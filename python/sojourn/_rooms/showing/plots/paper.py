"""A chart for paper: as wide as a column, in letters of the text around it, and readable in grey."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["GREYS", "column_wide", "sized", "titled"]

NARROW: Final = 420
"""Widths below which titles are broken into lines."""

# At the places of the colours (see the palette): fifo, codel, fq_codel and red, which are often compared, differ in
# lightness. Dashes and markers tell the rest apart.
GREYS: Final = ["#000000", "#7a7a7a", "#4d4d4d", "#999999", "#333333", "#8a8a8a", "#5e5e5e", "#b0b0b0"]

_SIZED: Final = 12.0
"""The size of the labels of axes in the themes."""
_LETTER: Final = 0.54
"""About the width of a letter, in parts of its size."""


def sized(themed: dict[str, Any], size: float) -> dict[str, Any]:
    """A theme with letters of another size: `size` points for the labels of axes, and all others in proportion."""
    factor = size / _SIZED
    return {
        key: sized(value, size)
        if isinstance(value, dict)
        else round(value * factor, 2)
        if key.lower().endswith("fontsize") or key in {"symbolSize", "titlePadding", "columnPadding"}
        else value
        for key, value in themed.items()
    }


def titled(spec: dict[str, Any], width: float, size: float, *, title: bool) -> dict[str, Any]:
    """A chart whose titles have room: in several lines where it is narrow. Without `title` its own is left out."""
    spec = dict(spec)
    if not title:
        spec.pop("title", None)
    elif width < NARROW and "title" in spec:
        spec["title"] = _broken_title(spec["title"], width, size)
    if width >= NARROW:
        return spec
    inner = spec["spec"] if isinstance(spec.get("spec"), dict) else spec
    across = inner.get("width", width)
    room = {"x": across - 50 if isinstance(across, int | float) else width - 50, "y": inner.get("height", 200)}
    broken: dict[str, Any] = _with_broken_axes(
        spec, {key: value for key, value in room.items() if _number(value)}, size
    )
    return broken


def column_wide(spec: dict[str, Any], themed: dict[str, Any], width: float) -> dict[str, Any]:
    """The chart with panels, made narrower or wider until the whole of it is as wide as the column."""
    if not any(map(_has_panels, spec.get("vconcat", [spec]))):
        return spec
    import vl_convert

    for _ in range(3):
        found = re.search(r'\bwidth="([\d.]+)"', vl_convert.vegalite_to_svg(spec, config=themed))
        over = float(found[1]) - width if found else 0.0
        if abs(over) < 1.0:
            break
        if "vconcat" in spec:
            spec = {**spec, "vconcat": [_narrowed(part, over) for part in spec["vconcat"]]}
        else:
            spec = _narrowed(spec, over)
    return spec


def _has_panels(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("spec"), dict) and _number(part["spec"].get("width"))


def _narrowed(part: dict[str, Any], by: float) -> dict[str, Any]:
    """Panels that together are narrower by `by`, but not narrower than they may be."""
    if not _has_panels(part):
        return part
    narrower = part["spec"]["width"] - by / max(part.get("columns", 1), 1)
    return {**part, "spec": {**part["spec"], "width": max(40, round(narrower))}}


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lines(text: str, room: float, size: float) -> list[str] | str:
    """The text in lines that are at most `room` points long."""
    lines = textwrap.wrap(text, max(int(room / (_LETTER * size)), 8), break_long_words=False)
    return lines if len(lines) > 1 else text


def _broken_title(title: Any, width: float, size: float) -> Any:
    if isinstance(title, str):
        return _lines(title, width - 16, size * 1.25)
    if not isinstance(title, dict):
        return title
    broken = dict(title)
    text = broken.get("text")
    if isinstance(text, str):
        broken["text"] = _lines(text, width - 16, size * 1.25)
    elif isinstance(text, dict) and "expr" in text:
        # The choice of a list beside the chart is behind a colon.
        broken["text"] = {"expr": f"split({text['expr']}, ': ')"}
    below = broken.get("subtitle")
    if below:
        parts = [below] if isinstance(below, str) else below
        broken["subtitle"] = [
            line for part in parts for line in textwrap.wrap(part, max(int((width - 16) / (_LETTER * size)), 8))
        ]
    return broken


def _with_broken_axes(node: Any, room: dict[str, float], size: float) -> Any:
    if isinstance(node, list):
        return [_with_broken_axes(one, room, size) for one in node]
    if not isinstance(node, dict):
        return node
    made = {
        key: value if key in {"data", "datasets"} else _with_broken_axes(value, room, size)
        for key, value in node.items()
    }
    encoding = made.get("encoding")
    if isinstance(encoding, dict):
        for channel, most in room.items():
            axis = encoding.get(channel)
            if isinstance(axis, dict) and isinstance(axis.get("title"), str):
                encoding[channel] = {**axis, "title": _lines(axis["title"], most, size)}
    return made
