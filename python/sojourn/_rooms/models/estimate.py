"""The number of active flows in a sequence of packets, by the estimators that queues use themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ... import _core
from .._base.checks import checked_seed

__all__ = ["active_flows"]

Flows = Sequence[Any] | ArrayLike | pl.Series
Times = ArrayLike | pl.Series | None
_LARGEST = 2**32 - 1


def active_flows(
    flows: Flows,
    method: str = "match",
    *,
    waiting: int | None = None,
    times: Times = None,
    departures: Times = None,
    every: int | None = None,
    every_s: float | None = None,
    seed: int = 1,
    **settings: object,
) -> pl.DataFrame:
    """The number of active flows at the end of each period: ``packets``, ``time_s`` (with `times`) and ``estimate``.

    Parameters
    ----------
    flows
        The flow of each packet in the order in which they came: numbers or names.
    method
        A value of ``active_flows`` of BLACK (``sojourn explain black``), or ``sred``: one over the hits in SRED's list.
    waiting
        The number of packets in the queue, if the last arrivals wait in it; by default 100. With `departures` the
        number is computed. The methods ``match`` and ``removals`` look into the queue.
    times, departures
        When each packet came, and when it left the queue, in seconds; both rising.
    every, every_s
        A period in packets, or in seconds of `times`; without either it is all of them.
    seed
        Of the random numbers of the method.
    settings
        The method's parameters under their names in BLACK (``bitmap_bits``, ``captures``, ``capture_probability`` ...)
        or in SRED (``zombies``, ``replace``, ``alpha``). The defaults are those of the queue.

    Raises
    ------
    ValueError
        If a setting is unknown or out of its range, or the times do not fit the packets.
    """
    return _Packets(flows, times, every, every_s, departures, waiting).estimates(method, seed, settings)


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

    def estimates(self, method: str, seed: int, settings: Mapping[str, object]) -> pl.DataFrame:
        """A row for each period, by an estimator of the core with these settings."""
        texts = [(name, str(value)) for name, value in settings.items()]
        found = _core.estimate(method, texts, self.flows, self.first_waiting, self.ends, checked_seed(seed))
        at = {} if self.end_times is None else {"time_s": self.end_times}
        return pl.DataFrame({"packets": self.ends.astype(np.int64), **at, "estimate": found}).with_columns(
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
