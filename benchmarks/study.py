"""The cost of a large study: memory of the whole process, and bytes on disk for a run.

    .venv/bin/python benchmarks/study.py --runs 100000

The runs are short, as their length is no matter: of each only the study's metrics are kept.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import sojourn
from sojourn import Axis

_POINTS = 10


def main() -> None:
    """Measure, and print a line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=100_000)
    options.add_argument("--workers", type=int, default=2)
    wanted = options.parse_args()
    scenario = sojourn.Scenario.load("scenarios/red_classic.toml", overrides=["warmup='1s'", "duration='1.2s'"])
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02 * (1 + place) for place in range(_POINTS)])}
    seeds = range(1, 1 + max(1, wanted.runs // _POINTS))
    runs = _POINTS * len(seeds)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        swept = sojourn.sweep(
            scenario, over=over, metrics=["loss_ratio", "utilisation"], seeds=seeds, workers=wanted.workers, out=folder
        )
        took = time.perf_counter() - started
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    if len(swept.values) != runs:
        raise SystemExit(f"{len(swept.values)} of {runs} runs came back")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{runs} runs in {took:.0f} s: at most {memory:.0f} MiB of memory, {size / runs:.0f} bytes on disk for a run")


if __name__ == "__main__":
    main()
