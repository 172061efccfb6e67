"""The settings of the closed loop: which queue, senders, rate and round trip, in the kernel's words and in Sojourn's.

There are three parts (`PARTS`). `known()` are the settings in which causes were looked for. `earlier()` were drawn at
random from the whole grid; causes were looked for in some of them later. `fresh()` were drawn after that work, by
another seed. Nobody looks at a result of theirs before the work is over, and each side is run once.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kernel_machine import FULL_PACKET, SECOND, Job
from recorded import QUEUES

CONTROLS = {
    "cubic": '{ kind = "cubic", preset = "linux" }',
    "reno": '"reno"',
    "bbr": '{ kind = "bbr", preset = "linux" }',
    "dctcp": '"dctcp"',
    # By the kernel's names.
    "westwood": '{ kind = "westwood", preset = "linux" }',
    "vegas": '{ kind = "vegas", preset = "linux" }',
    "highspeed": '{ kind = "hstcp", preset = "linux" }',
    "scalable": '{ kind = "scalable", preset = "linux" }',
}
# Each is a file of its own that nothing but this page compares in the mean.
LAWS = ("htcp", "illinois", "bic", "hybla", "veno", "yeah", "nv", "cdg")
CONTROLS |= {name: f'{{ kind = "{name}", preset = "linux" }}' for name in LAWS}
# Recorded for their decisions, or to have a drop where others mark.
NOT_IN_THE_MEAN = {
    *("codel_ce", "codel_quick", "fq_codel_small", "fq_codel_few", "pie_quick", "red_harddrop", "red_idle"),
    *("htb", "htb_deep", "sfq_small", "sfq_headdrop", "sfq_red", "sfq_red_headdrop"),
}
RECORDED_ONLY = tuple(name for name in QUEUES if name.startswith(("cake_", "dualpi2")) and name != "cake_flowblind")
PLAIN = [name for name in QUEUES if name not in NOT_IN_THE_MEAN and not name.startswith(RECORDED_ONLY)]
# CAKE with a queue for each flow, by its own hashing.
CAKE_FLOWS = "cake_besteffort"
ECN = ("fq_codel", "codel_ce")
# HTB's timer in the oracle goes off at a reading of the clock, which counts 256 ns, and a burst of 1 byte forgets how
# late it was: a full packet takes 121.576 us at 100 Mbit/s in place of 121.120, and so much longer at other rates.
LATE_NS = 456
# The links beside the shaper. A full packet takes 125 ns, an acknowledgement 5 ns: whole nanoseconds, so that packets
# which come in the rhythm of the shaper arrive exactly when it is free, and not 1 ns before or after.
THERE, BACK = 96.896, 105.6
# A queue with a timer is made so long before the first flow may start: PIE's first update, half a second after that, is
# over then.
MADE_BEFORE = 0.599


@dataclass(frozen=True)
class Setting:
    """One row of the table."""

    queue: str
    # One of CONTROLS, or two with a plus: the first half of the flows has the first.
    control: str
    flows: int
    rate: int = 10_000_000
    rtt_ms: float = 40.0
    # So much shorter is Sojourn's path.
    sooner_us: float = 0.0

    @property
    def name(self) -> str:
        """As the table has it."""
        shift = f", {self.sooner_us:g} us sooner" if self.sooner_us else ""
        return f"{self.queue}-{self.control}-{self.flows}-{self.rate // 1_000_000}mbit-{self.rtt_ms:.0f}ms{shift}"

    @property
    def controls(self) -> tuple[str, ...]:
        """One, or two that share the link."""
        return tuple(self.control.split("+"))

    @property
    def of_each(self) -> int:
        """Flows of each control."""
        return self.flows // len(self.controls)

    @property
    def of_flow(self) -> tuple[str, ...]:
        """The control of each flow."""
        return tuple(control for control in self.controls for _ in range(self.of_each))

    @property
    def ecn(self) -> bool:
        """Whether hosts speak ECN. CAKE marks where they do, and they do beside it where DCTCP needs it."""
        return self.queue.endswith("_ecn") or self.queue in ECN or "dctcp" in self.controls

    @property
    def seconds(self) -> tuple[float, float]:
        """When counting begins, and the end."""
        return (5.0, 25.0) if self.rate > 10_000_000 else (10.0, 60.0)

    @property
    def tc(self) -> str:
        """The queue in tc's words. CAKE shapes, so that its words have the rate."""
        return QUEUES[self.queue].tc.replace("bandwidth 10mbit", f"bandwidth {self.rate // 1_000_000}mbit")

    def seed(self, run: int) -> int:
        """The seed of a run, by number. Other settings have others: if many settings had the same starts of flows and
        the same draws, a rare one would move all of them.
        """
        return zlib.crc32(f"{self.name} {run}".encode())

    def job(self, run: int) -> Job:
        """The job of the kernel in a run."""
        (warm, end) = self.seconds
        job = Job(self.name, self.tc, self.of_flow, self.ecn, self.rate, self.rtt_ms)
        return replace(
            job, seconds=end, warm=warm, shapes_itself=QUEUES[self.queue].shapes_itself, seed=self.seed(run), places=()
        )

    @property
    def phase_us(self) -> float:
        """How long after a departure a packet comes that an acknowledgement lets go: the rest of a round trip that is
        not a whole number of packets. It is below zero where a departure follows sooner.
        """
        late = 0.0 if QUEUES[self.queue].shapes_itself else LATE_NS / 1000
        packet = FULL_PACKET * 8e6 / self.rate + late
        rest = (1000 * self.rtt_ms) % packet
        return rest if rest < packet / 2 else rest - packet

    @property
    def link_rate(self) -> int:
        """The oracle's link under HTB, in bits per second."""
        bits = FULL_PACKET * 8
        return round(bits / (bits / self.rate + LATE_NS * 1e-9))

    def scenario(self, starts: Sequence[int] = ()) -> str:
        """The scenario. As in the oracle, one host sends and one receives, each with one clock for its flows. With
        `starts` in nanoseconds each flow has its own; without them they are drawn.
        """
        delay = self.rtt_ms / 2
        begin = MADE_BEFORE if QUEUES[self.queue].first_timer else 0.0
        warm, end = (round(begin + second, 3) for second in self.seconds)
        # HTB and CAKE let a packet go when its transmission begins, to a link that takes no time. The delay behind it
        # has the time of a full packet in it, also for a SYN.
        behind = delay + round(FULL_PACKET * 8e6 / self.rate) / 1000
        if self.sooner_us:
            behind = round(behind - self.sooner_us / 1000, 6)
        head = f"""
title = "{self.name}"
duration = "{end}s"
warmup = "{warm}s"
node = [{{ name = "a" }}, {{ name = "b" }}]
[[link]]
name = "there"
from = "a"
to = "b"
duplex = false
rate = "{THERE:g}Gbit"
delay = "{behind}ms"
mean_packet = "1514B"
queue = {self._shaped()}
[[link]]
name = "back"
from = "b"
to = "a"
duplex = false
rate = "{BACK:g}Gbit"
delay = "{delay}ms"
queue = {{ kind = "fifo", limit = "1000000p" }}
"""
        if not starts:
            spread = f'{{ at = "{begin:g}s", spread = "2s" }}'
            groups = [group(control, control, self.of_each, spread, ecn=self.ecn) for control in self.controls]
            return head + "".join(groups)
        zero = round(begin * SECOND)
        groups = [
            group(f"{control}-{place + 1}", control, 1, f'{{ at = "{zero + start}ns" }}', ecn=self.ecn)
            for place, (control, start) in enumerate(zip(self.of_flow, starts, strict=True))
        ]
        return head + "".join(groups)

    def _shaped(self) -> str:
        """The queue, and HTB above it where it does not shape itself. HTB never asks an empty queue for a packet."""
        queue = QUEUES[self.queue]
        words = [f'kind = "{queue.name}"', *([f'preset = "{queue.preset}"'] if queue.preset else [])]
        settings = dict(queue.settings)
        if queue.shapes_itself or "bandwidth" in settings:
            settings["bandwidth"] = f"{self.rate}bit"
        words += [
            f"{key} = {value if value in ('true', 'false') else json.dumps(value)}" for key, value in settings.items()
        ]
        table = "{ " + re.sub(r'= "([0-9.]+)"', r"= \1", ", ".join(words)) + " }"
        if queue.shapes_itself:
            return table
        bursts = 'burst = "1B", cburst = "1B", quantum = "1514B"'
        return f'{{ kind = "htb", class = [{{ rate = "{self.link_rate}bit", {bursts}, queue = {table} }}] }}'


def group(name: str, control: str, count: int, start: str, *, ecn: bool, app: str = '"bulk"') -> str:
    """Some flows of one control, for a scenario."""
    return f"""
[[flow]]
name = "{name}"
from = "a"
to = "b"
count = {count}
start = {start}
app = {app}
[flow.transport]
kind = "tcp"
profile = "linux"
packet = "1514B"
header = "66B"
ack_size = "66B"
ecn = {json.dumps(ecn)}
{"ecn_fallback = false" if ecn else ""}
control = {CONTROLS[control]}
"""


def _window_laws() -> list[Setting]:
    """Of each law some queues, those of LAWS at 100 Mbit/s, too."""
    rows = []
    for control in ("westwood", "vegas", "highspeed", "scalable"):
        rows += [Setting(queue, control, flows) for queue in ("pfifo", "codel") for flows in (1, 4)]
    for control in LAWS:
        rows += [Setting(queue, control, flows) for queue in ("pfifo", "codel", "red_ecn") for flows in (1, 4)]
        rows.append(Setting("codel", control, 4, 100_000_000))
    return rows


# The control beside CUBIC, and the queues.
BESIDE_CUBIC = {
    "reno": ("pfifo", "codel", "fq_codel", "pie", "red"),
    "bbr": ("pfifo", "codel", "fq_codel", "pie", "red"),
    "dctcp": ("codel_ecn", "fq_codel", "pie_ecn", "red_ecn", "codel_ce"),
}


def mixed() -> list[Setting]:
    """Two controls on one link."""
    return [
        Setting(queue, f"cubic+{other}", flows)
        for other, queues in BESIDE_CUBIC.items()
        for queue in queues
        for flows in (2, 4, 16)
    ]


def known() -> list[Setting]:
    """The settings in which causes were looked for."""
    rows = [Setting(queue, control, flows) for queue in PLAIN for control in ("cubic", "reno") for flows in (1, 4, 16)]
    rows += [Setting(CAKE_FLOWS, control, flows) for control in ("cubic", "reno") for flows in (1, 4, 16)]
    for queue in ("pfifo", "codel", "fq_codel", "pie"):
        rows += [Setting(queue, "bbr", flows) for flows in (1, 4)]
        rows += [Setting(queue, "cubic", flows, 10_000_000, rtt) for flows in (1, 4, 16) for rtt in (10.0, 160.0)]
        rows += [Setting(queue, "cubic", flows, rate) for flows in (1, 4) for rate in (1_000_000, 100_000_000)]
    rows += [Setting(queue, "cubic", 100) for queue in ("pfifo", "codel", "fq_codel", "pie")]
    rows += [Setting(queue, "cubic", 100, 10_000_000, 160.0) for queue in ("codel", "fq_codel", "pie")]
    rows += [Setting(queue, "cubic", 100, 100_000_000) for queue in ("codel", "fq_codel")]
    rows += [Setting("codel_ce", "dctcp", flows) for flows in (1, 4, 16)]
    return rows + _window_laws() + mixed()


@dataclass(frozen=True)
class Draw:
    """Settings that are drawn at random from the grid. The cost of a setting bounds how many may have 100 flows,
    and how many 100 Mbit/s.
    """

    # The date of the draw, and its hour. None of the settings had been run before.
    seed: int
    number: int
    many: int
    fast: int

    def of(self, rest: list[Setting]) -> list[Setting]:
        """The settings, of those that no earlier draw has."""
        drawn: list[Setting] = []
        for row in random.Random(self.seed).sample(rest, len(rest)):
            many, fast = (sum(one.flows == 100 for one in drawn), sum(one.rate == FAST for one in drawn))
            if (row.flows < 100 or many < self.many) and (row.rate < FAST or fast < self.fast):
                drawn.append(row)
            if len(drawn) == self.number:
                break
        return drawn


FAST = 100_000_000
# The first draw had no limit. Causes were looked for in settings of these draws, when they had been run.
DRAWS = (
    Draw(20261126, 40, 40, 40),
    Draw(2026112611, 100, 20, 10),
    Draw(2026112616, 60, 10, 5),
    Draw(2026112618, 60, 10, 5),
    Draw(2026112619, 60, 10, 5),
    Draw(2026112621, 60, 10, 5),
    Draw(2026112702, 60, 10, 5),
    Draw(2026112709, 60, 10, 5),
    Draw(2026112712, 60, 10, 5),
)
FRESH = Draw(2026112715, 60, 10, 5)


def grid() -> list[Setting]:
    """Queues x controls x flows x rates x round trips. ECN is part of a queue's name; DCTCP is where ECN is."""
    controls = ("cubic", "reno", "bbr", "dctcp", "cubic+reno", "cubic+bbr", "cubic+dctcp")
    whole = itertools.product(
        [*PLAIN, CAKE_FLOWS], controls, (1, 4, 16, 100), (1_000_000, 10_000_000, 100_000_000), (10.0, 40.0, 160.0)
    )
    rows = [Setting(*row) for row in whole]
    marks = [*ECN, *(queue for queue in PLAIN if queue.endswith("_ecn"))]
    return [
        row for row in rows if row.flows >= len(row.controls) and ("dctcp" not in row.controls or row.queue in marks)
    ]


def earlier() -> list[Setting]:
    """Settings that were drawn at random, and looked at since."""
    drawn: list[Setting] = []
    for draw in DRAWS:
        drawn += draw.of(_others([*known(), *drawn]))
    return drawn


def fresh() -> list[Setting]:
    """Settings that nobody looks at before the work is over."""
    return FRESH.of(_others([*known(), *earlier()]))


def _others(old: list[Setting]) -> list[Setting]:
    """The grid without these."""
    known_already = set(old)
    return [row for row in grid() if row not in known_already]


PARTS = {"known": known, "earlier": earlier, "fresh": fresh}
