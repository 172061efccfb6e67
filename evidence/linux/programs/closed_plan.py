"""How many runs of the kernel each setting of the closed loop needs, by the scatter of Sojourn's runs alone.

The kernel's results have no part in it. If a setting got more runs because it differs, cells would stop at the moment
at which chance lets them agree.
"""

from __future__ import annotations

import math

import numpy as np
from closed_runs import METRICS, Run
from closed_settings import Setting
from closed_verdicts import PARTS, WITHIN, arrivals
from scipy.stats import t as student

# Of each setting, and of any. No interval is known of one run, and that of two or three is wide.
LEAST, MOST = 4, 24
# With SFB a flow may be held back for a whole run or not at all. Such results have two modes: the interval of a few
# runs, which all show the same one, is too narrow.
LEAST_OF_TWO_MODES = 12
# Runs of Sojourn: at most, and at least. At 1 Mbit/s they cost little.
OURS, LEAST_OURS = 32, 12
CHEAP = 1_000_000
# Half of the interval is to be so much of the bound: the rest is left for the difference that chance makes.
PART_OF_BOUND = 0.6


def wanted(setting: Setting, ours: list[Run]) -> int:
    """The least number of runs with which every cell of this setting that `MOST` runs can decide is decided, if the
    kernel scatters like Sojourn.
    """
    least = LEAST_OF_TWO_MODES if setting.queue.startswith("sfb") else LEAST
    metrics = METRICS if len(setting.controls) > 1 else METRICS[:-1]
    needs = (_needed(setting, name, np.array([run[name] for run in ours])) for name in metrics)
    return max([least, *(int(need) for need in needs if need <= MOST)])


def of_ours(setting: Setting, kernels: int) -> int:
    """Runs of Sojourn beside so many of the kernel: as many as allowed, or twice as many as the kernel's."""
    return OURS if setting.rate <= CHEAP else min(OURS, max(LEAST_OURS, 2 * kernels))


def _needed(setting: Setting, metric: str, values: np.ndarray) -> float:
    """Runs of the kernel that one cell needs; infinite if they are more than `MOST`."""
    if not values.any() or (metric == "jain" and setting.flows == 1):
        return 0
    bound = WITHIN[metric] * (float(values.mean()) if metric in PARTS else 1.0)
    if metric in PARTS and metric != "queue_packets":
        bound = max(bound, 1 / arrivals(setting))
    for runs in range(LEAST, MOST + 1):
        if _half(float(values.var(ddof=1)), runs, OURS) <= PART_OF_BOUND * bound:
            return runs
    return math.inf


def _half(variance: float, theirs: int, mine: int) -> float:
    """Half of the 95 % interval of a difference of means that both scatter by `variance` (Welch's)."""
    parts = (1 / theirs, 1 / mine)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (theirs - 1) + parts[1] ** 2 / (mine - 1))
    return float(student.ppf(0.975, freedom)) * math.sqrt(variance * sum(parts))
