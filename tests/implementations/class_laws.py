"""Laws that know classes: assured forwarding with its markers, and alternative best effort."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from .link import MEAN_PACKET, Fate, Law, Packet
from .red_laws import Red, Settings

GREEN, YELLOW, RED = range(3)


@dataclass
class Buckets:
    """Two token buckets in bytes, full at first; rates in bytes per microsecond."""

    cir: float
    cbs: float
    pir: float
    burst: float
    committed: float = field(init=False)
    other: float = field(init=False)
    at: int = 0

    def __post_init__(self) -> None:
        self.committed, self.other = self.cbs, self.burst

    def single_rate(self, now: int, size: int) -> int:
        """RFC 2697, colour-blind: tokens go into C while it is not full, else into E."""
        tokens = self.cir * (now - self.at)
        into_c = min(tokens, self.cbs - self.committed)
        self.committed += into_c
        self.other = min(self.burst, self.other + (tokens - into_c))
        self.at = now
        if self.committed >= size:
            self.committed -= size
            return GREEN
        if self.other >= size:
            self.other -= size
            return YELLOW
        return RED

    def two_rates(self, now: int, size: int) -> int:
        """RFC 2698, colour-blind: red by the peak bucket, yellow by the committed one."""
        self.committed = min(self.cbs, self.committed + self.cir * (now - self.at))
        self.other = min(self.burst, self.other + self.pir * (now - self.at))
        self.at = now
        if self.other < size:
            return RED
        self.other -= size
        if self.committed < size:
            return YELLOW
        self.committed -= size
        return GREEN


class One(Red):
    """RED of one precedence, whose average follows the backlogs that it is shown."""

    waiting = 0

    def meets(self, now: int, packet: Packet, waiting: int) -> tuple[str, str | None]:
        """The verdict on a packet that finds `waiting` packets that count."""
        self.observe(now, waiting)
        return self.test(packet)

    def wakes(self, now: int) -> None:
        """A packet of another precedence has come: the time for which the link was idle counts until now."""
        if self.idle_since is not None:
            self.avg *= (1 - self.red.w_q) ** ((now - self.idle_since) / 500)
            self.idle_since = now


class Half(Red):
    """One of RIO's two REDs: idle time ends with a packet that it looks at."""

    def observe(self, now: int, q: float) -> None:
        since, self.idle_since = self.idle_since, None
        if since is None:
            self.avg += self.red.w_q * (q - self.avg)
        else:
            self.avg *= (1 - self.red.w_q) ** ((now - since) / MEAN_PACKET)


class Rio(Law):
    """Clark and Fang 1998, figure 2: In packets by the average of In packets, Out packets by that of all.

    The idle time of In packets begins whenever the link falls idle, as in ns-2, also where Out
    packets alone have come since.
    """

    def __init__(self, inside: Settings, outside: Settings, flows: dict[int, Buckets]) -> None:
        super().__init__()
        self.inside, self.outside, self.flows = Half(inside), Half(outside), flows
        self.inside.numbers = self.outside.numbers = self.numbers
        self.within: dict[int, bool] = {}
        self.held = 0

    def half(self, packet: Packet) -> Half:
        """The RED of a packet."""
        return self.inside if self.within[id(packet)] else self.outside

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        within = self.flows[packet.flow].single_rate(now, packet.size) == GREEN
        self.within[id(packet)] = within
        if within:
            self.inside.observe(now, self.held)
        self.outside.observe(now, len(self.queue))
        return self.half(packet).test(packet)

    def joins(self, now: int, packet: Packet) -> None:
        self.held += self.within[id(packet)]

    def leaves(self, now: int, packet: Packet) -> None:
        self.held -= self.within[id(packet)]

    def overflows(self, now: int, packet: Packet) -> None:
        self.half(packet).overflows(now, packet)

    def idles(self, now: int) -> None:
        self.inside.idle_since = now
        if self.outside.idle_since is None:
            self.outside.idle_since = now

    def stays_idle(self, now: int) -> None:
        self.idles(now)


class DiffServ(Red):
    """An edge with a RED for each precedence: RIO-C counts a precedence and those better, RIO-D itself, WRED all.

    Clark and Fang 1998: a packet moves each average that counts it.
    """

    def __init__(
        self, mode: str, marker: str, thresholds: tuple[Settings, Settings, Settings], flows: dict[int, Buckets]
    ) -> None:
        super().__init__(thresholds[0])
        self.mode, self.marker, self.flows = mode, marker, flows
        self.precedences = [One(settings) for settings in thresholds]
        for one in self.precedences:
            one.numbers = self.numbers
        self.colour: dict[int, int] = {}
        self.held: Counter[int] = Counter()

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        mine = getattr(self.flows[packet.flow], self.marker)(now, packet.size)
        self.colour[id(packet)] = mine
        for colour, one in enumerate(self.precedences):
            if colour == mine:
                continue
            if mine in self.counted(colour):
                one.observe(now, self.waiting(colour))
            else:
                one.wakes(now)
        return self.precedences[mine].meets(now, packet, self.waiting(mine))

    def counted(self, colour: int) -> range:
        """The precedences that an average counts."""
        return {"rio_c": range(colour + 1), "rio_d": range(colour, colour + 1), "wred": range(3)}[self.mode]

    def waiting(self, colour: int) -> int:
        """The backlog that an average sees."""
        return sum(self.held[each] for each in self.counted(colour))

    def joins(self, now: int, packet: Packet) -> None:
        self.held[self.colour[id(packet)]] += 1
        for one in self.precedences:
            one.joins(now, packet)

    def leaves(self, now: int, packet: Packet) -> None:
        self.held[self.colour[id(packet)]] -= 1

    def idles(self, now: int) -> None:
        for one in self.precedences:
            one.idles(now)

    def overflows(self, now: int, packet: Packet) -> None:
        self.precedences[self.colour[id(packet)]].overflows(now, packet)


def abe(packets: list[Packet], *, green: set[int], wait_us: int, room: int) -> list[Fate]:
    """Alternative best effort: a copy says by when a blue packet must begin; green goes first if it can."""
    lanes: dict[bool, deque[tuple[int, float]]] = {True: deque(), False: deque()}
    fates: list[Fate] = []
    copies, copied_at = 0.0, 0
    free_at: int | None = None

    def serve(now: int) -> None:
        nonlocal free_at
        free_at = None
        while lanes[True] and lanes[True][0][1] < now:
            fates[lanes[True].popleft()[0]] = ("dropped", "sojourn", None)
        if lanes[True] and lanes[False]:
            # A byte takes a microsecond. Blue must not begin too late behind the green one.
            number, _ = lanes[True][0]
            first = now + packets[number].size <= lanes[False][0][1]
        else:
            first = bool(lanes[True])
        if lanes[first]:
            number, _ = lanes[first].popleft()
            fates[number] = ("enqueued", None, now)
            free_at = now + packets[number].size

    for number, packet in enumerate(packets):
        now = packet.time_us
        while free_at is not None and free_at <= now:
            serve(free_at)
        copies, copied_at = max(0.0, copies - (now - copied_at)), now
        is_green = packet.flow in green
        if is_green and sum(packets[other].size for other, _ in lanes[True]) > wait_us:
            fates.append(("dropped", "sojourn", None))
        elif copies + packet.size > room:
            fates.append(("dropped", "overflow", None))
        else:
            fates.append(("enqueued", None, None))
            lanes[is_green].append((number, now + (wait_us if is_green else copies)))
            copies += packet.size
        if free_at is None:
            serve(now)
    while free_at is not None:
        serve(free_at)
    return fates


class Judge(Red):
    """RED whose drops tell how fast flows are: Floyd and Fall 1999, as in Chatranon 2004, equation 2.10."""

    def __init__(self, settings: Settings, *, rtt_s: float, interval_us: int) -> None:
        super().__init__(settings)
        self.rtt, self.interval = rtt_s, interval_us
        self.penalized: Counter[int] = Counter()
        self.clear()

    def clear(self) -> None:
        self.came: list[int] = []
        self.lost: dict[int, list[int]] = {}

    def loses(self, packet: Packet) -> None:
        self.lost.setdefault(packet.flow, []).append(packet.size)

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.came.append(packet.size)
        verdict = super().arrives(now, packet)
        if verdict[0] == "dropped":
            self.loses(packet)
        return verdict

    def judge(self) -> None:
        seconds = self.interval / 1e6
        drops = sum(map(len, self.lost.values()))
        p = drops / len(self.came) if self.came else 0.0
        fair = 1.5 * (2 / 3) ** 0.5 * 500 / (self.rtt * p**0.5) if p else float("inf")
        self.penalized = Counter({flow: 0 for flow, sent in self.penalized.items() if sent / seconds > fair})
        lost = sum(map(sum, self.lost.values()))
        for flow, sizes in sorted(self.lost.items()):
            if len(sizes) >= 3 and sum(sizes) * (sum(self.came) / seconds / lost) > fair:
                self.penalized[flow] = 0
        self.clear()


def tcp_model(packets: list[Packet], law: Judge, *, limit: int, part: float, room: int) -> list[Fate]:
    """A main queue under `law`, and a class for the flows that it finds too fast, with a part of the link."""
    main, apart = law.queue, deque[Packet]()
    fates: dict[int, Fate] = {}
    place = {id(packet): number for number, packet in enumerate(packets)}
    credit, filled_at, due = 0.0, 0, law.interval
    free_at: int | None = None

    def serve(now: int) -> None:
        nonlocal free_at, credit, filled_at
        free_at = None
        credit, filled_at = min(credit + part * (now - filled_at), 1_000.0), now
        if apart and (credit >= apart[0].size or not main):
            packet = apart.popleft()
            credit -= packet.size if credit >= packet.size else 0
        elif main:
            packet = main.popleft()
            law.leaves(now, packet)
        else:
            law.idles(now)
            return
        fates[place[id(packet)]] = ("enqueued", None, now)
        free_at = now + packet.size

    for number, packet in enumerate(packets):
        now = packet.time_us
        while (free_at is not None and free_at <= now) or due <= now:
            if free_at is not None and free_at <= min(now, due):
                serve(free_at)
            else:
                law.judge()
                due += law.interval
        law.numbers.supplied = packet.uniform
        if packet.flow in law.penalized:
            law.penalized[packet.flow] += packet.size
            if len(apart) >= room or len(main) + len(apart) >= limit:
                fates[number] = ("dropped", "unfair" if len(apart) >= room else "overflow", None)
            else:
                apart.append(packet)
        else:
            decision, reason = law.arrives(now, packet)
            if decision != "dropped" and len(main) + len(apart) >= limit:
                decision, reason = "dropped", "overflow"
                law.overflows(now, packet)
                law.loses(packet)
            if decision == "dropped":
                fates[number] = (decision, reason, None)
            else:
                law.joins(now, packet)
                main.append(packet)
        law.numbers.supplied = None
        if free_at is None:
            serve(now)
    while free_at is not None:
        serve(free_at)
    return [fates[number] for number in range(len(packets))]
