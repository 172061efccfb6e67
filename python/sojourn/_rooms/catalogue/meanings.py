"""The meaning of each column of results: what it measures, and whether less or more of it is better.

Sentences and directions come from this table, and not from how the name of a column begins: ``sojourn_sd_ms`` is a
spread, not a wait. A column that is not in it, such as one of a new table, has neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["MEANINGS", "Meaning", "meaning"]

Direction = Literal["less", "more", ""]


@dataclass(frozen=True)
class Meaning:
    """The meaning of a column.

    Attributes
    ----------
    better
        The direction that is better for everybody; empty where that depends on the purpose.
    wanted
        The direction of somebody who names the column as a goal; empty where nobody can know it.
    kind
        ``"wait"``: a time that packets wait; ``"delay"``: another time that something takes; ``"transfer"``: the time
        until a transfer is done; ``"spread"``: how unequal values are; ``"part"``: a share of things; ``""``: others.
    carried
        Whether it says how much a link or a flow carries.
    noun
        The quantity without its statistic, for sentences.
    statistic
        ``"mean"``, ``"p50"`` ... ``"p99"`` or ``"max"``; empty where it is a number of its own.
    """

    better: Direction = ""
    wanted: Direction = ""
    kind: Literal["wait", "delay", "transfer", "spread", "part", ""] = ""
    carried: bool = False
    noun: str = ""
    statistic: str = ""


_NOTHING = Meaning()
_QUANTILES = ("mean", "p50", "p90", "p95", "p99", "max")


def _times() -> Iterator[tuple[str, Meaning]]:
    """Statistics of times: each time has a mean, quantiles and perhaps a spread."""
    for stem, unit, kind, noun in (
        ("sojourn", "ms", "wait", "sojourn time"),
        ("queueing", "ms", "wait", "time in queues"),
        ("delay", "ms", "delay", "one-way delay"),
        ("rtt", "ms", "delay", "round-trip time"),
        ("completion", "s", "transfer", "completion time"),
        ("round_slowest", "s", "delay", "time of a round"),
    ):
        of_all = Meaning("less", "less", kind, noun=noun)  # type: ignore[arg-type]
        for statistic in _QUANTILES:
            yield f"{stem}_{statistic}_{unit}", replace(of_all, statistic=statistic)
        yield f"{stem}_sd_{unit}", replace(of_all, kind="spread")
    yield "sojourn_ms", Meaning("less", "less", "wait", noun="sojourn time")
    yield "duration_ms", Meaning("", "less", "delay", noun="time")
    yield "duration_s", Meaning("", "less", "transfer", noun="completion time")
    for name, noun in (
        ("added_ms", "latency that load adds"),
        ("tcp_f_ms", "time to open a connection"),
        ("tls_f_ms", "time for TLS"),
        ("http_f_ms", "time for a request on a new connection"),
        ("http_l_ms", "time for a request on a loaded connection"),
    ):
        yield name, Meaning("less", "less", "delay", noun=noun)


def _rates() -> Iterator[tuple[str, Meaning]]:
    for stem in ("throughput", "goodput"):
        rate = Meaning("more", "more", carried=True, noun=stem)
        yield f"{stem}_bps", rate
        yield f"{stem}_mean_bps", replace(rate, statistic="mean")
        # Flows that differ more are not better off.
        yield f"{stem}_sd_bps", Meaning("", "less", "spread", noun=f"{stem} of its flows")
    yield "delivered_bps", Meaning("more", "more", carried=True, noun="delivered rate")
    yield "utilisation", Meaning("", "more", "part", carried=True, noun="utilisation")
    yield "video_bitrate_bps", Meaning("more", "more", noun="bitrate of the video")


def _others() -> Iterator[tuple[str, Meaning]]:
    for name, noun in (
        ("rpm", "number of round trips per minute"),
        ("foreign_rpm", "number of round trips per minute on new connections"),
        ("loaded_rpm", "number of round trips per minute on loaded connections"),
        ("mos", "opinion of the call (MOS)"),
        ("jain_index", "fairness by Jain's index"),
        ("fairness_index", "fairness index"),
    ):
        yield name, Meaning("more", "more", noun=noun)
    for name, noun in (
        ("loss_ratio", "loss ratio"),
        ("late_fraction", "part of the packets that are too late"),
        ("stall_fraction", "part of the time in which the video stalls"),
    ):
        yield name, Meaning("less", "less", "part", noun=noun)
    yield "stalls", Meaning("less", "less", noun="number of stalls")
    for name in ("byte_loss_ratio", "drops_packets", "drops_bytes", "retransmits", "timeouts"):
        yield name, Meaning("", "less")
    for statistic in ("mean_packets", "mean_bytes", "max_packets", "sampled_mean_packets", "packets", "bytes"):
        yield f"backlog_{statistic}", Meaning("", "less", noun="backlog")
    for statistic in ("sd_packets", "sampled_sd_packets"):
        yield f"backlog_{statistic}", Meaning("", "less", "spread", noun="backlog")
    for name in ("loss_run_mean_packets", "loss_run_max_packets"):
        yield name, Meaning("", "less")


MEANINGS: Mapping[str, Meaning] = {**dict(_times()), **dict(_rates()), **dict(_others())}
"""By column."""


def meaning(column: str) -> Meaning:
    """The meaning of a column; one without a direction if the table does not have it.

    >>> meaning("sojourn_p99_ms").kind, meaning("sojourn_sd_ms").kind, meaning("sojourn_cv").better
    ('wait', 'spread', '')
    """
    return MEANINGS.get(column, _NOTHING)
