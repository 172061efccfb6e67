"""Drawings of figures: lines and points over an axis as SVG, whose letters keep their size however wide the page is.

Positions along the horizontal axis are shares of the width, heights are pixels. Colours are those of the page's style
(``figures.css``), so that one drawing is light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from textwrap import wrap

from markupsafe import Markup, escape

from ..own._classes import registered
from ..showing.plots.palette import colour_places

__all__ = ["Level", "Line", "Mark", "Plane", "Point", "drawn", "picture"]

_DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 5", "9 3 2 3 2 3", "14 3 4 3")
_SHAPES = (
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0",
    "M-3.3 -3.3h6.6v6.6h-6.6z",
    "M0 -4.4L4.2 3.2H-4.2z",
    "M0 -4.8L4.8 0L0 4.8L-4.8 0z",
    "M0 4.4L4.2 -3.2H-4.2z",
    "M4.4 0L-3.2 4.2V-4.2z",
    "M-4.4 0L3.2 4.2V-4.2z",
    "M0 -4.6L4.4 -1.4L2.7 3.7H-2.7L-4.4 -1.4z",
)
_CROSS = "M-4 -4l8 8m0 -8l-8 8"
_MOST_LETTERS = 17
"""Letters of a line beside the drawing."""
_STEP = 14.0
"""Height of a line of letters."""
_EDGE = 0.03
"""Part of the width on either side of the points."""
_MANY = 45
"""More points than these have no marks."""
_LEAST_SPAN = 0.05
"""Part of the greatest value on an axis: smaller differences are drawn small."""


@dataclass(frozen=True)
class Point:
    """A place of a line: its mean, the ends of its interval, the printed number, and our number in words."""

    x: float
    mean: float
    low: float = math.nan
    high: float = math.nan
    printed: float | None = None
    words: str = ""


@dataclass(frozen=True)
class Line:
    """Points with one name."""

    name: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Level:
    """A statement as a band: from `low` to `high`, where these are finite, and along a part of the axis."""

    low: float = -math.inf
    high: float = math.inf
    first: float = -math.inf
    last: float = math.inf
    letter: str = ""
    stated: float | None = None
    """The level that the work states, if it is within a band of ours."""


@dataclass(frozen=True)
class Mark:
    """A statement about a place of the axis."""

    x: float
    letter: str = ""


@dataclass(frozen=True)
class Plane:
    """A drawing.

    Attributes
    ----------
    title, unit
        Words above it: the quantity, and its unit.
    x
        The title of the horizontal axis.
    lines
        The lines, in the order of their colours.
    names
        The names of the places of an axis that has no numbers.
    levels, marks
        Statements of the work.
    straight
        Values with a dashed line across.
    joined
        Whether a line joins the points.
    colours, reach
        The place of each line in the list of colours, and values that the vertical axis shows, if other drawings have
        the same lines and the same scale.
    """

    title: str
    x: str
    lines: Sequence[Line]
    unit: str = ""
    names: Mapping[float, str] = field(default_factory=dict)
    levels: Sequence[Level] = ()
    marks: Sequence[Mark] = ()
    straight: Sequence[float] = ()
    joined: bool = True
    colours: Sequence[int] = ()
    reach: tuple[float, float] = (math.nan, math.nan)

    @property
    def places(self) -> list[float]:
        """The places along the axis."""
        return sorted({point.x for line in self.lines for point in line.points})


def places_of(names: Sequence[str]) -> list[int]:
    """The places of lines in the list of colours: a queue has its own."""
    # A line may be a sender or a setting: a name that is not shipped need not be a queue.
    plain = [name.lower().replace("-", "_").replace("*", "").strip() for name in names]
    return colour_places(plain, own=registered())


def drawn(plane: Plane, height: int = 260) -> Markup:
    """The drawing with its title and the title of its axis."""
    body, left, right = _body(plane, height)
    unit = f' <span class="unit">{escape(plane.unit)}</span>' if plane.unit else ""
    label = escape(f"{plane.title} against {plane.x}")
    signs = "".join(
        '<span class="sign"><svg width="12" height="15" viewBox="-6 -7.5 12 15" aria-hidden="true">'
        f"{sign}</svg> {words}</span>"
        for sign, words in _signs(plane)
    )
    return Markup(  # noqa: S704 - made here, and names are escaped
        f'<figure class="plane"><figcaption><b>{escape(plane.title)}</b>{unit} {signs}</figcaption>'
        f'<div class="area" style="padding:8px {right:.0f}px 24px {left:.0f}px">'
        f'<svg width="100%" height="{height}" role="img" aria-label="{label}">{body}</svg></div>'
        f'<p class="along">{escape(plane.x)}</p></figure>'
    )


def _signs(plane: Plane) -> Iterator[tuple[str, str]]:
    """The signs whose meaning no letter says, and their meaning."""
    if any(point.printed is not None for line in plane.lines for point in line.points):
        yield f'<path class="printed" d="{_CROSS}"/>', "printed"
    if any(not mark.letter for mark in plane.marks):
        yield '<path class="bound" d="M0 -7.5v15"/>', "where the work has a knee"


def _body(plane: Plane, height: int) -> tuple[str, float, float]:
    """The drawing within its axes, and the room that it needs on its left and on its right."""
    across, up = _Across(plane), _Up(plane, height)
    colours = plane.colours or places_of([line.name for line in plane.lines])
    beside = _beside(plane, up)
    right = 16 + max((7.0 * len(part) + 16 for _, parts in beside.values() for part in parts), default=0.0)
    parts = [
        *_grid(across, up),
        *_levels(plane, across, up),
        *(_line(plane, place, colours[place], across, up) for place in range(len(plane.lines))),
        *(_label(place, colours[place], y, parts) for place, (y, parts) in beside.items()),
    ]
    return "".join(parts), up.left, right


def picture(planes: Sequence[Plane], style: str, *, wide: int = 760, height: int = 250) -> str:
    """Drawings below each other as one file of SVG, with its style in it."""
    parts, y = [], 0
    for plane in planes:
        body, left, right = _body(plane, height)
        unit = f" ({plane.unit})" if plane.unit else ""
        at = float(wide)
        for sign, words in _signs(plane):
            at -= 7.0 * len(words) + 24.0
            parts.append(
                f'<svg x="{at:.0f}" y="{y + 12}" overflow="visible">{sign}<text x="9" y="4">{words}</text></svg>'
            )
        inner, middle = wide - left - right, (wide + left - right) / 2
        parts += [
            f'<text x="0" y="{y + 16}" class="head">{escape(plane.title)}{escape(unit)}</text>',
            f'<svg x="{left:.0f}" y="{y + 30}" width="{inner:.0f}" height="{height}" overflow="visible">{body}</svg>',
            f'<text x="{middle:.0f}" y="{y + height + 68}" class="tick middle">{escape(plane.x)}</text>',
        ]
        y += height + 90
    label = escape("; ".join(f"{plane.title} against {plane.x}" for plane in planes))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plane" viewBox="0 0 {wide} {y}" width="{wide}" height="{y}" '
        f'role="img" aria-label="{label}"><style>{style}</style>{"".join(parts)}</svg>\n'
    )


class _Across:
    """The horizontal axis: linear, or logarithmic where points are of several sizes."""

    def __init__(self, plane: Plane) -> None:
        places = plane.places or [0.0, 1.0]
        self.log = not plane.names and len(places) < _MANY and places[0] > 0.0 and places[-1] >= 50.0 * places[0]
        self.first, self.last = self._of(places[0]), self._of(places[-1])
        if self.first == self.last:
            self.first, self.last = self.first - 1.0, self.last + 1.0
        self.edge = 0.5 / max(len(places), 1) if plane.names else 0.0 if len(places) > _MANY else _EDGE
        if plane.names:
            self.ticks = {at: plane.names.get(at, "") for at in places}
        elif plane.joined and (len(places) <= 7 or self.log):
            self.ticks = {at: _words(at) for at in self._apart(places)}
        else:
            self.ticks = {at: _words(at) for at in nice(places[0], places[-1], 6) if places[0] <= at <= places[-1]}

    def _of(self, x: float) -> float:
        return math.log(x) if self.log else x

    def _apart(self, places: Sequence[float]) -> Iterator[float]:
        """The places whose numbers do not touch."""
        before = -math.inf
        for at in places:
            if self.at(at) - before >= 5.5 + 0.8 * len(_words(at)):
                before = self.at(at)
                yield at

    def at(self, x: float) -> float:
        """In per cent of the width; a place beyond an end is there."""
        if x == -math.inf or (self.log and x <= 0.0):
            return 0.0
        if x == math.inf:
            return 100.0
        share = (self._of(x) - self.first) / (self.last - self.first)
        return min(max(100.0 * (self.edge + (1.0 - 2.0 * self.edge) * share), 0.0), 100.0)


class _Up:
    """The vertical axis."""

    def __init__(self, plane: Plane, height: int) -> None:
        self.height = height
        least, most = _span(plane)
        self.ticks = nice(least, most, 5 if height > 200 else 4)
        self.least, self.most = min(least, self.ticks[0]), max(most, self.ticks[-1])
        self.left = 14.0 + 7.0 * max(len(_words(one)) for one in self.ticks)

    def at(self, value: float) -> float:
        """In pixels from above."""
        inside = min(max(value, self.least), self.most)
        return self.height * (1.0 - (inside - self.least) / (self.most - self.least))


def _span(plane: Plane) -> tuple[float, float]:
    """The ends of the vertical axis: from zero where that costs little room, and not filled with noise."""
    values = [
        value
        for line in plane.lines
        for point in line.points
        for value in (point.mean, point.low, point.high, point.printed)
        if value is not None and math.isfinite(value)
    ]
    values += [value for value in plane.reach if math.isfinite(value)]
    least, most = (min(values), max(values)) if values else (0.0, 1.0)
    reach = max(most - least, _LEAST_SPAN * max(abs(least), abs(most)))
    # A bound far away from all numbers does not press them together.
    near = [
        value
        for level in plane.levels
        for value in (level.low, level.high, level.stated)
        if value is not None and least - 1.5 * reach <= value <= most + 1.5 * reach
    ]
    near += [value for value in plane.straight if least - 1.5 * reach <= value <= most + 1.5 * reach]
    least, most = min([least, *near]), max([most, *near])
    if 0.0 < least < 0.45 * most:
        least = 0.0
    if (missing := _LEAST_SPAN * max(abs(least), abs(most)) - (most - least)) > 0.0:
        least, most = least - missing / 2.0, most + missing / 2.0
        if plane.unit == "%" and most > 100.0 >= max(values, default=0.0):
            least, most = least - (most - 100.0), 100.0
    return (least, most) if most > least else (least - 0.5, most + 0.5)


def nice(least: float, most: float, about: int) -> list[float]:
    """Round numbers from one end to the other, about so many.

    >>> nice(0.0, 9.3, 5), nice(92.0, 100.0, 4)
    ([0.0, 2.5, 5.0, 7.5, 10.0], [90.0, 95.0, 100.0])
    """
    rough = (most - least) / max(about - 1, 1) or 1.0
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(one * size for one in (1.0, 2.0, 2.5, 5.0, 10.0) if one * size >= 0.999 * rough)
    first = math.floor(least / step + 1e-9)
    last = math.ceil(most / step - 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def _words(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}".replace(",", "\u202f")


def _grid(across: _Across, up: _Up) -> Iterator[str]:
    for tick in up.ticks:
        y = up.at(tick)
        yield f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="tick end" x="0" dx="-7" y="{y + 4:.1f}">{_words(tick)}</text>'
    for tick, name in across.ticks.items():
        yield f'<text class="tick middle" x="{across.at(tick):.2f}%" y="{up.height + 18}">{escape(name)}</text>'


def _levels(plane: Plane, across: _Across, up: _Up) -> Iterator[str]:
    """Bands and lines of statements, below the lines of runs; each has its letter at its left."""
    for value in plane.straight:
        if up.least <= value <= up.most:
            yield f'<line class="stated" x1="0" x2="100%" y1="{up.at(value):.1f}" y2="{up.at(value):.1f}"/>'
    taken: list[tuple[float, float]] = []
    for level in plane.levels:
        left, right = across.at(level.first), across.at(level.last)
        # A statement about one place has some width.
        left, right = (left - 2.5, right + 2.5) if right - left < 5.0 else (left, right)
        top, bottom = up.at(level.high), up.at(level.low)
        yield (
            f'<rect class="level" x="{left:.2f}%" width="{right - left:.2f}%" y="{top:.1f}" '
            f'height="{max(bottom - top, 1.0):.1f}"/>'
        )
        for bound in (level.low, level.high):
            if math.isfinite(bound) and up.least <= bound <= up.most:
                y = up.at(bound)
                yield f'<line class="bound" x1="{left:.2f}%" x2="{right:.2f}%" y1="{y:.1f}" y2="{y:.1f}"/>'
        if level.stated is not None and up.least <= level.stated <= up.most:
            y = up.at(level.stated)
            yield f'<line class="stated" x1="{left:.2f}%" x2="{right:.2f}%" y1="{y:.1f}" y2="{y:.1f}"/>'
        if level.letter:
            y = (bottom - 5.0) if math.isfinite(level.low) and not math.isfinite(level.high) else top + 13.0
            y = min(max(y, 12.0), up.height - 4.0)
            while any(abs(left - other) < 3.0 and abs(y - at) < 12.0 for other, at in taken):
                y += 13.0
            taken.append((left, y))
            yield f'<text class="letter" x="{left:.2f}%" dx="4" y="{y:.1f}">{level.letter}</text>'
    for mark in plane.marks:
        x = across.at(mark.x)
        yield f'<line class="bound" x1="{x:.2f}%" x2="{x:.2f}%" y1="0" y2="{up.height}"/>'
        yield f'<text class="letter" x="{x:.2f}%" dx="4" y="12">{mark.letter}</text>'


def _line(plane: Plane, place: int, colour: int, across: _Across, up: _Up) -> str:
    """A line with its marks, their intervals and the crosses of printed numbers."""
    line = plane.lines[place]
    many = len(line.points) > _MANY
    parts = []
    if plane.joined and len(line.points) > 1 and not plane.names:
        dash = _DASHES[place % len(_DASHES)] if len(plane.lines) > 1 and not many else ""
        parts.append(
            f'<svg width="100%" height="{up.height}" viewBox="0 0 1000 {up.height}" preserveAspectRatio="none">'
            f'<path class="curve{" thin" if many else ""}" d="{_path(line.points, across, up)}" '
            f'stroke-dasharray="{dash}" vector-effect="non-scaling-stroke"/></svg>'
        )
    shape = _SHAPES[place % len(_SHAPES)]
    # Lines over an axis of names are beside each other.
    shift = (place - (len(plane.lines) - 1) / 2.0) * 9.0 if plane.names else 0.0
    for point in line.points if not (many and plane.joined) else ():
        x = f"{across.at(point.x):.2f}%"
        inner = []
        if math.isfinite(point.low) and math.isfinite(point.high) and up.at(point.low) - up.at(point.high) > 1.0:
            low, high = up.at(point.low), up.at(point.high)
            inner.append(f'<path class="interval" d="M0 {low:.1f}V{high:.1f}"/>')
        if math.isfinite(point.mean):
            size = "" if plane.joined or not many else " scale(.5)"
            inner.append(f'<path class="mark" transform="translate(0 {up.at(point.mean):.1f}){size}" d="{shape}"/>')
        if point.printed is not None and math.isfinite(point.printed):
            inner.append(f'<path class="printed" transform="translate(0 {up.at(point.printed):.1f})" d="{_CROSS}"/>')
        words = f"<title>{escape(point.words)}</title>" if point.words else ""
        moved = f' transform="translate({shift:.1f})"' if shift else ""
        parts.append(f'<svg x="{x}" overflow="visible"><g{moved}>{words}{"".join(inner)}</g></svg>')
    return f'<g class="c{colour}">{"".join(parts)}</g>'


def _path(points: Sequence[Point], across: _Across, up: _Up) -> str:
    """The course of a line, with gaps where there is no number."""
    text, begun = [], False
    for point in points:
        if not math.isfinite(point.mean):
            begun = False
            continue
        text.append(f"{'L' if begun else 'M'}{10.0 * across.at(point.x):.0f} {up.at(point.mean):.1f}")
        begun = True
    return "".join(text)


def _beside(plane: Plane, up: _Up) -> dict[int, tuple[float, list[str]]]:
    """The height and the words of the name of each line, at its end and below each other."""
    if not any(line.name for line in plane.lines):
        return {}
    wanted: list[tuple[float, int, list[str]]] = []
    for place, line in enumerate(plane.lines):
        ends = [point.mean for point in line.points if math.isfinite(point.mean)]
        parts = wrap(line.name, _MOST_LETTERS, break_long_words=False, break_on_hyphens=False) or [""]
        if ends:
            wanted.append((up.at(ends[-1]), place, parts))
    wanted.sort()
    heights = [y for y, _, _ in wanted]
    sizes = [_STEP * len(parts) for _, _, parts in wanted]
    # Names push each other down, and then those at the bottom up again.
    for before, after in pairwise(range(len(wanted))):
        heights[after] = max(heights[after], heights[before] + sizes[before])
    bottom = up.height + _STEP
    for at in reversed(range(len(wanted))):
        heights[at] = min(heights[at], bottom - sizes[at])
        bottom = heights[at]
    return {place: (heights[at], parts) for at, (_, place, parts) in enumerate(wanted)}


def _label(place: int, colour: int, y: float, parts: Sequence[str]) -> str:
    rows = "".join(
        f'<text class="name" x="20" y="{4 + _STEP * at:.0f}">{escape(part)}</text>' for at, part in enumerate(parts)
    )
    mark = f'<path class="mark" transform="translate(12 0)" d="{_SHAPES[place % len(_SHAPES)]}"/>'
    return f'<svg class="c{colour}" x="100%" y="{y:.1f}" overflow="visible">{mark}{rows}</svg>'
