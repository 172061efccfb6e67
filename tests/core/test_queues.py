"""Every queue in a running network: rules for all algorithms, and the directions of parameters' effects."""

import json

import pytest

import sojourn
from helpers.networks import DUMBBELL
from sojourn import _core

QUEUES = [entry["name"] for entry in json.loads(_core.registry())["queues"]]

# A class of Linux holds 1000 packets: the backlog would grow over the whole window.
FEW = {"kind": "fifo", "limit": "20p"}
SHORT = {name: {"kind": name, "class": [{"queue": FEW}]} for name in ("htb", "sch_drr", "sch_qfq")}
SHORT |= {name: {"kind": name, "queue": FEW} for name in ("sch_prio", "sch_ets", "sch_tbf")}
SHORT["sch_hfsc"] = {"kind": "sch_hfsc", "class": [{"ls_m2": "1Mbit", "queue": FEW}]}
SHORT["sch_hhf"] = {"kind": "sch_hhf", "limit": "20p"}


@pytest.fixture(scope="module")
def results():
    """One run of each queue."""
    scenario = sojourn.Scenario.from_toml(DUMBBELL).set("record.queue", "0.5s")
    return {name: sojourn.run(scenario.with_queue(SHORT.get(name, name)), seed=3) for name in QUEUES}


@pytest.mark.parametrize("name", QUEUES)
def test_packets_that_came_went_on_were_dropped_or_wait(results, name):
    row = results[name].queue.row(0, named=True)
    sampled = results[name].backlog.filter(link="forward")
    waiting = dict(zip(sampled["time_s"], sampled["backlog_packets"], strict=True))

    # The window begins at 0.5 s with some that wait, and ends at 2 s with others.
    came = row["arrivals_packets"] + waiting[0.5]
    assert came == row["departures_packets"] + row["drops_packets"] + waiting[2.0]


@pytest.mark.parametrize("name", QUEUES)
def test_a_link_sends_no_more_than_its_rate(results, name):
    row = results[name].queue.row(0, named=True)
    received_bps = results[name].flow["throughput_bps"].sum()

    assert row["throughput_bps"] <= 5e6
    assert row["utilisation"] == row["throughput_bps"] / 5e6
    # Receivers count whole packets 10 ms later, and then those of the access links: at either end of the window up to
    # 10 ms of the rate are on their way, and a packet is in transmission on each of the two links.
    on_their_way_bits = 0.010 * 5e6 + 2 * 8000
    assert abs(row["throughput_bps"] - received_bps) * 1.5 <= on_their_way_bits
    # A window that is halved whenever the pipe is just full is three quarters of the pipe in the mean. GREEN does not
    # wait for a full pipe: it drops at the rate of Mathis's formula, at which three flows have 5 packets each in
    # flight, too few to find each loss without a timeout.
    if name != "green":
        assert row["utilisation"] > 0.75


@pytest.mark.parametrize("name", QUEUES)
def test_drops_by_reason_add_up_to_the_drops(results, name):
    reasons = results[name].reasons.filter(link="forward", event="drop")

    assert reasons["packets"].sum() == results[name].queue["drops_packets"][0]


@pytest.mark.parametrize("name", QUEUES)
def test_mean_backlog_is_throughput_times_mean_wait(results, name):
    row = results[name].queue.row(0, named=True)

    # Little's law over the window; its ends carry at most one buffer's worth of waiting.
    packets_per_s = row["departures_packets"] / 1.5
    expected = packets_per_s * row["sojourn_mean_ms"] / 1e3
    assert row["backlog_mean_packets"] == pytest.approx(expected, rel=0.1, abs=0.5)


@pytest.mark.parametrize(
    ("small", "large"), [("fifo:limit=5p", "fifo:limit=50p"), ("codel:target=1ms", "codel:target=20ms")]
)
def test_a_longer_queue_is_allowed_to_wait_longer(small, large):
    scenario = sojourn.Scenario.from_toml(DUMBBELL).set("duration", "5s")

    comparison = sojourn.compare(scenario, queues=[small, large], seeds=range(1, 4))

    assert comparison.difference("sojourn_mean_ms", variant=large, row="forward").low > 0.0
