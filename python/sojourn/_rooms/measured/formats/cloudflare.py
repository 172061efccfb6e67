"""The summary of Cloudflare's speed test: the object of ``getSummary()`` of its module ``@cloudflare/speedtest``."""

from __future__ import annotations

from ..measurement import DOWN, UP, Jitter, Load, Measurement, Rate, Trips
from .format import Content, Format

__all__ = ["FORMAT"]

_SLACK = (0.10, 0.10)
"""A rate is the 90th percentile of those of single requests."""


def _knows(content: Content) -> bool:
    return content.has("download", "latency") and (
        content.has("downLoadedLatency") or content.has("upLoadedLatency") or content.has("downLoadedJitter")
    )


def _read(content: Content) -> Measurement:
    found = content.fields
    loads = []
    for way, name, key in ((DOWN, "download", "downLoadedLatency"), (UP, "upload", "upLoadedLatency")):
        if not found.has(name):
            continue
        rate = Rate(name, [found.needed(name, least=1.0)], layer="http", slack=_SLACK)
        middle = found.number(key)
        trips = () if middle is None else (Trips(key, "http", middle=middle),)
        loads.append(Load({way: rate}, trips, flows=1))
    latency = found.number("latency")
    idle = () if latency is None else (Trips("latency", "http", middle=latency, least=latency),)
    jitter = found.number("jitter")
    variation = None if jitter is None else Jitter("jitter", jitter, "mean difference of neighbours")
    return Measurement("Cloudflare", content.file, tuple(loads), idle, variation)


FORMAT = Format(
    "summary of Cloudflare's speed test",
    "JSON.stringify(test.results.getSummary()), with Cloudflare's module @cloudflare/speedtest",
    _knows,
    _read,
)
