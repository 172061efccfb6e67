"""Numbers that a user types from a page of results (Waveform's, Fast.com's): lines of a name, ``=`` and a value.

No description of the files that these pages offer was found, so the user says which number is which::

    tool = Waveform
    download = 93.2 Mbit/s
    upload = 17.9 Mbit/s
    idle = 22 ms
    under download = +98 ms
    under upload = 220 ms

With a plus sign a time is that beyond ``idle``.
"""

from __future__ import annotations

import re

from ..._base.nearest import nearest_hint
from ..measurement import DOWN, UP, Load, Measurement, Rate, Trips
from .format import Content, Format

__all__ = ["FORMAT"]

_SLACK = (0.05, 0.05)
_NAMES = ("tool", "download", "upload", "idle", "under download", "under upload")
_LINE = re.compile(r"^\s*([a-z ]+?)\s*=\s*(.*?)\s*$", re.I)
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*(k|m|g)(?:bit(?:/s)?|bps)", re.I)
_TIME = re.compile(r"(\+?)\s*(\d+(?:\.\d+)?)\s*ms", re.I)
_TOOL = re.compile(r"[A-Za-z][A-Za-z .-]{0,30}")
_UNITS = {"k": 1e3, "m": 1e6, "g": 1e9}


def _lines(content: Content) -> list[tuple[int, str, str]]:
    rows = [(at, row.partition("#")[0]) for at, row in enumerate(content.text.splitlines(), 1)]
    found = [(at, _LINE.match(row)) for at, row in rows if row.strip()]
    return [(at, one[1].lower(), one[2]) for at, one in found if one] if all(one for _, one in found) else []


def _knows(content: Content) -> bool:
    return content.json is None and any(name in _NAMES for _, name, _ in _lines(content))


def _read(content: Content) -> Measurement:
    values: dict[str, str] = {}
    for at, name, value in _lines(content):
        where = f"{content.file}:{at}"
        if name not in _NAMES:
            raise ValueError(
                f"{where}: {name!r} is no name here\n  allowed: {', '.join(_NAMES)}{nearest_hint(name, _NAMES)}"
            )
        pattern, shape = (
            (_RATE, "a rate such as 93.2 Mbit/s")
            if name in ("download", "upload")
            else (_TOOL, "a name of letters")
            if name == "tool"
            else (_TIME, "a time such as 22 ms")
        )
        if not pattern.fullmatch(value):
            raise ValueError(f"{where}: {name}: {value[:40]!r} is not {shape}")
        values[name] = value
    idle_ms = _time(values["idle"], 0.0) if "idle" in values else None
    loads = []
    for way, name in ((DOWN, "download"), (UP, "upload")):
        if name in values:
            loads.append(Load({way: _rate(name, values)}, _loaded(content.file, name, values, idle_ms)))
    idle = () if idle_ms is None else (Trips("idle", "http", least=idle_ms, middle=idle_ms, resolution_ms=1.0),)
    return Measurement(values.get("tool", "typed numbers"), content.file, tuple(loads), idle)


def _rate(name: str, values: dict[str, str]) -> Rate:
    number, unit = _RATE.fullmatch(values[name]).groups()  # type: ignore[union-attr]
    return Rate(name, [float(number) * _UNITS[unit.lower()]], layer="http", slack=_SLACK)


def _loaded(file: str, name: str, values: dict[str, str], idle_ms: float | None) -> tuple[Trips, ...]:
    key = f"under {name}"
    if key not in values:
        return ()
    if values[key].startswith("+") and idle_ms is None:
        raise ValueError(f"{file}: {key} is beyond idle, which is missing\n  hint:    add a line: idle = 22 ms")
    return (Trips(key, "http", middle=_time(values[key], idle_ms or 0.0), resolution_ms=1.0),)


def _time(text: str, idle_ms: float) -> float:
    plus, number = _TIME.fullmatch(text).groups()  # type: ignore[union-attr]
    return float(number) + (idle_ms if plus else 0.0)


FORMAT = Format("typed numbers", "lines such as 'download = 93.2 Mbit/s'", _knows, _read)
