"""Colours, markers and the two themes.

Charts carry no colour of their own: a queue's colour and marker follow from its name, and the theme gives the list of
colours. So one chart is drawn light and dark, and a queue looks the same in every plot of every report. A queue of a
user has colours that no shipped queue has.
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Sequence
from typing import Any, Final, Literal

Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, Theme]] = ("light", "dark")

# Okabe and Ito, "Color Universal Design", 2008, without yellow and black, which vanish on white and on dark ground;
# violet and grey take their places. The dark list has the same hues, lightened to a contrast of at least 4.5 to 1.
_HUES: Final[dict[Theme, list[str]]] = {
    "light": ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6F4A9E", "#767676"],
    "dark": ["#4FA3E0", "#F07F3C", "#2CC69B", "#E7A3CB", "#F2B632", "#A6D8F5", "#AE93E6", "#ABABAB"],
}


def _shade(colour: str, towards: int) -> str:
    """A colour nearly half the way to a grey level: of the same hue, but distinguishable from it."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(0.55 * part + 0.45 * towards):02X}" for part in parts)


COLOURS: Final = len(_HUES["light"])
"""Colours of shipped queues, without their shades."""

_OWN: Final[dict[Theme, list[str]]] = {
    "light": ["#A3123A", "#6600FF", "#3A1E00", "#1F1FA8"],
    "dark": ["#E8536A", "#F53DB8", "#F4F53A", "#5C7CFF"],
}
"""Colours of queues of users, far from all others, for eyes that lack a cone, too."""

CATEGORY: Final[dict[Theme, list[str]]] = {
    # Away from the ground, so that the contrast does not fall.
    "light": [*_HUES["light"], *(_shade(colour, 0) for colour in _HUES["light"]), *_OWN["light"]],
    "dark": [*_HUES["dark"], *(_shade(colour, 255) for colour in _HUES["dark"]), *_OWN["dark"]],
}
"""Colours of eight queues, shades of them for eight more, and colours of queues of users."""

# Places in the list of colours, of well-known queues first: of two that want the same place, the first here has it. The
# place of another name follows from it.
HOMES: Final[dict[str, int]] = {
    "fifo": 7,
    "droptail": 7,
    "modem": 7,
    "pfifo": 7,
    "red": 1,
    "codel": 0,
    "fq_codel": 2,
    "pie": 3,
    "cake": 6,
    "ared": 4,
    "sfq": 5,
    "pi": 3,
    "blue": 5,
    "sfb": 6,
    "fq_pie": 5,
    "dualpi2": 4,
    "pi2": 5,
    "drr": 6,
    "choke": 5,
    "rem": 6,
    "avq": 2,
    "hybrid_red": 0,
    "lpf_oda": 2,
    "psand": 0,
    "fared": 2,
    "cared": 0,
    "re_ared": 3,
    "black": 0,
    "afc": 2,
    "care": 3,
    "red_worcester": 0,
    "red_boston": 2,
    "nlred": 5,
    "sred": 6,
    "rio": 3,
    "fred": 2,
    "xcp": 6,
    "decbit": 4,
    "run": 0,  # One run without a name.
}
_RANKS: Final = {name: rank for rank, name in enumerate(HOMES)}


def colour_places(queues: Sequence[str], *, own: Container[str] | None = None) -> list[int]:
    """The place of each queue in the list of colours, counted on where there are more queues than colours.

    A queue has its own place in every report. If several queues of a report want the same one, the best known of them
    has it, and the others take the next that no other queue wants. Queues of users have four reserved places, in their
    order; more of them take what is free. `own` are their names; without it, all that are not shipped.

    >>> colour_places(["fifo", "red", "red:min_th=5p"])
    [7, 1, 2]
    >>> colour_places(["mine", "pi", "fq_codel target 3ms", "pie"])
    [16, 4, 2, 3]
    """
    kinds = [_kind(queue) for queue in queues]
    shipped = _shipped() if own is None else frozenset()
    found: dict[int, int] = {}
    for at, kind in enumerate(kinds):
        if (kind in own if own is not None else kind not in shipped) and len(found) < len(_OWN["light"]):
            found[at] = 2 * COLOURS + len(found)
    rest = [at for at in range(len(queues)) if at not in found]
    for block in range(0, len(rest), COLOURS):
        # Hues, then shades; from the third block on the list goes round, behind the reserved ones.
        first = block % (2 * COLOURS) + block // (2 * COLOURS) * len(CATEGORY["light"])
        places = _in_block([kinds[at] for at in rest[block : block + COLOURS]])
        found |= {at: first + place for at, place in zip(rest[block:], places, strict=False)}
    return [found[at] for at in range(len(queues))]


def _in_block(kinds: Sequence[str]) -> list[int]:
    """The places of at most eight queues."""
    found: dict[int, int] = {}
    order = sorted(range(len(kinds)), key=lambda at: (_RANKS.get(kinds[at], len(_RANKS)), at))
    for at in order:
        home = HOMES.get(kinds[at])
        if home is not None and home not in found.values():
            found[at] = home
    for at in order:
        if at not in found:
            home = HOMES.get(kinds[at], zlib.crc32(kinds[at].encode()) % COLOURS)
            found[at] = next(one for step in range(COLOURS) if (one := (home + step) % COLOURS) not in found.values())
    return [found[at] for at in range(len(kinds))]


def _shipped() -> frozenset[str]:
    """Names of queues that come with Sojourn, and of those of tc."""
    # The laboratory takes the lists of this file alone.
    from ..._base.registry import read_registry
    from ...own._classes import registered
    from ...scenario.tc import LINES

    names = {entry["name"].removeprefix("sch_") for entry in read_registry()["queues"]} - registered().keys()
    return frozenset(names | LINES.keys() | HOMES.keys())


def _kind(label: str) -> str:
    """The queue of a label: a name, a name with settings, or a line of tc."""
    words = label.split(":", 1)[0].split()
    return next((word.removeprefix("sch_") for word in words if word != "tc"), "")


# Seven markers beside eight colours: the pair repeats only after 56 queues.
SYMBOLS: Final[list[str]] = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
]

# Sequences for reasons, warm for drops and cool for marks; both readable on either ground.
DROP_COLOURS: Final[list[str]] = ["#D55E00", "#E69F00", "#B5446E", "#9C6B30", "#E58A8A"]
MARK_COLOURS: Final[list[str]] = ["#2F86C8", "#2AA886", "#8A7BD0", "#6CB8DE", "#5F8F3F"]

_INK: Final[dict[Theme, dict[str, str]]] = {
    "light": {"ink": "#1b2530", "muted": "#566270", "grid": "#e4e8ec", "ground": "#ffffff", "domain": "#aab3bd"},
    "dark": {"ink": "#e8ecf1", "muted": "#a3afbb", "grid": "#2a333d", "ground": "#141a21", "domain": "#56626f"},
}


def config(theme: Theme = "light", *, font: str = "sans-serif", transparent: bool = False) -> dict[str, Any]:
    """The Vega-Lite configuration of a theme.

    Parameters
    ----------
    theme
    font
        CSS font family.
    transparent
        No background, for a page that has its own.
    """
    ink = _INK[theme]
    text = {"labelColor": ink["muted"], "titleColor": ink["ink"], "labelFont": font, "titleFont": font}
    return {
        "background": "transparent" if transparent else ink["ground"],
        "font": font,
        # As the text of a report writes numbers.
        "locale": {"number": {"decimal": ".", "thousands": "\u202f", "grouping": [3], "currency": ["", ""]}},
        "padding": 4 if transparent else 14,
        "view": {"stroke": None},
        "range": {"category": CATEGORY[theme], "symbol": SYMBOLS},
        "axis": {
            **text,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": 500,
            "titlePadding": 8,
            "labelPadding": 4,
            "grid": True,
            "gridColor": ink["grid"],
            "domainColor": ink["domain"],
            "tickColor": ink["domain"],
            "tickSize": 4,
            "labelOverlap": "greedy",
            "labelSeparation": 5,
        },
        "axisY": {"domain": False, "ticks": False, "tickCount": 5},
        "axisX": {"tickCount": 7},
        "axisBand": {"grid": False, "domain": False, "ticks": False, "labelColor": ink["ink"]},
        "axisPoint": {"grid": True, "domain": False, "ticks": False, "labelColor": ink["ink"]},
        "legend": {
            **text,
            "orient": "top",
            "direction": "horizontal",
            "labelFontSize": 12.5,
            "labelColor": ink["ink"],
            "labelLimit": 260,
            "symbolStrokeWidth": 2,
            "symbolSize": 80,
            "titleFontSize": 11.5,
            "titleFontWeight": 500,
            "columnPadding": 14,
            "offset": 8,
        },
        "header": {
            **text,
            "labelColor": ink["ink"],
            "labelFontSize": 13,
            "labelFontWeight": 600,
            "labelAnchor": "start",
            "labelPadding": 6,
            "labelLimit": 520,  # Pixels; a narrow page makes the chart smaller, and cuts no name.
        },
        "title": {
            "color": ink["ink"],
            "subtitleColor": ink["muted"],
            "font": font,
            "subtitleFont": font,
            "fontSize": 15,
            "fontWeight": 600,
            "subtitleFontSize": 11.5,
            "subtitlePadding": 5,
            "anchor": "start",
            "offset": 12,
        },
        "facet": {"spacing": 18},
        "line": {"strokeWidth": 1.8, "strokeJoin": "round"},
        "point": {"filled": True, "opacity": 1},
        "text": {"font": font, "color": ink["ink"]},
        "rule": {"color": ink["muted"]},
        "style": {
            "ink": {"stroke": ink["ink"], "color": ink["ink"]},
            "reference": {"stroke": ink["muted"], "strokeDash": [4, 3], "strokeWidth": 1, "opacity": 0.75},
            "zero": {"stroke": ink["ink"], "strokeWidth": 1.2, "opacity": 0.8},
            "empty": {"color": ink["muted"], "fontSize": 13, "fontStyle": "italic"},
            "note": {"color": ink["muted"], "fontSize": 10.5},
        },
    }
