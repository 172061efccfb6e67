"""The number of active flows in a sequence of packets, by the estimators that queues use themselves.

>>> import numpy as np, sojourn
>>> flows = np.random.default_rng(1).integers(0, 60, size=9000)
>>> sojourn.estimate.direct_bitmap(flows, every=3000)["estimate"].round(0).to_list()
[62.0, 62.0, 62.0]

All take the flows of the packets in the order in which they came (numbers or names, in any sequence, array or polars
series) and give a frame with a row for each period: ``packets`` (how many had come when it ended), ``time_s`` (where
times were given) and ``estimate``, null before there is one. A period is `every` packets, or `every_s` seconds of
the times; without either it is all of them.

The estimators are the core's own, from which BLACK, AFC, CARE and SRED take a fair share. Specification: Chatranon
2004, chapter 4; Ott, Lakshman and Wong 1999 for SRED.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from .. import _core
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
_LARGEST = 2**32 - 1


def match(
    flows: Flows,
    *,
    waiting: int | None = None,
    times: ArrayLike | pl.Series | None = None,
    departures: ArrayLike | pl.Series | None = None,
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
        As for all; see `sojourn.estimate`.
    waiting
        Packets in the queue, if the last so many wait; the default is 100. With `departures` nothing is assumed.
    times, departures
        When each packet came, and when it left the queue, in seconds; both rising.
    """
    return _estimates("match", flows, _Queue(times, departures, waiting), every, every_s, seed, {})


def virtual_buffer(
    flows: Flows,
    *,
    size: int = 3000,
    times: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """As `match`, drawn from the last `size` packets, whether they wait or not (Chatranon 2004, figure 38)."""
    settings = {"virtual_buffer": size, "match_over": "compared"}
    return _estimates("virtual_match", flows, _Queue(times), every, every_s, seed, settings)


def direct_bitmap(
    flows: Flows,
    *,
    bits: int = 1024,
    times: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """``N = b ln(b / z)`` from z zeros of b `bits` that hashes of flows set in a period (Chatranon 2004, eq. 4.1).

    A full bitmap says ``b ln b``, as one with a single zero.
    """
    return _estimates("direct_bitmap", flows, _Queue(times), every, every_s, seed, {"bitmap_bits": bits})


def low_pass(
    flows: Flows,
    *,
    bits: int = 1024,
    more_than: int = 10,
    times: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """A direct bitmap of flows with `more_than` so many packets in a period (Chatranon 2004, section 4.3.4)."""
    settings = {"bitmap_bits": bits, "bitmap_min_packets": more_than}
    return _estimates("low_pass", flows, _Queue(times), every, every_s, seed, settings)


def removals(
    flows: Flows,
    *,
    bits: int = 1024,
    waiting: int | None = None,
    times: ArrayLike | pl.Series | None = None,
    departures: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """A direct bitmap of flows of which packets wait (Chatranon 2004, section 4.3.4); the queue as in `match`."""
    queue = _Queue(times, departures, waiting)
    return _estimates("removals", flows, queue, every, every_s, seed, {"bitmap_bits": bits})


def jackknife(
    flows: Flows,
    *,
    captures: int = 100,
    probability: float = 0.04,
    weight: float = 0.3,
    times: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """The jackknife of Burnham and Overton over lists of captured packets (Chatranon 2004, section 4.2.2).

    Parameters
    ----------
    flows, times, every, every_s, seed
        As for all; see `sojourn.estimate`. A row has the estimate at the end of its period.
    captures
        t, the packets of a list, at least 6.
    probability
        With which a packet is captured, above 0.
    weight
        Of a new list in the estimate; 1 smooths nothing.
    """
    return _captured("jackknife", flows, times, every, every_s, seed, captures, probability, weight)


def coverage_1(
    flows: Flows,
    *,
    captures: int = 100,
    probability: float = 0.04,
    weight: float = 0.3,
    times: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """Sample coverage of first order by Lee and Chao (Chatranon 2004, eqs 4.6 and 4.7); else as `jackknife`."""
    return _captured("coverage_1", flows, times, every, every_s, seed, captures, probability, weight)


def coverage_2(
    flows: Flows,
    *,
    captures: int = 100,
    probability: float = 0.04,
    weight: float = 0.3,
    times: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """Sample coverage of second order by Lee and Chao (Chatranon 2004, eqs 4.8 and 4.9); else as `jackknife`."""
    return _captured("coverage_2", flows, times, every, every_s, seed, captures, probability, weight)


def sred_hits(
    flows: Flows,
    *,
    zombies: int = 1000,
    replace: float = 0.25,
    weight: float | None = None,
    times: ArrayLike | pl.Series | None = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
) -> pl.DataFrame:
    """SRED's ``1 / P``, P being how often a packet is of the flow of a zombie drawn from the list (Ott et al. 1999).

    Parameters
    ----------
    flows, times, every, every_s, seed
        As for all; see `sojourn.estimate`.
    zombies
        M, the recently seen flows in the list; while it fills nothing is compared.
    replace
        Probability that a miss takes the zombie's place, 0 to 1.
    weight
        Of a packet in P; the default is ``replace / zombies``.
    """
    settings = {"zombies": zombies, "replace": replace, "alpha": "auto" if weight is None else weight}
    return _estimates("sred", flows, _Queue(times), every, every_s, seed, settings)


# ---- How a sequence is laid out for the core.


def _captured(
    method: str,
    flows: Flows,
    times: ArrayLike | pl.Series | None,
    every: int | None,
    every_s: float | None,
    seed: int,
    captures: int,
    probability: float,
    weight: float,
) -> pl.DataFrame:
    settings = {"captures": captures, "capture_probability": probability, "capture_weight": weight}
    return _estimates(method, flows, _Queue(times), every, every_s, seed, settings)


class _Queue:
    """The queue when a packet comes."""

    _WAITING = 100

    def __init__(self, times: Any, departures: Any = None, waiting: int | None = None) -> None:
        self.times = None if times is None else _rising("times", times)
        self.departures = None if departures is None else _rising("departures", departures)
        if self.departures is not None and waiting is not None:
            raise ValueError("give the waiting packets or the departures, not both")
        if self.departures is not None and self.times is None:
            raise ValueError("departures need the times at which the packets came, too")
        self.waiting = self._WAITING if waiting is None else waiting
        if self.waiting < 1:
            raise ValueError(f"there are {waiting} packets waiting\n  allowed: at least 1")

    def first_waiting(self, packets: int) -> NDArray[np.uint64]:
        """The first packet that still waits when each comes."""
        own = np.arange(packets)
        if self.departures is None or self.times is None:
            return np.maximum(own - self.waiting, 0).astype(np.uint64)
        _same_length("departures", self.departures, packets)
        left = np.searchsorted(self.departures, self.times, side="right")
        return np.minimum(left, own).astype(np.uint64)


def _estimates(
    method: str,
    flows: Flows,
    queue: _Queue,
    every: int | None,
    every_s: float | None,
    seed: int,
    settings: Mapping[str, object],
) -> pl.DataFrame:
    numbers = _numbered(flows)
    packets = len(numbers)
    if queue.times is not None:
        _same_length("times", queue.times, packets)
    ends, times = _periods(packets, queue.times, every, every_s)
    texts = [(name, str(value)) for name, value in settings.items()]
    found = _core.estimate(method, texts, numbers, queue.first_waiting(packets), ends, checked_seed(seed))
    at = {} if times is None else {"time_s": times}
    return pl.DataFrame({"packets": ends.astype(np.int64), **at, "estimate": found}).with_columns(
        pl.col("estimate").fill_nan(None)
    )


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
    """Flows as the core has them: numbers that fit as they are, anything else in the order of its names."""
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
        raise ValueError(f"{what}: that of packet {place} is before that of the packet before, or no number")
    return array


def _same_length(what: str, values: NDArray[np.float64], packets: int) -> None:
    if len(values) != packets:
        raise ValueError(f"there are {packets} packets and {len(values)} {what}")
