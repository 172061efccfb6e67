"""FQ-CoDel, from RFC 8290 and the CoDel of RFC 8289; and its scheduler over drop tail alone."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from .delay_laws import Codel
from .link import Fate, Packet, bucket


@dataclass(eq=False)
class Queue:
    """A queue of flows: numbers of packets."""

    codel: Codel | None
    deficit: int = 0
    waiting: deque[int] = field(default_factory=deque)


class FqCodel:
    """Deficit round robin over hashed queues, new ones first."""

    def __init__(
        self,
        packets: list[Packet],
        *,
        queues: int,
        quantum: int,
        limit: int,
        batch: int,
        codel: Codel | None,
    ) -> None:
        self.packets, self.quantum, self.limit, self.batch = packets, quantum, limit, batch
        self.queues = [
            Queue(Codel(codel.target, codel.interval, codel.mtu, codel.ecn) if codel else None) for _ in range(queues)
        ]
        self.new: deque[Queue] = deque()
        self.old: deque[Queue] = deque()
        self.fates: list[Fate] = []
        # The first arrival's random number.
        self.key = min(int(packets[0].uniform * (1 << 53)), (1 << 53) - 1)

    def drop(self, number: int, why: str) -> None:
        """A packet is lost."""
        self.fates[number] = ("dropped", why, None)

    def size(self, queue: Queue) -> int:
        """Bytes that wait in a queue."""
        return sum(self.packets[number].size for number in queue.waiting)

    def size_of_all(self) -> int:
        """Bytes that wait in all queues: RFC 8289 section 4.4 speaks of the link's queue."""
        return sum(self.size(queue) for queue in self.queues)

    def comes(self, number: int) -> None:
        """Section 4.1: a newly active queue is new; without room the longest queue loses half its bytes at the head."""
        self.fates.append(("enqueued", None, None))
        queue = self.queues[bucket(self.packets[number].flow, self.key, len(self.queues))]
        queue.waiting.append(number)
        if queue not in self.new and queue not in self.old:
            queue.deficit = self.quantum
            self.new.append(queue)
        if sum(len(queue.waiting) for queue in self.queues) > self.limit:
            longest = max(self.queues, key=self.size)
            half, lost = self.size(longest) / 2, 0
            for _ in range(self.batch):
                gone = longest.waiting.popleft()
                self.drop(gone, "overflow")
                lost += self.packets[gone].size
                if lost >= half:
                    break

    def serve(self, now: int) -> int | None:
        """Section 4.2."""
        while self.new or self.old:
            turns = self.new or self.old
            queue = turns[0]
            if queue.deficit <= 0:
                queue.deficit += self.quantum
                turns.popleft()
                self.old.append(queue)
                continue
            number = self.take(queue, now)
            if number is not None:
                queue.deficit -= self.packets[number].size
                return number
            turns.popleft()
            if turns is self.new:
                self.old.append(queue)
        return None

    def head(self, queue: Queue, now: int) -> tuple[int | None, bool]:
        """RFC 8289's `dodequeue`: the packet at the head, and whether it may be dropped."""
        codel = queue.codel
        if not queue.waiting:
            if codel:
                codel.first_above = None
            return None, False
        number = queue.waiting.popleft()
        if codel is None:
            return number, False
        if now - self.packets[number].time_us < codel.target or self.size_of_all() <= codel.mtu:
            codel.first_above = None
            return number, False
        if codel.first_above is None:
            codel.first_above = now + codel.interval
            return number, False
        return number, now >= codel.first_above

    def marks(self, codel: Codel, number: int) -> bool:
        """Whether a packet is marked in place of being dropped, which ends the search for one."""
        if not (codel.ecn and self.packets[number].ect):
            self.drop(number, "sojourn")
            return False
        self.fates[number] = ("marked", "sojourn", None)
        return True

    def take(self, queue: Queue, now: int) -> int | None:
        """RFC 8289's `dequeue`."""
        number, ok = self.head(queue, now)
        codel = queue.codel
        if codel is None:
            return number
        if codel.dropping:
            codel.dropping = ok
            while codel.dropping and now >= codel.drop_next:
                assert number is not None
                codel.count += 1
                if self.marks(codel, number):
                    codel.drop_next = codel.next(codel.drop_next)
                    return number
                number, codel.dropping = self.head(queue, now)
                if codel.dropping:
                    codel.drop_next = codel.next(codel.drop_next)
        elif ok:
            assert number is not None
            if not self.marks(codel, number):
                number, _ = self.head(queue, now)
            delta = codel.count - codel.last_count
            codel.count = delta if delta > 1 and now - codel.drop_next < 16 * codel.interval else 1
            codel.dropping, codel.last_count = True, codel.count
            codel.drop_next = codel.next(now)
        return number

    def run(self) -> list[Fate]:
        """The fate of each packet; a byte takes a microsecond."""
        free_at: int | None = None

        def serve(now: int) -> int | None:
            number = self.serve(now)
            if number is None:
                return None
            self.fates[number] = (*self.fates[number][:2], now)
            return now + self.packets[number].size

        for number, packet in enumerate(self.packets):
            while free_at is not None and free_at <= packet.time_us:
                free_at = serve(free_at)
            self.comes(number)
            if free_at is None:
                free_at = serve(packet.time_us)
        while free_at is not None:
            free_at = serve(free_at)
        return self.fates
