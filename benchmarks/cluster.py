"""The cost of a Dask cluster: the same sweep in threads and on a cluster of as many worker processes on this machine.

    .venv/bin/python benchmarks/cluster.py --workers 2 --run 0.01 --runs 1000
    .venv/bin/python benchmarks/cluster.py --workers 2 --run 10 --runs 4
    .venv/bin/python benchmarks/cluster.py --write docs/cluster.md      # both, as the table of that page

Efficiency is the time in threads over the time on the cluster. It is that of a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import distributed

import sojourn
from sojourn import Axis

_POINTS = 4
_TABLE = ((0.01, 1000), (10.0, 8))
"""Seconds of a run and number of runs, for the page."""
_MARKS = ("<!-- efficiency, made by `benchmarks/cluster.py --write docs/cluster.md` -->", "<!-- end of efficiency -->")


class Measured(NamedTuple):
    """The time of a sweep, in threads and on the cluster."""

    runs: int
    run_s: float
    threads_s: float
    cluster_s: float
    bytes_on_disk: float
    load: float

    @property
    def efficiency(self) -> float:
        """Of the cluster, against threads."""
        return self.threads_s / self.cluster_s


def main() -> None:
    """Measure, and print a line for each sweep."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--run", type=float, default=0.01, help="seconds that one run takes")
    options.add_argument("--runs", type=int, default=400)
    options.add_argument("--write", type=Path, metavar="PAGE.md", help="runs of 10 ms and of 10 s, as the page's table")
    wanted = options.parse_args()
    found = []
    for run_s, runs in _TABLE if wanted.write else [(wanted.run, wanted.runs)]:
        one = _measured(wanted.workers, run_s, runs)
        print(
            f"{one.runs} runs of {1e3 * one.run_s:.1f} ms with {wanted.workers} workers: "
            f"threads {one.threads_s:.2f} s, cluster {one.cluster_s:.2f} s, efficiency {one.efficiency:.2f}, "
            f"{one.bytes_on_disk:.0f} bytes on disk for a run; "
            f"the load was {one.load:.1f} on {os.cpu_count()} cores before",
            flush=True,
        )
        found.append(one)
    if wanted.write:
        _write(wanted.write, found)


def _measured(workers: int, run_s: float, runs: int) -> Measured:
    # Measured on a busy machine the times say nothing; the load before says whether it was.
    load = os.getloadavg()[0]
    scenario = _scenario(run_s)
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02 * (1 + place) for place in range(_POINTS)])}
    seeds = range(1, 1 + max(1, runs // _POINTS))
    total = _POINTS * len(seeds)

    def timed(**more: object) -> tuple[float, sojourn.Swept]:
        started = time.perf_counter()
        swept = sojourn.sweep(scenario, over=over, metrics=["loss_ratio"], seeds=seeds, **more)
        return time.perf_counter() - started, swept

    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None
        ) as cluster,
        tempfile.TemporaryDirectory() as folder,
    ):
        local_s, local = timed(workers=workers, out=f"{folder}/local")
        place = f"dask://{cluster.scheduler_address.removeprefix('tcp://')}"
        sojourn.sweep(scenario, over=over, metrics=["loss_ratio"], seeds=[0], on=place)  # Workers import Sojourn once.
        cluster_s, there = timed(on=place, out=f"{folder}/cluster")
        size = (Path(folder) / "cluster" / "runs.log").stat().st_size
    if there.values != local.values:
        raise SystemExit("the values differ")
    return Measured(total, local_s * workers / total, local_s, cluster_s, size / total, load)


def _write(page: Path, found: list[Measured]) -> None:
    """The table between the marks of the page."""
    head, _, rest = page.read_text(encoding="utf-8").partition(_MARKS[0])
    _, marked, tail = rest.partition(_MARKS[1])
    if not marked:
        raise SystemExit(f"{page} has no lines {_MARKS[0]} and {_MARKS[1]}")
    lines = ["| a run takes | runs | threads | cluster | efficiency |", "|---:|---:|---:|---:|---:|"]
    for one in found:
        took = f"{1e3 * one.run_s:.0f} ms" if one.run_s < 1.0 else f"{one.run_s:.1f} s"
        lines.append(f"| {took} | {one.runs} | {one.threads_s:.2f} s | {one.cluster_s:.2f} s | {one.efficiency:.2f} |")
    loads = " and ".join(f"{one.load:.1f}" for one in found)
    made = f"(Version {sojourn.__version__}, {datetime.now(UTC).date().isoformat()}, on {os.cpu_count()} cores, whose "
    made += f"load was {loads} before. Efficiency is the time in threads over that on the cluster; values above 1 "
    made += "are chance.)"
    text = "\n".join([*lines, "", made])
    page.write_text(f"{head}{_MARKS[0]}\n\n{text}\n\n{_MARKS[1]}{tail}", encoding="utf-8")


def _scenario(run_s: float) -> sojourn.Scenario:
    """RED's classic dumbbell for as long as a run takes about this time here."""
    scenario = sojourn.Scenario.load("scenarios/red_classic.toml", overrides=["warmup='1s'", "duration='10s'"])
    sojourn.run(scenario)
    started = time.perf_counter()
    sojourn.run(scenario)
    duration = max(1.5, 10.0 * run_s / (time.perf_counter() - started))
    return scenario.set("duration", f"{duration:.3g}s")


if __name__ == "__main__":
    main()
