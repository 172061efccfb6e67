"""The cost of a packet in ours alone: as flows are added, and under other sources than bulk.

A packet is one that leaves the bottleneck; the set-up is taken off. Where valgrind is installed, instructions are
counted in a shorter run: their number does not depend on what else the machine does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from process import ROOT, SETUP_SECONDS, execute, has_valgrind, instructions, spread

HERE = Path(__file__).resolve().parent.relative_to(ROOT)
SIZES = (10, 100, 1_000, 10_000)
REFERENCE = 100
"""Flows against which the growth is shown."""
SECONDS = 10
COUNTED_SECONDS = {10: 10, 100: 3, 1_000: 1, 10_000: 1}
"""For which instructions are counted: with few flows longer, since the tables at the end cost the same."""


@dataclass
class Cost:
    """Of a workload: an entry per round."""

    arguments: list[str]
    seconds: float
    counted_seconds: float
    run_us: list[float] = field(default_factory=list)
    peak_mib: float = 0.0
    utilisation: float = 0.0

    def command(self, ours: Sequence[str], seconds: float) -> list[str]:
        return [*ours, *self.arguments, f"t={seconds:g}"]

    def add_round(self, ours: Sequence[str], cpu: int) -> None:
        whole = execute(self.command(ours, self.seconds), cpu)
        setup = execute(self.command(ours, SETUP_SECONDS), cpu)
        self.run_us.append(1e6 * (whole.cpu_seconds - setup.cpu_seconds) / whole.output["departures"])
        self.peak_mib = max(self.peak_mib, whole.peak_mib)
        self.utilisation = whole.output["utilisation"]

    def instructions(self, ours: Sequence[str]) -> str:
        """Per packet, or a dash."""
        if not has_valgrind():
            return "-"
        whole, output = instructions(self.command(ours, self.counted_seconds))
        setup, _ = instructions(self.command(ours, SETUP_SECONDS))
        return f"{(whole - setup) / output['departures']:.0f}"


def _flows(ours: Sequence[str], cpu: int, rounds: int) -> list[str]:
    costs = {size: Cost([f"n={size}", f"c={size}"], SECONDS, COUNTED_SECONDS[size]) for size in SIZES}
    for _ in range(rounds):
        for cost in costs.values():
            cost.add_round(ours, cpu)
    lines = [
        f"| flows | µs per packet | against {REFERENCE} flows | instructions per packet | peak MiB |",
        "|---|---|---|---|---|",
    ]
    reference = costs[REFERENCE].run_us
    for size, cost in costs.items():
        grown = spread([us / base for us, base in zip(cost.run_us, reference, strict=True)])
        counted = cost.instructions(ours)
        lines.append(f"| {size} | {spread(cost.run_us)} | {grown} | {counted} | {cost.peak_mib:.1f} |")
    return lines


def _sources(ours: Sequence[str], cpu: int, rounds: int) -> list[str]:
    lines = [
        "| sources | utilisation | µs per packet | instructions per packet | peak MiB |",
        "|---|---|---|---|---|",
    ]
    for title, name in (("2000 web sessions", "web"), ("a mix of all kinds", "mix")):
        print(f"{title} ...", file=sys.stderr)
        cost = Cost([f"file={HERE / name}.toml"], 60, 3)
        for _ in range(rounds):
            cost.add_round(ours, cpu)
        counted = cost.instructions(ours)
        shown = f"[{title}](../../{HERE / name}.toml)"
        lines.append(f"| {shown} | {cost.utilisation:.1%} | {spread(cost.run_us)} | {counted} | {cost.peak_mib:.1f} |")
    return lines


def report(ours: Sequence[str], cpu: int, rounds: int) -> str:
    """The tables, as Markdown."""
    return "\n".join(
        [
            "## More flows, other sources",
            "",
            "This table shows how the cost of a packet grows with the number of flows. Sojourn runs alone. The link "
            f"has 1 Mbit/s for each flow, a run lasts {SECONDS} s, and runs of all sizes take turns. The set-up is "
            "not counted. Callgrind counts the instructions, in runs of "
            f"{', '.join(str(COUNTED_SECONDS[size]) for size in SIZES)} s. If the time grows by more than the "
            "instructions, the processor waits for memory; how long depends on its caches and on the other programs "
            f"that use them. {SIZES[0]} flows send few packets in {SECONDS} s, so that the tables made at the end, "
            "and caches that are empty at the beginning, cost more for each packet than in the longer run of the "
            "first table.",
            "",
            *_flows(ours, cpu, rounds),
            "",
            "The second table has other sources, at 100 Mbit/s for 60 s (instructions: 3 s):",
            "",
            *_sources(ours, cpu, rounds),
            "",
        ]
    )
