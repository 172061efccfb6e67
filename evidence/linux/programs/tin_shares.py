"""How CAKE shares a link among its tins in the closed loop: flows have different DSCPs.

python evidence/linux/programs/tin_shares.py        runs the kernel: writes tin_shares.json
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import places
from shares import DELAY_MS, RATE, Setting, measure, shares

# The class selectors (RFC 2474) and expedited forwarding (RFC 3246).
CODES = {"CS0": 0, "CS1": 8, "CS2": 16, "CS3": 24, "CS4": 32, "CS5": 40, "CS6": 48, "CS7": 56, "EF": 46}


@dataclass(frozen=True)
class Tins(Setting):
    """CAKE's tins, and the flows of each DSCP."""

    measured = places.CLOSED / "tin_shares.json"
    tc: str
    groups: dict[str, int]

    @property
    def name(self) -> str:
        """The tins, and how many flows have each DSCP."""
        return f"{self.tc}: {', '.join(f'{many} {code}' for code, many in self.groups.items())}"

    @property
    def codes(self) -> tuple[int, ...]:
        """By the names of the groups."""
        return tuple(CODES[code] for code, many in self.groups.items() for _ in range(many))

    def network(self) -> str:
        """A dumbbell."""
        queue = f'kind = "cake", preset = "linux", bandwidth = "{RATE}bit", tins = "{self.tc}"'
        return f'[dumbbell]\nrate = "100Gbit"\ndelay = "{DELAY_MS}ms"\nqueue = {{ {queue} }}'

    def own(self, group: str) -> str:
        """The DSCP."""
        return f'dscp = "{group}"'


SETTINGS = [
    Tins("diffserv3", {"CS1": 2, "CS0": 2, "EF": 2}),
    Tins("diffserv4", {"CS1": 1, "CS0": 4, "CS4": 2, "EF": 1}),
    Tins("diffserv8", {"CS1": 2, "CS0": 2, "CS2": 2, "CS4": 2, "CS5": 2}),
    Tins("precedence", {"CS0": 2, "CS2": 2, "CS5": 2}),
]


ABOUT = "Each DSCP's part of the bytes behind CAKE: the kernel's, and ours."
COLUMNS = ("tins and flows", "shares: kernel, Sojourn", "largest difference")


def rows() -> Iterator[list[str]]:
    """Shares of the tins, in the kernel and in Sojourn."""
    for setting in SETTINGS:
        theirs, ours = shares(setting)
        cells = [
            f"{code} {kernel:.3f}, {mine:.3f}" for code, kernel, mine in zip(setting.groups, theirs, ours, strict=True)
        ]
        yield [setting.name, "; ".join(cells), f"{np.abs(ours - theirs).max():.4f}"]


if __name__ == "__main__":
    measure(SETTINGS)
