"""Charts of runs, studies and sweeps."""

from __future__ import annotations

from ._rooms.showing.plots import (
    PLOTS,
    THEMES,
    Frames,
    Measure,
    Plot,
    PlotName,
    Times,
    config,
    draw,
    drawable,
    embedded_data,
    measure,
    save,
    specification,
)
from ._rooms.showing.plots.pieces import inline, layout, title

__all__ = [
    "PLOTS",
    "THEMES",
    "Frames",
    "Measure",
    "Plot",
    "PlotName",
    "Times",
    "config",
    "draw",
    "drawable",
    "embedded_data",
    "inline",
    "layout",
    "measure",
    "save",
    "specification",
    "title",
]
