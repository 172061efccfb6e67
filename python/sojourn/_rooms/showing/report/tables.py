"""Tables as HTML: numbers with as many digits as the interval bears, units in the headers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

import polars as pl

from ...catalogue.columns import Measure, lower_is_better, measure
from ...statistics.intervals import is_cut
from ..plots.palette import CATEGORY, colour_places

_DASH: Final = '<span class="none" aria-label="no value">–</span>'
_ROWS: Final = 500
_FEW_COLUMNS = 6
"""Columns that fit beside each other with their intervals in one line."""
_INTERVAL = re.compile(r"[ \u00a0]((?:±|\[).*)")


def number(value: float | None, decimals: int | None = None) -> str:
    r"""Format a number for people: four significant digits, or `decimals` decimals; thin spaces between thousands.

    >>> number(12.34567), number(-0.0001234), number(1234567.0)
    ('12.35', '−0.0001234', '1\u202f234\u202f567')
    """
    if value is None or not math.isfinite(value):
        return _DASH
    if decimals is None:
        decimals = 3 - math.floor(math.log10(abs(value))) if value else 0
        text = f"{value:,.{min(max(decimals, 0), 12)}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{value:,.{max(decimals, 0)}f}"
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return text.replace(",", "\u202f").replace("-", "\u2212")


def of_texts(header: Sequence[str], rows: Sequence[Sequence[str]]) -> pl.DataFrame:
    """A table whose cells are texts."""
    columns = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    return pl.DataFrame(columns, schema=dict.fromkeys(header, pl.String))


def plain_number(value: float) -> str:
    """Three significant digits, for prose."""
    decimals = 2 - math.floor(math.log10(abs(value))) if value else 0
    return number(round(value, decimals), max(decimals, 0))


def interval_cell(
    value: float | None, low: float | None, high: float | None, *, signed: bool = False, places: int = 0
) -> str:
    """A mean with its interval: two digits of the interval's half width, and the mean to the same place.

    A symmetric interval is shown as ±, another one by its bounds. `places` is the most decimals of the column: a mean
    with fewer gets blanks of a digit's width, so that the points are below each other.
    """
    mean, half = _figures(value, low, high, signed=signed)
    if not mean:
        return _DASH
    shown = f'<span class="v">{_padded(mean, places)}</span>'
    if not half:
        return shown
    return f"{shown} <i>{_padded(half, places) if half.startswith('±') else half}</i>"


def _figures(value: float | None, low: float | None, high: float | None, *, signed: bool) -> tuple[str, str]:
    """The mean and its interval, as texts; empty where there is none."""
    if value is None or not math.isfinite(value):
        return "", ""
    sign = "+" if signed and value > 0 else ""
    half = (high - low) / 2 if low is not None and high is not None else math.nan
    if not (math.isfinite(half) and half > 0):
        # One run, or equal runs, have no interval.
        return sign + number(value), ""
    assert low is not None and high is not None  # noqa: S101, PT018 - `half` is finite
    decimals = _decimals(half)
    if not is_cut(value, low, high):
        decimals = _no_more(decimals, value, half)
        return sign + number(value, decimals), f"±\u202f{number(half, decimals)}"
    return sign + number(value, decimals), f"[{number(low, decimals) if low else '0'}, {number(high, decimals)}]"


def _no_more(decimals: int, value: float, half: float) -> int:
    """One figure of the interval where two would make more than six of the mean."""
    six = 5 - math.floor(math.log10(abs(value))) if value else decimals
    return max(min(decimals, six), min(decimals, -math.floor(math.log10(half))))


def _places(text: str) -> int:
    return len(text.rpartition(".")[2]) if "." in text else 0


def _padded(text: str, places: int) -> str:
    """The text with blanks for the digits, and for the point, that it lacks."""
    missing = places - _places(text)
    if missing <= 0:
        return text
    return text + ("" if "." in text else "\u2008") + "\u2007" * missing


def interval_table(frame: pl.DataFrame, value: str, queues: Sequence[str], *, signed: bool = False) -> str:
    """Queues down, metrics across, from the long frame (queue, metric, `value`, low, high).

    `queues` are all queues of the report, in its order: their names give their colours.
    """
    metrics = frame["metric"].unique(maintain_order=True).to_list() if frame.height else []
    if not metrics:
        return '<p class="empty">No metric has a value.</p>'
    shown = {name: _scale(frame.filter(pl.col("metric") == name), name, value) for name in metrics}
    cells = {(row["queue"], row["metric"]): row for row in frame.iter_rows(named=True)}
    widest = dict.fromkeys(metrics, 0)
    for (_, name), known in cells.items():
        ends = _scaled(known, value, shown[name].factor)
        widest[name] = max(widest[name], *map(_places, _figures(*ends, signed=signed)))
    head = "".join(f'<th scope="col" class="n">{_header(shown[name], name)}</th>' for name in metrics)
    body = []
    present = set(frame["queue"])
    for place, queue in zip(colour_places(queues), queues, strict=True):
        if queue not in present:
            continue
        row = []
        for name in metrics:
            cell = cells.get((queue, name))
            row.append(_cell(cell, value, shown[name].factor, signed=signed, places=widest[name]))
        mark = _key(place)
        body.append(f'<tr><th scope="row">{mark}{escape(queue)}</th>{"".join(row)}</tr>')
    return (
        '<div class="scroll" tabindex="0"><table class="matrix">'
        f'<thead><tr><th scope="col">Queue</th>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _key(place: int) -> str:
    """A square in a queue's colour."""
    return f'<i class="key k{place % len(CATEGORY["light"])}" aria-hidden="true"></i>'


def metric_table(frame: pl.DataFrame, value: str, queues: Sequence[str]) -> str:
    """Metrics down, queues across: for more metrics than fit side by side."""
    metrics = frame["metric"].unique(maintain_order=True).to_list() if frame.height else []
    if not metrics:
        return '<p class="empty">No metric has a value.</p>'
    cells = {(row["queue"], row["metric"]): row for row in frame.iter_rows(named=True)}
    head = "".join(
        f'<th scope="col" class="n">{_key(place)}{escape(queue)}</th>'
        for place, queue in zip(colour_places(queues), queues, strict=True)
    )
    body = []
    for name in metrics:
        shown = _scale(frame.filter(pl.col("metric") == name), name, value)
        row = "".join(_cell(cells.get((queue, name)), value, shown.factor, signed=False) for queue in queues)
        body.append(f'<tr><th scope="row">{_header(shown, name)}</th>{row}</tr>')
    return (
        '<div class="scroll" tabindex="0"><table class="matrix">'
        f'<thead><tr><th scope="col">Metric</th>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def frame_table(frame: pl.DataFrame, *, stacked: bool = False, keys: Sequence[str] | Mapping[str, str] = ()) -> str:
    """Any frame; columns with a unit in their name get it into the header, and those of `keys` have none.

    Columns of `keys` keep their names, or have those of a mapping.

    With `stacked` a narrow page shows each row as a list of its cells with their headers.
    """
    if frame.is_empty():
        return '<p class="empty">This table has no rows.</p>'
    shown = {
        name: measure(name, frame[name].cast(pl.Float64).to_list()) if kind.is_numeric() else measure(name)
        for name, kind in frame.schema.items()
    }
    called = keys if isinstance(keys, Mapping) else {name: name for name in keys}
    shown |= {name: Measure(text, "", 1.0) for name, text in called.items()}
    numeric = {name: kind.is_numeric() for name, kind in frame.schema.items()}
    head = "".join(
        f'<th scope="col"{" class=n" if numeric[name] else ""}>{_header(shown[name])}</th>' for name in frame.columns
    )
    body = []
    # With many columns an interval is below its mean, which halves the width.
    many = not stacked and len(frame.columns) > _FEW_COLUMNS
    for row in frame.head(_ROWS).iter_rows(named=True):
        cells = []
        for place, (name, value) in enumerate(row.items()):
            text = _plain(value, shown[name].factor if numeric[name] else None)
            text = _INTERVAL.sub(r"<i>\1</i>", text) if many and place > 0 else text
            kind = ' class="n"' if numeric[name] else ""
            # A word that names a row needs no header, a number does.
            needed = stacked and (place > 0 or text[:1].isdigit())
            kind += f' data-label="{escape(shown[name].title)}"' if needed else ""
            cells.append(f'<th scope="row"{kind}>{text}</th>' if place == 0 else f"<td{kind}>{text}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    more = f'<p class="note">First {_ROWS} of {frame.height} rows.</p>' if frame.height > _ROWS else ""
    layout = ' class="stack cells"' if stacked else ' class="many"' if many else ""
    return (
        f'<div class="scroll" tabindex="0"><table{layout}><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>{more}"
    )


def _scale(rows: pl.DataFrame, name: str, value: str) -> Measure:
    columns = (rows[one].cast(pl.Float64) for one in (value, "low", "high"))
    found = measure(name, [number for column in columns for number in column])
    return found.of_differences if value == "difference" else found


def _scaled(cell: dict[str, Any], value: str, factor: float) -> tuple[float | None, float | None, float | None]:
    mean, low, high = (None if cell[name] is None else cell[name] * factor for name in (value, "low", "high"))
    return mean, low, high


def _cell(cell: dict[str, Any] | None, value: str, factor: float, *, signed: bool, places: int = 0) -> str:
    if cell is None:
        return f'<td class="n">{_DASH}</td>'
    mean, low, high = _scaled(cell, value, factor)
    text = interval_cell(mean, low, high, signed=signed, places=places)
    kind = "n"
    if signed and low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        # An interval of no width bounds nothing.
        decided = low < high and (low > 0 or high < 0)
        kind = "n decided" if decided else "n open"
        text += "" if decided else '<span class="sr">, not decided</span>'
    return f'<td class="{kind}">{text}</td>'


def _header(shown: Measure, metric: str = "") -> str:
    unit = f' <span class="unit">{escape(shown.unit)}</span>' if shown.unit else ""
    # An arrow alone on a line would seem to belong to the number below it.
    return escape(shown.label) + unit + _direction(metric).replace(" ", "\N{NO-BREAK SPACE}", 1)


def _direction(metric: str) -> str:
    less = lower_is_better(metric)
    if less is None:
        return ""
    arrow, word = ("↓", "less") if less else ("↑", "more")
    spoken = f'<span aria-hidden="true">{arrow}</span><span class="sr">, {word} is better</span>'
    return f' <span class="unit" title="{word} is better">{spoken}</span>'


def _plain(value: object, factor: float | None) -> str:
    if value is None:
        return _DASH
    if factor is not None and isinstance(value, int | float):
        if isinstance(value, int) and factor == 1.0:
            return number(float(value), 0)
        return number(value * factor)
    return escape(str(value))


def _decimals(half: float) -> int:
    """Decimals that show two significant digits of a positive number."""
    return min(max(1 - math.floor(math.log10(half)), 0), 12)
