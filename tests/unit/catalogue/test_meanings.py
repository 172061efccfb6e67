"""The table of columns: each column of results has a direction or is known to have none, and its sentence is true."""

from __future__ import annotations

from typing import ClassVar

import pytest

from sojourn._rooms._base.registry import read_registry
from sojourn._rooms.catalogue.columns import lower_is_better, measure
from sojourn._rooms.catalogue.meanings import MEANINGS, meaning
from sojourn._rooms.runs.answer import Yardstick, answer
from sojourn._rooms.runs.metrics import Metric

WITHOUT = """
arrivals_packets arrivals_bytes departures_packets ce_departures_packets marks_packets mark_ratio corrupted_packets
corruption_ratio corruptions capacity_bps empty_fraction full_fraction packets bytes ratio value flow flows count
start_s started_s time_s
time_fraction sampled_fraction packets_sent fast_recoveries ecn_reductions completions rounds probes
loss_run_1_fraction loss_run_2_fraction loss_run_3_fraction fec_blocks_complete fec_blocks_repaired fec_blocks_lost
fec_data_packets fec_data_lost_packets fec_data_unrepaired_packets fec_loss_before_ratio fec_loss_after_ratio
fec_residual_loss_ratio idle_ms rpm_deviation_fraction goodput_deviation_fraction attempts attempts_mean
delivered_packets collisions collision_ratio given_up_packets cwnd_packets ssthresh_packets inflight_packets srtt_ms
size_bytes
"""
"""Columns of which neither less nor more is a goal. A new column is here or in the table."""
NONE = frozenset(WITHOUT.split())


def columns():
    registry = read_registry()
    tables = [(table["name"], column) for table in registry["tables"] for column in table["metrics"]]
    return [(table, column) for table, column in tables if column["values"] != "text"]


def test_every_column_with_numbers_has_a_meaning_or_is_known_to_have_none():
    names = {column["name"] for _, column in columns()}
    assert sorted(names - MEANINGS.keys()) == sorted(NONE & names)
    assert sorted(NONE - names) == [], "these are gone"


def test_spreads_are_no_times_and_waits_are_times():
    for _, column in columns():
        name, found = column["name"], meaning(column["name"])
        assert (found.kind == "spread") == ("_sd_" in name), name
        if found.kind in ("wait", "delay", "transfer"):
            assert column["unit"] in ("ms", "s"), name
        if found.statistic not in ("", "mean"):
            assert f"_{found.statistic}_" in name, name


class Runs:
    """Stands for a study of two queues: one column, whose values are ten times as large with the second queue."""

    seeds = (1, 2, 3)
    baseline = "fifo"
    variants: ClassVar = {}

    def __init__(self, column, row):
        self.column, self.row = column, row

    def values(self, column, *, table="queue"):  # noqa: ARG002
        low, high = [0.010, 0.011, 0.012], [0.10, 0.11, 0.13]
        less = lower_is_better(self.column)
        found = {"codel": low, "fifo": high} if less else {"codel": high, "fifo": low}
        return {queue: {self.row: values} for queue, values in found.items()} if column == self.column else {}

    def without_chance(self):
        return []

    def has(self, _table):
        return False


@pytest.mark.parametrize(
    ("table", "column", "said"),
    [
        ("queue", "sojourn_p99_ms", "Packets at forward wait least with codel: one in 100 waits longer than"),
        ("queue", "sojourn_p90_ms", "Packets at forward wait least with codel: one in 10 waits longer than"),
        ("queue", "sojourn_sd_ms", "The deviation of the sojourn time at forward is lowest with codel: 0.0110"),
        ("group", "queueing_p50_ms", "The packets of call wait least with codel: half of them wait longer than"),
        ("group", "delay_p99_ms", "The one-way delay of call is shortest with codel: one in 100 is longer than"),
        ("group", "rtt_mean_ms", "The round-trip time of call is shortest with codel: 0.0110\u202fms in the mean"),
        ("group", "completion_p95_s", "The transfers of call are done soonest with codel: one in 20 takes longer than"),
        ("group", "loss_ratio", "The loss ratio of call is lowest with codel: 1.10\u202f%"),
        ("group", "goodput_mean_bps", "The goodput of call is highest with codel: 0.113"),
        ("quality", "mos", "The opinion of the call (MOS) is highest for call with codel: 0.113"),
        (
            "responsiveness",
            "http_l_ms",
            "The time for a request on a loaded connection is shortest for call with codel",
        ),
    ],
)
def test_sentences_say_what_a_column_is(table, column, said):
    row = "forward" if table == "queue" else "call"
    found = answer(Runs(column, row), link="forward", about=Yardstick(column, table, row))
    assert found.text.startswith(said), found.text


def test_goals_of_a_search_are_not_spreads_to_be_raised():
    # The name begins as that of the rate, of which more is better.
    assert [Metric(column=f"{rate}_sd_bps", table="group").better for rate in ("goodput", "throughput")] == ["less"] * 2
    assert Metric(column="loss_run_1_fraction", table="flow", row="0").better == ""


def test_a_column_that_is_not_known_has_no_direction():
    assert (lower_is_better("sojourn_cv"), meaning("sojourn_cv").kind, meaning("throughput_cv").carried) == (
        *(None, ""),
        False,
    )


def test_labels_are_words():
    labels = [measure(name).label for name in ("srtt_ms", "tcp_f_ms", "ecn_reductions", "rtt_p99_ms")]
    assert labels == ["Smoothed round-trip time", "Time to open a connection", "ECN reductions", "Round-trip time, p99"]
