"""Senders that send at a rate, from their publications, through a first-in first-out queue: when each packet leaves.

Only points that no publication states are shared with ours: sizes, the order of things at one instant (packets, timers
of the receiver, timers of the sender), and that a gap lasts whole nanoseconds.
"""

from __future__ import annotations

import heapq
import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

NANO = 1e-9
PACKET = 1000


@dataclass
class Path:
    """A bottleneck between fast access links. Times in nanoseconds, rates in bits per second."""

    rate: float
    limit: int
    delay: int
    access_rate: float
    access_delay: int
    report: int
    marks_after: float = math.inf

    def access(self, size: int) -> int:
        return round(size * 8e9 / self.access_rate) + self.access_delay

    def service(self, size: int) -> int:
        return round(size * 8e9 / self.rate)


class Sender:
    """The decisions of a law; times in seconds."""

    def gap(self) -> float:
        raise NotImplementedError

    def turn(self, now: float) -> bool:
        """Whether the packet that is due may leave."""
        return True

    def sent(self, now: float, seq: int) -> None:
        """Packet `seq` has left."""

    def size(self) -> int:
        """The size of the packet that leaves next."""
        return PACKET

    def pairs(self, seq: int) -> bool:
        """Whether another one follows it at once."""
        return False

    def told(self, now: float, rtt: float, report: object) -> None:
        raise NotImplementedError

    def timer(self) -> float | None:
        return None

    def expire(self, now: float) -> None:
        """The timer has expired."""

    fixed = False
    rtt: float | None = None


class Receiver:
    """Reports and their times. The law is told the size of the arriving packet, and whether it is marked."""

    size = PACKET
    marked = False

    def come(self, now: float, seq: int, sent_at: float, rtt: float | None) -> object | None:
        raise NotImplementedError

    def timer(self) -> float | None:
        return None

    def expire(self, now: float) -> object | None:
        return None


@dataclass
class Rap(Sender):
    """Rejaie, Handley and Estrin 1999, with ns-2's estimator and start."""

    fine: bool = False
    ipg: float = 2.0
    srtt: float = 2.0
    variance: float = 0.0
    timeout: float = 2.0
    frtt: float = 2.0
    xrtt: float = 2.0
    heard: bool = False
    out: dict[int, float] = field(default_factory=dict)
    inactive: set[int] = field(default_factory=set)
    count: int = 0
    step: float | None = None

    fixed = True

    def gap(self) -> float:
        return self.ipg * (self.frtt / self.xrtt if self.fine else 1.0)

    def back_off(self, now: float) -> None:
        self.ipg /= 0.5
        self.inactive = set(self.out)
        self.step = now + self.srtt

    def turn(self, now: float) -> bool:
        late = [
            seq for seq, at in self.out.items() if round(now / NANO) >= round(at / NANO) + round(self.timeout / NANO)
        ]
        active = [seq for seq in late if seq not in self.inactive]
        for seq in late:
            del self.out[seq]
        if active:
            self.back_off(now)
        return not active

    def sent(self, now: float, seq: int) -> None:
        self.out[seq + 1] = now
        self.count += 1
        if self.step is None:
            self.step = now + self.srtt

    def told(self, now: float, rtt: float, report: object) -> None:
        number, last, missing, before = report  # type: ignore[misc]
        if self.out.pop(number, None) is not None:
            if not self.heard:
                self.srtt = self.frtt = self.xrtt = rtt
            error = rtt - self.srtt
            self.srtt += 0.5 * error
            self.variance += 0.5 * (abs(error) - self.variance)
            self.timeout = 1.2 * self.srtt + 4 * self.variance
            self.frtt += 0.9 * (rtt - self.frtt)
            self.xrtt += 0.01 * (rtt - self.xrtt)
        if not self.heard:
            self.heard, self.ipg = True, self.srtt
        came = [seq for seq in self.out if seq <= last and (seq > missing or seq == before)]
        lost = [seq for seq in self.out if seq <= missing and seq != before and last - seq >= 3]
        active = [seq for seq in lost if seq not in self.inactive]
        for seq in (*came, *lost):
            del self.out[seq]
        if active:
            self.back_off(now)

    def timer(self) -> float | None:
        return self.step

    def expire(self, now: float) -> None:
        used = self.count * self.ipg / self.srtt
        if used >= 0.5:
            self.ipg = self.ipg * self.srtt / (self.ipg + self.srtt)
        self.step = now + self.srtt if self.count else None
        self.count = 0


@dataclass
class RapReceiver(Receiver):
    """Tells of the last hole: all holes are known here, and the last is looked for."""

    seen: set[int] = field(default_factory=set)

    def come(self, now: float, seq: int, sent_at: float, rtt: float | None) -> object:
        self.seen.add(seq + 1)
        last = missing = max(self.seen)
        while missing > 0 and missing in self.seen:
            missing -= 1
        before = missing
        while before > 0 and before not in self.seen:
            before -= 1
        return seq + 1, last, missing, before


@dataclass
class Lda(Sender):
    """Sisalem and Wolisz 2000. Rates in bytes per second."""

    interval: float = 5.0
    rate: float = 8000.0
    add: float = 1250.0

    def gap(self) -> float:
        return min(PACKET / self.rate, 64.0)

    def pairs(self, seq: int) -> bool:
        return seq % 16 == 15

    def told(self, now: float, rtt: float, report: object) -> None:
        loss, bottleneck = report  # type: ignore[misc]
        if loss > 0:
            waits = min(1.0, 3 * math.sqrt(3 * loss / 8))
            tcp = PACKET / (rtt * math.sqrt(2 * loss / 3) + 4 * rtt * waits * loss * (1 + 32 * loss**2))
            self.rate, self.add = max(self.rate * (1 - math.sqrt(loss)), tcp), 1250.0
            return
        limits = [PACKET * (self.interval / rtt + 1) / (2 * rtt)]
        if bottleneck:
            share = self.rate / bottleneck
            limits += [self.add * max(2 - share, 0.0), self.rate * (1 - math.exp(-max(1 - share, 0.0)))]
        else:
            limits.append(self.add)
        self.add = min(limits)
        self.rate += self.add


@dataclass
class LdaReceiver(Receiver):
    """Counts for an interval."""

    interval: float = 5.0
    due: float | None = None
    numbers: list[int] = field(default_factory=list)
    highest: int = -1
    before: int = -1
    last: tuple[int, float, float] | None = None
    pairs: list[float] = field(default_factory=list)
    bottleneck: float = 0.0

    def come(self, now: float, seq: int, sent_at: float, rtt: float | None) -> None:
        if self.due is None:
            self.due = now + self.interval
        if self.last and self.last[0] + 1 == seq and self.last[1] == sent_at:
            self.pairs.append(PACKET / (now - self.last[2]))
        self.last = (seq, sent_at, now)
        self.numbers.append(seq)
        self.highest = max(self.highest, seq)

    def timer(self) -> float | None:
        return self.due

    def expire(self, now: float) -> object | None:
        expected, came = self.highest - self.before, len(self.numbers)
        if not expected:
            self.due = None
            return None
        if self.pairs:
            self.bottleneck = statistics.median_high(self.pairs)
        self.before, self.numbers, self.pairs, self.due = self.highest, [], [], now + self.interval
        return max(expected - came, 0) / expected, self.bottleneck


def weighted(rates: list[float]) -> float:
    """The newest first, by TFRC's weights for eight."""
    weights = (1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2)[: len(rates)]
    return sum(w * rate for w, rate in zip(weights, rates, strict=False)) / sum(weights)


@dataclass
class Tear(Sender):
    """Rhee, Ozdemir and Yi 2000: does as it is told."""

    rate: float = 1.0
    patience: float | None = None

    def gap(self) -> float:
        return min(1 / self.rate, 64.0)

    def wait(self, now: float) -> None:
        self.patience = now + min(max(4 * (self.rtt or 1.0), 2 / self.rate), 64.0)

    def sent(self, now: float, seq: int) -> None:
        if self.patience is None:
            self.wait(now)

    def told(self, now: float, rtt: float, report: object) -> None:
        self.rtt = rtt if self.rtt is None else 0.875 * self.rtt + 0.125 * rtt
        self.rate = max(float(report) or 1 / rtt, 1 / 64)  # type: ignore[arg-type]
        self.wait(now)

    def timer(self) -> float | None:
        return self.patience

    def expire(self, now: float) -> None:
        rate, self.patience = max(self.rate / 2, 1 / 64), None
        if rate < self.rate:
            self.rate = rate
            self.wait(now)


@dataclass
class TearReceiver(Receiver):
    """Plays TCP, round by round. `doubt` is the packet that is missing, `repair` where its window ends."""

    rtt: float | None = None
    window: float = 1.0
    threshold: float = math.inf
    held: float = 1.0
    came: float = 0.0
    next: int = 0
    doubt: int | None = None
    repair: int | None = None
    ends: int = 0
    later: int = 0
    gives_up: float = 0.0
    packets: float = 0.0
    time: float = 0.0
    epochs: list[float] = field(default_factory=list)
    last_told: float = 0.0
    due: float = 0.0

    def rate(self) -> float:
        assert self.rtt
        if not self.epochs:
            return self.window / self.rtt
        past = weighted(self.epochs)
        return max(past, weighted([self.packets / self.time, *self.epochs][:8])) if self.time else past

    def count(self) -> None:
        assert self.rtt
        self.came += 1
        if self.came >= self.held:
            self.packets += self.held
            self.time += self.rtt
            self.came -= self.held
            self.held = self.window

    def end_epoch(self, window: float) -> None:
        assert self.rtt
        packets, time = self.packets + self.came, self.time + self.rtt * self.came / self.held
        if packets and time:
            self.epochs = [packets / time, *self.epochs][:8]
        self.packets = self.time = self.came = 0.0
        self.window = self.held = window

    def give_up(self) -> None:
        assert self.rtt
        self.time += 4 * self.rtt
        self.threshold = max(self.held / 2, 2.0)
        self.end_epoch(1.0)
        self.doubt = None

    def play(self, now: float, seq: int) -> None:
        assert self.rtt
        if seq < self.next:
            if seq == self.doubt:
                self.doubt = None
            return
        expected, self.next = self.next, seq + 1
        if self.repair is not None:
            if seq < self.repair:
                self.count()
                return
            self.repair = None
            self.end_epoch(self.threshold)
        if self.doubt is None:
            if seq == expected:
                self.window += 1.0 if self.window < self.threshold else 1.0 / self.held
                self.count()
                return
            self.doubt, self.ends, self.later = expected, expected + max(int(self.held + 1e-6), 1), 0
            self.gives_up = now + 4 * self.rtt
        self.later += 1
        self.count()
        if self.later >= 3:
            self.threshold = max(self.held / 2, 2.0)
            self.doubt, self.repair = None, max(self.ends, seq + 1)
        elif seq >= self.ends:
            self.give_up()

    def come(self, now: float, seq: int, sent_at: float, rtt: float | None) -> object | None:
        self.rtt = rtt or self.rtt
        if self.rtt is None:
            self.next = max(self.next, seq + 1)
            return 0.0
        self.play(now, seq)
        return self.tell(now) if now >= self.due or self.rate() < self.last_told else None

    def tell(self, now: float) -> float:
        assert self.rtt
        self.last_told, self.due = self.rate(), now + self.rtt
        return self.last_told

    def timer(self) -> float | None:
        return self.gives_up if self.doubt is not None else None

    def expire(self, now: float) -> object:
        self.give_up()
        return self.tell(now)


def departures(path: Path, sender: Sender, receiver: Receiver, seconds: float) -> Iterator[tuple[float, bool]]:
    """When each packet comes to the bottleneck, and whether it finds room there."""
    order = itertools.count()
    events: list[tuple[int, int, int, Callable[[int], None]]] = []
    free_at = 0
    waiting: list[int] = []
    seq, due, last = 0, 0, 0
    found: list[tuple[float, bool]] = []

    def schedule(at: int, action: Callable[[int], None]) -> None:
        heapq.heappush(events, (at, 2, next(order), action))

    def arrive(now: int, number: int, left: int, told: float | None, size: int) -> None:
        nonlocal free_at
        while waiting and waiting[0] <= now:
            waiting.pop(0)
        # Waiting packets begin their transmission later; the one that is under way does not count.
        is_kept = len(waiting) < path.limit
        found.append((now * NANO, is_kept))
        if not is_kept:
            return
        begins = max(now, free_at)
        if begins > now:
            waiting.append(begins)
        free_at = begins + path.service(size)
        at = free_at + path.delay + path.access(size)
        marked = begins - now > path.marks_after
        schedule(at, lambda now: report(now, left, now, hand_over(now, number, left, told, size, marked)))

    def hand_over(now: int, number: int, left: int, told: float | None, size: int, marked: bool) -> object | None:
        receiver.size, receiver.marked = size, marked
        return receiver.come(now * NANO, number, left * NANO, told)

    def report(now: int, echo: int, came: int, said: object | None) -> None:
        nonlocal echoes
        echoes = (echo, came)
        if said is not None:
            back = 2 * path.access(path.report) + path.service(path.report) + path.delay
            schedule(now + back, lambda at: hear(at, echo, now - came, said))

    echoes = (0, 0)

    def hear(now: int, echo: int, held: int, said: object) -> None:
        sender.told(now * NANO, (now - echo - held) * NANO, said)
        pump(now)

    def pump(now: int) -> None:
        nonlocal seq, due, last
        while ready() <= now:
            if sender.turn(now * NANO):
                send(now)
                while sender.pairs(seq - 1):
                    send(now)
            last, due = now, now + max(round(sender.gap() / NANO), 1)

    def ready() -> int:
        return due if sender.fixed or seq == 0 else last + max(round(sender.gap() / NANO), 1)

    def send(now: int) -> None:
        nonlocal seq
        number, told, size, seq = seq, sender.rtt, sender.size(), seq + 1
        # A pair leaves its host one behind the other.
        at = max(now, busy[0]) + round(size * 8e9 / path.access_rate)
        busy[0] = at
        schedule(at + path.access_delay, lambda at: arrive(at, number, now, told, size))
        sender.sent(now * NANO, number)

    busy = [0]
    pump(0)
    while True:
        at_timer = [math.inf if timer is None else round(timer / NANO) for timer in (receiver.timer(), sender.timer())]
        times = [at_timer[0], min(at_timer[1], ready()), events[0][0] if events else math.inf]
        now = min(times)
        if now > seconds / NANO:
            return iter(found)
        if times[2] == now:
            heapq.heappop(events)[3](int(now))
        elif times[0] == now:
            said = receiver.expire(now * NANO)
            report(int(now), *echoes, said)
        else:
            if at_timer[1] <= now:
                sender.expire(now * NANO)
            pump(int(now))
