"""Clouds of routers in which edges say something of packets and the core goes by it."""

from __future__ import annotations

from pathlib import Path

import pytest

import sojourn

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
FAIR = 10e6 / 11


@pytest.fixture(scope="module")
def rates():
    """Bits per second of each flow of the core-stateless cloud, in the mean over three seeds."""
    scenario = sojourn.Scenario.load(SCENARIOS / "csfq_cloud.toml")
    runs = [result.flow for _, result in sojourn.replicate(scenario, seeds=range(1, 4)).results]
    means = sum(run["throughput_bps"] for run in runs) / len(runs)
    return runs[0]["group"].to_list(), means.to_list()


@pytest.mark.slow
def test_a_flow_of_its_fair_rate_crosses_five_congested_links_unharmed(rates):
    # Stoica, Shenker and Zhang 1998, figure 8a: the flow's throughput over its fair rate stays near 1 over five links.
    # It sends that rate on the wire and is dropped where its label, whose estimate wanders, exceeds the link's: a tenth
    # is allowed.
    groups, means = rates

    assert means[groups.index("long")] >= 0.9 * FAIR


@pytest.mark.slow
def test_flows_that_send_twice_their_part_are_held_to_it_on_each_link(rates):
    groups, means = rates
    for link in "abcde":
        own = [mean for group, mean in zip(groups, means, strict=True) if group == link]
        assert len(own) == 10
        # Ten flows share the rest beside the long flow; none is farther than a tenth from that (figure 5: nearly even).
        assert sum(own) == pytest.approx(10 * FAIR, rel=0.05)
        assert max(own) < 1.1 * FAIR
        assert min(own) > 0.9 * FAIR


@pytest.mark.slow
def test_without_labels_the_core_protects_nobody():
    text = (SCENARIOS / "csfq_cloud.toml").read_text(encoding="utf-8")
    plain = sojourn.Scenario.from_toml(text.replace('queue = { kind = "csfq", preset = "paper" }\n', ""))

    result = sojourn.run(plain, seed=1)

    # By drop tail each link passes 10 of 20.9 Mbit/s: of the long flow 3 % would be left if phases were random.
    assert result.flow["throughput_bps"][0] < 0.5 * FAIR
