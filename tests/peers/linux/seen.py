"""The forwarder's recording, and the numbers that follow from it."""

from __future__ import annotations

import json
from bisect import bisect
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from struct import unpack_from

from forwarder import DROPPED, MARKED, PACKET
from settings import Setting


@dataclass(frozen=True)
class Segment:
    """A packet with data. Times in seconds since the run began."""

    time: float
    start: float
    """When its transmission began; -1 if it was dropped."""
    fate: int
    flow: int
    seq: int
    """From the flow's first byte of data on."""
    length: int
    flags: int


@dataclass(frozen=True)
class Ack:
    """The packets that came back."""

    time: float
    flow: int
    ack: int
    sack: tuple[tuple[int, int], ...]
    flags: int


@dataclass
class Trace:
    """A run."""

    setting: Setting
    late_us: dict[str, float]
    arrivals: list[tuple[float, float, int]] = field(default_factory=list)
    """Every packet that came to the queue: when, start of its transmission, fate."""
    starved: float = 0.0
    """Seconds for which a program that could send or read got no processor, at most, between two looks."""
    segments: list[Segment] = field(default_factory=list)
    acks: list[Ack] = field(default_factory=list)

    def metrics(self) -> dict[str, float]:
        """The compared numbers, over the measured window."""
        setting = self.setting
        first, last = setting.warmup, setting.duration
        within = [entry for entry in self.arrivals if first <= entry[0] < last]
        if not within or any(not rate for rate in self.goodput()):
            raise ValueError("a flow carried nothing")
        drops = sum(fate == DROPPED for _, _, fate in within)
        marks = sum(fate == MARKED for _, _, fate in within)
        waited = sum(
            max(0.0, min(start, last) - max(time, first)) for time, start, fate in self.arrivals if fate != DROPPED
        )
        goodput = self.goodput()
        covered = self.covered()
        acks = sum(covered.values())
        episodes = self.episodes()
        return {
            "mean_queue": waited / (last - first),
            "loss": drops / len(within),
            "mark_ratio": marks / len(within),
            "goodput": sum(goodput) * 8 / (setting.rate_mbit * 1e6),
            "acks": acks / max(1, len(within) - drops),
            "jain": sum(goodput) ** 2 / (len(goodput) * sum(each * each for each in goodput)),
            "acks_of_two": covered[2] / acks,
            "acks_of_one": covered[1] / acks,
            "acks_of_none": covered[0] / acks,
            "acks_of_more": sum(count for size, count in covered.items() if size > 2) / acks,
            "episodes": len(episodes),
            "drops_per_episode": drops / len(episodes) if episodes else 0.0,
            "flows_per_episode": sum(len({flow for _, flow in drops}) for drops in episodes) / len(episodes)
            if episodes
            else 0.0,
            "added_ms": self.added_ms(),
        }

    def added_ms(self) -> float:
        """The machine's delay in a round trip: from when the last bit of a packet was due at the far end until its
        acknowledgement came back to the forwarder, and from when that was due at the near end until the next packet
        came; means of those that took less than 1 ms."""
        packet, ack = 8e-6 * self.setting.packet, 8e-6 * self.setting.header
        delay, rate = 1e-3 * self.setting.delay_ms, self.setting.rate_mbit
        came = {(each.flow, each.seq + each.length): each.start + packet / rate + delay for each in self.segments}
        answers = [each.time - came.get((each.flow, each.ack), -1.0) for each in self.acks if not each.sack]
        sent = [[each.time for each in self.segments if each.flow == flow] for flow in range(self.setting.flows)]
        heard = [(each.flow, each.time + ack / rate + delay) for each in self.acks]
        replies = [after(sent[flow], time) - time for flow, time in heard]
        quick = ([time for time in times if time < 1e-3] for times in (answers, replies))
        return 1e3 * sum(sum(times) / max(1, len(times)) for times in quick)

    def goodput(self) -> list[float]:
        """Bytes per second that were acknowledged, by flow."""
        setting = self.setting
        reached = [[0, 0] for _ in range(setting.flows)]
        for ack in self.acks:
            for index, end in enumerate((setting.warmup, setting.duration)):
                if ack.time < end:
                    reached[ack.flow][index] = max(reached[ack.flow][index], ack.ack)
        return [(high - low) / (setting.duration - setting.warmup) for low, high in reached]

    def covered(self) -> Counter[int]:
        """How many segments the acknowledgements of the measured window cover."""
        mss = self.setting.packet - self.setting.header
        reached = [0] * self.setting.flows
        covered: Counter[int] = Counter()
        for ack in self.acks:
            if self.setting.warmup <= ack.time < self.setting.duration:
                covered[max(0, round((ack.ack - reached[ack.flow]) / mss))] += 1
            reached[ack.flow] = max(reached[ack.flow], ack.ack)
        return covered

    def drops(self) -> list[tuple[float, int]]:
        """When the queue dropped packets of the measured window, and whose."""
        first, last = self.setting.warmup, self.setting.duration
        return [(each.time, each.flow) for each in self.segments if each.fate == DROPPED and first <= each.time < last]

    def episodes(self) -> list[list[tuple[float, int]]]:
        """The drops, in groups: a new one begins after a round trip through a full queue without a drop."""
        return episodes_of(self.drops(), self.setting)


def after(times: list[float], time: float) -> float:
    """The first of the sorted `times` that is later."""
    place = bisect(times, time)
    return times[place] if place < len(times) else float("inf")


def episodes_of(drops: list[tuple[float, int]], setting: Setting) -> list[list[tuple[float, int]]]:
    """Groups of drops that lie further apart than a round trip through a full queue."""
    gap = 2e-3 * setting.delay_ms + setting.limit * setting.packet * 8e-6 / setting.rate_mbit
    groups: list[list[tuple[float, int]]] = []
    for drop in drops:
        if groups and drop[0] - groups[-1][-1][0] <= gap:
            groups[-1].append(drop)
        else:
            groups.append([drop])
    return groups


def read(path: Path, began: int, setting: Setting, first_port: int = 41000) -> Trace:
    """A file of the forwarder; `began` is the moment that counts as 0."""
    with path.open("rb") as file:
        head = json.loads(file.readline())
        trace = Trace(setting, head["late_us"])
        origins: dict[tuple[int, int], int] = {}
        for side, count in enumerate(head["packets"]):
            for _ in range(count):
                arrival, start, fate, size, kept = PACKET.unpack(file.read(PACKET.size))
                headers = file.read(kept)
                time = (arrival - began) / 1e9
                begin = (start - began) / 1e9 if start >= 0 else -1.0
                if side == 0:
                    trace.arrivals.append((time, begin, fate))
                take(trace, side, (time, begin, fate, size), headers, first_port, origins)
    return trace


def take(trace: Trace, side: int, seen, headers: bytes, first_port: int, origins) -> None:
    """Adds a packet to the flows' segments or acknowledgements, if it is one."""
    time, begin, fate, size = seen
    if headers[0] >> 4 != 4 or headers[9] != 6:
        return
    at = 4 * (headers[0] & 15)
    ports = unpack_from("!HH", headers, at)
    seq, ack, offset, flags = unpack_from("!IIBB", headers, at + 4)
    flow = ports[side] - first_port
    if not 0 <= flow < trace.setting.flows:
        return
    if flags & 2:
        origins[side, flow] = seq + 1
        return
    length = size - at - 4 * (offset >> 4)
    if side == 0:
        if length:
            place = seq - origins[0, flow] & 0xFFFFFFFF
            trace.segments.append(Segment(time, begin, fate, flow, place, length, flags))
        return
    origin = origins[0, flow]
    sack = tuple(blocks(headers[at + 20 : at + 4 * (offset >> 4)], origin))
    trace.acks.append(Ack(time, flow, ack - origin & 0xFFFFFFFF, sack, flags))


def blocks(options: bytes, origin: int):
    """The SACK blocks among TCP's options."""
    at = 0
    while at + 1 < len(options):
        kind, length = options[at], options[at + 1]
        if kind == 0:
            return
        if kind == 1:
            at += 1
            continue
        if kind == 5:
            for place in range(at + 2, at + length, 8):
                left, right = unpack_from("!II", options, place)
                yield (left - origin & 0xFFFFFFFF, right - origin & 0xFFFFFFFF)
        at += max(length, 2)
