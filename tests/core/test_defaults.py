"""A queue with only its `kind` given serves a healthy link: 100 SACK flows keep 100 Mbit/s busy, and so on."""

import json
from functools import cache

import pytest

import sojourn
from sojourn import _core

QUEUES = [entry["name"] for entry in json.loads(_core.registry())["queues"]]

SCENARIO = """
title = "A healthy link"
duration = "{duration}"
warmup = "{warmup}"

[dumbbell]
rate = "{rate}"
delay = "10ms"
access = {{ rate = "10Gbit", delay = "10ms" }}
queue = {{ kind = "{queue}" }}

[[flow]]
name = "tcp"
count = {flows}
transport = {{ kind = "tcp", recovery = "sack" }}
start = {{ spread = "2s" }}
"""

LEAST = 0.95
"""A CUBIC flow (the default) that is cut to 0.7 W whenever it reaches W climbs back along a cubic, whose mean is
W - 0.3 W / 4: it fills 92.5 % of a link without any queue. A queue of W / 40, here 10 packets, makes 95 % of it."""

EXCEPT = {
    # It has no queue: packets beyond the rate and the bucket are dropped at once, and windows are halved for it.
    "policer": 0.70,
    # Its constants are ours, from an abstract: the probability is exponential in the average from the first packet on.
    "e_red": 0.92,
    # It looks at each flow's packets and not at the queue: a burst of one flow is dropped where little waits.
    "bred": 0.925,
    # A choke packet closes the window to one segment (4.3BSD), as a timeout does: each costs more than a loss.
    "source_quench": 0.80,
    # The same, and the queue that all flows share sends one to each of them while it is above half its limit.
    "hop_by_hop": 0.40,
}


@cache
def used(queue, rate, flows, duration, warmup):
    scenario = sojourn.Scenario.from_toml(
        SCENARIO.format(queue=queue, rate=rate, flows=flows, duration=duration, warmup=warmup)
    )
    return float(sojourn.run(scenario, seed=1).queue["utilisation"][0])


@pytest.mark.slow
@pytest.mark.parametrize("queue", QUEUES)
def test_a_hundred_flows_keep_a_fast_link_busy(queue):
    assert used(queue, "100Mbit", 100, "40s", "20s") >= EXCEPT.get(queue, LEAST)


@pytest.mark.slow
@pytest.mark.parametrize("queue", QUEUES)
def test_four_flows_keep_a_slow_link_busy(queue):
    # Windows of some packets are in CUBIC's Reno-friendly region: from 0.7 W in a straight line to W, 0.85 W in the
    # mean, and so much of the link without any queue.
    assert used(queue, "2Mbit", 4, "60s", "20s") >= min(0.85, EXCEPT.get(queue, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize("queue", ["care", "lred", "dsred", "blue", "avq"])
def test_twenty_flows_come_to_fill_a_very_fast_link(queue):
    # From 40 to 60 s, while their windows still grow: two thirds of what drop tail with 100 packets lets through then.
    setting = ("1Gbit", 20, "60s", "40s")
    assert used(queue, *setting) >= used("fifo", *setting) * 2 / 3
