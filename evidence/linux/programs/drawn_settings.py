"""Settings of queues that are drawn at random: words of tc, rate, MTU, sizes of packets, flows, silences, ECN.

Number n of a seed is always the same setting. Datagrams come in phases: few, nearly as many as the link takes, slightly
more, many more, and between some of them nothing for seconds or minutes.
"""

from __future__ import annotations

import random
from dataclasses import replace

from kernel_machine import Datagram, Job
from recorded import FIRST_UPDATE, Hashing, Queue, parsed

KINDS = ("codel", "fq_codel", "pie", "fq_pie", "red", "choke", "sfb", "sfq", "cake", "bfifo", "pfifo")
RATES = (64_000, 5_000_000_000)
MTUS = (576, 1280, 1500, 1500, 1500, 9000)
# The link layer's header, which a queue counts.
HEADER = 14
# Recordings that are in the repository, of those that found something and of all kinds: seed and number.
KEPT = [(2026, number) for number in (3, 7, 16, 19, 22, 24, 27, 29, 36, 42, 44, 46, 48, 49, 52, 57)]
PACKETS = (3_000, 12_000)
LOADS = (0.3, 0.9, 1.02, 1.2, 1.8, 3.0)
SILENCE_S = (2.0, 150.0)
LONGEST_S = 1500.0
# TSO is off and datagrams have headers of 28 bytes.
SMALLEST = 64


def log_uniform(rng: random.Random, least: float, most: float) -> float:
    """A number between two, each power of ten as likely as another."""
    return float(least * (most / least) ** rng.random())


def time(rng: random.Random, least_us: float, most_us: float) -> str:
    """A time of tc, in one of its units."""
    us = round(log_uniform(rng, least_us, most_us))
    return rng.choice((f"{us}us", f"{us / 1000:g}ms", f"{us}"))


def count(rng: random.Random, least: int, most: int) -> str:
    """A whole number."""
    return str(round(log_uniform(rng, least, most)))


def share(rng: random.Random, least: float, most: float) -> str:
    """A probability."""
    return f"{log_uniform(rng, least, most):.3g}"


def some(rng: random.Random, words: dict[str, str], flags: tuple[tuple[str, ...], ...] = ()) -> str:
    """Each word with probability a half; of each group of flags one or none."""
    said = [f"{word} {value}" for word, value in words.items() if rng.random() < 0.5]
    said += [flag for group in flags for flag in rng.sample(group, 1) if rng.random() < 0.6]
    rng.shuffle(said)
    return " ".join(said)


def red(rng: random.Random, unit: int, rate: int) -> str:
    """RED's words: thresholds in bytes (`unit` is a packet's bytes) or in packets (1)."""
    least = round(log_uniform(rng, 2, 60) * unit)
    most = round(least * rng.choice((2, 3, 5.5)))
    mean = unit if unit > 1 else 1000
    burst = (2 * least + most) // (3 * unit) + rng.choice((1, 5, 40))
    said = f"limit {most * rng.choice((1, 2, 4))} min {least} max {most} avpkt {mean} burst {burst}"
    ecn = rng.choice(("", " ecn", " ecn harddrop")) if unit > 1 else rng.choice(("", " ecn"))
    return f"{said} probability {share(rng, 0.005, 0.9)} bandwidth {rate}bit{ecn}"


def words(kind: str, rng: random.Random, rate: int, mtu: int) -> str:
    """A line of tc."""
    packet_us = (mtu + HEADER) * 8e6 / rate
    # Targets from the time of a packet to that of hundreds.
    target, interval = time(rng, max(packet_us, 200), 300 * packet_us + 1000), time(rng, 5_000, 3_000_000)
    ecn = (("ecn", "noecn"),)
    codel = {"limit": count(rng, 5, 2000), "target": target, "interval": interval}
    codel["ce_threshold"] = time(rng, 300, 50_000)
    pie = {"limit": count(rng, 10, 2000), "target": target, "tupdate": time(rng, 1000, 400_000)}
    pie |= {"alpha": count(rng, 1, 32), "beta": count(rng, 1, 32)}
    flows, quantum = {"flows": count(rng, 1, 5000)}, {"quantum": count(rng, 64, 20_000)}
    if kind == "codel":
        return some(rng, codel, ecn)
    if kind == "fq_codel":
        return some(rng, {**codel, **flows, **quantum, "drop_batch": count(rng, 1, 200)}, ecn)
    if kind == "pie":
        return some(rng, pie, ecn)
    if kind == "fq_pie":
        return some(rng, {**pie, **flows, **quantum}, ecn)
    if kind in {"red", "choke"}:
        return red(rng, 1 if kind == "choke" else rng.choice((500, mtu)), rate)
    if kind == "sfb":
        least = rng.randrange(2, 60)
        said = {"increment": share(rng, 1e-4, 0.05), "decrement": share(rng, 1e-5, 0.01)}
        said |= {"penalty_rate": count(rng, 1, 500), "penalty_burst": count(rng, 1, 100)}
        bins = f"target {least} max {least + rng.randrange(1, 30)}" if rng.random() < 0.7 else ""
        return f"limit {count(rng, 30, 2000)} {bins} {some(rng, said)}"
    if kind == "sfq":
        # tc asks for the other words of RED with the first one, and Linux has 128 queues at a time.
        bound = f"redflowlimit {rng.choice((30_000, 100_000))} min 3000 max 12000 avpkt 1000 burst 6 "
        bound += f"probability {share(rng, 0.01, 0.5)}{rng.choice(('', ' ecn', ' ecn harddrop'))}"
        plain = {"limit": count(rng, 5, 127), **quantum, "depth": count(rng, 2, 127)}
        plain["divisor"] = str(2 ** rng.randrange(1, 13))
        return f"{some(rng, plain, (('headdrop',),))} {bound if rng.random() < 0.4 else ''}"
    if kind == "cake":
        plain = {"rtt": time(rng, 1000, 1_000_000), "overhead": str(rng.randrange(-10, 60))}
        plain |= {"mpu": str(rng.randrange(256)), "memlimit": count(rng, 40_000, 4_000_000)}
        groups = (
            ("besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"),
            ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"),
            ("noatm", "atm", "ptm"),
            ("wash", "nowash"),
            ("ingress", "egress"),
        )
        # CAKE's time of a byte has 34 bits.
        shaped = f"bandwidth {rate}bit" if rng.random() < 0.7 else "unlimited"
        return f"{shaped} {some(rng, plain, groups)}"
    return f"limit {count(rng, 2, 2000) if kind == 'pfifo' else round(log_uniform(rng, 2, 1000) * mtu)}"


def hashing(kind: str, line: str) -> Hashing:
    """How Linux tells flows apart."""
    found: dict[str, Hashing] = {"fq_codel": "queues", "fq_pie": "queues", "sfq": "mask", "sfb": "digits"}
    if kind == "cake":
        alone = {"flowblind", "srchost", "dsthost", "hosts"} & set(line.split())
        return "none" if alone else "digits"
    return found.get(kind, "none")


def datagrams(name: str, rate: int, mtu: int, *, ecn: bool, hosts: int, dscp: bool) -> list[Datagram]:
    """Phases of datagrams from up to a thousand flows."""
    rng = random.Random(name)
    flows = round(log_uniform(rng, 1, 1000))
    sizes = [*sorted(rng.randrange(SMALLEST, mtu + 1) for _ in range(rng.randrange(1, 12))), mtu]
    mean = sum(sizes) / len(sizes) + HEADER
    uneven = rng.choice((1, 2, 4))
    ends = [(rng.randrange(1, hosts + 1), rng.randrange(1, hosts + 1)) if hosts else (0, 0) for _ in range(flows)]
    points = [4 * rng.randrange(64) if dscp else 0 for _ in range(flows)]
    fields = rng.choice(((0, 1, 2, 3), (0, 0, 2), (2,), (1, 2))) if ecn else (0,)
    packets = rng.randrange(*PACKETS)
    sent: list[Datagram] = []
    now = 0.0
    while len(sent) < packets and now < LONGEST_S * 1e6:
        gap = mean * 8e6 / rate / rng.choice(LOADS)
        for _ in range(rng.randrange(100, 2500)):
            now += rng.expovariate(1 / gap)
            flow = int(flows * rng.random() ** uneven)
            burst = rng.choice((1, 1, 1, 1, 6))
            tos = points[flow] + rng.choice(fields)
            sent += [(now, flow, rng.choice(sizes), tos, *ends[flow])] * burst
        if rng.random() < 0.3:
            now += 1e6 * log_uniform(rng, *SILENCE_S)
    return sent


# Values that Linux takes from the device's MTU, and a scenario from its user: parameters and words of tc.
FROM_MTU = {
    "codel": {"mtu": ""},
    "fq_codel": {"mtu": "", "quantum": "quantum"},
    "pie": {"mtu": ""},
    "fq_pie": {"mtu": "", "quantum": "quantum"},
    "sfq": {"quantum": "quantum"},
    "cake": {"mtu": ""},
}


def with_mtu(kind: str, queue: Queue, mtu: int) -> Queue:
    """The queue on devices of this MTU."""
    missing = (name for name, word in FROM_MTU.get(kind, {}).items() if word not in queue.tc.split())
    return replace(queue, mtu=mtu, settings=(*queue.settings, *((name, f"{mtu + HEADER}B") for name in missing)))


def setting(seed: int, number: int) -> tuple[Queue, Job]:
    """One setting."""
    name = f"drawn-{seed}-{number}"
    rng = random.Random(name)
    kind = KINDS[number % len(KINDS)]
    rate = round(log_uniform(rng, *RATES))
    mtu = rng.choice(MTUS)
    line = " ".join(f"{kind} {words(kind, rng, rate, mtu)}".split())
    shaped = kind == "cake" and "bandwidth" in line
    queue = replace(
        with_mtu(kind, parsed(line), mtu),
        hashing=hashing(kind, line),
        shapes_itself=shaped,
        first_timer=FIRST_UPDATE if kind in {"pie", "fq_pie"} else 0,
    )
    ecn, hosts, dscp = rng.random() < 0.6, rng.randrange(2, 21) if kind == "cake" else 0, rng.random() < 0.7
    job = Job(
        name,
        line,
        ecn=ecn,
        rate=rate,
        mtu=mtu,
        draw=lambda: datagrams(name, rate, mtu, ecn=ecn, hosts=hosts, dscp=dscp and kind == "cake"),
        shapes_itself=shaped,
    )
    return queue, job
