"""Algorithm 16 in the records of a run (figure 2.1): max_p follows the two ratios of the average queue."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sojourn.claims import Claim
from sojourn.papers import Context, Finding

from . import exhibits

QUEUE = '{ kind = "psand", preset = "paper", w_q = 0.0053191 }'
TARGET, COEF, GAMMA, BOTTOM, TOP = 10.0, 1.75, 1.5, 0.01, 0.75
"""Table 2.1, and the bounds of chapter 3."""


def claims(context: Context) -> Iterator[Finding]:
    """The law, in runs of 10 s with 20 more flows from 3.5 s on, and figure 2.1."""
    scenario = context.scenario(
        "topo_same.toml",
        'duration="10s"',
        'record.probes="0.5s"',
        "flow[3].count=20",
        f"link[0].queue={QUEUE}",
    )
    study = context.study("ratios", {"PSAND": scenario}, seeds=context.seeds(full=4, quick=2))
    runs = [(_probe(result.raw, "avg"), _probe(result.raw, "max_p")) for _, result in study.results]
    steps = [one for average, max_p in runs for one in _steps(average, max_p)]
    worst = max(abs(ours / _law(near, change, before) - 1.0) for near, change, before, ours in steps)
    yield Claim.that(
        "Each half second max_p is multiplied by coef times a power of the product of both ratios",
        worst < 1e-9,
        id="E2.0-power-of-both-ratios",
        source="equations 2.1 and 2.2, algorithm 16",
        note=f"{len(steps)} steps, the largest relative deviation is {worst:.1g}",
    )
    yield exhibits.ratios(runs[0][0], TARGET, step_s=0.5)


def _probe(raw: object, name: str) -> Sequence[float]:
    """The values of a probe of the bottleneck, in the order of time."""
    columns = [raw.column("probe", column) for column in ("link", "probe", "value")]  # type: ignore[attr-defined]
    return [float(value) for link, probe, value in zip(*columns, strict=True) if (link, probe) == ("bottleneck", name)]


def _steps(average: Sequence[float], max_p: Sequence[float]) -> Iterator[tuple[float, float, float, float]]:
    """Distance, change, max_p before and after each step with an average to divide by."""
    for place in range(1, len(average)):
        if average[place - 1] > 0.0 and average[place] > 0.0:
            yield average[place] / TARGET, average[place] / average[place - 1], max_p[place - 1], max_p[place]


def _law(near: float, change: float, before: float) -> float:
    return max(BOTTOM, min(before * COEF * math.pow(near * change, GAMMA), TOP))
