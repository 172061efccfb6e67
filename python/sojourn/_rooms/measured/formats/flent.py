"""A data file of Flent: rates and round trips over time, before, during and after the load.

The load begins with the first value of a stream of TCP. Round trips a second before that, and those a few seconds after
the last one, are without load. Sojourn writes this format too; its rates count the headers of IP and TCP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ..fields import Fields
from ..measurement import DOWN, UP, Load, Measurement, Rate, Trips, Way
from .format import Content, Format

__all__ = ["FORMAT"]

_NEWEST = 4
_STREAM = re.compile(r"TCP (upload|download)\b(?!.*\b(?:avg|sum|fairness)\b)(?!.*::tcp_)")
_PING = re.compile(r"Ping \(ms\) (?!avg)")
_BEFORE_S, _AFTER_S = 1.0, 3.0
_SETTLED_S = 5.0
_FACTORS = {"Mbits/s": 1e6, "Kbits/s": 1e3, "Gbits/s": 1e9, "bits/s": 1.0}

Points = Sequence[tuple[float, float]]
"""Times in seconds since the start of the test, and values."""


def _read(content: Content) -> Measurement:
    found = content.fields
    if found.needed("version") > _NEWEST:
        raise ValueError(f"{content.file}: version is newer than {_NEWEST}, which Flent 2.3 writes")
    series = _series(found)
    streams = {name: points for name, points in series.items() if _STREAM.match(name) and points}
    pings = _pings(found, series)
    if not streams:
        whole = tuple(_trips(name, points) for name, points in pings.items())
        return Measurement("Flent", content.file, idle=whole)
    # Streams that have ended may go on with zeros.
    sent = [at for points in streams.values() for at, value in points if value > 0.0]
    if not sent:
        raise ValueError(f"{content.file}: all streams of TCP are zero: the test failed")
    begins, ends = min(sent), max(sent)
    settled = begins + min(_SETTLED_S, (ends - begins) / 3.0)
    idle = {
        name: [one for one in points if not begins - _BEFORE_S < one[0] < ends + _AFTER_S]
        for name, points in pings.items()
    }
    busy = {name: [one for one in points if settled <= one[0] <= ends] for name, points in pings.items()}
    load = Load(
        rates={way: rate for way in (UP, DOWN) if (rate := _rate(found, streams, way, begins, ends))},
        trips=tuple(_trips(name, points) for name, points in busy.items() if points),
        waits=_waits(found, begins, settled, ends),
        flows=max(sum(f"TCP {way}load" in name for name in streams) for way in (UP, DOWN)),
        law=_law(found, streams),
        duration_s=ends - begins,
    )
    return Measurement("Flent", content.file, (load,), tuple(_trips(name, one) for name, one in idle.items() if one))


def _series(found: Fields) -> Mapping[str, Points]:
    """The series of ``results``, without gaps."""
    times, results = found.data.get("x_values"), found.table("results")
    if not isinstance(times, list) or not times:
        raise ValueError(f"{found.file}: x_values is empty")
    series = {}
    for name, values in results.data.items():
        if not isinstance(values, list) or len(values) != len(times):
            raise ValueError(f"{found.file}: results[{name!r}] is not a list as long as x_values")
        place = f"results[{name!r}]"
        pairs = [(at, one) for at, one in zip(times, values, strict=True) if one is not None]
        series[str(name)] = [(found.checked(at, "x_values", 0.0), found.checked(one, place, 0.0)) for at, one in pairs]
    return series


def _origin(found: Fields) -> float | None:
    """The Unix time of the start."""
    text = found.text("metadata", "T0").replace("Z", "+00:00")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _pings(found: Fields, series: Mapping[str, Points]) -> dict[str, Points]:
    """Samples as they were taken; where a file has none, the values at the common times."""
    begin, pings = _origin(found), {}
    for name, points in series.items():
        if _PING.match(name):
            rows = [] if begin is None else list(found.tables("raw_values", name))
            raw = [(one.number("t"), one.number("val")) for one in rows]
            taken = [(t - begin, value) for t, value in raw if t is not None and value] if begin is not None else []
            if one := taken or [pair for pair in points if pair[1] > 0.0]:
                pings[name] = one
    # ICMP and small datagrams are alike here; one of them is enough, with the most samples.
    most = max(pings, key=lambda name: len(pings[name]), default=None)
    return {} if most is None else {most: pings[most]}


def _trips(name: str, points: Points) -> Trips:
    return Trips(f"{name!r}", ms=[value for _, value in points], span_s=points[-1][0] - points[0][0] or None)


def _waits(found: Fields, begins: float, settled: float, ends: float) -> dict[Way, Trips]:
    """One-way delays of irtt's samples, less the least one of each way: clocks of two hosts differ."""
    begin, waits = _origin(found), {}
    for name in found.table("raw_values").data:
        if begin is None or not _PING.match(str(name)):
            continue
        rows = list(found.tables("raw_values", str(name)))
        for way, key in ((UP, "owd_up"), (DOWN, "owd_down")):
            points = [(one.needed("t") - begin, one.number(key, least=-1e12)) for one in rows if one.has(key)]
            least = min((value for _, value in points if value is not None), default=None)
            if least is None or min(at for at, _ in points) > begins:
                # Without a sample before the load the least one may have waited.
                continue
            ms = [value - least for at, value in points if value is not None and settled <= at <= ends]
            if ms:
                waits[way] = Trips(f"raw_values[{name!r}][].{key}", ms=ms, span_s=ends - settled)
    return waits


def _rate(found: Fields, streams: Mapping[str, Points], way: Way, begins: float, ends: float) -> Rate | None:
    """The sum of all streams of a direction, in each second of the test."""
    name = f"TCP {way}load"
    own = [points for key, points in streams.items() if key.startswith(name)]
    if not own:
        return None
    metadata = found.table("metadata", "SERIES_META")
    sums: dict[int, float] = {}
    for key, points in streams.items():
        if not key.startswith(name):
            continue
        units = metadata.text(key, "UNITS") or "Mbits/s"
        if units not in _FACTORS:
            raise ValueError(f"{found.file}: UNITS of {key!r} are {units!r}\n  allowed: {', '.join(_FACTORS)}")
        seconds: dict[int, list[float]] = {}
        for at, value in points:
            seconds.setdefault(int(at - begins), []).append(value * _FACTORS[units])
        for second, values in seconds.items():
            sums[second] = sums.get(second, 0.0) + sum(values) / len(values)
    # The first and the last second are parts of one.
    values = [sums[second] for second in sorted(sums) if 0 < second < int(ends - begins)] or list(sums.values())
    ours = found.text("metadata", "NOTE").startswith("Sojourn")
    return Rate(f"results['{name}...']", values, layer="ip" if ours else "tcp", sender=way == UP and not ours)


def _law(found: Fields, streams: Mapping[str, Points]) -> str:
    laws = {found.text("metadata", "SERIES_META", name, "CONG_CONTROL") for name in streams} - {""}
    return " and ".join(sorted(laws)) if all(re.fullmatch(r"[a-z0-9_]{1,16}", law) for law in laws) else ""


FORMAT = Format(
    "data file of Flent",
    "flent tcp_nup --test-parameter upload_streams=4 -H SERVER",
    lambda content: content.has("version", "x_values", "results"),
    _read,
)
