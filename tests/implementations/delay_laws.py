"""Laws about the queuing delay: CoDel, PIE (RFC 8033, RFC 8034), PI2, DualPI2 (RFC 9332) and COBALT.

They are written from their publications. Times are microseconds and delays seconds; the link carries one byte in each
microsecond.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from .link import MEAN_PACKET, Fate, Law, Numbers, Packet

DOCSIS_MEAN_PACKET = 1024
"""RFC 8034 appendix A: MEAN_PKTSIZE, in bytes."""


@dataclass
class PieSettings:
    """PIE's parameters by the names of RFC 8033."""

    qdelay_ref: float = 0.003
    t_update: int = 4_000
    alpha: float = 2.0
    beta: float = 20.0
    max_burst: int = 10_000
    measure: str = "timestamps"
    dq_threshold: int = 4_000
    wakes_at: int = 0
    """Packets from which on it is active; 0 is always."""
    spaced: bool = False
    capped: bool = False
    docsis: bool = False
    """Changes of RFC 8034: sizes, steps above 10 %, when the probability decays, and its three states."""
    rest_us: int = 0
    high_delay: float | None = None
    mark_ecnth: float | None = None


class Pie(Law):
    """PIE. Numbers are drawn where the pseudo-code draws them."""

    def __init__(self, settings: PieSettings) -> None:
        super().__init__()
        self.set = settings
        self.due = settings.t_update
        self.drop_prob, self.qdelay_old, self.accu_prob = 0.0, 0.0, 0.0
        self.burst_allowance = 0 if settings.docsis else settings.max_burst
        self.active = settings.wakes_at == 0
        self.aqm_state = "INACTIVE"
        self.quiet_us = 0
        self.last_wait = 0.0
        self.measuring: tuple[int, int] | None = None
        self.avg_dq_time: float | None = None

    def overflows(self, now: int, packet: Packet) -> None:
        self.accu_prob = 0.0

    def bytes(self) -> int:
        """The backlog."""
        return sum(packet.size for packet in self.queue)

    def qdelay(self) -> float:
        """The present estimate of the queuing delay."""
        if self.set.measure == "timestamps":
            return self.last_wait if self.queue else 0.0
        if self.set.measure == "rate":
            return self.bytes() * (self.avg_dq_time or 0.0) / self.set.dq_threshold
        return self.bytes() / 1e6

    def leaves(self, now: int, packet: Packet) -> None:
        self.last_wait = (now - packet.time_us) / 1e6
        if self.measuring is not None:
            start, count = self.measuring
            count += packet.size
            self.measuring = (start, count)
            if count >= self.set.dq_threshold:
                taken = (now - start) / 1e6
                weight = self.set.dq_threshold / 65_536
                old = self.avg_dq_time
                self.avg_dq_time = taken if old is None else taken * weight + old * (1 - weight)
                self.measuring = None
        if self.measuring is None and self.bytes() >= self.set.dq_threshold:
            self.measuring = (now, 0)

    def scaled(self, step: float) -> float:
        """Smaller steps at small probabilities, and larger ones at large ones in RFC 8034."""
        for below, divisor in ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (0.1, 2)):
            if self.drop_prob < below:
                return step / divisor
        if not self.set.docsis:
            return step
        return step / (0.5 if self.drop_prob < 1 else 0.125 if self.drop_prob < 10 else 0.03125)

    def look(self, now: float) -> None:
        self.due = now + self.set.t_update
        if not self.set.docsis and not self.active:
            return
        current, half = self.qdelay(), self.set.qdelay_ref / 2
        if self.set.docsis and self.burst_allowance > 0:
            self.drop_prob = 0.0
        else:
            p = self.set.alpha * (current - self.set.qdelay_ref) + self.set.beta * (current - self.qdelay_old)
            p = self.scaled(p)
            if self.set.capped and self.drop_prob >= 0.1:
                p = min(p, 0.02)
            self.drop_prob += p
            low = half if self.set.docsis else 1e-15
            if current < low and self.qdelay_old < low:
                self.drop_prob *= 0.98
            elif self.set.high_delay is not None and current > self.set.high_delay:
                self.drop_prob += 0.02
            self.drop_prob = max(0.0, min(self.drop_prob, 0.85 * 1024 / 64 if self.set.docsis else 1.0))
        self.burst_allowance = max(0, self.burst_allowance - self.set.t_update)
        if self.set.docsis:
            self.changes_state(current)
        elif self.drop_prob == 0 and current < half and self.qdelay_old < half:
            self.quiet_us += self.set.t_update
            if self.quiet_us > self.set.rest_us:
                self.burst_allowance, self.quiet_us = self.set.max_burst, 0
                self.active = self.set.wakes_at == 0
        else:
            self.quiet_us = 0
        self.qdelay_old = current

    def changes_state(self, current: float) -> None:
        """The end of RFC 8034's calculate_drop_prob."""
        half = self.set.qdelay_ref / 2
        quiet = current < half and self.qdelay_old < half and self.drop_prob == 0 and self.burst_allowance == 0
        if self.aqm_state == "QUIESCENT":
            self.quiet_us = self.quiet_us + self.set.t_update if quiet else 0
            if self.quiet_us > self.set.rest_us:
                self.aqm_state, self.quiet_us = "INACTIVE", 0
        elif self.aqm_state == "ACTIVE" and quiet:
            self.aqm_state, self.quiet_us = "QUIESCENT", 0

    def drop_early_docsis(self, packet: Packet) -> bool:
        """RFC 8034's function of that name: packets that are spared count in the sum."""
        if self.burst_allowance > 0:
            return False
        if self.drop_prob == 0:
            self.accu_prob = 0.0
        if self.aqm_state == "INACTIVE":
            if len(self.queue) < self.set.wakes_at:
                return False
            self.aqm_state = "QUIESCENT"
        p = min(self.drop_prob * packet.size / DOCSIS_MEAN_PACKET, 0.85)
        self.accu_prob += p
        short = self.qdelay_old < self.set.qdelay_ref / 2 and self.drop_prob < 0.2
        if short or self.bytes() <= 2 * DOCSIS_MEAN_PACKET or self.accu_prob < 0.85:
            return False
        if self.accu_prob < 8.5 and not (p > 0 and self.numbers.uniform() < p):
            return False
        if self.aqm_state == "QUIESCENT":
            self.aqm_state, self.burst_allowance = "ACTIVE", self.set.max_burst
        return True

    def drop_early(self, packet: Packet) -> bool:
        """RFC 8033's function of that name, with the addition of section 5.4."""
        if self.qdelay_old < self.set.qdelay_ref / 2 and self.drop_prob < 0.2:
            return False
        if self.bytes() <= 2 * MEAN_PACKET:
            return False
        p = self.drop_prob
        if self.set.spaced:
            self.accu_prob = self.accu_prob + p if self.drop_prob > 0 else 0.0
            if self.accu_prob < 0.85:
                return False
            if self.accu_prob >= 8.5:
                return True
        return self.numbers.uniform() < p

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        if self.set.docsis:
            if not self.drop_early_docsis(packet):
                return "enqueued", None
            self.accu_prob = 0.0
            return "dropped", "early"
        if not self.active and len(self.queue) >= self.set.wakes_at:
            self.active, self.burst_allowance = True, self.set.max_burst
            self.drop_prob = self.qdelay_old = self.accu_prob = 0.0
        if not self.active or self.burst_allowance > 0 or not self.drop_early(packet):
            return "enqueued", None
        self.accu_prob = 0.0
        marks = self.set.mark_ecnth is not None and packet.ect and self.drop_prob < self.set.mark_ecnth
        return ("marked" if marks else "dropped"), "early"


@dataclass
class Linear:
    """The controller of PI2 (De Schepper et al. 2016, eq. 4)."""

    alpha: float
    beta: float
    target: float
    top: float
    p: float = 0.0
    old: float = 0.0

    def update(self, delay: float) -> None:
        """Moves p'."""
        self.p += self.alpha * (delay - self.target) + self.beta * (delay - self.old)
        self.p = min(max(self.p, 0.0), self.top)
        self.old = delay


class Pi2(Law):
    """PI2 with marks for half of the packets; `scalable`: these are those of scalable senders."""

    def __init__(self, controller: Linear, period_us: int, *, ecn: bool, scalable: bool) -> None:
        super().__init__()
        self.controller, self.period_us = controller, period_us
        self.ecn, self.scalable = ecn, scalable
        self.due = period_us
        self.last_wait = 0.0

    def leaves(self, now: int, packet: Packet) -> None:
        self.last_wait = (now - packet.time_us) / 1e6

    def look(self, now: float) -> None:
        self.due = now + self.period_us
        self.controller.update(self.last_wait if self.queue else 0.0)

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        p, marks = self.controller.p, self.ecn and packet.ect
        likelihood = 2 * p if marks and self.scalable else p**2
        if self.numbers.uniform() >= likelihood:
            return "enqueued", None
        return ("marked" if marks else "dropped"), "early"


class Side:
    """One of the two queues of DualPI2: numbers of packets, and the sum of likelihoods."""

    def __init__(self) -> None:
        self.waiting: deque[int] = deque()
        self.count = 0.0

    def recur(self, likelihood: float) -> bool:
        """RFC 9332's function of that name."""
        self.count += likelihood
        if self.count > 1:
            self.count -= 1
            return True
        return False


def dualpi2(
    packets: list[Packet], controller: Linear, *, period_us: int, ramp_us: tuple[int, int], share: float, limit: int
) -> list[Fate]:
    """RFC 9332, appendix A, with ECT(1) where a packet is ECN-capable; the classic queue keeps its share by credit."""
    low, classic = Side(), Side()
    fates: list[Fate] = [("enqueued", None, None)] * len(packets)
    free_at: int | None = None
    due, credit = period_us, 0.0

    def waited(side: Side, now: float) -> float:
        return now - packets[side.waiting[0]].time_us if side.waiting else 0

    def from_low(now: int) -> int | None:
        coupled = min(2 * controller.p, 1.0)
        minimum, maximum = (edge / 1e6 for edge in ramp_us)
        delay, own = waited(low, now) / 1e6, 0.0
        if len(low.waiting) > 1:
            own = 1.0 if delay >= maximum else max(0.0, (delay - minimum) / (maximum - minimum))
        number = low.waiting.popleft()
        if coupled < 1:
            if low.recur(max(own, coupled)):
                fates[number] = ("marked", "early", None)
            return number
        if low.recur(controller.p**2):
            fates[number] = ("dropped", "early", None)
            return None
        fates[number] = ("marked", "early", None)
        return number

    def from_classic() -> int | None:
        number = classic.waiting.popleft()
        if classic.recur(controller.p**2):
            fates[number] = ("dropped", "early", None)
            return None
        return number

    def serve(now: int) -> None:
        nonlocal free_at, credit
        free_at = None
        while low.waiting or classic.waiting:
            both = bool(low.waiting and classic.waiting)
            takes_low = bool(low.waiting) and (not classic.waiting or credit <= 0)
            number = from_low(now) if takes_low else from_classic()
            if number is None:
                continue
            size = packets[number].size
            credit = 0.0 if not both else credit + share * size if takes_low else credit - (1 - share) * size
            fates[number] = (*fates[number][:2], now)
            free_at = now + size
            return

    def happen(until: int) -> None:
        nonlocal due
        while True:
            if free_at is not None and free_at <= min(until, due):
                serve(free_at)
            elif due <= until:
                controller.update(max(waited(low, due), waited(classic, due)) / 1e6)
                due += period_us
            else:
                return

    for number, packet in enumerate(packets):
        happen(packet.time_us)
        if len(low.waiting) + len(classic.waiting) >= limit:
            fates[number] = ("dropped", "overflow", None)
            continue
        (low if packet.ect else classic).waiting.append(number)
        if free_at is None:
            serve(packet.time_us)
    while free_at is not None:
        happen(free_at)
    return fates


@dataclass
class Codel:
    """RFC 8289, section 5, at the head of a queue; times are microseconds."""

    target: float
    interval: float
    mtu: int
    ecn: bool
    first_above: float | None = None
    drop_next: float = -math.inf
    count: int = 0
    last_count: int = 0
    dropping: bool = False

    def next(self, at: float) -> float:
        """The control law."""
        return at + self.interval / math.sqrt(self.count)


class Cobalt:
    """Palmei et al. 2019, as in CAKE: CoDel that forgives its drops one by one, and BLUE; in microseconds."""

    def __init__(self, *, target: float, interval: float, up: float, down: float, ecn: bool) -> None:
        self.target, self.interval, self.up, self.down, self.ecn = target, interval, up, down, ecn
        self.numbers = Numbers()
        self.count, self.dropping, self.drop_next = 0, False, 0.0
        self.p_drop = 0.0
        self.blue_timer: int | None = None

    def moves(self, now: int, step: float) -> None:
        """BLUE: at most once in a target."""
        if self.blue_timer is None or now - self.blue_timer > self.target:
            self.p_drop = min(max(self.p_drop + step, 0.0), 1.0)
            self.blue_timer = now

    def after(self) -> float:
        """The control law; times here are whole nanoseconds."""
        return round(self.interval * 1000 / max(self.count, 1) ** 0.5) / 1000

    def leaves(self, now: int, packet: Packet, last: bool) -> tuple[str, str] | None:
        """The fate of a packet at the head; `None` if it is sent as it is. The last one is never dropped."""
        over = now - packet.time_us > self.target
        late = now > self.drop_next
        due = self.count > 0 and now >= self.drop_next
        signal = False
        if over and not self.dropping:
            self.dropping = True
            self.drop_next = now + self.after()
        if over:
            self.count = max(self.count, 1)
        else:
            self.dropping = False
        if due and self.dropping:
            self.count += 1
            self.drop_next += self.after()
            signal, late = True, now > self.drop_next
        while due and not self.dropping:
            self.count -= 1
            self.drop_next += self.after()
            late = now > self.drop_next
            due = self.count > 0 and now >= self.drop_next
        fate = (("marked" if self.ecn and packet.ect else "dropped"), "sojourn") if signal else None
        if self.p_drop > 0 and self.numbers.uniform() < self.p_drop:
            fate = "dropped", "early"
        dropped = fate is not None and fate[0] == "dropped"
        if self.count == 0:
            self.drop_next = now + self.interval
        elif late and not dropped:
            self.drop_next = now
        return None if dropped and last else fate

    def overflows(self, now: int) -> None:
        """A packet finds no room: BLUE moves up, and a drop of CoDel's is due."""
        self.moves(now, self.up)
        self.dropping, self.drop_next, self.count = True, now, max(self.count, 1)

    def empties(self, now: int) -> None:
        """Nothing is there to be sent: BLUE moves down, and a drop that is due is forgiven."""
        if self.p_drop > 0:
            self.moves(now, -self.down)
        self.dropping = False
        if self.count > 0 and now >= self.drop_next:
            self.count -= 1
            self.drop_next += self.after()

    def serves(self, packets: list[Packet], limit: int) -> list[Fate]:
        """The fate of each packet of a queue before a link."""
        waiting: deque[int] = deque()
        fates: list[Fate] = [("enqueued", None, None)] * len(packets)
        free_at: int | None = None

        def serve(now: int) -> int | None:
            while waiting:
                number = waiting.popleft()
                fate = self.leaves(now, packets[number], not waiting)
                if fate is not None and fate[0] == "dropped":
                    fates[number] = (*fate, None)
                    continue
                fates[number] = (*(fate or ("enqueued", None)), now)
                return now + packets[number].size
            self.empties(now)
            return None

        for number, packet in enumerate(packets):
            while free_at is not None and free_at <= packet.time_us:
                free_at = serve(free_at)
            if len(waiting) >= limit:
                self.overflows(packet.time_us)
                fates[number] = ("dropped", "overflow", None)
                continue
            waiting.append(number)
            if free_at is None:
                free_at = serve(packet.time_us)
        while free_at is not None:
            free_at = serve(free_at)
        return fates
