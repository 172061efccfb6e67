"""A sender's window law in Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from ..scenario.component import ChosenControl
from ._classes import Own

if TYPE_CHECKING:
    from ..._core import Acked, Congestion, Heard, Setup

__all__ = ["WindowLaw"]


class WindowLaw(Own, abstract=True):
    """Decides how large a sender's window may be: write ``on_ack`` and ``on_loss``, and other hooks as needed.

    Loss recovery calls the hooks; the law knows nothing of sequence numbers and timers. It sets ``self.cwnd`` and
    ``self.ssthresh``, in segments, which are read after each hook. Classes are registered as those of
    :class:`~sojourn.own.Policy` are, and chosen by ``control = "name"``. One object is made for each flow.

    Attributes
    ----------
    cwnd, ssthresh
        Window, above 0, and slow start threshold; infinite if there is none.
    paces, pacing_bps
        With ``paces = True``, packets leave at the rate ``self.pacing_bps``; None leaves them to the clock of
        acknowledgements.
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
    _hooks = ("on_heard",)
    _flags = ("paces", "weighs_marks", "hears_limited")

    def on_connect(self, setup: Setup) -> None:
        """A connection begins; everything before is forgotten. Takes over window and threshold unless you write it."""
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
