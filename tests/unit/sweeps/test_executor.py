"""Sweeps whose runs are made in other processes: the same values, whoever makes them."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import pytest

import sojourn
from sojourn import Metric
from sojourn._rooms.sweeps import cluster
from sojourn._rooms.sweeps import executor as elsewhere
from sojourn._rooms.sweeps.axes import Axis
from sojourn._rooms.sweeps.run import sweep

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

SCENARIO = """
duration = "2s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "red", limit = "50p" }

[[flow]]
name = "bulk"
count = 3
start = { spread = "0.5s" }
"""
OVER = {"max_p": Axis("dumbbell.queue.max_p", [0.05, 0.1, 0.3])}
METRICS = ["loss_ratio", "group.goodput_mean_bps", "sojourn_p99_ms"]


@pytest.fixture(scope="module")
def scenario():
    return sojourn.Scenario.from_toml(SCENARIO)


def test_an_executor_gives_the_values_of_threads(scenario, tmp_path):
    local = sweep(scenario, over=OVER, metrics=METRICS, seeds=range(1, 5), out=tmp_path / "local")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        there = sweep(
            scenario, over=OVER, metrics=METRICS, seeds=range(1, 5), out=tmp_path / "there", executor=executor
        )

    assert there.values == local.values
    assert there.frame().write_csv() == local.frame().write_csv()
    assert (tmp_path / "there/runs.log").read_bytes() != b""
    again = sweep(scenario, over=OVER, metrics=METRICS, seeds=range(1, 5), out=tmp_path / "there", workers=1)
    assert again.values == local.values


def test_what_runs_warn_of_comes_back_from_other_processes(scenario):
    short = scenario.set("duration", "0.6s")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        there = sweep(short, over=OVER, metrics=METRICS, seeds=[1], executor=executor)

    assert there.warnings == sweep(short, over=OVER, metrics=METRICS, seeds=[1]).warnings
    assert len(there.warnings) == 3


def test_a_worker_of_another_build_is_refused(scenario):
    own = elsewhere._batch([("a", 1)], {"a": scenario}, [Metric(column="loss_ratio")])

    assert len(elsewhere.work(own)[0]) == 1
    with pytest.raises(ValueError, match="install the same build"):
        elsewhere.work(replace(own, build="0.0.1 of somebody else"))


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("dask:/127.0.0.1", "allowed: local, dask://HOST:PORT"),
        ("dask://127.0.0.1", "the port is missing"),
        ("dask://127.0.0.1:0", "there is no such place"),
        ("dask://127.0.0.1:99999", "there is no such place"),
        ("dask+tls://127.0.0.1:1", "TLS needs certificates"),
        ("dask://127.0.0.1:1", "no scheduler answers there"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_place_where_nobody_is_is_one_message(place, words):
    if "scheduler" in words or "TLS" in words:
        pytest.importorskip("distributed")
    with pytest.raises(ValueError, match=words), cluster.executor_of(place):
        pass


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_and_gets_another_gives_the_same_bytes(scenario, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    # Many small batches, so that there is work when the worker dies and when the other comes.
    monkeypatch.setattr(elsewhere, "_MOST_IN_BATCH", 2)
    slow, seeds = scenario.set("duration", "20s"), range(1, 41)
    local = sweep(slow, over=OVER, metrics=METRICS, seeds=seeds)
    pids, died, came = {}, [], []

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, worker_dashboard_address=None
    ) as cluster:
        with distributed.Client(cluster) as client:
            pids.update(client.run(os.getpid))

        def disturb(progress):
            if progress.runs_done >= 10 and not died:
                died.append(next(iter(pids.values())))
                os.kill(died[0], signal.SIGKILL)
            if progress.runs_done >= 20 and not came:
                came.append(True)
                threading.Thread(target=cluster.scale, args=(3,)).start()

        place = f"dask://{cluster.scheduler_address.removeprefix('tcp://')}"
        started = time.monotonic()
        there = sweep(slow, over=OVER, metrics=METRICS, seeds=seeds, out=tmp_path, on=place, progress=disturb)
        assert time.monotonic() - started < 300

    assert died
    assert came
    assert there.frame().write_csv() == local.frame().write_csv()
