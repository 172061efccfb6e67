"""The JSON of Ookla's command: rates, and statistics of round trips without and with load, one way after the other."""

from __future__ import annotations

from collections.abc import Mapping

from ..fields import Fields
from ..measurement import DOWN, UP, Jitter, Load, Measurement, Rate, Trips
from .format import Content, Format

__all__ = ["FORMAT"]

_SLACK = (0.10, 0.03)
"""``bandwidth`` leaves out the start: in public results it is 0 to 15 % above bytes over elapsed."""


def _result(content: Content) -> Mapping[str, object] | None:
    rows = content.json if isinstance(content.json, list) else [content.json]
    for row in rows:
        if isinstance(row, Mapping) and row.get("type") == "result" and isinstance(row.get("download"), Mapping):
            return row
    return None


def _read(content: Content) -> Measurement:
    found = Fields(_result(content) or {}, content.file)
    loads = []
    for way, name in ((DOWN, "download"), (UP, "upload")):
        one = found.table(name)
        if not one.has("bandwidth"):
            continue
        rate = Rate(f"{name}.bandwidth", [8.0 * one.needed("bandwidth", least=1.0)], layer="http", slack=_SLACK)
        trips = []
        if (middle := one.number("latency", "iqm")) is not None:
            most = one.number("latency", "high")
            trips.append(
                Trips(f"{name}.latency.iqm", "tcp", least=one.number("latency", "low"), middle=middle, most=most)
            )
        elapsed = one.number("elapsed")
        loads.append(Load({way: rate}, tuple(trips), duration_s=None if elapsed is None else elapsed / 1e3))
    ping = found.table("ping")
    idle = []
    if ping.has("latency"):
        low, middle = ping.number("low"), ping.number("latency")
        idle.append(Trips("ping.low" if low else "ping.latency", least=low or middle, middle=middle))
    jitter = ping.number("jitter")
    variation = None if jitter is None else Jitter("ping.jitter", jitter, "as the tool counts it")
    return Measurement("Ookla speedtest", content.file, tuple(loads), tuple(idle), variation)


FORMAT = Format("JSON of Ookla's speedtest", "speedtest -f json > FILE", lambda one: _result(one) is not None, _read)
