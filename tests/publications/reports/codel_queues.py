"""CoDel and FQ-CoDel in Python, written from RFC 8289 and RFC 8290, for recorded arrivals. Times are nanoseconds."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

TARGET, INTERVAL = 5_000_000, 100_000_000


@dataclass(frozen=True)
class Packet:
    """An arrival."""

    number: int
    time: int
    size: int
    flow: str


@dataclass(eq=False)
class Flow:
    """A queue with the state of CoDel (RFC 8289, section 5.2), and the scheduler's data of it."""

    waiting: deque[Packet] = field(default_factory=deque)
    above_since: int | None = None
    drop_next: float = -math.inf
    count: int = 0
    last_count: int = 0
    dropping: bool = False
    credit: int = 0

    @property
    def size(self) -> int:
        """Bytes that wait in this queue."""
        return sum(packet.size for packet in self.waiting)


@dataclass
class Queues:
    """All queues of a link; with one flow and a quantum above all sizes it is CoDel alone."""

    limit: int
    quantum: int = 1514
    batch: int = 64
    mtu: int = 1514
    flows: dict[str, Flow] = field(default_factory=dict)
    new: deque[Flow] = field(default_factory=deque)
    old: deque[Flow] = field(default_factory=deque)
    dropped: dict[int, str] = field(default_factory=dict)
    length: int = 0
    bytes: int = 0

    def take(self, flow: Flow) -> Packet | None:
        """The head of a queue."""
        if not flow.waiting:
            return None
        packet = flow.waiting.popleft()
        self.length -= 1
        self.bytes -= packet.size
        return packet

    def arrive(self, packet: Packet) -> None:
        """RFC 8290, section 4.1: the excess is taken from the head of the longest queue, up to half of it."""
        flow = self.flows.setdefault(packet.flow, Flow())
        flow.waiting.append(packet)
        self.length += 1
        self.bytes += packet.size
        if flow not in self.new and flow not in self.old:
            flow.credit = self.quantum
            self.new.append(flow)
        if self.length > self.limit:
            longest = max(self.flows.values(), key=lambda one: one.size)
            half, gone, lost = longest.size // 2, 0, 0
            while lost == 0 or (lost < self.batch and gone < half):
                head = self.take(longest)
                assert head is not None
                gone, lost = gone + head.size, lost + 1
                self.dropped[head.number] = "overflow"

    def head(self, flow: Flow, now: int) -> tuple[Packet | None, bool]:
        """RFC 8289, section 5.5 (dodequeue): the head, and whether it may be dropped."""
        packet = self.take(flow)
        if packet is None or now - packet.time < TARGET or self.bytes <= self.mtu:
            flow.above_since = None
        elif flow.above_since is None:
            flow.above_since = now
        else:
            return packet, now >= flow.above_since + INTERVAL
        return packet, False

    def codel(self, flow: Flow, now: int) -> Packet | None:
        """RFC 8289, section 5.4 (dequeue): the packet that is sent."""
        packet, may_drop = self.head(flow, now)
        if flow.dropping:
            flow.dropping = may_drop
            while flow.dropping and now >= flow.drop_next:
                assert packet is not None
                self.dropped[packet.number] = "codel"
                flow.count += 1
                packet, flow.dropping = self.head(flow, now)
                if flow.dropping:
                    flow.drop_next += INTERVAL / math.sqrt(flow.count)
        elif may_drop:
            assert packet is not None
            self.dropped[packet.number] = "codel"
            packet, _ = self.head(flow, now)
            flow.dropping = True
            since_last = flow.count - flow.last_count
            flow.count = since_last if since_last > 1 and now - flow.drop_next < 16 * INTERVAL else 1
            flow.last_count = flow.count
            flow.drop_next = now + INTERVAL / math.sqrt(flow.count)
        return packet

    def leave(self, now: int) -> Packet | None:
        """RFC 8290, section 4.2: new queues first, then old ones, each as long as it has credit."""
        while self.new or self.old:
            turn = self.new or self.old
            flow = turn[0]
            if flow.credit <= 0:
                flow.credit += self.quantum
                self.old.append(turn.popleft())
            elif (packet := self.codel(flow, now)) is not None:
                flow.credit -= packet.size
                return packet
            elif turn is self.new:
                # An empty new queue becomes old, lest it come before all others again with its next packet.
                self.old.append(turn.popleft())
            else:
                turn.popleft()
        return None


def served(queues: Queues, packets: list[Packet], rate: int) -> tuple[dict[int, str], dict[int, int]]:
    """Why packets were dropped, and when the others began to leave, behind a link of `rate` bit/s."""
    left: dict[int, int] = {}
    free = 0
    for packet in [*packets, None]:
        while queues.length and (packet is None or free <= packet.time):
            if (sent := queues.leave(free)) is not None:
                left[sent.number] = free
                free += sent.size * 8 * 10**9 // rate
        if packet is not None:
            queues.arrive(packet)
            free = max(free, packet.time)
    return queues.dropped, left
