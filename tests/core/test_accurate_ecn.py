"""Accurate ECN (RFC 9768) on a whole network."""

from __future__ import annotations

import pytest

import sojourn

NETWORK = """
duration = "15s"
warmup = "5s"
[dumbbell]
rate = "50Mbit"
delay = "9ms"
mean_packet = "1500B"
queue = "dualpi2"
reverse_queue = {{ kind = "cake", preset = "linux", ack_filter = "filter" }}
[[flow]]
name = "prague"
transport = {{ kind = "tcp", profile = "linux", packet = "1500B", control = {control}{more} }}
"""
PRAGUE = '{ kind = "prague", preset = "tcp_prague" }'


def goodput(more):
    text = NETWORK.format(more=more, control=PRAGUE)
    return sojourn.run(sojourn.Scenario.from_toml(text), seed=1).flow["goodput_bps"][0] / 1e6


@pytest.mark.parametrize("feedback", ["accecn", "accecn_options", "dctcp"])
def test_on_a_wide_way_back_all_reports_of_marks_are_equal(feedback):
    # 97 % of the link, without headers: Prague keeps it full whatever tells it the marks.
    assert goodput(f', ecn_feedback = "{feedback}"') == pytest.approx(48.6, rel=0.01)
