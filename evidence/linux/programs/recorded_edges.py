"""Recordings at the edges of tc's words, where tc or the kernel take another value than the word says, or count
otherwise from there on. Sojourn's side is its own reading of the words.
"""

from __future__ import annotations

from dataclasses import replace

import recorded
import recorded_schedulers
from kernel_build import TICKS
from kernel_machine import Job
from recorded import FIRST_UPDATE, Hashing, Queue, flood, parsed, tree


def edge(words: str, hashing: Hashing = "none", first_timer: int = 0, tree: tuple[str, ...] = ()) -> Queue:
    """A queue as tc's words say."""
    return replace(parsed(words, tree), hashing=hashing, first_timer=first_timer)


SLOW_RED = "red limit 363360 min 30280 max 90840 avpkt 1000 burst 50 probability 0.1 bandwidth 1700kbit ecn"
SLOW_CHOKE = "choke limit 240 min 20 max 60 avpkt 1514 burst 34 probability 0.1 bandwidth 70mbit"
# 125 ticks, in a slot of 8.
FIRST_OF_250 = 512_000_000


def ticks_250(words: str, hashing: Hashing = "none") -> Queue:
    """A queue of a kernel that ticks 250 times a second."""
    queue = edge(words, hashing, FIRST_OF_250)
    return replace(queue, settings=(*queue.settings, ("hz", "250")))


EDGES: dict[str, Queue] = {
    # Linux acts from these bounds on, Sojourn above its own.
    "sfb_small": edge(
        "sfb limit 200 max 9 target 4 increment 0.02 decrement 0.01 penalty_rate 50 penalty_burst 5", "digits"
    ),
    # The kernel takes 256 bytes.
    "fq_codel_quantum": edge("fq_codel quantum 100 flows 16 limit 120", "queues"),
    "sfq_quantum": edge("sfq quantum 64 divisor 4096 limit 127 headdrop", "mask"),
    # Its buffers are more than the bytes of packets.
    "fq_codel_memory": edge("fq_codel memory_limit 100kb", "queues"),
    "fq_codel_l4s": edge("fq_codel ce_threshold 1ms ce_threshold_selector 0x1/0x3", "queues"),
    # Updates 63, 72 and 104 ms apart.
    **{f"pie_{ms}": edge(f"pie tupdate {ms}ms target 20ms", first_timer=FIRST_UPDATE) for ms in (62, 64, 100)},
    # The last flow is updated a tick after the first 2048.
    "fq_pie_2049": edge("fq_pie flows 2049 target 5ms limit 400", "queues", FIRST_UPDATE),
    "pie_zeros": edge("pie alpha 0 beta 0 target 0 ecn", first_timer=FIRST_UPDATE),
    # Of a kernel that ticks 250 times a second.
    "pie_ticks": ticks_250("pie ecn"),
    "fq_pie_ticks": ticks_250("fq_pie flows 64 target 5ms limit 400 ecn", "queues"),
    "sfb_ticks": replace(
        ticks_250(
            "sfb limit 200 max 9 target 4 increment 0.02 decrement 0.01 penalty_rate 30 penalty_burst 3", "digits"
        ),
        first_timer=0,
    ),
    # tc hands over no bit of the probability.
    "red_certain": edge("red limit 60000 min 2000 max 30000 avpkt 1000 probability 1 bandwidth 10mbit ecn"),
    # The average falls as at another rate than that of the link.
    "red_bandwidth": edge(SLOW_RED, tree=recorded.bands(SLOW_RED)),
    "choke_bandwidth": edge(SLOW_CHOKE, tree=recorded.bands(SLOW_CHOKE)),
    # Flows find 128 queues.
    "sfq_many": edge("sfq limit 1000 divisor 2048", "mask"),
    # Below 1:1 the leaf 1:13 comes behind the class 1:4, which has two others below it.
    "htb_numbers": Queue(
        "htb: three levels, and a class above others with a number between leaves",
        "htb",
        None,
        (
            ("group", "number=1 rate=20Mbit; number=4 rate=5Mbit ceil=20Mbit parent=0"),
            (
                "class",
                "number=17 flows={1} rate=2Mbit ceil=20Mbit parent=1 quantum=1514B queue=fifo:limit=50p; "
                "number=18 flows={2} rate=2Mbit ceil=20Mbit parent=1 quantum=1514B queue=fifo:limit=50p; "
                "number=19 flows={3} rate=1Mbit ceil=20Mbit quantum=1514B queue=fifo:limit=50p; "
                "number=2 rate=1Mbit ceil=20Mbit quantum=1514B queue=fifo:limit=50p",
            ),
        ),
        tree=tree(
            "2",
            "parent 1: classid 1:1 htb rate 20mbit",
            "parent 1:1 classid 1:4 htb rate 5mbit ceil 20mbit",
            "parent 1:4 classid 1:11 htb rate 2mbit ceil 20mbit quantum 1514",
            "parent 1:4 classid 1:12 htb rate 2mbit ceil 20mbit quantum 1514",
            "parent 1:1 classid 1:13 htb rate 1mbit ceil 20mbit quantum 1514",
            "parent 1:1 classid 1:2 htb rate 1mbit ceil 20mbit quantum 1514",
            leaves=("1:11", "1:12", "1:13", "1:2"),
        ),
    ),
}
QUEUES = recorded.QUEUES | EDGES | recorded_schedulers.SCHEDULERS


def short(
    name: str, flows: int = 20, load: float = 1.5, seconds: float = 2.0, *, ecn: bool = True, ticks: int = TICKS
) -> tuple[str, Job]:
    """A flood of a few seconds."""
    job = flood("pfifo", flows, load, seconds, ecn=ecn)
    queue = EDGES[name]
    return name, replace(job, name=f"{name}-flood-{flows}", queue=queue.tc, tree=queue.tree, ticks=ticks)


def short_bursts(name: str) -> tuple[str, Job]:
    """Bursts with silences, in which the queue is asked in vain."""
    queue = EDGES[name]
    return name, replace(recorded.bursts("red_idle", 6.0), name=f"{name}-bursts", queue=queue.tc, tree=queue.tree)


RECORDED = recorded.RECORDED | {
    job.name: (name, job)
    for name, job in (
        short("sfb_small"),
        *(short(name) for name in ("fq_codel_quantum", "sfq_quantum", "red_certain", "fq_codel_l4s")),
        *(short(name, 10, 2.0) for name in ("fq_codel_memory",)),
        *(short(name, load=1.3, seconds=3.0) for name in ("pie_62", "pie_64", "pie_100", "pie_zeros", "fq_pie_2049")),
        *(short(name, load=1.3, seconds=3.0, ticks=250) for name in ("pie_ticks", "fq_pie_ticks", "sfb_ticks")),
        short("sfq_many", 400, 2.0),
        short("htb_numbers", 8, 2.6),
        *(short_bursts(name) for name in ("red_bandwidth", "choke_bandwidth")),
    )
}
RECORDED |= recorded_schedulers.RECORDED
