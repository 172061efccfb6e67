"""A sweep records only the tables of its metrics, and this changes no number."""

from __future__ import annotations

import polars.selectors as cs
import pytest

import sojourn
from sojourn import Metric, scenarios
from sojourn._rooms.runs.metrics import record_key
from sojourn._rooms.sweeps.recording import recording

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

ALWAYS = ("queue", "reasons", "flow", "group", "sojourn", "latency", "over_time", "completion")
EVERYTHING = [
    "record.queue='5ms'",
    "record.probes='5ms'",
    "record.cwnd='10ms'",
    "record.throughput='100ms'",
    "record.occupancy=true",
    "record.drops=true",
    "record.packets=true",
]
LOSS = Metric(column="loss_ratio", row="forward", name="loss")


def recorded(metrics: list[Metric]) -> set[str]:
    red = sojourn.Scenario.load("red_classic", overrides=['record.throughput="1s"', "record.occupancy=true"])
    return {key for key, value in recording(red, metrics).resolved()["record"].items() if value}


# A load of the first begins at 60 s; a round trip of the second takes 70 us.
WHEN = {"two_way_dumbbell": ("62s", "1s"), "dctcp": ("300ms", "100ms")}


@pytest.mark.parametrize("name", scenarios.names())
def test_what_every_run_has_is_the_same_without_records(name: str):
    duration, warmup = WHEN.get(name, ("6s", "1s"))
    scenario = sojourn.Scenario.load(name, overrides=[f"duration='{duration}'", f"warmup='{warmup}'", *EVERYTHING])
    full, lean = (sojourn.run(one, seed=3) for one in (scenario, recording(scenario, [LOSS])))

    for table in ALWAYS:
        kept = cs.all() - cs.contains("sampled")
        assert full.table(table).select(kept).equals(lean.table(table).select(kept), null_equal=True), table


def test_what_a_metric_is_of_stays():
    average = Metric(column="value", table="probe", row="avg", statistic="mean", name="average")
    share = Metric(within=(5.0, 15.0), row="forward", name="share")
    sampled = Metric(within=(5.0, 15.0), sampled=True, row="forward", name="sampled")

    assert recorded([LOSS]) == set()
    assert recorded([LOSS, average]) == {"probes"}
    assert recorded([share]) == {"occupancy"}
    assert recorded([sampled]) == {"occupancy", "queue"}
    assert recorded([Metric(column="backlog_sampled_sd_packets", row="forward", name="sd")]) == {"queue"}


def test_a_metric_against_another_table_keeps_that_one():
    ratio = Metric(
        column="throughput_bps",
        table="rate",
        row="0",
        statistic="mean",
        against={"table": "queue", "column": "capacity_bps", "row": "forward", "statistic": ""},
        name="ratio",
    )

    assert record_key("rate") == "throughput"
    assert recorded([ratio]) == {"throughput"}


def test_a_sweep_of_recorded_metrics_has_the_values_of_its_runs():
    scenario = sojourn.Scenario.load("red_classic", overrides=["duration='6s'", "warmup='1s'"])
    average = Metric(column="value", table="probe", row="forward avg", statistic="mean", name="average")
    swept = sojourn.sweep(scenario, over={"dumbbell.queue.max_p": [0.02, 0.1]}, metrics=[LOSS, average], seeds=[1])

    for (label, seed), values in swept.values.items():
        point = next(one for one in swept.points if ", ".join(one.values()) == label)
        run = sojourn.run(scenario.set("dumbbell.queue.max_p", float(point["dumbbell.queue.max_p"])), seed=seed)
        assert values == (LOSS.of(run), average.of(run))
