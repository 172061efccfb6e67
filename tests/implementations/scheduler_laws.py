"""Schedulers, shapers and policers from their publications: which packet goes next, and when.

Times are microseconds, in which the link sends a byte. All numbers are exact fractions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from fractions import Fraction

from .link import Fate, Numbers, Packet, bucket

Classify = Callable[[Packet], int]


class Scheduler:
    """Queues of classes, each of at most `limit` packets."""

    def __init__(self, classes: int, classify: Classify, limit: int) -> None:
        self.queues: list[deque[Packet]] = [deque() for _ in range(classes)]
        self.classify, self.limit = classify, limit
        self.victims: list[Packet] = []
        """Packets that were pushed out by the last arrival."""

    def arrives(self, now: int, packet: Packet) -> str | None:
        """Takes a packet, or says why it is dropped."""
        number = self.classify(packet)
        if len(self.queues[number]) >= self.limit:
            return "overflow"
        self.joins(now, number, packet)
        self.queues[number].append(packet)
        return None

    def joins(self, now: int, number: int, packet: Packet) -> None:
        """A packet joins queue `number`, which does not yet hold it."""

    def choose(self, now: Fraction) -> int | None:
        """The queue to serve, of those that hold something."""
        raise NotImplementedError

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        """A packet has left queue `number`, which no longer holds it."""

    def idles(self, now: Fraction) -> None:
        """The link is free and nothing waits."""

    def wakes(self, now: Fraction) -> Fraction | None:
        """When something may be sent, if something waits and may not be sent now."""
        return None

    def backlogged(self) -> list[int]:
        """The queues that hold something."""
        return [number for number, queue in enumerate(self.queues) if queue]


class Priority(Scheduler):
    """The first class with a backlog."""

    def choose(self, now: Fraction) -> int | None:
        return min(self.backlogged(), default=None)


class Bucket:
    """Tokens in bytes, which come at `rate` bytes per microsecond."""

    def __init__(self, rate: Fraction, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self.tokens, self.at = Fraction(burst), Fraction(0)

    def look(self, now: Fraction | int) -> Fraction:
        """The tokens at a time."""
        self.tokens = min(self.tokens + (now - self.at) * self.rate, Fraction(self.burst))
        self.at = Fraction(now)
        return self.tokens


class RateControlled(Scheduler):
    """Semeria 2001: the first class within its rate, else the first of all."""

    def __init__(self, rates: list[Fraction | None], burst: int, classify: Classify, limit: int) -> None:
        super().__init__(len(rates), classify, limit)
        self.buckets = [None if rate is None else Bucket(rate, burst) for rate in rates]

    def within(self, now: Fraction, number: int) -> bool:
        """Whether there are tokens for the head of a queue."""
        of = self.buckets[number]
        return of is None or of.look(now) >= self.queues[number][0].size

    def choose(self, now: Fraction) -> int | None:
        waiting = self.backlogged()
        self.paid = [number for number in waiting if self.within(now, number)]
        return min(self.paid or waiting, default=None)

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        of = self.buckets[number]
        if of is not None and number in self.paid:
            of.tokens -= packet.size


class Shaper(Scheduler):
    """One queue behind a bucket; without depth it is the leaky bucket of Turner 1986."""

    def __init__(self, rate: Fraction, burst: int, limit: int) -> None:
        super().__init__(1, lambda _: 0, limit)
        self.bucket = Bucket(rate, burst)

    def wakes(self, now: Fraction) -> Fraction | None:
        if not self.queues[0]:
            return None
        needed = min(self.queues[0][0].size, self.bucket.burst)
        missing = needed - self.bucket.look(now)
        return now + missing / self.bucket.rate if missing > 0 else None

    def choose(self, now: Fraction) -> int | None:
        return 0 if self.queues[0] and self.wakes(now) is None else None

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        self.bucket.tokens -= packet.size


class Policer(Scheduler):
    """One queue; a packet beyond a rate is dropped. A leaky bucket takes one that finds it leaked to its depth."""

    def __init__(self, rate: Fraction, burst: int, limit: int, *, leaky: bool) -> None:
        super().__init__(1, lambda _: 0, limit)
        self.rate, self.burst, self.leaky = rate, burst, leaky
        self.level, self.at = Fraction(0), 0

    def arrives(self, now: int, packet: Packet) -> str | None:
        # I.371 annex A: X' = X - (t - LCT).
        level = max(self.level - (now - self.at) * self.rate, Fraction(0))
        if level + (0 if self.leaky else packet.size) > self.burst:
            return "excess"
        self.level, self.at = level + packet.size, now
        return super().arrives(now, packet)

    def choose(self, now: Fraction) -> int | None:
        return 0 if self.queues[0] else None


class Tagged(Scheduler):
    """Each packet has a start and a finish in virtual time; the least finish goes first."""

    def __init__(self, weights: list[int], classify: Classify, limit: int) -> None:
        super().__init__(len(weights), classify, limit)
        self.weights = [Fraction(weight) for weight in weights]
        self.tags: list[deque[tuple[Fraction, Fraction]]] = [deque() for _ in weights]
        self.finish = [Fraction(0)] * len(weights)

    def joins(self, now: int, number: int, packet: Packet) -> None:
        start = self.start(Fraction(now), number)
        self.finish[number] = start + packet.size / self.weights[number]
        self.tags[number].append((start, self.finish[number]))

    def start(self, now: Fraction, number: int) -> Fraction:
        """The start of a packet that comes to a queue."""
        raise NotImplementedError

    def eligible(self, now: Fraction) -> list[int]:
        """The queues that may be served."""
        return self.backlogged()

    def choose(self, now: Fraction) -> int | None:
        return min(self.eligible(now), key=lambda number: (self.tags[number][0][1], number), default=None)

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        self.tags[number].popleft()


class Wfq(Tagged):
    """Parekh and Gallager 1993: the fluid server is simulated, byte by byte of each packet that it has not finished."""

    def __init__(self, weights: list[int], classify: Classify, limit: int) -> None:
        super().__init__(weights, classify, limit)
        self.virtual, self.at = Fraction(0), Fraction(0)
        self.left = [Fraction(0)] * len(weights)
        """Bytes of each session that the fluid server has not served."""

    def flow(self, now: Fraction) -> None:
        """The fluid server serves until `now`."""
        while self.at < now:
            busy = [number for number, left in enumerate(self.left) if left > 0]
            if not busy:
                break
            weight = sum(self.weights[number] for number in busy)
            # The session that would be finished first.
            span = min(self.left[number] * weight / self.weights[number] for number in busy)
            span = min(span, now - self.at)
            for number in busy:
                self.left[number] -= span * self.weights[number] / weight
            self.virtual += span / weight
            self.at += span
        self.at = now

    def start(self, now: Fraction, number: int) -> Fraction:
        self.flow(now)
        return max(self.finish[number], self.virtual)

    def joins(self, now: int, number: int, packet: Packet) -> None:
        super().joins(now, number, packet)
        self.left[number] += packet.size


class Scfq(Tagged):
    """Golestani 1994: the virtual time is the finish of the packet in service, and 0 when the link goes idle."""

    virtual = Fraction(0)

    def start(self, now: Fraction, number: int) -> Fraction:
        return max(self.finish[number], self.virtual)

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        self.virtual = self.tags[number][0][1]
        super().leaves(now, number, packet)

    def idles(self, now: Fraction) -> None:
        self.virtual = Fraction(0)
        self.finish = [Fraction(0)] * len(self.finish)


class Wf2qPlus(Tagged):
    """Bennett and Zhang 1997: of packets whose start has come the least finish; V is not below the least start."""

    def __init__(self, weights: list[int], classify: Classify, limit: int) -> None:
        super().__init__(weights, classify, limit)
        total = sum(self.weights)
        self.weights = [weight / total for weight in self.weights]
        self.virtual, self.at = Fraction(0), Fraction(0)
        self.served: int | None = None

    def passes(self, now: Fraction) -> None:
        """V grows with time."""
        self.virtual += now - self.at
        self.at = now

    def start(self, now: Fraction, number: int) -> Fraction:
        self.passes(now)
        # A packet in service is still at the head of its queue.
        if self.queues[number] or self.served == number:
            return self.finish[number]
        return max(self.finish[number], self.virtual)

    def eligible(self, now: Fraction) -> list[int]:
        self.passes(now)
        self.served = None
        waiting = self.backlogged()
        if waiting:
            self.virtual = max(self.virtual, min(self.tags[number][0][0] for number in waiting))
        return [number for number in waiting if self.tags[number][0][0] <= self.virtual]

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        super().leaves(now, number, packet)
        self.served = number

    def idles(self, now: Fraction) -> None:
        self.virtual, self.at = Fraction(0), now
        self.finish = [Fraction(0)] * len(self.finish)


class FairQueueing(Wfq):
    """Demers, Keshav and Shenker 1989: each hash of flows a session; a full buffer takes from the longest."""

    def __init__(self, sessions: int, limit: int) -> None:
        self.numbers = Numbers()
        self.key: int | None = None
        super().__init__([1] * sessions, self.hash, limit)

    def hash(self, packet: Packet) -> int:
        """The session of a packet."""
        if self.key is None:
            self.numbers.supplied = packet.uniform
            self.key = self.numbers.below(1 << 53)
        return bucket(packet.flow, self.key, len(self.queues))

    def arrives(self, now: int, packet: Packet) -> str | None:
        number = self.hash(packet)
        self.joins(now, number, packet)
        self.queues[number].append(packet)
        if sum(map(len, self.queues)) > self.limit:
            sizes = [sum(waiting.size for waiting in queue) for queue in self.queues]
            longest = sizes.index(max(sizes))
            self.victims.append(self.queues[longest].pop())
            # Neither the session nor the fluid server knows of it any more.
            self.finish[longest] = self.tags[longest].pop()[0]
            self.left[longest] = max(self.left[longest] - self.victims[-1].size, Fraction(0))
        return None


def run(scheduler: Scheduler, packets: list[Packet]) -> list[Fate]:
    """The fate of each packet. At one moment first the link becomes free, then it may wake, then packets arrive."""
    fates: dict[int, Fate] = {}
    place = {id(packet): number for number, packet in enumerate(packets)}
    free_at: Fraction | None = None
    wake_at: Fraction | None = None

    def serve(now: Fraction) -> None:
        nonlocal free_at, wake_at
        free_at = wake_at = None
        number = scheduler.choose(now)
        if number is None:
            wake_at = scheduler.wakes(now)
            if not scheduler.backlogged():
                scheduler.idles(now)
            return
        packet = scheduler.queues[number].popleft()
        scheduler.leaves(now, number, packet)
        fates[place[id(packet)]] = ("enqueued", None, round(now))
        free_at = now + packet.size

    def happen(until: Fraction | None) -> None:
        while True:
            at = free_at if free_at is not None else wake_at
            if at is None or (until is not None and at > until):
                return
            serve(at)

    for number, packet in enumerate(packets):
        now = packet.time_us
        happen(Fraction(now))
        reason = scheduler.arrives(now, packet)
        if reason is not None:
            fates[number] = ("dropped", reason, None)
        for victim in scheduler.victims:
            fates[place[id(victim)]] = ("dropped", "overflow", None)
        scheduler.victims.clear()
        if free_at is None:
            serve(Fraction(now))
    happen(None)
    return [fates[number] for number in range(len(packets))]
