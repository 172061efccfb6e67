"""The output of ping or fping: round trips without load."""

from __future__ import annotations

import re

from ..measurement import Measurement, Trips
from .format import Content, Format

__all__ = ["FORMAT"]

_REPLY = re.compile(
    r"(?:icmp_(?:seq|req)[= ]\d+.*?|\bTTL=\d+.*?|bytes(?:, |[= ]).*?)\btime[=<]\s?(\d+(?:\.\d+)?)\s*ms", re.I
)
_WINDOWS = re.compile(r"[=<]\s?(\d+)\s?ms\s+TTL=\d+", re.I)
_FPING = re.compile(r"\[\d+\], \d+ bytes, (\d+(?:\.\d+)?) ms")
_SUMMARY = re.compile(r"(?:rtt|round-trip) min/avg/max/\w+ = ([\d.]+)/([\d.]+)/([\d.]+)/")
_PATTERNS = (_WINDOWS, _FPING, _REPLY)


def _samples(text: str) -> list[float]:
    for pattern in _PATTERNS:
        if found := pattern.findall(text):
            return [float(one) for one in found]
    return []


def _knows(content: Content) -> bool:
    return content.json is None and bool(_samples(content.text) or _SUMMARY.search(content.text))


def _read(content: Content) -> Measurement:
    samples = [one for one in _samples(content.text) if one > 0.0]
    if samples:
        # Windows prints whole milliseconds.
        steps = 1.0 if all(one == int(one) for one in samples) else 0.0
        return Measurement("ping", content.file, idle=(Trips("time of each reply", ms=samples, resolution_ms=steps),))
    found = _SUMMARY.search(content.text)
    if found is None or float(found[1]) <= 0.0:
        raise ValueError(f"{content.file}: no reply in it has a time above 0 ms")
    trips = Trips("the line min/avg/max", least=float(found[1]), middle=float(found[2]), most=float(found[3]))
    return Measurement("ping", content.file, idle=(trips,))


FORMAT = Format("output of ping", "ping -c 20 SERVER > idle.txt", _knows, _read)
