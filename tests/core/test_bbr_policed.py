"""BBR behind a policer: its "long-term bandwidth" in Linux."""

from __future__ import annotations

from statistics import fmean

import pytest

import sojourn

POLICED = """
duration = "40s"
[dumbbell]
rate = "100Mbit"
delay = "{delay}"
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


# A run is chaotic: 0.1 ms more of delay moves its losses between 3.7 and 5.9 %. The mean of five is compared.
DELAYS = ("19.8ms", "19.9ms", "20ms", "20.1ms", "20.2ms")


def losses(more=""):
    return [run(delay, more).queue["loss_ratio"][0] for delay in DELAYS]


def run(delay="20ms", more=""):
    return sojourn.run(sojourn.Scenario.from_toml(POLICED.format(delay=delay, more=more)))


def test_a_policers_rate_ends_most_losses():
    found, blind = fmean(losses()), fmean(losses(", policers = false"))

    # Linux 6.12's BBR loses 5.2 % in one such run of 40 s. Blind to the policer each cycle of eight phases loses the
    # excess of its first phase, a quarter for an eighth of the time, and more if the highest rate was that of a burst.
    assert found <= 0.052
    assert blind > 1.5 * found


def test_the_rate_is_that_of_the_policer():
    # 10 Mbit/s, of which headers are 40 in 1500 bytes.
    assert run().flow["goodput_bps"][0] == pytest.approx(10e6 * 1460 / 1500, rel=0.03)
