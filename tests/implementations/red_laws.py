"""RED of Floyd and Jacobson 1993 (figure 2; gentle as in Floyd's note of 2000) and laws over it, from publications."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .link import MEAN_PACKET, Law, Packet

HALF_SECOND = 500_000


@dataclass
class Settings:
    """RED's parameters in packets, by their names in the papers."""

    min_th: float = 5
    max_th: float = 15
    max_p: float = 0.1
    w_q: float = 0.01
    gentle: bool = True
    counts: bool = True
    ages: bool = True
    """Whether the average ages while the link is idle."""
    ecn: bool = False


class Red(Law):
    """RED. It draws one number at each test, as ns-2 does, also where the outcome is certain."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.red = settings
        self.max_p = settings.max_p
        self.avg, self.count = 0.0, -1
        self.idle_since: int | None = 0

    def observe(self, now: int, q: float) -> None:
        """Moves the average; m = time / s packets were missed while the link was idle, s being a mean packet's time."""
        if self.idle_since is not None and self.red.ages:
            self.avg *= (1 - self.red.w_q) ** ((now - self.idle_since) / MEAN_PACKET)
            self.idle_since = now
        else:
            self.avg += self.red.w_q * (q - self.avg)

    def p_b(self) -> float:
        """The probability that belongs to the average."""
        low, high = self.red.min_th, self.red.max_th
        if self.avg < low:
            return 0.0
        if self.avg < high:
            return self.max_p * (self.avg - low) / (high - low)
        if self.red.gentle and self.avg < 2 * high:
            return self.max_p + (1 - self.max_p) * (self.avg - high) / high
        return 1.0

    def test(self, packet: Packet) -> tuple[str, str | None]:
        """The verdict at the present average."""
        if self.avg < self.red.min_th:
            self.count = -1
            return "enqueued", None
        self.count += 1
        p_b, drawn = self.p_b(), self.numbers.uniform()
        if p_b >= 1.0:
            self.count = 0
            return "dropped", "forced"
        p_a = p_b
        if self.red.counts:
            p_a = 1.0 if self.count * p_b >= 1 else p_b / (1 - self.count * p_b)
        if drawn >= p_a:
            return "enqueued", None
        self.count = 0
        return ("marked" if self.red.ecn and packet.ect else "dropped"), "early"

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.observe(now, len(self.queue))
        return self.test(packet)

    def joins(self, now: int, packet: Packet) -> None:
        self.idle_since = None

    def idles(self, now: int) -> None:
        self.idle_since = now

    def overflows(self, now: int, packet: Packet) -> None:
        self.count = 0


class AredFeng(Red):
    """Feng, Kandlur, Saha and Shin 1999, figure 4: max_p changes once on entering the region below or above."""

    def __init__(self, settings: Settings, down: float, up: float) -> None:
        super().__init__(settings)
        self.down, self.up = down, up
        self.status = "between"

    def observe(self, now: int, q: float) -> None:
        super().observe(now, q)
        if self.red.min_th < self.avg < self.red.max_th:
            self.status = "between"
        if self.avg < self.red.min_th and self.status != "below":
            self.status, self.max_p = "below", self.max_p / self.down
        if self.avg > self.red.max_th and self.status != "above":
            self.status, self.max_p = "above", min(self.max_p * self.up, 1.0)


class Wred(Red):
    """RED with thresholds and max_p for each precedence over one average; flows below `cut` have precedence 0."""

    def __init__(self, settings: Settings, rows: list[tuple[float, float, float]], cut: int) -> None:
        super().__init__(settings)
        self.rows, self.cut = rows, cut
        self.counts = [-1] * len(rows)

    def place(self, packet: Packet) -> int:
        """The packet's precedence."""
        return 0 if packet.flow < self.cut else 1

    def test(self, packet: Packet) -> tuple[str, str | None]:
        place = self.place(packet)
        self.red.min_th, self.red.max_th, self.max_p = self.rows[place]
        self.count = self.counts[place]
        verdict = super().test(packet)
        self.counts[place] = self.count
        return verdict

    def overflows(self, now: int, packet: Packet) -> None:
        self.counts[self.place(packet)] = 0


class Adaptive(Red):
    """Floyd et al. 2001: looks at the average every half second; max_p is compared with 1 % and 50 % before a step."""

    low, high = 0.4, 0.6

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        span = settings.max_th - settings.min_th
        self.target_low = settings.min_th + self.low * span
        self.target_high = settings.min_th + self.high * span
        self.due = HALF_SECOND
        self.before = 0.0

    def observe(self, now: int, q: float) -> None:
        self.before = self.avg
        super().observe(now, q)

    def look(self, now: float) -> None:
        self.due = now + HALF_SECOND
        if self.avg < self.target_low and self.max_p >= 0.01:
            self.max_p *= self.factor()
        elif self.avg > self.target_high and self.max_p <= 0.5:
            self.max_p += self.step()

    def factor(self) -> float:
        """beta."""
        return 0.9

    def step(self) -> float:
        """alpha."""
        return min(0.01, 0.25 * self.max_p)

    def below(self, gain: float) -> float:
        """1 - gain (target - avg) / (target - min_th)."""
        return 1 - gain * (self.target_low - self.avg) / (self.target_low - self.red.min_th)

    def above(self, gain: float) -> float:
        """gain max_p (avg - target) / target."""
        return gain * self.max_p * (self.avg - self.target_high) / self.target_high


class ReAred(Adaptive):
    """Kim and Lee 2006, as in Tahiliani 2013, algorithm 2."""

    low, high = 0.48, 0.52

    def factor(self) -> float:
        return self.below(0.17)

    def step(self) -> float:
        return self.above(0.25)


class Fared(ReAred):
    """Tahiliani 2013, algorithm 3."""

    def factor(self) -> float:
        return self.below(0.0385)

    def step(self) -> float:
        return self.above(0.042)


class Cared(Adaptive):
    """Tahiliani 2013, algorithm 4: cautious where the load goes towards the target by itself, else as Re-ARED."""

    def look(self, now: float) -> None:
        if self.avg == self.before:
            self.due = now + HALF_SECOND
        else:
            super().look(now)

    def factor(self) -> float:
        return 0.9 if self.avg > self.before else self.below(0.17)

    def step(self) -> float:
        return self.above(0.25) if self.avg > self.before else super().step()


class WqMaxP(Adaptive):
    """Verma et al. 2002, as Tahiliani 2013 tells of it: a greater weight where the queue is far from the average."""

    def __init__(self, settings: Settings, faster: float, significant: float) -> None:
        super().__init__(settings)
        self.weights = (settings.w_q, settings.w_q * faster)
        self.distance = significant * (settings.max_th - settings.min_th)

    def observe(self, now: int, q: float) -> None:
        self.red.w_q = self.weights[abs(q - self.avg) >= self.distance]
        super().observe(now, q)


class SelfTuningRed(Red):
    """Chen et al. 2011: max_p from the mean of the averages of a period, by the model of Ranjan, Abed and La 2004.

    There N flows of K / sqrt(p) packets fill link and queue: (N K)^2 = p (q + C d)^2, with RED's p at the average q.
    """

    def __init__(self, settings: Settings, target: float, pipe: float) -> None:
        super().__init__(settings)
        self.target, self.pipe = target, pipe
        self.seen: list[float] = []
        self.due = HALF_SECOND

    def observe(self, now: int, q: float) -> None:
        super().observe(now, q)
        self.seen.append(self.avg)

    def look(self, now: float) -> None:
        self.due = now + HALF_SECOND
        if self.seen:
            mean = sum(self.seen) / len(self.seen)
            load = self.max_p * (mean - self.red.min_th) * (mean + self.pipe) ** 2
            wanted = load / (self.target - self.red.min_th) / (self.target + self.pipe) ** 2
            self.max_p = min(max(wanted, 0.001), 1.0)
        self.seen = []


class Mred(Red):
    """Feng et al. 2004, as in their port to ns-3: all is dropped only if the queue is above the threshold, too.

    Below it the line goes on.
    """

    def p_b(self) -> float:
        if len(self.queue) >= self.red.max_th or self.avg < self.red.max_th:
            return super().p_b()
        low, high = self.red.min_th, self.red.max_th
        return min(self.max_p * (self.avg - low) / (high - low), 1.0)


class Ered(Red):
    """Abbasov and Korukoglu 2009, as their port to ns-3 has arrivals: shifted thresholds, for the queue itself too."""

    def __init__(self, settings: Settings) -> None:
        low, high = settings.min_th, settings.max_th
        super().__init__(replace(settings, min_th=(high + low) / 2 + low, max_th=2 * high))
        self.burst = 1.75 * high

    def p_b(self) -> float:
        is_short = self.avg < self.red.max_th and len(self.queue) < self.red.min_th
        return 0.0 if is_short else super().p_b()

    def test(self, packet: Packet) -> tuple[str, str | None]:
        verdict = super().test(packet)
        in_burst = self.avg < self.red.min_th and len(self.queue) > self.burst
        if in_burst and self.numbers.uniform() < self.max_p:
            return "dropped", "early"
        return verdict


class Psand(Red):
    """Alemu 2004, algorithm 16: max_p times coef (avg^2 / (target before))^gamma, between 0.01 and 0.75."""

    def __init__(self, settings: Settings, target: float, coef: float, gamma: float) -> None:
        super().__init__(settings)
        self.target, self.coef, self.gamma = target, coef, gamma
        self.before: float | None = None
        self.due = HALF_SECOND

    def look(self, now: float) -> None:
        self.due = now + HALF_SECOND
        # The thesis leaves a change from nothing open: it is no change.
        change = self.avg / self.before if self.before else 1.0
        factor = self.coef * (self.avg / self.target * change) ** self.gamma
        self.max_p = max(0.01, min(self.max_p * factor, 0.75))
        self.before = self.avg


class HybridRed(Red):
    """Haider et al. 2005, algorithm 1: memory is shortened in a low queue; in regions 7 and 10 nothing is tested."""

    def __init__(self, settings: Settings, theta: int, xi: float) -> None:
        super().__init__(settings)
        self.theta, self.xi, self.run = theta, xi, 0

    def observe(self, now: int, q: float) -> None:
        self.run = self.run + 1 if q < self.red.min_th else 0
        if self.run < self.theta:
            super().observe(now, q)
            return
        # Equation 5.3, with the decay of the memory on an idle link.
        memory = self.avg
        self.avg = (1 - self.red.w_q) / self.xi * memory + self.red.w_q * q

    def test(self, packet: Packet) -> tuple[str, str | None]:
        q, low, high = len(self.queue), self.red.min_th, self.red.max_th
        if (high < self.avg < 2 * high and q < low) or (self.avg > high and low < q < high):
            # One more packet since the last drop ([Flo93]'s count), though not tested.
            self.count += 1
            return "enqueued", None
        return super().test(packet)


class RedWorcester(Adaptive):
    """Phirke 2002, section 3.2: Adaptive RED about a target that follows packets' hints; bounds are strict.

    Recorded packets bring no hint: each asks for the default's queue, in mean packets as ours reads section 3.1.
    """

    def __init__(self, settings: Settings, hint_us: float, band: float = 0.1) -> None:
        super().__init__(settings)
        half = band * (settings.max_th - settings.min_th)
        # A byte takes a microsecond.
        target = hint_us / MEAN_PACKET
        self.target_low, self.target_high = target - half, target + half

    def look(self, now: float) -> None:
        self.due = now + HALF_SECOND
        if self.avg > self.target_high and self.max_p < 0.5:
            self.max_p += self.step()
        elif self.avg < self.target_low and self.max_p > 0.01:
            self.max_p *= self.factor()


class Choke(Red):
    """Pan et al. 2000; `regions`: twice the number of the region as candidates, as its self-adjusting form."""

    def __init__(self, settings: Settings, regions: int | None = None) -> None:
        super().__init__(settings)
        self.regions = regions

    def candidates(self) -> int:
        """How many packets an arrival is compared with."""
        if self.regions is None:
            return 1
        share = (self.avg - self.red.min_th) / (self.red.max_th - self.red.min_th)
        return 2 * min(self.regions, 1 + int(self.regions * share))

    def arrives(self, now: int, packet: Packet) -> tuple[str, str | None]:
        self.observe(now, len(self.queue))
        if self.avg > self.red.min_th:
            for _ in range(self.candidates()):
                if not self.queue:
                    break
                place = self.numbers.below(len(self.queue))
                if self.queue[place].flow == packet.flow:
                    self.evicted.append(self.queue[place])
                    del self.queue[place]
            if self.evicted:
                return "dropped", "unfair"
        return self.test(packet)
