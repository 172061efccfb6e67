"""A sender's window law in Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from ..scenario.component import ChosenControl
from ._classes import Own

if TYPE_CHECKING:
    from ..._core import Acked, Arrival, Congestion, Heard, Setup

__all__ = ["WindowLaw"]


_INCREASE = ("needed", "kept", "on_arrival", "on_phase", "reset")
"""Methods of a law that is an increase and a cut."""

_WHOLE = ("on_connect", "on_heard", "on_ack", "on_loss", "on_ecn", "on_timeout")
"""Methods of a law that moves its window itself."""

_WHOLE_FLAGS = ("paces", "weighs_marks", "hears_limited")


class WindowLaw(Own, abstract=True):
    """Decides how large a sender's window may be. Most laws are an increase and a cut: write ``kept``, and ``needed``.

    The sender has slow start, counts acknowledged segments as its profile says, rounds cuts and keeps least values.
    ``on_arrival``, ``on_phase`` and ``reset`` are for laws that measure. All see the window in ``self.cwnd`` and
    ``self.ssthresh``, which they do not change.

    A law of another kind moves its window itself. It writes ``on_ack`` and ``on_loss``, and ``on_connect``,
    ``on_ecn``, ``on_timeout`` and ``on_heard`` as needed, which set ``self.cwnd`` and ``self.ssthresh``. A class has
    methods of one kind only.

    Loss recovery calls the methods; the law knows nothing of sequence numbers and timers. Classes are registered as
    those of :class:`~sojourn.own.Policy` are, and chosen by ``control = "name"``. One object is made for each flow.

    Attributes
    ----------
    cwnd, ssthresh
        Window in segments, above 0, and slow start threshold; infinite if there is none.
    paces, pacing_bps
        With ``paces = True``, packets leave at the rate ``self.pacing_bps``; None leaves them to the clock of
        acknowledgements. This flag and the next two are for laws that move their window themselves.
    weighs_marks
        With True, an echo of a mark is no congestion event (``on_ecn``); ``on_heard`` counts them.
    hears_limited
        With True, ``on_ack`` is called as well while the application, and not the window, limits the data in flight
        (``acked.limited``). The window shall not grow then (RFC 9438 section 5.8), so by default it is not called.
    """

    cwnd: float = 1.0
    ssthresh: float = math.inf
    pacing_bps: float | None = None
    paces: ClassVar[bool] = False
    weighs_marks: ClassVar[bool] = False
    hears_limited: ClassVar[bool] = False

    _place = "control"
    _hooks = ("on_heard", *_INCREASE)
    _flags = _WHOLE_FLAGS

    def __init_subclass__(cls, *, abstract: bool = False, **rest: Any) -> None:
        def written(names: tuple[str, ...]) -> list[str]:
            return [name for name in names if getattr(cls, name) is not getattr(WindowLaw, name)]

        ours, theirs = written(_INCREASE), [*written(_WHOLE), *written(_WHOLE_FLAGS)]
        if ours and theirs:
            raise ValueError(
                f"{cls.__name__} writes {ours[0]} and {theirs[0]}, which are of two kinds of laws\n"
                f"  allowed: {', '.join(_INCREASE)} for an increase and a cut; "
                f"{', '.join(_WHOLE)} for a law that moves its window itself"
            )
        if ours and "kept" not in ours and not abstract:
            raise ValueError(
                f"{cls.__name__} writes {ours[0]}, and does not say how much a cut leaves\n"
                "  hint:    write kept(self, event)"
            )
        super().__init_subclass__(abstract=abstract, **rest)

    def needed(self, acked: Acked) -> float:
        """Acknowledged segments that add one to the window above the threshold. A window, as in Reno, unless written.

        A law that adds ``a`` segments in a round trip needs ``self.cwnd / a``.
        """
        return self.cwnd

    def kept(self, event: Congestion) -> float:
        """Segments that remain of ``event.used``, after a loss, an echo of marks or a timeout (``event.cause``)."""
        raise NotImplementedError(f"{type(self).__name__} has no kept")

    def on_arrival(self, arrival: Arrival) -> None:
        """An acknowledgement has been taken in; the sender has not looked for losses yet.

        A sender that detects losses by time (profile ``linux``) calls this for every acknowledgement. Others call it
        for those that may open the window.
        """

    def on_phase(self, phase: str) -> None:
        """The state of the sender is now "open", "disorder", "reducing", "recovery" or "loss".

        Called only by senders that detect losses by time.
        """

    def reset(self, setup: Setup) -> None:
        """A connection begins; everything before is forgotten."""

    def on_connect(self, setup: Setup) -> None:
        """A connection begins; everything before is forgotten. Takes over window and threshold unless you write it.

        This and the following methods are of laws that move their window themselves.
        """
        self.cwnd, self.ssthresh = setup.window, setup.ssthresh

    def on_heard(self, heard: Heard) -> None:
        """An acknowledgement has arrived, however recovery treats it. Called only if it is written."""

    def on_ack(self, acked: Acked) -> None:
        """New data has been acknowledged outside of loss recovery."""
        raise NotImplementedError(f"{type(self).__name__} has no on_ack")

    def on_loss(self, event: Congestion) -> None:
        """A loss has been found by duplicate acknowledgements; once for each window of data."""
        raise NotImplementedError(f"{type(self).__name__} has no on_loss")

    def on_ecn(self, event: Congestion) -> None:
        """Congestion has been echoed; once for each window of data. Treated as a loss unless you write this hook."""
        self.on_loss(event)

    def on_timeout(self, event: Congestion | None) -> None:
        """The retransmission timer has expired. The threshold must hold where there is no event.

        Unless you write it, the threshold becomes half of the window in use, and the window one segment.
        """
        if event is not None:
            self.ssthresh = max(event.used / 2, 2.0)
        self.cwnd = 1.0

    @classmethod
    def control(cls, **settings: Any) -> ChosenControl:
        """The law with some of its parameters set, for a scenario: ``Tcp(control=Mine.control(beta=0.7))``."""
        return ChosenControl(cls.name, settings)
