"""How CAKE shares a link in the closed loop, in the kernel and in Sojourn: the parts that `host_shares.py` and
`tin_shares.py` have in common.

Groups of flows of CUBIC share the link: those of a host, or those with a DSCP. A group's share is that of the bytes
that were acknowledged in 40 s after 10 s, of each run, with starts of their own.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import kernel_machine
import numpy as np
import numpy.typing as npt
from kernel_machine import FULL_PACKET, Job

import sojourn

RATE, RTT_MS = 10_000_000, 40.0
WARM, END = 10.0, 50.0
# Of the kernel and of Sojourn.
RUNS, SEEDS = 6, 8
TRANSPORT = (
    '{ kind = "tcp", profile = "linux", packet = "1514B", header = "66B", ack_size = "66B", '
    'control = { kind = "cubic", preset = "linux" } }'
)
# CAKE lets a packet go when its transmission begins, to a link that takes no time. The oracle's delay behind it has the
# time of a full packet on top; in Sojourn one half of it is on each way.
DELAY_MS = RTT_MS / 2 + FULL_PACKET * 4000 / RATE


class Setting(ABC):
    """Groups of flows behind a CAKE.

    Attributes
    ----------
    measured
        The file of the kernel's shares.
    name
        In this file and in the table.
    tc
        Words of tc that follow the rate of CAKE.
    groups
        The flows of each group, in the order in which the job has them.
    codes, places
        The DSCP of each flow, or the hosts at which it starts and ends; empty if they have none of their own.
    """

    measured: ClassVar[Path]
    name: str
    tc: str
    groups: dict[str, int]
    codes: tuple[int, ...] = ()
    places: tuple[tuple[int, int], ...] = ()

    @abstractmethod
    def network(self) -> str:
        """The link with its queue, and the ways to it, for a scenario."""

    @abstractmethod
    def own(self, group: str) -> str:
        """The lines of a scenario that are a group's own."""

    def job(self, seed: int) -> Job:
        """The job of the kernel."""
        return Job(
            self.name,
            f"cake bandwidth {RATE // 1_000_000}mbit {self.tc}",
            ("cubic",) * sum(self.groups.values()),
            rate=RATE,
            rtt_ms=RTT_MS,
            warm=WARM,
            seconds=END,
            codes=self.codes,
            places=self.places,
            shapes_itself=True,
            seed=seed,
        )

    def scenario(self) -> str:
        """The same for Sojourn."""
        flows = (
            f"""
[[flow]]
name = "{group}"
{self.own(group)}
count = {count}
start = {{ at = "0s", spread = "2s" }}
transport = {TRANSPORT}
"""
            for group, count in self.groups.items()
        )
        return f'\nduration = "{END}s"\nwarmup = "{WARM}s"\n{self.network()}\n{"".join(flows)}'

    def of_kernel(self, out: Path) -> list[float]:
        """The share of each group in one run of the kernel."""
        # Lines come in the order in which flows end; each says its port.
        lines = sorted((out / "flows").read_text().splitlines(), key=lambda line: int(line.split()[-1]))
        acked = np.array([int(line.split()[2]) for line in lines], float)
        parts = np.split(acked, np.cumsum(list(self.groups.values()))[:-1])
        return _parts([float(part.sum()) for part in parts])

    def of_ours(self, seed: int) -> list[float]:
        """The share of each group in one run of Sojourn."""
        table = sojourn.run(sojourn.Scenario.from_toml(self.scenario()), seed=seed).group
        rates = dict(zip(table["group"].to_list(), table["goodput_mean_bps"].to_list(), strict=True))
        return _parts([count * rates[group] for group, count in self.groups.items()])


def _parts(of_groups: list[float]) -> list[float]:
    return [one / sum(of_groups) for one in of_groups]


def shares(setting: Setting) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The mean share of each group over the kernel's runs and over Sojourn's."""
    theirs = json.loads(setting.measured.read_text())[setting.name]
    ours = [setting.of_ours(seed) for seed in range(1, SEEDS + 1)]
    return np.mean(theirs, axis=0), np.mean(ours, axis=0)


def measure(settings: Sequence[Setting]) -> None:
    """Runs the kernel in each setting, and writes the shares of each run to the file."""
    for setting in settings:
        kernel_machine.measure(setting.measured, {setting.name: setting.job}, setting.of_kernel, RUNS)
