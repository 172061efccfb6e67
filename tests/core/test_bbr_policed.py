"""BBR behind a policer: what Linux calls its long-term bandwidth."""

from __future__ import annotations

import pytest

import sojourn

POLICED = """
duration = "40s"
[dumbbell]
rate = "100Mbit"
delay = "20ms"
mean_packet = "1500B"
queue = {{ kind = "policer", rate = "10Mbit", burst = "30000B" }}
[[flow]]
name = "b"
[flow.transport]
kind = "tcp"
profile = "linux"
packet = "1500B"
control = {{ kind = "bbr", preset = "linux"{more} }}
"""


def run(more=""):
    return sojourn.run(sojourn.Scenario.from_toml(POLICED.format(more=more)))


def test_a_policers_rate_ends_most_losses():
    found, blind = run(), run(", policers = false")

    # Linux 6.12's BBR loses 5.2 % here in 40 s. Blind to the policer each cycle of eight phases loses what its first
    # sends too much, a quarter for an eighth of the time, and more where the highest rate was that of a burst.
    assert found.queue["loss_ratio"][0] <= 0.052
    assert blind.queue["loss_ratio"][0] > 1.5 * found.queue["loss_ratio"][0]
    # The rate is that of the policer: 10 Mbit/s, of which headers are 40 in 1500 bytes.
    assert found.flow["goodput_bps"][0] == pytest.approx(10e6 * 1460 / 1500, rel=0.03)
