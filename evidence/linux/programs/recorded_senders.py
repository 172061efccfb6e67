"""Which senders are recorded: Linux's control beside Sojourn's, and the path."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kernel_machine import Job
from policed import Setting as Policed
from recorded import QUEUES


@dataclass(frozen=True)
class Sender:
    """One flow, twice."""

    job: Job
    kind: str
    preset: str | None = "linux"
    control_settings: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


def alone(
    linux: str, kind: str, preset: str | None = "linux", queue: str = "pfifo limit 50", *, ecn: bool = False
) -> Sender:
    """One flow over 5 Mbit/s with a round trip of 40 ms."""
    name = f"{linux}-{queue.split()[0]}" + ("-ecn" if ecn else "")
    job = Job(name, queue, (linux,), ecn, rate=5_000_000, seconds=22.0, warm=1.0, segments=True)
    return Sender(job, kind, preset)


def short(linux: str, kind: str, preset: str | None, queue: str, rtt_ms: float) -> Sender:
    """One flow over 10 Mbit/s."""
    name = f"{linux}-{queue.split()[0]}-{rtt_ms:.0f}ms"
    return Sender(Job(name, queue, (linux,), rtt_ms=rtt_ms, seconds=17.0, warm=1.0, segments=True), kind, preset)


def fast(name: str, linux: str, kind: str, preset: str | None, queue: str, seconds: float) -> Sender:
    """The first 0.6 s of one flow over 100 Mbit/s with a round trip of 10 ms: packets have more than two segments."""
    job = Job(name, queue, (linux,), rate=100_000_000, rtt_ms=10.0, seconds=seconds, warm=1.0, segments=True)
    return Sender(job, kind, preset)


def one_of_16(linux: str, kind: str, preset: str | None, queue: str, *, ecn: bool = False) -> Sender:
    """The first of 16 flows over 10 Mbit/s, whose windows are small."""
    job = Job(
        f"{linux}-{queue.split()[0]}" + ("-ecn" if ecn else "") + "-16",
        queue,
        (linux,) * 16,
        ecn,
        seconds=42.0,
        warm=1.0,
        segments=True,
    )
    return Sender(job, kind, preset)


def under(name: str, queue: str, rate: int = 5_000_000, seconds: float = 22.0, more: tuple[str, ...] = ()) -> Sender:
    """BBR under a name of its own, before as many other flows as `more` has."""
    job = Job(f"bbr-{name}", queue, ("bbr", *more), rate=rate, seconds=seconds, warm=1.0, segments=True)
    return Sender(job, "bbr")


def crowded(linux: str, more: tuple[str, ...]) -> Sender:
    """The first of 16 flows that speak ECN over 1 Mbit/s, behind a CHOKe that marks and drops much."""
    flows, queue = (linux, *more), QUEUES["choke_ecn"].tc
    job = Job(f"{linux}-choke-ecn-16", queue, flows, True, 1_000_000, 10.0, warm=1.0, segments=True)
    return Sender(job, linux)


def hundred() -> Sender:
    """The first of 100 flows that speak ECN over 1 Mbit/s. Round trips take seconds, most timeouts are spurious."""
    job = Job("bbr-fq_codel-ecn-100", "fq_codel", ("bbr",) * 100, True, 1_000_000, 10.0, warm=1.0, segments=True)
    return Sender(job, "bbr")


def large() -> Sender:
    """The first of 8 flows of BBR beside 8 of CUBIC over 100 Mbit/s with a round trip of 160 ms."""
    flows = ("bbr",) * 8 + ("cubic",) * 8
    job = Job("bbr-160ms", "pfifo limit 100", flows, rate=100_000_000, rtt_ms=160.0, seconds=6.0, warm=1.0)
    return Sender(replace(job, segments=True), "bbr")


def losing_many(linux: str, kind: str, preset: str | None, queue: str, seed: int) -> Sender:
    """The first of 16 flows over 100 Mbit/s with a round trip of 160 ms. Slow start ends with thousands of losses."""
    name = f"{linux}-{queue.split()[0]}-ecn-100mbit"
    job = Job(name, queue, (linux,) * 16, ecn=True, rate=100_000_000, rtt_ms=160.0, seconds=8.0, warm=5.0, seed=seed)
    return Sender(replace(job, segments=True), kind, preset)


def policed(linux: str, flows: int, burst: int) -> Sender:
    """A flow behind a policer of 10 Mbit/s. Few packets are lost at a time, and the receiver's window becomes smaller
    while others wait behind a hole.
    """
    job = Policed(linux, flows, burst).job(1)
    return Sender(replace(job, name=f"{linux}-policer", seconds=8.0, warm=1.0, segments=True), linux)


def one_of_4(linux: str, kind: str, preset: str | None, queue: str, rtt_ms: float) -> Sender:
    """The first of 4 flows over 10 Mbit/s."""
    name = f"{linux}-{queue.split()[0]}-{rtt_ms:.0f}ms-4"
    return Sender(Job(name, queue, (linux,) * 4, rtt_ms=rtt_ms, seconds=32.0, warm=1.0, segments=True), kind, preset)


def one_of_100(linux: str, kind: str, preset: str | None, queue: str, seed: int, *, ecn: bool = False) -> Sender:
    """The first of 100 flows over 10 Mbit/s with a round trip of 10 ms: two of five packets are lost."""
    name = f"{linux}-{queue.split()[0]}" + ("-ecn" if ecn else "") + f"-100-{seed}"
    job = Job(name, queue, (linux,) * 100, ecn, rtt_ms=10.0, seconds=40.0, warm=1.0, seed=seed, segments=True)
    return Sender(job, kind, preset)


def late_start() -> Sender:
    """The first of 16 flows that speak ECN over 1 Mbit/s. It begins behind the others. Its first timeout is not
    necessary, and the acknowledgement that shows this also has an echo of a mark.
    """
    job = Job(
        "reno-fq_codel-ecn-1mbit", "fq_codel", ("reno",) * 16, True, 1_000_000, 10.0, seconds=22.0, warm=1.0, seed=LATE
    )
    return Sender(replace(job, segments=True), "reno", None)


def one_of(
    name: str, linux: str, preset: str | None, queue: str, flows: int, rtt_ms: float, seconds: float, seed: int
) -> Sender:
    """The first flow over 10 Mbit/s in a run where a fault was found; it speaks ECN if its name says so."""
    job = Job(name, queue, (linux,) * flows, "-ecn" in name, rtt_ms=rtt_ms, seconds=seconds, warm=1.0, seed=seed)
    return Sender(replace(job, segments=True), linux, preset)


def leaking() -> Sender:
    """The first of 100 flows over 1 Mbit/s. After a timeout that was taken back and another one, Linux counts one
    segment too many in the network.
    """
    flows, queue, seed = ("reno",) * 100, QUEUES["fq_codel_noecn"].tc, 1
    job = Job("reno-fq_codel-100", queue, flows, rate=1_000_000, seconds=40.0, warm=1.0, seed=seed)
    return Sender(replace(job, segments=True), "reno", None)


def disturbed(name: str, linux: str, netem: str, queue: str = "pfifo limit 50", *, ecn: bool = False) -> Sender:
    """One flow over 10 Mbit/s with a round trip of 50 ms, and netem's words behind the link."""
    job = Job(f"{linux}-{name}", queue, (linux,), ecn, rtt_ms=50.0, seconds=7.0, warm=1.0, netem=netem)
    return Sender(replace(job, segments=True), linux, None if linux in ("reno", "dctcp") else "linux")


def of_mtu(linux: str, mtu: int, seconds: float) -> Sender:
    """One flow over 10 Mbit/s with packets of another size."""
    job = Job(f"{linux}-mtu-{mtu}", "pfifo limit 50", (linux,), seconds=seconds, warm=1.0, mtu=mtu)
    return Sender(replace(job, segments=True), linux)


def received(linux: str, most: int) -> Sender:
    """One flow over 10 Mbit/s to a receiver whose buffer has `most` bytes."""
    job = Job(f"{linux}-receive-{most // 1000}", "pfifo limit 50", (linux,), seconds=7.0, warm=1.0, segments=True)
    hosts = (f"tcp_rmem=4096,{min(most, 131_072)},{most}",)
    return Sender(replace(job, hosts=hosts), linux, settings=(("receive_buffer", f"{most}B"),))


# The seed of a run in which the first flow begins at 1.9 s.
LATE = 33
LAWS = ("htcp", "illinois", "bic", "hybla", "veno", "yeah", "nv", "cdg")
# Each is in the repository as evidence/linux/recordings/senders/NAME.xz.
RECORDED = {
    sender.job.name: sender
    for sender in [
        alone("cubic", "cubic"),
        alone("reno", "reno", None),
        alone("bbr", "bbr"),
        alone("westwood", "westwood"),
        alone("vegas", "vegas"),
        alone("highspeed", "hstcp"),
        alone("scalable", "scalable"),
        alone("cubic", "cubic", queue="codel"),
        alone("reno", "reno", None, queue="codel"),
        alone("cubic", "cubic", queue="codel ecn", ecn=True),
        alone("reno", "reno", None, queue="codel ecn", ecn=True),
        alone("dctcp", "dctcp", None, queue="codel ecn ce_threshold 5ms", ecn=True),
        alone("westwood", "westwood", queue="codel"),
        short("cubic", "cubic", "linux", "pfifo limit 100", 10.0),
        short("reno", "reno", None, "sfb", 40.0),
        # It begins at 1.26 s.
        fast("reno-sfb-100mbit", "reno", "reno", None, "sfb", 1.84),
        one_of_16("reno", "reno", None, "fq_codel", ecn=True),
        one_of_16("reno", "reno", None, "fq_codel noecn"),
        one_of_16("cubic", "cubic", "linux", "fq_codel", ecn=True),
        losing_many("dctcp", "dctcp", None, "fq_pie ecn", 3),
        alone("bbr", "bbr", queue="codel"),
        alone("bbr", "bbr", queue="codel ecn", ecn=True),
        under("1mbit", "pfifo limit 50", rate=1_000_000),
        under("100mbit", "pfifo limit 200", rate=100_000_000, seconds=4.0),
        under("few", "pfifo limit 2"),
        under("mixed", "pfifo limit 50", more=("cubic",) * 3),
        hundred(),
        large(),
        policed("cubic", 1, 15_000),
        crowded("bbr", ("cubic",) * 15),
        crowded("cubic", ("cubic",) * 7 + ("bbr",) * 8),
        *(one_of_100("dctcp", "dctcp", None, "pie ecn", seed, ecn=True) for seed in (1, 4, 5, 6)),
        alone("cubic", "cubic", queue=QUEUES["red_ecn"].tc, ecn=True),
        one_of_4("reno", "reno", None, "codel", 160.0),
        late_start(),
        leaking(),
        # HyStart ends slow start while the window falls.
        one_of("cubic-pfifo-16", "cubic", "linux", "pfifo limit 100", 16, 40.0, 12.0, 5),
        # Only what a window of data has used lets it grow.
        one_of("illinois-pfifo-16", "illinois", "linux", "pfifo limit 100", 16, 40.0, 12.0, 5),
        one_of("hybla-pie-160ms", "hybla", "linux", "pie", 1, 160.0, 22.0, 5),
        # A repair into an empty network has the law begin anew.
        one_of("yeah-pfifo-16", "yeah", "linux", "pfifo limit 100", 16, 40.0, 12.0, 5),
        # The round trip of the acknowledgement with which a recovery ends counts.
        one_of("hybla-pfifo-4", "hybla", "linux", "pfifo limit 100", 4, 40.0, 32.0, 533220705),
        # A recovery ends before anything has been sent again.
        one_of("dctcp-fq_pie-ecn-4", "dctcp", None, "fq_pie ecn", 4, 10.0, 32.0, 1022917587),
        # The round trip of the handshake counts in the first round.
        one_of("cdg-codel-4", "cdg", "linux", "codel", 4, 40.0, 22.0, 1),
        *(alone(law, law, queue=queue) for law in LAWS for queue in ("pfifo limit 50", "codel")),
        # Where reordering is wide, reports of data out of order open the window.
        *(disturbed("reorder", law, "reorder 10% 25%") for law in ("cubic", "reno", "bbr", "vegas")),
        # Segments count as delivered when they are reported, and as marked.
        disturbed("reorder", "dctcp", "reorder 10% 25%", "codel ecn", ecn=True),
        *(disturbed("jitter", law, "4ms") for law in ("cubic", "bbr", "hybla")),
        *(disturbed("duplicate", law, "duplicate 3%") for law in ("cubic", "bbr")),
        disturbed("loss", "cubic", "loss random 2%"),
        disturbed("all", "bbr", "2ms loss random 1% duplicate 1%"),
        *(of_mtu(law, 9000, 7.0) for law in ("cubic", "bbr", "hybla")),
        *(of_mtu(law, 576, 5.0) for law in ("cubic", "bbr")),
        received("cubic", 90_000),
    ]
}

HELD = "the moment at which a report of losses, held back for others, is sent"
ORDER = (
    "where packets are reordered, repeated or small, the receive buffer has a little more or less room, so that "
    "reports are held at other moments"
)
ENDS = "the connection ends (FIN)"
WINDOW = "the receive buffer has a little more or less room, so that another segment is acknowledged at once"
SLOT = "the end of the handshake is not recorded, so that eight others leave 8 ms later; the connection ends (FIN)"
# Known differences at most: windows, segments, acknowledgements of the receiver; and why.
DIFFER = {
    "cubic-pfifo": ((0, 0, 0), ""),
    "reno-pfifo": ((0, 0, 0), ""),
    "bbr-pfifo": ((0, 0, 0), ""),
    "westwood-pfifo": ((0, 0, 0), ""),
    "vegas-pfifo": ((0, 0, 0), ""),
    "highspeed-pfifo": ((0, 0, 0), ""),
    "scalable-pfifo": ((0, 0, 0), ""),
    "cubic-codel": ((0, 0, 0), ""),
    "reno-codel": ((0, 0, 0), ""),
    "cubic-codel-ecn": ((0, 0, 0), ""),
    "reno-codel-ecn": ((0, 0, 0), ""),
    "dctcp-codel-ecn": ((0, 0, 0), ""),
    "westwood-codel": ((0, 0, 0), ""),
    "cubic-pfifo-10ms": ((0, 0, 0), ""),
    "reno-sfb-40ms": ((0, 0, 2), HELD),
    "reno-sfb-100mbit": ((0, 0, 19), HELD),
    "reno-fq_codel-ecn-16": ((0, 0, 0), ""),
    "reno-fq_codel-16": ((0, 0, 0), ""),
    "cubic-fq_codel-ecn-16": ((0, 0, 0), ""),
    "dctcp-fq_pie-ecn-100mbit": ((0, 0, 0), ""),
    "bbr-codel": ((0, 0, 97), HELD),
    "bbr-codel-ecn": ((0, 0, 0), ""),
    "bbr-1mbit": ((0, 0, 0), ""),
    "bbr-100mbit": ((0, 0, 27), HELD),
    "bbr-few": ((0, 0, 98), HELD),
    "bbr-mixed": ((0, 0, 33), HELD),
    "bbr-fq_codel-ecn-100": ((0, 0, 2), ENDS),
    "bbr-160ms": ((0, 0, 233), HELD),
    "cubic-policer": ((0, 0, 0), ""),
    "bbr-choke-ecn-16": ((0, 0, 0), ""),
    "cubic-choke-ecn-16": ((0, 0, 0), ""),
    "dctcp-pie-ecn-100-1": ((0, 0, 0), ""),
    "dctcp-pie-ecn-100-4": ((0, 0, 0), ""),
    "dctcp-pie-ecn-100-5": ((0, 0, 0), ""),
    "dctcp-pie-ecn-100-6": ((0, 0, 4), HELD),
    "cubic-red-ecn": ((0, 0, 0), ""),
    "reno-codel-160ms-4": ((0, 0, 0), ""),
    "reno-fq_codel-ecn-1mbit": ((0, 0, 11), SLOT),
    "htcp-pfifo": ((0, 0, 0), ""),
    "htcp-codel": ((0, 0, 0), ""),
    "illinois-pfifo": ((0, 0, 0), ""),
    "illinois-codel": ((0, 0, 0), ""),
    "bic-pfifo": ((0, 0, 0), ""),
    "bic-codel": ((0, 0, 0), ""),
    "hybla-pfifo": ((0, 0, 11), WINDOW),
    "hybla-codel": ((0, 0, 0), ""),
    "veno-pfifo": ((0, 0, 0), ""),
    "veno-codel": ((0, 0, 0), ""),
    "yeah-pfifo": ((0, 0, 0), ""),
    "yeah-codel": ((0, 0, 0), ""),
    "nv-pfifo": ((0, 0, 0), ""),
    "nv-codel": ((0, 0, 0), ""),
    "cdg-codel-4": ((0, 0, 0), ""),
    "reno-fq_codel-100": ((0, 0, 0), ""),
    "cubic-pfifo-16": ((0, 0, 0), ""),
    "illinois-pfifo-16": ((0, 0, 4), HELD),
    "hybla-pie-160ms": ((0, 0, 0), ""),
    "yeah-pfifo-16": ((0, 0, 10), HELD),
    "hybla-pfifo-4": ((0, 0, 10), HELD),
    "dctcp-fq_pie-ecn-4": ((0, 0, 8), HELD),
    "cdg-pfifo": ((0, 0, 0), ""),
    "cdg-codel": ((0, 0, 0), ""),
    "cubic-reorder": ((0, 0, 7), ORDER),
    "reno-reorder": ((0, 0, 13), ORDER),
    "bbr-reorder": ((0, 0, 10), ORDER),
    "vegas-reorder": ((0, 0, 33), ORDER),
    "dctcp-reorder": ((0, 0, 11), ORDER),
    "cubic-jitter": ((0, 0, 71), ORDER),
    "bbr-jitter": ((0, 0, 1242), ORDER),
    "hybla-jitter": ((0, 0, 270), ORDER),
    "cubic-duplicate": ((0, 0, 4), ORDER),
    "bbr-duplicate": ((0, 0, 124), ORDER),
    "cubic-loss": ((0, 0, 9), ORDER),
    "bbr-all": ((0, 0, 1622), ORDER),
    "cubic-mtu-9000": ((0, 0, 0), ""),
    "bbr-mtu-9000": ((0, 0, 0), ""),
    "hybla-mtu-9000": ((0, 0, 0), ""),
    "cubic-mtu-576": ((0, 0, 13), ORDER),
    "bbr-mtu-576": ((0, 0, 17), ORDER),
    "cubic-receive-90": ((0, 0, 0), ""),
}
# Recordings that did not change their receiver, and how many of its windows differ at most.
OFFERS = {
    "reno-pfifo": 0,
    "westwood-pfifo": 0,
    "scalable-pfifo": 0,
    "reno-codel": 0,
    "reno-sfb-40ms": 57,
    "reno-sfb-100mbit": 0,
    "reno-fq_codel-16": 5,
    "bbr-codel": 4,
    "bbr-100mbit": 0,
    "bbr-few": 0,
    "bbr-mixed": 3038,
    "bbr-choke-ecn-16": 50,
    "reno-codel-160ms-4": 6,
    "htcp-pfifo": 0,
    "htcp-codel": 0,
    "hybla-pfifo": 4989,
    "hybla-codel": 0,
    "veno-pfifo": 0,
    "veno-codel": 0,
    "yeah-pfifo": 0,
    "nv-pfifo": 0,
}
