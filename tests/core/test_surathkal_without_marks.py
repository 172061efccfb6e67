"""TCP Surathkal over a router that does not mark: there it takes losses for congestion."""

import pytest

import sojourn

SCENARIO = """
duration = "60s"
warmup = "20s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
access = {{ rate = "100Mbit", delay = "5ms" }}
queue = {{ kind = "fifo", limit = "60p" }}

[[flow]]
name = "surathkal"
count = 4
transport = {{ kind = "tcp", profile = "ns2", control = {control}, ecn = true, ecn_feedback = "xecn" }}
start = {{ spread = "1s" }}

[[flow]]
name = "sack"
count = 4
transport = {{ kind = "tcp", profile = "ns2", recovery = "sack" }}
start = {{ spread = "1s" }}
"""


def share(control, seed):
    """The share of the four Surathkal flows in all arrivals."""
    flows = sojourn.run(sojourn.Scenario.from_toml(SCENARIO.format(control=control)), seed=seed).flow
    return flows.filter(group="surathkal")["throughput_bps"].sum() / flows["throughput_bps"].sum()


@pytest.mark.parametrize("seed", [1, 2])
def test_it_shares_a_drop_tail_queue_with_sack(seed):
    # Both add a segment in a round trip and halve at a loss: an even half, and a tenth of it to either side by chance.
    assert share('"surathkal"', seed) == pytest.approx(0.5, rel=0.1)


def test_as_marked_it_hears_no_loss_and_takes_most_of_the_link():
    # Only timeouts slow it down; here three times as much as SACK is most.
    assert share('{ kind = "surathkal", loss = "as_marked" }', 1) > 0.75
