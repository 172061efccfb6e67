"""The JSON of iperf3: rates of each second, and round trips of TCP at the end that sends.

Its ``min_rtt`` is the least of the smoothed round trips at the ends of intervals (iperf 3.12,
``iperf_tcp.c`` and ``iperf_api.c``). A queue is full a second after the
start, so this is not the round trip without load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..fields import Fields
from ..measurement import DOWN, UP, Jitter, Load, Measurement, Rate, Trips, Way
from .format import Content, Format

__all__ = ["FORMAT"]

_SETTLED_S = 5.0
"""Seconds after which the senders of a test have filled the queue once."""


def _knows(content: Content) -> bool:
    return content.has("start", "intervals") or bool(_events(content.json))


def _read(content: Content) -> Measurement:
    whole = content.fields if content.has("start", "intervals") else Fields(_joined(content.json), content.file)
    if whole.has("error"):
        raise ValueError(f"{content.file}: this test of iperf3 failed; the file says so in error")
    test = whole.table("start", "test_start")
    if not list(whole.tables("intervals")):
        raise ValueError(f"{content.file}: intervals is empty: the test of iperf3 was cut off")
    first: Way = DOWN if test.number("reverse") else UP
    if test.text("protocol") == "UDP":
        return _datagrams(whole, first, content.file)
    ways: dict[Way, str] = {first: ""}
    if test.number("bidir") or whole.has("end", "sum_received_bidir_reverse"):
        ways[UP if first == DOWN else DOWN] = "_bidir_reverse"
    rates = {way: _rate(whole, way, more) for way, more in ways.items()}
    flows = test.number("num_streams")
    sent = whole.number("end", "sum_sent", "retransmits")
    duration = test.number("duration")
    load = Load(
        rates=rates,
        trips=tuple(_trips(whole, duration or 0.0)),
        flows=int(flows) if flows else None,
        law=whole.text("end", "sender_tcp_congestion"),
        lost=None if sent is None else sent > 0,
        duration_s=duration,
    )
    return Measurement("iperf3", content.file, (load,))


def _rate(whole: Fields, way: Way, more: str) -> Rate:
    """The receiver's: each second where that is this end, else the mean of the test."""
    mss = whole.number("start", "tcp_mss_default", least=1.0) or whole.number("start", "tcp_mss", least=1.0)
    payload = int(mss) if mss else None
    if way == DOWN:
        name = f"sum{more}"
        rows = [one for one in whole.tables("intervals") if one.has(name) and not one.data[name].get("omitted")]
        if values := [one.needed(name, "bits_per_second") for one in rows]:
            return Rate(f"intervals[].{name}.bits_per_second", values, mss=payload)
    name = f"sum_received{more}"
    mean = whole.needed("end", name, "bits_per_second", least=1.0)
    return Rate(f"end.{name}.bits_per_second", [mean], mss=payload, whole_s=whole.number("end", name, "seconds"))


def _trips(whole: Fields, duration_s: float) -> list[Trips]:
    begins = min(_SETTLED_S, duration_s / 3.0)
    found = []
    for one in whole.tables("intervals"):
        streams = list(one.tables("streams"))
        if (streams[0].number("start") or 0.0) < begins if streams else True:
            continue
        for stream in streams:
            micro = stream.number("rtt")
            if micro and stream.data.get("sender", True):
                found.append(micro / 1e3)
    if not found:
        return []
    return [Trips("intervals[].streams[].rtt", "tcp", ms=found, span_s=max(duration_s - begins, 1.0))]


def _datagrams(whole: Fields, way: Way, file: str) -> Measurement:
    """A stream of UDP fills the line if packets of it are lost."""
    sums = whole.table("end", "sum")
    lost = sums.number("lost_packets") or 0.0
    loads: list[Load] = []
    notes = []
    if lost > 0.0:
        received = whole.number("end", "sum_received", "bits_per_second")
        share = lost / max(sums.needed("packets", least=1.0), 1.0)
        name = "sum_received" if received else "sum"
        bps = received or sums.needed("bits_per_second", least=1.0) * (1.0 - share)
        size = whole.number("start", "test_start", "blksize", least=1.0)
        rate = Rate(f"end.{name}.bits_per_second", [bps], layer="udp", mss=int(size) if size else None)
        loads.append(Load({way: rate}, lost=True, law="none", duration_s=whole.number("end", "sum", "seconds")))
    else:
        notes.append("No datagram was lost, so the line was not full, and the rate of the test is not the line's.")
    jitter = sums.number("jitter_ms")
    variation = None if jitter is None else Jitter("end.sum.jitter_ms", jitter, "smoothed as in RFC 3550, one way")
    return Measurement("iperf3", file, tuple(loads), jitter=variation, notes=tuple(notes))


def _events(json: Any) -> list[Mapping[str, Any]]:
    """The lines of ``--json-stream``."""
    rows = json if isinstance(json, list) else [json]
    return [row for row in rows if isinstance(row, Mapping) and "event" in row and "data" in row]


def _joined(json: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"start": {}, "intervals": [], "end": {}}
    for row in _events(json):
        if row["event"] == "interval":
            found["intervals"].append(row["data"])
        else:
            found[str(row["event"])] = row["data"]
    return found


FORMAT = Format("JSON of iperf3", "iperf3 -c SERVER -P 4 -t 30 -J > up.json", _knows, _read)
