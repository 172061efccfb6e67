"""The cost of a quick run of each work: wall time, CPU time, and how much it decides.

    .venv/bin/python benchmarks/works.py                    # all works; --only KEY for one
    .venv/bin/python benchmarks/works.py --full             # of full runs; nothing is kept
    .venv/bin/sojourn reproduce --scoreboard docs/reproduction.md

Each is a process of its own, as a user starts it. What it took is left as quick.toml in the work's folder, and the
scoreboard makes a table of it. Wall times are those of a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime

from sojourn import _core
from sojourn._rooms.works.quick_runs import MOST_SECONDS, Took, keep
from sojourn.papers import find

_COMMAND = [sys.executable, "-c", "from sojourn._rooms.cli import main; main()", "reproduce"]


def main() -> None:
    """Measure, write, and print a line for each work."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", metavar="KEY", action="append", choices=list(find()), help="only this work")
    options.add_argument("--full", action="store_true", help="full runs, which are measured only")
    chosen = options.parse_args()
    for key in chosen.only or find():
        load = os.getloadavg()[0]
        took = measured(key, "--full" if chosen.full else "--quick")
        if not chosen.full:
            keep(find()[key], took)
        late = f", more than {MOST_SECONDS} s" if took.wall_seconds > MOST_SECONDS and not chosen.full else ""
        print(
            f"{key}: {took.wall_seconds:.1f} s{late}, {took.cpu_seconds:.1f} s of CPU time; {took.decided} of "
            f"{took.claims} claims decided; the load was {load:.1f} on {took.cores} cores before",
            flush=True,
        )


def measured(key: str, how: str) -> Took:
    """The cost of a run."""
    before, started = _cpu_seconds(), time.perf_counter()
    done = subprocess.run([*_COMMAND, key, how, "--json"], stdout=subprocess.PIPE, text=True, check=True)
    wall = time.perf_counter() - started
    own = [claim for claim in json.loads(done.stdout)["claims"] if not claim["reading"]]
    return Took(
        version=_core.version(),
        date=datetime.now(UTC).date().isoformat(),
        wall_seconds=round(wall, 1),
        cpu_seconds=round(_cpu_seconds() - before, 1),
        cores=os.cpu_count() or 1,
        claims=len(own),
        decided=sum(claim["verdict"] != "undecided" for claim in own),
    )


def _cpu_seconds() -> float:
    """Of all processes that were waited for."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()
