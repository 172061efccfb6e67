"""Rules that need no loop: weight of the average, thresholds, the greatest round-trip time, PSAND's resting point."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..._base.toml import Value
from .basics import Design, Step, checked, packet_text

__all__ = [
    "automatic_weight",
    "floyd_thresholds",
    "greatest_rtt",
    "of_ared",
    "of_psand",
    "psand_rest",
    "symmetric_thresholds",
]

_FLOYD = "Floyd, Gummadi and Shenker 2001, section 4.4; Alemu 2004, algorithm 7"
_WEIGHT = "Floyd, Gummadi and Shenker 2001, section 4.3; Alemu 2004, section 2.2"


def automatic_weight(capacity: float, *, time_s: float = 1.0) -> float:
    """w_q, the weight of a packet in the average queue: ``1 - exp(-1 / (C t))``.

    Parameters
    ----------
    capacity
        C in packets per second, above 0.
    time_s
        t, the time constant of the average in seconds: 1 s, or ten round-trip times of 100 ms.

    Source: Floyd, Gummadi and Shenker 2001, section 4.3; Alemu 2004, section 2.2.
    """
    return -math.expm1(-1.0 / (checked("the rate in packets per second", capacity) * checked("the time", time_s)))


def floyd_thresholds(capacity: float, *, target_delay_s: float = 0.005) -> tuple[float, float]:
    """min_th and max_th of Adaptive RED in packets: ``max(5, C d / 2)`` and three times that.

    `capacity` is C in packets per second, `target_delay_s` the delay d that is aimed at. Source: Floyd, Gummadi and
    Shenker 2001, section 4.4.
    """
    least = max(5.0, checked("the rate", capacity) * checked("the target delay", target_delay_s) / 2.0)
    return least, 3.0 * least


def symmetric_thresholds(target: float, limit: float) -> tuple[float, float]:
    """min_th and max_th in packets, even about `target` and as wide as the buffer of `limit` packets allows.

    ``2 T - B`` and ``B`` if T is above B / 2, else ``0`` and ``2 T``. Source: Alemu 2004, section 3.2.3.
    """
    checked("the target in packets", target, most=checked("the limit in packets", limit))
    return (2.0 * target - limit, limit) if target > limit / 2.0 else (0.0, 2.0 * target)


def greatest_rtt(limit: float, capacity: float, propagation_s: float) -> float:
    """R+ in seconds: a full buffer of `limit` packets at `capacity` packets per second, plus twice the links' delays.

    Source: Alemu 2004, table 4.1 (``R+ = B / C + T_p``).
    """
    if not (propagation_s >= 0.0 and math.isfinite(propagation_s)):
        raise ValueError(f"the propagation delay is {propagation_s:g} s\n  allowed: at least 0")
    return checked("the limit in packets", limit) / checked("the rate", capacity) + propagation_s


def psand_rest(target: float, *, coef: float = 1.75, gamma: float = 1.5) -> float:
    """The average queue in packets at which PSAND leaves max_p as it is: ``T coef^(-1/gamma)``.

    There the factor ``coef (K^2 / (T K_prev))^gamma`` is 1 with ``K = K_prev``. Source: from Alemu 2004, eqs 2.1 and
    2.2.
    """
    exponent = -1.0 / checked("gamma", gamma)
    return checked("the target in packets", target) * math.pow(checked("coef", coef), exponent)


def of_ared(capacity: float, *, target_delay_s: float = 0.005, limit: float | None = None) -> Design:
    """Adaptive RED's thresholds and weight."""
    weight = automatic_weight(capacity)
    least, most = floyd_thresholds(capacity, target_delay_s=target_delay_s)
    queue: dict[str, Value] = {"kind": "ared", "min_th": packet_text(least), "max_th": packet_text(most), "w_q": weight}
    steps = (
        Step("min_th", least, "packets", "max(5, C d / 2)", _FLOYD),
        Step("max_th", most, "packets", "3 min_th", _FLOYD),
        Step("target", 2.0 * least, "packets", "midway between the thresholds", _FLOYD),
        Step("w_q", weight, "", "1 - exp(-1 / C): a time constant of 1 s", _WEIGHT),
    )
    notes = (f"The average is aimed at {2.0 * least / capacity * 1e3:.3g} ms of queue.",)
    return Design(f"Adaptive RED at {capacity:g} packets/s", _limited(queue, limit), steps, notes=notes)


def of_psand(capacity: float, *, target: float, limit: float, coef: float = 1.75, gamma: float = 1.5) -> Design:
    """PSAND's thresholds and weight, and the average at which it rests."""
    weight = automatic_weight(capacity)
    least, most = symmetric_thresholds(target, limit)
    rest = psand_rest(target, coef=coef, gamma=gamma)
    queue: dict[str, Value] = {
        "kind": "psand",
        "target": packet_text(target),
        "min_th": packet_text(least),
        "max_th": packet_text(most),
        "w_q": weight,
        "coef": coef,
        "gamma": gamma,
    }
    rule = "Alemu 2004, section 3.2.3"
    steps = (
        Step("min_th", least, "packets", "2 T - B if T > B / 2, else 0", rule),
        Step("max_th", most, "packets", "B if T > B / 2, else 2 T", rule),
        Step("w_q", weight, "", "1 - exp(-1 / C): a time constant of 1 s", _WEIGHT),
        Step("rest", rest, "packets", "T coef^(-1/gamma)", "from Alemu 2004, eqs 2.1 and 2.2"),
    )
    notes = (
        ()
        if math.isclose(rest, target)
        else (f"By its own law the average rests at {rest:.4g} packets, not {target:g}.",)
    )
    return Design(f"PSAND at {capacity:g} packets/s", _limited(queue, limit), steps, notes=notes)


def _limited(queue: Mapping[str, Value], limit: float | None) -> Mapping[str, Value]:
    return queue if limit is None else {**queue, "limit": packet_text(limit)}
