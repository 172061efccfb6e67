"""BBR and CUBIC behind a policer, in the kernel and in Sojourn.

    python evidence/linux/programs/policed.py        runs the kernel: writes policed.json

The link has 100 Mbit/s, and a policer before it lets 10 Mbit/s pass. Nothing waits at a policer: it drops packets
beyond the rate and a burst. BBR looks for such a rate (`bbr_lt_bw_sampling`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import closed_settings
import kernel_machine
import numpy as np
import places
from kernel_machine import Job

import sojourn

MEASURED = places.CLOSED / "policed.json"
RATE, LINK = 10_000_000, 100_000_000
WARM, END = 10.0, 40.0
RUNS, SEEDS = 12, 16
BYTES = 8
# Losses and goodput of a run: the part of packets that is dropped, and the part of the policer's rate that arrives.
Run = tuple[float, float]


@dataclass(frozen=True)
class Setting:
    """A control, its flows, and the burst in bytes."""

    control: str
    flows: int
    burst: int

    @property
    def name(self) -> str:
        """In the file and in the table."""
        return f"{self.flows} {self.control.upper()}, burst of {self.burst // 1000} kB"

    def job(self, seed: int) -> Job:
        """The job of the kernel: a filter of HTB polices, so that its drops are HTB's."""
        words = (
            "qdisc add dev r1b root handle 1: htb default 1",
            f"class add dev r1b parent 1: classid 1:1 htb rate {LINK}bit burst 1b cburst 1b quantum 1514",
            "qdisc add dev r1b parent 1:1 handle 10: pfifo limit 1000",
            "filter add dev r1b parent 1: protocol all matchall action police "
            f"rate {RATE}bit burst {self.burst} conform-exceed drop",
        )
        flows = (self.control,) * self.flows
        return Job("policed", "policer", flows, rate=LINK, warm=WARM, seconds=END, tree=words, seed=seed)

    def scenario(self) -> str:
        """The job of Sojourn."""
        plain = closed_settings.Setting("pfifo", self.control, self.flows, LINK).scenario()
        queue = f'kind = "policer", rate = "{RATE}bit", burst = "{self.burst}B", limit = "1000p"'
        timed = re.sub(r'duration = "[0-9.]+s"\nwarmup = "[0-9.]+s"', f'duration = "{END}s"\nwarmup = "{WARM}s"', plain)
        return timed.replace('kind = "fifo", limit = "100p"', queue)

    def ours(self, seed: int) -> Run:
        """One run of Sojourn."""
        result = sojourn.run(sojourn.Scenario.from_toml(self.scenario()), seed=seed)
        return result.queue["loss_ratio"][0], result.flow["delivered_bps"].sum() / RATE


SETTINGS = [
    Setting(control, flows, burst)
    for control in ("bbr", "cubic")
    for flows, burst in ((1, 15_000), (1, 150_000), (4, 15_000))
]


def counted(text: str) -> tuple[int, int]:
    """Packets sent and dropped, of tc's first queue."""
    found = re.search(r"Sent \d+ bytes (\d+) pkt \(dropped (\d+)", text)
    if not found:
        raise ValueError(f"tc says nothing of packets: {text[:200]}")
    return int(found[1]), int(found[2])


def of_kernel(out: Path) -> Run:
    """One run of the kernel."""
    before, after = (counted((out / f"{when}.tc").read_text()) for when in ("warm", "end"))
    sent, dropped = (late - early for early, late in zip(before, after, strict=True))
    acked = sum(float(line.split()[2]) for line in (out / "flows").read_text().splitlines())
    return dropped / (sent + dropped), BYTES * acked / (END - WARM) / RATE


ABOUT = "BBR and CUBIC behind a policer: losses, and goodput as a part of its rate, ± standard deviation of runs."
COLUMNS = ("flows and burst", "losses: kernel", "losses: Sojourn", "goodput: kernel", "goodput: Sojourn")


def rows() -> Iterator[list[str]]:
    """Losses and goodput, in the kernel and in Sojourn."""
    measured = json.loads(MEASURED.read_text())
    for setting in SETTINGS:
        if setting.name not in measured:
            continue
        ours = [setting.ours(seed) for seed in range(1, SEEDS + 1)]
        cells = []
        for place in range(2):
            sides = [100 * np.array([run[place] for run in runs]) for runs in (measured[setting.name], ours)]
            cells += [f"{side.mean():.2f} ± {side.std(ddof=1):.2f} %" for side in sides]
        yield [setting.name, *cells]


def main() -> None:
    """The command."""
    kernel_machine.measure(MEASURED, {setting.name: setting.job for setting in SETTINGS}, of_kernel, RUNS)


if __name__ == "__main__":
    main()
