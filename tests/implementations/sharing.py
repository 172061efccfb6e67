"""Class-based queueing and class-based fair queueing, from their publications.

Times are microseconds, in which the link sends a byte, unless a name says nanoseconds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from .link import Numbers, Packet, bucket
from .scheduler_laws import Classify, Scheduler

NO_LEVEL = 32


@dataclass(eq=False)
class Share:
    """A class of the tree: Floyd and Jacobson 1995, appendix A. Times are nanoseconds."""

    share: float
    lender: Share | None = None
    borrows: bool = True
    max_idle: float = 0.0
    rank: int = 1
    level: int = 1
    last: float = 0.0
    average: float = 0.0
    under: float = 0.0
    delayed: bool = False

    def sends(self, nanos: float, now: float) -> None:
        """A packet of this class or one below it begins its transmission, which takes `nanos` nanoseconds."""
        ends = now + nanos
        idle = ends - self.last - nanos / self.share
        self.average = min(self.average + (idle - self.average) / 16, self.max_idle)
        if self.average <= 0:
            self.under = ends + nanos * (1 / self.share - 1) - 15 * self.average
        self.last = ends
        if self.lender is not None:
            self.lender.sends(nanos, now)

    def lends_to(self, other: Share) -> bool:
        """Whether `other` may borrow its way up to here."""
        while other.borrows and other.lender is not None:
            if other.lender is self:
                return True
            other = other.lender
        return False


class Cbq(Scheduler):
    """Link sharing by `ancestor_only`, `top_level` or `formal`, as ns-2's CBQ (`weighted` false) or CBQ/WRR has it."""

    def __init__(
        self, shares: list[Share], above: list[Share], lending: str, weighted: bool, classify: Classify, limit: int
    ) -> None:
        super().__init__(len(shares), classify, limit)
        self.shares, self.above, self.lending, self.weighted = shares, above, lending, weighted
        self.top = NO_LEVEL
        ranks = sorted({leaf.rank for leaf in shares})
        self.rounds = [[number for number, leaf in enumerate(shares) if leaf.rank == rank] for rank in ranks]
        self.next = [0] * len(ranks)
        self.left = [0] * len(shares)
        self.turn = [0] * len(shares)
        for members in self.rounds:
            total = sum(shares[number].share for number in members)
            for number in members:
                self.turn[number] = int(shares[number].share * (len(members) * 1024 / total))

    def joins(self, now: int, number: int, packet: Packet) -> None:
        # Section 5.3: the level comes down when a class may send again, or its lender.
        leaf, nanos = self.shares[number], now * 1000.0
        if self.top > 1 and leaf.under < nanos:
            self.top = 1
        elif self.top > 2 and leaf.borrows and leaf.lender is not None and leaf.lender.under < nanos:
            self.top = 2

    def arrives(self, now: int, packet: Packet) -> str | None:
        number = self.classify(packet)
        if len(self.queues[number]) >= self.limit:
            # A packet that is lost has come all the same.
            self.joins(now, number, packet)
        return super().arrives(now, packet)

    def satisfied(self, share: Share, nanos: float) -> bool:
        """Section 5.1: a class is unsatisfied if it is under its limit and something of it waits."""
        if share.under >= nanos:
            return True
        if share in self.shares:
            return not self.queues[self.shares.index(share)]
        return not any(self.queues[n] and share.lends_to(leaf) for n, leaf in enumerate(self.shares))

    def may_lend(self, share: Share, nanos: float) -> bool:
        """Whether one that is not over its limit may lend."""
        if self.lending == "ancestor_only":
            return True
        if self.lending == "top_level":
            return share.level <= self.top
        return all(self.satisfied(each, nanos) for each in (*self.shares, *self.above) if each.level < share.level)

    def permitted(self, number: int, nanos: float) -> Share | None:
        """The class that lets a class send: itself, a lender, or none."""
        share = self.shares[number]
        if share.under < nanos:
            share.delayed = False
            return share
        if not share.borrows:
            return None
        lender = share.lender
        while lender is not None:
            if lender.under <= nanos and self.may_lend(lender, nanos):
                return lender
            if lender.under > nanos and self.lending == "top_level" and lender.level > self.top:
                return None
            lender = lender.lender
        return None

    def refuse(self, share: Share, nanos: float) -> None:
        """A class waits until its time, and gives back the addition of its average, once."""
        if share.under > nanos and not share.delayed:
            share.under += 15 * share.average
            share.delayed = True

    def choose(self, now: Fraction) -> int | None:
        nanos = float(now * 1000)
        spare: tuple[int, int, int] | None = None
        self.leave: Share | None = None
        for place, members in enumerate(self.rounds):
            for second in (False, True):
                late = False
                for _ in members:
                    turn = self.next[place]
                    number = members[turn]
                    if not second and self.left[number] <= 0:
                        self.left[number] += self.turn[number]
                    if self.queues[number]:
                        share = self.shares[number]
                        if spare is None and share.borrows and share.lender is not None:
                            spare = (place, turn, number)
                        leave = self.permitted(number, nanos)
                        if leave is None:
                            self.refuse(share, nanos)
                        elif second or not self.weighted or self.left[number] > 0:
                            self.leave, self.place = leave, place
                            return number
                        else:
                            late = True
                    self.left[number] = 0
                    self.next[place] = (turn + 1) % len(members)
                if not late:
                    break
        if spare is None:
            return None
        place, turn, number = spare
        self.next[place] = (turn + 1) % len(self.rounds[place])
        return number

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        """Accounts for a packet that was sent with leave."""
        if self.leave is None:
            return
        if self.left[number] > 0:
            self.left[number] -= packet.size
        if self.left[number] <= 0 or not self.weighted:
            self.next[self.place] = (self.next[self.place] + 1) % len(self.rounds[self.place])
        nanos = float(now * 1000)
        self.shares[number].sends(packet.size * 1000.0, nanos)
        if self.top >= self.leave.level:
            done = len(self.queues[number]) <= 1 or self.leave.under > nanos
            self.top = NO_LEVEL if done else self.leave.level

    def wakes(self, now: Fraction) -> Fraction | None:
        waiting = self.backlogged()
        if not waiting:
            return None
        nanos = min(floor(self.shares[number].under) + 1 for number in waiting)
        return Fraction(max(nanos, floor(now * 1000) + 1), 1000)


class Cbfq(Scheduler):
    """Classes by start-time fair queueing (Goyal, Vin and Cheng 1996), their flows by turns (RFC 8290, section 4)."""

    def __init__(self, weights: list[int], width: int, quantum: int, classify: Classify, limit: int) -> None:
        super().__init__(len(weights) * width, classify, limit)
        self.weights, self.width, self.quantum = weights, width, quantum
        self.numbers = Numbers()
        self.keys: list[int | None] = [None] * len(weights)
        self.virtual = Fraction(0)
        self.begin = [Fraction(0)] * len(weights)
        self.finish = [Fraction(0)] * len(weights)
        self.fresh: list[deque[int]] = [deque() for _ in weights]
        self.old: list[deque[int]] = [deque() for _ in weights]
        self.deficit: dict[int, int] = {}

    def of(self, number: int) -> list[deque[Packet]]:
        """The queues of a class."""
        return self.queues[number * self.width : (number + 1) * self.width]

    def arrives(self, now: int, packet: Packet) -> str | None:
        number = self.classify(packet)
        if self.keys[number] is None:
            self.numbers.supplied = packet.uniform
            self.keys[number] = self.numbers.below(1 << 53)
        place = number * self.width + bucket(packet.flow, self.keys[number], self.width)
        if not any(self.of(number)):
            self.begin[number] = max(self.finish[number], self.virtual)
        self.queues[place].append(packet)
        if place not in self.fresh[number] and place not in self.old[number]:
            self.fresh[number].append(place)
            self.deficit[place] = self.quantum
        if sum(map(len, self.of(number))) > self.limit:
            sizes = [sum(waiting.size for waiting in queue) for queue in self.of(number)]
            self.victims.append(self.of(number)[sizes.index(max(sizes))].popleft())
        return None

    def choose(self, now: Fraction) -> int | None:
        waiting = [number for number in range(len(self.weights)) if any(self.of(number))]
        if not waiting:
            return None
        number = min(waiting, key=lambda each: (self.begin[each], each))
        fresh, old = self.fresh[number], self.old[number]
        while True:
            lane = fresh or old
            place = lane[0]
            if self.deficit[place] <= 0:
                self.deficit[place] += self.quantum
                old.append(lane.popleft())
            elif self.queues[place]:
                return place
            elif lane is fresh:
                old.append(lane.popleft())
            else:
                lane.popleft()

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        self.deficit[number] -= packet.size
        owner = number // self.width
        self.virtual = self.begin[owner]
        self.finish[owner] = self.begin[owner] + Fraction(packet.size, self.weights[owner])
        self.begin[owner] = self.finish[owner]

    def idles(self, now: Fraction) -> None:
        self.virtual = Fraction(0)
        for number in range(len(self.weights)):
            self.begin[number] = self.finish[number] = Fraction(0)
            self.fresh[number].clear()
            self.old[number].clear()
