"""A bottleneck for the packets of another program: a test of a QUIC stack, say, whose clock the test turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import _core
from .._base.toml import inline
from ..scenario.component import plain
from ..scenario.queue_text import table_of

if TYPE_CHECKING:
    from ..scenario.scenario import QueueLike

__all__ = ["Arrived", "Bottleneck", "Lost"]


class Arrived(NamedTuple):
    """A packet at the other end."""

    at: float
    """When its last bit arrived, in seconds."""
    payload: Any
    """The payload that was sent with it."""
    size: int
    """Bytes on the wire."""
    flow: int
    """Number of its flow."""
    ecn: int
    """Bits of its ECN field as it arrived: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE."""
    waited: float
    """How long it was in queues, all links together, in seconds."""


class Lost(NamedTuple):
    """A packet that did not get through."""

    at: float
    """When, in seconds."""
    payload: Any
    """The payload that was sent with it."""
    size: int
    """Bytes on the wire."""
    flow: int
    """Number of its flow."""
    ecn: int
    """Bits of its ECN field."""
    reason: str
    """``overflow``, ``early``, ``sojourn`` and others for a queue's drops, ``corruption`` for a loss on the wire."""
    link: int
    """Number of the link, from 0."""


class Bottleneck:
    """One link or several in a row, in one direction, with any queue. It reads no clock: the caller says the time.

    It cannot be copied or pickled: make another one with the same arguments, and call it as this one was called.

    Parameters
    ----------
    queue
        A name such as ``"codel"``, a text such as ``"red:min_th=5p"``, a line of tc such as ``"fq_codel target
        3ms"``, a table, or one of :mod:`sojourn.queues`.
    rate, delay
        Of the link, such as ``"10Mbit"`` and ``"20ms"``.
    links
        In place of these three, a table for each link with `rate`, `delay`, `queue`, `loss`, `jitter` and the other
        keys of a link in scenario files.
    seed
        Decides all that is random.
    flows
        For laws that ask how many flows there are.

    Raises
    ------
    ScenarioError
        If a name or a value is wrong.

    Examples
    --------
    >>> import sojourn
    >>> there = sojourn.Bottleneck("codel", "10Mbit", "20ms")
    >>> there.send(0.0, 1500, "hello")
    >>> there.next_time()
    0.0012
    >>> there.receive(0.1)
    [Arrived(at=0.0212, payload='hello', size=1500, flow=0, ecn=0, waited=0.0)]
    """

    def __init__(
        self,
        queue: QueueLike = "fifo",
        rate: str = "10Mbit",
        delay: str = "10ms",
        *,
        links: Sequence[Mapping[str, Any]] | None = None,
        seed: int = 1,
        flows: int = 1,
    ) -> None:
        if links is None:
            links = [{"name": "forward", "rate": rate, "delay": delay, "queue": queue}]
        text = f"flows = {inline(flows)}\nlink = {inline([_table(link) for link in links])}\n"
        self._core = _core.Bottleneck(text, len(links), seed)

    def send(
        self,
        now: float,
        size: int,
        payload: Any = None,
        *,
        flow: int = 0,
        ecn: int = 0,
        dscp: int = 0,
        hosts: tuple[int, int] | None = None,
    ) -> None:
        """Hand a packet to the first link.

        Parameters
        ----------
        now
            In seconds since a moment of the caller's choice; it never goes back.
        size
            Bytes on the wire, headers included.
        payload
            Any object; it is given back.
        flow
            Number of its flow, a small one.
        ecn, dscp
            Bits of the IP header: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE; 0 to 63.
        hosts
            Numbers of the hosts that send and receive, among which CAKE shares. Without them, each flow has two of its
            own.

        Raises
        ------
        ValueError
            If a number is out of its range, or time goes back.
        """
        self._core.send(now, size, payload, flow, ecn, dscp, hosts)

    def receive(self, now: float) -> list[Arrived]:
        """Take the packets that have arrived by `now`, in order of arrival.

        Raises
        ------
        ValueError
            If time goes back.
        """
        return [Arrived(*row) for row in self._core.receive(now)]

    def lost(self) -> list[Lost]:
        """Take the packets that were lost since the last call, as of the last time that was given."""
        return [Lost(*row) for row in self._core.lost()]

    def next_time(self) -> float | None:
        """Say when something happens next, in seconds; None while nothing is under way."""
        return self._core.next_time()

    def backlog(self, link: int = 0) -> tuple[int, int]:
        """Say how many packets and bytes wait at a link.

        Raises
        ------
        ValueError
            If there is no such link.
        """
        return self._core.backlog(link)


def _table(link: Mapping[str, Any]) -> dict[str, Any]:
    table = {key: plain(value) for key, value in link.items()}
    if isinstance(queue := table.get("queue"), str):
        table["queue"] = table_of(queue)
    return table
