"""How flows of different kinds share a link.

Sources: openstreetmap/operations#359 with facebook/mvfst#106 (BBR beside CUBIC), L4STeam/linux#25 (DCTCP beside CUBIC
behind DualPI2), and the parking lot of text books (round-trip times of Reno).
"""

from __future__ import annotations

import math

import pytest

import sojourn

TWO = """
duration = "{duration}s"
warmup = "20s"
[dumbbell]
rate = "{rate}"
delay = "{delay}"
mean_packet = "1500B"
queue = {queue}
reverse_queue = "fifo"
[[flow]]
name = "one"
transport = {{ kind = "tcp", packet = "1500B", {one} }}
start = {{ spread = "1s" }}
[[flow]]
name = "cubic"
transport = {{ kind = "tcp", packet = "1500B", profile = "{profile}", control = "cubic" }}
start = {{ spread = "1s" }}
"""

RED = (
    'queue = { kind = "red", preset = "paper", min_th = "10p", max_th = "50p", limit = "100p", max_p = 0.1, '
    'above = "gentle" }'
)
PARKING = 'duration = "200s"\nwarmup = "40s"\nnode = [{ name = "a" }, { name = "b" }, { name = "c" }, { name = "d" }]\n'
PARKING += "".join(
    f'[[link]]\nfrom = "{ends[0]}"\nto = "{ends[1]}"\nrate = "10Mbit"\ndelay = "10ms"\n{RED}\n'
    for ends in ("ab", "bc", "cd")
)
PARKING += "".join(
    f'[[flow]]\nfrom = "{ends[0]}"\nto = "{ends[1]}"\n'
    'transport = { kind = "tcp", control = "reno" }\nstart = { spread = "1s" }\n'
    for ends in ("ad", "ab", "bc", "cd")
)
"""Three links of 10 Mbit/s; the first flow crosses all of them, each other one."""


def bbr_beside_cubic(buffer: float) -> float:
    """BBR's share of both flows' throughput on 50 Mbit/s and 40 ms."""
    text = TWO.format(
        duration=100,
        rate="50Mbit",
        delay="20ms",
        queue=f'{{ kind = "fifo", limit = "{buffer}BDP" }}',
        one='profile = "linux", control = { kind = "bbr", preset = "linux" }',
        profile="linux",
    )
    rates = sojourn.run(sojourn.Scenario.from_toml(text)).flow["goodput_bps"].to_list()
    # A link with a long flow of either kind is full: 1448 of 1500 bytes are data. BBR alone leaves a little.
    assert sum(rates) == pytest.approx(50e6 * 1448 / 1500, rel=0.05)
    return rates[0] / sum(rates)


def test_bbr_takes_a_shallow_buffer_s_link_and_half_of_a_deep_one_s():
    """Hock et al. 2017: CUBIC is driven out where the buffer is below a product of rate and delay.

    Ware et al. 2019: in deep buffers BBR's window of two products is the limit, and its part is about 40 %. The bounds
    are wide, for neither work has this link.
    """
    shallow, deep = bbr_beside_cubic(0.25), bbr_beside_cubic(4)

    assert shallow > 0.85
    assert 0.3 < deep < 0.6


@pytest.mark.parametrize("delay", ["5ms", "10ms"])
def test_dualpi2_couples_the_laws_of_dctcp_and_cubic(delay):
    """RFC 9332 with k = 2: of packets in the L queue 2 p' are marked, of the others p'^2 dropped.

    The law of DCTCP is a window of 2 / (2 p'), that of CUBIC, which is Reno's here, 1.22 / p': 0.82 to 1. DCTCP's queue
    is shorter by about 15 ms, so its rate is higher. The profile is `rfc`: Linux's DCTCP keeps its estimate in parts of
    1024, takes nothing for an estimate below two marks in a window, and does not follow the law.
    """
    text = TWO.format(
        duration=100,
        rate="100Mbit",
        delay=delay,
        queue='{ kind = "dualpi2", preset = "rfc9332" }',
        one='profile = "rfc", ecn = true, ecn_codepoint = "ect1", ecn_feedback = "dctcp", control = "dctcp"',
        profile="rfc",
    )
    l4s, cubic = sojourn.run(sojourn.Scenario.from_toml(text)).flow.rows(named=True)
    marked = l4s["marks_packets"] / l4s["packets_sent"]
    dropped = cubic["drops_packets"] / cubic["packets_sent"]
    windows = [flow["goodput_bps"] * flow["rtt_mean_ms"] / 1e3 / 1448 / 8 for flow in (l4s, cubic)]

    # p' follows CUBIC's saw teeth, and the mean of p' is below the root of the mean of its square: 0.87 of it, where p'
    # climbs evenly from 0, and sqrt(3 f)/2, where it does so for a part f of the tooth and is 0 for the rest, after the
    # cut: 0.5 for a third. Marks of the L queue's own threshold add to it.
    assert 0.5 < marked / (2 * math.sqrt(dropped)) < 1.2
    assert windows[1] * math.sqrt(dropped) == pytest.approx(math.sqrt(1.5), rel=0.15)
    # Within a half around the ratio of the laws, for the same reasons.
    assert 1 / 1.5 < windows[0] / windows[1] / (1 / math.sqrt(1.5)) < 1.5
    assert l4s["drops_packets"] == 0


def test_a_parking_lot_has_reno_s_unfairness():
    """Three links with one loss ratio each: the flow over all of them loses three times as much as each other.

    Rates are as 1 / (round trip * sqrt(loss)) (Mathis et al. 1997). The long flow has about 100 drops in a run and the
    short ones 220 each: a standard error of 6 % of the ratio over three runs, and three of them are 20 %.
    """
    ratios = []
    for seed in (1, 2, 3):
        long, *short = sojourn.run(sojourn.Scenario.from_toml(PARKING), seed=seed).flow.rows(named=True)
        rate, trip, loss = (
            long[column] / (sum(flow[column] for flow in short) / 3)
            for column in ("goodput_bps", "rtt_mean_ms", "loss_ratio")
        )
        # The law leaves out limits of a real window: parts of packets, timeouts, and a loss just after another.
        assert 1 / rate == pytest.approx(trip * math.sqrt(loss), rel=0.2)
        # Three times the way, and queues of one length.
        assert trip == pytest.approx(3, rel=0.1)
        ratios.append(loss)
    assert sum(ratios) / 3 == pytest.approx(3, rel=0.2)
