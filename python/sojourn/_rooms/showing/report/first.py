"""The first screen of a report: one answer, one picture with a row for each queue, facts, and lines to paste.

The picture is SVG whose text is never scaled: only positions stretch, in per cent of the width. It has no legend, as
each row begins with the queue's mark and name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from ..plots.palette import CATEGORY, SYMBOLS, colour_places
from .templates import render

__all__ = ["Action", "Dot", "Fact", "Panel", "Row", "first_screen"]

_ROW = 23
"""Height of a row in CSS pixels."""
_PATHS = {
    "circle": "M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0Z",
    "square": "M-4.4-4.4H4.4V4.4H-4.4Z",
    "triangle-up": "M0-5.4L5.4 4.4H-5.4Z",
    "diamond": "M0-6.2L5.2 0L0 6.2L-5.2 0Z",
    "cross": "M-1.7-5.4H1.7V-1.7H5.4V1.7H1.7V5.4H-1.7V1.7H-5.4V-1.7H-1.7Z",
    "triangle-down": "M0 5.4L5.4-4.4H-5.4Z",
    "triangle-right": "M5.4 0L-4.4-5.4V5.4Z",
}


@dataclass(frozen=True)
class Row:
    """A queue: its place, its name, and whether it is the one that the answer names."""

    place: str
    name: str
    is_named: bool = False


@dataclass(frozen=True)
class Dot:
    """A number with its interval, and the texts beside it, in columns."""

    value: float
    low: float
    high: float
    texts: Sequence[str]


@dataclass(frozen=True)
class Panel:
    """A measure.

    Attributes
    ----------
    title, note
        The measure; its unit and the better direction.
    dots
        One for each row.
    ticks
        Marks of the axis; the first and the last are its ends, unless a number lies beyond.
    scale
        Of the axis.
    """

    title: str
    note: str
    dots: Sequence[Dot]
    ticks: Sequence[float]
    scale: Literal["linear", "log"] = "linear"

    def at(self, value: float) -> str:
        """The position of a value, in per cent of the width."""
        known = [end for dot in self.dots for end in (dot.value, dot.low, dot.high) if self._is_shown(end)]
        least, most = (self._on(end) for end in (min([*known, *self.ticks]), max([*known, *self.ticks])))
        share = (self._on(value) - least) / (most - least) if most > least else 0.5
        return f"{4.0 + 92.0 * min(max(share, 0.0), 1.0):.2f}%"

    def is_shown(self, dot: Dot) -> bool:
        """Whether it has a place on the axis."""
        return self._is_shown(dot.value)

    def ends(self, dot: Dot) -> tuple[str, str]:
        """The interval's ends; those beyond a logarithmic axis are at its end."""
        if not (math.isfinite(dot.low) and math.isfinite(dot.high)):
            return self.at(dot.value), self.at(dot.value)
        low = max(dot.low, 1e-9) if self.scale == "log" else dot.low
        return self.at(low), self.at(dot.high)

    def _is_shown(self, value: float) -> bool:
        return math.isfinite(value) and (value > 0.0 or self.scale == "linear")

    def _on(self, value: float) -> float:
        return math.log10(value) if self.scale == "log" else value


@dataclass(frozen=True)
class Action:
    """Lines to paste: a heading, a sentence, the lines, sentences behind them, and further blocks with headings."""

    heading: str
    text: str
    lines: Sequence[str]
    behind: Sequence[str] = ()
    others: Sequence[tuple[str, Sequence[str]]] = ()


@dataclass(frozen=True)
class Fact:
    """A heading and a sentence or two."""

    heading: str
    text: str


def first_screen(
    *,
    title: str,
    note: str,
    rows: Sequence[Row],
    panels: Sequence[Panel],
    action: Action | None,
    facts: Sequence[Fact],
    fold: Fact,
) -> Markup:
    """The screen below the headline, for :meth:`.page.Report.add_front`.

    Parameters
    ----------
    title, note
        The finding that the picture shows; its marks, intervals and runs.
    rows, panels
        Queues, and the measures beside each other. A narrow page shows the first panel.
    action
        The lines to paste.
    facts
        Three columns.
    fold
        A text below them that is closed at first.
    """
    names = [row.name for row in rows]
    colours = len(CATEGORY["light"])
    marks = [{"colour": at % colours, "path": _PATHS[SYMBOLS[at % len(SYMBOLS)]]} for at in colour_places(names)]
    return render(
        "first.html",
        title=title,
        note=note,
        rows=list(zip(rows, marks, strict=True)),
        panels=panels,
        action=action,
        facts=facts,
        fold=fold,
        row=_ROW,
        tick=lambda value: f"{value:g}",
    )
