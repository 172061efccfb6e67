"""Sizes are those of IP packets: the parameters of Linux that count bytes, in runs and recordings, in closed form."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest

import sojourn
from sojourn._rooms._base.toml import inline
from sojourn._rooms.scenario.tc_line import tc_queue
from sojourn.line import Line

pytestmark = pytest.mark.filterwarnings("ignore:.*sizes are those of IP packets here")

SCENARIO = """
duration = "12s"
warmup = "2s"
[dumbbell]
rate = "100Mbit"
delay = "10ms"
mean_packet = "{size}B"
queue = {queue}
[[flow]]
transport = {{ kind = "udp", packet = "{size}B" }}
app = {{ kind = "cbr", rate = "2Mbit" }}
"""
# 40 bytes and 10 are two cells of 53; a router with this line shows these sizes: 106 and 1643.
ATM = "cake bandwidth 809kbit besteffort atm overhead 10"
SHARES = [
    (ATM, 40, 40 / 106),
    (ATM, 1478, 1478 / 1643),
    ("cake bandwidth 809kbit besteffort overhead 38 mpu 84", 40, 40 / 84),
    ("cake bandwidth 809kbit besteffort overhead 0", 40, 1),
    # Without an overhead the kernel counts frames of Ethernet: the network layer size of `tc -s` has 14 bytes more.
    ("cake bandwidth 809kbit besteffort raw", 40, 40 / 54),
    ("cake bandwidth 809kbit besteffort", 540, 540 / 554),
    # 1014 bytes are 22 cells.
    ("cake bandwidth 809kbit besteffort atm", 1000, 1000 / (22 * 53)),
]


@pytest.mark.parametrize(("line", "size", "share"), SHARES)
def test_cake_counts_the_ip_packet_and_its_overhead_in_a_run(line, size, share):
    scenario = sojourn.Scenario.from_toml(SCENARIO.format(size=size, queue=inline(tc_queue(line))))

    # 10 s of the shaper, less than a packet at either end.
    assert sojourn.run(scenario).queue["throughput_bps"][0] == pytest.approx(809e3 * share, rel=2e-3)


def test_and_in_a_comparison():
    scenario = sojourn.Scenario.from_toml(SCENARIO.format(size=40, queue='"fifo"'))

    study = sojourn.compare(scenario, queues=[ATM, "pfifo"], seeds=[1])

    assert study.values("throughput_bps")[ATM]["forward"] == pytest.approx([809e3 * 40 / 106], rel=2e-3)


def replayed(line: str, sizes: list[int], flows: list[str], rate: str = "100Mbit") -> pl.DataFrame:
    """Decisions about packets that come together."""
    arrivals = pl.DataFrame({"time_s": [0.0] * len(sizes), "bytes": sizes, "flow": flows})
    return sojourn.replay(arrivals, queue=tc_queue(line), rate=rate).decisions


@pytest.mark.parametrize(("line", "size", "share"), SHARES)
def test_and_in_a_recording(line, size, share):
    rows = replayed(line, [size] * 6, ["a"] * 6)

    left = (rows["time_s"] + rows["sojourn_ms"] / 1e3).to_list()
    assert [after - before for before, after in pairwise(left)] == pytest.approx(
        [8 * size / share / 809e3] * 5, abs=1e-8
    )


def test_and_on_a_line():
    assert Line.read("20/100", link="adsl").queues("cake")[0] == tc_queue(
        "cake bandwidth 19000000bit pppoe-llcsnap dual-srchost"
    )


def test_a_quantum_counts_the_ip_packet():
    # 900 bytes are nine packets of 100 of a new flow, and one of 900 of another.
    rows = replayed("fq_codel quantum 900", [100] * 20 + [900] * 2, ["a"] * 20 + ["b"] * 2)

    left = rows.with_columns(left=pl.col("time_s") + pl.col("sojourn_ms") / 1e3).sort("left")["flow"].to_list()
    # The first packet finds the link idle.
    assert "".join(str(flow) for flow in left) == "a" * 9 + "b" + "a" * 9 + "b" + "a" * 2


def test_a_limit_in_bytes_counts_the_ip_packet():
    # One is on the link, and three wait.
    assert (
        replayed("bfifo limit 3000", [1000] * 6, ["a"] * 6)["decision"].to_list() == ["enqueued"] * 4 + ["dropped"] * 2
    )
    assert (
        replayed("bfifo limit 2999", [1000] * 6, ["a"] * 6)["decision"].to_list() == ["enqueued"] * 3 + ["dropped"] * 3
    )


@pytest.mark.parametrize(("line", "sent"), [("pfifo limit 0", 0), ("bfifo limit 540", 6), ("bfifo limit 200", 3)])
def test_a_limit_is_as_small_as_tc_says(line, sent):
    # One is on the link, and the others wait. Of 100 packets as many leave Linux 6.12.
    rows = replayed(line, [100] * 100, ["a"] * 100)

    assert rows["decision"].to_list() == ["enqueued"] * sent + ["dropped"] * (100 - sent)


def test_a_packet_larger_than_the_burst_is_dropped():
    # Linux 6.12 sends all of 1000 bytes, with the header of the frame, and none of 1001.
    rows = replayed("tbf rate 5mbit burst 1000 limit 300000", [986, 987, 300] * 5, ["a"] * 15)

    assert rows["decision"].to_list() == ["enqueued", "dropped", "enqueued"] * 5


def test_a_burst_counts_the_frame():
    # Of 3000 bytes two frames of 1014 go at once; the third one takes 42 bytes more, and each further one all of its
    # own, at 1 Mbit/s.
    rows = replayed("tbf rate 1mbit burst 3000 limit 10000", [1000] * 5, ["a"] * 5, "1Gbit")

    assert rows["sojourn_ms"].to_list() == pytest.approx([0, 0.008, 0.336, 8.448, 16.56], abs=0.02)


def test_an_mtu_counts_the_ip_packet():
    # At 80 kbit/s a packet takes 100 ms: each waits longer than the target, and one of 1000 bytes is behind it.
    times = [0.0, 0.0, *(0.1 * n + 0.05 for n in range(60))]
    arrivals = pl.DataFrame({"time_s": times, "bytes": [1000] * 62, "flow": ["a"] * 62})

    def drops(mtu: str) -> int:
        queue = {"kind": "codel", "preset": "linux", "mtu": mtu}
        return int(sojourn.replay(arrivals, queue=queue, rate="80kbit").summary["drops_packets"].item())

    assert (drops("1000B"), drops("999B") > 0) == (0, True)


def test_a_memory_limit_counts_the_buffers_of_ip_packets():
    # One is on the link. A datagram of 1000 bytes has a buffer of 2304: four fit, and the fifth has half dropped.
    five = replayed("fq_codel memory_limit 10000", [1000] * 5, ["a"] * 5)["decision"].to_list()
    six = replayed("fq_codel memory_limit 10000", [1000] * 6, ["a"] * 6)["decision"].to_list()

    assert (five.count("dropped"), six.count("dropped")) == (0, 3)
