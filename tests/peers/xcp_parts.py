"""Which part of the preset `ns2` of XCP its means depend on: ours with the preset less one part.

    python tests/peers/xcp_parts.py [--seeds 20] [--write]

prints the table; `--write` keeps it. ns-2 is not needed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2] / "evidence"))

import explicit
import tables

import sojourn

SETTINGS = ("xcp", "xcp-spread")

PARTS = {
    "(all of it)": ("", ""),
    "windows in whole packets": ("whole_window = false", ""),
    "ticks of 10 ms": ('rtt_tick = "0s"', ""),
    "grants as throughput": ('grant_unit = "window"', ""),
    "grants by the payload": ("grants_payload = false", ""),
    "the link not seen idle": ("", "sees_idle = true"),
    "capacity dealt out after SYNs": ("", "deals_blindly = false"),
}
"""Settings over the preset of the control law, and over that of the queue."""

KEPT = tables.EVIDENCE / "ns2" / "xcp_parts.toml"
ABOUT = [
    "XCP with the preset `ns2` less one behaviour.",
    "Written by",
    "    python tests/peers/xcp_parts.py --write",
]
HEAD = [
    "| preset `ns2` without | mean queue of `xcp` | utilisation (%) | mean queue of `xcp-spread` | utilisation (%) | "
    "Jain's index |",
    "|---|---|---|---|---|---|",
]


def without(name: str, part: str) -> sojourn.Scenario:
    """A setting with the preset less one part."""
    law, queue = PARTS[part]
    return sojourn.Scenario.from_toml(explicit.scenario_text(explicit.setting(name), queue=queue, law=law))


def row(part: str, seeds: range) -> str:
    """The means of one part."""
    metrics = {
        name: [explicit.metrics(sojourn.run(without(name, part), seed=seed), explicit.setting(name)) for seed in seeds]
        for name in SETTINGS
    }

    def mean(name: str, metric: str) -> float:
        return statistics.fmean(run[metric] for run in metrics[name])

    cells = [f"{mean(name, 'mean_queue'):.2f} | {100 * mean(name, 'utilisation'):.2f}" for name in SETTINGS]
    return f"| {part} | {' | '.join(cells)} | {mean('xcp-spread', 'jain'):.4f} |"


def main() -> int:
    parser = argparse.ArgumentParser(description="XCP's preset ns2 less one part.")
    parser.add_argument("--seeds", type=int, default=20, help="seeds 1 to this number (default 20)")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {KEPT.name}")
    arguments = parser.parse_args()

    seeds = range(1, arguments.seeds + 1)
    lines = [*HEAD, *(row(part, seeds) for part in PARTS)]
    print("\n".join(lines))
    if arguments.write:
        columns, *kept = tables.cells(lines)
        tables.write(KEPT, ABOUT, columns, kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
