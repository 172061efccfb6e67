"""The gain by each shortcut of the engine: the same workload without it, beside the workload with all.

The counters must not change: a shortcut spares time and nothing else.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from process import ROOT, execute, spread_of_ratios

HERE = Path(__file__).resolve().parent.relative_to(ROOT)
WORKLOADS = {
    "10 flows": ["n=10", "c=10", "t=200"],
    "100 flows": ["n=100", "c=100", "t=50"],
    "1000 flows": ["n=1000", "c=1000", "t=10"],
    "1000 slow flows": ["n=1000", "c=10", "t=100"],
    "4000 flows": ["n=4000", "c=4000", "t=4"],
    "10000 flows": ["n=10000", "c=10000", "t=4"],
    "2000 web sessions": [f"file={HERE / 'web.toml'}", "t=30"],
}
NOISE = 0.98
"""A shortcut that costs less than this is not said to cost anything."""
SHORTCUTS = ("drop_tail", "departures", "fusion", "ends", "scout", "windows", "all")


def _measure(ours: Sequence[str], arguments: list[str], cpu: int, rounds: int) -> dict[str, list[float]]:
    """How many times longer the run takes without each shortcut, round by round."""
    with_all, ratios = None, {name: [] for name in SHORTCUTS}
    for _ in range(rounds):
        reference = execute([*ours, *arguments], cpu)
        with_all = with_all or reference.output
        for name in SHORTCUTS:
            run = execute([*ours, *arguments, f"without={name}"], cpu)
            if run.output != with_all:
                raise SystemExit(f"{' '.join(arguments)}: without {name} the counters change: {run.output}, {with_all}")
            ratios[name].append(run.cpu_seconds / reference.cpu_seconds)
    return ratios


def _costs(columns: dict[str, dict[str, list[float]]]) -> str:
    """Which shortcuts cost something, and where."""
    said = []
    for title, ratios in columns.items():
        for name, of_rounds in ratios.items():
            middle = statistics.median(of_rounds)
            if middle < NOISE and max(of_rounds) < 1:
                said.append(f"`{name}` costs {1 / middle - 1:.1%} with {title}")
    if not said:
        return f"A shortcut whose number is below 1 costs time. None costs {1 - NOISE:.0%} or more in every round."
    cost = "; ".join(said)
    return f"A shortcut whose number is below 1 costs time. These cost {1 - NOISE:.0%} or more in every round: {cost}."


def report(ours: Sequence[str], cpu: int, rounds: int) -> str:
    """The table, as Markdown."""
    columns = {}
    for title, arguments in WORKLOADS.items():
        print(f"shortcuts: {title} ...", file=sys.stderr)
        columns[title] = _measure(ours, arguments, cpu, rounds)
    lines = [f"| without | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name in SHORTCUTS:
        shown = "any shortcut" if name == "all" else f"`{name}`"
        lines.append(f"| {shown} | {' | '.join(spread_of_ratios(ratios[name]) for ratios in columns.values())} |")
    return "\n".join(
        [
            "## The gain of each shortcut",
            "",
            "A *shortcut* of the engine saves work and changes no result ([the "
            "list](../../crates/sojourn-sim/src/sim/shortcuts/mod.rs)). Each number is the CPU time of the whole "
            "process without one shortcut, divided by the time with all of them. The counters at the bottleneck are "
            "the same in all runs. Without `drop_tail` there is no `fusion` and there are no `ends`, because both need "
            "it. A shortcut stays in the engine if it saves 5 % somewhere up to 1000 flows, or 10 % at 10000. A "
            "slow flow has 10 kbit/s, the others have 1 Mbit/s.",
            "",
            *lines,
            "",
            _costs(columns),
            "",
        ]
    )
