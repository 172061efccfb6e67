"""The four plots that every queue gets: the same traffic, the same axes, and a plain FIFO in grey beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vl_convert

import sojourn
from sojourn import Law, LawAxis
from sojourn._rooms.showing.plots.palette import CATEGORY, THEMES, Theme, colour_places, config

from .pages import REGISTRY, SHAPES

ROOT = Path(__file__).resolve().parents[2]
LOADS = [2, 4, 8, 16, 32, 64]
SEEDS = range(1, 4)
BASE = "fifo"
# Width of a plot on a phone, without its axis.
NARROW = 290
# Letters of a legend in one line; a reader's font may be wider than the one by which places are computed.
LEGEND = 70
# Names of the precedences of assured forwarding.
NAMED: dict[Theme, dict[str, str]] = {
    "light": {"green": "#009E73", "yellow": "#C99700", "red": "#C8102E"},
    "dark": {"green": "#2CC69B", "yellow": "#F2C94C", "red": "#FF6B6B"},
}
# Letters that a title has room for along the axis of a law, and from where on its numbers are written out.
LONGEST_TITLE = 36
LEAST_PLAIN = 1e-3

# Queues that need senders of their own.
SENDERS = {"xcp": "xcp", "decbit": "decbit", "rcp": "rcp"}

# Queues whose buffer is not a number of packets: they keep their own.
OWN_MEMORY = {entry["name"] for entry in REGISTRY["queues"] if "limit" not in {one["name"] for one in entry["params"]}}

TEMPLATE = """
title = "The standard load"
duration = "{seconds}s"
warmup = "{warmup}s"
[dumbbell]
rate = "10Mbit"
delay = "20ms"
access = {{ rate = "100Mbit", delay = ["1ms", "9ms"] }}
queue = {{ kind = "{kind}"{buffer} }}
reverse_queue = {{ kind = "fifo", limit = "1000p" }}
{flows}
[record]
queue = "50ms"
"""
FLOW = """
[[flow]]
name = "{name}"
count = {count}
transport = {{ kind = "tcp", profile = "{profile}", control = "{control}" }}
app = "bulk"
start = {{ at = "{at}s", spread = "2s" }}
"""


def scenario(kind: str, *, load: int | None = None) -> sojourn.Scenario:
    """Eight senders and twenty-four more from 20 s on; or `load` senders from the start."""
    control = SENDERS.get(kind, "cubic")
    profile = "rfc" if kind in SENDERS else "linux"
    groups = [("first", 8, 0), ("later", 24, 20)] if load is None else [("senders", load, 0)]
    flows = "".join(
        FLOW.format(name=name, count=count, at=at, control=control, profile=profile) for name, count, at in groups
    )
    seconds, warmup = (40, 0) if load is None else (25, 5)
    buffer = "" if kind in OWN_MEMORY else ', limit = "100p"'
    filled = TEMPLATE.format(kind=kind, buffer=buffer, flows=flows, seconds=seconds, warmup=warmup)
    return sojourn.Scenario.from_toml(filled)


def measure(kinds: list[str], *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """The data of all plots, by queue; from one run of each if `quick` is set. Finished runs are kept in ``out``."""
    variants = {f"{kind} course": scenario(kind) for kind in kinds}
    variants |= {f"{kind} {load}": scenario(kind, load=load) for kind in kinds for load in LOADS}
    kept = ROOT / "out" / ("site-runs-quick" if quick else "site-runs")
    study = sojourn.study(variants, seeds=SEEDS[:1] if quick else SEEDS, workers=2, out=kept)
    return {kind: _measured(study, kind) for kind in kinds}


def _measured(study: sojourn.Study, kind: str) -> dict[str, Any]:
    first = study.of(f"{kind} course")[0]
    course = first.table("backlog").filter(link="forward")
    waits = first.table("sojourn").filter(link="forward").sort("sojourn_ms")
    total = max(int(waits["packets"].sum()), 1)
    steps = zip([0.0, *waits["sojourn_ms"]], [0, *waits["packets"].cum_sum()], strict=True)
    curve = [{"ms": ms, "share": 100 * packets / total} for ms, packets in steps]
    loads = []
    for load in LOADS:
        rows = [result.queue.filter(link="forward").row(0, named=True) for result in study.of(f"{kind} {load}")]
        signals = [row["loss_ratio"] + row["mark_ratio"] for row in rows]
        waited = [row["sojourn_mean_ms"] for row in rows]
        loads.append({"senders": load, "wait": sum(waited) / len(rows), "signals": 100 * sum(signals) / len(rows)})
    shown = course.select(s="time_s", packets="backlog_packets").to_dicts()
    return {"course": shown, "waits": thin(curve), "loads": loads}


def thin(rows: list[dict[str, float]], most: int = 160) -> list[dict[str, float]]:
    """Every n-th row, so that at most `most` are left, and the last."""
    step = max(1, math.ceil(len(rows) / most))
    return [*rows[::step], rows[-1]]


def draw(kind: str, measured: dict[str, dict[str, Any]], folder: Path) -> None:
    """One picture for each theme and shape."""
    for theme in THEMES:
        panels = _panels(_lines(kind, measured, theme))
        stacked = {
            "wide": [{"hconcat": panels[:2], "spacing": 36}, {"hconcat": panels[2:], "spacing": 36}],
            "narrow": [{**panel, "width": NARROW} for panel in panels],
        }
        for shape in SHAPES:
            spec = {"vconcat": stacked[shape], "spacing": 28}
            save(spec, theme, folder / f"{kind}-{theme}-{shape}.svg")


@dataclass(frozen=True)
class Line:
    """The line of one queue, and its colour."""

    name: str
    colour: str
    measured: dict[str, Any]


def _lines(kind: str, measured: dict[str, dict[str, Any]], theme: Theme) -> list[Line]:
    """A plain FIFO, and the queue, in their colours."""
    base, own = (measured[name] for name in (BASE, kind))
    grey, colour = (CATEGORY[theme][place] for place in colour_places([BASE, kind]))
    if kind == BASE:
        return [Line(kind, grey, own)]
    told = (f"{BASE}, CUBIC senders", f"{kind}, senders of its own") if kind in SENDERS else (BASE, kind)
    return [Line(told[0], grey, base), Line(told[1], colour, own)]


def _panels(lines: list[Line]) -> list[dict[str, Any]]:
    senders = ("senders", "senders")
    return [
        panel(lines, "course", ("s", "time (s)"), ("packets", "packets waiting"), "1. Eight senders, 32 from 20 s"),
        panel(lines, "waits", ("ms", "waited at most (ms)"), ("share", "% of the packets"), "2. The wait"),
        panel(lines, "loads", senders, ("wait", "mean wait (ms)"), "3. The wait, by the number of senders"),
        panel(lines, "loads", senders, ("signals", "% of the packets"), "4. Dropped or marked"),
    ]


def panel(lines: list[Line], part: str, x: tuple[str, str], y: tuple[str, str], title: str) -> dict[str, Any]:
    """One of the four plots; by the number of senders the axis is logarithmic and points are shown."""
    by_load = part == "loads"
    across: dict[str, Any] = {"field": x[0], "type": "quantitative", "title": x[1], "scale": {"nice": False}}
    if by_load:
        across |= {"scale": {"type": "log", "base": 2}, "axis": {"values": LOADS}}
    up = {"field": y[0], "type": "quantitative", "title": y[1], "scale": {"zero": True}}
    scale = {"domain": [line.name for line in lines], "range": [line.colour for line in lines]}
    legend = {"title": None, "symbolType": "stroke", "symbolStrokeWidth": 3} if len(lines) > 1 else None
    layers = []
    for number, line in enumerate(lines):
        wide = 1.8 if number == len(lines) - 1 else 1.1
        mark: dict[str, Any] = {"type": "line", "strokeWidth": wide}
        if by_load:
            mark["point"] = {"size": 36}
        colour = {"datum": line.name, "type": "nominal", "scale": scale, "legend": legend}
        encoding = {"x": across, "y": up, "color": colour}
        layers.append({"data": {"values": line.measured[part]}, "encoding": encoding, "mark": mark})
    return {"width": 300, "height": 170, "layer": layers, "title": title}


def draw_law(name: str, law: Law, folder: Path, place: int = 0) -> None:
    """The curves of a law, one picture for each theme and shape; a single one has the colour at this place."""
    rows = [
        {"x": across, "y": up, "curve": curve.name}
        for curve in law.curves
        for across, up in curve.points
        if math.isfinite(across) and math.isfinite(up)
    ]
    for theme in THEMES:
        for shape in SHAPES:
            spec = _law(law, rows, theme, place, wide=shape == "wide")
            save(spec, theme, folder / f"{name}-law-{theme}-{shape}.svg")


def _law(law: Law, rows: list[dict[str, Any]], theme: Theme, place: int, *, wide: bool) -> dict[str, Any]:
    encoding: dict[str, Any] = {
        "x": {"field": "x", "type": "quantitative", "title": titled(law.x), "scale": {"nice": False}},
        "y": {"field": "y", "type": "quantitative", "title": in_lines(law.y)},
    }
    if rows and max(abs(row["y"]) for row in rows) < LEAST_PLAIN:
        encoding["y"]["axis"] = {"labelExpr": "datum.value ? format(datum.value, '~e') : '0'"}
    mark: dict[str, Any] = {"type": "line"}
    names = [curve.name for curve in law.curves]
    if len(names) > 1:
        # Side by side if they have room.
        columns = len(names) if wide and sum(map(len, names)) + 6 * len(names) <= LEGEND else 1
        legend = {
            "columns": columns,
            "columnPadding": 32,
            "labelLimit": 0,
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
        }
        scale = {"domain": names, "range": [colour_of(curve, place, theme) for place, curve in enumerate(names)]}
        encoding["color"] = {"field": "curve", "type": "nominal", "title": None, "scale": scale, "legend": legend}
    else:
        mark["color"] = CATEGORY[theme][place]
    return {
        "data": {"values": rows},
        "encoding": encoding,
        "mark": mark,
        "width": 640 if wide else NARROW,
        "height": 220,
    }


def colour_of(curve: str, place: int, theme: Theme) -> str:
    """Its place in the list of colours; a queue that is named after a colour has that one."""
    return NAMED[theme].get(curve, CATEGORY[theme][place % len(CATEGORY[theme])])


def titled(axis: LawAxis) -> str:
    """An axis with its unit."""
    return f"{axis.name} ({axis.unit})" if axis.unit else axis.name


def in_lines(axis: LawAxis) -> list[str]:
    """An axis with its unit, which gets a line of its own where both are too long for a plot's height."""
    whole = titled(axis)
    return [whole] if len(whole) <= LONGEST_TITLE else [axis.name, f"({axis.unit})"]


def save(spec: dict[str, Any], theme: Theme, path: Path) -> None:
    """A picture on the page's own ground."""
    themed = config(theme, transparent=True)
    themed["title"] = {**themed["title"], "fontSize": 13, "offset": 6}
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    path.write_text(vl_convert.vegalite_to_svg({"$schema": schema, **spec}, config=themed), encoding="utf-8")
