"""REM, AVQ and LRED, from their publications."""

from __future__ import annotations

from collections import deque

from link import MEAN_PACKET, Law, Packet


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
        # ns-2: what is dropped does not move the capacity, and its time counts at the next packet.
        if self.every or not is_dropped:
            elapsed = 0 if self.moved_at is None else now - self.moved_at
            self.moved_at = now
            risen = min(self.capacity + self.alpha * self.gamma * elapsed, 1.0)
            self.capacity = max(risen - self.alpha * packet.size, 0.0)
        return ("dropped", "early") if is_dropped else ("enqueued", None)


class Lred(Chance):
    """Wang et al. 2004, as Alemu 2004, algorithm 12, has it."""

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
