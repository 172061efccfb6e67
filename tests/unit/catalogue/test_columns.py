"""Columns of results: each says all that is shown of it, and sentences about it are true."""

from __future__ import annotations

from typing import ClassVar

import pytest

from sojourn._rooms._base.registry import read_registry
from sojourn._rooms.catalogue.columns import described, lower_is_better, measure
from sojourn._rooms.runs.answer import Yardstick, answer
from sojourn._rooms.runs.metrics import Metric
from sojourn._rooms.statistics.intervals import paired_difference

UNITS = {"", "ms", "s", "bit/s", "packets", "bytes"}
KINDS = {"wait", "delay", "transfer", "spread", "carried", "other"}
DIRECTIONS = {"less", "more", "neither"}


def columns():
    return [(table["name"], column) for table in read_registry()["tables"] for column in table["metrics"]]


def test_every_column_says_its_unit_direction_bounds_label_and_meaning():
    for table, column in columns():
        place = f"{table}.{column['name']}"
        assert column["unit"] in UNITS, place
        assert column["shown"] in {column["unit"], "%", ""}, place
        assert column["factor"] == (100.0 if column["shown"] == "%" else 1.0), place
        assert {column["better"], column["wanted"]} <= DIRECTIONS, place
        assert column["better"] in {"neither", column["wanted"]}, place
        assert column["kind"] in KINDS, place
        assert column["least"] in (None, 0.0), place
        assert column["most"] in (None, 1.0), place
        for words in ("label", "head", "noun", "doc"):
            assert column[words].strip() == column[words] != "", place
        assert column["label"][0].isupper(), place


def test_columns_of_one_name_are_alike_in_all_tables():
    known = {}
    for table, column in columns():
        said = {name: value for name, value in column.items() if name not in ("doc", "formula", "values")}
        first = known.setdefault(column["name"], (table, said))
        assert said == first[1], (table, first[0])


def test_only_a_deviation_by_a_mean_is_shown_in_percent_and_may_be_above_one():
    shares = [column for _, column in columns() if column["shown"] == "%"]
    assert {one["name"] for one in shares if one["most"] != 1.0} == {
        "rpm_deviation_fraction",
        "goodput_deviation_fraction",
    }


def test_spreads_are_no_times_and_times_have_a_unit_of_time():
    for _, column in columns():
        assert (column["kind"] == "spread") == (column["statistic"] == "sd"), column["name"]
        if column["kind"] in ("wait", "delay", "transfer"):
            assert column["shown"] in ("ms", "s"), column["name"]


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

    def apart(self, values, base):
        return paired_difference(values, base)

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
    assert [(lower_is_better(name), described(name).kind) for name in ("sojourn_cv", "throughput_cv")] == [
        (None, "other")
    ] * 2
    assert (described("sojourn_cv_ms").shown, described("my_ratio").shown) == ("", "")


def test_labels_are_words():
    labels = [measure(name).label for name in ("srtt_ms", "tcp_f_ms", "ecn_reductions", "rtt_p99_ms")]
    assert labels == ["Smoothed round-trip time", "Time to open a connection", "ECN reductions", "Round-trip time, p99"]
