"""A capture at the user's end: bytes over time from the lengths of packets, round trips from the timestamps of TCP.

The time from the first packet with a timestamp to the first one that echoes it is a round trip from where the capture
was made (RFC 7323 section 4; the method of Tstat and ``pping``). The side of the home is that which opened the
connection; where no opening was captured, that with private addresses.
"""

from __future__ import annotations

import ipaddress
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..measurement import DOWN, UP, WAYS, Load, Measurement, Rate, Trips, Way
from .format import Content, Format

__all__ = ["FORMAT"]

_PCAP = {b"\xd4\xc3\xb2\xa1": ("<", 1e-6), b"\xa1\xb2\xc3\xd4": (">", 1e-6)}
_PCAP |= {b"\x4d\x3c\xb2\xa1": ("<", 1e-9), b"\xa1\xb2\x3c\x4d": (">", 1e-9)}
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_ETHERNET, _RAW, _RAW_OLD, _LINUX, _LINUX2 = 1, 101, 12, 113, 276
_SYN, _ACK = 0x02, 0x10
_FULL_SHARE = 0.5
_SETTLED_S = 5.0
_LEAST_S = 3.0
_BULK = 20
"""Packets with payload in each second, from which on a connection fills a line in this sense."""


@dataclass
class _Packet:
    """The parts of a packet of TCP that matter here."""

    time_s: float
    source: tuple[bytes, int]
    sink: tuple[bytes, int]
    size: int
    payload: int
    flags: int
    acknowledged: int
    stamp: int | None
    echo: int


@dataclass
class _Side:
    """The packets in one direction of the line."""

    seconds: Counter[int] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    flows: Counter[tuple[tuple[bytes, int], tuple[bytes, int]]] = field(default_factory=Counter)


def _frames(data: bytes, file: str) -> Iterator[tuple[float, int, bytes]]:
    """Time in seconds, type of link and bytes of each frame."""
    if data[:4] in _PCAP:
        order, unit = _PCAP[data[:4]]
        if len(data) < 24:
            raise ValueError(f"{file}: the capture was cut off")
        (link,) = struct.unpack_from(f"{order}I", data, 20)
        at = 24
        while at + 16 <= len(data):
            seconds, parts, kept, _ = struct.unpack_from(f"{order}IIII", data, at)
            yield seconds + parts * unit, link & 0xFFFF, data[at + 16 : at + 16 + kept]
            at += 16 + kept
        return
    yield from _blocks(data, file)


def _blocks(data: bytes, file: str) -> Iterator[tuple[float, int, bytes]]:
    order, interfaces, at = "<", list[tuple[int, float]](), 0
    while at + 12 <= len(data):
        if data[at : at + 4] == _PCAPNG:
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if length < 12 or at + length > len(data):
            return
        if kind == 1:
            (link,) = struct.unpack_from(f"{order}H", data, at + 8)
            interfaces.append((link, _resolution(data[at + 16 : at + length - 4], order)))
        elif kind == 6:
            number, high, low, kept = struct.unpack_from(f"{order}IIII", data, at + 8)
            if number >= len(interfaces):
                raise ValueError(f"{file}: a packet of the capture is of an interface that it does not describe")
            link, unit = interfaces[number]
            yield ((high << 32) | low) * unit, link, data[at + 28 : at + 28 + kept]
        at += length


def _resolution(options: bytes, order: str) -> float:
    """Of the times of an interface: option 9 of its block."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from(f"{order}HH", options, at)
        if code == 9 and length:
            value = options[at + 4]
            return 2.0 ** -(value & 0x7F) if value & 0x80 else 10.0**-value
        at += 4 + (length + 3) // 4 * 4
        if code == 0:
            break
    return 1e-6


def _packet(time_s: float, link: int, frame: bytes) -> _Packet | None:
    """The packet of TCP in a frame; None if there is none."""
    start = {_ETHERNET: 14, _LINUX: 16, _LINUX2: 20}.get(link, 0)
    while link == _ETHERNET and frame[start - 2 : start] in (b"\x81\x00", b"\x88\xa8"):
        start += 4
    if link == _ETHERNET and frame[start - 2 : start] == b"\x88\x64":
        start += 8
    ip = frame[start:]
    if len(ip) < 40:
        return None
    if ip[0] >> 4 == 4 and ip[9] == 6:
        head, size = (ip[0] & 15) * 4, int.from_bytes(ip[2:4], "big")
        ends = (ip[12:16], ip[16:20])
    elif ip[0] >> 4 == 6 and ip[6] == 6:
        head, size = 40, 40 + int.from_bytes(ip[4:6], "big")
        ends = (ip[8:24], ip[24:40])
    else:
        return None
    tcp = ip[head:]
    if len(tcp) < 20:
        return None
    source, sink, _, acknowledged = struct.unpack_from(">HHII", tcp)
    offset = (tcp[12] >> 4) * 4
    stamp, echo = _stamps(tcp[20:offset])
    payload = max(size - head - offset, 0)
    return _Packet(time_s, (ends[0], source), (ends[1], sink), size, payload, tcp[13], acknowledged, stamp, echo)


def _stamps(options: bytes) -> tuple[int | None, int]:
    at = 0
    while at < len(options):
        kind = options[at]
        if kind == 1:
            at += 1
            continue
        length = options[at + 1] if at + 1 < len(options) else 0
        if kind == 8 and at + 10 <= len(options):
            stamp, echo = struct.unpack_from(">II", options, at + 2)
            return stamp, echo
        if kind == 0 or length < 2:
            break
        at += length
    return None, 0


def _homes(packets: Sequence[_Packet], file: str) -> set[bytes]:
    """The addresses of the side that the user is on."""
    opened = {one.source[0] for one in packets if one.flags & (_SYN | _ACK) == _SYN}
    if opened and not opened & {one.sink[0] for one in packets if one.flags & (_SYN | _ACK) == _SYN}:
        return opened
    private = {end for one in packets for end in (one.source[0], one.sink[0]) if ipaddress.ip_address(end).is_private}
    if not private or all(one.source[0] in private and one.sink[0] in private for one in packets):
        raise ValueError(
            f"{file}: it does not show which side is yours: no opening of a connection, and no side alone with private "
            "addresses\n  hint:    begin the capture before the transfers"
        )
    return private


def _read(content: Content) -> Measurement:
    found = (_packet(*frame) for frame in _frames(content.data, content.file))
    packets = [one for one in found if one is not None]
    if not packets:
        raise ValueError(f"{content.file}: no packet of TCP is in the capture\n  hint:    capture a large transfer")
    homes = _homes(packets, content.file)
    begin = packets[0].time_s
    sides = {way: _Side() for way in WAYS}
    for one in packets:
        one.time_s -= begin
        side = sides[UP if one.source[0] in homes else DOWN]
        side.seconds[int(one.time_s)] += one.size
        if one.payload:
            side.sizes[one.payload] += 1
            side.flows[(one.source, one.sink)] += 1
    trips = _round_trips(packets, homes)
    arrived = _acknowledged(packets, homes)
    spans = {way: span for way in WAYS if (span := _full(sides[way]))}
    loads, notes = [], list[str]()
    if merged := max(one.size for one in packets) > 2000:
        notes.append(
            "Packets of the capture were joined by the network card; their sizes count, their number does not."
        )
    if len(spans) == 2 and _overlap(spans[UP], spans[DOWN]) > 0.5:
        first = max(spans[UP][0], spans[DOWN][0])
        last = min(spans[UP][1], spans[DOWN][1])
        loads.append(_load({way: sides[way] for way in WAYS}, (first, last), trips, arrived, merged=merged))
    else:
        loads += [_load({way: sides[way]}, span, trips, arrived, merged=merged) for way, span in spans.items()]
    quiet = [ms for at, ms in trips if all(at < first - 0.1 or at > last + 2.0 for first, last in spans.values())]
    opening = _openings(packets, homes)
    idle = []
    if opening or quiet:
        least = [*opening, *quiet]
        idle.append(Trips("openings and quiet times of TCP", ms=least))
    return Measurement("capture", content.file, tuple(loads), tuple(idle), notes=tuple(notes))


def _round_trips(packets: Sequence[_Packet], homes: set[bytes]) -> list[tuple[float, float]]:
    """When a round trip ended, and its milliseconds."""
    waiting: dict[tuple[object, object, int], float] = {}
    found = []
    for one in packets:
        if one.stamp is None:
            continue
        if one.source[0] in homes:
            waiting.setdefault((one.source, one.sink, one.stamp), one.time_s)
        else:
            sent = waiting.get((one.sink, one.source, one.echo), -1.0)
            if sent >= 0.0:
                found.append((one.time_s, (one.time_s - sent) * 1e3))
                # Later echoes of it are no samples.
                waiting[(one.sink, one.source, one.echo)] = -1.0
    return [(at, ms) for at, ms in found if ms > 0.0]


def _acknowledged(packets: Sequence[_Packet], homes: set[bytes]) -> Counter[int]:
    """Bytes of the home's connections that the other side acknowledged in each second."""
    last: dict[object, int] = {}
    found: Counter[int] = Counter()
    for one in packets:
        if one.source[0] in homes or not one.flags & _ACK:
            continue
        more = (one.acknowledged - last.get((one.source, one.sink), one.acknowledged)) % (1 << 32)
        if more < 1 << 30:
            found[int(one.time_s)] += more
            last[(one.source, one.sink)] = one.acknowledged
    return found


def _openings(packets: Sequence[_Packet], homes: set[bytes]) -> list[float]:
    """Round trips of SYN and its answer, of those that were sent once."""
    sent: dict[object, list[float]] = {}
    found = []
    for one in packets:
        if not one.flags & _SYN:
            continue
        if not one.flags & _ACK and one.source[0] in homes:
            sent.setdefault((one.source, one.sink), []).append(one.time_s)
        elif one.flags & _ACK and len(times := sent.get((one.sink, one.source), [])) == 1:
            found.append((one.time_s - times[0]) * 1e3)
    return [ms for ms in found if ms > 0.0]


def _full(side: _Side) -> tuple[float, float] | None:
    """The longest time in which a direction was loaded: no second has less than half of what the busiest have."""
    packets = sum(side.sizes.values())
    if not side.seconds or packets < _BULK * _LEAST_S:
        return None
    ordered = sorted(side.seconds.values())
    high = ordered[int(0.95 * (len(ordered) - 1))]
    mean = sum(size * count for size, count in side.sizes.items()) / packets
    if high < _BULK * mean or mean < 200.0:
        return None
    best, first = (0, 0), None
    for second in range(max(side.seconds) + 2):
        if side.seconds.get(second, 0) >= _FULL_SHARE * high:
            first = second if first is None else first
        elif first is not None:
            best = max(best, (first, second), key=lambda span: span[1] - span[0])
            first = None
    return (float(best[0]), float(best[1])) if best[1] - best[0] >= _LEAST_S else None


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    both = min(one[1], other[1]) - max(one[0], other[0])
    return both / min(one[1] - one[0], other[1] - other[0])


def _load(
    sides: dict[Way, _Side],
    span: tuple[float, float],
    trips: list[tuple[float, float]],
    arrived: Counter[int],
    *,
    merged: bool,
) -> Load:
    first, last = span
    begins = first + min(_SETTLED_S, (last - first) / 3.0)
    rates: dict[Way, Rate] = {}
    for way, side in sides.items():
        seconds = range(int(first) + 1, int(last) - 1)
        size = max(side.sizes, key=lambda one: one * side.sizes[one])
        if way == UP:
            # Packets that leave may be lost behind the capture; the ones that arrived are acknowledged.
            values = [8.0 * arrived.get(second, 0) for second in seconds]
            mss = None if merged else size
            rates[way] = Rate("acknowledged bytes of TCP", values, layer="tcp", mss=mss, sender=True)
        else:
            values = [8.0 * side.seconds.get(second, 0) for second in seconds]
            rates[way] = Rate("lengths of packets", values, layer="ip")
    ms = [value for at, value in trips if begins <= at <= last]
    most = max(max(side.flows.values(), default=0) for side in sides.values())
    flows = max(sum(count > most / 20 for count in side.flows.values()) for side in sides.values())
    found = (Trips("timestamps of TCP", "tcp", ms=ms, span_s=last - begins),) if ms else ()
    return Load(rates, found, flows=flows, duration_s=last - first)


FORMAT = Format(
    "capture",
    "tcpdump -s 96 -w FILE.pcap tcp, with an upload and then a download beside it",
    lambda content: content.data[:4] in _PCAP or content.data[:4] == _PCAPNG,
    _read,
)
