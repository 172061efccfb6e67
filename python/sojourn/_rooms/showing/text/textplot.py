"""A law as a small plot of characters."""

from __future__ import annotations

import itertools
import math
import sys
from bisect import bisect_right
from collections.abc import Sequence

from ...runs.laws import Law
from .prose import wrapped

__all__ = ["plot_lines"]

# Cells of the plot; a braille character has two dots across and four down.
_COLUMNS, _ROWS = 60, 13
_ACROSS, _DOWN = 2, 4
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))

_Points = Sequence[tuple[float, float]]


def plot_lines(law: Law, indent: str = "  ") -> list[str]:
    """The law in at most 80 columns: the vertical axis, the curves, the horizontal axis, and the curves' names."""
    xs = [x for curve in law.curves for x, _ in curve.points]
    ys = [y for curve in law.curves for _, y in curve.points]
    left, right = min(xs), max(xs)
    bottom, top = _ends(min(ys), max(ys))
    cells = [[0] * _COLUMNS for _ in range(_ROWS)]
    for curve in law.curves:
        _draw(cells, [((x - left) / (right - left), (y - bottom) / (top - bottom)) for x, y in curve.points])
    grid = [[_character(dots) for dots in row] for row in cells]
    if len(law.curves) > 1:
        _number(grid, [curve.points for curve in law.curves], (left, right), (bottom, top))
    labels = {0: top, _ROWS // 2: (top + bottom) / 2, _ROWS - 1: bottom}
    edge = "\u2502" if _is_braille() else "|"
    lines = [f"{indent}{law.y}"]
    for row, characters in enumerate(grid):
        label = _figure(labels[row]) if row in labels else ""
        lines.append(f"{indent}{label:>9} {edge}{''.join(characters)}".rstrip())
    corner, line = ("\u2514", "\u2500") if _is_braille() else ("+", "-")
    lines.append(f"{indent}{'':>9} {corner}{line * _COLUMNS}")
    middle = _figure((left + right) / 2)
    scale = _figure(left).ljust((_COLUMNS - len(middle)) // 2) + middle
    lines.append(f"{indent}{'':>9}  {scale}{_figure(right):>{_COLUMNS - len(scale)}}".rstrip())
    lines.append(f"{indent}{'':>9}  {law.x!s:^{_COLUMNS}}".rstrip())
    if len(law.curves) > 1:
        lines += [f"{indent}{'':>9}  {number} {curve.name}" for number, curve in enumerate(law.curves, 1)]
    return lines + wrapped(law.about, indent)


def _figure(value: float) -> str:
    """Three digits; whole numbers of thousands as they are."""
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:.3g}"


def _is_braille() -> bool:
    """Whether the output's encoding can hold it."""
    try:
        "\u28ff\u2502".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _character(dots: int) -> str:
    if not dots:
        return " "
    return chr(0x2800 + dots) if _is_braille() else "*"


def _ends(low: float, high: float) -> tuple[float, float]:
    """Ends of the vertical axis: 0, or as far below it as above, and the next of 1, 2, 5 times a power of ten."""
    size = max(abs(low), abs(high)) or 1.0
    power = 10.0 ** math.floor(math.log10(size))
    top = next(step * power for step in (1, 2, 5, 10) if step * power >= size * (1 - 1e-9))
    return (-top if low < 0 else 0.0), (top if high > 0 else 0.0)


def _draw(cells: list[list[int]], points: _Points) -> None:
    """Sets the dots of a curve, whose points are parts of both axes, and those between two neighbours."""
    across, down = _COLUMNS * _ACROSS - 1, _ROWS * _DOWN - 1
    places = [(round(x * across), round((1 - y) * down)) for x, y in points]
    for (x, y), (to_x, to_y) in itertools.pairwise(places):
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        for step in range(steps + 1):
            column, row = round(x + (to_x - x) * step / steps), round(y + (to_y - y) * step / steps)
            cells[row // _DOWN][column // _ACROSS] |= _DOTS[row % _DOWN][column % _ACROSS]


def _number(
    grid: list[list[str]], curves: Sequence[_Points], across: tuple[float, float], down: tuple[float, float]
) -> None:
    """Writes each curve's number on it, where it is farthest from the others."""
    (left, right), (bottom, top) = across, down
    places = [left + (right - left) * (column + 0.5) / _COLUMNS for column in range(_COLUMNS)]
    heights = [[_at(points, x) for x in places] for points in curves]
    for index, mine in enumerate(heights):
        others = [heights[other] for other in range(len(heights)) if other != index]
        first, last = curves[index][0][0], curves[index][-1][0]
        own = [column for column in range(_COLUMNS) if first <= places[column] <= last] or [0]
        apart = {column: min(abs(mine[column] - other[column]) for other in others) for column in own}
        best = max(apart.values())
        near = [column for column in own if apart[column] >= best * 0.98]
        column = near[len(near) // 2]
        # Where curves lie upon each other every number has a place of its own.
        for place in [column, *sorted(own, key=lambda other: abs(other - column))]:
            row = round((top - mine[place]) / (top - bottom) * (_ROWS * _DOWN - 1)) // _DOWN
            if not grid[row][place].isdigit():
                grid[row][place] = str(index + 1)
                break


def _at(points: _Points, x: float) -> float:
    """The height of a curve at x, straight between its points."""
    place = bisect_right(points, x, key=lambda point: point[0])
    if place in (0, len(points)):
        return points[min(place, len(points) - 1)][1]
    (x0, y0), (x1, y1) = points[place - 1], points[place]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
