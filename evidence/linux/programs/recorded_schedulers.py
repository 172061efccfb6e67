"""Recordings of Linux's schedulers of classes and flows: `prio`, `pfifo_fast`, `ets`, `drr`, `hfsc`, `fq` and `hhf`."""

from __future__ import annotations

import random
from dataclasses import replace

from kernel_machine import Datagram, Job
from recorded import Hashing, Queue, flood

LINK = (
    "qdisc add dev r1b root handle 1: htb default 1",
    "class add dev r1b parent 1: classid 1:1 htb rate 10mbit burst 1b cburst 1b quantum 1514",
)


def port_filter(rest: int, classid: str) -> str:
    """tc's command: packets whose port has this remainder by four go to the class."""
    return f"filter add dev r1b parent 10: protocol ip u32 match ip sport {rest} 0x0003 flowid {classid}"


PORTS = tuple(port_filter(rest, f"10:1{rest}") for rest in (1, 2, 3))
REST = "filter add dev r1b parent 10: protocol all prio 65000 matchall flowid 10:14"


def below(words: str, *more: str, leaves: tuple[str, ...] = (), leaf: str = "pfifo limit 50") -> tuple[str, ...]:
    """tc's commands for a queue below a link; `more` are classes and filters of it, and classes called `leaves` have a
    queue `leaf`.
    """
    queues = (f"qdisc add dev r1b parent {name} handle {20 + at}: {leaf}" for at, name in enumerate(leaves))
    return (*LINK, f"qdisc add dev r1b parent 1:1 handle 10: {words}", *more, *queues)


def scheduler(
    words: str, name: str, tree: tuple[str, ...], *settings: tuple[str, str], hashing: Hashing = "none"
) -> Queue:
    """A scheduler below the link."""
    return Queue(words, name, None, settings, hashing, tree=tree)


def bands(number: int) -> tuple[str, ...]:
    """The classes of so many bands."""
    return tuple(f"10:{band}" for band in range(1, number + 1))


FIFO = ("queue", "fifo:limit=50p")
OF_CLASS = "queue=fifo:limit=50p"
ETS = "ets bands 4 strict 1 quanta 3000 1500 priomap 1 3 2 3 0 3 3"
ETS_SAID = (("bands", "4"), ("strict", "1"), ("quanta", "3000B,1500B"), ("priomap", "1,3,2,3,0,3,3"))
CODEL = "codel limit 1000 target 2ms interval 20ms"


def drr_class(number: int, quantum: int) -> str:
    """tc's command."""
    return f"class add dev r1b parent 10: classid 10:{number} drr quantum {quantum}"


def hfsc_class(number: int, curves: str, parent: str = "10:") -> str:
    """tc's command."""
    return f"class add dev r1b parent {parent} classid 10:{number} hfsc {curves}"


def fq(words: str = "", *settings: tuple[str, str]) -> Queue:
    """Each flow is a hash."""
    line = f"fq {words}".strip()
    return scheduler(line, "sch_fq", below(line), *settings, hashing="digits")


def hhf(words: str = "", *settings: tuple[str, str]) -> Queue:
    """Each flow is a hash."""
    line = f"hhf {words}".strip()
    return Queue(line, "sch_hhf", None, settings, "digits")


def tbf(words: str, settings: str, leaf: str = "pfifo limit 50", queue: str = FIFO[1]) -> Queue:
    """A queue in it; `settings` are those of ours."""
    line = f"tbf {words} limit 60000"
    said = tuple(tuple(one.split("=", 1)) for one in settings.split())
    return scheduler(line, "sch_tbf", below(line, leaves=("10:1",), leaf=leaf), *said, ("queue", queue))


TBF = {
    "tbf": ("rate 6mbit burst 6000", "rate=6Mbit burst=6000B"),
    "tbf_peak": (
        "rate 5mbit burst 20000 peakrate 7mbit mtu 1600", "rate=5Mbit burst=20000B peakrate=7Mbit mtu=1600B"
    ),
    "tbf_atm": (
        "rate 6mbit burst 4000 overhead 20 mpu 200 linklayer atm",
        "rate=6Mbit burst=4020B overhead=20B mpu=200B cells=atm",
    ),
    "tbf_codel": (
        "rate 7mbit burst 3200", "rate=7Mbit burst=3200B", CODEL,
        "codel:preset=linux,limit=1000p,target=2ms,interval=20ms",
    ),
}  # fmt: skip
CLASSES = ("10:11", "10:12", "10:13", "10:14")
SCHEDULERS: dict[str, Queue] = {
    "prio": scheduler("prio", "sch_prio", below("prio", leaves=bands(3)), FIFO),
    "prio_filters": scheduler(
        "prio bands 5 priomap 4 4 3 3 4 4 4",
        "sch_prio",
        below(
            "prio bands 5 priomap 4 4 3 3 4 4 4 4 4 4 4 4 4 4 4 4",
            *(port_filter(rest, f"10:{rest}") for rest in (1, 2)),
            leaves=bands(5),
        ),
        ("bands", "5"),
        ("priomap", "4,4,3,3,4,4,4"),
        ("band", f"flows={{1}} {OF_CLASS}; flows={{2}} {OF_CLASS}"),
        FIFO,
    ),
    # It has no file of its own: HTB around it is recorded.
    "pfifo_fast": Queue("pfifo_fast", "sch_prio", None),
    "ets": scheduler(ETS, "sch_ets", below(ETS, leaves=bands(4)), *ETS_SAID, FIFO),
    # CoDel decides when it is looked at.
    "ets_codel": scheduler(
        ETS, "sch_ets", below(ETS, leaves=bands(4), leaf=CODEL), *ETS_SAID,
        ("queue", "codel:preset=linux,limit=1000p,target=2ms,interval=20ms"),
    ),
    "drr": scheduler(
        "drr",
        "sch_drr",
        below(
            "drr",
            *(drr_class(11 + at, quantum) for at, quantum in enumerate((1514, 3028, 500, 1514))),
            *PORTS,
            REST,
            leaves=CLASSES,
        ),
        (
            "class",
            f"flows={{1}} {OF_CLASS}; flows={{2}} quantum=3028B {OF_CLASS}; flows={{3}} quantum=500B {OF_CLASS}; "
            f"{OF_CLASS}",
        ),
    ),
    "hfsc": scheduler(
        "hfsc default 14",
        "sch_hfsc",
        below(
            "hfsc default 14",
            hfsc_class(11, "rt m1 4mbit d 10ms m2 1mbit ls m2 1mbit"),
            hfsc_class(12, "ls m2 3mbit"),
            hfsc_class(13, "ls m1 1mbit d 50ms m2 3mbit ul m2 4mbit"),
            hfsc_class(14, "rt m1 100kbit d 30ms m2 2mbit ls m2 2mbit"),
            *PORTS,
            leaves=CLASSES,
        ),
        (
            "class",
            f"flows={{1}} rt_m1=4Mbit rt_d=10ms rt_m2=1Mbit ls_m2=1Mbit {OF_CLASS}; "
            f"flows={{2}} ls_m2=3Mbit {OF_CLASS}; "
            f"flows={{3}} ls_m1=1Mbit ls_d=50ms ls_m2=3Mbit ul_m2=4Mbit {OF_CLASS}; "
            f"rt_m1=100kbit rt_d=30ms rt_m2=2Mbit ls_m2=2Mbit {OF_CLASS}",
        ),
    ),
    "hfsc_deep": scheduler(
        "hfsc default 14",
        "sch_hfsc",
        below(
            "hfsc default 14",
            hfsc_class(101, "ls m2 6mbit ul m2 7mbit"),
            hfsc_class(102, "ls m1 8mbit d 20ms m2 3mbit"),
            hfsc_class(11, "rt m1 2mbit d 20ms m2 500kbit ls m2 1mbit", "10:101"),
            hfsc_class(12, "ls m2 2mbit ul m1 8mbit d 100ms m2 3mbit", "10:101"),
            hfsc_class(13, "rt m2 1mbit", "10:102"),
            hfsc_class(14, "ls m2 1mbit", "10:102"),
            *PORTS,
            leaves=CLASSES,
        ),
        ("group", "ls_m2=6Mbit ul_m2=7Mbit; ls_m1=8Mbit ls_d=20ms ls_m2=3Mbit"),
        (
            "class",
            f"flows={{1}} parent=0 rt_m1=2Mbit rt_d=20ms rt_m2=500kbit ls_m2=1Mbit {OF_CLASS}; "
            f"flows={{2}} parent=0 ls_m2=2Mbit ul_m1=8Mbit ul_d=100ms ul_m2=3Mbit {OF_CLASS}; "
            f"flows={{3}} parent=1 rt_m2=1Mbit {OF_CLASS}; parent=1 ls_m2=1Mbit {OF_CLASS}",
        ),
    ),
    "qfq": scheduler(
        "qfq",
        "sch_qfq",
        below(
            "qfq",
            *(
                f"class add dev r1b parent 10: classid 10:{11 + at} qfq weight {weight} maxpkt 1514"
                for at, weight in enumerate((1, 4, 1, 9))
            ),
            *PORTS,
            REST,
            leaves=CLASSES,
        ),
        (
            "class",
            f"flows={{1}} {OF_CLASS}; flows={{2}} weight=4 {OF_CLASS}; flows={{3}} {OF_CLASS}; weight=9 {OF_CLASS}",
        ),
    ),
    **{name: tbf(*of) for name, of in TBF.items()},
    "skbprio": scheduler("skbprio limit 40", "sch_skbprio", below("skbprio limit 40"), ("limit", "40p")),
    "fq": fq(),
    "fq_small": fq(
        "limit 60 flow_limit 10 quantum 2000 initial_quantum 4000 orphan_mask 7 ce_threshold 5ms",
        ("limit", "60p"), ("flow_limit", "10"), ("quantum", "2000B"), ("initial_quantum", "4000B"),
        ("orphan_mask", "7"), ("ce_threshold", "5ms"),
    ),
    "fq_paced": fq(
        "maxrate 1mbit ce_threshold 20ms", ("maxrate", "1Mbit"), ("ce_threshold", "20ms")
    ),
    "fq_slow": fq("maxrate 400kbit refill_delay 5ms", ("maxrate", "400kbit"), ("refill_delay", "5ms")),
    "hhf": hhf(),
    "hhf_small": hhf(
        "limit 100 quantum 1000 hh_limit 3 reset_timeout 50ms admit_bytes 6000 evict_timeout 100ms non_hh_weight 3",
        ("limit", "100p"), ("quantum", "1000B"), ("hh_limit", "3"), ("reset_timeout", "50ms"), ("admit_bytes", "6000B"),
        ("evict_timeout", "100ms"), ("non_hh_weight", "3"),
    ),
}  # fmt: skip


def marked(name: str, load: float = 1.5, seconds: float = 2.0) -> tuple[str, Job]:
    """Datagrams of 20 flows in bursts with codepoints of all kinds, and silences."""
    queue = SCHEDULERS[name]

    def draw() -> list[Datagram]:
        rng = random.Random(f"marked {load}")
        points = [rng.choice((0, 0, 8, 10, 12, 14, 34, 46, rng.randrange(64))) for _ in range(20)]
        sent: list[Datagram] = []
        now = 0.0
        while now < seconds * 1e6:
            now += rng.expovariate(10e6 * load / (8 * 3 * 700)) * 1e6
            now += rng.choice((0.0,) * 200 + (1e5,))
            for _ in range(rng.choice((1, 1, 7))):
                flow = rng.randrange(20)
                sent.append((now, flow, rng.choice((100, 300, 700, 1500)), 4 * points[flow] + rng.choice((0, 1, 2))))
        return sent

    return name, Job(f"{name}-marked", queue.tc, draw=draw, seconds=seconds, tree=queue.tree)


def flooded(name: str, flows: int = 20, load: float = 1.5, seconds: float = 1.5) -> tuple[str, Job]:
    """A flood of a few seconds."""
    queue = SCHEDULERS[name]
    job = flood("pfifo", flows, load, seconds, ecn=True)
    return name, replace(job, name=f"{name}-flood-{flows}", queue=queue.tc, tree=queue.tree)


RECORDED = {
    job.name: (name, job)
    for name, job in (
        *(
            marked(name)
            for name in ("prio", "prio_filters", "ets", "ets_codel", "drr", "hfsc", "hfsc_deep", "qfq", "skbprio", *TBF)
        ),
        *(marked(name, 0.7) for name in ("fq_paced", "fq_slow")),
        marked("pfifo_fast"),
        *(marked(name) for name in ("fq", "fq_small", "hhf_small")),
        *(flooded(name) for name in ("ets", "drr", "qfq", "hfsc", "hfsc_deep", "fq", "fq_small", "hhf", "hhf_small")),
        flooded("fq_paced", 40, 0.9),
    )
}
