"""Metrics of tables that are written down here: the value of each, and messages."""

import math

import pytest

import sojourn
from sojourn import Metric, Result
from sojourn._rooms.runs.metrics import checked
from sojourn._rooms.runs.result import row_keys
from sojourn.claims import Counts

SCENARIO = """
duration = "4s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "red", limit = "50p" }

[record]
occupancy = true
queue = "10ms"
probes = "100ms"
throughput = "500ms"

[[flow]]
name = "bulk"
count = 3
start = { spread = "0.5s" }

[[flow]]
name = "blast"
transport = { kind = "udp" }
app = { kind = "cbr", rate = "1Mbit" }
"""


def text(*values):
    return ("text", list(values))


def real(*values):
    return ("f64", list(map(float, values)))


def count(*values):
    return ("u64", list(values))


def table(**columns):
    return columns


TABLES = {
    "queue": table(
        link=text("forward", "reverse"),
        drops_packets=real(2, 0),
        arrivals_packets=real(100, 50),
        capacity_bps=real(1e6, 1e6),
    ),
    "reasons": table(
        link=text("forward", "forward"),
        event=text("drop", "drop"),
        reason=text("early", "forced"),
        packets=real(1, 3),
        ratio=real(0.01, 0.03),
    ),
    "flow": table(flow=count(0, 1, 2), group=text("tcp", "tcp", "udp"), goodput_bps=real(1e5, 3e5, 5e5)),
    "group": table(group=text("tcp", "udp", "all"), throughput_mean_bps=real(2e5, 5e5, 3e5)),
    "occupancy": table(
        link=text("forward", "forward", "forward", "reverse"),
        backlog_packets=real(0, 5, 15, 0),
        time_fraction=real(0.2, 0.3, 0.5, 1.0),
        sampled_fraction=real(0.1, 0.3, 0.6, 1.0),
    ),
    "latency": table(
        group=text("tcp", "tcp", "tcp", "udp"),
        measure=text("delay", "delay", "rtt", "delay"),
        duration_ms=real(20, 40, 50, 30),
        count=count(3, 1, 4, 2),
    ),
    "over_time": table(
        group=text("tcp", "tcp", "udp", "udp"), time_s=real(1, 2, 1, 2), throughput_bps=real(10, 30, 5, 5)
    ),
    "probe": table(
        link=text(*["forward"] * 6),
        time_s=real(1, 1, 2, 2, 3, 3),
        probe=text("avg", "max_p", "avg", "max_p", "avg", "max_p"),
        value=real(5, 0.1, 12, 0.2, 10, 0.3),
    ),
    "rate": table(
        flow=count(0, 1, 2, 0, 1, 2), time_s=real(1, 1, 1, 2, 2, 2), throughput_bps=real(10, 30, 5, 20, 20, 5)
    ),
    "drops": table(
        link=text("forward", "forward"),
        time_s=real(1, 2),
        flow=count(0, 2),
        event=text("drop", "mark"),
        reason=text("early", "early"),
    ),
}


DELAYS = {"table": "latency", "column": "duration_ms", "where": {"measure": "delay"}}
AVG = {"table": "probe", "column": "value", "where": {"probe": "avg"}}


def made_up():
    return Result(scenario=sojourn.Scenario.from_toml(SCENARIO), seed=1, version="", tables=TABLES)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        # Distributions: 5 is outside (5, 15], 15 inside.
        ({"within": [5, 15]}, 0.5),
        ({"within": [-1, 0], "sampled": True}, 0.1),
        ({"within": [-1, 0], "row": "reverse"}, 1.0),
        # 0.3 * 5 + 0.5 * 15 = 9; 0.2 * 81 + 0.3 * 16 + 0.5 * 36 = 39.
        ({"table": "occupancy", "column": "backlog_packets", "statistic": "mean"}, 9.0),
        ({"table": "occupancy", "column": "backlog_packets", "statistic": "variance"}, 39.0),
        ({"table": "occupancy", "column": "backlog_packets", "statistic": "median"}, 5.0),
        # Three of four one-way delays of tcp are at most 20 ms.
        ({**DELAYS, "row": "tcp", "within": [0, 20]}, 0.75),
        ({**DELAYS, "row": "tcp", "statistic": "mean"}, 25.0),
        ({**DELAYS, "over": "pooled", "within": [0, 30]}, 5 / 6),
        ({"table": "over_time", "column": "throughput_bps", "row": "tcp", "statistic": "mean", "from_s": 1}, 30.0),
        # Series: of `avg` 5, 12, 10 at 1, 2, 3 s.
        ({**AVG, "statistic": "mean"}, 9.0),
        ({**AVG, "statistic": "mean", "from_s": 1}, 11.0),
        ({**AVG, "statistic": "mean", "less": 1.5}, 7.5),
        ({**AVG, "statistic": "mean", "less": 1.5, "times": 2.0}, 15.0),
        ({"table": "reasons", "column": "ratio", "where": {"reason": "early"}, "odds": True}, 0.01 / 0.99),
        ({**AVG, "statistic": "distance", "target": 10.0}, 7 / 3),
        ({**AVG, "statistic": "swing"}, 7.0),
        # The mean from more than 1 s on is 11: 12 at 2 s is the first within a tenth of it.
        ({**AVG, "statistic": "approach", "from_s": 1}, 2.0),
        ({"table": "probe", "column": "value", "row": "forward max_p", "statistic": "range", "to_s": 2}, 0.1),
        ({"table": "probe", "column": "value", "row": "forward avg", "within": [9, 12]}, 2 / 3),
        (
            {
                **AVG,
                "statistic": "settling",
                "within": [9, 11],
                "from_s": 0.5,
            },
            1.5,
        ),
        (
            {
                **AVG,
                "statistic": "settling",
                "within": [9, 13],
                "hold_s": 1,
            },
            2.0,
        ),
        # The mean from more than 1 s on is 11: 5 is outside of 0.9 to 1.1 times that, 12 and 10 are inside.
        ({**AVG, "statistic": "settling", "within": [0.9, 1.1], "mean_from_s": 1}, 1.0),
        # Flows of a group: per flow, pooled, summed at each time.
        ({"table": "rate", "column": "throughput_bps", "row": "tcp", "over": "mean", "statistic": "sd"}, 5.0),
        ({"table": "rate", "column": "throughput_bps", "row": "tcp", "over": "pooled", "statistic": "mean"}, 20.0),
        ({"table": "rate", "column": "throughput_bps", "row": "tcp", "over": "total", "statistic": "cov"}, 0.0),
        ({"table": "flow", "column": "goodput_bps", "row": "tcp", "over": "spread"}, 3.0),
        ({"table": "flow", "column": "goodput_bps", "row": "tcp", "over": "sd"}, math.sqrt(2) * 1e5),
        ({"table": "flow", "column": "goodput_bps", "row": "2"}, 5e5),
        # Jain's index of all three, and of flows by name: (1 + 3)^2 / (2 (1 + 9)).
        ({"table": "flow", "column": "goodput_bps", "over": "jain"}, 81 / 105),
        ({"table": "flow", "column": "goodput_bps", "rows": ["0", "1"], "over": "jain"}, 0.8),
        ({"table": "flow", "column": "goodput_bps", "rows": ["tcp", "2"], "over": "sum"}, 9e5),
        ({"table": "flow", "column": "goodput_bps", "over": "sum"}, 9e5),
        # Ratios of groups, of windows; the fair share of 1 Mbit/s is a third of it, or a half for the two of tcp.
        ({"table": "group", "column": "throughput_mean_bps", "row": "udp", "against": "tcp"}, 2.5),
        ({"table": "group", "column": "throughput_mean_bps", "row": "udp", "fair": "forward"}, 1.5),
        ({"table": "group", "column": "throughput_mean_bps", "row": "tcp", "fair": "forward", "among": ["tcp"]}, 0.4),
        ({"table": "group", "column": "throughput_mean_bps"}, 3e5),
        (
            {
                "table": "probe",
                "column": "value",
                "row": "forward avg",
                "statistic": "last",
                "against": {"from_s": 1, "to_s": 2},
            },
            10 / 12,
        ),
        ({"table": "group", "column": "throughput_mean_bps", "row": "udp", "power": 2}, 25e10),
        # An event that never happened has no row.
        ({"table": "reasons", "column": "packets", "where": {"event": "drop", "reason": "early"}}, 1.0),
        ({"table": "reasons", "column": "packets", "over": "sum"}, 4.0),
        ({"table": "reasons", "column": "packets", "where": {"reason": "overflow"}}, 0.0),
        ({"table": "drops", "statistic": "count", "where": {"group": "udp"}}, 1.0),
        ({"table": "drops", "statistic": "count", "where": {"event": "drop"}, "from_s": 1}, 0.0),
    ],
    ids=str,
)
def test_a_metric_makes_one_number_of_a_run(metric, value):
    assert Metric(**metric).of(made_up()) == pytest.approx(value, rel=1e-12)


def test_what_is_counted_of_a_number_is_a_share_with_exact_bounds():
    share = Metric(column="drops_packets", per="arrivals_packets", row="forward")
    parts = share.parts(made_up())

    assert parts == (2.0, 100.0)
    sample = share.sample([parts, (0.0, 50.0)])
    assert isinstance(sample, Counts)
    assert list(sample) == [0.02, 0.0]


def test_the_exact_share_of_a_run_is_that_of_its_moments():
    result = sojourn.run(sojourn.Scenario.from_toml(SCENARIO))
    of = lambda **metric: Metric(**metric).of(result)  # noqa: E731

    empty, whole = of(within=[-1, 0]), of(within=[-1, 1000])
    assert empty == pytest.approx(of(column="empty_fraction"), rel=1e-12)
    assert whole == pytest.approx(1.0, rel=1e-12)
    moments = {"table": "occupancy", "column": "backlog_packets"}
    assert of(**moments, statistic="mean") == pytest.approx(of(column="backlog_mean_packets"), rel=1e-9)
    assert of(**moments, statistic="sd") == pytest.approx(of(column="backlog_sd_packets"), rel=1e-9)
    assert of(**moments, statistic="sd", sampled=True) == pytest.approx(
        of(column="backlog_sampled_sd_packets"), rel=1e-9
    )
    # The same samples as a series.
    assert of(within=[5, 15], sampled=True) == pytest.approx(
        of(table="backlog", column="backlog_packets", row="forward", within=[5, 15]), abs=1e-12
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"column": "loss_rato"}, "did you mean loss_ratio"),
        ({"colum": "loss_ratio"}, "did you mean column"),
        ({"column": "loss_ratio", "over": "most"}, "several rows together 'most'"),
        ({"column": "value", "table": "probe"}, "many values"),
        ({"column": "loss_ratio", "statistic": "mean"}, "one value for each row"),
        ({"column": "loss_ratio", "from_s": 1}, "has no times"),
        ({"column": "loss_ratio", "rows": ["forward"]}, "taken together by `over`"),
        ({"column": "loss_ratio", "row": "forward", "rows": ["reverse"], "over": "sum"}, "without `row`"),
        ({"within": [3, 1]}, "the lower one first"),
        ({**DELAYS, "where": {"measure": "delays"}, "within": [0, 20]}, "did you mean delay"),
        ({"column": "value", "table": "probe", "statistic": "settling"}, "needs the band"),
        ({"column": "value", "table": "probe", "statistic": "mean", "mean_from_s": 3}, "is for `settling`"),
        ({"column": "value", "table": "probe", "statistic": "avrage"}, "there is no statistic"),
        ({"column": "drops_packets", "per": "arrivals_packets", "fair": "forward"}, "is taken as it is"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_runs(content, words):
    with pytest.raises(ValueError, match=words) as caught:
        checked(content, "mine")
    assert "mine" in str(caught.value)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (Metric(column="goodput_bps", table="flow"), "say which row"),
        (Metric(column="goodput_bps", table="flow", row="tpc"), "there is no row of flow 'tpc'"),
        (Metric(column="goodput_bps", table="flow", rows=["tcp", "upd"], over="sum"), "there is no row of flow 'upd'"),
        (Metric(column="backlog_packets", table="backlog", statistic="mean"), "set record.queue in the scenario"),
    ],
)
def test_a_run_without_what_is_asked_for_says_so(metric, words):
    with pytest.raises(ValueError, match=words):
        metric.of(made_up())


def test_the_columns_without_a_formula_tell_the_rows_of_a_table_apart():
    result = sojourn.run(sojourn.Scenario.from_toml(SCENARIO).set("record.cwnd", "100ms"), seed=1)
    for table in result.raw:
        frame = result.table(table)
        assert not frame.select(row_keys(table)).is_duplicated().any(), table
        # Columns that tell rows apart are not averaged.
        assert not {*row_keys(table)} & {*result.as_study().metrics(table)}


@pytest.mark.parametrize(
    ("metric", "bounds"),
    [
        ({"column": "loss_ratio"}, (0.0, 1.0)),
        ({"column": "throughput_bps"}, (0.0, math.inf)),
        ({"column": "sojourn_mean_ms", "less": 52.4}, (-math.inf, math.inf)),
        ({"within": [5, 15]}, (0.0, 1.0)),
        ({"column": "loss_ratio", "odds": True}, (0.0, math.inf)),
        ({"column": "value", "table": "probe", "where": {"probe": "avg"}, "statistic": "mean"}, (-math.inf, math.inf)),
        ({"column": "value", "table": "probe", "where": {"probe": "avg"}, "statistic": "approach"}, (0.0, math.inf)),
        (
            {"column": "value", "table": "probe", "statistic": "settling", "within": [9, 11], "from_s": 25},
            (0.0, math.inf),
        ),
    ],
)
def test_a_metric_knows_where_its_number_cannot_be(metric, bounds):
    assert Metric(**metric).bounds == bounds


@pytest.mark.parametrize("within", [{"key": "x"}, {"a": 1, "b": 2}, "ab", ["a", "b"], [2, 1], [1], [True, 2], 5])
def test_a_band_is_two_numbers_whatever_a_file_says(within):
    with pytest.raises(ValueError, match=r'metrics\."metric x"\.within'):
        checked({"column": "utilisation", "within": within, "row": "forward"}, "metric x")
