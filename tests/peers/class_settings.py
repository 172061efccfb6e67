"""The settings of classes.py: laws, groups of flows, and the known differences."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Flows of one kind. Rates in kbit/s (of TCP the window in packets), sizes in bytes."""

    name: str
    kind: str
    count: int
    rate: float
    packet: int = 1000
    of: str = ""
    """Its class under CBQ."""
    meter: str = ""
    """Its agreement under assured forwarding, in ns-2's words."""
    times: tuple[float, float] = (0, 0)
    """Mean times on and off in ms."""
    delay_ms: float = 10.0
    spread: float = 0.2


@dataclass(frozen=True)
class Class:
    """A class of CBQ; `lender` names a class above it. Limits count as in ns-2: one fewer waits."""

    name: str
    share: float
    lender: str = "root"
    borrow: bool = True
    rank: int = 1
    max_idle_ms: float = 20.0
    level: int = 1
    limit: int | None = 20


@dataclass(frozen=True)
class Cbq:
    """Class-based queueing."""

    classes: tuple[Class, ...]
    lending: str = "top-level"
    kind: str = "CBQ/WRR"
    limit: int = 100000
    more: str = ""
    """Further settings of ours."""

    def spec(self) -> list[str]:
        lines = [f"algorithm {self.lending}"]
        for each in self.classes:
            # Those without packets have a rank of their own, so that turns are not measured by their shares, too.
            rank = each.rank if each.limit else 9
            limit = each.limit or "-"
            lines.append(
                f"class {each.name} {each.share} {each.lender} {str(each.borrow).lower()} {rank} "
                f"{each.max_idle_ms} {each.level} {limit}"
            )
        return lines

    def in_turn(self) -> list[Class]:
        """The classes in the order of ns-2's turns: the first of a rank, then the last, and so on to the second."""
        lenders = [each for each in self.classes if not each.limit]
        leaves = sorted((each for each in self.classes if each.limit), key=lambda each: each.rank)
        turns = []
        for _, of_rank in itertools.groupby(leaves, key=lambda each: each.rank):
            first, *others = of_rank
            turns += [first, *reversed(others)]
        return [*lenders, *turns]

    def class_of(self, group: Group) -> str:
        return group.of

    def meter_of(self, group: Group) -> str:
        return ""

    def marks(self, group: Group) -> str:
        return ""

    def queue(self, groups: Sequence[Group]) -> str:
        above = [each.name for each in self.classes if not each.limit]
        classes, lenders = [], []
        for each in self.in_turn():
            place = f'share = {each.share}, borrow = {str(each.borrow).lower()}, max_idle = "{each.max_idle_ms}ms"'
            if each.lender != "none":
                place += f", lender = {above.index(each.lender)}"
            if each.limit:
                flows = ", ".join(f'"{group.name}"' for group in groups if group.of == each.name)
                limit = f'limit = "{each.limit - 1}p"'
                classes.append(f"{{ flows = [{flows}], rank = {each.rank}, {limit}, {place} }}")
            else:
                lenders.append(f"{{ {place} }}")
        lending = self.lending.replace("-", "_")
        return (
            f'kind = "cbq", lending = "{lending}", max_packet = "1024B", class = [{", ".join(classes)}], '
            f"group = [{', '.join(lenders)}]{self.more}"
        )


@dataclass(frozen=True)
class Fq:
    """Fair queueing by flow, each of at most `limit` packets as ns-2 counts."""

    limit: int = 20
    by: str = "wfq"
    """Which queue of ours: `wfq` with a class for each flow, or `fq`, where nothing is lost."""
    kind: str = "FQ"

    def spec(self) -> list[str]:
        return []

    def class_of(self, group: Group) -> str:
        return "-"

    def meter_of(self, group: Group) -> str:
        return ""

    def marks(self, group: Group) -> str:
        return ""

    def queue(self, groups: Sequence[Group]) -> str:
        if self.by == "fq":
            # There are enough hash buckets that no two of these flows meet.
            return 'kind = "fq", limit = "100000p", queues = 65536'
        count = sum(group.count for group in groups)
        # In ns-2 the head of a flow's queue waits outside of it: as many as its limit.
        classes = ", ".join(f'{{ flows = ["{flow}"], limit = "{self.limit}p" }}' for flow in range(count))
        return f'kind = "wfq", class = [{classes}]'


@dataclass(frozen=True)
class Precedence:
    """Thresholds of a drop precedence in packets."""

    min_th: int
    max_th: int
    max_p: float


THREE = (Precedence(20, 40, 0.02), Precedence(10, 20, 0.1), Precedence(5, 10, 0.2))


@dataclass(frozen=True)
class DiffServ:
    """Assured forwarding at an edge, or at a core if the groups' meters are `Null`."""

    mode: str = "RIO-C"
    precedences: tuple[Precedence, ...] = THREE
    w_q: float = 0.002
    limit: int = 150
    kind: str = "dsRED/edge"
    more: str = ""
    """Further settings of ours."""

    def spec(self) -> list[str]:
        lines = [f"precedences {self.mode} {len(self.precedences)}"]
        for number, each in enumerate(self.precedences):
            lines.append(f"precedence {number} {each.min_th} {each.max_th} {each.max_p} {self.w_q}")
        return lines

    def class_of(self, group: Group) -> str:
        return "-"

    def meter_of(self, group: Group) -> str:
        return group.meter

    def marks(self, group: Group) -> str:
        kind, code, *_ = group.meter.split()
        return f'dscp = "AF1{int(code) - 9}"' if kind == "Null" else ""

    def queue(self, groups: Sequence[Group]) -> str:
        first, *others = self.precedences
        text = (
            f'kind = "diffserv", preset = "ns2", averages = "{self.mode.lower().replace("-", "_")}", '
            f'limit = "{self.limit}p", w_q = {self.w_q}, min_th = "{first.min_th}p", max_th = "{first.max_th}p", '
            f"max_p = {first.max_p}, {self.agreements(groups)}{self.more}"
        )
        for colour, each in zip(("yellow", "red"), others if len(others) == 2 else others * 2, strict=True):
            text += (
                f', {colour}_min_th = "{each.min_th}p", {colour}_max_th = "{each.max_th}p", '
                f"{colour}_max_p = {each.max_p}"
            )
        return text

    def agreements(self, groups: Sequence[Group]) -> str:
        """Rates of each flow; all flows have the same meter and bursts."""
        agreed = [group.meter.split() for group in groups for _ in range(group.count)]
        meter, _, *values = agreed[0]
        rates = [float(each[2]) / 1e6 if len(each) > 2 else 0.0 for each in agreed]
        edge = f'role = "edge", cir_mbit = {rates}'
        match meter:
            case "TokenBucket":
                return f'{edge}, meter = "token_bucket", cbs = "{values[1]}B"'
            case "srTCM":
                return f'{edge}, meter = "srtcm", cbs = "{values[1]}B", ebs = "{values[2]}B"'
            case "trTCM":
                peaks = [float(each[4]) / 1e6 for each in agreed]
                bursts = f'cbs = "{values[1]}B", pbs = "{values[3]}B"'
                return f'{edge}, meter = "trtcm", pir_mbit = {peaks}, {bursts}'
            case _:
                return 'role = "core"'


@dataclass(frozen=True)
class Rio(DiffServ):
    """RIO with a sliding window, ns-2's TSW2CM."""

    precedences: tuple[Precedence, ...] = THREE[:2]

    def queue(self, groups: Sequence[Group]) -> str:
        inside, outside = self.precedences
        rates = [float(group.meter.split()[2]) / 1e6 for group in groups for _ in range(group.count)]
        return (
            f'kind = "rio", preset = "paper", limit = "{self.limit}p", w_q = {self.w_q}, idle_decay = "ns2", '
            f'in_min_th = "{inside.min_th}p", in_max_th = "{inside.max_th}p", in_max_p = {inside.max_p}, '
            f'min_th = "{outside.min_th}p", max_th = "{outside.max_th}p", max_p = {outside.max_p}, '
            f'profile_mbit = {rates}, meter = "sliding_window", profile_window = "1s"{self.more}'
        )


@dataclass(frozen=True)
class Setting:
    """A law and its load on a link."""

    law: Cbq | Fq | DiffServ
    groups: tuple[Group, ...]
    rate_kbit: float = 4000
    duration: float = 120
    warmup: float = 20
    brief: bool = False
    """Part of the quick check."""
    differs: tuple[str, ...] = ()
    """Metrics that are known not to agree; docs/validation.md says why."""


# With these shares a class is over its limit for no whole number of packets, tx (1 / p - 1), and the
# root is not just at its limit while the link is busy: else the rounding of ns-2's clock would decide.
ROOT = Class("root", 0.98, "none", level=2, limit=None)
THREE_CLASSES = (ROOT, Class("a", 0.47), Class("b", 0.31), Class("c", 0.19))
OVERLOAD = (
    Group("one", "cbr", 2, 1500, of="a"),
    Group("two", "cbr", 2, 1000, of="b"),
    Group("three", "cbr", 2, 800, of="c"),
)
MIXED = (
    Group("one", "cbr", 2, 1500, of="a"),
    Group("two", "tcp", 5, 1000, of="b"),
    Group("three", "on_off", 4, 500, of="c", times=(200, 300)),
)
AGENCIES = (
    Class("root", 0.98, "none", level=3, limit=None),
    Class("A", 0.57, "root", level=2, limit=None),
    Class("B", 0.41, "root", level=2, limit=None),
    Class("a1", 0.38, "A"),
    Class("a2", 0.19, "A"),
    Class("b1", 0.3, "B"),
    Class("b2", 0.11, "B"),
)
BY_AGENCY = (
    Group("one", "tcp", 5, 1000, of="a1"),
    Group("two", "on_off", 4, 600, of="a2", times=(300, 300)),
    Group("three", "cbr", 2, 1200, of="b1", packet=500),
    Group("four", "on_off", 2, 500, of="b2", times=(300, 600)),
)


def metered(meter: str, other: str) -> tuple[Group, ...]:
    return (
        Group("one", "tcp", 5, 1000, meter=meter),
        Group("two", "tcp", 5, 1000, meter=other),
        Group("three", "on_off", 4, 500, meter=meter, times=(300, 300)),
    )


CORE_THRESHOLDS = (Precedence(20, 50, 0.05), Precedence(12, 40, 0.1), Precedence(8, 40, 0.2))
CORE = (
    Group("green", "tcp", 4, 1000, meter="Null 10"),
    Group("yellow", "tcp", 4, 1000, meter="Null 11"),
    Group("red", "on_off", 4, 500, meter="Null 12", times=(300, 300)),
)

SETTINGS: dict[str, Setting] = {
    "wrr-overload": Setting(Cbq(THREE_CLASSES), OVERLOAD, brief=True),
    "wrr-ancestors": Setting(Cbq(THREE_CLASSES, "ancestor-only"), MIXED),
    "wrr-top-level": Setting(Cbq(THREE_CLASSES), MIXED, brief=True),
    "wrr-formal": Setting(Cbq(THREE_CLASSES, "formal"), MIXED),
    "agencies-ancestors": Setting(Cbq(AGENCIES, "ancestor-only"), BY_AGENCY),
    "agencies-top-level": Setting(Cbq(AGENCIES), BY_AGENCY, brief=True),
    "agencies-formal": Setting(Cbq(AGENCIES, "formal"), BY_AGENCY),
    "ranks": Setting(
        Cbq((ROOT, Class("a", 0.19), Class("b", 0.48, rank=2), Class("c", 0.31, rank=2))),
        (
            Group("call", "on_off", 8, 80, of="a", packet=200, times=(400, 600)),
            Group("two", "tcp", 5, 1000, of="b"),
            Group("three", "tcp", 5, 1000, of="c"),
        ),
    ),
    "no-borrowing": Setting(
        Cbq((ROOT, Class("a", 0.29, borrow=False), Class("b", 0.48), Class("c", 0.21))),
        (Group("one", "tcp", 5, 1000, of="a"), *MIXED[1:][::-1][:1], Group("two", "tcp", 5, 1000, of="b")),
    ),
    "cbq-overload": Setting(Cbq(THREE_CLASSES, kind="CBQ", more=', turns = "packets"'), OVERLOAD),
    "cbq-top-level": Setting(Cbq(THREE_CLASSES, kind="CBQ", more=', turns = "packets"'), MIXED),
    "fq": Setting(
        Fq(),
        (
            Group("bulk", "tcp", 5, 1000),
            Group("small", "tcp", 3, 1000, packet=500),
            Group("call", "cbr", 2, 100, packet=200),
            Group("blast", "cbr", 1, 1500),
        ),
        brief=True,
        # ns-2's law is not that of bit-by-bit round robin: see test_classes.py.
        differs=("call.wait",),
    ),
    "fq-calls": Setting(
        Fq(),
        (Group("blast", "cbr", 9, 1000), Group("call", "cbr", 2, 200, packet=200)),
        rate_kbit=8000,
        differs=("call.wait",),
    ),
    "fq-no-loss": Setting(
        Fq(1000, by="fq"),
        (
            Group("bulk", "tcp", 5, 20),
            Group("small", "tcp", 3, 30, packet=500),
            Group("burst", "on_off", 4, 600, packet=200, times=(200, 800)),
        ),
        brief=True,
    ),
    "bucket-rio-c": Setting(
        DiffServ("RIO-C", THREE[:2]), metered("TokenBucket 10 500000 10000", "TokenBucket 10 200000 10000"), brief=True
    ),
    "bucket-rio-d": Setting(
        DiffServ("RIO-D", THREE[:2]), metered("TokenBucket 10 500000 10000", "TokenBucket 10 200000 10000")
    ),
    "srtcm-rio-c": Setting(DiffServ("RIO-C"), metered("srTCM 10 500000 10000 20000", "srTCM 10 200000 10000 20000")),
    "srtcm-wred": Setting(
        DiffServ("WRED"), metered("srTCM 10 500000 10000 20000", "srTCM 10 200000 10000 20000"), brief=True
    ),
    "trtcm-rio-c": Setting(
        DiffServ("RIO-C"), metered("trTCM 10 400000 10000 800000 10000", "trTCM 10 150000 10000 400000 10000")
    ),
    "trtcm-rio-d": Setting(
        DiffServ("RIO-D"), metered("trTCM 10 400000 10000 800000 10000", "trTCM 10 150000 10000 400000 10000")
    ),
    "core-rio-c": Setting(DiffServ("RIO-C", CORE_THRESHOLDS), CORE, brief=True),
    "core-rio-d": Setting(DiffServ("RIO-D", CORE_THRESHOLDS), CORE, brief=True),
    "core-wred": Setting(DiffServ("WRED", CORE_THRESHOLDS), CORE),
    "window-rio": Setting(Rio(), metered("TSW2CM 10 500000", "TSW2CM 10 200000"), brief=True),
}
