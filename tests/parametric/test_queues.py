"""Every queue in a running network: what holds whatever the algorithm, and which way parameters pull."""

import json

import pytest

import sojourn
from sojourn import _core

from ..conftest import DUMBBELL

QUEUES = [entry["name"] for entry in json.loads(_core.registry())["queues"]]
# What may be in the buffer at the start and the end of the measured window, in packets.
BUFFER = 20


@pytest.fixture(scope="module")
def results():
    """One run of each queue."""
    scenario = sojourn.Scenario.from_toml(DUMBBELL)
    return {name: sojourn.run(scenario.with_queue(name), seed=3) for name in QUEUES}


@pytest.mark.parametrize("name", QUEUES)
def test_packets_that_came_went_on_were_dropped_or_wait(results, name):
    row = results[name].queue.row(0, named=True)

    missing = row["arrivals_packets"] - row["departures_packets"] - row["drops_packets"]
    assert abs(missing) <= BUFFER + 1


@pytest.mark.parametrize("name", QUEUES)
def test_a_link_sends_no_more_than_its_rate(results, name):
    row = results[name].queue.row(0, named=True)

    # One packet that began before the window may end in it: 8000 bits of 7.5 Mbit.
    assert 0.3 < row["utilisation"] <= 1.0 + 8000 / 7.5e6
    assert row["throughput_bps"] == pytest.approx(5e6 * row["utilisation"])


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
