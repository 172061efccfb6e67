"""A queue of which only `kind` is written serves a healthy link: 100 SACK flows keep 100 Mbit/s busy, and so on."""

import json

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
    # A choke packet closes the window to one segment (4.3BSD), as a timeout does: each costs more than a loss.
    "source_quench": 0.80,
    # The same, and the queue that all flows share sends one to each of them while it is above half its limit.
    "hop_by_hop": 0.40,
}


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
    assert used(queue, "2Mbit", 4, "60s", "20s") >= 0.94
