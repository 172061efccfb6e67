"""What is recorded: tc's words for each queue beside Sojourn's, and the traffic that comes to it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from kernel_machine import Job

# How Linux tells flows apart: by the place of a hash among so many queues, by its last digits (sfq), by all of its
# digits (sfb), or not.
Hashing = Literal["none", "queues", "mask", "digits"]


@dataclass(frozen=True)
class Queue:
    """One queue, twice."""

    tc: str
    name: str
    preset: str | None = "linux"
    settings: tuple[tuple[str, str], ...] = ()
    hashing: Hashing = "none"
    shapes_itself: bool = False
    # The recording's clock begins where Sojourn's does: at the queue's first timer less this many nanoseconds.
    first_timer: int = 0
    # Of a tree of classes: tc's commands. In `settings` {0} to {3} stand for the flows whose port has this remainder by
    # four.
    tree: tuple[str, ...] = ()


RED = "limit 363360 min 30280 max 90840 avpkt 1514 burst 34 probability 0.1 bandwidth 10mbit"
CHOKE = "limit 240 min 20 max 60 avpkt 1514 burst 34 probability 0.1 bandwidth 10mbit"
# PIE sets its timer to half a second at first; timers of the kernel go off a tick later.
FIRST_UPDATE = 501_000_000
# tc finds the weight 1/32 from a burst of 34 packets and a lower threshold of 20.
RED_HERE = (
    ("min_th", "30280B"), ("max_th", "90840B"), ("limit", "363360B"), ("max_p", "0.1"), ("w_q", "0.03125"),
    ("mode", "bytes"), ("mark_max_p", "2"), ("arithmetic", "kernel"),
)  # fmt: skip
CHOKE_HERE = (
    ("min_th", "20p"), ("max_th", "60p"), ("limit", "240p"), ("max_p", "0.1"), ("w_q", "0.03125"),
    ("mark_max_p", "2"), ("arithmetic", "kernel"),
)  # fmt: skip

# tc always sends steps of its own, and limits.
SFB_HERE = (("increment", "0.0005"), ("decrement", "0.00005"), ("arithmetic", "kernel"))

FILTERS = tuple(
    f"filter add dev r1b parent 1: protocol ip u32 match ip sport {rest} 0x0003 flowid 1:1{rest}" for rest in (1, 2, 3)
)


def tree(default: str, *classes: str) -> tuple[str, ...]:
    """tc's commands for HTB: `classes` with packets are 1:11 to 1:14, each with a fifo of 50 packets."""
    leaves = [words.split()[3] for words in classes if int(words.split()[3][2:]) < 100]
    # Without high-resolution timers, as here, tc adds what a rate sends in a tick: bursts that are written are those of
    # other machines.
    bursts = ["".join(f" {key} 1600b" for key in ("burst", "cburst") if f" {key} " not in words) for words in classes]
    return (
        f"qdisc add dev r1b root handle 1: htb default {default}",
        *(f"class add dev r1b {words}{burst}" for words, burst in zip(classes, bursts, strict=True)),
        *(f"qdisc add dev r1b parent {leaf} handle {leaf[2:]}: pfifo limit 50" for leaf in leaves),
        *FILTERS,
    )


QUEUES = {
    "htb": Queue(
        "htb: one class above four",
        "htb",
        None,
        (
            ("group", "rate=10Mbit"),
            (
                "class",
                "flows={1} rate=2Mbit ceil=10Mbit quantum=1514B queue=fifo:limit=50p; "
                "flows={2} rate=3Mbit ceil=6Mbit prio=1 quantum=3028B burst=5000B queue=fifo:limit=50p; "
                "flows={3} rate=1Mbit ceil=10Mbit prio=1 quantum=6056B cburst=10000B queue=fifo:limit=50p; "
                "rate=1Mbit ceil=10Mbit prio=1 quantum=1514B queue=fifo:limit=50p",
            ),
        ),
        tree=tree(
            "14",
            "parent 1: classid 1:100 htb rate 10mbit",
            "parent 1:100 classid 1:11 htb rate 2mbit ceil 10mbit quantum 1514",
            "parent 1:100 classid 1:12 htb rate 3mbit ceil 6mbit prio 1 quantum 3028 burst 5000b",
            "parent 1:100 classid 1:13 htb rate 1mbit ceil 10mbit prio 1 quantum 6056 cburst 10000b",
            "parent 1:100 classid 1:14 htb rate 1mbit ceil 10mbit prio 1 quantum 1514",
        ),
    ),
    "htb_deep": Queue(
        "htb: two classes above two each, and one above these",
        "htb",
        None,
        (
            ("group", "rate=9Mbit; rate=4Mbit ceil=9Mbit parent=0; rate=3Mbit ceil=7Mbit parent=0"),
            (
                "class",
                "flows={1} rate=1500kbit ceil=9Mbit parent=1 queue=fifo:limit=50p; "
                "flows={2} rate=2500kbit ceil=9Mbit parent=1 queue=fifo:limit=50p; "
                "flows={3} rate=700kbit ceil=7Mbit parent=2 quantum=2000B queue=fifo:limit=50p; "
                "rate=2300kbit ceil=3Mbit parent=2 queue=fifo:limit=50p",
            ),
        ),
        tree=tree(
            "14",
            "parent 1: classid 1:100 htb rate 9mbit",
            "parent 1:100 classid 1:101 htb rate 4mbit ceil 9mbit",
            "parent 1:100 classid 1:102 htb rate 3mbit ceil 7mbit",
            "parent 1:101 classid 1:11 htb rate 1500kbit ceil 9mbit",
            "parent 1:101 classid 1:12 htb rate 2500kbit ceil 9mbit",
            "parent 1:102 classid 1:13 htb rate 700kbit ceil 7mbit quantum 2000",
            "parent 1:102 classid 1:14 htb rate 2300kbit ceil 3mbit",
        ),
    ),
    "pfifo": Queue("pfifo limit 100", "fifo", None, (("limit", "100p"),)),
    "codel": Queue("codel", "codel"),
    "codel_ecn": Queue("codel ecn", "codel", settings=(("ecn", "true"),)),
    "codel_ce": Queue("codel ecn ce_threshold 3ms", "codel", settings=(("ecn", "true"), ("ce_threshold", "3ms"))),
    "codel_quick": Queue(
        "codel target 2ms interval 30ms limit 50",
        "codel",
        settings=(("target", "2ms"), ("interval", "30ms"), ("limit", "50p")),
    ),
    "fq_codel_few": Queue(
        "fq_codel flows 8 quantum 300 limit 200",
        "fq_codel",
        settings=(("flows", "8"), ("quantum", "300B"), ("limit", "200p")),
        hashing="queues",
    ),
    "fq_codel": Queue("fq_codel", "fq_codel", hashing="queues"),
    "fq_codel_noecn": Queue("fq_codel noecn", "fq_codel", settings=(("ecn", "false"),), hashing="queues"),
    "fq_codel_small": Queue(
        "fq_codel limit 300 drop_batch 16",
        "fq_codel",
        settings=(("limit", "300p"), ("drop_batch", "16")),
        hashing="queues",
    ),
    "pie": Queue("pie", "pie", first_timer=FIRST_UPDATE),
    "pie_quick": Queue(
        "pie target 5ms tupdate 30ms alpha 8 beta 32 limit 100 ecn",
        "pie",
        settings=(
            ("target", "5ms"),
            ("interval", "30ms"),
            ("alpha", "0.5"),
            ("beta", "2"),
            ("limit", "100p"),
            ("ecn", "true"),
        ),
        first_timer=FIRST_UPDATE,
    ),
    "pie_ecn": Queue("pie ecn", "pie", settings=(("ecn", "true"),), first_timer=FIRST_UPDATE),
    "fq_pie_ecn": Queue(
        "fq_pie ecn", "fq_pie", settings=(("ecn", "true"),), hashing="queues", first_timer=FIRST_UPDATE
    ),
    "fq_pie": Queue("fq_pie", "fq_pie", hashing="queues", first_timer=FIRST_UPDATE),
    "red": Queue(f"red {RED}", "red", None, RED_HERE),
    "red_harddrop": Queue(f"red {RED} ecn harddrop", "red", None, (*RED_HERE, ("ecn", "true"), ("mark_max_p", "1"))),
    "red_ecn": Queue(f"red {RED} ecn", "red", None, (*RED_HERE, ("ecn", "true"))),
    "choke": Queue(f"choke {CHOKE}", "choke", None, CHOKE_HERE),
    "choke_ecn": Queue(f"choke {CHOKE} ecn", "choke", None, (*CHOKE_HERE, ("ecn", "true"))),
    "sfb": Queue("sfb", "sfb", settings=SFB_HERE, hashing="digits"),
    "sfb_ecn": Queue("sfb", "sfb", settings=SFB_HERE, hashing="digits"),
    "sfq": Queue("sfq", "sfq"),
    "sfq_small": Queue(
        "sfq limit 60 depth 10 divisor 64 quantum 3000",
        "sfq",
        settings=(("limit", "60p"), ("depth", "10"), ("queues", "64"), ("quantum", "3000B")),
        hashing="mask",
    ),
    "sfq_headdrop": Queue(
        "sfq limit 60 depth 10 headdrop",
        "sfq",
        settings=(("limit", "60p"), ("depth", "10"), ("drop_from", "front")),
        hashing="mask",
    ),
    "cake_flowblind": Queue(
        "cake bandwidth 10mbit besteffort flowblind", "cobalt", settings=(("limit", "100000p"),), shapes_itself=True
    ),
}


def cubic(name: str, flows: int, seconds: float = 40.0, *, ecn: bool = False, rate: int = 10_000_000) -> Job:
    """CUBIC flows over a queue."""
    queue = QUEUES[name]
    label = f"{name}-cubic-{flows}" + ("" if rate == 10_000_000 else f"-{rate // 1_000_000}mbit")
    return Job(
        label,
        queue.tc,
        ("cubic",) * flows,
        ecn,
        rate=rate,
        seconds=seconds,
        warm=1.0,
        shapes_itself=queue.shapes_itself,
        tree=queue.tree,
    )


def flood(name: str, flows: int, load: float, seconds: float = 8.0, *, ecn: bool = False) -> Job:
    """Datagrams that nothing slows down, in bursts, one flow faster than all others together."""
    queue = QUEUES[name]
    rng = random.Random(f"flood {flows} {load}")
    rate = 10e6 * load / (8 * 800)
    sent, now = [], 0.0
    while now < seconds * 1e6:
        now += rng.expovariate(rate) * 1e6
        flow = 0 if rng.random() < 0.6 else rng.randrange(flows)
        size = rng.choice((100, 300, 700, 1500))
        times = rng.choice((1, 1, 1, 8)) if flow == 0 else 1
        sent.extend((now, flow, size, rng.choice((0, 1, 2)) if ecn else 0) for _ in range(times))
    return Job(
        f"{name}-flood-{flows}",
        queue.tc,
        ecn=ecn,
        datagrams=tuple(sent),
        seconds=seconds,
        shapes_itself=queue.shapes_itself,
        tree=queue.tree,
    )


# Each is in the repository as fates/NAME.xz.
RECORDED = {
    job.name: (name, job)
    for name, job in [
        ("pfifo", cubic("pfifo", 4)),
        *((name, flood(name, 8, 1.3)) for name in ("htb", "htb_deep")),
        *((name, flood(name, 4, 0.8, 9.0)) for name in ("htb", "htb_deep")),
        ("htb", cubic("htb", 4)),
        *((name, cubic(name, flows)) for name in ("codel", "fq_codel_noecn") for flows in (1, 4, 16)),
        *((name, cubic(name, flows, ecn=True)) for name in ("codel_ecn", "fq_codel") for flows in (4, 16)),
        ("codel_ce", cubic("codel_ce", 4, ecn=True)),
        ("codel", cubic("codel", 16, 8.0, rate=100_000_000)),
        ("codel", flood("codel", 4, 1.2)),
        ("fq_codel_noecn", cubic("fq_codel_noecn", 16, 8.0, rate=100_000_000)),
        ("fq_codel_small", flood("fq_codel_small", 20, 1.5)),
        ("fq_codel", flood("fq_codel", 20, 1.5, ecn=True)),
        *((name, cubic(name, flows)) for name in ("pie", "red", "choke", "sfb", "sfq", "fq_pie") for flows in (4, 16)),
        *((name, cubic(name, 4, ecn=True)) for name in ("pie_ecn", "red_ecn", "choke_ecn", "sfb_ecn", "fq_pie_ecn")),
        *((name, cubic(name, 16, ecn=True)) for name in ("codel_quick", "fq_codel_few", "pie_quick")),
        ("fq_codel_few", flood("fq_codel_few", 40, 1.5, ecn=True)),
        ("red_harddrop", flood("red_harddrop", 20, 1.5, ecn=True)),
        ("pie_ecn", flood("pie_ecn", 20, 1.2, ecn=True)),
        ("sfb_ecn", flood("sfb_ecn", 20, 1.5, ecn=True)),
        ("choke_ecn", flood("choke_ecn", 20, 1.5, ecn=True)),
        *((name, flood(name, 20, 1.5)) for name in ("pie", "red", "choke", "sfb", "sfq", "fq_pie")),
        *((name, flood(name, 40, 1.5)) for name in ("sfq_small", "sfq_headdrop")),
        *(("cake_flowblind", cubic("cake_flowblind", flows)) for flows in (4, 16)),
        ("cake_flowblind", flood("cake_flowblind", 4, 0.6, ecn=True)),
        ("cake_flowblind", flood("cake_flowblind", 6, 1.05, 10.0, ecn=True)),
    ]
}

# What differs by more than nothing: packets at most, and why.
DIFFER = {
    "cake_flowblind-flood-6": (
        26_000,
        "CAKE's buffer is bounded by memory and loses the head of its longest queue; cobalt's by packets, and the tail",
    ),
}
