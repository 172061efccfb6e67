"""Single runs of ns-2, seed by seed, of which `make test` makes a few again and finds the same.

    python tests/peers/single_runs.py [--workers 2]

runs all of them and writes single_runs.json. The means of those of `LIVE` are in measured.toml; ours is compared with
the `OTHERS`. A seed gives the same run of ns-2 each time, as long as the scripts and the settings are as they were.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import class_settings
import classes
import explicit
import ns2
import psand
import red_filter
from beside_ns2 import SEEDS
from ns2 import Metrics

FILE = Path(__file__).resolve().parents[2] / "evidence" / "ns2" / "single_runs.json"

LIVE = (
    # One of each kind of queue and sender that costs ns-2 little.
    *("fifo-1", "red-strict-1", "red-gentle-1", "red-ecn-1", "ared-1", "pi-2", "rem-1", "avq-2"),
    *("tahoe-1", "exp-newreno", "web-1", "two-way-1"),
)


@dataclass(frozen=True)
class Runs:
    """How ns-2 makes a run, and with which seeds."""

    made: Callable[[int], Metrics]
    seeds: Sequence[int]


OTHERS = {
    name: Runs(partial(explicit.run_ns2, explicit.setting(name)), SEEDS if name.startswith("xcp") else SEEDS[:3])
    for name in explicit.SETTINGS
}
OTHERS |= {
    name: Runs(partial(classes.theirs, setting), SEEDS[:6])
    for name, setting in class_settings.SETTINGS.items()
    if setting.brief or name == "fq-calls"
}
OTHERS |= {psand.name(setting): Runs(partial(psand.theirs, setting), SEEDS[:8]) for setting in psand.settings()}
OTHERS |= {
    name: Runs(partial(red_filter.theirs, red_filter.COMMON | setting), SEEDS[:10])
    for name, setting in red_filter.SETTINGS.items()
}


def kept(file: Path = FILE) -> Mapping[str, list[Metrics]]:
    """The runs of each setting, in the order of the seeds."""
    content = json.loads(file.read_text(encoding="utf-8"))
    return {
        name: [dict(zip(of, row, strict=True)) for row in zip(*of.values(), strict=True)]
        for name, of in content.items()
    }


def keep(runs: Mapping[str, Sequence[Metrics]], file: Path = FILE) -> None:
    """Write the runs: of each setting a row for each metric."""
    rows = {
        name: {metric: [float(f"{run[metric]:.9g}") for run in of] for metric in of[0]} for name, of in runs.items()
    }
    texts = [
        f'"{name}": {{\n' + ",\n".join(f'  "{metric}": {json.dumps(values)}' for metric, values in of.items()) + "\n}"
        for name, of in rows.items()
    ]
    file.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Keep single runs of ns-2.")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    settings = ns2.load_settings()
    runs = dict(zip(LIVE, ns2.run_all([settings[name] for name in LIVE], SEEDS, arguments.workers), strict=True))
    with ThreadPoolExecutor(arguments.workers) as pool:
        runs |= {name: list(pool.map(other.made, other.seeds)) for name, other in OTHERS.items()}
    keep(runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
