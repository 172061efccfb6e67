"""Padhye's model beside packets that a link corrupts at random."""

import numpy as np
import pytest

import sojourn
from sojourn.models import tcp

TOML = """
duration = "600s"
warmup = "20s"
[dumbbell]
rate = "100Mbit"
delay = "48ms"
access = {{ rate = "1Gbit", delay = "1ms" }}
loss = {{ kind = "uniform", probability = {p} }}
reverse_loss = {{ kind = "uniform", probability = 0 }}
[[flow]]
name = "bulk"
transport = {{ kind = "tcp", profile = "ns2", recovery = "{recovery}", window = "2000p", rto_min = "1s" }}
"""


def sent(p, recovery="reno"):
    """Packets per second that one flow sends into a link that loses a part p of them, over three runs of 580 s."""
    rates = []
    for seed in (1, 2, 3):
        scenario = sojourn.Scenario.from_toml(TOML.format(p=p, recovery=recovery))
        rates.append(sojourn.run(scenario, seed=seed).group["throughput_mean_bps"][0] / 8000.0 / (1.0 - p))
    return float(np.mean(rates))


@pytest.mark.parametrize("p", [0.001, 0.003, 0.01, 0.03])
def test_padhyes_rate_is_that_of_renos_packets(p):
    # 100 ms without a queue, acknowledgements of every packet, a timeout of at least 1 s. The model lets a loss take
    # the rest of its round with it, and here each packet is lost for itself, so they need not agree to the last tenth.
    assert sent(p) == pytest.approx(float(tcp.padhye(p, 0.1, timeout_s=1.0)), rel=0.15)


@pytest.mark.parametrize("p", [0.001, 0.003, 0.01, 0.03])
def test_recovery_without_timeouts_lies_between_padhye_and_the_square_root(p):
    # NewReno repairs several losses of a window without waiting for the timeout that the model has Reno wait for. The
    # square root's constant is that of [Mat97] for losses at random.
    packets = sent(p, "newreno")
    assert float(tcp.padhye(p, 0.1, timeout_s=1.0)) < packets < float(tcp.mathis(p, 0.1, constant=1.31))


def test_many_losses_cost_reno_timeouts_that_newreno_does_not_need():
    assert 1.25 * sent(0.03) < sent(0.03, "newreno")
