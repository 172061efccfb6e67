"""The ranking of a line as rows of text, for a terminal and for a report."""

from __future__ import annotations

from ..showing.text.tables import cell, decimals_of
from ..statistics.intervals import Interval
from .answer import Answered

__all__ = ["columns"]

_DEADLINE_S = 0.075
"""The one-way delay that packets of the game may have: the default of the source ``game``."""


def columns(found: Answered, users: int = 1) -> list[tuple[str, list[str]]]:
    """Heads, and cells in the order of the ranking; the most important first.

    Where no packet of the game can be in time, there is no column of late ones; only many users need one of fairness.
    """
    values = [one.values for one in found.ranking]
    games = [max(one["game_up_late"].mean, one["game_down_late"].mean) for one in values]
    fair = [min(one["fairness_up"].mean, one["fairness_down"].mean) for one in values]
    shown = [
        ("steps", [_cell(one.behind, 1.0, 1) for one in found.ranking]),
        ("RPM", [_cell(one["rpm"], 1.0, 0) for one in values]),
        ("grade", [one.grade for one in found.ranking]),
        ("p99 (ms)", [_cell(one["p99_ms"], 1.0, 0) for one in values]),
        ("up (Mbit/s)", [_cell(one["up_bps"], 1e-6, 1) for one in values]),
        ("down (Mbit/s)", [_cell(one["down_bps"], 1e-6, 1) for one in values]),
        ("call (MOS)", [f"{one.call:.1f}" for one in found.ranking]),
        ("web (s)", [f"{one['web_s'].mean:.2f}" for one in values]),
    ]
    if users > 1:
        shown.append(("fair", [f"{index:.2f}" for index in fair]))
    if found.line.rtt_s / 2.0 < _DEADLINE_S:
        shown.append(("late (%)", [f"{100.0 * late:.0f}" for late in games]))
    return shown


def _cell(interval: Interval, factor: float, finest: int) -> str:
    places = min(decimals_of([interval], factor, finest), finest)
    return cell(interval, factor, places)
