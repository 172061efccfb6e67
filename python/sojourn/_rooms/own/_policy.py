"""A queue's policy in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..scenario.component import ChosenQueue
from ._classes import Own
from ._params import Size

if TYPE_CHECKING:
    from ..._core import Dropped, Packet, Queue, Random, Verdict
    from ._check import Conformance

__all__ = ["Policy"]


class Policy(Own, abstract=True):
    """Decides about packets over a queue that it does not own: write a class with some of the hooks below.

    The class is registered when it is defined, under ``name`` or, without one, under its own name in small letters
    (``MyQueue`` is ``my_queue``). ``abstract=True`` in the head of the class prevents that. One object is made for
    each queue; when ``__init__(self)`` is called, the parameters and ``self.link`` have their values.

    Each packet takes one way through the hooks, and each step of it is one call::

        on_arrival -> verdict ---> on_drop       refused, or no room
            |
        on_enqueued -------------> on_drop       taken out of the queue
            |
        on_departure -> verdict -> on_drop       refused at the head
            |
        on_transmission                          sent

    A verdict is None or ``PASS``, ``DROP`` or ``MARK``, the latter with a reason if you like: ``DROP("sojourn")``. A
    packet whose sender does not understand marks is dropped in place of being marked. A hook that is not written costs
    nothing.

    Attributes
    ----------
    name
        In scenario files.
    probes
        Names of attributes that ``record.probes`` samples; each is a number.
    counts
        Names of attributes that count the backlog: a number of packets, or a mapping from flow to packets. ``check``
        compares them with the actual backlog.
    sends_chokes
        Whether a hook ever calls ``queue.choke``.
    deadline_ns
        When ``on_deadline`` is to be called next; None for never. It is looked at after each hook.
    link
        The link behind the queue.
    limit
        The most that may wait; a class may declare it anew.
    """

    probes: ClassVar[tuple[str, ...]] = ()
    counts: ClassVar[tuple[str, ...]] = ()
    sends_chokes: ClassVar[bool] = False
    deadline_ns: int | None = None

    limit: Size = Size("100p", "The most that may wait, without the packet in transmission.", least=1, most=1e9)

    _place = "queue"
    _hooks = (
        "on_arrival",
        "on_enqueued",
        "on_departure",
        "on_transmission",
        "on_drop",
        "on_idle",
        "on_deadline",
    )
    _flags = ("sends_chokes",)

    def on_arrival(self, now_ns: int, packet: Packet, queue: Queue, rng: Random) -> Verdict | None:
        """A packet has come and is not yet queued. ``queue.leave(number)`` leaves a number with it."""

    def on_enqueued(self, now_ns: int, packet: Packet, queue: Queue) -> None:
        """The packet has been queued; it is now the tail."""

    def on_departure(self, now_ns: int, packet: Packet, queue: Queue, rng: Random) -> Verdict | None:
        """The packet was the head and is about to be sent; it is no longer in the queue.

        After ``DROP`` the next one is taken and asked about.
        """

    def on_transmission(self, now_ns: int, packet: Packet, packets: int, size_bytes: int) -> None:
        """The packet leaves now; `packets` packets and `size_bytes` bytes stay behind."""

    def on_drop(self, now_ns: int, packet: Packet, dropped: Dropped, queue: Queue) -> None:
        """The packet is dropped, by the policy or by the queue; it is not in the queue."""

    def on_idle(self, now_ns: int) -> None:
        """The transmitter became free and nothing waits."""

    def on_deadline(self, now_ns: int, queue: Queue) -> None:
        """The time has come that ``self.deadline_ns`` named; set it to a later one, or to None."""

    @classmethod
    def queue(cls, **settings: Any) -> ChosenQueue:
        """The queue with some of its parameters set, for a scenario: ``Dumbbell(queue=Mine.queue(limit="50p"))``."""
        return ChosenQueue(cls.name, settings)

    @classmethod
    def check(cls) -> Conformance:
        """Test the class against the rules of every queue; see :func:`sojourn.check`."""
        from ._check import check

        return check(cls)
