"""Second implementations of routers that look at senders' packets, beside ours in a closed loop."""

from __future__ import annotations

from collections import deque

import polars as pl
import pytest

import sojourn

from .closed_loop import link_table
from .red_laws import Settings
from .routers import SECOND, Came, Dcbt, Rcp, dcbt

LINK = """
[dumbbell]
rate = "8Mbit"
delay = "5ms"
mean_packet = "500B"
access = {{ rate = "1Gbit", delay = ["5ms", "20ms"], spread = "random" }}
queue = {{ {queue} }}
"""

MIXED = """
duration = "25s"

[[flow]]
name = "tcp"
count = 5
transport = { kind = "tcp", packet = "1000B" }
app = "bulk"
start = { at = "0s", spread = "1s" }

[[flow]]
name = "tagged"
count = 2
transport = { kind = "udp", packet = "300B" }
app = { kind = "poisson", rate = "500kbit" }

[[flow]]
name = "other"
count = 2
transport = { kind = "udp", packet = "700B" }
app = { kind = "on_off", rate = "3Mbit" }

[record]
packets = true
drops = true
"""
KINDS = ("tcp",) * 5 + ("tagged",) * 2 + ("other",) * 2


def test_dcbt_drops_and_sends_what_its_rule_says_in_a_closed_loop():
    # So many bits that no two of nine flows share one; without max_p RED's draws decide nothing.
    queue = (
        'kind = "dcbt", limit = "40p", min_th = "5p", max_th = "20p", max_p = 0, w_q = 0.01, above = "strict", '
        'idle_decay = "paper", class_weight = 0.02, tagged_flows = [5, 6], bits = 1000000'
    )
    result = sojourn.run(sojourn.Scenario.from_toml(MIXED.replace("[[", LINK.format(queue=queue) + "[[", 1)), seed=3)
    sent = result.packets.filter(pl.col("link") == "forward")
    lost = result.drops.filter(pl.col("link") == "forward")
    # To whole nanoseconds, which ours counts.
    times = (sent["time_s"] * 1e9).round() - (sent["sojourn_ms"] * 1e6).round()
    came = [
        Came(at / 1e3, size, flow, KINDS[flow])
        for at, size, flow in zip(times, sent["size_bytes"], sent["flow"], strict=True)
    ] + [
        Came(round(at * 1e9) / 1e3, size, flow, KINDS[flow])
        for at, size, flow in lost.select("time_s", "size_bytes", "flow").iter_rows()
    ]
    came.sort(key=lambda packet: packet.time_us)
    # Packets still waiting at the end are in neither table.
    came = [packet for packet in came if packet.time_us < 24 * SECOND]

    left, dropped = dcbt(came, Dcbt(Settings(min_th=5, max_th=20, max_p=0, gentle=False), 0.02, 40))

    got = [(round(at * 1e6, 3), flow) for at, flow in sent.select("time_s", "flow").iter_rows()]
    assert len(left) > 10_000
    assert [(round(at, 3), flow) for at, flow in left] == got[: len(left)]
    reasons = [
        (round(at * 1e6, 3), flow, reason) for at, flow, reason in lost.select("time_s", "flow", "reason").iter_rows()
    ]
    assert [(round(at, 3), flow, reason) for at, flow, reason in dropped] == reasons[: len(dropped)]
    for wanted in ("forced", "unfair"):
        assert sum(reason == wanted for _, _, reason in dropped) > 50, wanted
    # Tagged packets did cut in: some left after they came sooner than one that was there before them.
    assert sent["sojourn_ms"].to_list() != sorted(sent["sojourn_ms"].to_list())


RCP = """
duration = "40s"

[record]
packets = true
probes = { every = "10ms" }
"""
# Half of the link in the mean, in bursts of up to 1.5 times its rate: the rate falls and rises to its bound.
BURSTS = """
[[flow]]
count = 3
transport = { kind = "udp", packet = "500B" }
app = { kind = "on_off", rate = "4Mbit", on = "1s", off = "2s" }
"""


def test_rcps_rate_follows_spare_capacity_and_queue():
    """Traffic without RCP's header, so that its mean round trip stays; the header has worked examples in Rust."""
    text = RCP.replace("[record]", LINK.format(queue='kind = "rcp", limit = "100000p"') + "[record]") + BURSTS
    result = sojourn.run(sojourn.Scenario.from_toml(text), seed=2)
    sent = result.packets.filter(pl.col("link") == "forward")
    leaves = [round(at * 1e9) for at in sent["time_s"]]
    came = sorted(
        (leave - round(waited * 1e6), size, leave)
        for leave, waited, size in zip(leaves, sent["sojourn_ms"], sent["size_bytes"], strict=True)
    )

    router, number, expected = Rcp(1e6), 0, []
    waiting: deque[tuple[int, int]] = deque()
    for interval in range(1, 3_900):
        until = interval * 10_000_000
        while number < len(came) and came[number][0] <= until:
            _, size, leave = came[number]
            router.comes(size)
            waiting.append((leave, size))
            number += 1
        while waiting and waiting[0][0] <= until:
            waiting.popleft()
        router.ends(sum(size for _, size in waiting))
        expected.append(8 * router.rate)

    assert len(came) > 10_000
    probes = result.probe.filter((pl.col("link") == "forward") & (pl.col("probe") == "rate_bps"))
    assert_follows(probes["value"].to_list(), expected)
    assert min(expected) < 1e5
    assert max(expected) == 8e6


def assert_follows(got: list[float], expected: list[float]) -> None:
    """The samples are the rates, interval by interval, from the first or the second one on."""
    starts = [start for start in range(3) if got[start] == pytest.approx(expected[0], rel=1e-9)]
    assert starts, (got[:4], expected[:4])
    apart = [
        number
        for number, value in enumerate(expected[: len(got) - starts[0]])
        if got[number + starts[0]] != pytest.approx(value, rel=1e-6)
    ]
    assert not apart, f"{len(apart)} differ, first {apart[0]}: {got[apart[0] + starts[0]]}, {expected[apart[0]]}"


TELLERS = """
[[flow]]
name = "near"
from = "near"
to = "sink"
transport = { kind = "tcp", control = "rcp", ack_every = 1 }
app = "bulk"

[[flow]]
name = "far"
from = "far"
to = "sink"
transport = { kind = "tcp", control = "rcp", ack_every = 1, packet = "600B" }
app = "bulk"
start = { at = "5s" }
stop = "20s"

[[flow]]
name = "other"
from = "near"
to = "sink"
transport = { kind = "udp", packet = "500B" }
app = { kind = "on_off", rate = "3Mbit", on = "2s", off = "2s" }

[record]
packets = true
probes = { every = "10ms" }
"""


def telling(far: str, interval: str, initial: str, silence: str) -> str:
    """Two senders at different distances from a router that speaks RCP, and one that does not."""
    nodes = ", ".join(f'{{ name = "{name}" }}' for name in ("near", "far", "r1", "r2", "sink"))
    rcp = (
        f'queue = {{ kind = "rcp", limit = "100000p", interval = "{interval}", initial_rtt = "{initial}", '
        f'silence = "{silence}" }}'
    )
    return (
        f'duration = "30s"\nnode = [{nodes}]\n'
        + link_table("near", "near r1", "100Mbit", "2ms")
        + link_table("far", "far r1", "100Mbit", far)
        + link_table("bottleneck", "r1 r2", "8Mbit", "3ms", rcp)
        + link_table("out", "r2 sink", "100Mbit", "1ms")
        + TELLERS
    )


def told_by(result: sojourn.Result, flow: int, link: str, delay_ns: int) -> list[float]:
    """The round trip that a sender tells in each of its packets: smoothed as in RFC 6298, from an answer to each."""

    def passed(link: str) -> list[tuple[int, int, int]]:
        rows = result.packets.filter((pl.col("link") == link) & (pl.col("flow") == flow))
        columns = rows.select("time_s", "sojourn_ms", "size_bytes").iter_rows()
        return [(round(at * 1e9) - round(waited * 1e6), round(at * 1e9), size) for at, waited, size in columns]

    sent = [came for came, _, _ in passed(link)]
    # 100 Mbit/s are 80 ns for a byte.
    answered = [left + 80 * size + delay_ns for _, left, size in passed(f"{link}/reverse")]
    smoothed, heard, said = 0.0, 0, []
    for at in sent:
        while heard < len(answered) and answered[heard] <= at:
            sample = (answered[heard] - sent[heard]) / 1e9
            smoothed = smoothed + (sample - smoothed) / 8 if heard else sample
            heard += 1
        said.append(smoothed)
    return said


@pytest.mark.parametrize(
    ("far_ms", "interval", "initial", "silence"),
    [
        (60, "10ms", "200ms", "leaves"),
        (60, "1s", "100ms", "leaves"),
        (120, "10ms", "20ms", "leaves"),
        (60, "10ms", "200ms", "repeats"),
    ],
)
def test_rcps_mean_round_trip_is_that_of_the_packets_that_tell_one(far_ms, interval, initial, silence):
    result = sojourn.run(sojourn.Scenario.from_toml(telling(f"{far_ms}ms", interval, initial, silence)))
    told = {
        0: iter(told_by(result, 0, "near", 2_000_000)),
        1: iter(told_by(result, 1, "far", far_ms * 1_000_000)),
    }
    sent = result.packets.filter(pl.col("link") == "bottleneck")
    came = sorted(
        (round(at * 1e9) - round(waited * 1e6), round(at * 1e9), size, flow)
        for at, waited, size, flow in sent.select("time_s", "sojourn_ms", "size_bytes", "flow").iter_rows()
    )
    seconds = {"10ms": 0.01, "1s": 1.0}[interval]
    router = Rcp(1e6, longest=seconds, rtt=float(initial.removesuffix("ms")) / 1e3, repeats=silence == "repeats")

    expected, waiting, number, until = [(0.0, router.rtt, 8 * router.rate)], deque(), 0, 0.0
    while True:
        until += router.interval * 1e9
        if until > 29e9:
            break
        while number < len(came) and came[number][0] <= until:
            _, leaves, size, flow = came[number]
            router.comes(size, next(told[flow]) if flow in told else 0.0)
            waiting.append((leaves, size))
            number += 1
        while waiting and waiting[0][0] <= until:
            waiting.popleft()
        router.ends(sum(size for _, size in waiting))
        expected.append((until / 1e9, router.rtt, 8 * router.rate))

    assert number > 10_000
    for probe, place, factor in (("rtt_ms", 1, 1e3), ("rate_bps", 2, 1)):
        rows = result.probe.filter((pl.col("link") == "bottleneck") & (pl.col("probe") == probe))
        samples = rows.select("time_s", "value").rows()
        at, apart = -1, []
        for time, value in samples:
            while at + 1 < len(expected) and expected[at + 1][0] < time - 1e-6:
                at += 1
            near = [expected[n][place] * factor for n in (at, at + 1) if 0 <= n < len(expected)]
            if near and time < 29 and not any(value == pytest.approx(number, rel=1e-6) for number in near):
                apart.append((time, value, near))
        assert not apart, f"{probe}: {len(apart)} of {len(samples)} differ, first {apart[0]}"
    means = [mean for _, mean, _ in expected]
    assert max(means) > 1.5 * min(means)
