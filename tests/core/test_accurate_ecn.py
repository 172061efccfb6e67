"""Accurate ECN (RFC 9768) where a filter thins the acknowledgements that carry its three bits."""

from __future__ import annotations

import pytest

import sojourn

THINNED = """
duration = "15s"
warmup = "5s"
[dumbbell]
rate = "50Mbit"
reverse_rate = "{reverse}"
delay = "9ms"
mean_packet = "1500B"
queue = "dualpi2"
reverse_queue = {{ kind = "cake", preset = "linux", ack_filter = "{filter}" }}
[[flow]]
name = "prague"
transport = {{ kind = "tcp", profile = "linux", packet = "1500B", control = {control}{more} }}
"""
PRAGUE = '{ kind = "prague", preset = "linux" }'


def goodput(filter_, more, reverse="300kbit"):
    text = THINNED.format(filter=filter_, more=more, reverse=reverse, control=PRAGUE)
    return sojourn.run(sojourn.Scenario.from_toml(text), seed=1).flow["goodput_bps"][0] / 1e6


@pytest.mark.parametrize("feedback", ["accecn", "accecn_options", "dctcp"])
def test_on_a_wide_way_back_all_reports_of_marks_are_equal(feedback):
    # 97 % of the link, without headers: Prague keeps it full whatever tells it the marks.
    assert goodput("filter", f', ecn_feedback = "{feedback}"', "50Mbit") == pytest.approx(48.6, rel=0.01)


@pytest.mark.parametrize("filter_", ["filter", "aggressive"])
def test_on_a_narrow_way_back_the_filter_of_cake_makes_three_bits_expensive(filter_):
    # 300 kbit/s carry a fifth of the acknowledgements of 50 Mbit/s. Linux's filter keeps those of accurate ECN whose
    # flag AE is set, which is half of them, and all that have the option: the queue on the way back is longer, and
    # marks that begin cause acknowledgements of their own. An exact echo as of DCTCP is filtered as any.
    exact = goodput(filter_, ', ecn_feedback = "dctcp"')
    counted = [goodput(filter_, f', ecn_feedback = "{feedback}"') for feedback in ("accecn", "accecn_options")]

    assert all(exact > 1.1 * rate > 20 for rate in counted), (exact, counted)
