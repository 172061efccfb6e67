"""DualPI2 as in Linux 6.17 and later (sch_dualpi2.c, under a BSD licence as well as the GPL), written anew.

It counts in whole nanoseconds, with probabilities of 32 bits. A byte takes a microsecond on the link.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from .link import Fate, Numbers, Packet

TOP = 2**32 - 1


@dataclass
class DualPi2Linux:
    """The queue and its link."""

    target_us: int
    period_us: int
    alpha: float
    beta: float
    step_us: int
    mtu: int
    limit: int
    weight: int = 10
    coupling: int = 2
    min_length: int = 0
    early: bool = False
    overload_drops: bool = True
    p: int = 0
    last: int = 0
    credit: int = 0
    lanes: dict[bool, deque[tuple[int, bool]]] = field(default_factory=lambda: {True: deque(), False: deque()})
    numbers: Numbers = field(default_factory=Numbers)

    def __post_init__(self) -> None:
        self.start = self.mtu * (2 * self.weight - 100)
        self.credit = self.start
        # tc hands gains over in 256ths of a hertz; the kernel has them for 64 ns.
        self.gains = [int(gain * 256 + 0.5) * TOP // 4 // 10**9 for gain in (self.alpha, self.beta)]

    def update(self, now: int) -> None:
        """Each period."""
        waited = [now - self.packets[lane[0][0]].time_us for lane in self.lanes.values() if lane]
        delay = max(waited, default=0) * 1000
        change = (delay - self.target_us * 1000) * self.gains[0] + (delay - self.last) * self.gains[1]
        self.last = delay
        # Sums are of 32 bits: one that has come round is taken for beyond the end.
        step = abs(change) // 64 & TOP
        if change > 0:
            self.p = TOP if self.p + step > TOP else self.p + step
        else:
            self.p = 0 if step > self.p else self.p - step
        if not self.overload_drops:
            self.p = min(self.p, TOP // self.coupling)

    def hit(self, p: int) -> bool:
        """One number."""
        return int(self.numbers.uniform() * 2**32) <= p

    def fate(self, number: int) -> str:
        """By the probability: the fate of a packet that is not counted as waiting."""
        low = self.packets[number].ect
        waiting = sum(self.packets[n].size for lane in self.lanes.values() for n, _ in lane)
        if waiting < 2 * self.mtu:
            return "enqueued"
        scaled = self.p * self.coupling
        if scaled <= TOP:
            if low:
                return "marked" if self.hit(scaled) else "enqueued"
            # These senders do not know marks.
            return "dropped" if self.hit(self.p) and self.hit(self.p) else "enqueued"
        if low and not self.overload_drops:
            return "marked"
        if self.hit(self.p) and self.hit(self.p):
            return "dropped"
        return "marked" if low else "enqueued"

    def serves(self, packets: list[Packet]) -> list[Fate]:
        """The fate of each packet."""
        self.packets = packets
        fates: list[Fate] = [("enqueued", None, None)] * len(packets)
        free_at: int | None = None
        due = self.period_us

        def say(number: int, what: str, why: str) -> None:
            fates[number] = (what, why, None)

        def next_one() -> tuple[int, bool, bool, int] | None:
            low, classic = self.lanes[True], self.lanes[False]
            if not low and not classic:
                self.credit = self.start
                return None
            is_low = bool(low) and (not classic or self.credit <= 0)
            both = bool(low) and bool(classic)
            number, stepped = self.lanes[is_low].popleft()
            weight = 0 if not both else self.weight if is_low else self.weight - 100
            return number, stepped, is_low, weight * packets[number].size

        def serve(now: int) -> None:
            nonlocal free_at
            free_at = None
            while (found := next_one()) is not None:
                number, stepped, is_low, change = found
                what = "enqueued" if self.early else self.fate(number)
                if what == "dropped":
                    say(number, "dropped", "early")
                    continue
                if what == "marked":
                    say(number, "marked", "early")
                elif is_low and stepped and now - packets[number].time_us > self.step_us:
                    # A packet that was marked when it came keeps that reason.
                    say(number, "marked", "early" if fates[number][0] == "marked" else "sojourn")
                self.credit += change
                fates[number] = (*fates[number][:2], now)
                free_at = now + packets[number].size
                return

        def happen(until: int) -> None:
            nonlocal due
            while True:
                if free_at is not None and free_at <= min(until, due):
                    serve(free_at)
                elif due <= until:
                    self.update(due)
                    due += self.period_us
                else:
                    return

        for number, packet in enumerate(packets):
            happen(packet.time_us)
            if sum(map(len, self.lanes.values())) >= self.limit:
                say(number, "dropped", "overflow")
                continue
            if self.early:
                self.numbers.supplied = packet.uniform
                what = self.fate(number)
                self.numbers.supplied = None
                if what != "enqueued":
                    say(number, what, "early")
                if what == "dropped":
                    continue
            lane = self.lanes[packet.ect]
            lane.append((number, packet.ect and len(lane) >= self.min_length))
            if free_at is None:
                serve(packet.time_us)
        while free_at is not None:
            happen(free_at)
        return fates
