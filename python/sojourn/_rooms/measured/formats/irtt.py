"""The JSON of IRTT: round trips of small datagrams, with the delay of each way. It has no load of its own."""

from __future__ import annotations

from ..measurement import Measurement, Trips
from .format import Content, Format

__all__ = ["FORMAT"]


def _knows(content: Content) -> bool:
    return content.has("round_trips") or (content.has("stats", "config"))


def _read(content: Content) -> Measurement:
    found = content.fields
    samples = [one.number("delay", "rtt") for one in found.tables("round_trips")]
    ms = [one / 1e6 for one in samples if one]
    if ms:
        interval = found.number("config", "params", "interval") or 0.0
        trips = Trips("round_trips[].delay.rtt", ms=ms, span_s=len(ms) * interval / 1e9 or None)
    else:
        rtt = found.table("stats", "rtt")
        trips = Trips(
            "stats.rtt.min", least=rtt.needed("min", least=1.0) / 1e6, middle=rtt.needed("median", least=1.0) / 1e6
        )
    return Measurement("irtt", content.file, idle=(trips,))


FORMAT = Format("JSON of irtt", "irtt client -d 10s -o FILE SERVER", _knows, _read)
