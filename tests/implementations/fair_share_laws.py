"""Laws that count flows: BRED, SRED, GREEN and longest queue drop, from their publications."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from .link import Law, Packet


@dataclass
class Account:
    """BRED's state of a flow with a backlog."""

    waiting: int = 0
    gap: int = 0
    """Packets accepted since the last drop."""


class Bred(Law):
    """Anjum and Tassiulas 1999, as Alemu 2004, algorithm 14 (with gaps), and Chatranon 2004, section 2.2.3.4, have it.

    The largest backlog of a flow is not printed: its share of the buffer, as in ours.
    """

    def __init__(self, limit: int, *, gaps: bool, beta: float = 0.5, w_n: float = 0.02) -> None:
        super().__init__()
        self.limit, self.gaps, self.beta, self.w_n = limit, gaps, beta, w_n
        self.accounts: dict[int, Account] = {}
        self.flows = 0.0

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        # A new flow is active before it is decided about.
        account = self.accounts.setdefault(packet.flow, Account())
        self.flows += self.w_n * (len(self.accounts) - self.flows)
        reason = self.judge(account)
        if reason is None:
            return "enqueued", None
        self.refuse(packet)
        return "dropped", reason

    def judge(self, account: Account) -> str | None:
        """Why a packet is dropped."""
        n = math.ceil(self.flows)
        l2 = self.limit / (2 * n)
        l1, most = self.beta * l2, self.limit / n
        p2 = math.sqrt(self.flows) / (math.sqrt(self.flows) + 10)
        q, gap = account.waiting, account.gap
        if q >= most:
            return "unfair"
        if self.gaps:
            p = p2 if q > l2 and gap > l2 else p2 / 10 if l2 > q > l1 and gap > l1 else 0.0
        else:
            p = p2 if q >= l2 else p2 / 10 if q >= l1 else 0.0
        return "early" if p > 0 and self.numbers.uniform() < p else None

    def refuse(self, packet: Packet) -> None:
        """A packet has been dropped."""
        self.accounts[packet.flow].gap = 0
        if not self.accounts[packet.flow].waiting:
            del self.accounts[packet.flow]

    def overflows(self, now: int, packet: Packet) -> None:
        self.refuse(packet)

    def joins(self, now: int, packet: Packet) -> None:
        account = self.accounts[packet.flow]
        account.waiting += 1
        account.gap += 1

    def leaves(self, now: int, packet: Packet) -> None:
        account = self.accounts[packet.flow]
        account.waiting -= 1
        if not account.waiting:
            del self.accounts[packet.flow]


class Sred(Law):
    """Ott, Lakshman and Wong 1999, as in Alemu 2004, section 1.2.1.3.

    Nothing is compared until the list is full.
    """

    def __init__(
        self, limit: int, *, full: bool, always: bool, zombies: int, many: float, max_p: float, replace: float
    ) -> None:
        super().__init__()
        self.limit, self.full, self.always = limit, full, always
        self.size, self.many, self.max_p, self.replace = zombies, many, max_p, replace
        self.zombies: list[int] = []
        self.frequency = 0.0

    def hits(self, flow: int, choice: float, luck: float) -> bool:
        """Compares an arrival with a zombie, which it may replace."""
        if len(self.zombies) < self.size:
            self.zombies.append(flow)
            return False
        place = min(int(choice * self.size), self.size - 1)
        is_hit = self.zombies[place] == flow
        if (self.always or not is_hit) and luck < self.replace:
            self.zombies[place] = flow
        alpha = self.replace / self.size
        self.frequency = (1 - alpha) * self.frequency + alpha * is_hit
        return is_hit

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        # As many numbers for each arrival, the one that decides about it first.
        drawn, choice, luck = (self.numbers.uniform() for _ in range(3))
        is_hit = self.hits(packet.flow, choice, luck)
        flows = 1 / self.frequency if self.frequency else math.inf
        q = len(self.queue)
        p = self.max_p if 3 * q >= self.limit else self.max_p / 4 if 6 * q >= self.limit else 0.0
        p *= min(1.0, (flows / self.many) ** 2)
        if self.full and is_hit:
            p *= 1 + flows
        return ("dropped", "early") if drawn < p else ("enqueued", None)


class Lqd(Law):
    """Suter, Lakshman, Stiliadis and Choudhury 1998, as Chatranon 2004, section 2.2.3.2, has it.

    `victim`: the longest, any above its part, or (approximate) the longest that changes of queues have shown.
    """

    def __init__(self, limit: int, victim: str, *, front: bool = True, by_bytes: bool = True) -> None:
        super().__init__()
        self.limit, self.victim, self.front, self.by_bytes = limit, victim, front, by_bytes
        self.length: Counter[int] = Counter()
        self.longest: int | None = None

    def weigh(self, packet: Packet) -> int:
        """How much a packet adds to its flow."""
        return packet.size if self.by_bytes else 1

    def change(self, packet: Packet, sign: int) -> None:
        """A packet has joined or left its flow's part."""
        self.length[packet.flow] += sign * self.weigh(packet)
        if not self.length[packet.flow]:
            del self.length[packet.flow]
        if self.length.get(packet.flow, 0) > self.length.get(self.longest, 0):
            self.longest = packet.flow

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        if len(self.queue) < self.limit:
            return "enqueued", None
        # The flow that comes is one of those that share.
        flows = len(self.length.keys() | {packet.flow})
        part = sum(self.length.values()) / flows
        victim = self.choose(part) if self.length.get(packet.flow, 0) < part else None
        if victim is None:
            return "dropped", "overflow"
        mine = [place for place, waiting in enumerate(self.queue) if waiting.flow == victim]
        place = mine[0] if self.front else mine[-1]
        gone = self.queue[place]
        del self.queue[place]
        self.change(gone, -1)
        self.evicted.append(gone)
        return "enqueued", None

    def choose(self, part: float) -> int | None:
        """The flow that loses a packet, if one has more than its part; the first among equals."""
        above = sorted(flow for flow, length in self.length.items() if length > part)
        if self.victim == "longest":
            return max(above, key=lambda flow: self.length[flow], default=None)
        if self.victim == "random":
            return above[self.numbers.below(len(above))] if above else None
        return self.longest if self.longest in above else None

    def joins(self, now: int, packet: Packet) -> None:
        self.change(packet, 1)

    def leaves(self, now: int, packet: Packet) -> None:
        self.change(packet, -1)


class Green(Law):
    """Feng, Kapadia and Thulasidasan 2002, and with gamma Kapadia, Feng and Campbell 2004, as Alemu 2004, algorithm 8.

    A byte takes a microsecond. All flows have the same round trip here.
    """

    c, decrease, full = 8.0, 0.95, 0.98

    def __init__(self, *, rtt_us: float, window_us: float, adaptive: bool, add_wait: bool) -> None:
        super().__init__()
        self.rtt, self.window, self.adaptive, self.add_wait = rtt_us, window_us, adaptive, add_wait
        self.gamma, self.flows = 1.0, 0
        self.since = 0
        self.seen: set[int] = set()
        self.sent = self.lost = 0

    def probability(self, packet: Packet) -> float:
        """The law, eq. 1.16."""
        rtt = self.rtt + (sum(other.size for other in self.queue) if self.add_wait else 0)
        return min(1.0, (self.flows * packet.size * self.c / (self.gamma * rtt)) ** 2)

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        p = self.probability(packet)
        is_dropped = self.numbers.uniform() < p
        self.seen.add(packet.flow)
        if now - self.since >= self.window:
            self.look_back(now)
        return ("dropped", "early") if is_dropped else ("enqueued", None)

    def look_back(self, now: int) -> None:
        """A window is over."""
        used = self.sent / (now - self.since)
        self.flows = len(self.seen)
        if self.adaptive:
            if self.lost:
                self.gamma *= self.decrease
            elif 0 < used < self.full:
                # A bound of ours; it would grow for good where nothing fills the link.
                self.gamma = min(self.gamma * (1 + used) / (2 * used), 1e6)
        self.since, self.sent, self.lost = now, 0, 0
        self.seen.clear()

    def leaves(self, now: int, packet: Packet) -> None:
        self.sent += packet.size

    def overflows(self, now: int, packet: Packet) -> None:
        self.lost += 1
