"""The results of the closed loop: each cell by the interval of its difference, and scores.

A cell is one metric of one setting. Its difference is our mean less the kernel's, with a 95 % interval: Welch's, since
the two sides need not scatter alike, or that of the differences of pairs where both runs of a pair go the same way
(`closed_twins.py`). The cell agrees if all of the interval is within the bound, differs if all of it is
beyond, and is open otherwise. Cells that cannot differ are not counted: nothing lost or marked on both sides, and
Jain's index of one flow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import closed_twins
import numpy as np
from closed_runs import METRICS, Sides
from closed_settings import Setting
from scipy.stats import t as student

VERDICTS = AGREES, DIFFERS, OPEN = "agrees", "differs", "open"
# How far our mean may be off: a part of the kernel's, of Jain's index and of a share a difference.
WITHIN = {"queue_packets": 0.02, "loss": 0.05, "marks": 0.05, "jain": 0.01, "share": 0.01}
PARTS = ("queue_packets", "loss", "marks")
PACKET_BITS = 1514 * 8


def arrivals(setting: Setting) -> float:
    """About as many packets come in a run: those that a full link sends while it counts."""
    begin, end = setting.seconds
    return (end - begin) * setting.rate / PACKET_BITS


@dataclass(frozen=True)
class Cell:
    """One metric of one setting."""

    metric: str
    setting: Setting
    kernel: float
    ours: float
    # Half of the difference's interval; infinite with one run.
    half: float
    # Whether there is anything to compare.
    counts: bool

    @property
    def difference(self) -> float:
        """Our mean less the kernel's."""
        return self.ours - self.kernel

    @property
    def bound(self) -> float:
        """How far our mean may be off: no finer than one packet in a run."""
        if self.metric not in PARTS:
            return WITHIN[self.metric]
        least = 1 / arrivals(self.setting) if self.metric != "queue_packets" else 0.0
        return max(WITHIN[self.metric] * self.kernel, least)

    @property
    def verdict(self) -> str:
        """The verdict of the interval."""
        # Sums of rounded numbers: a hair is no difference.
        if abs(self.difference) + self.half <= self.bound * (1 + 1e-9):
            return AGREES
        return DIFFERS if abs(self.difference) - self.half > self.bound else OPEN

    @property
    def near(self) -> bool:
        """Whether the means are within the bound."""
        return abs(self.difference) <= self.bound * (1 + 1e-9)

    @property
    def equal(self) -> bool:
        """Whether the interval has no difference in it."""
        return abs(self.difference) <= self.half + 1e-9 * abs(self.kernel)

    @property
    def text(self) -> str:
        """As the table has it: both means, the difference and half of its interval, if that is less than the mean."""
        if not self.counts:
            return "-"
        scale = 100.0 if self.metric in ("loss", "marks") else 1.0
        relative = self.metric in PARTS and self.kernel > 0
        if self.half >= (self.kernel if relative else 1.0):
            off = "no statement"
        elif relative:
            half = 100 * self.half / self.kernel
            off = f"{self.difference / self.kernel:+.1%} ± {f'{half:.0f}' if half >= 10 else f'{half:.2g}'}%"
        else:
            off = f"{scale * self.difference:+.3f} ± {scale * self.half:.1g}"
        shown = f"{scale * self.kernel:.3g}, {scale * self.ours:.3g}, {off}"
        return {AGREES: shown, DIFFERS: f"**{shown}**", OPEN: f"{shown} ?"}[self.verdict]


def half_of(theirs: list[float], mine: list[float]) -> float:
    """Half of the 95 % interval of the difference of the means (Welch's)."""
    if min(len(theirs), len(mine)) < 2:
        return math.inf
    parts = [float(np.var(values, ddof=1)) / len(values) for values in (theirs, mine)]
    if sum(parts) == 0:
        return 0.0
    freedom = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, (theirs, mine), strict=True))
    return float(student.ppf(0.975, freedom)) * math.sqrt(sum(parts))


def half_of_pairs(theirs: list[float], mine: list[float]) -> float:
    """The same of the mean difference of pairs: of runs with the same starts and random numbers."""
    if len(theirs) < 2:
        return math.inf
    apart = np.subtract(mine, theirs)
    return float(student.ppf(0.975, len(apart) - 1)) * float(np.std(apart, ddof=1)) / math.sqrt(len(apart))


def cell(setting: Setting, metric: str, kernel: list[float], mine: list[float], *, in_pairs: bool = False) -> Cell:
    """One cell from the runs of both sides. In pairs, those of ours count that have the number of a kernel's."""
    pairs = min(len(kernel), len(mine))
    if in_pairs:
        kernel, mine = kernel[:pairs], mine[:pairs]
    nothing = not any(kernel) and not any(mine)
    one = metric == "jain" and setting.flows == 1
    theirs, here = float(np.mean(kernel)), float(np.mean(mine))
    half = half_of_pairs(kernel, mine) if in_pairs else half_of(kernel, mine)
    return Cell(metric, setting, theirs, here, half, counts=not nothing and not one)


@dataclass
class Row:
    """One setting."""

    setting: Setting
    runs: tuple[int, int]
    cells: list[Cell] = field(default_factory=list)

    @property
    def text(self) -> str:
        """As the table has it."""
        shown = " | ".join(one.text for one in self.cells) + " | -" * (len(METRICS) - len(self.cells))
        return f"| {self.setting.name} | {self.runs[0]}, {self.runs[1]} | {shown} |"


def rows_of(settings: Iterable[Setting], known: dict[str, Sides], *, in_pairs: bool | None = None) -> list[Row]:
    """The measurements of these settings. All runs count, on both sides, whatever happened in them. With `in_pairs`
    all of them are compared in pairs, or none.
    """
    rows = []
    for setting in settings:
        sides = known.get(setting.name, {})
        if not sides.get("kernel") or not sides.get("ours"):
            continue
        kernel, mine = sides["kernel"], sides["ours"]
        metrics = METRICS if len(setting.controls) > 1 else METRICS[:-1]
        cells = []
        for name in metrics:
            paired = closed_twins.follow(setting, name) if in_pairs is None else in_pairs
            of_sides = ([run[name] for run in side] for side in (kernel, mine))
            cells.append(cell(setting, name, *of_sides, in_pairs=paired))
        rows.append(Row(setting, (len(kernel), len(mine)), cells))
    return rows


def counted(rows: Iterable[Row]) -> list[Cell]:
    """The cells in which something can differ."""
    return [one for row in rows for one in row.cells if one.counts]


@dataclass(frozen=True)
class Score:
    """The number of cells with each verdict, for some settings."""

    settings: int
    cells: list[Cell]

    def number(self, verdict: str) -> int:
        """Cells with this verdict."""
        return sum(one.verdict == verdict for one in self.cells)

    @property
    def counts(self) -> str:
        """Settings, cells, and how many of these have which verdict, as parts of a table's row."""
        counts = [self.settings, len(self.cells), *map(self.number, VERDICTS)]
        return " | ".join(f"{count:,}" for count in counts)

    @property
    def row(self) -> str:
        """As a row of the table of scores."""
        of = max(len(self.cells), 1)
        near, equal = (sum(getattr(one, what) for one in self.cells) for what in ("near", "equal"))
        return f"{self.counts} | {near / of:.0%} | {equal / of:.0%}"


def score(rows: list[Row]) -> Score:
    """That of these rows."""
    return Score(len(rows), counted(rows))


def _like(row: Row, other: Row) -> bool:
    pairs = zip(row.cells, other.cells, strict=True)
    return all(abs(mine.kernel - first.kernel) <= first.bound for mine, first in pairs)


def near_copies(rows: Iterable[Row]) -> list[Row]:
    """Rows that repeat another row: the same senders, and the kernel's means within the bounds of an
    earlier row's. One flow behind `fq_codel` meets the law that it meets behind `codel`.
    """
    seen: dict[tuple[str, int, int, float], list[Row]] = {}
    copies = []
    for row in rows:
        setting = row.setting
        others = seen.setdefault((setting.control, setting.flows, setting.rate, setting.rtt_ms), [])
        if any(_like(row, other) for other in others):
            copies.append(row)
        else:
            others.append(row)
    return copies


@dataclass(frozen=True)
class Ratio:
    """The geometric mean of ours by the kernel's over some cells, and half of its 95 % interval, as a part of it."""

    cells: int
    mean: float
    half: float

    @property
    def text(self) -> str:
        """In numbers."""
        return f"{self.mean:.3f} ± {self.half:.3f}"


def ratio(cells: Iterable[Cell]) -> Ratio | None:
    """The mean of these cells; None for fewer than four, which have no useful interval."""
    logs = np.log([one.ours / one.kernel for one in cells])
    if len(logs) < 4:
        return None
    half = float(student.ppf(0.975, len(logs) - 1)) * float(np.std(logs, ddof=1)) / math.sqrt(len(logs))
    return Ratio(len(logs), math.exp(float(np.mean(logs))), half)
