"""Transports and congestion control laws: one class for each kind, with its parameters.

Made from the registry by ``make generate``; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._component import Control, Transport

__all__ = ["NoControl", "Reno", "Tcp", "Udp"]


@dataclass(frozen=True, kw_only=True)
class Tcp(Transport):
    r"""TCP.

    Reliable transport with a congestion window: loss recovery (Tahoe, Reno, NewReno or SACK) under any congestion
    control, with or without ECN.

    Reference: RFC 9293, RFC 5681, RFC 6298, RFC 6582, RFC 6675, RFC 3168.

    Attributes
    ----------
    profile
        Group of settings. "ns2": The one-way senders of ns-2 2.35 with their defaults. "rfc": The current standards:
        RFC 5681, 6298, 6582, 6675, 6928; delayed acknowledgements. "linux": Linux's timers and windows (minimum
        timeout 0.2 s, initial window 10, halving of the window itself) over RFC 6675 recovery; without its rate
        reduction, RACK and auto-tuning.
    control
        Congestion control law: a name or an object. Default ``"reno"``.
    packet
        Size of a full segment on the wire, headers included. Allowed: a number of bytes such as "1000B", 41B to
        65535B. Default ``"1000B"``: ns-2 2.35.
    header
        Headers in it, options included. Allowed: a number of bytes such as "1000B", 1B to 200B. Default ``"40B"``:
        RFC 791 and RFC 9293 without options.
    ack_size
        Size of an acknowledgement without SACK blocks, and of a SYN. Allowed: a number of bytes such as "1000B", 1B
        to 1500B. Default ``"40B"``: RFC 791 and RFC 9293 without options.
    sack_header
        Bytes that the first SACK block costs besides its 8. Allowed: a number of bytes such as "1000B", 0B to 40B.
        Default ``"4B"``: RFC 2018 section 3 with padding.
    recovery
        How losses are found and repaired. Allowed: one of "tahoe", "reno", "newreno", "sack". Default ``"sack"``: RFC
        6675, the standard.
    window
        Receiver's window in packets or bytes of payload; `auto` never limits. Allowed: an amount of queue such as
        "50p", "64KiB", "2BDP" or "20ms", 1 to 1e12, or "auto". Default ``"auto"``: a receiver with enough memory.
    initial_window
        Initial window in packets; `auto` is RFC 6928's 10, fewer if packets are large. Allowed: a number, 1 to
        1000000, or "auto". Default ``"auto"``: RFC 6928 section 2.
    initial_ssthresh
        Initial slow start threshold in packets; `auto` is the receiver's window. Allowed: a number, 1 to 1e9, or
        "auto". Default ``"auto"``: RFC 5681 section 3.1.
    growth
        What an acknowledgement counts for when the window opens. Allowed: one of "acks", "bytes". Default
        ``"bytes"``: RFC 5681 section 3.1.
    cut
        What is halved when the window is cut, and how it is rounded. Allowed: one of "flight", "cwnd", "window".
        Default ``"flight"``: RFC 5681 equation 4.
    details
        Whose details of recovery hold: RFC 6582 and RFC 6675, or ns-2's. Allowed: one of "rfc", "ns2". Default
        ``"rfc"``: the standards.
    dup_threshold
        Duplicate acknowledgements that mean a loss. Allowed: a whole number, 1 to 1000. Default ``3``: RFC 5681
        section 3.2.
    limited_transmit
        Whether each of the duplicates before them sends a new segment. Allowed: true or false. Default ``True``: RFC
        3042.
    careful
        Whether a new cut needs an acknowledgement above what had been sent at the last one. Allowed: true or false.
        Default ``True``: RFC 6582 section 3.2 step 2.
    rto_min
        Least timeout, before back-off. Allowed: a time such as "20ms", 0s to 1000s. Default ``"1s"``: RFC 6298
        section 2.4.
    rto_max
        Greatest timeout. Allowed: a time such as "20ms", 1ms to 1000000s. Default ``"60s"``: RFC 6298 section 2.5.
    rto_initial
        Timeout before the first round-trip sample. Allowed: a time such as "20ms", 1ms to 1000000s. Default ``"1s"``:
        RFC 6298 section 2.1.
    rto_tick
        Granularity of the clock that measures round trips. Allowed: a time such as "20ms", 1us to 10s. Default
        ``"1ms"``: a present-day clock.
    rto_law
        Arithmetic of the round-trip estimator. Allowed: one of "real", "ticks". Default ``"real"``: RFC 6298 section
        2.
    timestamps
        Whether each acknowledgement gives a round-trip sample (RFC 7323), or one segment is timed at a time. Allowed:
        true or false. Default ``True``: RFC 7323; its option's bytes are part of `header`.
    handshake
        Whether a SYN opens the connection. Allowed: true or false. Default ``True``: RFC 9293 section 3.5.
    ack_every
        Segments in order that one acknowledgement answers. Allowed: a whole number, 1 to 1000. Default ``2``: RFC
        5681 section 4.2.
    ack_delay
        How long an acknowledgement waits for a second segment. Allowed: a time such as "20ms", 0s to 10s. Default
        ``"200ms"``: RFC 5681 section 4.2 allows up to 500 ms; BSD.
    ecn
        Whether data packets are ECN-capable and marks are answered (RFC 3168). Allowed: true or false. Default
        ``False``: RFC 3168 leaves it to negotiation.
    ecn_retransmits
        Whether retransmissions are ECN-capable too, and may carry CWR. Allowed: true or false. Default ``False``: RFC
        3168 section 6.1.5.
    idle_restart
        To what the window falls after an idle time of one timeout. Allowed: one of "off", "initial", "one". Default
        ``"initial"``: RFC 5681 section 4.1.
    """

    kind: ClassVar[str] = "tcp"

    profile: Literal["ns2", "rfc", "linux"] | None = None
    control: str | Control | Mapping[str, Any] | None = None
    packet: str | None = None
    header: str | None = None
    ack_size: str | None = None
    sack_header: str | None = None
    recovery: Literal["tahoe", "reno", "newreno", "sack"] | None = None
    window: str | None = None
    initial_window: float | Literal["auto"] | None = None
    initial_ssthresh: float | Literal["auto"] | None = None
    growth: Literal["acks", "bytes"] | None = None
    cut: Literal["flight", "cwnd", "window"] | None = None
    details: Literal["rfc", "ns2"] | None = None
    dup_threshold: int | None = None
    limited_transmit: bool | None = None
    careful: bool | None = None
    rto_min: str | None = None
    rto_max: str | None = None
    rto_initial: str | None = None
    rto_tick: str | None = None
    rto_law: Literal["real", "ticks"] | None = None
    timestamps: bool | None = None
    handshake: bool | None = None
    ack_every: int | None = None
    ack_delay: str | None = None
    ecn: bool | None = None
    ecn_retransmits: bool | None = None
    idle_restart: Literal["off", "initial", "one"] | None = None


@dataclass(frozen=True, kw_only=True)
class Udp(Transport):
    r"""UDP.

    Datagrams without acknowledgements, recovery or congestion control: the application alone decides when they leave.

    Reference: RFC 768.

    Attributes
    ----------
    packet
        Size of a full datagram on the wire, headers included. Allowed: a number of bytes such as "1000B", 29B to
        65535B. Default ``"1000B"``: ns-2 2.35.
    ecn
        Whether datagrams are sent as ECN-capable (ECT(0)). Nothing here reacts to marks. Allowed: true or false.
        Default ``False``: RFC 3168 section 6.2.
    """

    kind: ClassVar[str] = "udp"

    packet: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Reno(Control):
    r"""Reno (AIMD).

    Doubles the window every round trip up to a threshold (slow start), then adds one segment per round trip, and
    halves it on congestion.

    Reference: RFC 5681.

    Attributes
    ----------
    increase
        Segments added per round trip in congestion avoidance. Allowed: a number, 0 to 1000000. Default ``1``: RFC
        5681 section 3.1.
    decrease
        Fraction of the window that is kept at a cut. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.5``: RFC 5681 equation 4.
    """

    kind: ClassVar[str] = "reno"

    increase: float | None = None
    decrease: float | str | None = None


@dataclass(frozen=True, kw_only=True)
class NoControl(Control):
    r"""No control (fixed window).

    Keeps a fixed window whatever happens; losses are still recovered.

    Reference: the static window of the literature.

    Attributes
    ----------
    window
        The window in segments; `auto` is the initial window. Allowed: a number, 1 to 1e9, or "auto". Default
        ``"auto"``: a free choice.
    """

    kind: ClassVar[str] = "none"

    window: float | Literal["auto"] | None = None
