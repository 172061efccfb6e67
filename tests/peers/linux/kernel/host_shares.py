"""How CAKE shares a link among hosts in the closed loop, in the kernel and in Sojourn.

    python tests/peers/linux/kernel/host_shares.py        runs the kernel: writes host_shares.json

Hosts have one, two and five flows of CUBIC. A host's share is that of the bytes that were acknowledged in 40 s after
10 s, of each run, with starts of their own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import kernel_machine
import numpy as np
import numpy.typing as npt
from closed_tables import head
from kernel_machine import FULL_PACKET, Job
from recorded import CAKE

import sojourn

MEASURED = Path(__file__).resolve().parent / "host_shares.json"
FLOWS = (1, 2, 5)
TRANSPORT = (
    '{ kind = "tcp", profile = "linux", packet = "1514B", header = "66B", ack_size = "66B", '
    'control = { kind = "cubic", preset = "linux" } }'
)
WARM, END = 10.0, 50.0
RUNS = 6
# The words for CAKE, as in `recorded.CAKE`.
RATE = 10_000_000


@dataclass(frozen=True)
class Setting:
    """A way to isolate, and whether the three hosts send or receive."""

    isolation: str
    sends: bool

    @property
    def name(self) -> str:
        """The name in the file of measurements."""
        return f"{self.isolation}, {'senders' if self.sends else 'receivers'}"

    @property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """Source and target of each flow."""
        of_flows = [host for host, flows in enumerate(FLOWS, 1) for _ in range(flows)]
        return tuple((host, 1) if self.sends else (1, host) for host in of_flows)

    def job(self, seed: int) -> Job:
        """The job of the kernel."""
        tc = f"{CAKE} besteffort {self.isolation}"
        return Job(
            self.name.replace(", ", "-"),
            tc,
            ("cubic",) * sum(FLOWS),
            warm=WARM,
            seconds=END,
            places=self.ends,
            shapes_itself=True,
            seed=seed,
        )

    def scenario(self) -> str:
        """The job of Sojourn: CAKE lets a packet go when its transmission begins, to a link that takes no time. The
        oracle's delay behind it has the time of a full packet on top; here one half of it is on each way.
        """
        delay = 20 + FULL_PACKET * 4000 / RATE
        groups = []
        for host, flows in enumerate(FLOWS, 1):
            source, target = (f"a{host}", "b1") if self.sends else ("a1", f"b{host}")
            groups.append(f"""
[[flow]]
name = "host{host}"
from = "{source}"
to = "{target}"
count = {flows}
start = {{ at = "0s", spread = "2s" }}
transport = {TRANSPORT}
""")
        nodes = ["r1", "r2", *(f"{side}{host}" for side in "ab" for host in (1, 2, 3))]
        wires = [(f"a{host}", "r1") for host in (1, 2, 3)] + [("r2", f"b{host}") for host in (1, 2, 3)]
        cake = 'kind = "cake", preset = "linux", bandwidth = "10Mbit", tins = "besteffort"'
        queue = f'{{ {cake}, isolation = "{self.isolation}" }}'
        links = ",\n".join(
            f'    {{ from = "{left}", to = "{right}", rate = "100Gbit", delay = "0s" }}' for left, right in wires
        )
        return f"""
duration = "{END}s"
warmup = "{WARM}s"
node = [{", ".join(f'{{ name = "{name}" }}' for name in nodes)}]
link = [
    {{ from = "r1", to = "r2", name = "shaped", rate = "100Gbit", delay = "{delay}ms", queue = {queue} }},
{links},
]
{"".join(groups)}"""

    def ours(self, seed: int) -> list[float]:
        """Each host's share in Sojourn."""
        table = sojourn.run(sojourn.Scenario.from_toml(self.scenario()), seed=seed).group
        rates = dict(zip(table["group"].to_list(), table["goodput_mean_bps"].to_list(), strict=True))
        of_hosts = [flows * rates[f"host{host}"] for host, flows in enumerate(FLOWS, 1)]
        return [rate / sum(of_hosts) for rate in of_hosts]


SETTINGS = [
    Setting("triple-isolate", True),
    Setting("triple-isolate", False),
    Setting("dual-srchost", True),
    Setting("dual-dsthost", False),
    Setting("dual-srchost", False),
    Setting("flows", True),
]


# Runs of Sojourn.
SEEDS = 8


def shares(setting: Setting) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The mean share of each host over the kernel's runs and over Sojourn's."""
    theirs = json.loads(MEASURED.read_text())[setting.name]
    ours = [setting.ours(seed) for seed in range(1, SEEDS + 1)]
    return np.mean(theirs, axis=0), np.mean(ours, axis=0)


def table() -> str:
    """Shares of the hosts with one, two and five flows, in the kernel and in Sojourn, for the page."""
    lines = [
        head(("isolation", *(f"host with {flows} flow{'s' * (flows > 1)}" for flows in FLOWS), "largest difference"))
    ]
    for setting in SETTINGS:
        theirs, ours = shares(setting)
        cells = [f"{kernel:.3f}, {mine:.3f}" for kernel, mine in zip(theirs, ours, strict=True)]
        lines.append(f"| {setting.name} | {' | '.join(cells)} | {np.abs(ours / theirs - 1).max():.1%} |")
    return "\n".join(lines)


def of_kernel(out: Path) -> list[float]:
    """Each host's share in one run of the kernel."""
    # Lines come in the order in which flows end; each says its port.
    lines = sorted((out / "flows").read_text().splitlines(), key=lambda line: int(line.split()[-1]))
    acked = np.array([int(line.split()[2]) for line in lines], float)
    of_hosts = [float(part.sum()) for part in np.split(acked, np.cumsum(FLOWS)[:-1])]
    return [rate / sum(of_hosts) for rate in of_hosts]


def main() -> None:
    """The command."""
    kernel_machine.measure(MEASURED, {setting.name: setting.job for setting in SETTINGS}, of_kernel, RUNS)


if __name__ == "__main__":
    main()
