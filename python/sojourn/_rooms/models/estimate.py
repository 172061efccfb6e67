"""The number of active flows in a sequence of packets, by the estimators that queues use themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ... import _core
from .._base.checks import checked_seed

__all__ = [
    "coverage_1",
    "coverage_2",
    "direct_bitmap",
    "jackknife",
    "low_pass",
    "match",
    "removals",
    "sred_hits",
    "virtual_buffer",
]

Flows = Sequence[Any] | ArrayLike | pl.Series
Times = ArrayLike | pl.Series | None
_LARGEST = 2**32 - 1


def match(
    flows: Flows,
    *,
    waiting: int | None = None,
    times: Times = None,
    departures: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """BLACK's matches: ``N = m / matches`` of m packets, each compared with one drawn from the queue.

    With equal flows it is right; else it tends to one over the sum of the squares of their shares. Source: Chatranon
    2004, eq. 3.7.

    Parameters
    ----------
    flows, every, every_s, seed
        As for all; see `sojourn.models.estimate`.
    waiting
        The number of packets in the queue, if the last arrivals wait in it; by default 100. With `departures` the
        number is computed.
    times, departures
        When each packet came, and when it left the queue, in seconds; both rising.
    """
    return _Packets(flows, times, every, every_s, departures, waiting).estimates("match", seed)


def virtual_buffer(
    flows: Flows,
    *,
    size: int = 3000,
    times: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """As `match`, drawn from the last `size` packets, whether they wait or not (Chatranon 2004, figure 38)."""
    packets = _Packets(flows, times, every, every_s)
    return packets.estimates("virtual_match", seed, virtual_buffer=size, match_over="compared")


def direct_bitmap(
    flows: Flows,
    *,
    bits: int = 1024,
    times: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """``N = b ln(b / z)`` from z zeros of b `bits` that hashes of flows set in a period (Chatranon 2004, eq. 4.1).

    A full bitmap says ``b ln b``, as one with a single zero.
    """
    return _Packets(flows, times, every, every_s).estimates("direct_bitmap", seed, bitmap_bits=bits)


def low_pass(
    flows: Flows,
    *,
    bits: int = 1024,
    more_than: int = 10,
    times: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """A direct bitmap of the flows with more than `more_than` packets in a period (Chatranon 2004, section 4.3.4)."""
    packets = _Packets(flows, times, every, every_s)
    return packets.estimates("low_pass", seed, bitmap_bits=bits, bitmap_min_packets=more_than)


def removals(
    flows: Flows,
    *,
    bits: int = 1024,
    waiting: int | None = None,
    times: Times = None,
    departures: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """A direct bitmap of flows of which packets wait (Chatranon 2004, section 4.3.4); the queue as in `match`."""
    packets = _Packets(flows, times, every, every_s, departures, waiting)
    return packets.estimates("removals", seed, bitmap_bits=bits)


def jackknife(
    flows: Flows,
    *,
    captures: int = 100,
    probability: float = 0.04,
    weight: float = 0.3,
    times: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """The jackknife of Burnham and Overton over lists of captured packets (Chatranon 2004, section 4.2.2).

    Parameters
    ----------
    flows, times, every, every_s, seed
        As for all; see `sojourn.models.estimate`. A row has the estimate at the end of its period.
    captures
        t, the packets of a list, at least 6.
    probability
        With which a packet is captured, above 0.
    weight
        Of a new list in the estimate; 1 smooths nothing.
    """
    packets = _Packets(flows, times, every, every_s)
    return packets.captures("jackknife", seed, captures, probability, weight)


def coverage_1(
    flows: Flows,
    *,
    captures: int = 100,
    probability: float = 0.04,
    weight: float = 0.3,
    times: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """Sample coverage of first order by Lee and Chao (Chatranon 2004, eqs 4.6 and 4.7); else as `jackknife`."""
    packets = _Packets(flows, times, every, every_s)
    return packets.captures("coverage_1", seed, captures, probability, weight)


def coverage_2(
    flows: Flows,
    *,
    captures: int = 100,
    probability: float = 0.04,
    weight: float = 0.3,
    times: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """Sample coverage of second order by Lee and Chao (Chatranon 2004, eqs 4.8 and 4.9); else as `jackknife`."""
    packets = _Packets(flows, times, every, every_s)
    return packets.captures("coverage_2", seed, captures, probability, weight)


def sred_hits(
    flows: Flows,
    *,
    zombies: int = 1000,
    replace: float = 0.25,
    weight: float | None = None,
    times: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """SRED's ``1 / P``, P being how often a packet's flow is that of a zombie drawn from the list (Ott et al. 1999).

    Parameters
    ----------
    flows, times, every, every_s, seed
        As for all; see `sojourn.models.estimate`.
    zombies
        M, the recently seen flows in the list; while it fills nothing is compared.
    replace
        Probability that a miss takes the zombie's place, 0 to 1.
    weight
        Of a packet in P; the default is ``replace / zombies``.
    """
    alpha = "auto" if weight is None else weight
    return _Packets(flows, times, every, every_s).estimates("sred", seed, zombies=zombies, replace=replace, alpha=alpha)


# ---- How a sequence is laid out for the core.


class _Packets:
    """A sequence of packets: the flow and the time of each, the queue at its arrival, and the periods."""

    _WAITING = 100

    def __init__(
        self,
        flows: Flows,
        times: Times,
        every: int | None,
        every_s: float | None,
        departures: Times = None,
        waiting: int | None = None,
    ) -> None:
        came = None if times is None else _rising("times", times)
        left = None if departures is None else _rising("departures", departures)
        if left is not None and waiting is not None:
            raise ValueError("give the waiting packets or the departures, not both")
        if left is not None and came is None:
            raise ValueError("departures need the times at which the packets came, too")
        if waiting is not None and waiting < 1:
            raise ValueError(f"there are {waiting} packets waiting\n  allowed: at least 1")
        self.flows = _numbered(flows)
        if came is not None:
            _same_length("times", came, len(self.flows))
        self.ends, self.end_times = _periods(len(self.flows), came, every, every_s)
        self.first_waiting = self._first_waiting(came, left, self._WAITING if waiting is None else waiting)

    def _first_waiting(
        self, came: NDArray[np.float64] | None, left: NDArray[np.float64] | None, waiting: int
    ) -> NDArray[np.uint64]:
        """The first packet that still waits when each comes."""
        own = np.arange(len(self.flows))
        if left is None or came is None:
            return np.maximum(own - waiting, 0).astype(np.uint64)
        _same_length("departures", left, len(self.flows))
        return np.minimum(np.searchsorted(left, came, side="right"), own).astype(np.uint64)

    def estimates(self, method: str, seed: int, **settings: object) -> pl.DataFrame:
        """A row for each period, by an estimator of the core with these settings."""
        texts = [(name, str(value)) for name, value in settings.items()]
        found = _core.estimate(method, texts, self.flows, self.first_waiting, self.ends, checked_seed(seed))
        at = {} if self.end_times is None else {"time_s": self.end_times}
        return pl.DataFrame({"packets": self.ends.astype(np.int64), **at, "estimate": found}).with_columns(
            pl.col("estimate").fill_nan(None)
        )

    def captures(self, method: str, seed: int, captures: int, probability: float, weight: float) -> pl.DataFrame:
        """As `estimates`, from lists of captured packets."""
        return self.estimates(method, seed, captures=captures, capture_probability=probability, capture_weight=weight)


def _periods(
    packets: int, times: NDArray[np.float64] | None, every: int | None, every_s: float | None
) -> tuple[NDArray[np.uint64], NDArray[np.float64] | None]:
    """How many packets had come when each period ended, and when that was."""
    if every is not None and every_s is not None:
        raise ValueError("a period has packets or seconds: give every or every_s, not both")
    if every_s is not None:
        if times is None:
            raise ValueError("periods of seconds need the times of the packets: give times")
        if not every_s > 0.0:
            raise ValueError(f"a period has {every_s} seconds\n  allowed: above 0")
        span = float(times[-1] - times[0]) if packets else 0.0
        # A period is full when the next one has begun.
        first = float(times[0]) if packets else 0.0
        marks = np.asarray(first + every_s * np.arange(1, int(span / every_s) + 1), dtype=np.float64)
        return np.searchsorted(times, marks, side="left").astype(np.uint64), marks
    size = max(packets, 1) if every is None else every
    if size < 1:
        raise ValueError(f"a period has {every} packets\n  allowed: at least 1")
    ends = np.arange(size, packets + 1, size, dtype=np.uint64)
    return ends, None if times is None else times[ends.astype(np.int64) - 1]


def _numbered(flows: Flows) -> NDArray[np.uint32]:
    """Flows as the core takes them: numbers that fit as they are, anything else in the order of its names."""
    array = flows.to_numpy() if isinstance(flows, pl.Series) else np.asarray(flows)
    if array.ndim != 1:
        raise ValueError(f"flows have {array.ndim} dimensions\n  allowed: one, a flow for each packet")
    if array.size == 0:
        return np.zeros(0, dtype=np.uint32)
    if array.dtype.kind in "iu" and array.min() >= 0 and array.max() <= _LARGEST:
        return array.astype(np.uint32)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"packet {int(np.argmax(np.isnan(array)))} is of no flow (NaN)")
    try:
        codes = np.unique(array, return_inverse=True)[1]
    except TypeError:
        raise ValueError("flows cannot be told from each other: give numbers or texts, one kind for all") from None
    return codes.astype(np.uint32)


def _rising(what: str, values: ArrayLike | pl.Series) -> NDArray[np.float64]:
    array = np.asarray(values.to_numpy() if isinstance(values, pl.Series) else values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{what} have {array.ndim} dimensions\n  allowed: one, a time for each packet")
    falls = np.nonzero(~(np.diff(array) >= 0.0))[0]
    if falls.size or np.isnan(array).any():
        place = int(falls[0]) + 1 if falls.size else int(np.argmax(np.isnan(array)))
        raise ValueError(f"{what}: that of packet {place} is before that of the packet before, or not a number")
    return array


def _same_length(what: str, values: NDArray[np.float64], packets: int) -> None:
    if len(values) != packets:
        raise ValueError(f"there are {packets} packets and {len(values)} {what}")
