"""Arrivals, random numbers, and a first-in first-out queue before a link, for second implementations of laws.

What is shared with the replay of ours is what no publication says: in which order random numbers are drawn, the
generator (xoshiro256++ of Blackman and Vigna, its state from SplitMix64), and a flow's hash (SplitMix64's finaliser).
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

import polars as pl

from sojourn import replay

RATE = "8Mbit"  # One byte takes one microsecond.
MEAN_PACKET = 500
MASK = (1 << 64) - 1

Fate = tuple[str, str | None, int | None]
"""Decision, reason, and microsecond of departure."""


@dataclass(frozen=True)
class Packet:
    """An arrival; flows are numbered in the order in which they come first."""

    time_us: int
    size: int
    flow: int
    ect: bool
    uniform: float


def arrivals(count: int = 10_000, flows: int = 8, seed: int = 20260817) -> list[Packet]:
    """Load that changes between 0.6 and 1.6 of the link and falls silent at times; low flows send most."""
    draw = random.Random(seed)
    weights = [1.0 / (1 + flow) for flow in range(flows)]
    time, load, numbers = 0, 0.6, {}
    made = []
    for _ in range(count):
        if draw.random() < 0.005:
            load = draw.choice((0.6, 1.0, 1.6))
            time += draw.choice((0, 200_000))
        size = draw.choice((40, 576, 1000, 384))
        time += round(draw.expovariate(load / MEAN_PACKET))
        flow = draw.choices(range(flows), weights)[0]
        flow = numbers.setdefault(flow, len(numbers))
        made.append(Packet(time, size, flow, draw.random() < 0.5, draw.random()))
    return made


def finalised(value: int) -> int:
    """SplitMix64's finaliser."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def bucket(flow: int, key: int, width: int) -> int:
    """The place of a flow among `width`."""
    return finalised((flow + key + 0x9E3779B97F4A7C15) & MASK) % width


class Numbers:
    """A stream, by default a replay's: the number that an arrival brings first, then those of the generator."""

    def __init__(self, stream: str = "queue", seed: int = 1) -> None:
        name = 0xCBF29CE484222325
        for byte in stream.encode():
            name = ((name ^ byte) * 0x100000001B3) & MASK
        turned = seed * 0x9E3779B97F4A7C15 & MASK
        seed = name ^ (((turned << 31) | (turned >> 33)) & MASK)
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            self.state.append(finalised(seed))
        self.supplied: float | None = None

    def uniform(self) -> float:
        """A number in [0, 1)."""
        if self.supplied is not None:
            number, self.supplied = self.supplied, None
            return number
        s0, s1, s2, s3 = self.state
        total = (s0 + s3) & MASK
        drawn = ((((total << 23) | (total >> 41)) & MASK) + s0) & MASK
        shifted = (s1 << 17) & MASK
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = ((s3 << 45) | (s3 >> 19)) & MASK
        self.state = [s0, s1, s2, s3]
        return (drawn >> 11) / (1 << 53)

    def below(self, n: int) -> int:
        """A whole number below `n`."""
        return min(int(self.uniform() * n), n - 1)


class Law:
    """The law of a queue; times are microseconds. `queue` is the backlog, without the packet in transmission."""

    due: float | None = None
    """When `look` is called next."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self.queue: deque[Packet] = deque()
        self.evicted: list[Packet] = []
        """Packets that the law has taken out of the queue at this arrival."""

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        """The verdict on a packet: `enqueued`, `marked` or `dropped`, and why."""
        raise NotImplementedError

    def joins(self, now: int, packet: Packet) -> None:
        """A packet joins the queue, which does not yet hold it."""

    def leaves(self, now: int, packet: Packet) -> None:
        """A packet has left the queue for the link."""

    def overflows(self, now: int, packet: Packet) -> None:
        """A packet that the law let pass found no room."""

    def idles(self, now: int) -> None:
        """The link is free and nothing waits."""

    def stays_idle(self, now: int) -> None:
        """A packet has been dropped, and the link is idle on."""

    def look(self, now: float) -> None:
        """`due` has come; sets the next."""


def run(law: Law, packets: list[Packet], limit: int) -> list[Fate]:
    """The fate of each packet. At one moment first the link becomes free, then `due` comes, then packets arrive."""
    fates: dict[int, Fate] = {}
    free_at: int | None = None
    place = {id(packet): number for number, packet in enumerate(packets)}

    def serve(now: int) -> None:
        nonlocal free_at
        free_at = None
        if not law.queue:
            law.idles(now)
            return
        packet = law.queue.popleft()
        law.leaves(now, packet)
        number = place[id(packet)]
        fates[number] = (*fates[number][:2], now)
        free_at = now + packet.size

    def happen(until: float) -> None:
        while True:
            free = free_at if free_at is not None and free_at <= until else None
            due = law.due if law.due is not None and law.due <= until else None
            if free is not None and (due is None or free <= due):
                serve(free)
            elif due is not None:
                law.look(due)
            else:
                return

    for number, packet in enumerate(packets):
        now = packet.time_us
        happen(now)
        law.numbers.supplied = packet.uniform
        decision, reason = law.arrives(now, packet)
        law.numbers.supplied = None
        for victim in law.evicted:
            fates[place[id(victim)]] = ("dropped", "unfair", None)
        law.evicted.clear()
        if decision != "dropped" and len(law.queue) >= limit:
            decision, reason = "dropped", "overflow"
            law.overflows(now, packet)
        fates[number] = (decision, reason, None)
        if decision != "dropped":
            law.joins(now, packet)
            law.queue.append(packet)
            if free_at is None:
                serve(now)
        elif free_at is None:
            law.stays_idle(now)
    while free_at is not None:
        serve(free_at)
    return [fates[number] for number in range(len(packets))]


def ours(
    packets: list[Packet], queue: str, settings: dict[str, object], base_rtt: str = "100ms", ect: str = "ect0"
) -> list[Fate]:
    """The same of Sojourn's queue; `ect` is the codepoint of the packets that are capable."""
    frame = pl.DataFrame(
        {
            "time_s": [packet.time_us / 1e6 for packet in packets],
            "bytes": [packet.size for packet in packets],
            "flow": [str(packet.flow) for packet in packets],
            "ecn": [ect if packet.ect else "not-ect" for packet in packets],
            "uniform": [packet.uniform for packet in packets],
        }
    )
    result = replay(frame, queue=queue, settings=settings, rate=RATE, mean_packet=f"{MEAN_PACKET}B", base_rtt=base_rtt)
    rows = result.decisions.select("decision", "reason", "departure_s").iter_rows()
    return [(decision, reason, None if at is None else round(at * 1e6)) for decision, reason, at in rows]
