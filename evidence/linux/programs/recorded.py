"""The recordings: tc's words for each queue beside Sojourn's, and its traffic."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass, replace
from typing import Literal

from kernel_machine import Datagram, Job

from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario.tc_line import tc_queue

# How Linux tells flows apart: by the place of a hash among so many queues, by its last digits (sfq), by all of its
# digits (sfb, cake), or not.
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
    # Of the devices, without the link layer's header.
    mtu: int = 1500


RED = "limit 363360 min 30280 max 90840 avpkt 1514 burst 34 probability 0.1 bandwidth 10mbit"
CHOKE = "limit 240 min 20 max 60 avpkt 1514 burst 34 probability 0.1 bandwidth 10mbit"
# PIE sets its timer to half a second at first, which is in slots of 8 ticks.
FIRST_UPDATE = 504_000_000
SFQ_RED = (*(("red_min", "4000B"), ("red_max", "16000B"), ("red_max_p", "0.1"), ("red_w_q", "0.125"), ("ecn", "true")),)


def parsed(words: str, tree: tuple[str, ...] = ()) -> Queue:
    """Ours is Sojourn's reading of tc's words, as a user writes them: preset `linux` and the numbers that they say."""
    with warnings.catch_warnings():
        # In recordings sizes are those of frames.
        warnings.simplefilter("ignore", WordWarning)
        here = tc_queue(words)
    name, preset = here.pop("kind"), here.pop("preset", None)
    said = ((key, str(value).lower() if isinstance(value, bool) else str(value)) for key, value in here.items())
    return Queue(words, name, preset, tuple(said), tree=tree)


FILTERS = tuple(
    f"filter add dev r1b parent 1: protocol ip u32 match ip sport {rest} 0x0003 flowid 1:1{rest}" for rest in (1, 2, 3)
)


def tree(default: str, *classes: str, leaves: tuple[str, ...] = ()) -> tuple[str, ...]:
    """tc's commands for HTB: `classes` with packets are `leaves`, or 1:11 to 1:14, each with a fifo of 50 packets."""
    leaves = leaves or tuple(words.split()[3] for words in classes if int(words.split()[3][2:]) < 100)
    # Without high-resolution timers, as here, tc adds the bytes that a rate sends in a tick: bursts that are written
    # are those of other machines.
    bursts = ["".join(f" {key} 1600b" for key in ("burst", "cburst") if f" {key} " not in words) for words in classes]
    return (
        f"qdisc add dev r1b root handle 1: htb default {default}",
        *(f"class add dev r1b {words}{burst}" for words, burst in zip(classes, bursts, strict=True)),
        *(f"qdisc add dev r1b parent {leaf} handle {leaf[2:]}: pfifo limit 50" for leaf in leaves),
        *FILTERS,
    )


def bands(words: str) -> tuple[str, ...]:
    """tc's commands for a queue in the first of two bands of `prio`, which flows are in whose port is 1 by four."""
    return (
        "qdisc add dev r1b root handle 1: htb default 1",
        "class add dev r1b parent 1: classid 1:1 htb rate 10mbit burst 1b cburst 1b quantum 1514",
        "qdisc add dev r1b parent 1:1 handle 20: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        f"qdisc add dev r1b parent 20:1 handle 10: {words}",
        "qdisc add dev r1b parent 20:2 handle 30: pfifo limit 1000",
        "filter add dev r1b parent 20: protocol ip u32 match ip sport 1 0x0003 flowid 20:1",
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
    "pie": Queue("pie", "sch_pie", None, first_timer=FIRST_UPDATE),
    "pie_quick": Queue(
        "pie target 5ms tupdate 30ms alpha 8 beta 32 limit 100 ecn",
        "sch_pie",
        None,
        settings=(
            ("target", "5ms"),
            ("tupdate", "30ms"),
            ("alpha", "8"),
            ("beta", "32"),
            ("limit", "100p"),
            ("ecn", "true"),
        ),
        first_timer=FIRST_UPDATE,
    ),
    "pie_ecn": Queue("pie ecn", "sch_pie", None, settings=(("ecn", "true"),), first_timer=FIRST_UPDATE),
    "fq_pie_ecn": Queue(
        "fq_pie ecn", "fq_pie", settings=(("ecn", "true"),), hashing="queues", first_timer=FIRST_UPDATE
    ),
    "fq_pie": Queue("fq_pie", "fq_pie", hashing="queues", first_timer=FIRST_UPDATE),
    "red": parsed(f"red {RED}"),
    "red_harddrop": parsed(f"red {RED} ecn harddrop"),
    "red_ecn": parsed(f"red {RED} ecn"),
    # The first of two bands: the second one is asked before, even while it is empty. HTB does not.
    "red_idle": parsed(f"red {RED}", bands(f"red {RED}")),
    "choke": parsed(f"choke {CHOKE}"),
    "choke_ecn": parsed(f"choke {CHOKE} ecn"),
    "sfb": Queue("sfb", "sch_sfb", None, hashing="digits"),
    "sfb_ecn": Queue("sfb", "sch_sfb", None, hashing="digits"),
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
    "sfq_red": Queue(
        "sfq limit 200 redflowlimit 60000 min 4000 max 16000 avpkt 1000 burst 8 probability 0.1 ecn",
        "sfq",
        settings=(("limit", "200p"), *SFQ_RED),
        hashing="mask",
    ),
    "sfq_red_headdrop": Queue(
        "sfq limit 200 headdrop redflowlimit 60000 min 2000 max 8000 avpkt 1000 burst 8 probability 0.1 ecn harddrop",
        "sfq",
        settings=(
            ("limit", "200p"),
            *(("drop_from", "front"), ("red_min", "2000B"), ("red_max", "8000B"), ("red_max_p", "0.1")),
            *(("red_w_q", "0.03125"), ("ecn", "true"), ("hard_drop", "true")),
        ),
        hashing="mask",
    ),
    "cake_flowblind": Queue(
        "cake bandwidth 10mbit besteffort flowblind",
        "cake",
        settings=(("bandwidth", "10Mbit"), ("tins", "besteffort"), ("isolation", "flowblind")),
        shapes_itself=True,
    ),
}


def dualpi2(words: str = "", period_ms: int = 16) -> Queue:
    """DualPI2 of Linux 6.17; `period_ms` is the time between its updates."""
    return replace(parsed(f"dualpi2 {words}".strip()), first_timer=period_ms * 1_000_000)


QUEUES |= {
    "dualpi2": dualpi2(),
    "dualpi2_ecn": dualpi2(),
    "dualpi2_any": dualpi2("any_ect"),
    "dualpi2_early": dualpi2(
        "drop_enqueue coupling_factor 4 target 5ms tupdate 8ms alpha 0.5 beta 2 classic_protection 25 limit 200", 8
    ),
    "dualpi2_overflow": dualpi2("overflow limit 60 step_thresh 3ms min_qlen_step 5"),
    # Its delay falls by a second at once, which is beyond 32 bits in an update of p'.
    "dualpi2_deep": dualpi2("overflow"),
    "dualpi2_packets": dualpi2("any_ect step_thresh 3pkt min_qlen_step 2 classic_protection 50 target 20ms"),
    "dualpi2_memory": dualpi2("memlimit 60000 step_thresh 2ms coupling_factor 3"),
}

CAKE = "cake bandwidth 10mbit"


def cake(words: str, hashing: Hashing = "digits", rate: str = "10Mbit", **settings: str) -> Queue:
    """CAKE with these words of tc at 10 Mbit/s, and ours."""
    return Queue(
        f"{CAKE} {words}".strip(),
        "cake",
        settings=(("bandwidth", rate), *((name, value) for name, value in settings.items())),
        hashing=hashing,
        shapes_itself=True,
    )


BACK = "cake bandwidth 200kbit besteffort"
QUEUES |= {
    "cake_besteffort": cake("besteffort", tins="besteffort"),
    "cake_default": cake(""),
    "cake_srchost": cake("besteffort srchost", "none", tins="besteffort", isolation="srchost"),
    "cake_hosts": cake("besteffort hosts", "none", tins="besteffort", isolation="hosts"),
    "cake_dual_src": cake("besteffort dual-srchost", tins="besteffort", isolation="dual-srchost"),
    "cake_dual_dst": cake("besteffort dual-dsthost", tins="besteffort", isolation="dual-dsthost"),
    "cake_diffserv4": cake("diffserv4", tins="diffserv4"),
    "cake_diffserv8": cake("diffserv8 wash", tins="diffserv8", wash="true"),
    "cake_precedence": cake("precedence flows rtt 20ms", tins="precedence", isolation="flows", rtt="20ms"),
    "cake_atm": cake("besteffort overhead 40 mpu 96 atm", tins="besteffort", overhead="40", mpu="96", framing="atm"),
    "cake_ptm": cake("besteffort pppoe-ptm regional", tins="besteffort", link_layer="pppoe-ptm", path="regional"),
    "cake_ingress": cake("besteffort docsis ingress", tins="besteffort", link_layer="docsis", ingress="true"),
    "cake_memory": cake("diffserv3 memlimit 200kb", memory_limit="204800B"),
    "cake_autorate": cake("besteffort autorate-ingress", tins="besteffort", autorate_ingress="true"),
    "cake_unlimited": Queue("cake unlimited diffserv4", "cake", settings=(("tins", "diffserv4"),), hashing="digits"),
    "cake_acks": Queue(
        f"{BACK} ack-filter",
        "cake",
        settings=(("bandwidth", "200kbit"), ("tins", "besteffort"), ("ack_filter", "filter")),
        hashing="digits",
        shapes_itself=True,
    ),
    "cake_acks_aggressive": Queue(
        f"{BACK} ack-filter-aggressive",
        "cake",
        settings=(("bandwidth", "200kbit"), ("tins", "besteffort"), ("ack_filter", "aggressive")),
        hashing="digits",
        shapes_itself=True,
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


def both(name: str, seconds: float = 20.0) -> Job:
    """Senders of both kinds: three control laws without ECN, and three flows of DCTCP."""
    flows = ("cubic", "reno", "bbr", "dctcp", "dctcp", "dctcp")
    return Job(f"{name}-both-6", QUEUES[name].tc, flows, seconds=seconds, warm=1.0)


def crowd(name: str, seconds: float) -> Job:
    """A hundred flows of DCTCP with a round trip of 10 ms: two of five packets are lost."""
    return Job(f"{name}-dctcp-100", QUEUES[name].tc, ("dctcp",) * 100, True, rtt_ms=10.0, seconds=seconds, warm=1.0)


def flood(name: str, flows: int, load: float, seconds: float = 8.0, *, ecn: bool = False) -> Job:
    """Datagrams that nothing slows down, in bursts, one flow faster than all others together."""
    queue = QUEUES[name]

    def draw() -> list[Datagram]:
        rng = random.Random(f"flood {flows} {load}")
        rate = 10e6 * load / (8 * 800)
        sent, now = [], 0.0
        while now < seconds * 1e6:
            now += rng.expovariate(rate) * 1e6
            flow = 0 if rng.random() < 0.6 else rng.randrange(flows)
            size = rng.choice((100, 300, 700, 1500))
            times = rng.choice((1, 1, 1, 8)) if flow == 0 else 1
            sent.extend((now, flow, size, rng.choice((0, 1, 2)) if ecn else 0) for _ in range(times))
        return sent

    return Job(
        f"{name}-flood-{flows}",
        queue.tc,
        ecn=ecn,
        draw=draw,
        seconds=seconds,
        shapes_itself=queue.shapes_itself,
        tree=queue.tree,
    )


def phases(name: str, seconds: float = 12.0) -> Job:
    """Datagrams with and without ECN, which by turns send little, as much as the link takes, too much, and nothing."""

    def draw() -> list[Datagram]:
        rng = random.Random("phases")
        sent, now, phase = [], 0.0, 0
        while now < seconds * 1e6:
            until, load = now + rng.choice((2e5, 5e5, 1e6)), (0.3, 0.9, 1.05, 0.0, 2.5)[phase % 5]
            # Some phases have few L4S packets, and some have few others.
            l4s = rng.choice((0.1, 0.5, 0.9))
            while load and (now := now + rng.expovariate(10e6 * load / (8 * 1000)) * 1e6) < until:
                ecn = rng.choice((1, 1, 1, 3)) if rng.random() < l4s else rng.choice((0, 2))
                sent.append((now, rng.randrange(12), rng.choice((100, 700, 1500, 1500)), ecn))
            now, phase = max(now, until), phase + 1
        return sent

    return Job(f"{name}-phases-12", QUEUES[name].tc, draw=draw, seconds=seconds)


def bursts(name: str, seconds: float = 30.0) -> Job:
    """Bursts with silence between them in the first band, and some datagrams all the time in the second."""
    queue = QUEUES[name]

    def draw() -> list[Datagram]:
        rng = random.Random("bursts")
        sent, now = [], 0.0
        while now < seconds * 1e6:
            for _ in range(rng.choice((20, 60, 150, 400))):
                now += rng.expovariate(1 / 700)
                sent.append((now, rng.choice((1, 5)), rng.choice((300, 700, 1500, 1500)), 0))
            now += rng.choice((2e3, 1e4, 3e4, 1e5, 4e5)) * rng.random()
        sent.extend((2500.0 * number, 2, 500, 0) for number in range(int(seconds * 400)))
        return sorted(sent)

    return Job(f"{name}-bursts", queue.tc, draw=draw, seconds=seconds, tree=queue.tree)


def hosts(name: str, *, flows: int = 30, load: float = 1.3, seconds: float = 5.0, dscp: bool = False) -> Job:
    """Datagrams of flows between three hosts and three others, unevenly spread; with codepoints of all kinds."""
    queue = QUEUES[name]

    def draw() -> list[Datagram]:
        rng = random.Random(f"hosts {flows} {load} {dscp}")
        # The first host has most flows, to all; the others a few.
        ends = [(1 if rng.random() < 0.6 else rng.choice((2, 3)), rng.choice((1, 2, 3))) for _ in range(flows)]
        points = [rng.randrange(64) if rng.random() < 0.8 else 0 for _ in range(flows)]
        rate = 10e6 * load / (8 * 800)
        sent, now = [], 0.0
        while now < seconds * 1e6:
            now += rng.expovariate(rate) * 1e6
            flow = int(flows * rng.random() ** 2)
            size = rng.choice((100, 300, 700, 1500))
            tos = 4 * points[flow] * dscp + rng.choice((0, 1, 2))
            sent.append((now, flow, size, tos, *ends[flow]))
        return sent

    return Job(
        f"{name}-hosts-{flows}",
        queue.tc,
        draw=draw,
        seconds=seconds,
        shapes_itself=queue.shapes_itself,
    )


def classes(name: str, seconds: float = 3.0) -> Job:
    """Datagrams of four classes of service, each of them would fill more than half of the link."""
    queue = QUEUES[name]

    def draw() -> list[Datagram]:
        rng = random.Random("classes")
        sent, now = [], 0.0
        while now < seconds * 1e6:
            now += rng.expovariate(4 * 6e6 / (8 * 1000)) * 1e6
            flow = rng.randrange(4)
            sent.append((now, flow, rng.choice((500, 1500)), 4 * (0, 8, 34, 46)[flow]))
        return sent

    return Job(
        f"{name}-classes-4",
        queue.tc,
        draw=draw,
        seconds=seconds,
        shapes_itself=queue.shapes_itself,
    )


def back(name: str, flows: int, seconds: float, *, ecn: bool = False) -> Job:
    """CUBIC flows whose acknowledgements go through the queue."""
    return Job(f"{name}-back-{flows}", QUEUES[name].tc, ("cubic",) * flows, ecn, seconds=seconds, warm=1.0, back=True)


# Each is in the repository as evidence/linux/recordings/queues/NAME.xz.
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
        ("red_idle", bursts("red_idle")),
        ("pie_ecn", flood("pie_ecn", 20, 1.2, ecn=True)),
        ("pie_ecn", crowd("pie_ecn", 15.0)),
        ("sfb_ecn", flood("sfb_ecn", 20, 1.5, ecn=True)),
        ("choke_ecn", flood("choke_ecn", 20, 1.5, ecn=True)),
        *((name, flood(name, 20, 1.5)) for name in ("pie", "red", "choke", "sfb", "sfq", "fq_pie")),
        *((name, flood(name, 40, 1.5)) for name in ("sfq_small", "sfq_headdrop")),
        *((name, flood(name, 20, 1.5, ecn=True)) for name in ("sfq_red", "sfq_red_headdrop")),
        ("sfq_red", cubic("sfq_red", 4)),
        *(("dualpi2", cubic("dualpi2", flows)) for flows in (4, 16)),
        ("dualpi2_ecn", cubic("dualpi2_ecn", 4, ecn=True)),
        *((name, both(name)) for name in ("dualpi2_any", "dualpi2_packets")),
        *((name, flood(name, 20, 1.5, ecn=True)) for name in ("dualpi2", "dualpi2_early", "dualpi2_overflow")),
        *(
            (f"dualpi2{kind}", phases(f"dualpi2{kind}"))
            for kind in ("", "_any", "_early", "_deep", "_packets", "_memory")
        ),
        *(("cake_flowblind", cubic("cake_flowblind", flows)) for flows in (4, 16)),
        ("cake_flowblind", flood("cake_flowblind", 4, 0.6, ecn=True)),
        ("cake_flowblind", flood("cake_flowblind", 6, 1.05, 10.0, ecn=True)),
        ("cake_besteffort", cubic("cake_besteffort", 16, 20.0)),
        ("cake_besteffort", flood("cake_besteffort", 20, 1.3, 5.0, ecn=True)),
        ("cake_besteffort", hosts("cake_besteffort")),
        ("cake_besteffort", hosts("cake_besteffort", flows=900, seconds=4.0)),
        ("cake_default", cubic("cake_default", 4, 20.0, ecn=True)),
        *(
            (name, hosts(name, seconds=3.0))
            for name in ("cake_srchost", "cake_hosts", "cake_dual_src", "cake_dual_dst")
        ),
        *(
            (name, hosts(name, dscp=True))
            for name in ("cake_default", "cake_diffserv4", "cake_diffserv8", "cake_precedence", "cake_unlimited")
        ),
        *((name, classes(name)) for name in ("cake_diffserv4", "cake_unlimited")),
        *((name, hosts(name, seconds=4.0)) for name in ("cake_atm", "cake_ptm", "cake_ingress", "cake_autorate")),
        ("cake_ingress", cubic("cake_ingress", 16, 20.0)),
        ("cake_memory", hosts("cake_memory", load=2.0, dscp=True)),
        ("cake_acks", back("cake_acks", 4, 20.0)),
        ("cake_acks_aggressive", back("cake_acks_aggressive", 4, 20.0, ecn=True)),
    ]
}

# Known differences: packets at most, and why.
DIFFER: dict[str, tuple[int, str]] = {}
