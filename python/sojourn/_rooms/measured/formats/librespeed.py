"""The JSON of LibreSpeed's command: a list with an object for each server; rates are in Mbit/s."""

from __future__ import annotations

from collections.abc import Mapping

from ..fields import Fields
from ..measurement import DOWN, UP, Jitter, Load, Measurement, Rate, Trips
from .format import Content, Format

__all__ = ["FORMAT"]

_SLACK = (0.05, 0.05)


def _first(content: Content) -> Mapping[str, object] | None:
    row = content.json[0] if isinstance(content.json, list) and content.json else content.json
    return row if isinstance(row, Mapping) and {"bytes_sent", "ping", "jitter"} <= set(row) else None


def _read(content: Content) -> Measurement:
    found = Fields(_first(content) or {}, content.file)
    loads = []
    for way, name in ((DOWN, "download"), (UP, "upload")):
        # It writes 0 for a way that it did not test.
        if mbit := found.number(name):
            loads.append(Load({way: Rate(name, [mbit * 1e6], layer="http", slack=_SLACK)}))
    ping = found.needed("ping", least=0.001)
    jitter = found.number("jitter")
    variation = None if jitter is None else Jitter("jitter", jitter, "smoothed difference of neighbours")
    notes = ("Its ping is a mean, so the round trip without load is a little high.",)
    idle = (Trips("ping", "http", least=ping, middle=ping),)
    return Measurement("LibreSpeed", content.file, tuple(loads), idle, variation, notes)


FORMAT = Format("JSON of LibreSpeed", "librespeed-cli --json > FILE", lambda one: _first(one) is not None, _read)
