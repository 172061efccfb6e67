"""Runs Sojourn beside measurements of the kernel that only a few numbers are compared of, and keeps the tables.

    python evidence/linux/programs/linux_runs.py [hosts] [tins] [policer] [transfers]

writes closed/NAME.toml: hosts and tins behind CAKE, flows behind a policer, times of short transfers.
"""

from __future__ import annotations

import sys

import host_shares
import places
import policed
import short_flows
import tin_shares

if __name__ == "__main__":
    sys.path.append(str(places.LINUX.parent))

import tables

TABLES = {"hosts": host_shares, "tins": tin_shares, "policer": policed, "transfers": short_flows}


def main(names: list[str]) -> None:
    """The command."""
    for name in names or TABLES:
        module = TABLES[name]
        about = [module.ABOUT, "Written by", f"    python evidence/linux/programs/linux_runs.py {name}"]
        tables.write(places.CLOSED / f"{name}.toml", about, module.COLUMNS, module.rows())


if __name__ == "__main__":
    main(sys.argv[1:])
