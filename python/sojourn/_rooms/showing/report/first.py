"""The first screen of a report: one answer, one picture, facts, and lines to paste.

A picture is rows of queues (:func:`rows_picture`), a chart (:meth:`.page.Report.figure`), or any other HTML. That of
rows is SVG whose text is never scaled: only positions stretch, in per cent of the width. It has no legend, as each row
begins with the queue's mark and name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from ..plots.palette import CATEGORY, SYMBOLS, colour_places
from .templates import render

__all__ = [
    "Action",
    "Dot",
    "Fact",
    "HeatRow",
    "Look",
    "Panel",
    "Row",
    "first_screen",
    "heat_picture",
    "looks",
    "picture",
    "rows_picture",
    "ticks",
]

_ROW = 36
"""The greatest height of a row in CSS pixels."""
_TIMES = 20.0
"""Numbers that span a greater factor have a logarithmic axis."""
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
    """A queue: its name, whether it is the one that the answer names, and its place in a ranking."""

    name: str
    is_named: bool = False
    place: str = ""


@dataclass(frozen=True)
class Dot:
    """A number with its interval, the texts beside it in columns, and whether it is hollow: a difference undecided."""

    value: float
    low: float
    high: float
    texts: Sequence[str]
    is_open: bool = False


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
    most
        The end of the axis for numbers far from the others, which have an arrow there.
    """

    title: str
    note: str
    dots: Sequence[Dot]
    ticks: Sequence[float]
    scale: Literal["linear", "log"] = "linear"
    most: float = math.inf

    @classmethod
    def of(cls, title: str, unit: str, better: str, dots: Sequence[Dot]) -> Panel:
        """With an axis from zero, or a logarithmic one if the numbers span more than a factor of 20."""
        known = [dot.value for dot in dots if math.isfinite(dot.value)]
        least, most = min(known, default=0.0), max(known, default=1.0)
        is_log = least > 0.0 and most > _TIMES * least
        note = f"{', '.join(filter(None, (unit, 'log scale' * is_log)))}; {better} is better".removeprefix("; ")
        if not is_log:
            return cls(title, note, dots, ticks(most, min(least, 0.0)))
        powers = range(math.floor(math.log10(least) + 0.3), math.ceil(math.log10(most) - 0.3) + 1)
        return cls(title, note, dots, [10.0**power for power in powers], "log")

    def at(self, value: float) -> str:
        """The position of a value, in per cent of the width."""
        ends = (end for dot in self.dots for end in (dot.value, dot.low, dot.high) if self._is_shown(end))
        known = [end for end in ends if abs(end) <= self.most]
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

    def is_beyond(self, dot: Dot) -> bool:
        """Whether it is too far from the others."""
        return abs(dot.value) > self.most

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
    picture: Markup, facts: Sequence[Fact], *, action: Action | None = None, fold: Fact | None = None
) -> Markup:
    """The screen below the headline, for :meth:`.page.Report.add_front`.

    Parameters
    ----------
    picture
        The picture with its title.
    facts
        Three columns: the price, the certainty, the assumptions.
    action
        The lines to paste.
    fold
        A text below them that is closed at first.
    """
    return render("first.html", picture=picture, facts=facts, action=action, fold=fold)


def picture(title: str, note: str, body: Markup) -> Markup:
    """A picture below the finding that it shows, and below its marks, intervals and runs."""
    return render("picture.html", title=title, note=note, body=body)


def rows_picture(title: str, note: str, rows: Sequence[Row], panels: Sequence[Panel]) -> Markup:
    """Queues, and measures beside each other. A narrow page shows the picture of the first panel alone."""
    shown = list(zip(rows, looks([row.name for row in rows]), strict=True))
    row = min(_ROW, max(23, 184 // len(rows)))
    body = render("rows.html", rows=shown, panels=panels, row=row, tick=lambda at: f"{at:g}".replace("-", "\u2212"))
    return picture(title, note, body)


@dataclass(frozen=True)
class HeatRow:
    """A row of a map: its place and name, texts of cells with shares from −1 (against) to 1 (for), and a number.

    The number has words, a value that is coloured by `sign`, and words behind it.
    """

    place: str
    name: str
    cells: Sequence[tuple[str, float]]
    words: str = ""
    value: str = ""
    behind: str = ""
    sign: float = 0.0


def heat_picture(
    title: str, note: str, columns: Sequence[str], rows: Sequence[HeatRow], last: HeatRow, aside: str
) -> Markup:
    """Questions down, queues across. A narrow page leaves out places and numbers."""
    heads = list(zip(columns, looks(columns), strict=True))
    return picture(title, note, render("heat.html", heads=heads, rows=rows, last=last, aside=aside))


@dataclass(frozen=True)
class Look:
    """The colour of a queue by its place in the palette, and the path of its mark."""

    colour: int
    path: str


def looks(queues: Sequence[str]) -> list[Look]:
    """The marks of queues."""
    colours = len(CATEGORY["light"])
    return [Look(at % colours, _PATHS[SYMBOLS[at % len(SYMBOLS)]]) for at in colour_places(queues)]


def ticks(most: float, least: float = 0.0) -> list[float]:
    """Zero, the half and the whole of a round number that is not below the greatest value; zero and two such ends."""
    size = 10.0 ** math.floor(math.log10(max(most, -least))) if max(most, -least) > 0.0 else 1.0
    whole = next(
        share * size for share in (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0) if share * size >= 0.98 * max(most, -least)
    )
    if least >= 0.0:
        return [0.0, whole / 2.0, whole]
    return [
        -whole / (1.0 if -least > whole / 2.0 else 2.0),
        0.0,
        *([whole / (1.0 if most > whole / 2.0 else 2.0)] if most > 0.0 else []),
    ]
