"""The JSON of sivel's speedtest-cli: rates in bit/s, and a round trip without load."""

from __future__ import annotations

from ..measurement import DOWN, UP, Load, Measurement, Rate, Trips
from .format import Content, Format

__all__ = ["FORMAT"]

_SLACK = (0.05, 0.10)
"""The program is Python, which may be slower than a fast line."""


def _knows(content: Content) -> bool:
    return content.has("download", "upload", "ping", "bytes_sent") and not content.has("jitter")


def _read(content: Content) -> Measurement:
    found = content.fields
    loads = []
    for way, name in ((DOWN, "download"), (UP, "upload")):
        if bps := found.number(name):
            loads.append(Load({way: Rate(name, [bps], layer="http", slack=_SLACK)}))
    ping = found.needed("ping", least=0.001)
    return Measurement("speedtest-cli", content.file, tuple(loads), (Trips("ping", "http", least=ping, middle=ping),))


FORMAT = Format("JSON of speedtest-cli", "speedtest-cli --json > FILE", _knows, _read)
