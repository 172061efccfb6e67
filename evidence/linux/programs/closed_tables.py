"""Tables of the closed loop's scores and ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from closed_runs import METRICS
from closed_verdicts import AGREES, Row, arrivals, counted, near_copies, ratio, score
from closed_verdicts import PARTS as SCALED
from scipy.stats import binomtest

NAMES = {
    "queue_packets": "mean queue",
    "loss": "losses",
    "marks": "marks",
    "jain": "Jain's index",
    "share": "share of CUBIC",
}
# The parts of the settings.
PARTS = {"known": "known", "earlier": "earlier draws", "fresh": "fresh"}
SCORES = (
    "settings",
    "number",
    "cells",
    "agree",
    "differ",
    "need more runs",
    "means within the bounds",
    "0 in the interval",
)
RATIOS = (
    *("metric", "cells", "ours / kernel, mean", "off by, median", "9 of 10 are off by less than"),
    *("half of the interval, median", "agree", "with bounds twice as wide"),
)

BY_RATE = (
    "settings with",
    "number",
    "ours / kernel, mean",
    "off by, median",
    "ours is less in",
    "chance of such a split",
)


def head(columns: tuple[str, ...], words: int = 1) -> str:
    """The first two lines of a table: so many columns of words, and then columns of numbers."""
    return f"| {' | '.join(columns)} |\n|{'---|' * words}{'---:|' * (len(columns) - words)}"


def scores(parts: Mapping[str, list[Row]]) -> str:
    """The table of the scores of all parts."""
    everything = [row for rows in parts.values() for row in rows]
    once = {id(row) for row in everything} - {id(row) for row in near_copies(everything)}
    rows = [f"| {PARTS[name]} | {score(part).row} |" for name, part in parts.items() if part]
    rows += [
        f"| {PARTS[name]}, without near-copies | {score([row for row in part if id(row) in once]).row} |"
        for name, part in parts.items()
        if any(id(row) not in once for row in part)
    ]
    return "\n".join([head(SCORES), *rows])


def ratios(rows: list[Row]) -> str:
    """By metric: how far our means are from the kernel's, and how far the intervals reach."""
    lines = [head(RATIOS)]
    for metric in METRICS:
        # Jain's index of a run in which no flow got anything is no number.
        cells = [one for one in counted(rows) if one.metric == metric and math.isfinite(one.difference)]
        # Below ten packets in a run a ratio is one of small numbers.
        if metric in ("loss", "marks"):
            cells = [one for one in cells if min(one.kernel, one.ours) * arrivals(one.setting) >= 10]
        if not cells:
            continue
        part = metric in SCALED
        scale = [one.kernel if part else 1.0 for one in cells]
        off = np.array([abs(one.difference) / by for one, by in zip(cells, scale, strict=True)])
        half = np.array([one.half / by for one, by in zip(cells, scale, strict=True)])
        mean = ratio(cells) if part else None
        bounds = np.array([one.bound / by for one, by in zip(cells, scale, strict=True)])
        wide = int((off + half <= 2 * bounds).sum())
        agree = sum(one.verdict == AGREES for one in cells)
        values = (*np.quantile(off, [0.5, 0.9]), np.median(half))
        shown = [f"{100 * value:.1f} %" if part else f"{value:.4f}" for value in values]
        shown += [f"{count / len(cells):.0%}" for count in (agree, wide)]
        lines.append(f"| {NAMES[metric]} | {len(cells)} | {mean.text if mean else '-'} | {' | '.join(shown)} |")
    return "\n".join(lines)


def by_rate(rows: Iterable[Row]) -> str:
    """The mean queue by rate, and by the number of flows: in how many settings ours is less."""
    rows = list(rows)
    rates, flows = (sorted({getattr(row.setting, what) for row in rows}) for what in ("rate", "flows"))
    parts = {f"{rate // 1_000_000} Mbit/s": [row for row in rows if row.setting.rate == rate] for rate in rates}
    parts |= {f"flows: {many}": [row for row in rows if row.setting.flows == many] for many in flows}
    lines = [head(BY_RATE)]
    for name, some in parts.items():
        cells = [one for one in counted(some) if one.metric == "queue_packets"]
        off = np.array([one.difference / one.kernel for one in cells])
        mean = ratio(cells)
        less = int((off < 0).sum())
        # Were both sides equal, each setting would be below by an even chance.
        chance = float(binomtest(less, len(off)).pvalue)
        # Adding 0.0 takes the sign of -0.0 away.
        median = round(100 * float(np.median(off)), 1) + 0.0
        lines.append(
            f"| {name} | {len(cells)} | {mean.text if mean else '-'} | {median:+.1f} % | {less} | {chance:.2g} |"
        )
    return "\n".join(lines)
