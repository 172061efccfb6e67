"""Phase effects: where a round trip is a whole number of packets, the moment of arrival decides.

A sender that an acknowledgement lets go sends its packet to the queue a round trip after a departure. At 100 Mbit/s a
round trip of 40 ms is 329.01 packets long: while the link is busy, the packet comes 1.4 us after a departure, always.
Sojourn's shaper is exact. The timer of the oracle's shaper reads a clock of 256 ns, and its departures wander by a
microsecond in a round trip, so that some packets come before the departure. They find one packet more in the queue,
and in a full queue no room.

Two measurements show how much follows from that: Sojourn on a path that is a few microseconds shorter, and
both sides with a round trip that is no whole number of packets (Floyd and Jacobson 1991, "Traffic phase effects in
packet-switched gateways").
"""

from __future__ import annotations

from dataclasses import replace

import closed_again
import closed_runs
import numpy as np
from closed_runs import AGAIN, MEASURED, METRICS, Run
from closed_settings import Setting
from closed_tables import NAMES, head
from closed_verdicts import DIFFERS, Cell, Row, rows_of

FILE = MEASURED.with_name("closed_phase.json")
# Where a cell differs with the longer round trip, both sides have new runs, as in `closed_again`: their first number,
# and how many there are of the kernel and of Sojourn.
LATER = MEASURED.with_name("closed_phase_again.json")
LATER_FROM, LATER_RUNS, LATER_OURS = 2001, 60, 160
# A departure wanders by about as much.
NEAR_US = 3.0
# Microseconds by which Sojourn's path is shorter, and milliseconds by which both round trips are longer.
SOONER_US = 3.0
LONGER_MS = 1.0
# Of the kernel, and of Sojourn.
RUNS, OURS = 20, 40


def settings() -> list[Setting]:
    """The settings with such a round trip that had a second look."""
    return [one for one in closed_again.settings() if abs(one.phase_us) < NEAR_US]


def elsewhere(setting: Setting) -> Setting:
    """The same with a round trip in which no arrival meets a departure."""
    return replace(setting, rtt_ms=setting.rtt_ms + LONGER_MS)


def sooner(setting: Setting) -> Setting:
    """The same with a path on which packets come before a departure."""
    return replace(setting, sooner_us=SOONER_US)


def measure(chosen: list[Setting], runs: int) -> None:
    """Runs Sojourn on the shorter path, and both sides elsewhere."""
    for one in chosen:
        closed_runs.ours(dict.fromkeys([sooner(one), elsewhere(one)], OURS), file=FILE)
        closed_runs.measure({elsewhere(one): runs}, file=FILE)
    for row, _ in differing():
        if row.setting in map(elsewhere, chosen):
            closed_runs.measure({row.setting: LATER_RUNS}, file=LATER, first=LATER_FROM)
            closed_runs.ours({row.setting: LATER_OURS}, file=LATER, first=LATER_FROM)


def differing() -> list[tuple[Row, Cell]]:
    """The cells that differ with the longer round trip."""
    rows = rows_of(map(elsewhere, settings()), closed_runs.read(FILE))
    return [(row, one) for row in rows for one in row.cells if one.counts and one.verdict == DIFFERS]


def later() -> str:
    """For the page: these cells in the new runs."""
    said = []
    known = closed_runs.read(LATER)
    for row, first in differing():
        for again in rows_of([row.setting], known):
            (cell,) = (one for one in again.cells if one.metric == first.metric)
            runs = "{} runs of the kernel, {} of Sojourn".format(*again.runs)
            said.append(f"- `{row.setting.name}`, {NAMES[first.metric]}: {cell.text.strip('*? ')} ({runs})")
    return "\n".join(said)


def table() -> str:
    """For the page: the second look, Sojourn on the shorter path, and the difference elsewhere."""
    columns = (
        "setting",
        "metric",
        "kernel",
        "Sojourn",
        f"{SOONER_US:g} us shorter",
        f"{LONGER_MS:g} ms longer: difference",
    )
    lines = [head(columns, words=6)]
    again, known = closed_runs.read(AGAIN), closed_runs.read(FILE)
    for one in settings():
        if one.name not in again or elsewhere(one).name not in known:
            continue
        (row,) = rows_of([elsewhere(one)], known)
        sides = [again[one.name]["kernel"], again[one.name]["ours"], known[sooner(one).name]["ours"]]
        for metric, cell in zip(METRICS, row.cells, strict=False):
            if cell.counts:
                difference = cell.text.strip("*? ").rpartition(", ")[2]
                means = " | ".join(_mean(side, metric) for side in sides)
                lines.append(f"| {one.name} | {NAMES[metric]} | {means} | {difference} |")
    return "\n".join(lines)


def _mean(runs: list[Run], metric: str) -> str:
    """The mean, and half of its 95 % interval in brackets."""
    values = np.array([run[metric] for run in runs]) * (100.0 if metric in ("loss", "marks") else 1.0)
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.3g} ({np.format_float_positional(half, precision=1, fractional=False, trim='-')})"
