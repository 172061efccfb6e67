"""Laws of the first years of active queue management, from their publications."""

from __future__ import annotations

from .link import Law, Packet
from .red_laws import Adaptive, Red, Settings


class Nlred(Red):
    """Zhou, Yeung and Li 2006: 1.5 max_p times the square of the way between the thresholds."""

    def p_b(self) -> float:
        if not self.red.min_th <= self.avg < self.red.max_th:
            return super().p_b()
        way = (self.avg - self.red.min_th) / (self.red.max_th - self.red.min_th)
        return min(1.5 * self.max_p * way**2, 1.0)


class Dsred(Red):
    """Zheng and Atiquzzaman 2000: slopes 2 (1 - gamma) and 2 gamma over the distance of K_l and K_h."""

    gamma = 0.9

    def p_b(self) -> float:
        low, high = self.red.min_th, self.red.max_th
        if not low <= self.avg < high:
            return super().p_b()
        middle = (low + high) / 2
        if self.avg < middle:
            return 2 * (1 - self.gamma) / (high - low) * (self.avg - low)
        return 1 - self.gamma + 2 * self.gamma / (high - low) * (self.avg - middle)


class AredMimd(Adaptive):
    """Marquez and others 2007: a step up undoes a step down."""

    def step(self) -> float:
        return self.max_p / 0.9 - self.max_p


class LpfOda(Red):
    """Haider 2005 chapter 3: three arrivals in a row find a short queue, and the average is halved."""

    run = 0

    def observe(self, now: int, q: float) -> None:
        super().observe(now, q)
        self.run = self.run + 1 if q < self.red.min_th else 0
        if self.run == 3:
            self.avg, self.run = self.avg / 2, 0


class PController(Law):
    """Hollot, Misra, Towsley and Gong 2001: K (q - min_th)."""

    def __init__(self, slope: float, low: float) -> None:
        super().__init__()
        self.slope, self.low = slope, low

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        p = self.slope * (len(self.queue) - self.low)
        return ("dropped", "early") if self.numbers.uniform() < p else ("enqueued", None)


class Blue(Law):
    """Feng, Kandlur, Saha and Shin 1999: a loss raises the probability and idleness lowers it, at times apart."""

    def __init__(self, up: float, down: float, freeze: int) -> None:
        super().__init__()
        self.up, self.down, self.freeze = up, down, freeze
        self.p, self.changed = 0.0, -freeze - 1

    def change(self, now: int, step: float) -> None:
        """Moves the probability if the last change is long enough ago."""
        if now - self.changed > self.freeze:
            self.p, self.changed = min(max(self.p + step, 0.0), 1.0), now

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        return ("dropped", "early") if self.numbers.uniform() < self.p else ("enqueued", None)

    def overflows(self, now: int, packet: Packet) -> None:
        self.change(now, self.up)

    def idles(self, now: int) -> None:
        self.change(now, -self.down)

    def stays_idle(self, now: int) -> None:
        self.change(now, -self.down)


class Decbit(Law):
    """Ramakrishnan and Jain 1990: the mean number in the system over the last cycle of busy and idle, and this one."""

    def __init__(self) -> None:
        super().__init__()
        self.present, self.at = 0, 0
        self.last = (0, 0)
        """Area and length of the last cycle."""
        self.area, self.begins = 0, 0

    def passes(self, now: int) -> None:
        """Time passes with `present` packets in the system."""
        self.area += self.present * (now - self.at)
        self.at = now

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.passes(now)
        if self.present == 0:
            self.last = (self.area, now - self.begins)
            self.area, self.begins = 0, now
        time = self.last[1] + now - self.begins
        average = (self.last[0] + self.area) / time if time else 0.0
        return ("marked", "forced") if average >= 1 and packet.ect else ("enqueued", None)

    def joins(self, now: int, packet: Packet) -> None:
        self.present += 1

    def leaves(self, now: int, packet: Packet) -> None:
        # One goes to the transmitter; the one before it, if any, has left the system.
        self.passes(now)
        self.present = len(self.queue) + 1

    def idles(self, now: int) -> None:
        self.passes(now)
        self.present = 0


STRICT = Settings(gentle=False)
INDEPENDENT = Settings(gentle=False, counts=False)
