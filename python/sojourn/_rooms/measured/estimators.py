"""Closed forms that make a line's rate, round trip, buffers and jitter of a measurement, each with an interval.

An interval has the uncertainty of the samples and that of the form. Where a form rests on the behaviour of senders, its
constants are those of runs of Sojourn with CUBIC of Linux and one FIFO (1 to 200 Mbit/s, 5 to 120 ms, buffers of 40 to
1000 ms): of four or more flows that filled the buffer, the 95th percentile of the added round trips is 0.9 to 1 of it,
and their median or mean 0.67 to 0.88; of one flow it says only that the buffer is not smaller.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "Range",
    "added_quantile",
    "base",
    "buffer_of",
    "gross",
    "growth",
    "jitter",
    "mean_range",
    "rate",
    "wire_share",
]

_Z = 1.96
_EDGE = 20.0
"""One over the part of cases outside of a one-sided interval of 95 %."""
HOST_MS = 0.5
"""Time that the two hosts may add to a round trip."""
_HEADERS = 0.015
"""Of a rate: how far the headers of a packet, and the number of acknowledgements, are from the usual ones."""
P95_SHARE = (0.9, 1.0)
MIDDLE_SHARE = (0.67, 0.88)
MIDDLE = 0.78
_SETTLING_S = 0.5
"""Seconds of the start of a test, besides round trips, in which its senders may not have filled the line."""


@dataclass(frozen=True)
class Range:
    """A number with an interval of 95 %."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Range:
        """The same in another unit."""
        return Range(factor * self.value, factor * self.low, factor * self.high)

    def plus(self, other: float) -> Range:
        """With a number added."""
        return Range(self.value + other, self.low + other, self.high + other)


def wire_share(payload: int, on_wire: float) -> float:
    """Bytes on the line for each byte of payload.

    >>> round(wire_share(1448, 1518.0), 3), round(wire_share(1440, 53 * 32.0), 3)
    (1.048, 1.178)
    """
    return on_wire / payload


def gross(payload_bps: float, share: float, other_bps: float = 0.0, ack_share: float = 0.0) -> float:
    """The rate on the line, with the acknowledgements of the payload of the other direction.

    >>> round(gross(16.9, 1.0483, 81.0, 70 / 3036 * 1.0483), 1)
    19.7
    """
    return payload_bps * share + other_bps * ack_share


def rank_interval(values: Sequence[float], quantile: float, independent: float) -> Range:
    """A quantile of values, of which `independent` are, with its interval by order statistics.

    >>> rank_interval(range(1, 101), 0.5, 100)
    Range(value=50.5, low=40.798, high=60.202)
    """
    ordered = sorted(values)
    half = _Z * math.sqrt(quantile * (1.0 - quantile) / max(independent, 1.0))
    at = [_between(ordered, quantile + shift) for shift in (0.0, -half, half)]
    return Range(*(round(one, 6) for one in at))


def _between(ordered: Sequence[float], quantile: float) -> float:
    place = min(max(quantile, 0.0), 1.0) * (len(ordered) - 1)
    first = math.floor(place)
    second = min(first + 1, len(ordered) - 1)
    return ordered[first] + (place - first) * (ordered[second] - ordered[first])


def mean_range(values: Sequence[float]) -> Range:
    """The mean with the normal interval of its standard error."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return Range(mean, mean, mean)
    variance = math.fsum((one - mean) ** 2 for one in values) / (len(values) - 1)
    half = _Z * math.sqrt(variance / len(values))
    return Range(mean, mean - half, mean + half)


def rate(values: Sequence[float], *, sender: bool, whole_s: float | None, rtt_s: float) -> Range:
    """The rate of a full line, from rates of intervals or from one of a whole test.

    A receiver's intervals are those of the line once its queue is filled: their median in the second half. A
    sender's have the steps of its own buffer: their mean. A single mean has the start in it: half a second
    and some round trips.
    """
    if len(values) == 1:
        value = values[0]
        start_s = _SETTLING_S + 5.0 * rtt_s
        low, high = value * (1.0 - _HEADERS), value * (1.0 + _HEADERS)
        if whole_s is not None:
            high = max(high, value * (1.0 + _HEADERS) / max(1.0 - start_s / whole_s, 0.5))
        return Range(value, low, high)
    half = list(values[len(values) // 2 :]) if len(values) > 3 else list(values)
    found = mean_range(half) if sender else rank_interval(half, 0.5, len(half))
    return Range(found.value, found.low * (1.0 - _HEADERS), found.high * (1.0 + _HEADERS))


def base(values: Sequence[float], *, resolution: float = 0.0, sent_ms: float = 0.0) -> Range:
    """The round trip without queues, in milliseconds, from samples without load: their least one, less sending times.

    Samples of a round trip with a delay beyond it of an exponential law have a least one that is beyond it by less than
    ln(20) (mean - least)/n in 95 % of cases.

    >>> base([30.0] * 20)
    Range(value=30.0, low=29.5, high=30.0)
    """
    least = min(values)
    mean = math.fsum(values) / len(values)
    spread = math.log(_EDGE) * (mean - least) / len(values)
    value = least - sent_ms
    return Range(max(value, 0.0), max(value - spread - HOST_MS - resolution, 0.0), least + resolution)


def added_quantile(ms: Sequence[float], base_ms: float, span_s: float | None) -> Range:
    """The 95th percentile of round trips under load, beyond the one without; at most one sample a second is new."""
    independent = min(float(len(ms)), span_s) if span_s is not None else float(len(ms))
    found = rank_interval(ms, 0.95, independent).plus(-base_ms)
    return Range(max(found.value, 0.0), max(found.low, 0.0), max(found.high, 0.0))


def growth(ms: Sequence[float], base_ms: float) -> float:
    """How much more load adds to round trips in the last third of a test than it did before: the greatest of each.

    Above 1 the senders had not filled the buffer yet: once they have, it is about as full again and again.

    >>> growth([40.0, 80.0, 60.0, 80.0, 70.0, 80.0], 30.0)
    1.0
    """
    last = max(len(ms) // 3, 1)
    before = max(ms[:-last], default=base_ms) - base_ms
    return (max(ms[-last:]) - base_ms) / before if before > 0.0 else math.inf


def buffer_of(added: Range, share: tuple[float, float], middle: float) -> Range:
    """The size of a FIFO's buffer of which added round trips are a part.

    >>> buffer_of(Range(78.0, 78.0, 78.0), (0.65, 0.8), 0.78)
    Range(value=100.0, low=97.5, high=120.0)
    """
    return Range(added.value / middle, added.low / share[1], added.high / share[0])


def jitter(values: Sequence[float]) -> Range:
    """The mean difference of neighbours.

    >>> jitter([30.0, 31.0, 30.0, 31.0]).value
    1.0
    """
    steps = [abs(one - other) for one, other in itertools.pairwise(values)]
    found = mean_range(steps)
    # A sample is in two differences.
    wide = math.sqrt(2.0)
    return Range(
        found.value,
        max(found.value - wide * (found.value - found.low), 0.0),
        found.value + wide * (found.high - found.value),
    )
