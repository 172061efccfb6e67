"""Laws over RED that filter flows before it, from the scripts of their authors: the filter of ns-2's tests, and RED-PD.

RED-PD is written from the authors' simulations in ns-2's distribution (tcl/ex/red-pd: monitoring.tcl, helper.tcl), on
which the paper (Mahajan, Floyd and Wetherall 2001) rests. Times are whole nanoseconds, so that they sum up exactly.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from itertools import permutations

from .link import Packet
from .red_laws import Red, Settings

REFERENCE = 0.040
LISTS, NEEDED, LONGEST = 5, 3, 50
LEAST, MOST, PAUSE = 2 * REFERENCE, 10 * REFERENCE, 400_000_000


class Filtered(Red):
    """RED with a filter before it, which may know more than one flow."""

    def thin(self, law: Thin, p: float, *, may: bool) -> bool:
        """Whether the filter takes the packet: p / (1 - count p), count being the packets since it last did."""
        u = self.numbers.uniform()
        load = law.count * p
        taken = may and u <= (p / (1 - load) if load < 1 else 1.0)
        law.count = 0 if taken else law.count + 1
        return taken

    def may_lose(self, *, responds: bool = True) -> bool:
        """ns-2: flows that respond lose nothing at a low average or a short backlog; others always do."""
        return not responds or (self.avg >= self.red.min_th and len(self.queue) > 1)

    def behind(self, now: int, packet: Packet) -> tuple[str, str | None]:
        """RED's own verdict."""
        return super().arrives(now, packet)


@dataclass
class Thin:
    """Where the filter is in a flow's packets."""

    count: int = 0


class RedFilter(Filtered):
    """Packets of some flows are taken at a given probability between two times."""

    def __init__(self, settings: Settings, flows: tuple[int, ...], p: float, begin_us: int, end_us: int) -> None:
        super().__init__(settings)
        self.flows = {flow: Thin() for flow in flows}
        self.p, self.begin, self.end = p, begin_us, end_us

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        inside = self.begin <= now < self.end and packet.flow in self.flows
        if inside and self.thin(self.flows[packet.flow], self.p, may=self.may_lose()):
            return "dropped", "unfair"
        return self.behind(now, packet)


@dataclass
class Watched(Thin):
    """A monitored flow."""

    p: float = 0.0
    since: int = 0
    responds: bool = True
    seen: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=5))
    """Rates and losses of the intervals in which p rose."""


class RedPd(Filtered):
    """Mahajan, Floyd and Wetherall 2001."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.lists: deque[Counter[int]] = deque(maxlen=LISTS)
        self.watched: dict[int, Watched] = {}
        self.rate: float | None = None
        self.intervals: deque[int] = deque([0] * LISTS, maxlen=LISTS)
        self.began, self.ends = 0, round(MOST * 1e9)
        self.due = self.ends / 1000
        self.clear()

    def clear(self) -> None:
        self.came: Counter[int] = Counter()
        self.taken: Counter[int] = Counter()
        self.lost: Counter[int] = Counter()

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.came[packet.flow] += packet.size
        watched = self.watched.get(packet.flow)
        if watched and self.thin(watched, watched.p, may=self.may_lose(responds=watched.responds)):
            self.taken[packet.flow] += packet.size
            return "dropped", "unfair"
        verdict = self.behind(now, packet)
        if verdict[0] == "dropped":
            self.lost[packet.flow] += packet.size
        return verdict

    def overflows(self, now: int, packet: Packet) -> None:
        super().overflows(now, packet)
        self.lost[packet.flow] += packet.size

    def look(self, now: float) -> None:
        passed = self.came.total() - self.taken.total()
        current = self.lost.total() / passed if passed else 0.0
        self.rate = current if self.rate is None else 0.5 * current + 0.5 * self.rate
        # The first flow among equals.
        most = sorted((flow for flow in self.lost if self.lost[flow]), key=lambda flow: (-self.lost[flow], flow))
        self.lists.append(Counter({flow: self.lost[flow] for flow in most[:LONGEST]}))
        if current > 0.001:
            self.punish(min(current, self.rate))
        self.forgive()
        model = NEEDED / LISTS * REFERENCE / (1.5 * self.rate) ** 0.5 if self.rate else MOST
        self.intervals.append(round(max(min(model, MOST), LEAST) * 1e9))
        self.began, self.ends = self.ends, self.ends + self.intervals[-1]
        self.due = self.ends / 1000
        self.clear()

    def span(self, intervals: int) -> int:
        """The last intervals together, and not less than 0.4 s."""
        return max(sum(list(self.intervals)[-intervals:]), PAUSE)

    def punish(self, usable: float) -> None:
        times = Counter(flow for one in self.lists for flow in one)
        regular = {flow: sum(one[flow] for one in self.lists) for flow in times if times[flow] >= NEEDED}
        for flow, lost in regular.items():
            watched = self.watched.get(flow)
            if not self.lost[flow] + self.taken[flow] or (watched and self.ends - watched.since < self.span(4)):
                continue
            step = usable * lost / (sum(regular.values()) / len(regular))
            if watched:
                watched.responds = watched.responds and self.answers(watched)
                most, steps = (2, 1) if watched.responds else (3, 2)
                old = watched.p
                watched.p = most * old if step > old else old + steps * step
                if watched.p > 1:
                    watched.p = 1 - (1 - old) / most
            else:
                watched = self.watched[flow] = Watched(p=min(step, 2 * usable, 0.5))
            watched.since = self.ends
            gone = (self.lost[flow] + self.taken[flow]) / self.came[flow]
            watched.seen.append((self.came[flow] / (self.ends - self.began), gone))

    def answers(self, watched: Watched) -> bool:
        """Whether rates fall as the root of losses rises, in nearly all pairs of intervals."""
        good = bad = 0
        for (rate, loss), (later_rate, later_loss) in permutations(watched.seen, 2):
            if loss < later_loss and loss / later_loss > 0.1:
                if later_rate / rate > (loss / later_loss) ** 0.5:
                    bad += 1
                else:
                    good += 1
        return not (bad >= 3 if good == 0 else bad >= 4 * good)

    def forgive(self) -> None:
        for flow, watched in list(self.watched.items()):
            if any(flow in one for one in self.lists):
                continue
            wait, small, factor = (3, 0.005, 2.0) if watched.responds else (5, 0.0025, 1.5)
            if self.ends - watched.since < self.span(wait):
                continue
            if watched.p <= small:
                del self.watched[flow]
                continue
            watched.p = watched.p - 0.05 if watched.p > factor * 0.05 else watched.p / factor
            watched.since = self.ends


class Xred(Filtered):
    """Hutschenreuther and Schill, as in Alemu 2004, section 1.3.3.

    Packets as they come (recordings number all flows together) are data units of as many packets as there are
    priorities. A list has, of each flow, the last data unit that lost something, and the highest priority that it lost.
    """

    def __init__(self, settings: Settings, priorities: tuple[int, ...], *, equal: bool = False) -> None:
        super().__init__(settings)
        self.priorities, self.equal = priorities, equal
        self.sent = 0
        self.list: dict[int, tuple[int, int]] = {}

    def content(self) -> tuple[int, int]:
        """Data unit and priority of the packet that comes."""
        unit, place = divmod(self.sent - 1, len(self.priorities))
        return unit, self.priorities[place]

    def loses(self, packet: Packet) -> None:
        unit, priority = self.content()
        known, highest = self.list.get(packet.flow, (unit, priority))
        self.list[packet.flow] = (unit, max(priority, highest) if known == unit else priority)

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.sent += 1
        unit, priority = self.content()
        lost = self.list.get(packet.flow)
        if lost and lost[0] == unit and (priority < lost[1] or (self.equal and priority == lost[1])):
            self.loses(packet)
            return "dropped", "unfair"
        verdict = self.behind(now, packet)
        if verdict[0] == "dropped":
            self.loses(packet)
        return verdict

    def overflows(self, now: int, packet: Packet) -> None:
        super().overflows(now, packet)
        self.loses(packet)
