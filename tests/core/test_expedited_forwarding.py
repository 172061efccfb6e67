"""Expedited forwarding (RFC 3246) above assured forwarding: scenario `expedited`."""

import functools

import polars as pl
import pytest

import sojourn

SEEDS = (1, 2)
CALLER, FLOOD = 0, 1
CORE_BPS = 10e6
LARGEST = 1500
"""Bytes of the largest packet of others."""
BURST = 2 * 200
"""Bytes that each of the two policers lets pass at once."""
LATE = 2 * 125e3 * 16e-6
"""Bytes that the policers' own lines may add: a packet waits there for one of 200 bytes at 100 Mbit/s, 16 us."""
BOUND_MS = 1e3 * 8 * (LARGEST + 2 * BURST + LATE) / CORE_BPS
"""The longest time of an EF packet from its arrival at the core to the end of its transmission: 1.84 ms.

The link serves EF alone at 10 Mbit/s once the packet of others is sent that it may have begun: after t seconds it has
sent at least C t - L bits of EF (Cruz 1991; RFC 3246 section 2.2 with E = L / C). The two customers together send at
most 2 B + 2 r t in any t seconds, with r = 1 Mbit/s, less than C / 2. The largest horizontal distance of the two lines
is (2 B + L) / C, at t = 0 (and 2 B is a little more: `LATE`).
"""
NO_PRIORITY = [{"policy": {"kind": "diffserv", "preset": "ns2"}}]


@functools.cache
def run(seed, bulk=8, priority=True):
    scenario = sojourn.Scenario.load("expedited").set("record.packets", True).set("flow[3].count", bulk)
    if not priority:
        scenario = scenario.set("link[4].queue.class", NO_PRIORITY)
    return sojourn.run(scenario, seed=seed)


def core_delays_ms(result):
    """Milliseconds from arrival at the core's queue to the end of the transmission, of each packet of EF."""
    packets = result.packets.filter(pl.col("link") == "core", pl.col("flow").is_in([CALLER, FLOOD]))
    assert packets.height > 30_000
    return packets["sojourn_ms"] + 1e3 * 8 * packets["size_bytes"] / CORE_BPS


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bulk", [1, 40])
def test_no_packet_of_ef_takes_longer_than_its_bound_whatever_the_load_of_others(seed, bulk):
    result = run(seed, bulk)

    assert core_delays_ms(result).max() <= BOUND_MS
    # A packet of others is being sent nearly always: EF waits for more than half of one in the mean.
    assert core_delays_ms(result).mean() > 0.5e3 * 8 * LARGEST / CORE_BPS
    assert result.queue.filter(link="core")["utilisation"][0] > 0.99


@pytest.mark.parametrize("seed", SEEDS)
def test_ef_within_its_rate_loses_nothing_and_ef_over_its_rate_is_dropped_at_the_edge(seed):
    result = run(seed)
    caller, flood = result.flow["drops_packets"][CALLER], result.reasons.filter(link="flood", event="drop")

    assert caller == 0
    assert flood["reason"].to_list() == ["excess"]
    # It sends 2 Mbit/s and may send 1.
    assert result.flow["loss_ratio"][FLOOD] == pytest.approx(0.5, abs=0.01)
    assert result.flow["throughput_bps"][FLOOD] == pytest.approx(1e6, rel=0.01)
    # The core drops no EF packets.
    assert result.reasons.filter(link="core", event="drop")["packets"].sum() == result.flow["drops_packets"][2:].sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_assured_flows_get_what_is_agreed_below_ef(seed):
    result = run(seed, bulk=40)
    rates = result.flow.group_by("group").agg(pl.col("throughput_bps").sum())
    gold = rates.filter(group="gold")["throughput_bps"][0]

    # 8.2 Mbit/s are left for 44 flows: an even part for four of them is 0.75 Mbit/s, and 3 are agreed.
    assert gold > 0.8 * 3e6


def test_without_priority_ef_waits_as_all_others_do():
    assert core_delays_ms(run(1, priority=False)).max() > 10 * BOUND_MS
