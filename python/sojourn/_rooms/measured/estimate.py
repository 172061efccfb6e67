"""A line from measurements of it: which number is measured, which follows from one, and which is only assumed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..line.links import LINKS
from ..line.question import BUFFER_S, Line
from ..line.shapers import on_wire
from . import estimators
from .estimators import Range
from .measurement import BOTH, DOWN, UP, WAYS, Load, Measurement, Rate, Trips, Way

__all__ = ["Estimate", "Estimates", "estimated"]

How = Literal["measured", "derived", "assumed", "given"]

_PACKET, _ACK, _SMALL = 1500, 52, 84
"""Bytes of IP: a full packet, an acknowledgement with timestamps, and a ping."""
_MSS = 1448
_HTTP = 1.015
"""Bytes of HTTP and TLS for each byte of payload: 1 to 2 % more, by general knowledge."""
_DATAGRAM = 28
_FEW = 10
_SHALLOW_MS = _BUSY_MS = 30.0
_DEEP_BYTES = 600_000
"""A buffer from which on a test of 20 s may end before it is full."""
_GROWN = 1.02
_EMPTY = 0.05
"""Part of samples with an empty queue that a full line may have."""
_IDLE = 0.1
"""By how much more than was sent a line may carry whose queue was empty at times."""
_DELAYED_MS = 40.0
"""The delay of an acknowledgement in Linux: ``TCP_DELACK_MIN``."""
_VARIES = 0.15
_BOOST = 1.1
_LEAST_BUFFER_S, _MOST_BUFFER_S = 0.001, 10.0


@dataclass(frozen=True)
class Estimate:
    """A number of the line.

    Attributes
    ----------
    name
        ``up_bps``, ``down_bps``, ``rtt_s``, ``buffer_up_s``, ``buffer_down_s`` or ``jitter_s``.
    value, low, high
        It, with an interval of 95 %; both ends are the number itself if it is assumed or given.
    how
        Whether it was measured, follows from something measured by a formula, is assumed, or was given.
    source
        The field of the file, and the formula, in words.
    bound
        ``"at least"`` or ``"at most"`` if the measurement bounds it only on one side.
    """

    name: str
    value: float
    low: float
    high: float
    how: How
    source: str
    bound: str = ""


@dataclass(frozen=True)
class Estimates:
    """The line of measurements.

    Attributes
    ----------
    line
        The line.
    numbers
        Its numbers by name, and the jitter if there is one.
    measurements
        The files.
    notes
        Things that a reader should know, in sentences.
    """

    line: Line
    numbers: Mapping[str, Estimate]
    measurements: Sequence[Measurement]
    notes: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "files": [{"file": one.file, "tool": one.tool} for one in self.measurements],
            "estimates": {
                name: {
                    "value": one.value,
                    "low": one.low,
                    "high": one.high,
                    "how": one.how,
                    "source": one.source,
                    "bound": one.bound,
                }
                for name, one in self.numbers.items()
            },
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class _Told:
    """Numbers that the user gave; None where the files are asked."""

    up_bps: float | None = None
    down_bps: float | None = None
    rtt_s: float | None = None
    buffer_s: float | None = None


def estimated(
    measurements: Sequence[Measurement],
    *,
    link: str = "ethernet",
    rates: tuple[float, float] | None = None,
    rtt_s: float | None = None,
    buffer_s: float | None = None,
) -> Estimates:
    """The line that was measured; numbers that are given take the place of measured ones.

    Raises
    ------
    ValueError
        With the missing number, and a command that measures it.
    """
    up, down = rates or (None, None)
    return _Estimation(measurements, link, _Told(up, down, rtt_s, buffer_s)).estimates()


class _Estimation:
    """The estimates of one call."""

    def __init__(self, measurements: Sequence[Measurement], link: str, told: _Told) -> None:
        self.measurements, self.link, self.told = measurements, link, told
        self.loads = [(one, load) for one in measurements for load in one.loads]
        self.notes = [note for one in measurements for note in one.notes]
        self.named = len(measurements) > 1
        self.found: dict[str, Estimate] = {}

    def estimates(self) -> Estimates:
        told = self.told.rtt_s
        raw_ms = self._lowest_ms(under_load=False) if told is None else 1e3 * told
        for way in WAYS:
            self._put(self._rate(way, raw_ms))
        self._put(self._base())
        for way in WAYS:
            self._put(self._buffer(way))
        if (jitter := self._jitter()) is not None:
            self._put(jitter)
        values = {name: one.value for name, one in self.found.items()}
        if values["rtt_s"] > 2.0:
            raise ValueError(
                f"{self.found['rtt_s'].source}: {values['rtt_s']:.3g} s is too long\n  allowed: at most 2 s"
            )
        # A buffer of the line counts bytes of IP; a wait is longer by those that the line adds. Given ones stay.
        bytes_of_ip = 1.0 if self.told.buffer_s is not None else _PACKET / on_wire(_PACKET, LINKS[self.link])
        line = Line(
            _rounded(values["up_bps"]),
            _rounded(values["down_bps"]),
            round(values["rtt_s"], 4),
            self.link,
            round(values["buffer_up_s"] * bytes_of_ip, 4),
            down_buffer_s=round(values["buffer_down_s"] * bytes_of_ip, 4),
            unsure=tuple(f"{way}load" for way in WAYS if self.found[f"{way}_bps"].bound),
        )
        return Estimates(line, self.found, self.measurements, tuple(dict.fromkeys(self.notes)))

    def _put(self, one: Estimate) -> None:
        self.found[one.name] = one

    def _from(self, measurement: Measurement, field: str) -> str:
        return f"{measurement.file}: {field}" if self.named else field

    # Rates

    def _rate(self, way: Way, raw_ms: float | None) -> Estimate:
        name = f"{way}_bps"
        given: float | None = getattr(self.told, name)
        if given is not None:
            return Estimate(name, given, given, given, "given", "the rates of the command")
        found = [(one, load, load.rates[way]) for one, load in self.loads if way in load.rates]
        if not found:
            raise ValueError(self._missing_rate(way))
        # One way alone says more than both at once.
        measurement, load, rate = min(found, key=lambda one: len(one[1].ways))
        share, words = self._share(rate)
        bps = estimators.rate(rate.bps, sender=rate.sender, whole_s=rate.whole_s, rtt_s=(raw_ms or 100.0) / 1e3)
        low, high = rate.slack
        gross = Range(bps.value * share, bps.low * share * (1.0 - low), bps.high * share * (1.0 + high))
        other = DOWN if way == UP else UP
        if load.ways == BOTH:
            gross, acks = self._with_acks(gross, load.rates[other])
            words += acks
        bound = ""
        if load.ways == BOTH and self._emptied(way, load, gross.value, raw_ms) is not False:
            bound, gross = "at least", Range(gross.value, gross.low, math.inf)
            self.notes.append(
                f"{measurement.file}: both ways were loaded at once. Acknowledgements of one then wait behind the data "
                "of the other, so that neither need be full: their rates are at least these, and buffers that were not "
                f"measured each for itself are at most these. One way alone: {_command(UP)} and then {_command(DOWN)}"
            )
        elif self._emptied(way, load, gross.value, raw_ms):
            # The senders left the line idle at times, and the best second is nearest to its rate.
            most = gross.high * (1.0 + _IDLE) if rate.sender or len(rate.bps) == 1 else max(rate.bps) * share
            gross = Range(gross.value, gross.low, max(gross.high, most * (1.0 + _IDLE / 5.0)))
        self._look_at(way, rate)
        source = self._from(measurement, f"{rate.field} {words}")
        if not 1e5 <= gross.value <= 1e10:
            raise ValueError(
                f"{source}: {gross.value / 1e6:.3g} Mbit/s is no rate of a line here\n  allowed: 0.1 to 10000 Mbit/s"
            )
        return Estimate(name, gross.value, gross.low, gross.high, "derived", source, bound)

    def _emptied(self, way: Way, load: Load, bps: float, raw_ms: float | None) -> bool | None:
        """Whether the queue of a way was empty in too many of the samples for a full line; None if there are none."""
        ms = load.waits[way].ms if way in load.waits else []
        if not ms and len(load.ways) == 1 and load.trips and raw_ms is not None:
            ms = [one - raw_ms for one in load.trips[0].ms]
        if not ms or bps <= 0.0:
            return None
        short_ms = max(2.0 * 8e3 * on_wire(_PACKET, LINKS[self.link]) / bps, 1.0)
        # Where both ways are loaded, one that waits for acknowledgements is idle between the samples, too.
        most = _EMPTY if len(load.ways) == 1 else 0.0
        return sum(one < short_ms for one in ms) > most * len(ms)

    def _share(self, rate: Rate) -> tuple[float, str]:
        """Bits on the line for each bit of the rate, and the words for it."""
        kind = LINKS[self.link]
        mss = rate.mss or _MSS
        if rate.layer == "ip":
            return on_wire(_PACKET, kind) / _PACKET, f"with the {self.link} frame of a packet"
        if rate.layer == "udp":
            payload = rate.mss or 1448
            size = min(payload + _DATAGRAM, _PACKET)
            return on_wire(size, kind) / max(size - _DATAGRAM, 1), f"with UDP, IP and the {self.link} frame"
        size = mss + _ACK if mss + _ACK <= _PACKET else _PACKET
        share = estimators.wire_share(mss, on_wire(size, kind))
        if rate.layer == "http":
            return share * _HTTP, f"x {share * _HTTP:.3f} for HTTP, TCP, IP and the {self.link} frame"
        return share, f"x {share:.3f} for TCP, IP and the {self.link} frame"

    def _with_acks(self, gross: Range, other: Rate) -> tuple[Range, str]:
        """Plus the acknowledgements of the other direction: one for two packets, or fewer where they are thinned."""
        if other.layer == "ip":
            # Lengths of packets have acknowledgements in them.
            return gross, ""
        kind = LINKS[self.link]
        share, _ = self._share(other)
        bps = estimators.rate(other.bps, sender=other.sender, whole_s=other.whole_s, rtt_s=0.1).value * share
        acks = bps * on_wire(_ACK, kind) / (2.0 * on_wire(_PACKET, kind))
        words = ", with acknowledgements of the other way"
        return Range(gross.value + acks, gross.low + acks / 3.0, gross.high + 2.0 * acks), words

    def _look_at(self, way: Way, rate: Rate) -> None:
        """Notes on rates that are not steady."""
        values = list(rate.bps)
        if len(values) < 9 or rate.sender:
            return
        third, half = values[: len(values) // 3], sorted(values[len(values) // 2 :])
        median = half[len(half) // 2]
        early = sorted(third)[len(third) // 2]
        if early > _BOOST * median:
            self.notes.append(
                f"The first seconds {way} had {early / 1e6:.3g} Mbit/s, the rest {median / 1e6:.3g}: the provider "
                "gives a boost. The line is taken without it."
            )
        mean = sum(half) / len(half)
        spread = (sum((one - mean) ** 2 for one in half) / len(half)) ** 0.5
        if spread > _VARIES * mean:
            low = half[len(half) // 10]
            self.notes.append(
                f"The rate {way} varies (by {100 * spread / mean:.0f}\u202f%; one second in ten has less than "
                f"{low / 1e6:.3g} Mbit/s). It is taken as constant: give the rates that the line has at its worst."
            )

    def _missing_rate(self, way: Way) -> str:
        tools = " and ".join(dict.fromkeys(f"{one.file} ({one.tool})" for one in self.measurements))
        word = f"{way}load"
        option = "" if way == UP else " -R"
        have = next((value for value in ("up", "down") if value != way), "")
        known = "the other way alone" if any(have in load.rates for _, load in self.loads) else "no rate"
        files = " ".join(f"--from {one.file}" for one in self.measurements)
        return (
            f"{tools}: it has {known}: the rate of the {word} is missing\n"
            f"  hint:    iperf3 -c SERVER{option} -P 4 -t 30 -J > {way}.json; sojourn line {files} --from {way}.json\n"
            f"  hint:    or give both rates, which take the place of measured ones: sojourn line 20/100 {files}"
        )

    # Round trip without load

    def _lowest_ms(self, *, under_load: bool) -> float | None:
        """The least round trip of all, with or without load."""
        if under_load:
            trips = [one for _, load in self.loads for one in load.trips]
        else:
            trips = [one for measurement in self.measurements for one in measurement.idle]
        return min((one.lowest for one in trips if one.lowest is not None), default=None)

    def _base(self) -> Estimate:
        if self.told.rtt_s is not None:
            return Estimate("rtt_s", self.told.rtt_s, self.told.rtt_s, self.told.rtt_s, "given", "--rtt")
        idle = [(one, trips) for one in self.measurements for trips in one.idle if trips.lowest is not None]
        if not idle:
            raise ValueError(self._missing_base())
        measurement, trips = min(idle, key=lambda one: (not one[1].ms, one[1].lowest))
        values = list(trips.ms) or [value for value in (trips.least, trips.middle) if value is not None]
        sent = self._sending_ms(dict.fromkeys(WAYS, _SMALL))
        found = estimators.base(values, resolution=trips.resolution_ms, sent_ms=sent)
        count = f"least of {len(trips.ms)} samples" if trips.ms else "the least that the file has"
        if trips.ms and len(trips.ms) < _FEW:
            self.notes.append(
                f"Only {len(trips.ms)} round trips without load are in the file; ping -c 20 SERVER has more."
            )
        if trips.ms and sorted(trips.ms)[int(0.9 * (len(trips.ms) - 1))] > min(trips.ms) + _BUSY_MS:
            self.notes.append(
                f"{measurement.file}: one round trip in ten takes {_BUSY_MS:g} ms longer than the least: something "
                "else used the line, so that the jitter is not that without load."
            )
        low = found.low
        if not trips.ms and trips.least == trips.middle:
            # A mean is above the least one; by how much is not known.
            low *= 0.8
        source = self._from(measurement, f"{trips.field}, {count}")
        found = replace(found, low=low).times(1e-3)
        return Estimate("rtt_s", found.value, found.low, found.high, "measured", source)

    def _sending_ms(self, sizes: Mapping[Way, int]) -> float:
        """The time that the line takes to send a packet of IP each way."""
        kind = LINKS[self.link]
        return sum(8e3 * on_wire(size, kind) / self.found[f"{way}_bps"].value for way, size in sizes.items())

    def _missing_base(self) -> str:
        tools = " and ".join(dict.fromkeys(f"{one.file} ({one.tool})" for one in self.measurements))
        lowest = self._lowest_ms(under_load=True)
        most = "" if lowest is None else f"; the least one under load is {lowest:.3g} ms, with a queue in it"
        files = " ".join(f"--from {one.file}" for one in self.measurements)
        return (
            f"{tools}: the round trip without load is missing{most}\n"
            "  hint:    ping -c 20 SERVER > idle.txt, while nothing else uses the line; "
            f"sojourn line {files} --from idle.txt\n"
            "  hint:    or give it: --rtt 20ms"
        )

    # Buffers

    def _buffer(self, way: Way) -> Estimate:
        name = f"buffer_{way}_s"
        if self.told.buffer_s is not None:
            return Estimate(name, self.told.buffer_s, self.told.buffer_s, self.told.buffer_s, "given", "--buffer")
        options = [one for one in self._buffers(way) if one.high > 0.0]
        if not options:
            self.notes.append(
                f"No file says how deep the buffer {way} is: {1e3 * BUFFER_S:g} ms are assumed. {_how_to_load(way)}"
            )
            return Estimate(name, BUFFER_S, BUFFER_S, BUFFER_S, "assumed", "no round trips under load of this way")
        # Bounds on one side say less.
        best = min(options, key=lambda one: (bool(one.bound), one.bound == "at most", one.high - one.low))
        if best.value > _MOST_BUFFER_S or best.value < _LEAST_BUFFER_S:
            best = replace(best, value=min(max(best.value, _LEAST_BUFFER_S), _MOST_BUFFER_S))
        return best

    def _buffers(self, way: Way) -> Iterator[Estimate]:
        for measurement, load in self.loads:
            if way not in load.ways:
                continue
            if way in load.waits:
                yield self._of_trips(way, measurement, load, load.waits[way], 0.0, alone=True)
                continue
            # Within loaded connections a request also waits in the sender.
            usable = [one for one in load.trips if one.probe != "http"] or load.trips
            for trips in usable:
                yield self._of_trips(
                    way, measurement, load, trips, self._base_ms(way, trips), alone=len(load.ways) == 1
                )

    def _base_ms(self, way: Way, trips: Trips) -> float:
        """The round trip of this exchange without load, with its sending times."""
        there, back = (_PACKET, _ACK) if trips.probe == "tcp" else (_SMALL, _SMALL)
        sizes = {one: there if one == way else back for one in WAYS}
        return 1e3 * self.found["rtt_s"].value + self._sending_ms(sizes)

    def _of_trips(
        self, way: Way, measurement: Measurement, load: Load, trips: Trips, base_ms: float, *, alone: bool
    ) -> Estimate:
        if trips.ms:
            added = estimators.added_quantile(trips.ms, base_ms, trips.span_s)
            share, middle, words = estimators.P95_SHARE, 0.96, f"95th percentile of {len(trips.ms)} samples"
        else:
            value = max((trips.middle or trips.most or 0.0) - base_ms, 0.0)
            added = Range(value, value, value)
            share, middle, words = estimators.MIDDLE_SHARE, estimators.MIDDLE, "a middle value"
        found = estimators.buffer_of(added, share, middle)
        # The packet in transmission is not in the buffer.
        packet_ms = 8e3 * on_wire(_PACKET, LINKS[self.link]) / self.found[f"{way}_bps"].value
        doubt_ms = packet_ms + self._doubt_ms()
        # A receiver acknowledges every second packet of a flow, and waits at most 40 ms for it.
        late_ms = min((load.flows or 1) * packet_ms, _DELAYED_MS) if trips.probe == "tcp" else 0.0
        found = Range(found.value, max(found.low - doubt_ms - late_ms, 0.0), found.high + doubt_ms)
        deep = found.value / 8e3 * self.found[f"{way}_bps"].value > _DEEP_BYTES
        growth = estimators.growth(trips.ms, base_ms) if trips.ms else math.inf if deep else 0.0
        filled = growth <= (1.0 if deep else _GROWN)
        if way in load.waits and self._emptied(way, load, self.found[f"{way}_bps"].value, None):
            filled = False
        bound = self._bound(load, trips, alone=alone, filled=filled)
        source = self._from(measurement, f"{trips.field}, {words}, less the round trip without load")
        if bound == "at least":
            self.notes.append(_why_at_least(way, load))
            found = Range(found.value, found.low, math.inf)
        elif bound == "at most":
            # A round trip has the waits of both ways.
            found = Range(found.value, 0.0, found.high)
        elif added.high < _SHALLOW_MS and (load.flows or 2) > 1:
            self.notes.append(
                f"Under load {way} a round trip takes only {added.value:.3g} ms longer. Perhaps a queue of your router "
                "was at work: switch it off and measure again, to know the line behind it."
            )
        found = found.times(1e-3)
        return Estimate(f"buffer_{way}_s", found.value, found.low, found.high, "derived", source, bound)

    def _doubt_ms(self) -> float:
        """How far the round trip without load may be off."""
        rtt = self.found["rtt_s"]
        return 1e3 * (rtt.high - rtt.low)

    def _bound(self, load: Load, trips: Trips, *, alone: bool, filled: bool) -> str:
        if not alone:
            return "at most"
        if "bbr" in load.law or load.flows == 1 or not filled:
            return "at least"
        if not trips.ms and trips.middle is None:
            return "at most"
        return ""

    # Jitter

    def _jitter(self) -> Estimate | None:
        for one in self.measurements:
            for trips in one.idle:
                if len(trips.ms) >= _FEW and trips.probe == "ping":
                    found = estimators.jitter(trips.ms).times(1e-3)
                    source = self._from(one, f"{trips.field}, mean difference of neighbours without load")
                    return Estimate("jitter_s", found.value, found.low, found.high, "measured", source)
        for one in self.measurements:
            if one.jitter is not None:
                value = one.jitter.ms / 1e3
                source = self._from(one, f"{one.jitter.field}, {one.jitter.meaning}")
                return Estimate("jitter_s", value, value, value, "measured", source)
        return None


def _rounded(bps: float) -> int:
    """In three digits."""
    return round(float(f"{bps:.3g}"))


def _how_to_load(way: Way) -> str:
    if way == UP:
        return f"This measures one way: {_command(way)}"
    return "This measures one way: flent tcp_ndown --test-parameter download_streams=4 -H SERVER"


def _why_at_least(way: Way, load: Load) -> str:
    if "bbr" in load.law:
        return (
            f"The sender {way} was BBR, which does not fill a buffer: it is at least as deep. CUBIC shows it: "
            f"{_command(way, ' -C cubic')}"
        )
    if load.flows == 1:
        return (
            f"One connection alone loaded the line {way}, which need not fill a buffer: it is at least as deep. "
            f"Four show it: {_command(way)}"
        )
    return (
        f"Perhaps the test {way} was too short to fill the buffer: round trips grew to its end, or only a mean is "
        f"known. It is at least as deep. A longer test shows it: {_command(way, seconds=120)}"
    )


def _command(way: Way, more: str = "", seconds: int = 30) -> str:
    return f"iperf3 -c SERVER{'' if way == UP else ' -R'} -P 4 -t {seconds}{more} -J > {way}.json"
