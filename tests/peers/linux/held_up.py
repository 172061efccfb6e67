"""The effect of a busy machine on one Reno flow: ours, with ends that now and then run some milliseconds late.

    python tests/peers/linux/held_up.py [--seeds 8] [--write]

runs the setting `reno-1`, in which each end is held up some times a second for some time: packets that come meanwhile
are heard at its end. The kernel's measurements (measured.json) are beside it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[3] / "evidence"))

import oracle
import tables
from settings import Setting, load_settings

import sojourn

KEPT = tables.EVIDENCE / "linux" / "namespaces" / "held_up.toml"
ABOUT = [
    "One Reno flow whose ends are held up at random times.",
    "Written by",
    "    python tests/peers/linux/held_up.py --write",
]
CASES = ((0, 0.0), (1.3, 4.0), (1.3, 8.0), (2.6, 2.0), (2.6, 4.0), (5.0, 1.0), (5.0, 2.0), (5.0, 4.0))
"""How long an end is held up (ms), and how often (times a second)."""
STEPS = 10
"""The number of steps in which the delay falls back to zero while an end is held up."""
SOON = 0.1
"""Losses that lie no further apart (s) belong to one cycle, which takes 1.77 s."""


def changes(draw: random.Random, setting: Setting, held_ms: float, often: float) -> str:
    """Delays of a link to an end that is held up at random times."""
    found, at = [], 0.0
    while often and (at := at + draw.expovariate(often)) < setting.duration - 1:
        for step in range(STEPS + 1):
            left = held_ms * (1 - step / STEPS)
            found.append(f'{{ at = "{1e6 * at + 1e3 * (held_ms - left):.0f}us", delay = "{1e3 * left:.0f}us" }}')
        at += 2e-3 * held_ms
    return f"changes = [{', '.join(found)}]\n" if found else ""


def link(ends: str, rate: str, delay: str, limit: int, more: str = "") -> str:
    """A link in one direction."""
    return (
        f'[[link]]\nfrom = "{ends[0]}"\nto = "{ends[1]}"\nrate = "{rate}"\ndelay = "{delay}"\nduplex = false\n'
        f'queue = {{ kind = "fifo", limit = "{limit}p" }}\n{more}\n'
    )


def scenario_text(setting: Setting, seed: int, held_ms: float, often: float) -> str:
    """`simulated.scenario_text` with the links to both ends by themselves."""
    draw = random.Random(seed)
    fast, slow, delay = "100Gbit", f"{setting.rate_mbit}Mbit", f"{setting.delay_ms}ms"
    late = [changes(draw, setting, held_ms, often) for _ in range(2)]
    return f"""
title = "{setting.name}"
duration = "{setting.duration}s"
warmup = "{setting.warmup}s"
node = [{{ name = "s" }}, {{ name = "a" }}, {{ name = "b" }}, {{ name = "d" }}]
[record]
drops = true
[[flow]]
from = "s"
to = "d"
start = {{ at = "0s", spread = "{setting.start_spread}s" }}
[flow.transport]
kind = "tcp"
profile = "linux"
packet = "{setting.packet}B"
header = "{setting.header}B"
ack_size = "{setting.header}B"
control = {{ kind = "{setting.control}" }}
""" + "".join(
        (
            link("sa", fast, "0us", 100_000),
            link("ab", slow, delay, setting.limit, 'name = "forward"'),
            link("bd", fast, "0us", 100_000, late[0]),
            link("db", fast, "0us", 100_000),
            link("ba", slow, delay, 100_000, 'name = "reverse"'),
            link("as", fast, "0us", 100_000, late[1]),
        )
    )


def measure(setting: Setting, seed: int, held_ms: float, often: float) -> dict[str, float]:
    """Mean queue, loss, and losses that follow another one soon."""
    text = scenario_text(setting, seed, held_ms, often)
    result = sojourn.run(sojourn.Scenario.from_toml(text), seed=seed)
    forward = next(row for row in result.queue.iter_rows(named=True) if row["link"] == "forward")
    lost = result.drops.filter((result.drops["event"] == "drop") & (result.drops["time_s"] >= setting.warmup))
    times = lost["time_s"].to_list()
    return {
        "mean_queue": forward["backlog_mean_packets"],
        "loss": forward["loss_ratio"],
        "losses": float(len(times)),
        "seconds": float(sum(later - earlier < SOON for earlier, later in pairwise(times))),
    }


def rows(setting: Setting, seeds: int) -> Iterator[str]:
    """The table's."""
    titles = ("ends held up", "mean queue (packets)", "loss (%)", "losses in a run", "of which soon after another")
    yield f"| {' | '.join(titles)} |"
    yield "|---" * len(titles) + "|"
    for held_ms, often in CASES:
        runs = [measure(setting, seed, held_ms, often) for seed in range(1, seeds + 1)]
        mean = {key: sum(run[key] for run in runs) / seeds for key in runs[0]}
        name = f"{often:g} times a second for {held_ms:g} ms" if often else "never"
        yield (
            f"| {name} | {mean['mean_queue']:.2f} | {100 * mean['loss']:.3f} "
            f"| {mean['losses']:.1f} | {mean['seconds']:.1f} |"
        )
    kept = oracle.recorded()["runs"][setting.name]
    queue, loss = (sum(run[key] for run in kept) / len(kept) for key in ("mean_queue", "loss"))
    losses = sum(run["episodes"] * run["drops_per_episode"] for run in kept) / len(kept)
    yield f"| the kernel | {queue:.2f} | {100 * loss:.3f} | {losses:.1f} | |"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--write", action="store_true", help=f"keep the table in {KEPT.name}")
    arguments = parser.parse_args()
    text = "\n".join(rows(load_settings()["reno-1"], arguments.seeds))
    print(text)
    if arguments.write:
        columns, *kept = tables.cells(text.splitlines())
        tables.write(KEPT, ABOUT, columns, kept)


if __name__ == "__main__":
    main()
