"""Which senders are recorded: Linux's control beside Sojourn's, and the path."""

from __future__ import annotations

from dataclasses import dataclass

from kernel_machine import Job


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


def under(
    name: str,
    queue: str,
    rate: int = 5_000_000,
    seconds: float = 22.0,
    more: tuple[str, ...] = (),
    *,
    defers: bool = True,
) -> Sender:
    """BBR under a name of its own, before as many other flows as `more` has. Without `defers` no packet waits to become
    larger, so that it decides nothing where packets end.
    """
    hosts = () if defers else ("tcp_tso_win_divisor=255",)
    job = Job(f"bbr-{name}", queue, ("bbr", *more), rate=rate, seconds=seconds, warm=1.0, segments=True, hosts=hosts)
    return Sender(job, "bbr", settings=() if defers else (("defer", "false"),))


LAWS = ("htcp", "illinois", "bic", "hybla", "veno", "yeah", "nv", "cdg")
# Each is in the repository as senders/NAME.xz.
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
        short("cubic", "cubic", "linux", "pfifo limit 100", 10.0),
        short("reno", "reno", None, "sfb", 40.0),
        one_of_16("reno", "reno", None, "fq_codel", ecn=True),
        one_of_16("reno", "reno", None, "fq_codel noecn"),
        one_of_16("cubic", "cubic", "linux", "fq_codel", ecn=True),
        alone("bbr", "bbr", queue="codel"),
        under("1mbit", "pfifo limit 50", rate=1_000_000),
        under("100mbit", "pfifo limit 200", rate=100_000_000, seconds=4.0, defers=False),
        under("few", "pfifo limit 2"),
        under("mixed", "pfifo limit 50", more=("cubic",) * 3),
        *(alone(law, law, queue=queue) for law in LAWS for queue in ("pfifo limit 50", "codel")),
    ]
}

OWN_CLOCK = "the receiver estimates its round trip without an echo of its own clock"
HELD = "when reports of losses are held together"
SMOOTHED = (
    "the smoothed round trip is a real number here, so that now and then a segment waits for a second one or does not"
)
LARGER = "above 510 segments Linux's packets wait to become larger all the same"
UNKNOWN = "cause not found"
# What differs at most: windows, segments, acknowledgements of the receiver; and why.
DIFFER = {
    "cubic-pfifo": ((0, 0, 499), f"{OWN_CLOCK}; when reports of losses are held together"),
    "reno-pfifo": ((0, 3, 299), f"{ENDS}; when reports of losses are held together"),
    "bbr-pfifo": ((3779, 5704, 4), "the moments at which packets leave, from acknowledgement 209 on"),
    "westwood-pfifo": ((0, 10, 297), f"{ENDS}; when reports of losses are held together"),
    "vegas-pfifo": ((0, 0, 17), OWN_CLOCK),
    "highspeed-pfifo": ((0, 1, 515), f"{ENDS}; when reports of losses are held together"),
    "scalable-pfifo": ((0, 4, 1205), f"{ENDS}; when reports of losses are held together"),
    "cubic-codel": ((0, 0, 611), f"{OWN_CLOCK}; when reports of losses are held together"),
    "reno-codel": (
        (7, 11, 703),
        "Linux's sender waits for the receiver's window; when reports of losses are held together",
    ),
    "cubic-codel-ecn": ((0, 0, 4), OWN_CLOCK),
    "reno-codel-ecn": ((0, 0, 5), OWN_CLOCK),
    "dctcp-codel-ecn": ((1375, 2195, 0), f"{ENDS}: from acknowledgement 3,631 on a mark more or less"),
    "cubic-pfifo-10ms": ((0, 4, 565), f"{ENDS}; when reports of losses are held together"),
    "reno-sfb-40ms": ((0, 9, 424), f"{ENDS}; when reports of losses are held together"),
    "reno-fq_codel-ecn-16": ((0, 1, 18), f"{ENDS}; {OWN_CLOCK}"),
    "reno-fq_codel-16": ((1, 0, 355), f"{LATER}; when reports of losses are held together"),
    "cubic-fq_codel-ecn-16": ((0, 0, 88), OWN_CLOCK),
    "htcp-pfifo": ((0, 0, 607), OWN_CLOCK),
    "htcp-codel": ((7, 11, 667), WAITS),
    "illinois-pfifo": ((0, 0, 140), OWN_CLOCK),
    "illinois-codel": ((0, 0, 4066), OWN_CLOCK),
    "bic-pfifo": ((0, 0, 510), OWN_CLOCK),
    "bic-codel": ((4991, 8087, 751), WAITS),
    "hybla-pfifo": ((5108, 8668, 606), BUFFER),
    "hybla-codel": ((4923, 7697, 1060), BUFFER),
    "veno-pfifo": ((0, 0, 237), OWN_CLOCK),
    "veno-codel": ((7, 11, 684), WAITS),
    "yeah-pfifo": ((0, 9, 464), OWN_CLOCK),
    "yeah-codel": ((0, 3, 2081), OWN_CLOCK),
    "nv-pfifo": ((932, 1455, 0), CHANCE),
    "nv-codel": ((393, 379, 1007), WAITS),
    "cdg-pfifo": ((4030, 6966, 0), CHANCE),
    "cdg-codel": ((3351, 5268, 515), CHANCE),
}
