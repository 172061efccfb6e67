"""Which part of the preset `ns2` of XCP its means depend on: ours with the preset less one part.

    python tests/peers/xcp_parts.py [--seeds 20] [--write docs/validation.md]

prints the table; `--write` puts it into a page, between the two comments that name this file. ns-2 is not needed.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from pathlib import Path

import explicit

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


def write(page: Path, lines: list[str]) -> None:
    """Puts the table between the comments that mark its place."""
    place = re.compile(r"(<!-- begin xcp_parts\.py -->\n)(.*?)(<!-- end xcp_parts\.py -->)", re.DOTALL)
    text, found = place.subn(
        lambda old: f"{old[1]}\n{chr(10).join(lines)}\n\n{old[3]}", page.read_text(encoding="utf-8")
    )
    if not found:
        raise ValueError(f"{page}: there is no place for the table, <!-- begin xcp_parts.py -->")
    page.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="XCP's preset ns2 less one part.")
    parser.add_argument("--seeds", type=int, default=20, help="seeds 1 to this number (default 20)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page too")
    arguments = parser.parse_args()

    seeds = range(1, arguments.seeds + 1)
    lines = [*HEAD, *(row(part, seeds) for part in PARTS)]
    print("\n".join(lines))
    if arguments.write:
        write(arguments.write, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
