"""What a Dask cluster costs: the same sweep in threads and on a cluster of as many worker processes on this machine.

    .venv/bin/python benchmarks/cluster.py --workers 2 --run 0.01 --runs 400
    .venv/bin/python benchmarks/cluster.py --workers 2 --run 10 --runs 4

Efficiency is the time in threads over the time on the cluster. It is that of a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import distributed

import sojourn
from sojourn.sweeps import Axis

_POINTS = 4


def main() -> None:
    """Measure, and print a line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--run", type=float, default=0.01, help="seconds that one run takes")
    options.add_argument("--runs", type=int, default=400)
    wanted = options.parse_args()
    # Measured on a busy machine the times say nothing; the load before says whether it was.
    load, cores = os.getloadavg()[0], os.cpu_count()
    scenario = _scenario(wanted.run)
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02 * (1 + place) for place in range(_POINTS)])}
    seeds = range(1, 1 + max(1, wanted.runs // _POINTS))
    runs = _POINTS * len(seeds)

    def timed(**more: object) -> tuple[float, sojourn.sweeps.Swept]:
        started = time.perf_counter()
        swept = sojourn.sweep(scenario, over=over, metrics=["loss_ratio"], seeds=seeds, **more)
        return time.perf_counter() - started, swept

    with (
        distributed.LocalCluster(
            n_workers=wanted.workers, threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None
        ) as cluster,
        tempfile.TemporaryDirectory() as folder,
    ):
        local_s, local = timed(workers=wanted.workers, out=f"{folder}/local")
        place = f"dask://{cluster.scheduler_address.removeprefix('tcp://')}"
        sojourn.sweep(scenario, over=over, metrics=["loss_ratio"], seeds=[0], on=place)  # Workers import Sojourn once.
        cluster_s, there = timed(on=place, out=f"{folder}/cluster")
        size = (Path(folder) / "cluster" / "runs.sqlite").stat().st_size
    if there.values != local.values:
        raise SystemExit("the values differ")
    print(
        f"{runs} runs of {1e3 * local_s * wanted.workers / runs:.1f} ms with {wanted.workers} workers: "
        f"threads {local_s:.2f} s, cluster {cluster_s:.2f} s, efficiency {local_s / cluster_s:.2f}, "
        f"{size / runs:.0f} bytes on disk for a run; "
        f"the load was {load:.1f} on {cores} cores before"
    )


def _scenario(run_s: float) -> sojourn.Scenario:
    """RED's classic dumbbell for as long as a run takes about so much time here."""
    scenario = sojourn.Scenario.load("scenarios/red_classic.toml", overrides=["warmup='1s'", "duration='10s'"])
    sojourn.run(scenario)
    started = time.perf_counter()
    sojourn.run(scenario)
    duration = max(1.5, 10.0 * run_s / (time.perf_counter() - started))
    return scenario.set("duration", f"{duration:.3g}s")


if __name__ == "__main__":
    main()
