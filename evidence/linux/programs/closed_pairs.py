"""Pairs: a run of Sojourn has the starts of flows of the kernel's run with the same number, and its queue draws the
same random numbers. How much narrower the interval of their difference is, and which cells that decides.
"""

from __future__ import annotations

import itertools
import math

import closed_again
import closed_runs
import closed_twins
import kernel_build
import numpy as np
from closed_runs import Sides
from closed_tables import head
from closed_verdicts import AGREES, DIFFERS, OPEN, Cell, rows_of

# Two runs have no useful interval.
LEAST = 3
# Upper ends of classes of twins: so far apart, as a part of the scatter of runs.
APART = (closed_twins.FOLLOWS, 0.5, math.inf)
COLUMNS = ("flows", "twins are apart by", "cells", "pairs / Welch's, median", "1 of 4 is below", "3 of 4 are below")
Twice = tuple[Cell, Cell]


def cells() -> list[Twice]:
    """Each cell with Welch's interval and with that of pairs."""
    known = closed_runs.read()
    everything = closed_again.everything()
    apart, paired = (rows_of(everything, known, in_pairs=pairs) for pairs in (False, True))
    return [
        (one, other)
        for row, pair in zip(apart, paired, strict=True)
        if row.runs[0] >= LEAST
        for one, other in zip(row.cells, pair.cells, strict=True)
        # Where no run differs from another, both intervals are empty.
        if one.counts and one.half > 0
    ]


def table() -> str:
    """By flows, and by how far twins are apart: how much narrower the intervals are."""
    lines = [head(COLUMNS, words=2)]
    everything = [
        (one.setting, closed_twins.apart(one.setting, one.metric), pair.half / one.half) for one, pair in cells()
    ]
    for low, high in itertools.pairwise((0.0, *APART)):
        ratios = [ratio for _, apart, ratio in everything if apart is not None and low <= apart < high]
        lines.append(_line("1", f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} and more", ratios))
    without = [(setting, ratio) for setting, _, ratio in everything if not closed_twins.may_follow(setting)]
    laws = ", ".join(law.upper() for law in kernel_build.DRAWING)
    lines.append(_line(f"1, of {laws}", "-", [ratio for setting, ratio in without if setting.flows == 1]))
    many = sorted({setting.flows for setting, _ in without} - {1})
    lines += [_line(str(flows), "-", [ratio for one, ratio in without if one.flows == flows]) for flows in many]
    return "\n".join(line for line in lines if line)


def _line(flows: str, twins: str, ratios: list[float]) -> str:
    if not ratios:
        return ""
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return f"| {flows} | {twins} | {len(ratios)} | {middle:.2f} | {low:.2f} | {high:.2f} |"


def counts() -> dict[str, int]:
    """The cells that are compared in pairs, and their verdicts where they would be open without pairs."""
    known = closed_runs.read()
    apart, paired = (_counted(known, pairs) for pairs in (False, True))
    were_open = [key for key, one in apart.items() if one.verdict == OPEN and key in paired]
    verdicts = [paired[key].verdict for key in were_open]
    opened = sum(one.verdict != OPEN and key in paired and paired[key].verdict == OPEN for key, one in apart.items())
    return {
        "paired_settings": len({name for name, _ in apart}),
        "paired_cells": len(apart),
        "paired_open": len(were_open),
        "paired_agree": verdicts.count(AGREES),
        "paired_differ": verdicts.count(DIFFERS),
        "paired_still": verdicts.count(OPEN),
        "paired_opened": opened,
    }


def _counted(known: dict[str, Sides], pairs: bool) -> dict[tuple[str, str], Cell]:
    rows = rows_of(closed_again.everything(), known, in_pairs=pairs)
    return {
        (row.setting.name, one.metric): one
        for row in rows
        for one in row.cells
        if one.counts and closed_twins.follow(row.setting, one.metric)
    }
