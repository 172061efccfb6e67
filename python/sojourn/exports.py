"""Runs in the formats of other tools, and tables for a paper in LaTeX."""

from __future__ import annotations

from ._rooms.runs.formats import flent, flent_note, ns2_note, ns2_trace, write_flent, write_ns2_trace, write_tables
from ._rooms.showing.latex import latex_table

__all__ = [
    "flent",
    "flent_note",
    "latex_table",
    "ns2_note",
    "ns2_trace",
    "write_flent",
    "write_ns2_trace",
    "write_tables",
]
