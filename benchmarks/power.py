"""The cost of keeping finished runs through a loss of power: the same studies with the disk waited for, and without.

    .venv/bin/python benchmarks/power.py

The runs are short, so that the cost can be seen: of a sweep it is a part of a second in all, of a study it is the same
for each run, however long that takes. The disk is that of the folder of temporary files, or what TMPDIR names.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import sojourn

_REPEATS = 5


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=400)
    wanted = options.parse_args()
    scenario = sojourn.Scenario.load("red_classic", overrides=["warmup='1s'", "duration='1.2s'"])
    seeds = range(1, 1 + wanted.runs)
    over = {"dumbbell.queue.max_p": [0.1]}
    kinds: dict[str, Callable[[Path], object]] = {
        "sweep --out": lambda folder: sojourn.sweep(
            scenario, over=over, metrics=["loss_ratio"], seeds=seeds, out=folder
        ),
        "run --out": lambda folder: sojourn.replicate(scenario, seeds=seeds, out=folder),
    }
    print(f"| {wanted.runs} runs of 1.2 s | with the disk waited for | without | for each run |\n|---|---:|---:|---:|")
    for name, work in kinds.items():
        with_s, without_s = _both(work)
        cost_ms = 1e3 * (with_s - without_s) / wanted.runs
        print(f"| `{name}` | {with_s:.2f} s | {without_s:.2f} s | {cost_ms:.2f} ms |")


def _both(work: Callable[[Path], object]) -> tuple[float, float]:
    """Median seconds with and without waiting, measured in turn."""
    waits, found = os.fsync, ([], [])  # type: tuple[Callable[[int], None], tuple[list[float], list[float]]]
    for _ in range(_REPEATS):
        for times, sync in zip(found, (waits, lambda _: None), strict=True):
            os.fsync = sync  # type: ignore[assignment]
            try:
                with tempfile.TemporaryDirectory() as folder:
                    started = time.perf_counter()
                    work(Path(folder) / "kept")
                    times.append(time.perf_counter() - started)
            finally:
                os.fsync = waits
    return statistics.median(found[0]), statistics.median(found[1])


if __name__ == "__main__":
    main()
