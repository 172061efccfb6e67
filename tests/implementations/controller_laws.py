"""REM, AVQ, LRED, DRED, SFC and Exponential RED, from their publications."""

from __future__ import annotations

import math
from collections import deque

from .link import MEAN_PACKET, Law, Packet


class Chance(Law):
    """Drops or marks each arrival with a probability."""

    ecn = False

    def probability(self) -> float:
        """The present one."""
        raise NotImplementedError

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        if self.numbers.uniform() >= self.probability():
            return "enqueued", None
        return ("marked" if self.ecn and packet.ect else "dropped"), "early"


class Pi(Chance):
    """Hollot, Misra, Towsley and Gong 2001: p(k) = p(k-1) + a (q - q_ref) - b (q_old - q_ref), sampled by a clock."""

    def __init__(self, a: float, b: float, target: float, per_second: float) -> None:
        super().__init__()
        self.a, self.b, self.target, self.period = a, b, target, 1e6 / per_second
        self.p, self.old, self.samples = 0.0, 0.0, 0
        self.due = self.period

    def look(self, now: float) -> None:
        q = len(self.queue)
        self.p = min(max(self.p + self.a * (q - self.target) - self.b * (self.old - self.target), 0.0), 1.0)
        self.old = q
        self.samples += 1
        self.due = (self.samples + 1) * self.period

    def probability(self) -> float:
        return self.p


class Rem(Chance):
    """Athuraliya et al. 2001; `rates`: the price by rates (Alemu 2004 eq. 1.9), else by queue lengths (eq. 1.10)."""

    gamma, alpha, phi, target, period_us = 0.01, 0.1, 1.1, 10, 2_000

    def __init__(self, *, rates: bool) -> None:
        super().__init__()
        self.rates = rates
        self.price, self.before, self.came = 0.0, 0, 0
        self.due = self.period_us

    def look(self, now: float) -> None:
        self.due = now + self.period_us
        waiting = len(self.queue)
        if self.rates:
            excess = self.alpha * (self.before - self.target) + self.came - self.period_us / MEAN_PACKET
        else:
            excess = waiting - (1 - self.alpha) * self.before - self.alpha * self.target
        self.price = max(0.0, self.price + self.gamma * excess)
        self.before, self.came = waiting, 0

    def probability(self) -> float:
        return 1 - self.phi**-self.price

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.came += 1
        return super().arrives(now, packet)


class Avq(Law):
    """Kunniyur and Srikant 2001, figure 2, in bytes and microseconds; the link carries one byte in each."""

    def __init__(self, *, gamma: float, alpha: float, room: int, start: float, every: bool) -> None:
        super().__init__()
        self.gamma, self.alpha, self.room, self.every = gamma, alpha / 1e6, room, every
        self.capacity, self.waiting = start, 0.0
        self.drained_at: int | None = None
        self.moved_at: int | None = None

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        elapsed = 0 if self.drained_at is None else now - self.drained_at
        self.drained_at = now
        self.waiting = max(self.waiting - self.capacity * elapsed, 0.0)
        is_dropped = self.waiting + packet.size > self.room
        if not is_dropped:
            self.waiting += packet.size
        # ns-2: a dropped packet does not move the capacity, and its time counts at the next packet.
        if self.every or not is_dropped:
            elapsed = 0 if self.moved_at is None else now - self.moved_at
            self.moved_at = now
            risen = min(self.capacity + self.alpha * self.gamma * elapsed, 1.0)
            self.capacity = max(risen - self.alpha * packet.size, 0.0)
        return ("dropped", "early") if is_dropped else ("enqueued", None)


class Lred(Chance):
    """Wang et al. 2004, as in Alemu 2004, algorithm 12."""

    def __init__(self, *, beta: float, target: float, period_us: int, periods: int, memory: float) -> None:
        super().__init__()
        self.beta, self.target, self.period_us, self.memory = beta, target, period_us, memory
        self.counts: deque[tuple[int, int]] = deque(maxlen=periods)
        self.came = self.lost = 0
        self.ratio = 0.0
        self.due = period_us

    def look(self, now: float) -> None:
        self.due = now + self.period_us
        self.counts.append((self.came, self.lost))
        self.came = self.lost = 0
        came, lost = (sum(column) for column in zip(*self.counts, strict=True))
        self.ratio = self.memory * self.ratio + (1 - self.memory) * (lost / came if came else 0.0)

    def probability(self) -> float:
        p = self.ratio + self.beta * self.ratio**0.5 * (len(self.queue) - self.target)
        return min(max(p, 0.0), 1.0)

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.came += 1
        verdict = super().arrives(now, packet)
        self.lost += verdict[0] == "dropped"
        return verdict

    def overflows(self, now: int, packet: Packet) -> None:
        self.lost += 1


class Dred(Chance):
    """Aweya et al. 2001, as in Tahiliani 2013: an integral controller; below L nothing is lost."""

    def __init__(self, *, alpha: float, beta: float, buffer: int, target: float, spared: float) -> None:
        super().__init__()
        self.alpha, self.beta, self.buffer, self.target, self.spared = alpha, beta, buffer, target, spared
        self.period_us = 10 * MEAN_PACKET
        self.due = self.period_us
        self.error = self.p = 0.0

    def look(self, now: float) -> None:
        self.due = now + self.period_us
        self.error = (1 - self.beta) * self.error + self.beta * (len(self.queue) - self.target)
        self.p = min(max(self.p + self.alpha * self.error / self.buffer, 0.0), 1.0)

    def probability(self) -> float:
        return self.p if len(self.queue) >= self.spared else 0.0


class Sfc(Chance):
    """Gao and Hou 2003 in the form of Alemu 2004, table 1.1, the rate averaged exponentially."""

    def __init__(self, *, k1: float, k2: float, target: float, window: float) -> None:
        super().__init__()
        self.k1, self.k2, self.target, self.window = k1, k2, target, window
        self.rate, self.since = 0.0, 0

    def probability(self) -> float:
        excess = self.rate - 1e6 / MEAN_PACKET
        return self.k1 * (len(self.queue) - self.target) + self.k2 * excess

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.rate = self.rate * math.exp((self.since - now) / 1e6 / self.window) + 1 / self.window
        self.since = now
        return super().arrives(now, packet)


class ERed(Chance):
    """Liu et al. 2005: exponential in a virtual queue, in mean packets, from `p_min` to 1 between thresholds."""

    def __init__(self, *, gamma: float, low: float, high: float, p_min: float) -> None:
        super().__init__()
        self.gamma, self.low, self.high, self.p_min = gamma, low, high, p_min
        self.virtual, self.since = 0.0, 0

    def probability(self) -> float:
        waiting = self.virtual / MEAN_PACKET
        if waiting < self.low:
            return 0.0
        share = min((self.high - waiting) / (self.high - self.low), 1.0)
        return self.p_min**share if share > 0 else 1.0

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.virtual = max(0.0, self.virtual - self.gamma * (now - self.since))
        self.since = now
        is_certain = self.probability() >= 1
        decision, reason = super().arrives(now, packet)
        if decision == "dropped":
            return decision, "forced" if is_certain else reason
        self.virtual += packet.size
        return decision, reason
