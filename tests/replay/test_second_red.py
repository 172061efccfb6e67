"""RED's decisions against a second RED, written from figure 2 of Floyd and Jacobson 1993, on the same numbers."""

import random
from collections import deque
from dataclasses import dataclass

import polars as pl
import pytest

from sojourn import replay

MEAN_PACKET = 500
MIN_TH, MAX_TH, MAX_P, W_Q, LIMIT = 5, 15, 0.05, 0.01, 25


@dataclass
class Arrival:
    time_us: int
    size: int
    ect: bool
    uniform: float


def arrivals(count: int) -> list[Arrival]:
    """Load that changes between 0.6 and 1.6 of the link and falls silent at times; whole microseconds give ties."""
    draw = random.Random(20260817)
    time, load, made = 0, 0.6, []
    for _ in range(count):
        if draw.random() < 0.005:
            load = draw.choice((0.6, 1.0, 1.6))
            time += draw.choice((0, 200_000))
        size = draw.choice((40, 576, 1000, 384))
        time += round(draw.expovariate(load / MEAN_PACKET))
        made.append(Arrival(time, size, draw.random() < 0.5, draw.random()))
    return made


def second_red(packets: list[Arrival], *, ecn: bool) -> list[tuple[str, str | None, int | None]]:
    """Decision, reason and microsecond of departure of each packet."""
    avg, count, idle_since = 0.0, -1, 0
    queue: deque[int] = deque()
    free_at: int | None = None  # End of the transmission under way.
    fates: list[tuple[str, str | None, int | None]] = []

    def serve(until: int) -> None:
        nonlocal free_at, idle_since
        while free_at is not None and free_at <= until:
            now, free_at = free_at, None
            if queue:
                send(queue.popleft(), now)
            else:
                idle_since = now

    def send(number: int, now: int) -> None:
        nonlocal free_at
        fates[number] = (*fates[number][:2], now)
        free_at = now + packets[number].size

    for number, packet in enumerate(packets):
        serve(packet.time_us)
        if free_at is None:  # m = time / s, s being the time of a typical packet.
            avg *= (1 - W_Q) ** ((packet.time_us - idle_since) / MEAN_PACKET)
            # The figure keeps q_time when the packet is dropped and the link stays idle, and so counts the same
            # idle time again at the next packet. Both of us count it once, as ns-2 does.
            idle_since = packet.time_us
        else:
            avg += W_Q * (len(queue) - avg)
        decision, reason = "enqueued", None
        if avg < MIN_TH:
            count = -1
        else:
            count += 1
            p_b = MAX_P * (avg - MIN_TH) / (MAX_TH - MIN_TH)
            if avg >= MAX_TH:
                decision, reason, count = "dropped", "forced", 0
            elif count * p_b >= 1 or packet.uniform < p_b / (1 - count * p_b):
                decision, reason, count = "marked" if ecn and packet.ect else "dropped", "early", 0
        if decision != "dropped" and len(queue) == LIMIT:
            decision, reason, count = "dropped", "overflow", 0
        fates.append((decision, reason, None))
        if decision != "dropped":
            if free_at is None:
                send(number, packet.time_us)
            else:
                queue.append(number)
    serve(10**18)
    return fates


@pytest.mark.parametrize("ecn", [False, True])
def test_both_decide_alike_about_each_of_twenty_thousand_packets(ecn):
    packets = arrivals(20_000)
    frame = pl.DataFrame(
        {
            "time_s": [packet.time_us / 1e6 for packet in packets],
            "bytes": [packet.size for packet in packets],
            "flow": ["all"] * len(packets),
            "ecn": ["ect0" if packet.ect else "not-ect" for packet in packets],
            "uniform": [packet.uniform for packet in packets],
        }
    )

    result = replay(
        frame,
        queue="red",
        preset="paper",
        settings={
            "limit": f"{LIMIT}p",
            "min_th": f"{MIN_TH}p",
            "max_th": f"{MAX_TH}p",
            "max_p": MAX_P,
            "w_q": W_Q,
            "ecn": ecn,
        },
        rate="8Mbit",
        mean_packet=f"{MEAN_PACKET}B",
    )

    expected = second_red(packets, ecn=ecn)
    got = [
        (decision, reason, None if departure is None else round(departure * 1e6))
        for decision, reason, departure in result.decisions.select("decision", "reason", "departure_s").iter_rows()
    ]
    differences = [(number, *pair) for number, pair in enumerate(zip(got, expected, strict=True)) if pair[0] != pair[1]]
    assert not differences, f"they part at packet {differences[0]}"
    # The arrivals reach every branch.
    seen = result.reasons.select("event", "reason").rows()
    assert set(seen) >= {("drop", "early"), ("drop", "forced"), ("drop", "overflow")}
    assert (("mark", "early") in seen) == ecn
