"""The JSON of ``mach rpm`` (Cloudflare's networkquality-rs): rates, and mean round trips under load of each way."""

from __future__ import annotations

from ..measurement import DOWN, UP, Jitter, Load, Measurement, Rate, Trips
from .format import Content, Format

__all__ = ["FORMAT"]

_SLACK = (0.05, 0.05)


def _knows(content: Content) -> bool:
    return content.has("unloaded_latency_ms") and (content.has("download") or content.has("upload"))


def _read(content: Content) -> Measurement:
    found = content.fields
    loads = []
    for way, name in ((DOWN, "download"), (UP, "upload")):
        one = found.table(name)
        if not one.has("throughput"):
            continue
        rate = Rate(f"{name}.throughput", [one.needed("throughput", least=1.0)], layer="http", slack=_SLACK)
        middle = one.number("loaded_latency_ms")
        trips = () if middle is None else (Trips(f"{name}.loaded_latency_ms", "http", middle=middle),)
        loads.append(Load({way: rate}, trips))
    idle = found.needed("unloaded_latency_ms", least=0.001)
    jitter = found.number("jitter_ms")
    variation = None if jitter is None else Jitter("jitter_ms", jitter, "as the tool counts it")
    trips = (Trips("unloaded_latency_ms", "http", least=idle, middle=idle),)
    return Measurement("mach rpm", content.file, tuple(loads), trips, variation)


FORMAT = Format("JSON of mach rpm", "mach rpm > FILE", _knows, _read)
