"""DCBT with ChIPS, and RCP's router, from their publications.

Times are microseconds, in which a link sends a byte. Of DCBT (Chung and Claypool 2000) the abstract was at hand; both
sides read it as the queue's page says.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from .link import MEAN_PACKET, Packet
from .red_laws import Red, Settings

SECOND = 1_000_000


@dataclass(frozen=True)
class Came:
    """A packet that comes to a router; `kind` is `tcp`, `tagged` or `other`."""

    time_us: float
    size: int
    flow: int
    kind: str


class Mean:
    """An average over the arrivals of a class, which ages while the link is idle."""

    def __init__(self, weight: float) -> None:
        self.weight, self.value = weight, 0.0
        self.idle_since: float | None = 0.0

    def ages(self, now: float) -> bool:
        """Whether the link was idle until now."""
        if self.idle_since is None:
            return False
        self.value *= (1 - self.weight) ** ((now - self.idle_since) / MEAN_PACKET)
        self.idle_since = None
        return True

    def sees(self, now: float, waiting: int) -> None:
        """A packet of the class comes and finds `waiting` packets of it."""
        if not self.ages(now):
            self.value += self.weight * (waiting - self.value)


class Dcbt(Red):
    """Each class of datagrams has the part of RED's average that its flows are of all; tagged packets may cut in."""

    kinds = ("tcp", "tagged", "other")

    def __init__(self, settings: Settings, weight: float, limit: int) -> None:
        super().__init__(settings)
        self.room = limit
        self.means = {kind: Mean(weight) for kind in self.kinds}
        self.present: dict[str, set[int]] = {kind: set() for kind in self.kinds}
        self.last: dict[str, int] | None = None
        self.first: deque[Came] = deque()
        self.rest: deque[Came] = deque()

    def fair(self, kind: str) -> float:
        """The part of the average for a class."""
        active = self.last or {each: len(flows) for each, flows in self.present.items()}
        return self.avg * active[kind] / max(sum(active.values()), 1)

    def comes(self, now: float, packet: Came) -> str | None:
        """Why a packet is dropped."""
        waiting = (*self.first, *self.rest)
        self.present[packet.kind].add(packet.flow)
        self.observe(now, len(waiting))  # type: ignore[arg-type]
        self.idle_since = None
        for kind, mean in self.means.items():
            if kind == packet.kind:
                mean.sees(now, sum(other.kind == kind for other in waiting))
            else:
                mean.ages(now)
        mean, is_congested = self.means[packet.kind], self.avg >= self.red.min_th
        if packet.kind == "tcp":
            verdict, reason = self.test(Packet(0, packet.size, packet.flow, False, 0.0))
            if verdict == "dropped":
                return reason
        elif is_congested and mean.value > self.fair(packet.kind):
            return "unfair"
        if len(waiting) >= self.room:
            return "overflow"
        cuts_in = packet.kind == "tagged" and is_congested and mean.value < self.fair("tagged")
        (self.first if cuts_in else self.rest).append(packet)
        return None

    def serve(self, now: float) -> Came | None:
        """The packet that goes next; the link is idle without."""
        for lane in (self.first, self.rest):
            if lane:
                return lane.popleft()
        self.idle_since = now  # type: ignore[assignment]
        for mean in self.means.values():
            mean.idle_since = now
        return None

    def ends_period(self) -> None:
        """A second has passed: flows are counted anew."""
        self.last = {kind: len(flows) for kind, flows in self.present.items()}
        for flows in self.present.values():
            flows.clear()


def dcbt(packets: list[Came], law: Dcbt) -> tuple[list[tuple[float, int]], list[tuple[float, int, str]]]:
    """Departures with their flows, and drops with their reasons."""
    left: list[tuple[float, int]] = []
    dropped: list[tuple[float, int, str]] = []
    free_at: float | None = None
    period = SECOND

    def serve(now: float) -> None:
        nonlocal free_at
        packet = law.serve(now)
        free_at = None
        if packet is not None:
            left.append((now, packet.flow))
            free_at = now + packet.size

    for packet in packets:
        while True:
            if free_at is not None and free_at <= min(packet.time_us, period):
                serve(free_at)
            elif period <= packet.time_us:
                law.ends_period()
                period += SECOND
            else:
                break
        reason = law.comes(packet.time_us, packet)
        if reason is not None:
            dropped.append((packet.time_us, packet.flow, reason))
        if free_at is None:
            # After a drop the link is idle on.
            serve(packet.time_us)
    return left, dropped


@dataclass
class Rcp:
    """The authors' rcp.cc, version 4: R moves by spare capacity and queue; rates in bytes per second.

    A packet counts as a whole where it comes, and the first interval is as long as the others. The mean round trip is
    that of packets (section 2 of the paper), so that it stays where none comes; theirs goes on towards the last one's
    (`repeats`).
    """

    capacity: float
    alpha: float = 0.4
    beta: float = 0.4
    longest: float = 0.010
    rtt: float = 0.2
    least: float = 0.01
    rate: float = 0.0
    came: int = 0
    told: float = 0.0
    """The sum of round trips, by bytes."""
    tellers: int = 0
    repeats: bool = False
    last: float = 0.0
    """The mean round trip of the last interval in which one was told."""

    def __post_init__(self) -> None:
        self.rate = 0.05 * self.capacity

    @property
    def interval(self) -> float:
        """How long the present interval is, in seconds."""
        return min(self.rtt, self.longest)

    def comes(self, size: int, rtt: float = 0.0) -> None:
        """A packet comes; its sender knows no round trip where that is 0."""
        self.came += size
        if rtt > 0:
            self.told += rtt * size
            self.tellers += size

    def ends(self, queue: int) -> None:
        """An interval has ended with this many bytes waiting."""
        interval = self.interval
        if self.tellers:
            self.last = self.told / self.tellers
        if self.tellers or (self.repeats and self.last):
            self.follow(interval, self.last)
        spare = self.alpha * (self.capacity - self.came / interval) - self.beta * queue / self.rtt
        self.rate *= 1 + interval / self.rtt * spare / self.capacity
        self.rate = min(max(self.rate, self.least * 1000 / self.rtt), self.capacity)
        self.came = self.tellers = 0
        self.told = 0.0

    def follow(self, interval: float, mean: float) -> None:
        """Moves the mean: slowly where it falls, by the part of the link that a flow has."""
        gain = interval / self.rtt
        if mean < self.rtt:
            gain *= self.rate / self.capacity * mean / self.rtt
        self.rtt += gain * (mean - self.rtt)
