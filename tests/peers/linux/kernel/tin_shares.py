"""How CAKE shares a link among its tins in the closed loop, in the kernel and in Sojourn.

    python tests/peers/linux/kernel/tin_shares.py        runs the kernel: writes tin_shares.json

Flows of CUBIC have different DSCPs. A tin's share is that of the bytes that were acknowledged in 40 s after 10 s, of
each run, with starts of their own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import kernel_machine
import numpy as np
import numpy.typing as npt
from closed_tables import head
from kernel_machine import FULL_PACKET, Job

import sojourn

MEASURED = Path(__file__).resolve().parent / "tin_shares.json"
TRANSPORT = (
    '{ kind = "tcp", profile = "linux", packet = "1514B", header = "66B", ack_size = "66B", '
    'control = { kind = "cubic", preset = "linux" } }'
)
# The class selectors (RFC 2474) and expedited forwarding (RFC 3246).
CODES = {"CS0": 0, "CS1": 8, "CS2": 16, "CS3": 24, "CS4": 32, "CS5": 40, "CS6": 48, "CS7": 56, "EF": 46}
WARM, END = 10.0, 50.0
RATE, RTT_MS = 10_000_000, 40.0
# Of the kernel and of Sojourn.
RUNS, SEEDS = 6, 8


@dataclass(frozen=True)
class Setting:
    """CAKE's tins, and the flows of each DSCP."""

    tins: str
    flows: tuple[tuple[str, int], ...]

    @property
    def name(self) -> str:
        """In the file and in the table."""
        return f"{self.tins}: {', '.join(f'{many} {code}' for code, many in self.flows)}"

    def job(self, seed: int) -> Job:
        """The job of the kernel."""
        codes = tuple(CODES[code] for code, many in self.flows for _ in range(many))
        return Job(
            self.tins,
            f"cake bandwidth {RATE // 1_000_000}mbit {self.tins}",
            ("cubic",) * len(codes),
            rtt_ms=RTT_MS,
            warm=WARM,
            seconds=END,
            codes=codes,
            shapes_itself=True,
            seed=seed,
        )

    def scenario(self) -> str:
        """The same for Sojourn: CAKE lets a packet go when its transmission begins, to a link that takes no time. The
        oracle's delay behind it has the time of a full packet on top; here one half of it is on each way.
        """
        delay = RTT_MS / 2 + FULL_PACKET * 4000 / RATE
        groups = "".join(
            f"""
[[flow]]
name = "{code}"
count = {many}
dscp = "{code}"
start = {{ at = "0s", spread = "2s" }}
transport = {TRANSPORT}
"""
            for code, many in self.flows
        )
        queue = f'kind = "cake", preset = "linux", bandwidth = "{RATE}bit", tins = "{self.tins}"'
        return f"""
duration = "{END}s"
warmup = "{WARM}s"
[dumbbell]
rate = "100Gbit"
delay = "{delay}ms"
queue = {{ {queue} }}
{groups}"""

    def ours(self, seed: int) -> list[float]:
        """The share of each DSCP in Sojourn."""
        table = sojourn.run(sojourn.Scenario.from_toml(self.scenario()), seed=seed).group
        rates = dict(zip(table["group"].to_list(), table["goodput_mean_bps"].to_list(), strict=True))
        of_codes = [many * rates[code] for code, many in self.flows]
        return [rate / sum(of_codes) for rate in of_codes]


SETTINGS = [
    Setting("diffserv3", (("CS1", 2), ("CS0", 2), ("EF", 2))),
    Setting("diffserv4", (("CS1", 1), ("CS0", 4), ("CS4", 2), ("EF", 1))),
    Setting("diffserv8", (("CS1", 2), ("CS0", 2), ("CS2", 2), ("CS4", 2), ("CS5", 2))),
    Setting("precedence", (("CS0", 2), ("CS2", 2), ("CS5", 2))),
]


def shares(setting: Setting) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The mean share of each DSCP over the kernel's runs and over Sojourn's."""
    theirs = json.loads(MEASURED.read_text())[setting.name]
    ours = [setting.ours(seed) for seed in range(1, SEEDS + 1)]
    return np.mean(theirs, axis=0), np.mean(ours, axis=0)


def table() -> str:
    """Shares of the tins, in the kernel and in Sojourn, for the page."""
    lines = [head(("tins and flows", "shares: kernel, Sojourn", "largest difference"), words=2)]
    for setting in SETTINGS:
        theirs, ours = shares(setting)
        cells = [
            f"{code} {kernel:.3f}, {mine:.3f}"
            for (code, _), kernel, mine in zip(setting.flows, theirs, ours, strict=True)
        ]
        lines.append(f"| {setting.name} | {'; '.join(cells)} | {np.abs(ours - theirs).max():.4f} |")
    return "\n".join(lines)


def of_kernel(setting: Setting, out: Path) -> list[float]:
    """The share of each DSCP in one run of the kernel."""
    # Lines come in the order in which flows end; each says its port.
    lines = sorted((out / "flows").read_text().splitlines(), key=lambda line: int(line.split()[-1]))
    acked = np.array([int(line.split()[2]) for line in lines], float)
    parts = np.split(acked, np.cumsum([many for _, many in setting.flows])[:-1])
    of_codes = [float(part.sum()) for part in parts]
    return [rate / sum(of_codes) for rate in of_codes]


def main() -> None:
    """The command."""
    for setting in SETTINGS:
        kernel_machine.measure(MEASURED, {setting.name: setting.job}, partial(of_kernel, setting), RUNS)


if __name__ == "__main__":
    main()
