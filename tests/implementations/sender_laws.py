"""Laws that look at senders' signals in packets: CBT-RED, RED-Boston and GREEN, from their publications.

Times are microseconds, in which a link sends a byte.
"""

from __future__ import annotations

import bisect
import math
from collections import deque
from collections.abc import Mapping

from .closed_loop import Arrival
from .fair_share_laws import Green
from .link import MEAN_PACKET, Numbers, Packet
from .red_laws import Adaptive, Red, Settings


class ClassAverage:
    """The mean number of packets of a class that its arrivals find; while the link is idle they would find none."""

    def __init__(self, weight: float) -> None:
        self.weight, self.value = weight, 0.0

    def ages(self, idle: float) -> None:
        """So many mean packets could have come, and would have found nothing."""
        self.value *= (1 - self.weight) ** (idle / MEAN_PACKET)

    def sees(self, waiting: int) -> None:
        """A packet of the class comes."""
        self.value += self.weight * (waiting - self.value)


class CbtRed(Red):
    """Parris, Jeffay and Smith 1999: RED by TCP's packets alone; datagrams have a threshold for each class."""

    def __init__(
        self,
        settings: Settings,
        thresholds: Mapping[str, float],
        kinds: Mapping[int, str],
        limit: int,
        numbers: Numbers,
    ) -> None:
        super().__init__(settings)
        self.numbers, self.kinds, self.limit = numbers, kinds, limit
        self.thresholds = thresholds
        self.means = {kind: ClassAverage(settings.w_q) for kind in thresholds}
        self.line: deque[Arrival] = deque()
        self.due = math.inf

    def comes(self, now: float, packet: Arrival) -> str | None:
        """Why a packet is dropped."""
        kind = self.kinds[packet.flow]
        waiting = sum(self.kinds[other.flow] == kind for other in self.line)
        if self.idle_since is not None:
            for mean in self.means.values():
                mean.ages(now - self.idle_since)
            self.observe(now, 0)  # type: ignore[arg-type]
            self.idle_since = None
        elif kind == "tcp":
            self.observe(now, waiting)  # type: ignore[arg-type]
        else:
            self.means[kind].sees(waiting)
        if kind == "tcp":
            reason = self.test(Packet(0, packet.size, packet.flow, False, 0.0))[1]
            if reason is not None:
                return reason
        elif self.means[kind].value > self.thresholds[kind]:
            return "unfair"
        if len(self.line) >= self.limit:
            if kind == "tcp":
                self.count = 0
            return "overflow"
        self.line.append(packet)
        return None

    def serve(self, now: float) -> Arrival | None:
        """The packet that goes next."""
        if self.line:
            return self.line.popleft()
        self.idle_since = now  # type: ignore[assignment]
        return None


class RedBoston(Adaptive):
    """Phirke 2002, figure 4.2; the hint acts on RED's probability after the spacing of drops.

    `hints` are microseconds by flow. max_p moves more often than in the thesis, so that its target shows.
    """

    interval = 20_000

    def __init__(
        self, settings: Settings, hints: Mapping[int, float], default: float, limit: int, numbers: Numbers
    ) -> None:
        super().__init__(settings)
        self.hints, self.default, self.limit, self.numbers = hints, default, limit, numbers
        self.half = 0.1 * (settings.max_th - settings.min_th)
        self.target = default / MEAN_PACKET
        self.due = self.interval
        self.line: list[tuple[float, int, Arrival]] = []
        self.came = 0

    def comes(self, now: float, packet: Arrival) -> str | None:
        """Why a packet is dropped."""
        hint = self.hints.get(packet.flow)
        # Equation 3.1 by the packet's own size; without a hint it asks for the default's queue (section 3.1).
        asked = self.default / MEAN_PACKET if hint is None else hint / packet.size
        self.target += 0.02 * (asked - self.target)
        hint = self.default if hint is None else hint
        self.observe(now, len(self.line))  # type: ignore[arg-type]
        self.idle_since = None
        reason = self.refuses(hint)
        if reason is not None:
            return reason
        if len(self.line) >= self.limit:
            self.count = 0
            return "overflow"
        self.came += 1
        bisect.insort(self.line, (now + hint, self.came, packet))
        return None

    def refuses(self, hint: float) -> str | None:
        """RED's test with equation 4.1."""
        if self.avg < self.red.min_th:
            self.count = -1
            return None
        self.count += 1
        p_b, drawn = self.p_b(), self.numbers.uniform()
        if p_b >= 1:
            self.count = 0
            return "forced"
        p_a = 1.0 if self.count * p_b >= 1 else min(1.0, p_b / (1 - self.count * p_b))
        if self.avg < self.red.max_th:
            p_a = min(0.5, p_a * self.avg * MEAN_PACKET / hint)
        if drawn >= p_a:
            return None
        self.count = 0
        return "early"

    def look(self, now: float) -> bool:  # type: ignore[override]
        self.due = now + self.interval
        if self.avg > self.target + self.half and self.max_p < 0.5:
            self.max_p += self.step()
        elif self.avg < self.target - self.half and self.max_p > 0.01:
            self.max_p *= self.factor()
        return False

    def serve(self, now: float) -> Arrival | None:
        """The packet that goes next: the first to have waited as long as it asked for."""
        if self.line:
            return self.line.pop(0)[2]
        self.idle_since = now  # type: ignore[assignment]
        return None


class GreenByHandshake:
    """GREEN with each flow's own round trip, from when its SYN leaves to its first data.

    Before, and without, the link's base round trip is taken.
    """

    due = math.inf

    def __init__(self, green: Green, connections: set[int], limit: int) -> None:
        self.green, self.connections, self.limit = green, connections, limit
        self.rtt = green.rtt
        self.opened: dict[int, float] = {}
        self.known: dict[int, float] = {}
        self.line: deque[Arrival] = deque()

    def comes(self, now: float, packet: Arrival) -> str | None:
        """Why a packet is dropped."""
        flow = packet.flow
        if flow in self.connections and packet.size == 40:
            self.opened[flow] = now + sum(waiting.size for waiting in self.line)
        elif flow in self.opened:
            self.known[flow] = now - self.opened.pop(flow)
        self.green.rtt = self.known.get(flow, self.rtt)
        reason = self.green.arrives(now, packet)[1]  # type: ignore[arg-type]
        if reason is None and len(self.line) >= self.limit:
            self.green.lost += 1
            reason = "overflow"
        if reason is None:
            self.line.append(packet)
        return reason

    def serve(self, now: float) -> Arrival | None:
        """The packet that goes next."""
        if not self.line:
            return None
        packet = self.line.popleft()
        self.green.sent += packet.size
        return packet

    def look(self, now: float) -> bool:
        """Nothing is ever due."""
        return False
