"""Transports and congestion control laws: one class for each kind, with its parameters."""

# Made from the registry by `make generate`; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .scenario.component import Control, Transport, no_class

__all__ = [
    "Bbr",
    "Bic",
    "Binomial",
    "Cdg",
    "Cubic",
    "Dctcp",
    "Decbit",
    "Fec",
    "Gaimd",
    "Gcc",
    "Hstcp",
    "Htcp",
    "Hybla",
    "Illinois",
    "KwonFahmy",
    "Lda",
    "NoControl",
    "Nv",
    "Rap",
    "Rcp",
    "Reno",
    "Scalable",
    "Scream",
    "Surathkal",
    "Tcp",
    "Tear",
    "Tfrc",
    "Udp",
    "Vegas",
    "Veno",
    "Westwood",
    "Xcp",
    "Yeah",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class Tcp(Transport):
    r"""TCP.

    Reliable transport with a congestion window. Losses are found and repaired as by Tahoe, Reno, NewReno or SACK,
    under any congestion control, with or without ECN.

    Reference: RFC 9293, RFC 5681, RFC 6298, RFC 6582, RFC 6675, RFC 3168, RFC 5682, RFC 8985, RFC 9937, RFC 9406.

    Attributes
    ----------
    profile
        Group of settings. "ns2": The one-way senders of ns-2 2.35 with their defaults, but for two that nearly all
        scripts set: window_, 20 there (write window = "20p"), and packetSize_, 1000 B without headers there.
        "ns2_2004": The one-way senders of ns-2 with the timers of works of around 2004: least timeout 1 s (until
        October 2004), clock ticks of 0.1 s (in releases until March 2002; 10 ms since) and 6 s before the first
        sample (until January 2006). "ns2_vegas": Vegas of ns-2 2.35, together with control = { kind = "vegas", preset
        = "ns2" }: as ns2, but without a SYN, limited transmit and SACK, and from a window of one. "ns2_linux": The
        Linux senders of ns-2 2.35 (TCP-Linux) with timestamps, over SACK recovery. "rfc": The current standards: RFC
        5681, 6298, 6582, 6675, 6928; delayed acknowledgements. "linux": Linux 6.12: RACK-TLP, proportional rate
        reduction, undo, F-RTO, its timers and windows, quick acknowledgements, also while the receive window grows,
        which bounds nothing. Reno and DCTCP count as Linux does (docs/linux.md says what is exact), and other laws
        have a preset `linux` of their own.
    control
        Congestion control law: a name or an object. Default ``"reno"``.
    packet
        Size of a full segment on the wire, headers included. Allowed: a number of bytes such as "1000B", 41B to
        65535B. Default ``"1000B"``: ns-2 2.35.
    header
        Bytes of a full segment that are headers, options included. Allowed: a number of bytes such as "1000B", 1B to
        200B. Default ``"40B"``: RFC 791 and RFC 9293 without options.
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
        The weight of an acknowledgement when the window opens. Allowed: one of "acks", "bytes", "abc", "segments".
        Default ``"bytes"``: RFC 5681 section 3.1.
    cut
        The value that is halved when the window is cut, and its rounding. Allowed: one of "flight", "cwnd", "window",
        "whole". Default ``"flight"``: RFC 5681 equation 4.
    window_validation
        Whether the window grows only while it limits what is in flight, and not while the application or the receiver
        does. Allowed: true or false. Default ``True``: RFC 9438 section 5.8, RFC 9002 section 7.8.
    details
        Whose details of recovery hold: those of RFC 6582 and RFC 6675, ns-2's, or Linux 2.6's. Allowed: one of "rfc",
        "ns2", "linux". Default ``"rfc"``: the standards.
    dup_threshold
        Duplicate acknowledgements that mean a loss. Allowed: a whole number, 1 to 1000. Default ``3``: RFC 5681
        section 3.2.
    limited_transmit
        Whether each duplicate acknowledgement before the one that means a loss sends a new segment. Allowed: true or
        false. Default ``True``: RFC 3042.
    careful
        Whether a new cut needs an acknowledgement of what had been sent at the last one, and without SACK of more.
        Allowed: true or false. Default ``True``: RFC 6582 section 3.2 step 2; RFC 6675 section 5.1.
    loss_detection
        How losses are found by SACK under `details = "rfc"`. Allowed: one of "duplicates", "rack". Default
        ``"duplicates"``: RFC 6675, the standard.
    tail_probe
        With `loss_detection = "rack"`: whether the end of a flight is probed after two round trips without an
        acknowledgement. Allowed: true or false. Default ``True``: RFC 8985 section 7.
    arrivals
        With `loss_detection = "rack"`: how arrivals are taken. Allowed: one of "rfc", "linux". Default ``"rfc"``: RFC
        8985 section 6.2 step 2; Linux `tcp_rack_advance` and its callers for linux.
    timers
        With `loss_detection = "rack"`: when the sender's timers go off. Ticks are those of `rto_tick`. Allowed: one
        of "exact", "wheel". Default ``"exact"``: RFC 8985 section 6.2; Linux `tcp_rack_mark_lost` for wheel.
    max_ack_delay
        How long a probe of a single segment waits for a delayed acknowledgement besides. Allowed: a time such as
        "20ms", 0s to 10s. Default ``"200ms"``: RFC 8985 section 7.2; Linux.
    undo
        With `loss_detection = "rack"`: whether a cut is taken back that timestamps or DSACK show to have been made
        for nothing. Allowed: true or false. Default ``False``: RFC 4015 is optional; Linux.
    f_rto
        With `loss_detection = "rack"`: whether new data is sent after a timeout before anything else is repaired, to
        see whether the timeout was made for nothing (F-RTO). Allowed: true or false. Default ``False``: RFC 5682 is
        optional; Linux.
    dsack
        Whether the receiver reports what has come twice (DSACK). Allowed: true or false. Default ``False``: RFC 2883
        is optional; Linux.
    quick_acks
        Segments that are acknowledged at once when a connection begins, and after a duplicate, whatever `ack_every`;
        if any, so are two when marks begin, and one with CWR. Allowed: a whole number, 0 to 255. Default ``0``: RFC
        5681 section 4.2; 16 in Linux.
    tuning
        Whether each segment is acknowledged at once with which the receiver's window grows, as Linux tunes it; the
        window itself stays. Allowed: true or false. Default ``False``: Linux `tcp_moderate_rcvbuf`.
    offload
        With `loss_detection = "rack"`: whether the device gets segments in pairs, or more at high rates. The last of
        them carries PSH, which the receiver acknowledges at once. Allowed: true or false. Default ``False``: Linux
        with segmentation offload.
    defer
        With `offload`: whether what is left of the window waits that allows a part only, if other packets have just
        left and an acknowledgement is due within 1 ms. Allowed: true or false. Default ``False``: Linux
        `tcp_tso_should_defer`, since 6.18.
    sack_delay
        How long the receiver gathers what comes out of order, from the fourth segment of a hole on, before it tells.
        Allowed: a time such as "20ms", 0s to 1s. Default ``"0s"``: RFC 5681 section 4.2: at once; Linux
        `tcp_comp_sack_delay_ns`.
    pacing
        With `loss_detection = "rack"`: whether segments leave at a rate instead of in bursts. Allowed: true or false.
        Default ``False``: Linux, without the fq queue and without BBR.
    pacing_slow_start
        How many windows a paced sender sends per round trip below half of the threshold. Allowed: a number, 1 to 10.
        Default ``2``: Linux `tcp_pacing_ss_ratio`.
    pacing_avoidance
        How many windows a paced sender sends per round trip above half of the threshold. Allowed: a number, 1 to 10.
        Default ``1.2``: Linux `tcp_pacing_ca_ratio`.
    slow_start
        How slow start ends without a loss. Allowed: one of "standard", "hystart++". Default ``"standard"``: RFC 5681
        section 3.1.
    rate_reduction
        How the rate falls to the new window during a recovery by SACK under `details = "rfc"`. Allowed: one of
        "pause", "prr". Default ``"pause"``: RFC 6675 section 5.
    rto_min
        Least timeout, before back-off. Allowed: a time such as "20ms", 0s to 1000s. Default ``"1s"``: RFC 6298 rule
        2.4.
    rto_max
        Greatest timeout. Allowed: a time such as "20ms", 1ms to 1000000s. Default ``"60s"``: RFC 6298 rule 2.5.
    rto_initial
        Timeout before the first round-trip sample. Allowed: a time such as "20ms", 1ms to 1000000s. Default ``"1s"``:
        RFC 6298 rule 2.1.
    rto_restart
        The events that restart the timer. Allowed: one of "acks", "fast_retransmit", "retransmissions". Default
        ``"acks"``: RFC 6298 section 5.
    rto_tick
        Granularity of the clock that measures round trips. Allowed: a time such as "20ms", 1us to 10s. Default
        ``"1ms"``: a present-day clock.
    rto_law
        Arithmetic of the round-trip estimator. Allowed: one of "real", "variation", "ticks", "linux". Default
        ``"real"``: RFC 6298 section 2.
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
        Whether data packets are ECN-capable and marks are answered (RFC 3168). Allowed: true or false, or "auto".
        Default ``Auto``: RFC 3168 leaves it to negotiation: off, and on for laws that live on marks.
    ecn_codepoint
        How a data packet says that it is ECN-capable. Allowed: one of "ect0", "ect1". Default ``"ect0"``: RFC 3168
        section 5; ect1 tells L4S senders (RFC 9331 section 4.1).
    ecn_feedback
        The receiver's report of marks. Allowed: one of "rfc3168", "dctcp", "xecn", or "auto". Default ``"auto"``:
        what the law needs: RFC 8257 section 3.2 for DCTCP and DECbit, XECN for Surathkal, else RFC 3168 section
        6.1.3.
    ecn_agreed
        Whether the receiver agrees when the sender offers ECN. Allowed: true or false. Default ``True``: RFC 3168
        section 6.1.1.
    xecn_window
        When XECN's count begins again ("for every new cwnd"). Allowed: one of "round_trip", "cut". Default
        ``"round_trip"``: Tahiliani 2013 algorithm 6, our reading.
    xecn_lost_acks
        Lost acknowledgements that XECN's sender takes at most for marked ones; the thesis's text has 7, its algorithm
        none. Allowed: a whole number, 0 to 1000000. Default ``0``: Tahiliani 2013 algorithm 6.
    quench
        The effect of a choke packet (source quench) on the window. Allowed: one of "ignore", "one_segment",
        "slow_start", "as_mark". Default ``"one_segment"``: 4.3BSD.
    ecn_fallback
        Whether a SYN that is sent again no longer offers ECN, so that the connection goes on without. Allowed: true
        or false. Default ``False``: RFC 3168 section 6.1.1.1 allows it; Linux `tcp_ecn_fallback`.
    ecn_retransmits
        Whether retransmissions are ECN-capable too, and may carry CWR. Allowed: true or false. Default ``False``: RFC
        3168 section 6.1.5.
    idle_restart
        To what the window falls after an idle time of one timeout. Allowed: one of "off", "initial", "one", "decay".
        Default ``"initial"``: RFC 5681 section 4.1.
    """

    kind: ClassVar[str] = "tcp"

    profile: Literal["ns2", "ns2_2004", "ns2_vegas", "ns2_linux", "rfc", "linux"] | None = None
    control: str | Control | Mapping[str, Any] | None = None
    packet: str | None = None
    header: str | None = None
    ack_size: str | None = None
    sack_header: str | None = None
    recovery: Literal["tahoe", "reno", "newreno", "sack"] | None = None
    window: str | None = None
    initial_window: float | Literal["auto"] | None = None
    initial_ssthresh: float | Literal["auto"] | None = None
    growth: Literal["acks", "bytes", "abc", "segments"] | None = None
    cut: Literal["flight", "cwnd", "window", "whole"] | None = None
    window_validation: bool | None = None
    details: Literal["rfc", "ns2", "linux"] | None = None
    dup_threshold: int | None = None
    limited_transmit: bool | None = None
    careful: bool | None = None
    loss_detection: Literal["duplicates", "rack"] | None = None
    tail_probe: bool | None = None
    arrivals: Literal["rfc", "linux"] | None = None
    timers: Literal["exact", "wheel"] | None = None
    max_ack_delay: str | None = None
    undo: bool | None = None
    f_rto: bool | None = None
    dsack: bool | None = None
    quick_acks: int | None = None
    tuning: bool | None = None
    offload: bool | None = None
    defer: bool | None = None
    sack_delay: str | None = None
    pacing: bool | None = None
    pacing_slow_start: float | None = None
    pacing_avoidance: float | None = None
    slow_start: Literal["standard", "hystart++"] | None = None
    rate_reduction: Literal["pause", "prr"] | None = None
    rto_min: str | None = None
    rto_max: str | None = None
    rto_initial: str | None = None
    rto_restart: Literal["acks", "fast_retransmit", "retransmissions"] | None = None
    rto_tick: str | None = None
    rto_law: Literal["real", "variation", "ticks", "linux"] | None = None
    timestamps: bool | None = None
    handshake: bool | None = None
    ack_every: int | None = None
    ack_delay: str | None = None
    ecn: bool | Literal["auto"] | None = None
    ecn_codepoint: Literal["ect0", "ect1"] | None = None
    ecn_feedback: Literal["rfc3168", "dctcp", "xecn", "auto"] | None = None
    ecn_agreed: bool | None = None
    xecn_window: Literal["round_trip", "cut"] | None = None
    xecn_lost_acks: int | None = None
    quench: Literal["ignore", "one_segment", "slow_start", "as_mark"] | None = None
    ecn_fallback: bool | None = None
    ecn_retransmits: bool | None = None
    idle_restart: Literal["off", "initial", "one", "decay"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Udp(Transport):
    r"""UDP.

    Datagrams without acknowledgements, recovery or congestion control. The application alone decides when they leave.

    Reference: RFC 768.

    Attributes
    ----------
    packet
        Size of the largest datagram on the wire, headers included. `auto`: each packet of the application is a
        datagram, of up to 65535 bytes; data without packets goes in datagrams of 1000. Allowed: a number of bytes
        such as "1000B", 29B to 65535B, or "auto". Default ``"auto"``: the application says it; ns-2 2.35 packetSize_
        for 1000 B.
    ecn
        Whether datagrams are sent as ECN-capable (ECT(0)). Nothing here reacts to marks. Allowed: true or false.
        Default ``False``: RFC 3168 section 6: the transport has to answer marks.
    """

    kind: ClassVar[str] = "udp"

    packet: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Fec(Transport):
    r"""UDP with forward error correction.

    Datagrams in blocks of data and parity: a block is repaired if as many of its packets arrive as it has data
    packets. The application alone decides when packets leave.

    Reference: Alemu 2004, chapter 5; RFC 768.

    Attributes
    ----------
    profile
        Group of settings. "alemu": Alemu 2004: packets of 573 bytes; a Poisson source of 500 kbit/s times 1 +
        parity/data belongs to it.
    packet
        Size of the largest datagram on the wire, headers included. `auto`: each packet of the application is a
        datagram, of up to 65535 bytes; data without packets goes in datagrams of 1000. Allowed: a number of bytes
        such as "1000B", 29B to 65535B, or "auto". Default ``"auto"``: as UDP.
    data
        Data packets of a block: k. Allowed: a whole number, 1 to 100000. Default ``16``: Alemu 2004, tables 5.1 and
        5.2.
    parity
        Parity packets of a block: h. Each is as large as the largest data packet of its block. Allowed: a whole
        number, 0 to 100000. Default ``1``: Alemu 2004, table 5.1.
    schedule
        When parity leaves. Allowed: one of "paced", "appended". Default ``"paced"``: Alemu 2004, equation 5.1.
    open
        Blocks that the receiver keeps open: more than one if packets may overtake each other. What comes later counts
        as lost. Allowed: a whole number, 1 to 1000. Default ``1``: packets keep their order.
    ecn
        Whether datagrams are sent as ECN-capable (ECT(0)). Nothing here reacts to marks. Allowed: true or false.
        Default ``False``: RFC 3168 section 6.
    """

    kind: ClassVar[str] = "fec"

    profile: Literal["alemu"] | None = None
    packet: str | None = None
    data: int | None = None
    parity: int | None = None
    schedule: Literal["paced", "appended"] | None = None
    open: int | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Tfrc(Transport):
    r"""TFRC.

    Datagrams at the rate that TCP's throughput equation gives for the loss event rate that the receiver reports:
    friendly to TCP, but smooth. Nothing is sent again.

    Reference: RFC 5348.

    Attributes
    ----------
    profile
        Group of settings. "ns2": The constants of ns-2 2.35's Agent/TFRC: a packet is lost when a later one has come,
        slower averages, weaker discounting of old loss intervals, t_RTO from TCP's estimator with ticks of 100 ms, a
        rise of a packet per round trip in each, feedback when a packet comes a round trip after the last, losses
        apart by when packets were sent.
    packet
        Size of a full packet on the wire, headers included. Allowed: a number of bytes such as "1000B", 2B to 65535B.
        Default ``"1000B"``: ns-2 2.35.
    header
        Bytes of a full packet that are headers. Allowed: a number of bytes such as "1000B", 1B to 200B. Default
        ``"32B"``: RFC 791 and RFC 4340 section 5.1 with short sequence numbers; ns-2 2.35.
    feedback_size
        Size of a feedback packet. Allowed: a number of bytes such as "1000B", 1B to 1500B. Default ``"40B"``: ns-2
        2.35.
    ecn
        Whether packets are ECN-capable; a mark then counts as a loss. Allowed: true or false. Default ``False``: RFC
        5348 section 5.1 leaves it open.
    dup_threshold
        Packets with higher numbers that must come before one is held to be lost. Allowed: a whole number, 1 to 1000.
        Default ``3``: RFC 5348 section 5.1.
    intervals
        Loss intervals in the average. Allowed: a whole number, 1 to 64. Default ``8``: RFC 5348 section 5.4.
    discounting
        Whether old loss intervals lose weight when the present one is long. Allowed: true or false. Default ``True``:
        RFC 5348 section 5.5, optional; ns-2 2.35.
    discount_min
        The least that discounting leaves of their weight. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.25``: RFC 5348 section 5.5.
    rtt_memory
        Weight of the past in the averages of the round-trip time and of its square root. Allowed: a fraction such as
        0.05 or "5%", 0 to 0.999. Default ``0.9``: RFC 5348 sections 4.3 and 4.5.
    damping
        Whether the rate is lowered while the round-trip time is above its average. Allowed: true or false. Default
        ``True``: RFC 5348 section 4.5.
    timeout
        The value of t_RTO in the throughput equation. Allowed: one of "4r", "ticks". Default ``"4r"``: RFC 5348
        section 3.1.
    timeout_tick
        Tick of the estimator, if t_RTO is estimated. Allowed: a time such as "20ms", 1us to 10s. Default ``"100ms"``:
        ns-2 2.35.
    increase
        How the rate rises when the equation allows more. Allowed: one of "equation", "packet". Default
        ``"equation"``: RFC 5348 section 4.3.
    feedback
        When feedback is due while no loss event begins. Allowed: one of "timer", "packet". Default ``"timer"``: RFC
        5348 section 6.2.
    loss_clock
        By which times losses are a round trip apart, and so two loss events. Allowed: one of "arrival", "sending".
        Default ``"arrival"``: RFC 5348 section 5.2.
    """

    kind: ClassVar[str] = "tfrc"

    profile: Literal["ns2"] | None = None
    packet: str | None = None
    header: str | None = None
    feedback_size: str | None = None
    ecn: bool | None = None
    dup_threshold: int | None = None
    intervals: int | None = None
    discounting: bool | None = None
    discount_min: float | str | None = None
    rtt_memory: float | str | None = None
    damping: bool | None = None
    timeout: Literal["4r", "ticks"] | None = None
    timeout_tick: str | None = None
    increase: Literal["equation", "packet"] | None = None
    feedback: Literal["timer", "packet"] | None = None
    loss_clock: Literal["arrival", "sending"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Rap(Transport):
    r"""RAP.

    Datagrams at a rate that rises by one packet per round trip in each round trip and is halved by a loss; each is
    acknowledged, and nothing is sent again. With `fine_grain` the rate follows the round-trip time besides.

    Reference: Rejaie, Handley and Estrin 1999.

    Attributes
    ----------
    packet
        Size of a full packet on the wire, headers included. Allowed: a number of bytes such as "1000B", 2B to 65535B.
        Default ``"1000B"``: as the other transports.
    header
        Bytes of a full packet that are headers. Allowed: a number of bytes such as "1000B", 1B to 200B. Default
        ``"44B"``: ns-2 2.35.
    ack_size
        Size of an acknowledgement. Allowed: a number of bytes such as "1000B", 1B to 1500B. Default ``"44B"``: ns-2
        2.35.
    alpha
        Packets per round trip by which the rate rises in each. Allowed: a number, 0.001 to 1000. Default ``1``:
        Rejaie et al. 1999 section 2.2.
    beta
        The part of the rate that remains after a loss. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.999.
        Default ``0.5``: Rejaie et al. 1999 section 2.2.
    fine_grain
        Whether the time between packets is multiplied by the quotient of a short and a long average of the round
        trip. Allowed: true or false. Default ``False``: Rejaie et al. 1999 section 2.4.
    short_gain
        Weight of a sample in the short average. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.9``:
        Rejaie et al. 1999 section 2.4.
    long_gain
        Weight of a sample in the long average. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.01``:
        Rejaie et al. 1999 section 2.4.
    initial_gap
        Time between packets before the first acknowledgement. Allowed: a time such as "20ms", 1us to 64s. Default
        ``"2s"``: ns-2 2.35.
    rtt_gain
        Weight of a sample in the smoothed round trip and in its variation. Allowed: a fraction such as 0.05 or "5%",
        0.001 to 1. Default ``0.5``: ns-2 2.35.
    rtt_factor
        Smoothed round trips in the timeout. Allowed: a number, 0.1 to 100. Default ``1.2``: ns-2 2.35.
    variation_factor
        Variations in the timeout. Allowed: a number, 0 to 100. Default ``4``: Jacobson 1988.
    dup_threshold
        Packets that left later of which one must have come before one is held to be lost. Allowed: a whole number, 1
        to 1000. Default ``3``: Rejaie et al. 1999 section 2.1.
    used
        Part of a round trip's packets that must have left in it for the rate to rise. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``0.5``: ns-2 2.35.
    """

    kind: ClassVar[str] = "rap"

    packet: str | None = None
    header: str | None = None
    ack_size: str | None = None
    alpha: float | None = None
    beta: float | str | None = None
    fine_grain: bool | None = None
    short_gain: float | str | None = None
    long_gain: float | str | None = None
    initial_gap: str | None = None
    rtt_gain: float | str | None = None
    rtt_factor: float | None = None
    variation_factor: float | None = None
    dup_threshold: int | None = None
    used: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Tear(Transport):
    r"""TEAR.

    Datagrams at the rate that the receiver reports: it emulates TCP's window from the arrivals, and averages the rate
    of such a TCP over the last congestion epochs. Nothing is sent again. The window also grows while the application
    has less to send, because its publication has no rule for that.

    Reference: Rhee, Ozdemir and Yi 2000.

    Attributes
    ----------
    packet
        Size of a full packet on the wire, headers included. Allowed: a number of bytes such as "1000B", 2B to 65535B.
        Default ``"1000B"``: as the other transports.
    header
        Bytes of a full packet that are headers. Allowed: a number of bytes such as "1000B", 1B to 200B. Default
        ``"40B"``: RFC 791, RFC 768, RFC 3550.
    report_size
        Size of a report. Allowed: a number of bytes such as "1000B", 1B to 1500B. Default ``"40B"``: as TFRC's.
    epochs
        Congestion epochs over which the rate is averaged. Allowed: a whole number, 1 to 64. Default ``8``: Rhee et
        al. 2000 by hearsay: its text is not available.
    dup_threshold
        Packets after a missing one that must come before it is held to be lost. Allowed: a whole number, 1 to 1000.
        Default ``3``: RFC 5681, whose sender it plays.
    """

    kind: ClassVar[str] = "tear"

    packet: str | None = None
    header: str | None = None
    report_size: str | None = None
    epochs: int | None = None
    dup_threshold: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Lda(Transport):
    r"""LDA+.

    Datagrams at a rate that changes once for each RTCP report, every few seconds: up by at most the increase of a TCP
    in that time, down by the root of the loss, but not below TCP's throughput. Nothing is sent again.

    Reference: Sisalem and Wolisz 2000.

    Attributes
    ----------
    packet
        Size of a full packet on the wire, headers included. Allowed: a number of bytes such as "1000B", 2B to 65535B.
        Default ``"1000B"``: as the other transports.
    header
        Bytes of a full packet that are headers. Allowed: a number of bytes such as "1000B", 1B to 200B. Default
        ``"40B"``: RFC 791, RFC 768, RFC 3550.
    report_size
        Size of a report. Allowed: a number of bytes such as "1000B", 1B to 1500B. Default ``"80B"``: RFC 3550 section
        6.4.2 with one block, and IP and UDP.
    interval
        Time between two reports. Allowed: a time such as "20ms", 1ms to 1000s. Default ``"5s"``: RFC 3550 section
        6.2.
    initial_rate
        Rate at the beginning. Allowed: a rate such as "10Mbit", 1bit to 1Tbit. Default ``"64kbit"``: ours: a voice
        stream.
    increase
        Increase for a report without losses at the beginning, and after one with losses. Allowed: a rate such as
        "10Mbit", 1bit to 1Tbit. Default ``"10kbit"``: Sisalem and Wolisz 2000 by hearsay: its text is not available.
    ack_every
        Packets that one acknowledgement of the TCP answers with which the rate is compared. Allowed: a whole number,
        1 to 1000. Default ``1``: Sisalem and Wolisz 2000 by hearsay: D.
    """

    kind: ClassVar[str] = "lda"

    packet: str | None = None
    header: str | None = None
    report_size: str | None = None
    interval: str | None = None
    initial_rate: str | None = None
    increase: str | None = None
    ack_every: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Gcc(Transport):
    r"""GCC.

    Media whose rate adapts to delay and loss, as Google Congestion Control of browsers has it. A receiver that sees
    packets come ever later takes the rate back to 85 % of what comes; nothing is sent again. With `app = "bulk"` it
    is a call with video.

    Reference: draft-ietf-rmcat-gcc-02.

    Attributes
    ----------
    packet
        Size of a full packet on the wire, headers included. Allowed: a number of bytes such as "1000B", 2B to 65535B.
        Default ``"1200B"``: draft-ietf-rmcat-gcc-02 section 5.5: packets of 1200 bytes.
    header
        Bytes of a full packet that are headers. Allowed: a number of bytes such as "1000B", 1B to 200B. Default
        ``"40B"``: IPv4, UDP and RTP: RFC 791, 768, 3550.
    report_size
        Size of a report. Allowed: a number of bytes such as "1000B", 1B to 1500B. Default ``"80B"``: RTCP: RFC 3550
        and REMB.
    initial_rate
        Rate at which it begins. Allowed: a rate such as "10Mbit", 1bit to 1Tbit. Default ``"300kbit"``: WebRTC:
        kDefaultStartBitrateBps.
    min_rate
        Least rate. Allowed: a rate such as "10Mbit", 1bit to 1Tbit. Default ``"30kbit"``: WebRTC:
        kDefaultMinVideoBitrateBps.
    max_rate
        Greatest rate: what the encoder makes. Allowed: a rate such as "10Mbit", 1bit to 1Tbit. Default ``"2.5Mbit"``:
        WebRTC: kSimulcastFormats, 1280 x 720.
    interval
        Time between reports. Allowed: a time such as "20ms", 10ms to 100s. Default ``"1s"``: draft-ietf-rmcat-gcc-02
        section 4: at least once a second.
    burst
        Packets that leave within so much are a group. Allowed: a time such as "20ms", 0s to 1s. Default ``"5ms"``:
        draft-ietf-rmcat-gcc-02 section 5.2.
    beta
        What is left of the incoming rate after over-use. Allowed: a fraction such as 0.05 or "5%", 0.1 to 0.999.
        Default ``0.85``: draft-ietf-rmcat-gcc-02 section 5.5.
    threshold_ms
        Threshold in milliseconds at the start. Allowed: a number, 0.1 to 1000. Default ``12.5``:
        draft-ietf-rmcat-gcc-02 section 5.4.
    overuse_time
        How long over-use lasts until it is signalled. Allowed: a time such as "20ms", 0s to 10s. Default ``"10ms"``:
        draft-ietf-rmcat-gcc-02 section 5.4.
    k_up
        How fast the threshold rises. Allowed: a number, 0 to 1. Default ``0.01``: draft-ietf-rmcat-gcc-02 section
        5.4, K_u.
    k_down
        How fast the threshold falls. Allowed: a number, 0 to 1. Default ``0.00018``: draft-ietf-rmcat-gcc-02 section
        5.4, K_d.
    """

    kind: ClassVar[str] = "gcc"

    packet: str | None = None
    header: str | None = None
    report_size: str | None = None
    initial_rate: str | None = None
    min_rate: str | None = None
    max_rate: str | None = None
    interval: str | None = None
    burst: str | None = None
    beta: float | str | None = None
    threshold_ms: float | None = None
    overuse_time: str | None = None
    k_up: float | None = None
    k_down: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Scream(Transport):
    r"""SCReAM.

    Media whose rate adapts to delay, losses and marks, as SCReAM version 2 has it. The bytes in flight are limited by
    a window that falls when packets wait longer than 30 ms; nothing is sent again. With `app = "bulk"` it is a call
    with video.

    Reference: draft-ietf-ccwg-rfc8298bis-screamv2-01.

    Attributes
    ----------
    packet
        Size of a full packet on the wire, headers included. Allowed: a number of bytes such as "1000B", 2B to 65535B.
        Default ``"1000B"``: draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, MSS.
    header
        Bytes of a packet that are headers. Allowed: a number of bytes such as "1000B", 1B to 200B. Default ``"40B"``:
        IPv4, UDP and RTP: RFC 791, 768, 3550.
    report_size
        Size of a report. Allowed: a number of bytes such as "1000B", 1B to 1500B. Default ``"80B"``: RTCP: RFC 3550
        and RFC 8888.
    ecn
        Whether packets can be marked, and what a mark means. Allowed: one of "off", "classic", "l4s". Default
        ``"off"``: draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, IS_L4S.
    min_rate
        Least rate of the media. Allowed: a rate such as "10Mbit", 1bit to 1Tbit. Default ``"30kbit"``: as `gcc`.
    max_rate
        Greatest rate of the media: what the encoder makes. Allowed: a rate such as "10Mbit", 1bit to 1Tbit. Default
        ``"2.5Mbit"``: as `gcc`.
    frame
        Time between frames. Allowed: a time such as "20ms", 1ms to 1s. Default ``"20ms"``:
        draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.4, frame_period.
    report_after
        Packets after which a report is due. Allowed: a whole number, 1 to 32. Default ``16``:
        draft-ietf-ccwg-rfc8298bis-screamv2-01 section 5.
    interval
        Longest time between reports. Allowed: a time such as "20ms", 1ms to 1s. Default ``"40ms"``:
        draft-ietf-ccwg-rfc8298bis-screamv2-01 section 5.
    qdelay_target
        Delay in queues of which the half begins to lower the window. Allowed: a time such as "20ms", 1ms to 10s.
        Default ``"60ms"``: draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, QDELAY_TARGET_LO.
    beta_loss
        What is left of the window after a loss. Allowed: a fraction such as 0.05 or "5%", 0.1 to 0.999. Default
        ``0.7``: draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, BETA_LOSS.
    beta_ecn
        What is left of the window after a classic mark. Allowed: a fraction such as 0.05 or "5%", 0.1 to 0.999.
        Default ``0.8``: draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, BETA_ECN.
    head_room
        How much larger than the most bytes in flight the window may grow. Allowed: a number, 1 to 10. Default
        ``1.5``: draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, BYTES_IN_FLIGHT_HEAD_ROOM.
    mul_increase
        Part of itself by which the window may grow in a round trip. Allowed: a number, 0 to 1. Default ``0.02``:
        draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, MUL_INCREASE_FACTOR.
    post_congestion_rtts
        Round trips after congestion until that growth is whole. Allowed: a number, 1 to 10000. Default ``100``:
        draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2.
    virtual_rtt
        Round trip that shorter ones behave like, and the time between reactions of longer ones. Allowed: a time such
        as "20ms", 1ms to 1s. Default ``"25ms"``: draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, VIRTUAL_RTT.
    pacing
        How much faster than media comes its packets leave. Allowed: a number, 1 to 100. Default ``1.5``:
        draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.3.2, PACKET_PACING_HEADROOM.
    reduce_jitter
        Whether the window grows and falls less where delays vary. Allowed: true or false. Default ``False``:
        draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.1.4, REDUCE_JITTER.
    """

    kind: ClassVar[str] = "scream"

    packet: str | None = None
    header: str | None = None
    report_size: str | None = None
    ecn: Literal["off", "classic", "l4s"] | None = None
    min_rate: str | None = None
    max_rate: str | None = None
    frame: str | None = None
    report_after: int | None = None
    interval: str | None = None
    qdelay_target: str | None = None
    beta_loss: float | str | None = None
    beta_ecn: float | str | None = None
    head_room: float | None = None
    mul_increase: float | None = None
    post_congestion_rtts: float | None = None
    virtual_rtt: str | None = None
    pacing: float | None = None
    reduce_jitter: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Reno(Control):
    r"""Reno (AIMD).

    Additive increase, multiplicative decrease. The window doubles every round trip up to a threshold (slow start),
    then grows by one segment per round trip, and is halved on congestion.

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


@dataclass(frozen=True, kw_only=True, repr=False)
class Gaimd(Control):
    r"""GAIMD (general AIMD).

    Additive increase and multiplicative decrease with other numbers than Reno's. The window grows by a chosen number
    of segments per round trip, and keeps a chosen fraction on congestion.

    Reference: Yang and Lam 2000; Floyd, Handley and Padhye 2000.

    Attributes
    ----------
    preset
        Group of settings. "yang_lam": GAIMD(0.31, 0.875), TCP-friendly by Yang and Lam's formula. "fifth_eighth":
        AIMD(1/5, 1/8), TCP-friendly by measurement. "one_eighth": AIMD(1, 1/8): TCP's increase with a gentle
        decrease, more than a fair share.
    increase
        Segments added per round trip in congestion avoidance. Allowed: a number, 0 to 1000000. Default ``0.31``: Yang
        and Lam 2000.
    decrease
        Fraction of the window that is kept at a cut. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.875``: Yang and Lam 2000.
    halve_at_start
        Whether the first cut, a cut in slow start and the threshold after a timeout take half, as in ns-2. Allowed:
        true or false. Default ``False``: Yang and Lam 2000.
    """

    kind: ClassVar[str] = "gaimd"

    preset: Literal["yang_lam", "fifth_eighth", "one_eighth"] | None = None
    increase: float | None = None
    decrease: float | str | None = None
    halve_at_start: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Binomial(Control):
    r"""Binomial (SQRT, IIAD).

    Gentler cuts than Reno's at the same mean rate. The window grows by the inverse of a power of itself, and is cut
    by another power of itself.

    Reference: Bansal and Balakrishnan 2001.

    Attributes
    ----------
    preset
        Group of settings. "sqrt": SQRT: increase and decrease by the square root of the window. "iiad": IIAD: inverse
        increase, additive decrease.
    k
        Exponent of the increase. Allowed: a number, 0 to 4. Default ``0.5``: Bansal and Balakrishnan 2001, SQRT.
    l
        Exponent of the decrease. Allowed: a number, 0 to 1. Default ``0.5``: Bansal and Balakrishnan 2001, SQRT.
    increase
        Segments added per round trip at a window of one. Allowed: a number, 0 to 1000000. Default ``1``: TCP's.
    cut
        Segments taken away by a cut at a window of one. Allowed: a number, 0.001 to 0.99. Default ``0.5``: TCP's;
        with increase / cut = 2 the mean rate is TCP's.
    halve_at_start
        Whether the first cut, a cut in slow start and the threshold after a timeout take half, as in ns-2. Allowed:
        true or false. Default ``False``: Bansal and Balakrishnan 2001.
    """

    kind: ClassVar[str] = "binomial"

    preset: Literal["sqrt", "iiad"] | None = None
    k: float | None = None
    l: float | None = None
    increase: float | None = None
    cut: float | None = None
    halve_at_start: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class KwonFahmy(Control):
    r"""Kwon-Fahmy (gentle with ECN).

    Reno that distinguishes marks from losses. It cuts less after a mark than after a loss, and opens more slowly in
    return.

    Reference: Kwon and Fahmy 2002; RFC 8511.

    Attributes
    ----------
    preset
        Group of settings. "abe": Alternative backoff with ECN (RFC 8511): 0.8 of the window is kept at a mark, the
        increase stays Reno's.
    increase
        Segments added per round trip after a loss, and before any cut. Allowed: a number, 0 to 1000000. Default
        ``1``: RFC 5681 section 3.1.
    decrease
        Fraction of the window that is kept at a loss. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.5``: RFC 5681 equation 4.
    ecn_increase
        Segments added per round trip after a mark. Allowed: a number, 0 to 1000000. Default ``0.2``: Kwon and Fahmy
        2002.
    ecn_decrease
        Fraction of the window that is kept at a mark. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.875``: Kwon and Fahmy 2002.
    """

    kind: ClassVar[str] = "kwon_fahmy"

    preset: Literal["abe"] | None = None
    increase: float | None = None
    decrease: float | str | None = None
    ecn_increase: float | None = None
    ecn_decrease: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Hstcp(Control):
    r"""HighSpeed TCP.

    Reno for large windows. Small windows are Reno's; above, the window grows faster and is cut less the larger it is.

    Reference: RFC 3649.

    Attributes
    ----------
    preset
        Group of settings. "ns2": ns-2 2.35: Low_P is 1.5 / Low_Window^2; the first cut, cuts in slow start and
        thresholds after timeouts halve. "linux": Linux 6.12: increase and decrease are those of the RFC's table, at
        the first row whose window is not exceeded; the increase is spread over acknowledgements, not over segments.
        Under the profile `linux` its window is Linux's after each acknowledgement of the recordings (docs/linux.md).
    low_window
        Window in segments up to which the law is Reno's. Allowed: a number, 2 to 1000. Default ``38``: RFC 3649
        section 5.
    high_window
        Window in segments at which `high_p` and `high_decrease` hold. Allowed: a number, 2000 to 1e9. Default
        ``83000``: RFC 3649 section 5.
    low_p
        Loss rate at which the mean window is `low_window`. Allowed: a fraction such as 0.05 or "5%", 0.00001 to 0.5.
        Default ``0.001``: RFC 3649 section 5.
    high_p
        Loss rate at which the mean window is `high_window`. Allowed: a fraction such as 0.05 or "5%", 0.000000000001
        to 0.000001. Default ``0.0000001``: RFC 3649 section 5.
    high_decrease
        Fraction of the window that is given up at a cut at `high_window` and above. Allowed: a fraction such as 0.05
        or "5%", 0.01 to 0.5. Default ``0.1``: RFC 3649 section 7.
    halve_at_start
        Whether the first cut, a cut in slow start and the threshold after a timeout take half, as in ns-2. Allowed:
        true or false. Default ``False``: RFC 3649.
    law
        The source of increase and decrease. Allowed: one of "formula", "table". Default ``"formula"``: RFC 3649
        section 5.
    """

    kind: ClassVar[str] = "hstcp"

    preset: Literal["ns2", "linux"] | None = None
    low_window: float | None = None
    high_window: float | None = None
    low_p: float | str | None = None
    high_p: float | str | None = None
    high_decrease: float | str | None = None
    halve_at_start: bool | None = None
    law: Literal["formula", "table"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Scalable(Control):
    r"""Scalable TCP.

    A window that recovers from a cut in the same number of round trips, whatever its size. It grows by 0.01 segments
    per acknowledgement and gives up an eighth on congestion; a small window is controlled as by Reno.

    Reference: Kelly 2003.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12: 0.01 per acknowledged segment or Reno's increase, whichever is
        greater; an eighth is given up at any window. Under the profile `linux` its window is Linux's after each
        acknowledgement of the recordings (docs/linux.md). "ns2": ns-2 2.35 (TCP-Linux): Linux 2.6.22, 0.02 per
        acknowledgement or Reno's increase, whichever is greater; an eighth is given up at any window.
    increase
        Segments added per acknowledgement. Allowed: a number, 0 to 1. Default ``0.01``: Kelly 2003.
    decrease
        Fraction of the window that is kept at a cut. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.875``: Kelly 2003.
    small
        The law for small windows. Allowed: one of "legacy", "greater". Default ``"legacy"``: Kelly 2003.
    legacy_window
        Window in segments up to which the law is Reno's, if `small` is `legacy`. Allowed: a number, 1 to 1000000.
        Default ``16``: Kelly 2003.
    """

    kind: ClassVar[str] = "scalable"

    preset: Literal["linux", "ns2"] | None = None
    increase: float | None = None
    decrease: float | str | None = None
    small: Literal["legacy", "greater"] | None = None
    legacy_window: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bic(Control):
    r"""BIC.

    A window that returns to the window of the last loss by a binary search. Its steps are large and of one size at
    first, then smaller and smaller, and beyond that window larger and larger.

    Reference: Xu, Harfoush and Rhee 2004.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 in its whole numbers: a fifth is lost, a quarter of the way is a step,
        of 16 segments at most; of a step of a segment or less a fifth is done. Under the profile `linux` its window
        is Linux's after each acknowledgement of the recordings (docs/linux.md).
    low_window
        Window in segments up to which the law is Reno's. Allowed: a number, 1 to 1000000. Default ``14``: Xu,
        Harfoush and Rhee 2004.
    s_max
        Largest increase per round trip, in segments. Allowed: a number, 1 to 1000000. Default ``32``: Xu, Harfoush
        and Rhee 2004.
    s_min
        Least increase per round trip, in segments. Allowed: a number, 0.000001 to 1. Default ``0.01``: Xu, Harfoush
        and Rhee 2004.
    decrease
        Part of the window that a loss leaves. Allowed: a fraction such as 0.05 or "5%", 0.1 to 0.99. Default
        ``0.875``: Xu, Harfoush and Rhee 2004.
    b
        Divisor of the step: a round trip makes one of this many parts of the way to the window of the last loss.
        Allowed: a number, 2 to 100. Default ``2``: Xu, Harfoush and Rhee 2004.
    fast_convergence
        Whether a loss below the window of the last one moves that down, so that new flows find room. Allowed: true or
        false. Default ``True``: Xu, Harfoush and Rhee 2004.
    arithmetic
        In which numbers, and by whose rules, the window is computed. Allowed: one of "real", "kernel". Default
        ``"real"``: Xu, Harfoush and Rhee 2004.
    """

    kind: ClassVar[str] = "bic"

    preset: Literal["linux"] | None = None
    low_window: float | None = None
    s_max: float | None = None
    s_min: float | None = None
    decrease: float | str | None = None
    b: float | None = None
    fast_convergence: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cubic(Control):
    r"""CUBIC.

    A window that grows by time instead of round trips. It is a cubic function of the time since the last congestion,
    and at least what Reno's would be.

    Reference: RFC 9438; Rhee and Xu 2005.

    Attributes
    ----------
    preset
        Group of settings. "2005": The first publication and Linux 2.6.22: 0.8 of the window is kept, at most 160
        segments are added per second. "linux": Linux 6.12: its whole numbers, in which the plateau counts as reached
        when the function is within a segment of it, and HyStart. Under the profile `linux` its window is Linux's
        after each acknowledgement of the recordings (docs/linux.md). "ns2": ns-2 2.35 (TCP-Linux): Linux 2.6.22 with
        its integers, which follows the function nearly twice as fast as it should if receivers acknowledge every
        packet.
    c
        Steepness C of the cubic function, in segments per second cubed. Allowed: a number, 0.000001 to 1000000.
        Default ``0.4``: RFC 9438 section 5.1.
    decrease
        Fraction beta of the window that is kept at a cut. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99.
        Default ``0.7``: RFC 9438 section 4.6.
    fast_convergence
        Whether the plateau is lowered when the window no longer reaches the last one. Allowed: true or false. Default
        ``True``: RFC 9438 section 4.7.
    friendly
        The window below which CUBIC does not fall, since Reno would have it. Allowed: one of "faster", "constant",
        "off". Default ``"faster"``: RFC 9438 section 4.3.
    arithmetic
        In which numbers the window is computed. Allowed: one of "real", "linux", "kernel". Default ``"real"``: RFC
        9438.
    hystart
        Whether slow start ends when acknowledgements have come in a row for half a round trip, or round trips grow
        (Linux's HyStart); only in the kernel's numbers. Allowed: true or false. Default ``False``: Ha and Rhee 2011;
        Linux.
    increase_max
        Segments that may be added per second (S_max); `auto` is no bound. Allowed: a number, 0.001 to 1e9, or "auto".
        Default ``"auto"``: RFC 9438 has none; Rhee and Xu 2005 take 160.
    """

    kind: ClassVar[str] = "cubic"

    preset: Literal["2005", "linux", "ns2"] | None = None
    c: float | None = None
    decrease: float | str | None = None
    fast_convergence: bool | None = None
    friendly: Literal["faster", "constant", "off"] | None = None
    arithmetic: Literal["real", "linux", "kernel"] | None = None
    hystart: bool | None = None
    increase_max: float | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Htcp(Control):
    r"""H-TCP.

    A window that grows faster the longer ago the last loss is, as Reno's in the first second. A loss leaves the part
    of it that the shortest round trip is of the longest.

    Reference: Leith and Shorten 2004.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 with its integers: the increase is scaled by the round trip, and half
        is lost if the shortest round trip is 10 ms or less. Under the profile `linux` its window is Linux's after
        each acknowledgement of the recordings (docs/linux.md).
    delta_l
        Time since the last loss up to which the increase is Reno's. Allowed: a time such as "20ms", 0s to 100s.
        Default ``"1s"``: Leith and Shorten 2004.
    beta_min
        Least part of the window that remains after a loss; also the part that remains when the throughput has
        changed. Allowed: a fraction such as 0.05 or "5%", 0.1 to 0.9. Default ``0.5``: Leith and Shorten 2004.
    beta_max
        Largest part of the window that a loss leaves. Allowed: a fraction such as 0.05 or "5%", 0.1 to 0.99. Default
        ``0.8``: Leith and Shorten 2004.
    delta_b
        Change of the throughput from one loss to the next, as a part of it, above which a loss leaves `beta_min`.
        Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.2``: Leith and Shorten 2004.
    bandwidth_switch
        Whether `delta_b` is heeded. Allowed: true or false. Default ``True``: Leith and Shorten 2004.
    rtt_scaling
        Whether the increase is multiplied by the shortest round trip in parts of 100 ms, from 0.1 to 2 of them, so
        that flows with long round trips are as fast as others. Allowed: true or false. Default ``False``:
        draft-leith-tcp-htcp-06.
    arithmetic
        In which numbers, and by whose rules, the window is computed. Allowed: one of "real", "kernel". Default
        ``"real"``: Leith and Shorten 2004.
    """

    kind: ClassVar[str] = "htcp"

    preset: Literal["linux"] | None = None
    delta_l: str | None = None
    beta_min: float | str | None = None
    beta_max: float | str | None = None
    delta_b: float | str | None = None
    bandwidth_switch: bool | None = None
    rtt_scaling: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Hybla(Control):
    r"""TCP Hybla.

    Reno for long round trips, such as a satellite's. Its window grows as if the round trip were one of reference, and
    is as many times larger as the round trip is longer.

    Reference: Caini and Firrincieli 2004.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 in its whole numbers: rho in eighths, from the shortest smoothed round
        trip; it is also the initial window. An acknowledgement counts once, whatever it acknowledges.
    rtt_0
        The round trip of reference. Allowed: a time such as "20ms", 1ms to 10s. Default ``"25ms"``: Caini and
        Firrincieli 2004.
    arithmetic
        In which numbers, and by whose rules, the window is computed. Allowed: one of "real", "kernel". Default
        ``"real"``: Caini and Firrincieli 2004.
    """

    kind: ClassVar[str] = "hybla"

    preset: Literal["linux"] | None = None
    rtt_0: str | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Illinois(Control):
    r"""TCP Illinois.

    A window whose growth and cut depend on the delay; losses decide when it is cut. It grows by ten segments per
    round trip while nothing waits, and by 0.3 when the queue is about as long as it has ever been; a loss takes an
    eighth to a half.

    Reference: Liu, Basar and Srikant 2008.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12: the paper's values in whole numbers; the window grows by whole
        segments. Under the profile `linux` its window is Linux's after each acknowledgement of the recordings
        (docs/linux.md).
    alpha_min
        Least increase per round trip, in segments. Allowed: a number, 0.01 to 100. Default ``0.3``: Liu, Basar and
        Srikant 2008.
    alpha_max
        Largest increase per round trip, in segments. Allowed: a number, 0.01 to 1000. Default ``10``: Liu, Basar and
        Srikant 2008.
    beta_min
        Least part of the window that a loss takes. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.125``: Liu, Basar and Srikant 2008.
    beta_max
        Largest part of the window that a loss takes. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.5``: Liu, Basar and Srikant 2008.
    eta_1
        Queueing delay, as a part of the longest, up to which the increase is the largest. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``0.01``: Liu, Basar and Srikant 2008.
    eta_2
        Queueing delay, as a part of the longest, up to which the decrease is the least. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``0.1``: Liu, Basar and Srikant 2008.
    eta_3
        Queueing delay, as a part of the longest, from which on the decrease is the largest. Allowed: a fraction such
        as 0.05 or "5%", 0 to 1. Default ``0.8``: Liu, Basar and Srikant 2008.
    theta
        Round trips in a row with hardly any delay after which the increase is the largest again. Allowed: a whole
        number, 1 to 1000. Default ``5``: Liu, Basar and Srikant 2008.
    w_thresh
        Window in segments below which the law is Reno's. Allowed: a number, 0 to 1000000. Default ``15``: Linux 6.12;
        Liu, Basar and Srikant 2008 have 10.
    arithmetic
        In which numbers the window is computed. Allowed: one of "real", "kernel". Default ``"real"``: Liu, Basar and
        Srikant 2008.
    """

    kind: ClassVar[str] = "illinois"

    preset: Literal["linux"] | None = None
    alpha_min: float | None = None
    alpha_max: float | None = None
    beta_min: float | str | None = None
    beta_max: float | str | None = None
    eta_1: float | str | None = None
    eta_2: float | str | None = None
    eta_3: float | str | None = None
    theta: int | None = None
    w_thresh: float | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Westwood(Control):
    r"""TCP Westwood and Westwood+.

    Reno that measures the rate at which data is acknowledged. After a loss it sets window and threshold to that rate
    times the shortest round-trip time.

    Reference: Casetti et al. 2002; Grieco and Mascolo 2004.

    Attributes
    ----------
    preset
        Group of settings. "2002": The first publication: a sample with each acknowledgement. "linux": Westwood+ of
        Linux 6.12 with its whole numbers: two filters in a row; a loss halves, and when it is repaired the window is
        the estimate, also if that is more. Under the profile `linux` its window is Linux's after each acknowledgement
        of the recordings (docs/linux.md). "ns2": ns-2 2.35 (TCP-Linux): Linux 2.6.22 with its whole numbers, under
        the profile `ns2_linux`; the threshold is half of the window, and the window is that or the estimate,
        whichever is greater.
    filter
        How the rate is estimated. Allowed: one of "plus", "twice", "tustin". Default ``"plus"``: Grieco and Mascolo
        2004.
    tau
        Time constant of the filter `tustin`. Allowed: a time such as "20ms", 1ms to 1000s. Default ``"500ms"``:
        Casetti et al. 2002.
    sample_min
        Least time that a sample of `plus` and `twice` covers. Allowed: a time such as "20ms", 0s to 10s. Default
        ``"50ms"``: Linux 2.6.22.
    raises
        Whether a cut may also raise the window to the estimate. Allowed: true or false. Default ``False``: Casetti et
        al. 2002: the window is at most the threshold.
    arithmetic
        In which numbers rate and window are computed. Allowed: one of "real", "linux", "kernel". Default ``"real"``:
        Casetti et al. 2002.
    """

    kind: ClassVar[str] = "westwood"

    preset: Literal["2002", "linux", "ns2"] | None = None
    filter: Literal["plus", "twice", "tustin"] | None = None
    tau: str | None = None
    sample_min: str | None = None
    raises: bool | None = None
    arithmetic: Literal["real", "linux", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Vegas(Control):
    r"""TCP Vegas.

    A control by delay. From the round-trip time it estimates how many of its segments wait in queues, and keeps their
    number between two bounds.

    Reference: Brakmo and Peterson 1995.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12: two to four segments wait, slow start doubles in every round trip, a
        loss halves, and the shortest round trip is forgotten whenever nothing is out. Under the profile `linux` its
        window is Linux's after each acknowledgement of the recordings (docs/linux.md). "ns2": ns-2 2.35: the
        difference is rounded to whole segments, the first round trip does not open the window, the window after a
        timeout is 2, and the fine-grained timeout is shorter.
    alpha
        Segments in queues below which the window grows by one per round trip. Allowed: a number, 0 to 1000000.
        Default ``1``: Brakmo and Peterson 1995.
    beta
        Segments in queues above which the window shrinks by one per round trip. Allowed: a number, 0 to 1000000.
        Default ``3``: Brakmo and Peterson 1995.
    gamma
        Segments in queues above which slow start ends. Allowed: a number, 0 to 1000000. Default ``1``: Brakmo and
        Peterson 1995.
    decrease
        Fraction of the window that is kept at a loss. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.99. Default
        ``0.75``: Brakmo and Peterson 1995.
    rounded
        Whether the number of segments in queues is rounded to a whole one. Allowed: true or false. Default ``False``:
        Brakmo and Peterson 1995.
    hesitant
        Whether the window stays as it is for the first round trip, and is 2 at least from the second on, as in ns-2.
        Allowed: true or false. Default ``False``: Brakmo and Peterson 1995.
    timeout_window
        Window in segments after a timeout. Allowed: a number, 1 to 1000. Default ``1``: RFC 5681 section 3.1.
    early
        Whether the first duplicate of a segment, and the first two acknowledgements after a retransmission, resend
        segments that are overdue by a fine-grained timeout. Allowed: true or false. Default ``True``: Brakmo and
        Peterson 1995.
    arithmetic
        In which numbers, and by whose rules, the window is computed. Allowed: one of "real", "kernel". Default
        ``"real"``: Brakmo and Peterson 1995.
    fine_timeout
        How the fine-grained timeout is computed. Allowed: one of "jacobson", "ns2". Default ``"jacobson"``: Brakmo
        and Peterson 1995: Jacobson's estimate by a finer clock.
    """

    kind: ClassVar[str] = "vegas"

    preset: Literal["linux", "ns2"] | None = None
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    decrease: float | str | None = None
    rounded: bool | None = None
    hesitant: bool | None = None
    timeout_window: float | None = None
    early: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None
    fine_timeout: Literal["jacobson", "ns2"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Veno(Control):
    r"""TCP Veno.

    Reno for links that lose by chance. From the round-trip time it estimates how many of its segments wait; with few
    of them a loss takes a fifth, with many a half, and the window grows half as fast.

    Reference: Fu and Liew 2003.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 in its whole numbers: waiting segments in halves, from the last round
        trip that was measured. Under the profile `linux` its window is Linux's after each acknowledgement of the
        recordings (docs/linux.md).
    beta
        Segments in queues from which the state is congestive. Allowed: a number, 0 to 1000000. Default ``3``: Fu and
        Liew 2003.
    decrease
        Part of the window that a loss leaves in the other state. Allowed: a fraction such as 0.05 or "5%", 0.1 to
        0.99. Default ``0.8``: Fu and Liew 2003.
    arithmetic
        In which numbers the window is computed. Allowed: one of "real", "kernel". Default ``"real"``: Fu and Liew
        2003.
    """

    kind: ClassVar[str] = "veno"

    preset: Literal["linux"] | None = None
    beta: float | None = None
    decrease: float | str | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Nv(Control):
    r"""TCP-NV (New Vegas).

    A control by delay for networks in which all flows have it. It keeps the window within a few segments of the
    product of measured rate and shortest round trip, and decides only when it has many measurements.

    Reference: Brakmo 2010; Linux 6.12.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 in its whole numbers.
    pad
        Segments that may wait in the network. Allowed: a number, 1 to 1000000. Default ``10``: Linux 6.12.
    pad_buffer
        So close below the largest window, in segments, it stays. Allowed: a number, 0 to 1000000. Default ``2``:
        Linux 6.12.
    reset_period
        How often the shortest round trip is measured anew, within a quarter by chance. Allowed: a time such as
        "20ms", 100ms to 1000s. Default ``"5s"``: Linux 6.12.
    min_cwnd
        Least window in segments without a loss. Allowed: a number, 1 to 1000. Default ``2``: Linux 6.12.
    cong_dec_mult
        Part of the window's excess that is taken away in a round trip. Allowed: a fraction such as 0.05 or "5%", 0 to
        1. Default ``0.3``: Linux 6.12.
    ssthresh_factor
        The threshold after that, in windows that would have been right. Allowed: a number, 0.125 to 8. Default ``1``:
        Linux 6.12.
    rtt_factor
        Weight of a new sample of the round trip. Allowed: a fraction such as 0.05 or "5%", 0.01 to 1. Default
        ``0.5``: Linux 6.12.
    loss_dec_factor
        Part of the window that a loss leaves. Allowed: a fraction such as 0.05 or "5%", 0.1 to 0.99. Default ``0.8``:
        Linux 6.12.
    dec_eval_min_calls
        Measurements before the window shrinks. Allowed: a whole number, 1 to 255. Default ``60``: Linux 6.12.
    inc_eval_min_calls
        Measurements before the window may grow. Allowed: a whole number, 1 to 255. Default ``20``: Linux 6.12.
    ssthresh_eval_min_calls
        Measurements before slow start ends. Allowed: a whole number, 1 to 255. Default ``30``: Linux 6.12.
    stop_rtt_cnt
        Round trips without a decision after which the window no longer grows, if it is too large. Allowed: a whole
        number, 1 to 255. Default ``10``: Linux 6.12.
    rtt_min_cnt
        Round trips before the window shrinks. Allowed: a whole number, 1 to 255. Default ``2``: Linux 6.12.
    growth_rate_neg
        Decisions to grow after which growth that timeouts have slowed down is doubled. Allowed: a whole number, 0 to
        1000000. Default ``8``: Linux 6.12.
    growth_rate_pos
        The same for growth that is not slower than Reno's; 0: it stays Reno's. Allowed: a whole number, 0 to 1000000.
        Default ``0``: Linux 6.12.
    arithmetic
        In which numbers the window is computed. Allowed: one of "real", "kernel". Default ``"real"``: Linux 6.12.
    """

    kind: ClassVar[str] = "nv"

    preset: Literal["linux"] | None = None
    pad: float | None = None
    pad_buffer: float | None = None
    reset_period: str | None = None
    min_cwnd: float | None = None
    cong_dec_mult: float | str | None = None
    ssthresh_factor: float | None = None
    rtt_factor: float | str | None = None
    loss_dec_factor: float | str | None = None
    dec_eval_min_calls: int | None = None
    inc_eval_min_calls: int | None = None
    ssthresh_eval_min_calls: int | None = None
    stop_rtt_cnt: int | None = None
    rtt_min_cnt: int | None = None
    growth_rate_neg: int | None = None
    growth_rate_pos: int | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Yeah(Control):
    r"""YeAH.

    A window that grows like Scalable TCP's while few of its segments wait, and like Reno's while many wait; then it
    also shrinks by the waiting segments. A loss takes the segments that waited, an eighth at least; half if others
    keep the queue full.

    Reference: Baiocchi, Castellani and Vacirca 2007.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 in its whole numbers: the paper's values. Under the profile `linux` its
        window is Linux's after each acknowledgement of the recordings (docs/linux.md).
    q_max
        Segments of its own in the queue that it allows. Allowed: a number, 0 to 1000000. Default ``80``: Baiocchi,
        Castellani and Vacirca 2007.
    phi
        Queueing delay that it allows, as a part of the shortest round trip: one over this. Allowed: a number, 0.1 to
        1000. Default ``8``: Baiocchi, Castellani and Vacirca 2007.
    gamma
        Divisor of the waiting segments that are taken away in a round trip. Allowed: a number, 0.1 to 1000. Default
        ``1``: Baiocchi, Castellani and Vacirca 2007.
    epsilon
        Largest part of the window that is taken away so. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.5``: Baiocchi, Castellani and Vacirca 2007.
    delta
        Least part of the window that a loss takes. Allowed: a fraction such as 0.05 or "5%", 0.01 to 0.5. Default
        ``0.125``: Baiocchi, Castellani and Vacirca 2007.
    rho
        Round trips as Reno in a row from which on a loss takes half: others keep the queue full. Allowed: a whole
        number, 1 to 1000000. Default ``16``: Baiocchi, Castellani and Vacirca 2007.
    zeta
        Fast round trips after which the need of others is estimated again. Allowed: a whole number, 1 to 1000000.
        Default ``50``: Baiocchi, Castellani and Vacirca 2007.
    increase
        Segments added per acknowledged one in fast mode, as in Scalable TCP; more in a small window. Allowed: a
        number, 0 to 1. Default ``0.01``: Kelly 2003.
    arithmetic
        In which numbers the window is computed. Allowed: one of "real", "kernel". Default ``"real"``: Baiocchi,
        Castellani and Vacirca 2007.
    """

    kind: ClassVar[str] = "yeah"

    preset: Literal["linux"] | None = None
    q_max: float | None = None
    phi: float | None = None
    gamma: float | None = None
    epsilon: float | str | None = None
    delta: float | str | None = None
    rho: int | None = None
    zeta: int | None = None
    increase: float | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cdg(Control):
    r"""CDG.

    A control by the gradient of the delay: how much longer round trips become from one to the next. The window falls
    by chance as they grow. If that does not help, others fill the queue, and the window no longer yields to them.

    Reference: Hayes and Armitage 2011.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 in its whole numbers: every loss is one of congestion, and HyStart ends
        slow start.
    window
        Round trips over which gradients are smoothed. Allowed: a whole number, 1 to 256. Default ``8``: Hayes and
        Armitage 2011.
    beta
        Part of the window that is left when the gradient has it fall. Allowed: a fraction such as 0.05 or "5%", 0.1
        to 0.99. Default ``0.7``: Hayes and Armitage 2011.
    g
        Gradient per round trip at which the window falls with a probability of 1 - 1/e. Allowed: a time such as
        "20ms", 10us to 10s. Default ``"3ms"``: Hayes and Armitage 2011.
    ineffectual
        Falls in a row that do not help after which the window falls no more for gradients; 0: it always does.
        Allowed: a whole number, 0 to 1000. Default ``5``: Hayes and Armitage 2011.
    shadow
        Whether a loss cuts the window that there would be without cuts for gradients (the shadow window). Allowed:
        true or false. Default ``True``: Hayes and Armitage 2011.
    tolerance
        Whether a loss while the queue is not full counts as chance, and takes nothing. Allowed: true or false.
        Default ``True``: Hayes and Armitage 2011.
    hystart
        Whether slow start also ends when acknowledgements come in a row for half of a round trip, or round trips are
        longer by an eighth; in real numbers the transport has HyStart++ (`slow_start`). Allowed: true or false.
        Default ``False``: Hayes and Armitage 2011.
    arithmetic
        In which numbers, and by whose rules, the window is computed. Allowed: one of "real", "kernel". Default
        ``"real"``: Hayes and Armitage 2011.
    """

    kind: ClassVar[str] = "cdg"

    preset: Literal["linux"] | None = None
    window: int | None = None
    beta: float | str | None = None
    g: str | None = None
    ineffectual: int | None = None
    shadow: bool | None = None
    tolerance: bool | None = None
    hystart: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Dctcp(Control):
    r"""DCTCP.

    A control by the extent of marks. It estimates which fraction of its data is marked, and gives up half of that
    fraction of the window. It switches `ecn` of the transport on, and its receiver reports for each packet whether it
    was marked.

    Reference: RFC 8257.

    Attributes
    ----------
    g
        Weight of the last window in the estimate. Allowed: a fraction such as 0.05 or "5%", 0.000001 to 1. Default
        ``0.0625``: RFC 8257 section 4.2.
    alpha
        The estimate before anything has been marked. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``1``:
        RFC 8257 section 3.3.
    """

    kind: ClassVar[str] = "dctcp"

    g: float | str | None = None
    alpha: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Decbit(Control):
    r"""DECbit.

    The sender of DECbit. In every other window it counts the bits: if half of them or more are set it keeps seven
    eighths of the window, otherwise it adds one segment. It switches `ecn` of the transport on, and its receiver
    reports for each packet whether it was marked. It needs the queue `decbit`.

    Reference: Ramakrishnan and Jain 1990.

    Attributes
    ----------
    cutoff
        Part of a window's bits from which on the window shrinks. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0.5``: [RJ90] section 5.3.
    increase
        Segments that a window without congestion adds. Allowed: a number, 0 to 1000. Default ``1``: [RJ90] section 2.
    decrease
        The part of a window with congestion that is kept. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.875``: [RJ90] section 5.4.
    slow_start
        Whether the window begins, and begins again after a timeout, by slow start up to its threshold. Allowed: true
        or false. Default ``False``: [RJ90] has none.
    """

    kind: ClassVar[str] = "decbit"

    cutoff: float | str | None = None
    increase: float | None = None
    decrease: float | str | None = None
    slow_start: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Surathkal(Control):
    r"""TCP Surathkal.

    A control by the extent of marks, without averaging. It gives up half of the fraction of the last window that was
    marked, at once. It switches `ecn` of the transport on, and its receiver reports each mark (XECN).

    Reference: Tahiliani 2013.

    Attributes
    ----------
    preset
        Group of settings. "fluid": The assumption of the thesis's fluid model: a reaction to each mark, by the
        fraction of the last window.
    fraction
        The packets over which the fraction of marks is taken. Allowed: one of "last", "running", "last_at_least_one",
        "sliding". Default ``"last_at_least_one"``: Tahiliani 2013 equation 4.3.3, our reading.
    loss
        The effect of three duplicates on the window. Allowed: one of "halves", "as_marked", "once_marked", "nothing".
        Default ``"once_marked"``: ours: Tahiliani 2013 section 4.4.3 (as_marked) where routers mark, RFC 5681 where
        none does.
    reaction
        How often the window is cut. Allowed: one of "window", "every_mark". Default ``"window"``: Tahiliani 2013
        equation 4.3.2.
    window_min
        Least window in segments after a cut for marks. Allowed: a number, 1 to 1000. Default ``1``: ns-2's floor for
        ECN.
    """

    kind: ClassVar[str] = "surathkal"

    preset: Literal["fluid"] | None = None
    fraction: Literal["last", "running", "last_at_least_one", "sliding"] | None = None
    loss: Literal["halves", "as_marked", "once_marked", "nothing"] | None = None
    reaction: Literal["window", "every_mark"] | None = None
    window_min: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bbr(Control):
    r"""BBR (version 1).

    A control by a model of the path instead of losses. It measures how fast the network delivers and how short a
    round trip can be; it sends at that rate, and keeps about their product in flight. Wants the profile `linux` of
    `tcp`, whose segments can be paced.

    Reference: Cardwell, Cheng, Gunn, Yeganeh and Jacobson 2016; draft-cardwell-iccrg-bbr-congestion-control-00.

    Attributes
    ----------
    preset
        Group of settings. "linux": Version 1 of Linux 6.12 with its integers: paces a hundredth below the measured
        rate, makes room for acknowledgements that come in groups, keeps windows even, and finds the rate of a
        policer. Under the profile `linux` its window is Linux's after each acknowledgement of the recordings
        (docs/linux.md).
    high_gain
        Gain of pacing and window in Startup; 2 / ln 2. Allowed: a number, 1.01 to 10. Default 2/ln 2 ≈ 2.885: draft
        section 3.4: the least that doubles in each round.
    window_gain
        Gain of the window in ProbeBW. Allowed: a number, 1 to 100. Default ``2``: draft section 4.2.3.1: room for
        delayed acknowledgements.
    probe
        By how much ProbeBW speeds up in one phase of eight, and slows down in the next. Allowed: a fraction such as
        0.05 or "5%", 0 to 0.99. Default ``"25%"``: draft section 4.3.4.2.
    bandwidth_rounds
        Rounds over which the highest delivery rate counts. Allowed: a whole number, 1 to 1000. Default ``10``: draft
        section 4.1.1.2.
    rtt_window
        How long the shortest round trip counts. Allowed: a time such as "20ms", 100ms to 1000s. Default ``"10s"``:
        draft section 4.1.2.2.
    probe_rtt
        How long ProbeRTT lasts at least. Allowed: a time such as "20ms", 1ms to 10s. Default ``"200ms"``: draft
        section 4.3.5.1.
    growth
        Growth of the bandwidth in a round of Startup below which it does not count as growth. Allowed: a fraction
        such as 0.05 or "5%", 0 to 10. Default ``"25%"``: draft section 4.3.2.2.
    growth_rounds
        Rounds without growth that end Startup. Allowed: a whole number, 1 to 100. Default ``3``: draft section
        4.3.2.2.
    margin
        By how much pacing is below the measured rate. Allowed: a fraction such as 0.05 or "5%", 0 to 0.5. Default
        ``"0%"``: the draft has none; Linux 1 %.
    aggregation
        Whether the window has room for the amount that acknowledgements recently reported beyond the bandwidth (at
        most 100 ms of it). Allowed: true or false. Default ``False``: Linux, since 5.1; the draft has none.
    even
        Whether windows are rounded up to even numbers, and hold two segments more while ProbeBW speeds up. Allowed:
        true or false. Default ``False``: Linux; the draft has none.
    policers
        Whether it takes the mean rate of two lossy intervals that agree for that of a policer, for 48 rounds;
        Startup's end and that rate are looked for anew after a timeout and when a cut is taken back. Allowed: true or
        false. Default ``False``: Linux; the draft has none.
    arithmetic
        In which numbers, and by whose rules, the window is computed. Allowed: one of "real", "kernel". Default
        ``"real"``: draft section 4.
    """

    kind: ClassVar[str] = "bbr"

    preset: Literal["linux"] | None = None
    high_gain: float | None = None
    window_gain: float | None = None
    probe: float | str | None = None
    bandwidth_rounds: int | None = None
    rtt_window: str | None = None
    probe_rtt: str | None = None
    growth: float | str | None = None
    growth_rounds: int | None = None
    margin: float | str | None = None
    aggregation: bool | None = None
    even: bool | None = None
    policers: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Xcp(Control):
    r"""XCP.

    The sender of XCP. It tells the routers its window and round-trip time in every packet, and changes the window as
    they answer; a loss halves it. It needs queues of kind `xcp`, and is Reno without them.

    Reference: Katabi, Handley and Rohrs 2002.

    Attributes
    ----------
    preset
        Group of settings. "ns2": ns-2 2.35: tells its window in whole packets. Near flows, whose windows are small,
        send as much as far ones; the queue swings more. Measures round trips in ticks of 10 ms, and takes grants as
        throughput, of payload.
    desired_rate
        Payload per second that the sender would like to send; `auto` takes all that it is granted. Allowed: a rate
        such as "10Mbit", 1bit to 100Tbit, or "auto". Default ``"auto"``: Katabi et al. 2002 section 3.3.
    whole_window
        Tell the routers the window in whole segments, as many as can be sent, rather than with its fraction. Allowed:
        true or false. Default ``False``: Katabi et al. 2002 section 3.2: the current window.
    rtt_tick
        Measure round trips in whole ticks of a clock that all senders share; `0s` measures them exactly. Allowed: a
        time such as "20ms", 0s to 10s. Default ``"0s"``: Katabi et al. 2002 section 3.2: the current estimate.
    grant_unit
        Be granted changes of the window, or of the throughput over the round-trip time known when they arrive
        (draft-falk-xcp-spec-03). Allowed: one of "window", "throughput". Default ``"window"``: Katabi et al. 2002
        section 3.3.
    grants_payload
        Whether a grant changes the payload of the window and not all of its bytes. Allowed: true or false. Default
        ``False``: Katabi et al. 2002 section 3.3: bytes as in the window.
    """

    kind: ClassVar[str] = "xcp"

    preset: Literal["ns2"] | None = None
    desired_rate: str | None = None
    whole_window: bool | None = None
    rtt_tick: str | None = None
    grant_unit: Literal["window", "throughput"] | None = None
    grants_payload: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Rcp(Control):
    r"""RCP.

    The sender of RCP. It sends at the rate that the routers on its way write, one rate for all flows of a router,
    from the first round trip on; losses do not change it. It needs queues of kind `rcp`, and is Reno without them.

    Reference: Dukkipati, Kobayashi, Zhang-Shen and McKeown 2005.

    Attributes
    ----------
    desired_rate
        Greatest rate on the wire that the sender asks for; `auto` sets no bound. Allowed: a rate such as "10Mbit",
        1bit to 100Tbit, or "auto". Default ``"auto"``: Dukkipati et al. 2005 section 2.
    """

    kind: ClassVar[str] = "rcp"

    desired_rate: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class NoControl(Control):
    r"""No control (fixed window).

    A fixed window. It stays as it is whatever happens; losses are still recovered.

    Reference: the static window of the literature.

    Attributes
    ----------
    window
        The window in segments; `auto` is the initial window. Allowed: a number, 1 to 1e9, or "auto". Default
        ``"auto"``: a free choice.
    """

    kind: ClassVar[str] = "none"

    window: float | Literal["auto"] | None = None


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise no_class(__name__, name, __all__)
