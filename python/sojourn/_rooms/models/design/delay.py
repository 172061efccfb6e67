"""Queues that hold the delay of packets: CoDel, FQ-CoDel and PIE from a rate and the greatest round-trip time."""

from __future__ import annotations

from .basics import Design, Step, checked, packet_text

__all__ = ["of_codel", "of_fq_codel", "of_pie"]

_SET_TARGET = "RFC 8289 section 4.3"
_SET_INTERVAL = "RFC 8289 section 4.2"
_FQ_TARGET = "RFC 8290 section 5.2.2"
_FQ_INTERVAL = "RFC 8290 section 5.2.1"
_OURS = "ours"

# Limits of Linux's sch_codel and sch_pie, in packets.
_PACKETS = 1000.0


def of_codel(
    rate_bps: float,
    *,
    rtt_s: float | None = None,
    packet_bytes: float = 1514.0,
    target_s: float | None = None,
    limit: float | None = None,
) -> Design:
    """CoDel's target, interval and limit.

    Parameters
    ----------
    rate_bps
        Rate of the link in bit/s, above 0.
    rtt_s
        Greatest round-trip time in seconds, without queues. None is the Internet's: an interval of 100 ms.
    packet_bytes
        The largest packet, with the header of its link.
    target_s
        The target in seconds, in place of 5 ms; one packet's time if that is longer.
    limit
        The buffer in packets, in place of the rule's.
    """
    target, interval, steps = _clock(rate_bps, rtt_s, packet_bytes, target_s, _SET_TARGET, _SET_INTERVAL)
    room, step = _room(rate_bps, interval, packet_bytes, limit, "Linux sch_codel")
    queue = {
        "kind": "codel",
        "target": _time(target),
        "interval": _time(interval),
        "mtu": f"{packet_bytes:.10g}B",
        "limit": packet_text(room),
    }
    notes = [
        *_notes(rate_bps, rtt_s, packet_bytes, target, target_s),
        *_too_small(room, rate_bps, interval, packet_bytes, "one interval, before which CoDel drops nothing"),
    ]
    return Design(_title("CoDel", rate_bps, rtt_s), queue, (*steps, *step), notes=tuple(notes))


def of_fq_codel(
    rate_bps: float,
    *,
    rtt_s: float | None = None,
    packet_bytes: float = 1514.0,
    target_s: float | None = None,
    limit: float | None = None,
) -> Design:
    """FQ-CoDel's target, interval, quantum and limit; see :func:`of_codel`."""
    target, interval, steps = _clock(rate_bps, rtt_s, packet_bytes, target_s, _FQ_TARGET, _FQ_INTERVAL)
    room = 10240.0 if limit is None else checked("the limit in packets", limit)
    queue = {
        "kind": "fq_codel",
        "target": _time(target),
        "interval": _time(interval),
        "quantum": f"{packet_bytes:.10g}B",
        "mtu": f"{packet_bytes:.10g}B",
        "limit": packet_text(room),
    }
    more = [Step("quantum", packet_bytes, "bytes", "one packet with its header", "RFC 8290 section 5.2.4")]
    if limit is None:
        more.append(Step("limit", room, "packets", "a guard of memory", "RFC 8290 section 5.2.3"))
    notes = _notes(rate_bps, rtt_s, packet_bytes, target, target_s)
    if limit is None and rate_bps > 1e10:
        notes.append("A limit of 10240 packets suits links up to 10 Gbit/s (RFC 8290 section 5.2.3): give --limit.")
    notes += _too_small(room, rate_bps, interval, packet_bytes, "one interval, before which CoDel drops nothing")
    return Design(_title("FQ-CoDel", rate_bps, rtt_s), queue, (*steps, *more), notes=tuple(notes))


def of_pie(
    rate_bps: float,
    *,
    rtt_s: float | None = None,
    packet_bytes: float = 1514.0,
    target_s: float | None = None,
    limit: float | None = None,
) -> Design:
    """PIE's target, update interval, burst allowance and limit; see :func:`of_codel`."""
    source = "RFC 8033 section 4.2"
    packet, target, steps = _target(rate_bps, packet_bytes, target_s, 0.015, f"{source}; {_OURS}")
    burst = max(0.150, 10.0 * target)
    longest = 0.1 if rtt_s is None else checked("the round-trip time in seconds", rtt_s)
    room, step = _room(rate_bps, max(longest, burst), packet_bytes, limit, "Linux sch_pie")
    queue = {
        "kind": "pie",
        "target": _time(target),
        "interval": "15ms",
        "max_burst": _time(burst),
        "limit": packet_text(room),
    }
    more = (
        Step("interval", 15.0, "ms", "T_UPDATE, for which the gains 0.125 and 1.25 Hz are made", source),
        Step("max_burst", burst * 1e3, "ms", "max(150 ms, 10 target)", f"RFC 8033 section 4.4; {_OURS}"),
    )
    notes = _notes(rate_bps, None, packet_bytes, target, target_s)
    if target_s is None and rtt_s is not None and target > rtt_s:
        notes.append(_many_round_trips(target, rtt_s))
    third = room * packet / 3.0
    if target > third:
        notes.append(
            'With preset = "rfc8033_enhanced" PIE acts above a third of the limit only (RFC 8033 section 5.3): '
            f"that is {third * 1e3:.3g} ms here, less than the target."
        )
    notes += _too_small(room, rate_bps, burst, packet_bytes, "the bursts that PIE lets pass (max_burst)")
    return Design(_title("PIE", rate_bps, rtt_s), queue, (*steps, *more, *step), notes=tuple(notes))


def _title(name: str, rate_bps: float, rtt_s: float | None) -> str:
    trip = "round trips of the Internet" if rtt_s is None else f"round trips up to {rtt_s * 1e3:g} ms"
    rate = f"{rate_bps / 1e9:g} Gbit/s" if rate_bps >= 1e9 else f"{rate_bps / 1e6:g} Mbit/s"
    return f"{name} at {rate} for {trip}"


def _target(
    rate_bps: float, packet_bytes: float, target_s: float | None, usual: float, source: str
) -> tuple[float, float, list[Step]]:
    """One packet's time, the target in seconds, and how it came about."""
    packet = 8.0 * checked("the packet in bytes", packet_bytes) / checked("the rate in bit/s", rate_bps)
    wanted = usual if target_s is None else checked("the target in seconds", target_s)
    target = max(wanted, packet)
    steps = [
        Step("packet", packet * 1e3, "ms", "8 size / rate", "arithmetic"),
        Step("target", target * 1e3, "ms", f"max({wanted * 1e3:g} ms, packet)", source),
    ]
    return packet, target, steps


def _clock(
    rate_bps: float,
    rtt_s: float | None,
    packet_bytes: float,
    target_s: float | None,
    about_target: str,
    about_interval: str,
) -> tuple[float, float, list[Step]]:
    """CoDel's target and interval in seconds, and how they came about.

    The interval is on the order of the greatest round-trip time, and the target is 5 to 10 % of it: a target that the
    link's rate forces up therefore takes the interval along.
    """
    both = about_target if about_target == _FQ_TARGET else f"{about_target}; {_FQ_TARGET}"
    _, target, steps = _target(rate_bps, packet_bytes, target_s, 0.005, both)
    trip = 0.1 if rtt_s is None else checked("the round-trip time in seconds", rtt_s)
    interval = max(trip, 10.0 * target)
    formula = f"max({'100 ms' if rtt_s is None else 'RTT'}, 10 target)"
    steps.append(Step("interval", interval * 1e3, "ms", formula, f"{about_interval}; {about_target}"))
    return target, interval, steps


def _room(
    rate_bps: float, time_s: float, packet_bytes: float, limit: float | None, source: str
) -> tuple[float, tuple[Step, ...]]:
    """The limit in packets: Linux's limit, or twice the packets that the link sends in the time, if that is more."""
    if limit is not None:
        return checked("the limit in packets", limit), ()
    room = float(max(_PACKETS, -(-2.0 * rate_bps * time_s // (8.0 * packet_bytes))))
    longest = "max_burst or RTT" if source == "Linux sch_pie" else "interval"
    step = Step("limit", room, "packets", f"max(1000, 2 rate {longest} / size)", f"{source}; {_OURS}")
    return room, (step,)


def _notes(
    rate_bps: float, rtt_s: float | None, packet_bytes: float, target: float, target_s: float | None
) -> list[str]:
    """Notes where the rule's usual numbers do not fit the link."""
    notes = []
    packet = 8.0 * packet_bytes / rate_bps
    if target == packet:
        notes.append(
            f"One packet of {packet_bytes:g} bytes takes {packet * 1e3:.3g} ms on this link: a shorter target would "
            "drop packets that have none before them."
        )
    if rtt_s is not None and target_s is None and rtt_s < 0.010:
        notes.append(_many_round_trips(target, rtt_s))
    if rtt_s is not None and rtt_s > 0.3:
        notes.append(
            "CoDel is at its best for round trips of 10 to 300 ms (RFC 8289 section 4.2): one sender alone leaves a "
            "part of this link idle. Compare a longer target, by --delay."
        )
    return notes


def _many_round_trips(target: float, rtt_s: float) -> str:
    times = target / rtt_s
    return (
        f"The target of {target * 1e3:.3g} ms is {times:.3g} round trips: it is made for the Internet. In a data "
        "centre give a shorter one, such as --delay 500us."
    )


def _too_small(room: float, rate_bps: float, time_s: float, packet_bytes: float, what: str) -> list[str]:
    needed = rate_bps * time_s / (8.0 * packet_bytes)
    if room >= needed:
        return []
    return [
        f"The limit of {room:g} packets is full before the law acts: the link sends {needed:.4g} packets in {what}."
    ]


def _time(seconds: float) -> str:
    """A time as it is written in a scenario."""
    return f"{seconds * 1e6:.10g}us" if seconds < 1e-3 else f"{seconds * 1e3:.10g}ms"
