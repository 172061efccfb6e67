"""Twins: whether a run of Sojourn goes on as before after a change of less than a microsecond.

A run of Sojourn has the starts of flows and the random numbers of the kernel's run with the same number. Yet the clock
of the oracle counts 256 ns, so that packets come a little earlier or later there. In many settings another packet then
finds the queue full, and all that follows is different: the two runs of a pair are like any two. Whether a setting of
one flow is of this kind, Sojourn alone says: its twin is the same run on a path that is one count shorter. The kernel's
results have no part in it. Of several flows, another one comes first in any case; BBR, NV and CDG draw numbers of their
own, which are not the same on both sides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import closed_runs
import kernel_build
import numpy as np
from closed_runs import MEASURED, METRICS
from closed_settings import Setting

FILE = MEASURED.with_name("closed_twins.json")
# So much shorter is the path of a twin, and so many runs have one.
SOONER_US, RUNS = 0.256, 8
# Pairs are compared where the differences of twins scatter by less than this part of the scatter of runs. The
# difference of runs that have nothing in common scatters by 1.4 of it.
FOLLOWS = 0.15


def may_follow(setting: Setting) -> bool:
    """Whether a setting has twins."""
    return setting.flows == 1 and setting.control not in kernel_build.DRAWING


def measure(chosen: Iterable[Setting]) -> None:
    """Runs the twins, and writes how far they are from the runs in the file."""
    for setting in filter(may_follow, chosen):
        mine = closed_runs.read()[setting.name]["ours"][:RUNS]
        twins = closed_runs.of_ours(replace(setting, sooner_us=SOONER_US), len(mine), like=setting)
        parts = {name: _part([run[name] for run in mine], [run[name] for run in twins]) for name in mine[0]}
        with closed_runs.turn():
            known = json.loads(FILE.read_text()) if FILE.exists() else {}
            known[setting.name] = [parts.get(name) for name in METRICS]
            lines = (f"{json.dumps(name)}: {json.dumps(values)}" for name, values in sorted(known.items()))
            FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(setting.name, parts, flush=True)


def _part(mine: list[float], twins: list[float]) -> float | None:
    """The scatter of the differences as a part of that of the runs; None if all runs are the same."""
    scatter = float(np.std(mine, ddof=1))
    return float(f"{np.std(np.subtract(twins, mine), ddof=1) / scatter:.2g}") if scatter else None


@cache
def _known() -> dict[str, list[float | None]]:
    return json.loads(FILE.read_text())


def apart(setting: Setting, metric: str) -> float | None:
    """How far the twins of a cell are apart; None if that is not known."""
    values = _known().get(setting.name)
    return values[METRICS.index(metric)] if values else None


def follow(setting: Setting, metric: str) -> bool:
    """Whether this cell is compared in pairs."""
    found = apart(setting, metric)
    return found is not None and found < FOLLOWS
