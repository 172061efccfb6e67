"""How CAKE shares a link among hosts in the closed loop: hosts have one, two and five flows.

python evidence/linux/programs/host_shares.py        runs the kernel: writes host_shares.json
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import places
from shares import DELAY_MS, RATE, Setting, measure, shares

FLOWS = (1, 2, 5)
HOSTS = range(1, len(FLOWS) + 1)


@dataclass(frozen=True)
class Hosts(Setting):
    """A way to isolate, and whether the three hosts send or receive."""

    measured = places.CLOSED / "host_shares.json"
    isolation: str
    sends: bool

    @property
    def name(self) -> str:
        """The way to isolate, and the side of the three hosts."""
        return f"{self.isolation}, {'senders' if self.sends else 'receivers'}"

    @property
    def tc(self) -> str:
        """One tin."""
        return f"besteffort {self.isolation}"

    @property
    def groups(self) -> dict[str, int]:
        """The hosts by number."""
        return {f"host{host}": flows for host, flows in zip(HOSTS, FLOWS, strict=True)}

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The other side is one host."""
        of_flows = [host for host, flows in zip(HOSTS, FLOWS, strict=True) for _ in range(flows)]
        return tuple((host, 1) if self.sends else (1, host) for host in of_flows)

    def network(self) -> str:
        """Two routers with three hosts each."""
        nodes = ["r1", "r2", *(f"{side}{host}" for side in "ab" for host in HOSTS)]
        wires = [(f"a{host}", "r1") for host in HOSTS] + [("r2", f"b{host}") for host in HOSTS]
        cake = f'kind = "cake", preset = "linux", bandwidth = "{RATE}bit", tins = "besteffort"'
        queue = f'{{ {cake}, isolation = "{self.isolation}" }}'
        links = ",\n".join(
            f'    {{ from = "{left}", to = "{right}", rate = "100Gbit", delay = "0s" }}' for left, right in wires
        )
        return f"""node = [{", ".join(f'{{ name = "{name}" }}' for name in nodes)}]
link = [
    {{ from = "r1", to = "r2", name = "shaped", rate = "100Gbit", delay = "{DELAY_MS}ms", queue = {queue} }},
{links},
]"""

    def own(self, group: str) -> str:
        """The two ends."""
        host = group.removeprefix("host")
        source, target = (f"a{host}", "b1") if self.sends else ("a1", f"b{host}")
        return f'from = "{source}"\nto = "{target}"'


SETTINGS = [
    Hosts("triple-isolate", True),
    Hosts("triple-isolate", False),
    Hosts("dual-srchost", True),
    Hosts("dual-dsthost", False),
    Hosts("dual-srchost", False),
    Hosts("flows", True),
]


ABOUT = "Each host's part of the bytes behind CAKE: the kernel's, and ours."
COLUMNS = ("isolation", *(f"host with {flows} flow{'s' * (flows > 1)}" for flows in FLOWS), "largest difference")


def rows() -> Iterator[list[str]]:
    """Shares of the hosts with one, two and five flows, in the kernel and in Sojourn."""
    for setting in SETTINGS:
        theirs, ours = shares(setting)
        cells = [f"{kernel:.3f}, {mine:.3f}" for kernel, mine in zip(theirs, ours, strict=True)]
        yield [setting.name, *cells, f"{np.abs(ours / theirs - 1).max():.1%}"]


if __name__ == "__main__":
    measure(SETTINGS)
