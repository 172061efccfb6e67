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
        one_of_16("reno", "reno", None, "fq_codel", ecn=True),
        one_of_16("reno", "reno", None, "fq_codel noecn"),
        one_of_16("cubic", "cubic", "linux", "fq_codel", ecn=True),
    ]
}

QUICK = "Linux acknowledges each segment while its receive window grows"
# What differs at most: windows, segments, acknowledgements of the receiver; and why.
DIFFER = {
    "cubic-pfifo": ((249, 250, 647), f"{QUICK}; one segment in the window for a time"),
    "reno-pfifo": ((0, 3, 507), QUICK),
    "bbr-pfifo": ((4240, 7926, 96), f"{QUICK}; pacing"),
    "westwood-pfifo": ((1237, 1436, 481), f"{QUICK}; the estimate of the rate"),
    "vegas-pfifo": ((98, 98, 31), f"{QUICK}; one segment in the window for a time"),
    "highspeed-pfifo": ((0, 1, 726), QUICK),
    "scalable-pfifo": ((0, 4, 1540), QUICK),
    "cubic-codel": ((212, 212, 705), f"{QUICK}; one segment in the window for a time"),
    "reno-codel": ((7, 11, 913), f"{QUICK}; a repair of the tail's probe"),
    "cubic-codel-ecn": ((295, 295, 67), f"{QUICK}; one segment in the window for a time"),
    "reno-codel-ecn": ((0, 0, 77), QUICK),
    "dctcp-codel-ecn": ((3810, 5792, 318), f"{QUICK}; the share of marks"),
    "reno-fq_codel-ecn-16": ((0, 1, 30), QUICK),
    "reno-fq_codel-16": ((150, 95, 355), QUICK),
    "cubic-fq_codel-ecn-16": ((0, 0, 95), QUICK),
}
