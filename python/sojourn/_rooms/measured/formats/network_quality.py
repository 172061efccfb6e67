"""The JSON of macOS's networkQuality: rates of both ways at once, and round trips without and with that load."""

from __future__ import annotations

from ..fields import Fields
from ..measurement import DOWN, UP, Load, Measurement, Rate, Trips, Way
from .format import Content, Format

__all__ = ["FORMAT"]

_SLACK = (0.05, 0.05)
_IDLE = "il_tcp_handshake_443"
_LOADED = ("lud_foreign_tcp_handshake_443", "lud_foreign_dl_tcp_handshake_443", "lud_foreign_ul_tcp_handshake_443")
_KEYS = ("dl_throughput", "ul_throughput", "responsiveness")


def _knows(content: Content) -> bool:
    return any(content.has(key) for key in _KEYS) or content.has("base_rtt", "error_domain")


def _read(content: Content) -> Measurement:
    found = content.fields
    if found.has("error_domain"):
        raise ValueError(f"{content.file}: this test of networkQuality failed; the file says so in error_domain")
    rates: dict[Way, Rate] = {}
    for way, name in ((UP, "ul_throughput"), (DOWN, "dl_throughput")):
        if bps := found.number(name):
            rates[way] = Rate(name, [bps], layer="http", slack=_SLACK)
    idle = []
    if samples := [one for one in found.numbers(_IDLE) if one > 0.0]:
        idle.append(Trips(_IDLE, ms=samples, resolution_ms=1.0))
    elif base := found.number("base_rtt"):
        idle.append(Trips("base_rtt", least=base, middle=base, resolution_ms=1.0))
    trips = _trips(found)
    notes = []
    if not any(one.probe == "ping" for one in trips) and (rpm := found.number("responsiveness")):
        trips = [Trips("60000/responsiveness", "http", middle=60_000.0 / rpm)]
        notes.append("Round trips under load are the mean of 60000/responsiveness, with the time of servers in it.")
    flows = found.number("ul_flows")
    duration = found.number("dl_phase_duration")
    count = int(flows) if flows else None
    options = found.data.get("cli_options")
    if isinstance(options, list) and "-s" in options:
        return Measurement("networkQuality", content.file, _apart(found, rates, count), tuple(idle))
    loads = (Load(rates, tuple(trips), flows=count, duration_s=duration),) if rates else ()
    return Measurement("networkQuality", content.file, loads, tuple(idle), notes=tuple(notes))


def _apart(found: Fields, rates: dict[Way, Rate], flows: int | None) -> tuple[Load, ...]:
    """With -s: one way after the other. The samples are of both together, so each way has its own mean alone."""
    loads = []
    for way, name in ((UP, "ul_responsiveness"), (DOWN, "dl_responsiveness")):
        if way in rates:
            rpm = found.number(name)
            trips = (Trips(f"60000/{name}", "http", middle=60_000.0 / rpm),) if rpm else ()
            loads.append(Load({way: rates[way]}, trips, flows=flows))
    return tuple(loads)


def _trips(found: Fields) -> list[Trips]:
    """A handshake takes one round trip; an exchange within the loaded connections also waits in the sender."""
    names = [name for name in _LOADED if found.numbers(name)]
    samples = [one for name in names for one in found.numbers(name) if one > 0.0]
    trips = [Trips(" and ".join(names), ms=samples, resolution_ms=1.0, span_s=20.0)] if samples else []
    own = [one for one in found.numbers("lud_self_h2_req_resp") if one > 0.0]
    return [*trips, *([Trips("lud_self_h2_req_resp", "http", ms=own, span_s=20.0)] if own else [])]


FORMAT = Format("JSON of networkQuality", "networkQuality -c > FILE", _knows, _read)
