"""Arrivals that come within a microsecond of a departure of the shaper: which of both was first in the kernel.

    python evidence/linux/programs/tie_order.py sfb_ecn-reno-1-10mbit-40ms choke-cubic-1-100mbit-40ms

The packets of a flow come in the rhythm of its acknowledgements, so that a packet arrives again and again just when the
shaper is free. In Sojourn the departure is first then, as at any link. In the kernel each reading of the clock takes
256 ns, and the timer of the shaper was set for a time before that of the arrival.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import closed_settings
import fates
import kernel_build
import kernel_machine
import numpy as np

NEAR_NS = 1000


def count(file: Path) -> tuple[int, int]:
    """Ties in which the departure was first, and those in which the arrival was."""
    recorded = fates.of_calls(file, {})
    times, kind = recorded.times, recorded.columns["kind"]
    arrives = np.flatnonzero(kind == fates.COMES)
    departs = np.flatnonzero(kind == fates.ASKED)[recorded.columns["empty"] == 0]
    # A packet that finds the shaper free leaves in the next call, at the same time: that is no tie.
    waited = times[departs] > times[arrives[recorded.left]]
    departs = departs[waited]
    low = np.searchsorted(times[departs], times[arrives] - NEAR_NS)
    high = np.searchsorted(times[departs], times[arrives] + NEAR_NS, side="right")
    first = [
        departs[at] < call for call, begin, end in zip(arrives, low, high, strict=True) for at in range(begin, end)
    ]
    return sum(first), len(first) - sum(first)


def main() -> None:
    """Runs each setting once, with the seed of its first run."""
    settings = {one.name: one for part in closed_settings.PARTS.values() for one in part()}
    unknown = [name for name in sys.argv[1:] if name not in settings]
    if unknown or not sys.argv[1:]:
        print(f"{', '.join(unknown) or 'no name'} is no setting; kernel_loop.py list has them", file=sys.stderr)
        sys.exit(2)
    kernel = kernel_build.build()
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            out = kernel_machine.run(kernel, settings[name].job(1), Path(folder) / "run")
            departures, arrivals = count(kernel_machine.calls_of(out))
        print(f"{name}: {departures + arrivals:,} ties; in {departures:,} of them the departure was first")


if __name__ == "__main__":
    main()
