"""Laws that know flows: FRED, SFB, BLACK, AFC, CARE and DRR, from their publications."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass

from .estimators import coverage, frequencies, jackknife
from .link import MASK, Fate, Law, Packet, bucket
from .red_laws import Red, Settings


class Fred(Red):
    """Lin and Morris 1997: flows with little waiting are spared, flows that ignore drops are held to an even share."""

    min_q, max_q = 2, 12

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.waiting: Counter[int] = Counter()
        self.strikes: Counter[int] = Counter()
        self.share = 1.0

    def average(self, now: int, q: float) -> None:
        """Moves the average and avgcq = max(avg / Nactive, 1)."""
        self.observe(now, q)
        self.share = max(self.avg / max(len(self.waiting), 1), 1.0)

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        if not self.queue:
            # A dropped packet does not move the average, unless the queue is empty.
            self.average(now, 0)
        flow, is_full = packet.flow, self.avg >= self.red.max_th
        mine = self.waiting.get(flow, 0)
        struck = self.strikes[flow] > 1
        if mine >= self.max_q or (is_full and mine > 2 * self.share) or (mine >= self.share and struck):
            self.strikes[flow] += 1
            return "dropped", "unfair"
        if is_full:
            self.count = 0
            return "dropped", "forced"
        if mine >= max(self.min_q, self.share):
            return self.test(packet)
        # A packet that is not tested is one more since the last drop.
        self.count = self.count + 1 if self.avg >= self.red.min_th else -1
        return "enqueued", None

    def joins(self, now: int, packet: Packet) -> None:
        super().joins(now, packet)
        self.waiting[packet.flow] += 1
        if self.queue:
            self.average(now, len(self.queue))

    def leaves(self, now: int, packet: Packet) -> None:
        self.average(now, len(self.queue))
        self.waiting[packet.flow] -= 1
        if not self.waiting[packet.flow]:
            # The account of a flow without a backlog is closed.
            del self.waiting[packet.flow]
            self.strikes.pop(packet.flow, None)


class CappedTail(Law):
    """Chatranon 2004, section 3.2: none may have more than an even part of the buffer, and each may have a packet.

    `flows`: how many share it; without, those that wait and the one that comes.
    """

    def __init__(self, limit: int, flows: int | None = None) -> None:
        super().__init__()
        self.limit, self.flows = limit, flows

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        mine = sum(waiting.flow == packet.flow for waiting in self.queue)
        flows = self.flows or len({waiting.flow for waiting in self.queue} | {packet.flow})
        return ("dropped", "unfair") if mine + 1 > max(self.limit / flows, 1) else ("enqueued", None)


@dataclass
class Bin:
    """A bin of SFB."""

    qlen: int = 0
    p: float = 0.0


class Sfb(Law):
    """Feng et al. 2001, figure 2, hashes never moving; one packet of unresponsive flows passes in each hold time."""

    levels, width, size, hold_us = 2, 5, 4, 50_000

    def __init__(self, limit: int, *, step: float, full_drops: bool, raises: bool = False) -> None:
        super().__init__()
        self.limit, self.step, self.full_drops = limit, step, full_drops
        self.raises = raises
        """Whether each arrival of an unresponsive flow raises its bins, as a loss raises BLUE's probability."""
        self.key: int | None = None
        self.bins = [[Bin() for _ in range(self.width)] for _ in range(self.levels)]
        self.passed_at: int | None = None

    def of(self, flow: int) -> list[Bin]:
        """The flow's bins, one on each level."""
        assert self.key is not None
        keys = [(self.key + level * 0x2545F4914F6CDD1D) & MASK for level in range(self.levels)]
        return [bins[bucket(flow, key, self.width)] for bins, key in zip(self.bins, keys, strict=True)]

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        if len(self.queue) >= self.limit:
            # As in Linux: a packet that finds no room changes nothing.
            return "enqueued", None
        if self.key is None:
            # One key for each set of bins; the second set is not used.
            self.key = self.numbers.below(1 << 53)
            self.numbers.below(1 << 53)
        bins = self.of(packet.flow)
        for found in bins:
            if found.qlen > self.size:
                found.p = min(found.p + self.step, 1.0)
            elif found.qlen == 0:
                found.p = max(found.p - self.step, 0.0)
        if self.full_drops and any(found.qlen > self.size for found in bins):
            return "dropped", "unfair"
        p_min = min(found.p for found in bins)
        if p_min >= 1:
            if self.raises:
                for found in bins:
                    found.p = min(found.p + self.step, 1.0)
            if self.passed_at is not None and now - self.passed_at < self.hold_us:
                return "dropped", "unfair"
            self.passed_at = now
            return "enqueued", None
        if p_min > 0 and self.numbers.uniform() < p_min:
            return "dropped", "early"
        return "enqueued", None

    def joins(self, now: int, packet: Packet) -> None:
        for found in self.of(packet.flow):
            found.qlen += 1

    def leaves(self, now: int, packet: Packet) -> None:
        for found in self.of(packet.flow):
            found.qlen -= 1


@dataclass
class Record:
    """A flow in the cache of BLACK or AFC: hits in this period, part in the past; debt and when it was settled."""

    hits: float
    past: float = 0.0
    debt: float = 0.0
    since: int = 0


class Cache:
    """The flows that are found most often, the most recent last (Chatranon 2004, section 3.2.4)."""

    def __init__(self, size: int, period: float, alpha: float, p_r: float) -> None:
        self.size, self.period, self.alpha, self.p_r = size, period, alpha, p_r
        self.records: OrderedDict[int, Record] = OrderedDict()
        self.collected = 0.0

    def part(self, record: Record) -> float:
        """Eq. 3.3."""
        return (record.hits + record.past * self.period) / (self.collected + self.period)

    def enters(self, flow: int, fair: float | None, law: Law) -> bool:
        """Whether a flow that is not there may enter; a number is drawn where that decides."""
        if flow in self.records:
            return False
        if len(self.records) < self.size:
            return True
        oldest = next(iter(self.records.values()))
        return (fair is None or self.part(oldest) < fair) and law.numbers.uniform() < self.p_r

    def insert(self, flow: int, record: Record) -> None:
        """Puts a flow to the top, in place of the last where there is no room."""
        if len(self.records) >= self.size:
            self.records.popitem(last=False)
        self.records[flow] = record

    def collect(self, amount: float) -> bool:
        """Whether this ends the period."""
        self.collected += amount
        return self.collected >= self.period

    def end(self) -> None:
        """Eq. 3.1."""
        for record in self.records.values():
            record.past = self.alpha * record.past + (1 - self.alpha) * record.hits / self.collected
            record.hits = 0
        self.collected = 0


class Black(Red):
    """Chatranon 2004, chapter 3, N by matches over all arrivals for which a packet was sampled."""

    def __init__(self, settings: Settings, cache: Cache) -> None:
        super().__init__(settings)
        self.cache = cache
        self.samples = self.matches = 0
        self.fair: float | None = None

    def sample(self, flow: int) -> None:
        """Counts a packet found in the queue."""
        records = self.cache.records
        if flow in records:
            records[flow].hits += 1
            records.move_to_end(flow)
        elif self.cache.enters(flow, self.fair, self):
            self.cache.insert(flow, Record(hits=1))
        self.samples += 1
        if self.cache.collect(1):
            self.cache.end()
            if self.matches:
                self.fair = self.matches / self.samples
            self.samples = self.matches = 0

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        found: int | None = None
        if self.queue:
            found = self.queue[self.numbers.below(len(self.queue))].flow
            self.sample(found)
            record = self.cache.records.get(packet.flow)
            if record and self.fair is not None:
                p = min(1.0, (self.cache.part(record) - self.fair) / self.fair)
                if p > 0 and self.numbers.uniform() < p:
                    return "dropped", "unfair"
        self.matches += found == packet.flow
        return super().arrives(now, packet)


class Afc(Red):
    """Chatranon 2004, chapter 5, with the number of flows known."""

    def __init__(self, settings: Settings, cache: Cache, flows: int) -> None:
        super().__init__(settings)
        self.cache, self.fair = cache, 1 / flows
        self.enters = False

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        record = self.cache.records.get(packet.flow)
        if record:
            self.cache.records.move_to_end(packet.flow)
            part = self.cache.part(record)
            record.debt += (part - self.fair) * (now - record.since)
            record.since = now
            if self.queue and part > self.fair and record.debt >= 0:
                return "dropped", "unfair"
        verdict = super().arrives(now, packet)
        self.enters = self.cache.enters(packet.flow, self.fair, self)
        return verdict

    def joins(self, now: int, packet: Packet) -> None:
        super().joins(now, packet)
        is_over = self.cache.collect(packet.size)
        if self.enters:
            self.cache.insert(packet.flow, Record(hits=packet.size, since=now))
        elif packet.flow in self.cache.records:
            self.cache.records[packet.flow].hits += packet.size
        if is_over:
            self.cache.end()


class Care(Law):
    """Chan and Hamdi 2003, as Chatranon 2004, section 2.2.3.8, has it: p = 1 - t / (N m) for a whole period."""

    def __init__(self, captures: int, estimate: int, probability: float, order: int | None = None) -> None:
        super().__init__()
        self.captures, self.estimate, self.probability, self.order = captures, estimate, probability, order
        self.caught: list[int] = []
        self.p: dict[int, float] = {}

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        p = self.p.get(packet.flow, 0.0)
        is_dropped = p > 0 and self.numbers.uniform() < p
        if self.numbers.uniform() < self.probability:
            self.caught.append(packet.flow)
            if len(self.caught) == self.captures:
                self.end_period()
        return ("dropped", "unfair") if is_dropped else ("enqueued", None)

    def end_period(self) -> None:
        """Estimates the number of flows by the first captures, and each flow's excess by all."""
        t, f = self.estimate, frequencies(self.caught[: self.estimate])
        flows = jackknife(t, f) if self.order is None else coverage(t, f, self.order)
        self.p = {flow: 1 - self.captures / (flows * count) for flow, count in Counter(self.caught).items()}
        self.caught = []


def drr(packets: list[Packet], *, queues: int, quantum: int, limit: int) -> list[Fate]:
    """Shreedhar and Varghese 1995: turns by bytes; a full buffer takes the longest queue's last packet."""
    waiting: list[deque[int]] = [deque() for _ in range(queues)]
    active: deque[int] = deque()
    deficit = [0] * queues
    fates: list[Fate] = []
    free_at: int | None = None
    fresh = True  # Whether the queue at the head is at the beginning of its turn.

    def bytes_of(index: int) -> int:
        return sum(packets[number].size for number in waiting[index])

    def serve(now: int) -> None:
        nonlocal free_at, fresh
        free_at = None
        while active:
            index = active[0]
            if fresh:
                deficit[index] += quantum
                fresh = False
            number = waiting[index][0]
            size = packets[number].size
            if size > deficit[index]:
                active.rotate(-1)
                fresh = True
                continue
            waiting[index].popleft()
            deficit[index] -= size
            if not waiting[index]:
                deficit[index] = 0
                active.popleft()
                fresh = True
            fates[number] = (*fates[number][:2], now)
            free_at = now + size
            return

    for number, packet in enumerate(packets):
        now = packet.time_us
        while free_at is not None and free_at <= now:
            serve(free_at)
        index = bucket(packet.flow, 0, queues)
        fates.append(("enqueued", None, None))
        waiting[index].append(number)
        if len(waiting[index]) == 1:
            active.append(index)
        if sum(map(len, waiting)) > limit:
            longest = max(range(queues), key=bytes_of)
            fates[waiting[longest].pop()] = ("dropped", "overflow", None)
            if not waiting[longest]:
                fresh = fresh or active[0] == longest
                deficit[longest] = 0
                active.remove(longest)
        if free_at is None:
            serve(now)
    while free_at is not None:
        serve(free_at)
    return fates


def sfq(packets: list[Packet], *, queues: int, quantum: int | None, limit: int, depth: int) -> list[Fate]:
    """McKenney 1990: queues by hash, served in turn; a full buffer takes the last packet of the longest in packets.

    A turn is a packet, or with a quantum as many as it takes to use the quantum up, the last one whole (Linux). The key
    of the hash is the first number that is drawn.
    """
    waiting: list[deque[int]] = [deque() for _ in range(queues)]
    turns: deque[int] = deque()
    allotted = [0] * queues
    fates: list[Fate] = []
    free_at: int | None = None
    key = int(packets[0].uniform * (1 << 53))

    def serve(now: int) -> None:
        nonlocal free_at
        free_at = None
        while quantum and turns and allotted[turns[0]] <= 0:
            allotted[turns[0]] += quantum
            turns.rotate(-1)
        if not turns:
            return
        index = turns[0]
        number = waiting[index].popleft()
        allotted[index] -= packets[number].size
        if not waiting[index]:
            turns.popleft()
        elif not quantum:
            turns.rotate(-1)
        fates[number] = (*fates[number][:2], now)
        free_at = now + packets[number].size

    for number, packet in enumerate(packets):
        now = packet.time_us
        while free_at is not None and free_at <= now:
            serve(free_at)
        index = bucket(packet.flow, key, queues)
        if len(waiting[index]) >= depth:
            fates.append(("dropped", "overflow", None))
            continue
        fates.append(("enqueued", None, None))
        waiting[index].append(number)
        if len(waiting[index]) == 1:
            turns.append(index)
            allotted[index] = quantum or 0
        if sum(map(len, waiting)) > limit:
            # Among equals the one whose turn comes first.
            longest = max(turns, key=lambda index: len(waiting[index]))
            fates[waiting[longest].pop()] = ("dropped", "overflow", None)
            if not waiting[longest]:
                turns.remove(longest)
        if free_at is None:
            serve(now)
    while free_at is not None:
        serve(free_at)
    return fates


class Csfq(Law):
    """Stoica, Shenker and Zhang 1998, figure 3 with both amendments, as an edge; in bits and seconds.

    Until the link is congested first nothing is dropped; the label that ends a window counts in it.
    """

    k, k_alpha, k_c, capacity = 0.1, 0.2, 0.2, 8e6

    def __init__(self, room: float) -> None:
        super().__init__()
        self.room = room
        self.flows: dict[int, tuple[float, int]] = {}
        self.arrived: tuple[float, int] | None = None
        self.accepted: tuple[float, int] | None = None
        self.alpha: float | None = None
        self.floor = self.greatest = 0.0
        self.congested, self.start = False, 0

    @staticmethod
    def estimate(before: tuple[float, int] | None, now: int, size: int, k: float) -> tuple[float, int]:
        """Equation 5, whose limit at one time is a sum."""
        bits = 8.0 * size
        if before is None:
            return bits / k, now
        rate, gap = before[0], (now - before[1]) / 1e6
        if gap == 0:
            return rate + bits / k, now
        memory = math.exp(-gap / k)
        return (1 - memory) * bits / gap + memory * rate, now

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.flows[packet.flow] = self.estimate(self.flows.get(packet.flow), now, packet.size, self.k)
        label = self.flows[packet.flow][0]
        probability = 0.0 if self.alpha is None else max(0.0, 1 - self.alpha / label)
        is_dropped = probability > self.numbers.uniform()
        self.estimate_alpha(now, packet, label, is_dropped=is_dropped)
        return ("dropped", "unfair") if is_dropped else ("enqueued", None)

    def set(self, alpha: float) -> None:
        self.alpha, self.floor = alpha, 0.75 * alpha

    def estimate_alpha(self, now: int, packet: Packet, label: float, *, is_dropped: bool) -> None:
        self.arrived = self.estimate(self.arrived, now, packet.size, self.k_alpha)
        if not is_dropped:
            self.accepted = self.estimate(self.accepted, now, packet.size, self.k_alpha)
        waiting = sum(other.size for other in self.queue)
        is_over = now - self.start > self.k_c * 1e6
        if self.arrived[0] >= self.capacity and (self.congested or waiting >= self.room / 4):
            if not self.congested:
                self.congested, self.start = True, now
                if self.alpha is None:
                    self.set(max(self.greatest, label))
            elif is_over:
                assert self.alpha is not None
                assert self.accepted is not None
                self.set(self.alpha * self.capacity / self.accepted[0])
                self.start = now
        elif self.congested:
            self.congested, self.start, self.greatest = False, now, 0.0
        elif not is_over:
            self.greatest = max(self.greatest, label)
        else:
            if self.alpha is not None:
                self.set(max(self.greatest, label))
            self.start, self.greatest = now, label

    def overflows(self, now: int, packet: Packet) -> None:
        if self.alpha is not None:
            self.alpha = max(0.99 * self.alpha, self.floor)
