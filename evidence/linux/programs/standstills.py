"""BBR behind a long queue on a link that loses packets, in the kernel and in Sojourn: how many packets the queue drops
before and after the first flow drains it, and how many flows stand still.

    python evidence/linux/programs/standstills.py [SEEDS]        prints both sides

A flow stands still if it has data out and its acknowledgements do not move for longer than three timeouts. In the
kernel the first flow of each run is asked, in Sojourn all six.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import fates
import kernel_build
import kernel_machine
import numpy as np
import segments
from closed_settings import Setting
from kernel_machine import SECOND

import sojourn

FLOWS, LIMIT, LOSS, END = 6, 200, 0.02, 20.0
# ProbeRTT comes 10 s after the shortest round trip, which the first second has.
EARLY, LATE = (2, 10), (13, 20)
TIMEOUTS = 3


@dataclass(frozen=True)
class Found:
    """For one run: the packets that the queue drops in a second, the number of flows, and of those that stand still."""

    early: float
    late: float
    flows: int
    still: int


def per_second(times: np.ndarray) -> tuple[float, float]:
    """Means of drops, early and late."""
    early, late = (float(((times >= begin) & (times < end)).sum()) / (end - begin) for begin, end in (EARLY, LATE))
    return early, late


def setting() -> Setting:
    """The link and its senders."""
    return Setting("pfifo", "bbr", FLOWS, rate=5_000_000)


def of_kernel(kernel: Path, seed: int) -> Found:
    """One run of the kernel."""
    queue = f"pfifo limit {LIMIT}"
    job = replace(setting().job(seed), seed=seed, queue=queue, loss=LOSS, seconds=END, warm=1.0, segments=True)
    with tempfile.TemporaryDirectory() as folder:
        out = kernel_machine.run(kernel, job, Path(folder) / "run")
        zero = int((out / "log").read_text().split("ZERO ")[-1].split()[0])
        file = kernel_machine.calls_of(out)
        recorded = fates.of_calls(file, {})
        sender = np.fromfile(out / "sender.segments", segments.SEGMENT)
    dropped = recorded.times[recorded.columns["gone"] > 0]
    early, late = per_second((dropped - zero) / SECOND)
    return Found(early, late, 1, int(stands_still(sender)))


def stands_still(sender: np.ndarray) -> bool:
    """Whether the acknowledgements do not move for longer than three timeouts."""
    moved, una, timeout, still = 0, -1, 0, False
    for row in sender[sender["leaves"] == 0]:
        if una < 0 or segments.signed(np.int64(row["ack"]) - una) > 0:
            still |= moved > 0 and int(row["time"]) - moved > TIMEOUTS * 1000 * timeout
            moved, una = int(row["time"]), np.int64(row["ack"])
        timeout = int(row["rto"])
    return still


def of_ours(seed: int) -> Found:
    """One run of Sojourn."""
    text = (
        setting()
        .scenario()
        .replace("duplex = false\n", f'duplex = false\nloss = {{ kind = "uniform", probability = {LOSS} }}\n')
    )
    text = text.replace('limit = "100p"', f'limit = "{LIMIT}p"').replace('duration = "60.0s"', f'duration = "{END}s"')
    text = text.replace('warmup = "10.0s"', 'warmup = "1s"') + "[record]\ndrops = true\n"
    result = sojourn.run(sojourn.Scenario.from_toml(text), seed=seed)
    early, late = per_second(result.drops["time_s"].to_numpy())
    still = [int(row[2].split(" ")[0]) for row in result.warnings.rows() if row[0] == "standstill"]
    return Found(early, late, FLOWS, sum(still))


def summary(name: str, found: list[Found]) -> str:
    """One side in words."""
    parts = []
    for what, (begin, end) in (("early", EARLY), ("late", LATE)):
        values = [getattr(one, what) for one in found]
        half = 1.96 * np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.inf
        parts.append(f"{np.mean(values):.1f} ± {half:.1f} drops in a second from {begin} to {end} s")
    flows, still = sum(one.flows for one in found), sum(one.still for one in found)
    return f"{name}, {len(found)} runs: {', '.join(parts)}; {still} of {flows} flows stand still"


def main(seeds: str = "24") -> None:
    """The command."""
    kernel = kernel_build.build()
    numbers = range(1, int(seeds) + 1)
    print(summary("Sojourn", [of_ours(seed) for seed in numbers]), flush=True)
    theirs = []
    for seed in numbers:
        theirs.append(of_kernel(kernel, seed))
        print(summary("kernel", theirs), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
