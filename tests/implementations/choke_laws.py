"""Routers that send choke packets, source quench and the hop-by-hop kind, from their publications.

Times are microseconds, in which a link sends a byte.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from .closed_loop import Arrival
from .link import MEAN_PACKET, Packet
from .red_laws import Red


class SourceQuench:
    """RFC 792 over a policy: the sender of a packet that is chosen or lost is told; chosen ones may be spared."""

    due = math.inf

    def __init__(self, red: Red | None, limit: int, *, interval: float, spares: bool, overflow: bool) -> None:
        self.red, self.limit, self.interval, self.spares, self.overflow = red, limit, interval, spares, overflow
        self.line: deque[Arrival] = deque()
        self.told: list[tuple[float, int]] = []
        self.told_at: dict[int, float] = {}

    def tell(self, now: float, flow: int) -> None:
        """Sends a choke packet, unless one was sent a moment ago."""
        if flow not in self.told_at or now - self.told_at[flow] >= self.interval:
            self.told_at[flow] = now
            self.told.append((round(now, 3), flow))

    def comes(self, now: float, packet: Arrival) -> str | None:
        """Why a packet is dropped."""
        reason = None
        if self.red is not None:
            self.red.observe(now, len(self.line))  # type: ignore[arg-type]
            self.red.idle_since = None
            reason = self.red.test(Packet(0, packet.size, packet.flow, False, 0.0))[1]
        if reason is not None:
            self.tell(now, packet.flow)
            if not self.spares:
                return reason
        if len(self.line) >= self.limit:
            if self.red is not None:
                self.red.count = 0
            if self.overflow and reason is None:
                self.tell(now, packet.flow)
            return "overflow"
        self.line.append(packet)
        return None

    def serve(self, now: float) -> Arrival | None:
        """The packet that goes next."""
        if self.line:
            return self.line.popleft()
        if self.red is not None:
            self.red.idle_since = now  # type: ignore[assignment]
        return None

    def look(self, now: float) -> bool:
        """Nothing is ever due."""
        return False


@dataclass
class Slowed:
    """A flow whose choke packet has passed."""

    rate: float
    """Bytes in a second."""
    until: float
    ready: float
    """When its next packet may go."""


@dataclass
class Measured:
    """The data of a flow since an interval began, and in the complete one before."""

    since: float
    size: int = 0
    before: tuple[int, float] = (0, 0.0)
    """Bytes and time."""

    def sends(self, now: float, size: int, interval: float) -> None:
        """A packet leaves."""
        span = now - self.since
        if span >= interval:
            self.before = (self.size, span) if span < 2 * interval else (0, interval)
            self.since, self.size = now, 0
        self.size += size

    def rate(self, now: float) -> float | None:
        """Bytes in a second, if anything is known."""
        span = round(1e3 * (self.before[1] + now - self.since)) / 1e9
        return (self.before[0] + self.size) / span if span > 0 else None


def gap(size: int, rate: float) -> float:
    """How long a packet holds back the next at a rate, to whole nanoseconds, which ours counts."""
    return math.floor(size / rate * 1e9 + 0.5) / 1e3


class HopByHop:
    """Gerla and Kleinrock 1980, of whom Tahiliani 2013, section 2.2, tells without a law; rates and holds are ours.

    `passes`: when choke packets from later routers pass, and about which flow.
    """

    def __init__(
        self,
        limit: int,
        threshold: int,
        *,
        interval: float,
        keeps: float,
        duration: float,
        passes: list[tuple[float, int]],
    ) -> None:
        self.limit, self.threshold, self.interval, self.keeps, self.duration = (
            limit,
            threshold,
            interval,
            keeps,
            duration,
        )
        self.passes = deque(passes)
        self.line: list[Arrival] = []
        self.told: list[tuple[float, int]] = []
        self.told_at: dict[int, float] = {}
        self.measured: dict[int, Measured] = {}
        self.slowed: dict[int, Slowed] = {}
        self.wakes = math.inf

    @property
    def due(self) -> float:
        """When a choke packet passes, or a packet that was held back may go."""
        return min(self.passes[0][0] if self.passes else math.inf, self.wakes)

    def look(self, now: float) -> bool:
        """A packet of either kind has come; the next one to go is found when the link is free."""
        if self.wakes <= now:
            self.wakes = math.inf
        while self.passes and self.passes[0][0] <= now:
            flow = self.passes.popleft()[1]
            measured = self.measured.get(flow)
            had = measured.rate(now) if measured is not None else None
            if had is not None:
                rate, until, before = self.keeps * had, round(now + self.duration, 3), self.slowed.get(flow)
                if before is None or before.until <= now:
                    self.slowed[flow] = Slowed(rate, until, round(now + gap(MEAN_PACKET, rate), 3))
                else:
                    before.rate, before.until = min(rate, before.rate), until
        return True

    def comes(self, now: float, packet: Arrival) -> str | None:
        """Why a packet is dropped."""
        flow = packet.flow
        if len(self.line) >= self.threshold and now - self.told_at.get(flow, -math.inf) >= self.interval:
            self.told_at[flow] = now
            self.told.append((round(now, 3), flow))
        if len(self.line) >= self.limit:
            return "overflow"
        self.line.append(packet)
        return None

    def ready(self, now: float, flow: int) -> float:
        """When a packet of a flow may go."""
        slowed = self.slowed.get(flow)
        return now if slowed is None else min(slowed.ready, slowed.until)

    def serve(self, now: float) -> Arrival | None:
        """The first packet that may go."""
        self.wakes = math.inf
        for place, packet in enumerate(self.line):
            at = self.ready(now, packet.flow)
            if at <= now:
                del self.line[place]
                self.leaves(now, packet)
                return packet
            self.wakes = min(self.wakes, at)
        return None

    def leaves(self, now: float, packet: Arrival) -> None:
        """Holds back further packets of the flow, and takes its rate."""
        slowed = self.slowed.get(packet.flow)
        if slowed is not None:
            slowed.ready = round(now + gap(packet.size, slowed.rate), 3)
        self.measured.setdefault(packet.flow, Measured(now)).sends(now, packet.size, self.interval)
