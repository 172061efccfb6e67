"""Queue disciplines: one class for each kind, with its parameters."""

# Made from the registry by `make generate`; do not edit.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .scenario.component import Queue, no_class

__all__ = [
    "Abe",
    "Afc",
    "Ared",
    "AredFeng",
    "AredMimd",
    "Avq",
    "Black",
    "Blue",
    "Bred",
    "Cake",
    "CappedTail",
    "Care",
    "Cared",
    "Cbfq",
    "Cbq",
    "CbtRed",
    "Choke",
    "Cobalt",
    "Codel",
    "Csfq",
    "Dcbt",
    "Decbit",
    "Diffserv",
    "Dred",
    "Drr",
    "Dsred",
    "Dualpi2",
    "ERed",
    "Ered",
    "Fared",
    "Fifo",
    "FlowQueue",
    "Fq",
    "FqCodel",
    "FqPie",
    "Fred",
    "Green",
    "HopByHop",
    "Htb",
    "HybridRed",
    "LeakyBucket",
    "LpfOda",
    "Lqd",
    "Lred",
    "Mred",
    "Nlred",
    "PController",
    "Pi",
    "Pi2",
    "Pie",
    "Policer",
    "Priority",
    "Psand",
    "RateControlledPriority",
    "Rcp",
    "ReAred",
    "Red",
    "RedBoston",
    "RedFilter",
    "RedPd",
    "RedWorcester",
    "Rem",
    "Rio",
    "SelfTuningRed",
    "Sfb",
    "Sfc",
    "Sfq",
    "SourceQuench",
    "Sred",
    "TcpModel",
    "TokenBucket",
    "Wfq",
    "WqMaxP",
    "Wred",
    "Xcp",
    "Xred",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class RedParameters(Queue):
    r"""RED's parameters, which its family shares.

    Attributes
    ----------
    limit
        The most that may wait, without the packet in transmission. In byte mode a limit in packets counts mean
        packets. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"50p"``:
        ns-2 2.35 limit_.
    min_th
        Average below which nothing is dropped; automatic by `th_auto`. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: Floyd, Gummadi and Shenker 2001; the
        bound by the limit is ours.
    max_th
        Average at which the probability reaches `max_p`; automatic by `th_auto`. Allowed: an amount of queue such as
        "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: Floyd, Gummadi and Shenker 2001;
        the bound by the limit is ours.
    th_auto
        The basis of automatic thresholds: a delay, or the limit as in tc. Allowed: one of "delay", "tc". Default
        ``"delay"``: Floyd, Gummadi and Shenker 2001; iproute2 tc/q_red.c for tc.
    target_delay
        Average queuing delay at which automatic thresholds aim. Allowed: a time such as "20ms", 0s to 100s. Default
        ``"5ms"``: ns-2 2.35 targetdelay_.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: Floyd 1997 (recommendation); ns-2 2.35 linterm_ 10.
    w_q
        Weight of an arrival in the average; automatic by `w_q_auto`. Allowed: a fraction such as 0.05 or "5%",
        0.000000001 to 1, or "auto". Default ``"auto"``: Floyd, Gummadi and Shenker 2001.
    w_q_auto
        The rule for an automatic `w_q`: 1 - exp(-1/C) (`one_second`) or 1 - exp(-1/(10 C RTT)) (`ten_rtts`), C in
        packets per second, or a burst (`tc`). Allowed: one of "one_second", "ten_rtts", "tc". Default
        ``"one_second"``: Floyd, Gummadi and Shenker 2001; Haider 2005 eq. 2.7 for ten_rtts; iproute2 tc/tc_red.c for
        tc.
    above
        Above `max_th`: drop everything, or let the probability rise to 1 at twice `max_th`. Allowed: one of "strict",
        "gentle". Default ``"gentle"``: Floyd 2000.
    mode
        Whether the queue, its thresholds and the count are in packets or in bytes. Allowed: one of "packets",
        "bytes". Default ``"packets"``: [Flo93] section 4.
    mean_packet
        Mean packet that amounts in packets, the idle time and `mode` count with. Automatic: the link's. Allowed: a
        number of bytes such as "1000B", 1B to 65535B, or "auto". Default ``"auto"``: a link has one; ns-2 2.35
        mean_pktsize_ 500.
    count
        How early drops are spaced. Allowed: one of "off", "on", "wait", "linux", "dsred". Default ``"on"``: [Flo93]
        section 7; ns-2 2.35 wait_ for wait.
    idle_decay
        How the average decays while the link is idle. `ns2_short` counts a packet less if the link is idle for a
        whole number of packet times. Allowed: one of "off", "ns2", "ns2_short", "paper". Default ``"ns2"``: ns-2 2.35
        red.cc; [Flo93] section 4 for paper.
    spare_short
        Never drop early while at most one packet (byte) waits. Allowed: true or false. Default ``False``: [Flo93] has
        no such rule; ns-2 2.35 red.cc has.
    spare_first
        Spare the packet with which the average enters the region of early drops, and count from it. Allowed: true or
        false. Default ``False``: [Flo93] has no such rule; ns-2 2.35 red.cc has.
    ecn
        Mark ECN-capable packets instead of dropping them early. Allowed: true or false. Default ``False``: ns-2 2.35
        setbit_.
    mark_max_p
        Mark only while p_b is below this, and drop above; 1 marks up to certain drops, more than 1 always marks.
        Allowed: a fraction such as 0.05 or "5%", 0 to 2. Default ``1``: RFC 3168 section 7: drop above the upper
        threshold; ns-2 2.35 mark_p_ is 0.1.
    """

    limit: str | None = None
    min_th: str | None = None
    max_th: str | None = None
    th_auto: Literal["delay", "tc"] | None = None
    target_delay: str | None = None
    max_p: float | str | None = None
    w_q: float | str | None = None
    w_q_auto: Literal["one_second", "ten_rtts", "tc"] | None = None
    above: Literal["strict", "gentle"] | None = None
    mode: Literal["packets", "bytes"] | None = None
    mean_packet: str | None = None
    count: Literal["off", "on", "wait", "linux", "dsred"] | None = None
    idle_decay: Literal["off", "ns2", "ns2_short", "paper"] | None = None
    spare_short: bool | None = None
    spare_first: bool | None = None
    ecn: bool | None = None
    mark_max_p: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class AdaptationParameters(Queue):
    r"""Parameters of the adaptation of max_p, which keeps RED's average in a target range.

    Attributes
    ----------
    interval
        Least time between two changes of max_p. Allowed: a time such as "20ms", 1us to 10000s. Default ``"0.5s"``:
        Floyd, Gummadi and Shenker 2001.
    target_low
        Lower end of the range in which the average shall be, as a fraction of the way from `min_th` to `max_th`.
        Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.4``: Floyd, Gummadi and Shenker 2001.
    target_high
        Upper end of the range in which the average shall be; not below `target_low`. Allowed: a fraction such as 0.05
        or "5%", 0 to 1. Default ``0.6``: Floyd, Gummadi and Shenker 2001.
    bottom
        max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s. Allowed: a fraction such as
        0.05 or "5%", 0 to 1, or "auto". Default ``"auto"``: ns-2 2.35 red.cc; 0.01 in Floyd, Gummadi and Shenker
        2001.
    top
        max_p increases only while below it. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.5``: Floyd,
        Gummadi and Shenker 2001.
    bounds
        Whether max_p moves strictly between `bottom` and `top` or at equality, too, and whether a step may pass them.
        Allowed: one of "strict", "inclusive", "clamped". Default ``"strict"``: ns-2 2.35 red.cc; Floyd, Gummadi and
        Shenker 2001 fig. 1 for inclusive.
    clock
        Change max_p at every `interval` (`timer`) or at the first arrival that comes later than `interval` after the
        last change (`arrival`). Allowed: one of "timer", "arrival". Default ``"timer"``: Floyd, Gummadi and Shenker
        2001; ns-2 2.35 red.cc for arrival.
    gentle_slope
        Whether the gentle part starts at the current or at the initial max_p. Allowed: one of "current", "initial".
        Default ``"current"``: Floyd, Gummadi and Shenker 2001; ns-2 2.35 red.cc for initial.
    """

    interval: str | None = None
    target_low: float | str | None = None
    target_high: float | str | None = None
    bottom: float | str | None = None
    top: float | str | None = None
    bounds: Literal["strict", "inclusive", "clamped"] | None = None
    clock: Literal["timer", "arrival"] | None = None
    gentle_slope: Literal["current", "initial"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ReAredParameters(Queue):
    r"""Parameters of Re-ARED.

    Attributes
    ----------
    gain_up
        Factor of the increase: max_p rises by this share of itself if the average is twice the target. Allowed: a
        number, 0 to 1000000. Default ``0.25``: [Kim06]; [Tah13] algorithm 2.
    gain_down
        Factor of the decrease: max_p falls by this share of itself if the average is at `min_th`. Allowed: a number,
        0 to 1000000. Default ``0.17``: [Kim06]; [Tah13] algorithm 2.
    aim
        Whether the distance is that to the nearer end of the target range or to its middle. Allowed: one of "edge",
        "middle". Default ``"edge"``: [Tah13]'s patch of ns-2; [Kim06] writes one target.
    """

    gain_up: float | None = None
    gain_down: float | None = None
    aim: Literal["edge", "middle"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class HbfParameters(Queue):
    r"""Parameters of an algorithm with an HBF cache over RED.

    Attributes
    ----------
    cache
        Flows that the cache holds. Allowed: a whole number, 1 to 1000000. Default ``20``: [Cha04] tables 2 and 12; 46
        in sections 3.3.4 and 5.2.6.
    sample
        m, the samples of a period; AFC takes as many mean packets' bytes. Allowed: a whole number, 1 to 1e9. Default
        ``3000``: [Cha04] section 3.3.5 and table 2.
    alpha
        Weight of past periods in a flow's part. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.5``:
        [Cha04] gives none; the only value at which the part does not jump when a period ends.
    p_r
        Probability with which a flow replaces the last of a full cache. Allowed: a fraction such as 0.05 or "5%", 0
        to 1. Default ``0.05``: [Cha04] section 3.2.4.
    eviction
        The last flow of the cache is replaced only if its part, past and present or past alone, is below the fair
        one. Allowed: one of "blended", "past". Default ``"blended"``: [Cha04] section 3.2.4, our reading.
    threshold
        Only above this queue are packets sampled and preferentially dropped; 0: whenever a packet waits. Automatic:
        `min_th`. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default
        ``"0p"``: [Cha04] section 5.3: nothing is dropped while the queue is empty; table 14 contradicts min_th.
    gate
        Whether the queue or its average is compared with `threshold`. Allowed: one of "queue", "average". Default
        ``"queue"``: [Cha04] section 3.2.1: the queue size.
    gated
        Whether preferential drops need a queue above `threshold` too. Allowed: one of "both", "sampling". Default
        ``"both"``: [Cha04] section 5.3: nothing is dropped unless the link is full.
    red_sees
        Whether RED's average sees arrivals that were dropped before RED. Allowed: one of "passing", "all". Default
        ``"passing"``: [Cha04] figure 15: RED comes second.
    """

    cache: int | None = None
    sample: int | None = None
    alpha: float | str | None = None
    p_r: float | str | None = None
    eviction: Literal["blended", "past"] | None = None
    threshold: str | None = None
    gate: Literal["queue", "average"] | None = None
    gated: Literal["both", "sampling"] | None = None
    red_sees: Literal["passing", "all"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ActiveFlowsParameters(Queue):
    r"""Parameters of all methods that find the number of active flows.

    Attributes
    ----------
    active_flows
        How the number of active flows is estimated; a fair part is one over it. Allowed: one of "match",
        "virtual_match", "direct_bitmap", "low_pass", "removals", "jackknife", "coverage_1", "coverage_2", "known".
        Default ``"match"``: [Cha04] section 3.2.5.
    active_flows_every
        Arrivals between two estimates, but of captures, which are estimated when all are made. Automatic: at the end
        of each period. Allowed: a whole number, 1 to 1e9, or "auto". Default ``"auto"``: [Cha04] section 5.2.7: once
        after each period.
    bitmap_bits
        b, the bits (or counters) of a bitmap. Allowed: a whole number, 1 to 10000000. Default ``1024``: [Cha04] uses
        100 for up to 450 flows in chapter 4, gives none in chapter 5; at least twice the flows.
    bitmap_at
        Whether a packet sets its bit when it comes or when it joins the queue. Allowed: one of "arrival", "enqueue".
        Default ``"arrival"``: [Cha04] section 4.2.1.
    bitmap_min_packets
        d: with `low_pass` more packets than these make an active flow. Allowed: a whole number, 0 to 1000000. Default
        ``10``: [Cha04] gives none; its short flows have 15 packets on average.
    captures
        t, the packets in a list of captures. Allowed: a whole number, 6 to 1000000. Default ``100``: [Cha04] section
        4.3.
    capture_probability
        p_cap, with which a packet is captured. Allowed: a fraction such as 0.05 or "5%", 0.000001 to 1. Default
        ``0.04``: [Cha04] section 3.3.1 (CARE).
    capture_weight
        Weight of a new estimate by captures. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.3``:
        [Cha04] section 4.3.1.
    virtual_buffer
        Packets that a virtual buffer remembers. Allowed: a whole number, 1 to 1000000. Default ``3000``: [Cha04]
        figure 37: a buffer of that size estimates well.
    no_match
        The result of a period without a match: nothing (`keep`), or as many flows as comparisons (`all`). Allowed:
        one of "keep", "all". Default ``"keep"``: [Cha04] does not say.
    match_over
        Over which packets matches are counted: those that were compared, or all for which one was sampled, also those
        dropped before. Allowed: one of "compared", "sampled". Default ``"sampled"``: [Cha04] eq. 3.7.
    """

    active_flows: (
        Literal[
            "match",
            "virtual_match",
            "direct_bitmap",
            "low_pass",
            "removals",
            "jackknife",
            "coverage_1",
            "coverage_2",
            "known",
        ]
        | None
    ) = None
    active_flows_every: int | Literal["auto"] | None = None
    bitmap_bits: int | None = None
    bitmap_at: Literal["arrival", "enqueue"] | None = None
    bitmap_min_packets: int | None = None
    captures: int | None = None
    capture_probability: float | str | None = None
    capture_weight: float | str | None = None
    virtual_buffer: int | None = None
    no_match: Literal["keep", "all"] | None = None
    match_over: Literal["compared", "sampled"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RedWorcesterParameters(Queue):
    r"""Parameters of RED-Worcester.

    Attributes
    ----------
    w_t
        Weight of a packet's wish in the moving target. Allowed: a fraction such as 0.05 or "5%", 0.000000001 to 1.
        Default ``0.02``: [Phi02] section 3.2.
    default_hint
        Queuing delay that a packet without a hint asks for. Automatic: that of a queue midway between the thresholds.
        Allowed: a time such as "20ms", 1us to 100s, or "auto". Default ``"auto"``: [Phi02] section 3.4.
    interval
        Time between two changes of max_p. Allowed: a time such as "20ms", 1us to 10000s. Default ``"0.5s"``: [Phi02]
        section 3.2; Floyd, Gummadi and Shenker 2001.
    alpha
        Greatest increment of max_p; a quarter of max_p bounds it too. Allowed: a fraction such as 0.05 or "5%", 0 to
        1. Default ``0.01``: Floyd, Gummadi and Shenker 2001; [Phi02] section 3.2 says about 0.1.
    beta
        Factor of a decrease of max_p. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.9``: [Phi02]
        section 3.2.
    bottom
        max_p decreases only while above it. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.01``:
        [Phi02] section 3.2.
    top
        max_p increases only while below it. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.5``:
        [Phi02] section 3.2.
    band
        Half width of the target band, as a fraction of the distance between the thresholds. Allowed: a fraction such
        as 0.05 or "5%", 0 to 1. Default ``0.1``: Floyd, Gummadi and Shenker 2001 (the middle fifth).
    """

    w_t: float | str | None = None
    default_hint: str | None = None
    interval: str | None = None
    alpha: float | str | None = None
    beta: float | str | None = None
    bottom: float | str | None = None
    top: float | str | None = None
    band: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class SharingParameters(Queue):
    r"""How flows share a buffer and a link.

    Attributes
    ----------
    limit
        A guard of memory: the most that may wait in all queues together. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"10240p"``: RFC 8290 section 5.2.3.
    flows
        Queues that flows are hashed to. Allowed: a whole number, 1 to 65536. Default ``1024``: RFC 8290 section
        5.2.5.
    quantum
        Bytes that a queue may send in its turn. Allowed: a number of bytes such as "1000B", 1B to 1e9B. Default
        ``"1514B"``: RFC 8290 section 5.2.4.
    drop_batch
        Greatest number of packets dropped at once when there is no room. Allowed: a whole number, 1 to 1000000.
        Default ``64``: RFC 8290 section 4.1; Linux sch_fq_codel drop_batch_size.
    """

    limit: str | None = None
    flows: int | None = None
    quantum: str | None = None
    drop_batch: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RoundRobinParameters(Queue):
    r"""Queues in a round, which flows are hashed to.

    Attributes
    ----------
    limit
        The most that may wait in all queues together. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or
        "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    queues
        Queues that flows are hashed to. Allowed: a whole number, 1 to 65536. Default ``1024``: as flow_queue;
        [Shr95]: more than flows.
    quantum
        Bytes by which a queue may send more at each turn. Allowed: a number of bytes such as "1000B", 1B to 1e9B.
        Default ``"1500B"``: [Shr95] section 4: at least the largest packet.
    drop_from
        Which packet of the longest queue is lost when there is no room. Allowed: one of "front", "back". Default
        ``"back"``: [Shr95] does not say; ns-2 2.35 drr.cc for front.
    """

    limit: str | None = None
    queues: int | None = None
    quantum: str | None = None
    drop_from: Literal["front", "back"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FramingParameters(Queue):
    r"""The bytes of a packet on the line beyond its own.

    Attributes
    ----------
    overhead
        Bytes that the line adds to each packet: headers of frames, preambles, trailers. Allowed: a number of bytes
        such as "1000B", 0B to 1000B. Default ``"0B"``: tc's stab: none.
    mpu
        Least bytes of a packet with its overhead. Allowed: a number of bytes such as "1000B", 0B to 10000B. Default
        ``"0B"``: tc's stab: none.
    cells
        Cells in which the line carries frames. Allowed: one of "none", "atm", "ptm". Default ``"none"``: tc's stab:
        linklayer ethernet.
    """

    overhead: str | None = None
    mpu: str | None = None
    cells: Literal["none", "atm", "ptm"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Fifo(Queue):
    r"""FIFO (drop tail).

    A queue that sends packets in the order of their arrival, without active management. A packet is lost only when
    the buffer is full; `overflow` chooses the packet.

    Reference: RFC 7567 section 2.

    Attributes
    ----------
    preset
        Group of settings. "ns2": ns-2 2.35's DropTail: 50 packets; a packet is refused if the number waiting + 1
        reaches the limit.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: a common default; RFC 7567 section 2.3 asks for room
        for the largest normal burst.
    overflow
        Which packet is lost when the buffer is full: the arriving one (`drop_tail`), the oldest (`drop_front`) or the
        newest waiting (`push_out`). Allowed: one of "drop_tail", "drop_front", "push_out". Default ``"drop_tail"``:
        the universal practice.
    full_at
        Whether a buffer of n packets is full when n wait (`limit`) or when n - 1 wait (`ns2`). Allowed: one of
        "limit", "ns2". Default ``"limit"``: plain meaning; ns-2 2.35 drop-tail.cc for `ns2`.
    """

    kind: ClassVar[str] = "fifo"

    preset: Literal["ns2"] | None = None
    limit: str | None = None
    overflow: Literal["drop_tail", "drop_front", "push_out"] | None = None
    full_at: Literal["limit", "ns2"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class CappedTail(Queue):
    r"""Drop tail with a cap for each flow.

    A first-in first-out queue with a cap for each flow. An arrival is refused when the buffer is full, or when its
    flow holds its fair part of it.

    Reference: Chatranon 2004, section 3.2.

    Attributes
    ----------
    preset
        Group of settings. "paper": Chatranon 2004, section 3.2: the buffer is shared among all flows of the scenario,
        which the queue knows.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    part_of
        Whether a flow's part is a part of the whole buffer or of the backlog. Allowed: one of "buffer", "backlog".
        Default ``"buffer"``: [Cha04] section 3.2: buffer space.
    flows
        Among which flows: all that the scenario sends over the queue, or those of which something waits. Allowed: one
        of "known", "waiting". Default ``"waiting"``: ours: a share for silent flows leaves the link idle; [Cha04]
        section 3.2 for known.
    """

    kind: ClassVar[str] = "capped_tail"

    preset: Literal["paper"] | None = None
    limit: str | None = None
    part_of: Literal["buffer", "backlog"] | None = None
    flows: Literal["known", "waiting"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Red(RedParameters):
    r"""RED (random early detection).

    Active queue management by the average queue. Arrivals are dropped or marked at random, with a probability that
    rises with the average queue between two thresholds, so that senders slow down before the buffer is full.

    Reference: Floyd and Jacobson 1993, Floyd 2000 (gentle).

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Floyd and Jacobson 1993: strict, thresholds 5 and 15 packets, w_q 0.002, max_p
        0.02, uniform spacing. "ns2": ns-2 2.35's defaults: in bytes, with a mean packet of 500; gentle, spacing with
        wait, the first packet and short queues spared, marks only while p_b < 0.1. A script with `queue_in_bytes_
        false` has `mode = "packets"`. "linux": Linux 6.12 sch_red as tc of iproute2 7.1 sets it without `harddrop`,
        in its numbers: in bytes, not gentle, probability 0.02, thresholds and weight from the limit and a burst,
        ECN-capable packets marked at every probability once `ecn = true`. `mean_packet` is `avpkt`. "dctcp": RFC 8257
        section 3.1, Alizadeh et al. 2010 section 3.1: every ECN-capable packet that finds K packets or more waiting
        is marked, whatever the average was. K is `min_th` = `max_th`: 65 packets for 10 Gbit/s, 20 for 1 Gbit/s; a
        switch port with 700 kB.
    arithmetic
        In which numbers it is computed. With those of the kernel the law has the form of Linux, too, which counts in
        bytes: of the other parameters `limit`, `min_th`, `max_th`, `max_p`, `w_q` (a power of 1/2), `ecn` and
        `mark_max_p` count. Allowed: one of "real", "kernel". Default ``"real"``: [Flo93].
    """

    kind: ClassVar[str] = "red"

    preset: Literal["paper", "ns2", "linux", "dctcp"] | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Wred(RedParameters):
    r"""WRED (weighted RED).

    RED with separate thresholds and max_p for each precedence, which the first bits of a packet's DSCP give. All use
    one average of the whole queue, and packets of low precedence are dropped first.

    Reference: Cisco IOS; Tahiliani 2013 table 1.3.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "ios": Cisco IOS, as `show queueing random-detect` prints its defaults: a lower threshold
        for each of eight precedences between half of the upper one, 40 packets, and all of it; max_p 1/10, weight
        2^-9. Cisco does not state how drops are spaced. "tahiliani2013_ds3": Tahiliani 2013 table 1.3: a Cisco 12000
        on a DS3 (3666 packets of 1500 bytes per second); the same for all precedences. "tahiliani2013_oc3": As
        `tahiliani2013_ds3`, on an OC3 (12917 packets per second). "tahiliani2013_oc12": As `tahiliani2013_ds3`, on an
        OC12 (51666 packets per second).
    class_by
        The field that gives a packet's class: the first three bits of its DSCP (`precedence`), all six, or its flow's
        place in `precedence`. Allowed: one of "precedence", "dscp", "flow". Default ``"precedence"``: Cisco IOS
        random-detect: by precedence unless dscp-based.
    precedence
        With `class_by` = flow, class of each flow by its number, from 0 to 63, the last for all further flows;
        without one all have 0. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 63. Default ``"[]"``: the
        scenario's.
    class_min_th_packets
        Average in (mean) packets below which nothing of a precedence is dropped, by precedence, the last for all
        above it. Without one it is `min_th` for all. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 1e12.
        Default ``"[]"``: the vendor's operator says; see the presets.
    class_max_th_packets
        Average in (mean) packets at which the probability of a precedence reaches its max_p. Without one it is
        `max_th` for all. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 1e12. Default ``"[]"``: the
        vendor's operator says; see the presets.
    class_max_p
        max_p of each precedence, as a fraction. Without one it is `max_p` for all. Allowed: a list of numbers such as
        [0, 0.5, 2], each 0 to 1. Default ``"[]"``: the vendor's operator says; see the presets.
    """

    kind: ClassVar[str] = "wred"

    preset: Literal["ios", "tahiliani2013_ds3", "tahiliani2013_oc3", "tahiliani2013_oc12"] | None = None
    class_by: Literal["precedence", "dscp", "flow"] | None = None
    precedence: Sequence[float] | None = None
    class_min_th_packets: Sequence[float] | None = None
    class_max_th_packets: Sequence[float] | None = None
    class_max_p: Sequence[float] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Ared(AdaptationParameters, RedParameters):
    r"""Adaptive RED (Floyd).

    RED that adapts max_p, its probability at the upper threshold. Every half second max_p rises if the average queue
    is above a target range midway between the thresholds, and falls if it is below.

    Reference: Floyd, Gummadi and Shenker 2001.

    It has the attributes of :class:`RedParameters` and :class:`AdaptationParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Floyd, Gummadi and Shenker 2001: gentle, a timer of 0.5 s, max_p between 0.01 and
        0.5. "ns2": ns-2 2.35: RED's laws of ns-2, max_p adapted at arrivals, the gentle slope frozen at the initial
        max_p.
    alpha
        Greatest increment of max_p; a quarter of max_p bounds it too. Allowed: a fraction such as 0.05 or "5%", 0 to
        1. Default ``0.01``: [Flo01].
    beta
        Factor of a decrease of max_p. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.9``: [Flo01].
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: ns-2 2.35 linterm_ 10; the adaptation leaves it soon.
    """

    kind: ClassVar[str] = "ared"

    preset: Literal["paper", "ns2"] | None = None
    alpha: float | str | None = None
    beta: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class AredFeng(RedParameters):
    r"""Self-configuring RED (Feng).

    RED that adapts max_p, its probability at the upper threshold. When the average queue enters the region below the
    thresholds max_p is divided, and when it enters the region above them max_p is multiplied.

    Reference: Feng, Kandlur, Saha and Shin 1999.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Feng et al. 1999: max_p divided by 3 below, doubled above; RED of 1993. "ns2":
        ns-2 2.35: RED's laws of ns-2, no bound on max_p, the gentle slope frozen at the initial max_p.
    alpha
        max_p is divided by it on entering the region below `min_th`. Allowed: a number, 1 to 1000000. Default ``3``:
        [Fen99].
    beta
        max_p is multiplied by it on entering the region above `max_th`. Allowed: a number, 1 to 1000000. Default
        ``2``: [Fen99].
    top
        max_p never exceeds it. Allowed: a number, 0 to 1e300. Default ``1``: a probability is at most 1; ns-2 2.35
        has no bound.
    gentle_slope
        Whether the gentle part starts at the current or at the initial max_p. Allowed: one of "current", "initial".
        Default ``"current"``: the plain meaning; ns-2 2.35 red.cc for initial.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: ns-2 2.35 linterm_ 10; the first arrival enters the region below, so that it
        starts at a third.
    """

    kind: ClassVar[str] = "ared_feng"

    preset: Literal["paper", "ns2"] | None = None
    alpha: float | None = None
    beta: float | None = None
    top: float | None = None
    gentle_slope: Literal["current", "initial"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Psand(RedParameters):
    r"""PSAND.

    RED that adapts max_p, its probability at the upper threshold, to a target queue. Every half second it multiplies
    max_p by a power of the change of the average queue and of its distance from the target.

    Reference: Alemu 2004.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Alemu 2004's PSAND2, coef 1.75 and gamma 1.5, over ns-2's RED. "psand1": Alemu
        2004's PSAND1, coef 1 and gamma 1, over ns-2's RED. "psand3_few": Alemu 2004's PSAND3 for 3 flows, coef 1 and
        gamma 0.25. "psand3_many": Alemu 2004's PSAND3 for 28 flows, coef 2 and gamma 0.25. "max_down": Alemu 2004
        table 3.2 row 1: max_th falls as the average rises. "max_up": Alemu 2004 table 3.2 row 2: max_th rises with
        the average. "narrow": Alemu 2004 table 3.2 row 3: the thresholds approach each other as the average rises.
        "widen": Alemu 2004 table 3.2 row 4: the thresholds part as the average rises. "up": Alemu 2004 table 3.2 row
        5: both thresholds rise with the average. "down": Alemu 2004 table 3.2 row 6: both thresholds fall as the
        average rises. "pseudo_drop_tail": Alemu 2004 table 3.2 row 7: everything is dropped from the target on,
        nothing below. "sandwich": Alemu 2004 table 3.2 row 8: as narrow, with max_p such that the slope stays,
        initially 1. "printed": Alemu 2004 algorithms 1 and 16 as printed: without count, idle time and ns-2's care
        for short queues, so that even an empty queue drops and the link idles.
    target
        Target of the average queue. Automatic: max(10 packets, the packets that the link sends in `target_delay`), at
        most half the limit. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or
        "auto". Default ``"auto"``: Floyd, Gummadi and Shenker 2001: the middle of the automatic thresholds; [Ale04]
        uses 10 packets.
    interval
        Time between two changes of max_p. Allowed: a time such as "20ms", 1us to 10000s. Default ``"0.5s"``: [Ale04]
        algorithm 16.
    coef
        Factor of max_p at target and at rest: above 1 the average settles below the target. Allowed: a number, 0 to
        1000000. Default ``1.75``: [Ale04] table 2.1.
    gamma
        Power of the product of change and distance. Allowed: a number, 0 to 100. Default ``1.5``: [Ale04] table 2.1.
    bottom
        max_p never falls below it. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.01``: [Ale04]
        algorithm 16.
    top
        max_p never exceeds it. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.75``: [Ale04] sections
        2.4.5 and 3.2: between 0.5 and 1.
    thresholds
        Whether the thresholds are fixed, or move with the average: which of the two, and which way as the average
        rises. Allowed: one of "fixed", "max_down", "max_up", "narrow", "widen", "up", "down", "pseudo_drop_tail",
        "sandwich". Default ``"fixed"``: [Ale04] section 3.3: better than all that move.
    threshold_memory
        Part of a step of the thresholds that is not made; 1 keeps them fixed. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0``: [Ale04] section 3.3 (alpha).
    gentle_slope
        Whether the gentle part starts at the current or at the initial max_p. Allowed: one of "current", "initial".
        Default ``"current"``: [Ale04] eq. 1.3; ns-2 2.35 red.cc for initial.
    min_th
        Average below which nothing is dropped. Automatic: max(0, 2 `target` - `limit`). Allowed: an amount of queue
        such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Ale04] section 3.2:
        symmetric about the target, as wide as the buffer allows.
    max_th
        Average at which the probability reaches `max_p`. Automatic: min(2 `target`, `limit`). Allowed: an amount of
        queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Ale04] section 3.2:
        symmetric about the target, as wide as the buffer allows.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: [Ale04] table 2.1.
    spare_short
        Never drop early while at most one packet (byte) waits. Allowed: true or false. Default ``True``: ns-2 2.35
        red.cc, with which [Ale04] simulated: with min_th at 0 even an empty queue would drop.
    """

    kind: ClassVar[str] = "psand"

    preset: (
        Literal[
            "paper",
            "psand1",
            "psand3_few",
            "psand3_many",
            "max_down",
            "max_up",
            "narrow",
            "widen",
            "up",
            "down",
            "pseudo_drop_tail",
            "sandwich",
            "printed",
        ]
        | None
    ) = None
    target: str | None = None
    interval: str | None = None
    coef: float | None = None
    gamma: float | None = None
    bottom: float | str | None = None
    top: float | str | None = None
    thresholds: (
        Literal["fixed", "max_down", "max_up", "narrow", "widen", "up", "down", "pseudo_drop_tail", "sandwich"] | None
    ) = None
    threshold_memory: float | str | None = None
    gentle_slope: Literal["current", "initial"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Dsred(Queue):
    r"""DSRED (double slope RED).

    RED with another curve of the drop probability (double slope). Between the thresholds the probability rises to 1
    in two straight pieces, of which the first is the flatter one with the defaults.

    Reference: Zheng and Atiquzzaman 2000.

    Attributes
    ----------
    preset
        Group of settings. "alemu2004": Alemu 2004 algorithm 5 as printed: independent drops, no decay while idle. It
        gives no values. "straight": Both slopes the same: a straight line from 0 at the lower to 1 at the upper
        threshold.
    limit
        The most that may wait, without the packet in transmission. In byte mode a limit in packets counts mean
        packets. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"50p"``:
        as red.
    k_l
        Average below which nothing is dropped (K_l). Automatic: max(5 packets, half of the packets that the link
        sends in 5 ms), at most a third of the limit. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or
        "20ms", 0 to 1e12, or "auto". Default ``"auto"``: as min_th of red; [Ale04] gives no values.
    k_h
        Average from which on everything is dropped (K_h). Automatic: 3 times `k_l`, at most the limit. Allowed: an
        amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: as max_th
        of red; [Ale04] gives no values.
    gamma
        Mode selector: the probability in the middle is 1 - gamma. Above 0.5 the upper piece is the steeper. Allowed:
        a fraction such as 0.05 or "5%", 0 to 1. Default ``0.96``: of [Zhe00] by hearsay; [Ale04] gives no values.
    w_q
        Weight of an arrival in the average; automatic by `w_q_auto`. Allowed: a fraction such as 0.05 or "5%",
        0.000000001 to 1, or "auto". Default ``"auto"``: Floyd, Gummadi and Shenker 2001.
    w_q_auto
        The rule for an automatic `w_q`: 1 - exp(-1/C) (`one_second`) or 1 - exp(-1/(10 C RTT)) (`ten_rtts`), C in
        packets per second. Allowed: one of "one_second", "ten_rtts", "tc". Default ``"one_second"``: as red.
    mode
        Whether the queue, its thresholds and the count are in packets or in bytes. Allowed: one of "packets",
        "bytes". Default ``"packets"``: as red.
    count
        How early drops are spaced. Allowed: one of "off", "on", "wait", "linux", "dsred". Default ``"off"``: [Ale04]
        algorithm 5.
    idle_decay
        How the average decays while the link is idle. `ns2_short` counts a packet less if the link is idle for a
        whole number of packet times. Allowed: one of "off", "ns2", "ns2_short", "paper". Default ``"ns2"``: as red.
    ecn
        Mark ECN-capable packets instead of dropping them early. Allowed: true or false. Default ``False``: as red.
    mark_max_p
        Mark only while the probability is below this, and drop above; more than 1 always marks. Allowed: a fraction
        such as 0.05 or "5%", 0 to 2. Default ``1``: as red.
    """

    kind: ClassVar[str] = "dsred"

    preset: Literal["alemu2004", "straight"] | None = None
    limit: str | None = None
    k_l: str | None = None
    k_h: str | None = None
    gamma: float | str | None = None
    w_q: float | str | None = None
    w_q_auto: Literal["one_second", "ten_rtts", "tc"] | None = None
    mode: Literal["packets", "bytes"] | None = None
    count: Literal["off", "on", "wait", "linux", "dsred"] | None = None
    idle_decay: Literal["off", "ns2", "ns2_short", "paper"] | None = None
    ecn: bool | None = None
    mark_max_p: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ReAred(ReAredParameters, AdaptationParameters, RedParameters):
    r"""Refined Adaptive RED (Re-ARED).

    Adaptive RED with a narrow target range. Max_p changes in proportion to the distance of the average queue from
    that range: a lot if the queue is far from it, a little if it is near.

    Reference: Kim and Lee 2006.

    It has the attributes of :class:`RedParameters` and :class:`AdaptationParameters` and :class:`ReAredParameters`,
    too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Kim and Lee 2006 as in Tahiliani 2013, algorithm 2, over gentle RED. "strict": As
        `paper`, over RED of 1993, which drops everything above max_th (Tahiliani 2013, eq. 2.1.2). "ns2": The same
        law in the place of ns-2 2.35's adaptation, over ns-2's RED.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: ns-2 2.35 linterm_ 10; the adaptation leaves it soon.
    target_low
        Lower end of the range in which the average shall be, as a fraction of the way from `min_th` to `max_th`.
        Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.48``: [Tah13] table 3.2.
    target_high
        Upper end of the range in which the average shall be; not below `target_low`. Allowed: a fraction such as 0.05
        or "5%", 0 to 1. Default ``0.52``: [Tah13] table 3.2.
    bottom
        max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s. Allowed: a fraction such as
        0.05 or "5%", 0 to 1, or "auto". Default ``0.01``: [Tah13] table 3.2; auto is ns-2 2.35 red.cc.
    bounds
        Whether max_p moves strictly between `bottom` and `top` or at equality, too, and whether a step may pass them.
        Allowed: one of "strict", "inclusive", "clamped". Default ``"inclusive"``: [Tah13] algorithm 2; ns-2 2.35
        red.cc for strict.
    """

    kind: ClassVar[str] = "re_ared"

    preset: Literal["paper", "strict", "ns2"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Fared(ReAredParameters, AdaptationParameters, RedParameters):
    r"""Fast Adapting RED (FARED).

    Re-ARED with smaller changes of max_p. No single step shall carry the average queue across the target range.

    Reference: Tahiliani 2013.

    It has the attributes of :class:`RedParameters` and :class:`AdaptationParameters` and :class:`ReAredParameters`,
    too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Tahiliani 2013, algorithm 3, over gentle RED. "strict": As `paper`, over RED of
        1993, which drops everything above max_th (Tahiliani 2013, eq. 2.1.2). "ns2": The same law in the place of
        ns-2 2.35's adaptation, over ns-2's RED.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: ns-2 2.35 linterm_ 10; the adaptation leaves it soon.
    target_low
        Lower end of the range in which the average shall be, as a fraction of the way from `min_th` to `max_th`.
        Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.48``: [Tah13] table 3.2.
    target_high
        Upper end of the range in which the average shall be; not below `target_low`. Allowed: a fraction such as 0.05
        or "5%", 0 to 1. Default ``0.52``: [Tah13] table 3.2.
    bottom
        max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s. Allowed: a fraction such as
        0.05 or "5%", 0 to 1, or "auto". Default ``0.01``: [Tah13] table 3.2; auto is ns-2 2.35 red.cc.
    bounds
        Whether max_p moves strictly between `bottom` and `top` or at equality, too, and whether a step may pass them.
        Allowed: one of "strict", "inclusive", "clamped". Default ``"inclusive"``: [Tah13] algorithm 3; ns-2 2.35
        red.cc for strict.
    gain_up
        Factor of the increase: max_p rises by this share of itself if the average is twice the target. Allowed: a
        number, 0 to 1000000. Default ``0.042``: [Tah13] algorithm 3.
    gain_down
        Factor of the decrease: max_p falls by this share of itself if the average is at `min_th`. Allowed: a number,
        0 to 1000000. Default ``0.0385``: [Tah13] algorithm 3.
    aim
        Whether the distance is that to the nearer end of the target range or to its middle. Allowed: one of "edge",
        "middle". Default ``"edge"``: [Tah13]'s patch of ns-2 for Re-ARED; the thesis writes one target.
    """

    kind: ClassVar[str] = "fared"

    preset: Literal["paper", "strict", "ns2"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cared(AdaptationParameters, RedParameters):
    r"""Cautious Adaptive RED (CARED).

    Adaptive RED with two paces. While the average queue moves away from its target max_p changes as in Re-ARED, in
    proportion to the distance; while it comes back max_p changes in the small steps of Adaptive RED.

    Reference: Tahiliani, Shet and Basavaraju 2012.

    It has the attributes of :class:`RedParameters` and :class:`AdaptationParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Tahiliani 2013, algorithm 4, over gentle RED. "strict": As `paper`, over RED of
        1993, which drops everything above max_th (Tahiliani 2013, eq. 2.1.2). "ns2": The same law in the place of
        ns-2 2.35's adaptation, over ns-2's RED.
    alpha
        Greatest increment of the conservative increase; a quarter of max_p bounds it too. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``0.01``: [Tah13] table 3.7.
    beta
        Factor of the conservative decrease. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.9``:
        [Tah13] table 3.7.
    gain_up
        Factor of the aggressive increase: max_p rises by this share of itself if the average is twice the target.
        Allowed: a number, 0 to 1000000. Default ``0.25``: [Tah13] algorithm 4.
    gain_down
        Factor of the aggressive decrease: max_p falls by this share of itself if the average is at `min_th`. Allowed:
        a number, 0 to 1000000. Default ``0.17``: [Tah13] algorithm 4.
    aim
        Whether aggressive steps go by the distance to the nearer end of the target range or to its middle. Allowed:
        one of "edge", "middle". Default ``"edge"``: [Tah13] algorithm 4.
    load
        Against which average it is seen whether the load rises: before the last arrival, or at the last look at
        max_p. Allowed: one of "arrival", "look". Default ``"arrival"``: [Tah13] section 3.5 and eq. 2.1.1.
    beta_kept
        Whether an aggressive decrease leaves its factor to later conservative ones. Allowed: true or false. Default
        ``False``: [Tah13] table 3.7; true is algorithm 4 to the letter.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: ns-2 2.35 linterm_ 10; the adaptation leaves it soon.
    bottom
        max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s. Allowed: a fraction such as
        0.05 or "5%", 0 to 1, or "auto". Default ``0.01``: [Tah13] table 3.7; auto is ns-2 2.35 red.cc.
    bounds
        Whether max_p moves strictly between `bottom` and `top` or at equality, too, and whether a step may pass them.
        Allowed: one of "strict", "inclusive", "clamped". Default ``"inclusive"``: [Tah13] algorithm 4; ns-2 2.35
        red.cc for strict.
    """

    kind: ClassVar[str] = "cared"

    preset: Literal["paper", "strict", "ns2"] | None = None
    alpha: float | str | None = None
    beta: float | str | None = None
    gain_up: float | None = None
    gain_down: float | None = None
    aim: Literal["edge", "middle"] | None = None
    load: Literal["arrival", "look"] | None = None
    beta_kept: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class AredMimd(AdaptationParameters, RedParameters):
    r"""Adaptive RED with MIMD.

    Adaptive RED whose changes of max_p are factors both ways. Max_p is multiplied by one factor while the average
    queue is above the target range midway between the thresholds, and by another while it is below.

    Reference: Marquez et al. 2007.

    It has the attributes of :class:`RedParameters` and :class:`AdaptationParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Over gentle RED with ARED's timer and limits; the factors are ours. "ns2": In the
        place of ns-2 2.35's adaptation, over ns-2's RED.
    alpha
        Factor of an increase of max_p. Automatic: the inverse of `beta`. Allowed: a number, 1 to 1000000, or "auto".
        Default ``"auto"``: ours: [Tah13] gives none.
    beta
        Factor of a decrease of max_p. Allowed: a fraction such as 0.05 or "5%", 0.000001 to 1. Default ``0.9``: as
        ared; [Tah13] gives none.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: ns-2 2.35 linterm_ 10; the adaptation leaves it soon.
    bottom
        max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s. Allowed: a fraction such as
        0.05 or "5%", 0 to 1, or "auto". Default ``0.01``: Floyd, Gummadi and Shenker 2001; auto is ns-2 2.35 red.cc.
    bounds
        Whether max_p moves strictly between `bottom` and `top` or at equality, too, and whether a step may pass them.
        Allowed: one of "strict", "inclusive", "clamped". Default ``"inclusive"``: Floyd, Gummadi and Shenker 2001
        fig. 1; ns-2 2.35 red.cc for strict.
    """

    kind: ClassVar[str] = "ared_mimd"

    preset: Literal["paper", "ns2"] | None = None
    alpha: float | Literal["auto"] | None = None
    beta: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class WqMaxP(AdaptationParameters, RedParameters):
    r"""RED that adapts w_q and max_p.

    Adaptive RED that adapts the weight of its average, too. While the queue is far from its average, the average
    follows it with a greater weight, so that a change is seen sooner.

    Reference: Verma, Iyer and Karandikar 2002.

    It has the attributes of :class:`RedParameters` and :class:`AdaptationParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Over gentle RED with ARED's timer and limits; the choices about the weights are
        ours.
    alpha
        Greatest increment of max_p; a quarter of max_p bounds it too. Allowed: a fraction such as 0.05 or "5%", 0 to
        1. Default ``0.01``: Floyd, Gummadi and Shenker 2001.
    beta
        Factor of a decrease of max_p. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.9``: Floyd,
        Gummadi and Shenker 2001.
    faster
        The great weight is this times `w_q`, at most 1. Allowed: a number, 1 to 1e9. Default ``10``: ours: [Tah13]
        gives none.
    significant
        Distance of the queue from its average from which on the great weight holds, as a part of that between the
        thresholds. Allowed: a fraction such as 0.05 or "5%", 0 to 1000000. Default ``0.5``: ours: [Tah13] gives none.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: ns-2 2.35 linterm_ 10; the adaptation leaves it soon.
    bottom
        max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s. Allowed: a fraction such as
        0.05 or "5%", 0 to 1, or "auto". Default ``0.01``: Floyd, Gummadi and Shenker 2001; auto is ns-2 2.35 red.cc.
    bounds
        Whether max_p moves strictly between `bottom` and `top` or at equality, too, and whether a step may pass them.
        Allowed: one of "strict", "inclusive", "clamped". Default ``"inclusive"``: Floyd, Gummadi and Shenker 2001
        fig. 1; ns-2 2.35 red.cc for strict.
    """

    kind: ClassVar[str] = "wq_max_p"

    preset: Literal["paper"] | None = None
    alpha: float | str | None = None
    beta: float | str | None = None
    faster: float | None = None
    significant: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class SelfTuningRed(RedParameters):
    r"""Self-Tuning RED.

    RED that computes max_p from a model of TCP. At the end of each period it takes the mean of the average queue, and
    sets max_p so that by the model the queue comes to a target.

    Reference: Chen, Hu and Ji 2011.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    target
        Target of the average. Automatic: midway between the thresholds. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: as ared; [Che11]'s was not available.
    interval
        Time between two changes of max_p (delta t). Allowed: a time such as "20ms", 1us to 10000s. Default
        ``"0.5s"``: as ared; [Che11]'s was not available.
    bottom
        Least max_p. Allowed: a fraction such as 0.05 or "5%", 0.000000000001 to 1. Default ``0.001``: ours: else it
        could stay 0.
    top
        Greatest max_p. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``1``: a probability.
    w_q
        Weight of an arrival in the average; automatic by `w_q_auto`. Allowed: a fraction such as 0.05 or "5%",
        0.000000001 to 1, or "auto". Default ``"auto"``: derived as [Che11] says: the average is stable at the target.
    """

    kind: ClassVar[str] = "self_tuning_red"

    target: str | None = None
    interval: str | None = None
    bottom: float | str | None = None
    top: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Nlred(RedParameters):
    r"""Nonlinear RED (NLRED).

    RED with a curved drop probability. Between the thresholds the probability rises with the square of the average
    queue's height: gentler than RED's line at light load, as strict at heavy load.

    Reference: Zhou, Yeung and Li 2006.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Zhou, Yeung and Li 2006: everything is dropped above max_th, where the curve
        reaches 1.5 max_p. "tahiliani2013": Tahiliani 2013 eq. 2.1.10: as `paper`, and the curve reaches max_p. "ns2":
        The quadratic in the place of the line in ns-2 2.35's RED, as ns-3 has it in its port of that.
    factor
        The curve reaches this times `max_p` at `max_th`. Allowed: a number, 0 to 1000000. Default ``1.5``: [Zho06]; 1
        in [Tah13] eq. 2.1.10.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: as red; the curve reaches `factor` times it.
    """

    kind: ClassVar[str] = "nlred"

    preset: Literal["paper", "tahiliani2013", "ns2"] | None = None
    factor: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Mred(RedParameters):
    r"""Modified RED (MRED).

    RED that is slower to drop everything. Above the upper threshold it drops all arrivals only if the queue itself is
    above it, too, and not only its average.

    Reference: Feng, Agarwal, Jayaraman and Siew 2004.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Over RED of 1993 with its recommended values.
    above
        Above `max_th`: drop everything, or let the probability rise to 1 at twice `max_th`. Allowed: one of "strict",
        "gentle". Default ``"strict"``: [Flo93]; [Fen04] changes that RED.
    """

    kind: ClassVar[str] = "mred"

    preset: Literal["paper"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Ered(RedParameters):
    r"""Effective RED (ERED).

    RED that uses the queue itself besides its average. It drops early only if both are long, with higher thresholds
    than RED's, and with max_p if a burst has filled the queue before the average could follow.

    Reference: Abbasov and Korukoglu 2009.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": The thresholds of RED of 1993, from which the shifted ones follow.
    burst
        A queue above this times `max_th` under a short average meets max_p. Allowed: a number, 0 to 1000000. Default
        ``1.75``: [Abb09] as the port to ns-3 has it.
    min_th
        Average below which nothing is dropped. Automatic: as in RED, at most a sixth of the limit. Allowed: an amount
        of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: Floyd, Gummadi
        and Shenker 2001; the bound by the limit is ours.
    above
        Above `max_th`: drop everything, or let the probability rise to 1 at twice `max_th`. Allowed: one of "strict",
        "gentle". Default ``"strict"``: [Abb09] as told: all is dropped from twice `max_th` on.
    """

    kind: ClassVar[str] = "ered"

    preset: Literal["paper"] | None = None
    burst: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ERed(Queue):
    r"""Exponential RED (E-RED).

    Active queue management by a virtual queue, which gets the same packets and whose link is slightly slower than the
    real one. The drop probability is exponential in the length of the virtual queue.

    Reference: Liu, Başar and Srikant 2005.

    Attributes
    ----------
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    gamma
        Rate of the virtual link as a part of the real one's. Allowed: a fraction such as 0.05 or "5%", 0.001 to 1.
        Default ``0.98``: ours, as avq: [Liu05] says slightly below 1.
    min_th
        Virtual queue below which nothing is dropped. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or
        "20ms", 0 to 1e12. Default ``"5p"``: ours: as red on slow links.
    max_th
        Virtual queue from which on everything is dropped; above `min_th`. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"50p"``: ours: half of the limit.
    p_min
        Probability at `min_th`. Allowed: a fraction such as 0.05 or "5%", 0.000000000001 to 1. Default ``0.001``:
        ours: [Liu05]'s was not available.
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability below 1. Allowed: true or false. Default
        ``False``: RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "e_red"

    limit: str | None = None
    gamma: float | str | None = None
    min_th: str | None = None
    max_th: str | None = None
    p_min: float | str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Sred(Queue):
    r"""SRED (stabilized RED).

    Active queue management by the queue and by the number of flows. That number is estimated without a state for each
    flow: each arrival is compared with a random one of recently seen flows, and the more flows there are, the rarer
    are hits.

    Reference: Ott, Lakshman and Wong 1999.

    Attributes
    ----------
    preset
        Group of settings. "simple": Ott, Lakshman and Wong 1999, simple SRED: all flows have the same probability.
        "full": Ott, Lakshman and Wong 1999, full SRED: an arrival that hits is dropped more.
    limit
        The most that may wait, without the packet in transmission; the probability has steps at a sixth and a third
        of it. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as
        fifo.
    max_p
        Greatest base probability. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.15``: [Ott99].
    zombies
        Number of recently seen flows in the list (M), which are called zombies. Allowed: a whole number, 1 to
        1000000. Default ``1000``: [Ott99].
    replace
        Probability that an arrival which misses takes the place of the zombie that it was compared with. Allowed: a
        fraction such as 0.05 or "5%", 0 to 1. Default ``0.25``: [Ott99].
    alpha
        Weight of an arrival in the frequency of hits. Automatic: replace / zombies. Allowed: a fraction such as 0.05
        or "5%", 0.000000000001 to 1, or "auto". Default ``"auto"``: [Ott99]: p / M.
    flows_full
        Number of flows from which on the probability no longer rises with it. Allowed: a number, 1 to 1e9. Default
        ``256``: [Ott99].
    hits
        Whether a hit makes a drop more likely. Allowed: one of "simple", "full". Default ``"full"``: [Ott99].
    overwrite
        When a zombie may be overwritten. Allowed: one of "miss", "always". Default ``"miss"``: [Ott99]; Alemu 2004
        can be read as always.
    ecn
        Mark ECN-capable packets instead of dropping them. Allowed: true or false. Default ``False``: RFC 3168:
        senders have to agree.
    """

    kind: ClassVar[str] = "sred"

    preset: Literal["simple", "full"] | None = None
    limit: str | None = None
    max_p: float | str | None = None
    zombies: int | None = None
    replace: float | str | None = None
    alpha: float | str | None = None
    flows_full: float | None = None
    hits: Literal["simple", "full"] | None = None
    overwrite: Literal["miss", "always"] | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Fred(RedParameters):
    r"""FRED (flow RED).

    RED with an account of each flow that waits. Flows with few packets are spared, and flows that ignore drops are
    held to the average flow's share.

    Reference: Lin and Morris 1997.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Lin and Morris 1997: thresholds at a quarter and a half of the buffer, here of 64
        packets, w_q 0.002, max_p 0.02. "many_flows": As `paper`, with two packets of each flow above max_th, for more
        flows than packets in the buffer. "alemu2004": Alemu 2004 section 1.3.1: random drops from above min_q
        whatever the share, which may be below one packet.
    min_q
        A flow with less waiting is never dropped at random. Allowed: an amount of queue such as "50p", "64KiB",
        "2BDP" or "20ms", 0 to 1e12. Default ``"2p"``: [Lin97]: 2 for small buffers, 4 for large ones.
    max_q
        A flow never has more waiting. Automatic: `min_th`. Allowed: an amount of queue such as "50p", "64KiB", "2BDP"
        or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Lin97].
    share_min
        Least value of the average flow's share. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms",
        0 to 1e12. Default ``"1p"``: [Lin97]; 0 in Alemu 2004.
    robust
        Which flows are dropped at random: those with at least `min_q` and the average share, or those with more than
        `min_q`. Allowed: one of "share", "min_q". Default ``"share"``: [Lin97]; Alemu 2004 for min_q.
    many_flows
        The rule above `max_th`: twice the average share and then nothing more of any flow (`off`), two packets of
        each flow (`on`), or both. Allowed: one of "off", "on", "both". Default ``"off"``: [Lin97]; J-Sim for both.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.02``: [Lin97].
    """

    kind: ClassVar[str] = "fred"

    preset: Literal["paper", "many_flows", "alemu2004"] | None = None
    min_q: str | None = None
    max_q: str | None = None
    share_min: str | None = None
    robust: Literal["share", "min_q"] | None = None
    many_flows: Literal["off", "on", "both"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bred(Queue):
    r"""BRED (balanced RED).

    Early drops by the backlog of the packet's flow (balanced RED). The drop probability rises at each of three
    levels, which follow from the buffer and the number of flows that wait.

    Reference: Anjum and Tassiulas 1999.

    Attributes
    ----------
    preset
        Group of settings. "alemu2004": Alemu 2004 algorithm 14: a drop is followed by a gap, levels are passed
        strictly. "chatranon2004": Chatranon 2004 section 2.2.3.4: no gaps, levels hold from themselves on.
    limit
        The most that may wait, without the packet in transmission (B). Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    beta
        The lower level as a part of the middle one: l1 = beta l2. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0.5``: ours: [Ale04] says above 0, at most 1.
    w_m
        The most that may wait of a flow. Automatic: its share of the buffer, B / N. Allowed: an amount of queue such
        as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: ours: neither work gives a
        value.
    w_n
        Weight of an arrival in the estimate of the number of flows. Allowed: a fraction such as 0.05 or "5%",
        0.000000001 to 1. Default ``0.02``: [Ale04] eq. 1.27.
    rule
        Whether a drop needs as many admitted packets of the flow since its last drop as the level that it is above
        (`gaps`). Allowed: one of "gaps", "levels". Default ``"gaps"``: [Ale04] algorithm 14; Chatranon 2004 for
        levels.
    ecn
        Mark ECN-capable packets instead of dropping them between the levels. Allowed: true or false. Default
        ``False``: RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "bred"

    preset: Literal["alemu2004", "chatranon2004"] | None = None
    limit: str | None = None
    beta: float | str | None = None
    w_m: str | None = None
    w_n: float | str | None = None
    rule: Literal["gaps", "levels"] | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Rio(RedParameters):
    r"""RIO (RED with In and Out).

    Two REDs over one queue: for packets within their flow's profile (In) and for all others (Out). In packets go by
    the average of the In packets that wait, Out packets by that of all, so that Out packets are dropped first.

    Reference: Clark and Fang 1998.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Clark and Fang 1998 with the thresholds that ns-2 has for them: In 15 to 30 at
        0.02, Out 5 to 15 at 0.2. "alemu2004": As `paper`, with the average of all taken at Out packets only (Alemu
        2004, algorithm 15). "ns2": ns-2 2.35's defaults, which `ns` printed on 2026-11-25: its RED's laws in packets,
        a mean packet of 500 bytes, the average of all taken at In packets only, 0.1 for Out packets.
    in_min_th
        Average of In packets below which no In packet is dropped. Automatic: `max_th`. Allowed: an amount of queue
        such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Cla98]: well above that
        of Out packets; ns-2 2.35 in_thresh_ 15, out_maxthresh_ 15.
    in_max_th
        Average of In packets at which the probability reaches `in_max_p`. Automatic: twice `in_min_th`. Allowed: an
        amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: ns-2 2.35
        in_maxthresh_ 30, in_thresh_ 15.
    in_max_p
        Probability of In packets at the upper threshold. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.02``: ns-2 2.35 in_linterm_ 50.
    in_above
        Above `in_max_th`: drop every In packet, or let the probability rise to 1 at twice `in_max_th`. Allowed: one
        of "strict", "gentle". Default ``"gentle"``: as above; ns-2 2.35 in_gentle_ false.
    total_average
        At which packets the average of all is taken. Allowed: one of "all", "out", "in". Default ``"all"``: [Cla98];
        Alemu 2004 for out, ns-2 2.35 rio.cc for in.
    profile_mbit
        Profiles: Mbit/s on the wire for each flow by its number, the last for all further flows. Without one all
        packets are Out. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 1000000. Default ``"[]"``: the
        scenario's agreement with its senders.
    meter
        How flows are measured against their profiles. Allowed: one of "token_bucket", "sliding_window". Default
        ``"token_bucket"``: RFC 2697; RFC 2859, after [Cla98], for sliding_window.
    profile_burst
        Bytes that the token bucket of a flow holds; it starts full. Allowed: a number of bytes such as "1000B", 1B to
        1e12B. Default ``"10000B"``: ours: the sources leave it to the agreement.
    profile_window
        Length of the sliding window. Allowed: a time such as "20ms", 1us to 10000s. Default ``"1s"``: RFC 2859
        section 2.1: of the order of round trips for TCP.
    min_th
        Average below which nothing is dropped. Automatic: as in RED, at most a sixth of the limit. Allowed: an amount
        of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: Floyd, Gummadi
        and Shenker 2001; the bound by the limit is ours.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.2``: ns-2 2.35 ns-default.tcl out_linterm_ 5, which rio.cc does not read.
    count
        How early drops are spaced. Allowed: one of "off", "on", "wait", "linux", "dsred". Default ``"wait"``: ns-2
        2.35 rio.cc; [Flo93] section 7 for on.
    spare_short
        Never drop early while at most one packet (byte) waits. Allowed: true or false. Default ``True``: ns-2 2.35
        rio.cc; [Flo93] has no such rule.
    spare_first
        Spare the packet with which the average enters the region of early drops, and count from it. Allowed: true or
        false. Default ``True``: ns-2 2.35 rio.cc; [Flo93] has no such rule.
    """

    kind: ClassVar[str] = "rio"

    preset: Literal["paper", "alemu2004", "ns2"] | None = None
    in_min_th: str | None = None
    in_max_th: str | None = None
    in_max_p: float | str | None = None
    in_above: Literal["strict", "gentle"] | None = None
    total_average: Literal["all", "out", "in"] | None = None
    profile_mbit: Sequence[float] | None = None
    meter: Literal["token_bucket", "sliding_window"] | None = None
    profile_burst: str | None = None
    profile_window: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class CbtRed(RedParameters):
    r"""CBT-RED (class-based thresholds).

    RED for TCP, and a threshold for each class of datagrams. RED decides about TCP's packets by the TCP packets that
    wait. Datagrams, tagged or other, are dropped while the average backlog of their class is above its threshold.

    Reference: Parris, Jeffay and Smith 1999.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Parris, Jeffay and Smith 1999 over RED of 1993; thresholds of the classes are
        ours.
    tagged_flows
        Numbers of the flows whose datagrams are tagged, in the order of the scenario from 0. Allowed: a list of
        numbers such as [0, 0.5, 2], each 0 to 4e9. Default ``"[]"``: the scenario's.
    tagged_th
        Average of tagged datagrams above which they are dropped. Allowed: an amount of queue such as "50p", "64KiB",
        "2BDP" or "20ms", 0 to 1e12. Default ``"10p"``: ours: as much as the rate for multimedia times the delay aimed
        at.
    other_th
        Average of other datagrams above which they are dropped. Allowed: an amount of queue such as "50p", "64KiB",
        "2BDP" or "20ms", 0 to 1e12. Default ``"2p"``: ours: well below tagged_th.
    tcp_average
        Which packets count in RED's average. Allowed: one of "tcp", "all". Default ``"tcp"``: [Par99]'s aim; the
        theses do not say.
    """

    kind: ClassVar[str] = "cbt_red"

    preset: Literal["paper"] | None = None
    tagged_flows: Sequence[float] | None = None
    tagged_th: str | None = None
    other_th: str | None = None
    tcp_average: Literal["tcp", "all"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RedFilter(RedParameters):
    r"""Filter before RED.

    RED behind a filter for the flows that are named. Their packets are dropped before RED at a given probability,
    evenly spaced; the packets of all others meet RED alone.

    Reference: ns-2 2.35 red-pd.cc.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "ns2": ns-2 2.35, test-suite-red-pd.tcl, test `simple`: the first flow at 0.1 from 10 s to
        20 s, over ns-2's RED in packets, as that script sets it.
    flows
        Numbers of the flows that are filtered, in the order of the scenario from 0. Allowed: a list of numbers such
        as [0, 0.5, 2], each 0 to 4e9. Default ``"[]"``: the scenario's.
    probability
        Probability from which drops are spaced: p / (1 - count p), which drops nearly twice as many. Allowed: a
        fraction such as 0.05 or "5%", 0 to 1. Default ``0.1``: ns-2 2.35 test-suite-red-pd.tcl.
    from_
        When the filter begins. Allowed: a time such as "20ms", 0s to 1e9s. Default ``"0s"``: ours: at once; ns-2 2.35
        test-suite-red-pd.tcl for 10 s.
    until
        When it ends. Automatic: never. Allowed: a time such as "20ms", 0s to 1e9s, or "auto". Default ``"auto"``:
        ours: never; ns-2 2.35 test-suite-red-pd.tcl for 20 s.
    spares
        When filtered flows are spared. Allowed: one of "short", "idle", "never". Default ``"short"``: ns-2 2.35
        red-pd.cc, flows that respond.
    """

    kind: ClassVar[str] = "red_filter"

    preset: Literal["ns2"] | None = None
    flows: Sequence[float] | None = None
    probability: float | str | None = None
    from_: str | None = None
    until: str | None = None
    spares: Literal["short", "idle", "never"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RedPd(RedParameters):
    r"""RED-PD (RED with preferential dropping).

    RED behind a filter for flows that send much. Flows that lost packets in most of the last intervals are dropped
    before RED, with probabilities that follow their losses.

    Reference: Mahajan, Floyd and Wetherall 2001.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "ns2": The authors' simulations in ns-2 2.35 (tcl/ex/red-pd, checked on 2026-11-25):
        thresholds 10 and 33 of 50 packets, gentle, without `wait_`; the first look after 10.1 s. What they leave out
        is as in RED's defaults of their time, which their validation script writes: w_q 0.002, in packets.
    reference_rtt
        Round-trip time of the TCP of which a flow shall not send more. Allowed: a time such as "20ms", 1us to 1000s.
        Default ``"40ms"``: [Mah01s] target_rtt_ 0.040.
    lists
        M: lists of flows that lost something, one for each interval. Allowed: a whole number, 1 to 16. Default ``5``:
        [Mah01s] MaxHighDRFlowHist_.
    needed
        K: in how many lists a flow must be to be monitored. Allowed: a whole number, 1 to 16. Default ``3``: [Mah01s]
        XinRegular_.
    list_most
        Flows in a list, those that lost most. Allowed: a whole number, 1 to 1000000. Default ``50``: [Mah01s]
        MaxDropList_.
    interval_min
        Least interval. Automatic: 2 reference round-trip times. Allowed: a time such as "20ms", 1us to 1000s, or
        "auto". Default ``"auto"``: [Mah01s] Mintime_.
    interval_max
        Greatest interval, and the first one. Automatic: 10 reference round-trip times. Allowed: a time such as
        "20ms", 1us to 1000s, or "auto". Default ``"auto"``: [Mah01s] Maxtime_.
    pause
        Least time between two changes of a flow's probability; 4 intervals before it rises, 3 before it falls if they
        are longer. Allowed: a time such as "20ms", 0s to 1000s. Default ``"0.4s"``: [Mah01s] minTimetoConsider_.
    first_look
        When the first interval ends. Automatic: after `interval_max`. Allowed: a time such as "20ms", 1us to 1e9s, or
        "auto". Default ``"auto"``: ours: at once; [Mah01s] waits 10.1 s.
    weight
        Weight of an interval in the mean drop rate. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.5``: [Mah01s] insertNCalDropRate.
    calm
        Drop rate of an interval up to which no probability rises. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0.001``: [Mah01s] do_detect.
    fall_most
        Most by which a probability falls at once. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.05``:
        [Mah01s] maxPReduction_.
    let_go
        Probability up to which a flow is let go; half of it if the flow does not respond. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``0.005``: [Mah01s] do_reward 0.995.
    unresponsive_test
        Whether flows that do not answer to losses are looked for, and are treated harder. Allowed: true or false.
        Default ``True``: [Mah01s] unresponsive_test_.
    unresponsive_spared
        When flows that do not respond are spared by the filter; others are as with `short`. Allowed: one of "short",
        "idle", "never". Default ``"never"``: ns-2 2.35 noidle_ false; true is idle.
    """

    kind: ClassVar[str] = "red_pd"

    preset: Literal["ns2"] | None = None
    reference_rtt: str | None = None
    lists: int | None = None
    needed: int | None = None
    list_most: int | None = None
    interval_min: str | None = None
    interval_max: str | None = None
    pause: str | None = None
    first_look: str | None = None
    weight: float | str | None = None
    calm: float | str | None = None
    fall_most: float | str | None = None
    let_go: float | str | None = None
    unresponsive_test: bool | None = None
    unresponsive_spared: Literal["short", "idle", "never"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Csfq(Queue):
    r"""CSFQ (core-stateless fair queueing).

    Fair queueing without a state for each flow in core routers. Edge routers measure the rate of each flow and write
    it into its packets as a label. Every router drops the part above the link's fair rate, by the label alone.

    Reference: Stoica, Shenker and Zhang 1998.

    Attributes
    ----------
    preset
        Group of settings. "paper": An edge router of the simulations of Stoica et al. 1998: 64 kB, labels over 100
        ms. "core": A core router of the same.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"64kB"``: [Sto98] section 4: 64 KB (not checked).
    role
        Whether the router labels packets, or goes by the labels that they bring. Allowed: one of "edge", "core".
        Default ``"edge"``: ours: a queue alone is an edge.
    k
        Time constant of a flow's rate, K; edges only. Allowed: a time such as "20ms", 1us to 10000s. Default
        ``"100ms"``: [Sto98] section 4; [INET].
    k_alpha
        Time constant of the link's rates, K_alpha. Allowed: a time such as "20ms", 1us to 10000s. Default
        ``"200ms"``: [Sto98] section 4; [INET].
    k_c
        How long the link must be congested, or not, before the fair rate moves: K_c. Automatic: `k_alpha`. Allowed: a
        time such as "20ms", 1us to 10000s, or "auto". Default ``"auto"``: [INET] after the authors' ns-2 code: one
        constant for both.
    threshold
        Part of the buffer below which a link that is not congested stays so, whatever comes. Allowed: a fraction such
        as 0.05 or "5%", 0 to 1. Default ``0.25``: [INET]: a quarter of the buffer.
    overflow_cut
        Part by which the fair rate falls at each packet lost to a full buffer. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.01``: [Sto98] section 3.3: 1 %; [INET].
    overflow_cut_most
        Most by which it falls so between two updates. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.25``: [Sto98] section 3.3: 25 %; [INET] 29 times 1 %.
    """

    kind: ClassVar[str] = "csfq"

    preset: Literal["paper", "core"] | None = None
    limit: str | None = None
    role: Literal["edge", "core"] | None = None
    k: str | None = None
    k_alpha: str | None = None
    k_c: str | None = None
    threshold: float | str | None = None
    overflow_cut: float | str | None = None
    overflow_cut_most: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Xred(RedParameters):
    r"""XRED (content-based discarding).

    RED for media whose packets are not equally important. If a packet of a data unit is lost, less important packets
    of the same unit are discarded, too.

    Reference: Hutschenreuther and Schill 2000, Alemu 2004 section 1.3.3.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    priorities
        Priorities of the packets of a data unit in their order, more is more important; their number is that of its
        packets. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 255. Default ``"[2, 1, 1, 0]"``: ours: the
        first packet has what the others need.
    discards
        The packets that are discarded after a loss: less important ones, or those that are at most as important.
        Allowed: one of "below", "not_above". Default ``"below"``: [Ale04]: lower than the one in the list.
    entries
        Flows of which losses are remembered. Allowed: a whole number, 1 to 10000000. Default ``4096``: ours: [Ale04]
        sets no bound.
    """

    kind: ClassVar[str] = "xred"

    priorities: Sequence[float] | None = None
    discards: Literal["below", "not_above"] | None = None
    entries: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Diffserv(RedParameters):
    r"""DiffServ assured forwarding (RIO-C, RIO-D, WRED).

    A RED for each of three drop precedences, green, yellow and red. An edge router measures flows against their
    agreed rates and writes the precedence into their packets; edge and core routers drop red packets first and green
    ones last.

    Reference: RFC 2597, RFC 2697, RFC 2698; ns-2 2.35 dsred.cc.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "ns2": A core router of ns-2 2.35's diffserv (its source and tcl/ex/diffserv/ds-cbr-tb.tcl,
        checked on 2026-11-25): RIO-C, and the example's thresholds for packets within their agreement and beyond it.
        With three colours, its examples have 5 to 10 packets at 0.2 for the third: set `red_min_th`, `red_max_th` and
        `red_max_p`. "ns2_edge": An edge router of the same with one token bucket for each flow.
    yellow_min_th
        Average from which packets of the second precedence (yellow) are dropped. Automatic: twice the automatic
        `red_min_th`, at most two thirds of the limit. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or
        "20ms", 0 to 1e12, or "auto". Default ``"auto"``: where `red_min_th` is 5p, the 10p of ns-2 2.35's diffserv
        example.
    yellow_max_th
        Average at which the drop probability of yellow packets reaches `yellow_max_p`. Automatic: 4 times the
        automatic `red_min_th`, at most the limit. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or
        "20ms", 0 to 1e12, or "auto". Default ``"auto"``: where `red_min_th` is 5p, the 20p of ns-2 2.35's diffserv
        example.
    yellow_max_p
        Probability of a drop of yellow packets at `yellow_max_th`. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0.1``: ns-2 2.35 manual, diffserv example, its second precedence.
    red_min_th
        Average from which packets of the third precedence (red) are dropped. Automatic: max(5 packets, half of the
        packets that the link sends in `target_delay`), at most a third of the limit. Allowed: an amount of queue such
        as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: ours: best effort finds a RED;
        ns-2 2.35, example ds-cbr-srtcm: 5p; the bound is ours.
    red_max_th
        Average at which the drop probability of red packets reaches `red_max_p`. Automatic: 3 times the automatic
        `red_min_th`, at most the limit. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to
        1e12, or "auto". Default ``"auto"``: ours: as RED; ns-2 2.35, example ds-cbr-srtcm: 10p.
    red_max_p
        Probability of a drop of red packets at `red_max_th`. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0.1``: ours: as RED; ns-2 2.35, example ds-cbr-srtcm: 0.2.
    averages
        Which packets an average counts: those of its precedence and better ones, those of its precedence, or all.
        Allowed: one of "rio_c", "rio_d", "wred". Default ``"rio_c"``: ns-2 2.35 dsred.cc mredMode_.
    idles
        When an average decays that no arrival moves. Allowed: one of "link", "ns2". Default ``"link"``: [Flo93]: idle
        time is the link's; ns-2 2.35 dsredq.cc for ns2.
    role
        Whether the router gives precedences to packets, or goes by those that they bring. Allowed: one of "edge",
        "core". Default ``"core"``: ours: a queue without agreements has nothing to measure by.
    meter
        How an edge measures flows. Allowed: one of "token_bucket", "srtcm", "trtcm". Default ``"srtcm"``: RFC 2697.
    colour_aware
        Whether an edge heeds the precedence that a packet brings, and does not better it. Allowed: true or false.
        Default ``False``: RFC 2697 section 3: the mode is configured; ns-2 2.35 is blind.
    aggregate
        Whether all flows together have one agreement, or each has its own. Allowed: true or false. Default ``False``:
        ours: RFC 2697 meters a stream, whatever it is of.
    cir_mbit
        Committed rates: Mbit/s on the wire for each flow by its number, the last for all further flows. None: all is
        red. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 1000000. Default ``"[]"``: the scenario's
        agreement.
    pir_mbit
        Peak rates, given as `cir_mbit` is; trTCM only. A flow's is at least its committed rate. None: twice the
        committed one. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 1000000. Default ``"[]"``: the
        scenario's agreement; twice: ours.
    cbs
        Committed burst: the size of the first bucket. Allowed: a number of bytes such as "1000B", 1B to 1e12B.
        Default ``"10000B"``: ns-2 2.35 diffserv examples, cbs 10000.
    ebs
        Excess burst of srTCM: the size of the second bucket. Allowed: a number of bytes such as "1000B", 0B to 1e12B.
        Default ``"10000B"``: ours: as the committed one.
    pbs
        Peak burst of trTCM: the size of the second bucket. Allowed: a number of bytes such as "1000B", 0B to 1e12B.
        Default ``"10000B"``: ours: as the committed one.
    class_
        Class of assured forwarding that an edge writes. Allowed: a whole number, 1 to 4. Default ``1``: RFC 2597:
        four classes; ns-2 2.35 example: AF1x.
    limit
        The most that may wait, without the packet in transmission. In byte mode a limit in packets counts mean
        packets. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"50p"``:
        ns-2 2.35 ns-default.tcl limit_.
    min_th
        Average from which green packets are dropped. Automatic: 4 times the automatic `red_min_th`, at most 5/6 of
        the limit. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default
        ``"auto"``: where `red_min_th` is 5p, the 20p of ns-2 2.35's diffserv example.
    max_th
        Average at which the drop probability of green packets reaches `max_p`. Automatic: 8 times the automatic
        `red_min_th`, at most the limit. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to
        1e12, or "auto". Default ``"auto"``: where `red_min_th` is 5p, the 40p of ns-2 2.35's diffserv example.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.02``: ns-2 2.35 manual, diffserv example.
    """

    kind: ClassVar[str] = "diffserv"

    preset: Literal["ns2", "ns2_edge"] | None = None
    yellow_min_th: str | None = None
    yellow_max_th: str | None = None
    yellow_max_p: float | str | None = None
    red_min_th: str | None = None
    red_max_th: str | None = None
    red_max_p: float | str | None = None
    averages: Literal["rio_c", "rio_d", "wred"] | None = None
    idles: Literal["link", "ns2"] | None = None
    role: Literal["edge", "core"] | None = None
    meter: Literal["token_bucket", "srtcm", "trtcm"] | None = None
    colour_aware: bool | None = None
    aggregate: bool | None = None
    cir_mbit: Sequence[float] | None = None
    pir_mbit: Sequence[float] | None = None
    cbs: str | None = None
    ebs: str | None = None
    pbs: str | None = None
    class_: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class LpfOda(RedParameters):
    r"""LPF/ODA.

    RED that corrects an average which lags behind a short queue (over-drop avoidance). When some arrivals in a row
    have found a short queue, the average is cut.

    Reference: Zheng and Atiquzzaman 2001, 2002.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Haider 2005 chapter 6: thresholds 5 and 15, w_q 0.002, max_p 0.1, over ns-2's RED.
    n_o
        Consecutive arrivals that find less than `min_th` waiting before the average is cut. Allowed: a whole number,
        1 to 1000000. Default ``3``: Haider 2005 chapter 3.
    cut
        The part of the average that remains after the cut. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.5``: Haider 2005 chapter 3.
    cut_once
        Cut once while the queue stays short, rather than every `n_o` arrivals. Allowed: true or false. Default
        ``False``: Haider 2005 chapter 3 leaves it open.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: Haider 2005 section 2.1.
    """

    kind: ClassVar[str] = "lpf_oda"

    preset: Literal["paper"] | None = None
    n_o: int | None = None
    cut: float | str | None = None
    cut_once: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class HybridRed(RedParameters):
    r"""Hybrid RED.

    Gentle RED that uses the queue itself besides its average. While the queue is short the average forgets faster,
    and if only the average is long there is no drop test.

    Reference: Haider, Sirisena and Pawlikowski 2005.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Haider 2005 chapter 6: thresholds 5 and 15, w_q 0.002, max_p 0.1, over ns-2's RED.
    theta
        Consecutive arrivals that find less than `min_th` waiting before the memory is shortened. Allowed: a whole
        number, 1 to 1000000. Default ``1``: [Hai05] section 6 (recommended).
    xi
        The memory term of the average is divided by it. Allowed: a number, 1 to 1000000. Default ``1.25``: [Hai05]
        section 6 (below 1.5 recommended).
    untested
        Regions without a drop test: 10 (average between max_th and twice max_th, queue below min_th) and 7 (average
        above max_th, queue between the thresholds). Allowed: one of "7_and_10", "10", "none". Default ``"7_and_10"``:
        [Hai05] algorithm 1 (conservative variant).
    restart_run
        Count the run anew after a cut. Allowed: true or false. Default ``False``: [Hai05] eq. 5.3 as read: the cut
        repeats.
    cut_once
        Shorten the memory at the theta-th short arrival only, once while the queue stays short. Allowed: true or
        false. Default ``False``: [Hai05] eq. 5.3 as read: the cut repeats.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: Haider 2005 section 2.1.
    """

    kind: ClassVar[str] = "hybrid_red"

    preset: Literal["paper"] | None = None
    theta: int | None = None
    xi: float | None = None
    untested: Literal["7_and_10", "10", "none"] | None = None
    restart_run: bool | None = None
    cut_once: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RedWorcester(RedWorcesterParameters, RedParameters):
    r"""RED-Worcester.

    Adaptive RED for packets that state an acceptable delay. The target of the average queue follows a moving average
    of the delays that the packets ask for.

    Reference: Phirke 2002.

    It has the attributes of :class:`RedParameters` and :class:`RedWorcesterParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Phirke 2002 section 3.4: 120 packets, thresholds 20 and 80, over ns-2's RED.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: as ared.
    """

    kind: ClassVar[str] = "red_worcester"

    preset: Literal["paper"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Choke(RedParameters):
    r"""CHOKe.

    RED behind a test against flows that fill the queue. An arrival is first compared with random packets from the
    queue. If such a packet belongs to the same flow, both are dropped; otherwise RED decides.

    Reference: Pan, Prabhakar and Psounis 2000.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Pan et al. 2000, basic: one candidate, strict RED. "self_adjusting": Pan et al.
        2000 with more candidates the longer the average: 2 i in the i-th of 8 regions. "linux": Linux 6.12 sch_choke
        as tc of iproute2 7.1 sets it, in its numbers: one candidate, in packets, not gentle, probability 0.02,
        thresholds and weight from the limit and a burst, ECN-capable packets marked at every probability once `ecn =
        true`. Set both thresholds or none: to `min` alone tc gives a quarter of the limit as `max`, this three times
        as much. "chatranon2004": Chatranon 2004, one fast flow: one candidate over ns-2's gentle RED, thresholds 50
        and 150 of 300 packets. "chatranon2004_self_adjusting": Chatranon 2004, several fast flows, as its printed
        figures demand: two candidates; its text has up to sixteen.
    candidates
        How many packets an arrival is compared with: one, or 2 i in region i between the thresholds. Allowed: one of
        "one", "by_region". Default ``"one"``: [Pan00].
    regions
        Regions between the thresholds, if the number of candidates depends on the region. Allowed: a whole number, 1
        to 1000000. Default ``8``: [Pan00].
    arithmetic
        In which numbers it is computed. With those of the kernel there is one candidate, and of RED's parameters
        `limit`, `min_th`, `max_th`, `max_p`, `w_q` (a power of 1/2), `ecn` and `mark_max_p` count. Allowed: one of
        "real", "kernel". Default ``"real"``: [Pan00].
    """

    kind: ClassVar[str] = "choke"

    preset: Literal["paper", "self_adjusting", "linux", "chatranon2004", "chatranon2004_self_adjusting"] | None = None
    candidates: Literal["one", "by_region"] | None = None
    regions: int | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Black(ActiveFlowsParameters, HbfParameters, RedParameters):
    r"""BLACK (blacklisting unresponsive flows).

    RED behind a test against flows that take more than is fair. Each arrival has a random packet of the queue looked
    at; arrivals of flows that are found more often than is fair are dropped before RED.

    Reference: Chatranon 2004, chapter 3.

    It has the attributes of :class:`RedParameters` and :class:`HbfParameters` and :class:`ActiveFlowsParameters`,
    too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Chatranon 2004 chapter 3: cache 20, 3000 samples, N by matches, gentle RED between
        50 and 150 packets. "bitmap": Chatranon 2004 chapter 5: N by direct bitmap. "on_hit": As bitmap, a flow's part
        known only when it is sampled: nearer to the rates that the dissertation reports. "static": Chatranon 2004 eq.
        3.2, shown to oscillate: the drop probability stays for a period.
    drop_function
        How a flow's part becomes a drop probability: eq. 3.4, eq. 3.2, or not at all, to watch the estimates.
        Allowed: one of "blended", "static", "none". Default ``"blended"``: [Cha04] eq. 3.4.
    refresh
        When the part of eq. 3.4 is taken: at each arrival, or at each sample of the flow. Allowed: one of
        "on_arrival", "on_hit". Default ``"on_arrival"``: [Cha04] section 3.2.3, read literally.
    blend
        How past and present are put together: as one sample, eq. 3.3, or the present's hits over m added to the
        past's part. Allowed: one of "pooled", "added". Default ``"pooled"``: [Cha04] eq. 3.3.
    drawn_from
        The packets from which one is drawn at an arrival: those that wait, or these and the arrival. Allowed: one of
        "waiting", "with_arrival". Default ``"waiting"``: [Cha04] section 3.2.1: from the queue.
    insert
        Whose record enters the cache when a sampled packet's flow is not in it. Allowed: one of "sampled",
        "arriving". Default ``"sampled"``: [Cha04] section 3.2.4, our reading.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: as red; [Cha04] gives none.
    active_flows
        How the number of active flows is estimated; a fair part is one over it. Allowed: one of "match",
        "virtual_match", "direct_bitmap", "low_pass", "removals", "jackknife", "coverage_1", "coverage_2", "known".
        Default ``"match"``: [Cha04] section 3.2.5; direct_bitmap in chapter 5.
    """

    kind: ClassVar[str] = "black"

    preset: Literal["paper", "bitmap", "on_hit", "static"] | None = None
    drop_function: Literal["blended", "static", "none"] | None = None
    refresh: Literal["on_arrival", "on_hit"] | None = None
    blend: Literal["pooled", "added"] | None = None
    drawn_from: Literal["waiting", "with_arrival"] | None = None
    insert: Literal["sampled", "arriving"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Afc(ActiveFlowsParameters, HbfParameters, RedParameters):
    r"""AFC (fairness by credit).

    RED behind a test against flows that bring more than is fair. The bytes of the fastest flows are counted, and
    flows that bring less than their part earn credit; arrivals of flows above their part and without credit are
    dropped before RED.

    Reference: Chatranon 2004, chapter 5.

    It has the attributes of :class:`RedParameters` and :class:`HbfParameters` and :class:`ActiveFlowsParameters`,
    too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Chatranon 2004 chapter 5: cache 20, 3000 mean packets, N by direct bitmap, gentle
        RED between 50 and 150 packets. "no_credit": Chatranon 2004 section 5.1.4, the design before credit: a fair
        part is an upper bound. "ideal": Chatranon 2004 figure 60: a cache for all flows, and their number known.
    rule
        The packets that are dropped: those of flows above their part without credit, without credit, or above their
        part. Allowed: one of "credit", "integral", "no_credit". Default ``"credit"``: [Cha04] section 5.1.5.
    credit_at
        Whether credit is put together when a packet of the flow comes, or when one joins the queue. Allowed: one of
        "arrival", "enqueue". Default ``"arrival"``: [Cha04] section 5.1.5, our reading of "every time a HitFraction
        is updated".
    credit_start
        When credit starts to count. Allowed: one of "first_estimate", "at_once". Default ``"first_estimate"``:
        [Cha04] does not say.
    recency
        Whether a flow becomes the most recent in the cache when a packet of it comes, or when one joins the queue.
        Allowed: one of "arrival", "enqueue". Default ``"arrival"``: [Cha04] section 5.1.3, our reading.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: as red; [Cha04] gives none.
    active_flows
        How the number of active flows is estimated; a fair part is one over it. Allowed: one of "match",
        "virtual_match", "direct_bitmap", "low_pass", "removals", "jackknife", "coverage_1", "coverage_2", "known".
        Default ``"direct_bitmap"``: [Cha04] section 5.1.1; AFC samples nothing that could match.
    """

    kind: ClassVar[str] = "afc"

    preset: Literal["paper", "no_credit", "ideal"] | None = None
    rule: Literal["credit", "integral", "no_credit"] | None = None
    credit_at: Literal["arrival", "enqueue"] | None = None
    credit_start: Literal["first_estimate", "at_once"] | None = None
    recency: Literal["arrival", "enqueue"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfb(Queue):
    r"""SFB (stochastic fair BLUE).

    BLUE's probability for groups of flows. Flows are hashed to bins on several levels, and each bin has a probability
    that rises while it is full and falls while it is empty. The least probability of its bins decides about a packet;
    flows with a probability of 1 in all bins are limited to a rate.

    Reference: Feng, Kandlur, Saha and Shin 2001.

    Attributes
    ----------
    preset
        Group of settings. "paper": Feng et al. 2001, the figure's algorithm: two levels of 23 bins, hashes that move
        every 2 s, one step for up and down. "reported": The authors' module for ns-2, as reported by a kernel that
        follows it (classq_sfb.c of Apple's XNU, 2012; read on 2026-11-25): steps 0.005 and 0.001, 10 ms apart, a
        penalty of 50 ms from 0.98 on, hashes for 20 s. The module itself is not available. "chatranon2004": Chatranon
        2004 tables 2 and 3: the authors' module with 300 packets and a penalty of 162 ms, for 49.5 kbit/s; a full bin
        drops nothing. That arrivals in the penalty box raise their bins, and its threshold of 0.9, are fitted to its
        tables 4, 6 and 14. "alemu2004": Alemu 2004 section 1.3.2: one step for up and down; a token bucket is our
        reading of its rate limit. "linux": Linux 6.12 sch_sfb as tc of iproute2 7.1 sets it: eight levels of 16 bins,
        sizes 20 and 25, steps 0.0005 and 0.00005, hashes for 600 s.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"200p"``: [Fen01] section 4: 200 KB.
    levels
        L, the levels, each with another hash. Allowed: a whole number, 1 to 64. Default ``2``: [Fen01] section 4;
        Chatranon 2004 table 2.
    bins
        N, the bins of a level. Allowed: a whole number, 1 to 1000000. Default ``23``: [Fen01] section 4; Chatranon
        2004 table 2.
    bin_size
        Packets in a bin above which its probability rises. Automatic: one and a half times an even part of `limit`,
        or of the flows' bandwidth-delay product if that is more. Allowed: a whole number, 0 to 1e9, or "auto".
        Default ``"auto"``: [Fen01] section 4: half more than its part, 13 for 200 packets; a flow's own part is ours.
    bin_full
        Which full bins drop an arrival: one above `bin_size` (`any`), all above `bin_max` (`all`), none. Allowed: one
        of "any", "all", "none". Default ``"any"``: [Fen01] figure 2; Linux sch_sfb for all; Chatranon 2004 section
        2.2.3.7 for none.
    bin_max
        Packets above which all bins drop an arrival, if `bin_full` is `all`. Allowed: a whole number, 0 to 1e9.
        Default ``24``: Linux sch_sfb max.
    increment
        Step up of a bin's probability. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.005``: the
        authors' module for ns-2, as Apple's classq_sfb.c reports it.
    decrement
        Step down of an empty bin's probability. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.001``:
        the authors' module for ns-2, as Apple's classq_sfb.c reports it.
    decrement_at
        When an empty bin's probability falls: at each arrival that finds it empty, or when the last packet in it
        leaves. Allowed: one of "arrival", "departure". Default ``"arrival"``: [Fen01] figure 2; Alemu 2004 algorithm
        13; Linux sch_sfb; Apple's classq_sfb.c for departure.
    unresponsive
        p_min from which on a flow does not respond, is limited, and warms the next set. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``1``: [Fen01] section 4; Chatranon 2004 section 2.2.3.7; 0.98 in Apple's
        classq_sfb.c.
    count_limited
        Whether bins count the packets of flows that do not respond. Allowed: true or false. Default ``True``: [Fen01]
        does not say; Linux sch_sfb; not in Apple's classq_sfb.c.
    raise_limited
        Whether each arrival of a flow that does not respond raises its bins, as a lost packet raises BLUE's
        probability. Allowed: true or false. Default ``False``: [Fen01] does not say; our reading of BLUE's rule for
        lost packets.
    freeze_time
        Least time between two changes of a bin's probability. Allowed: a time such as "20ms", 0s to 10000s. Default
        ``"10ms"``: the authors' module for ns-2 (hold-time), as Apple's classq_sfb.c reports it; none in [Fen01]
        figure 2.
    rehash
        Time after which the other set of bins takes over. 0: never. Allowed: a time such as "20ms", 0s to 1000000s.
        Default ``"20s"``: the authors' module for ns-2 (hinterval, 11 to 23 s), as Apple's classq_sfb.c reports it; 2
        s in Chatranon 2004 section 2.2.3.7.
    warm_up
        The arrivals that update the next set of bins: arrivals of flows that do not respond, which raise it (`raise`)
        or change it as if it were in use (`unresponsive`); `all`; or `none`. Allowed: one of "raise", "unresponsive",
        "all", "none". Default ``"raise"``: [Fen01] section 4.4, our reading; Linux sch_sfb for unresponsive.
    warm_up_time
        How long before it takes over. Automatic: since the last turn. Allowed: a time such as "20ms", 0s to 1000000s,
        or "auto". Default ``"auto"``: [Fen01] section 4.4; Linux sch_sfb warmup_time.
    limiter
        How flows that do not respond are limited. Allowed: one of "hold", "bucket", "linux", "block". Default
        ``"hold"``: the authors' module for ns-2, by Chatranon 2004 section 3.3.2.
    hold_time
        Time for which a packet of such a flow keeps out the next. Allowed: a time such as "20ms", 0s to 1000000s.
        Default ``"50ms"``: the authors' module for ns-2 (pbox-time), as Apple's classq_sfb.c reports it.
    penalty_rate
        Packets per second of such flows that a bucket lets pass. Allowed: a number, 0 to 1e9. Default ``10``: Linux
        sch_sfb penalty_rate.
    penalty_burst
        Packets of such flows that a bucket lets pass at once. Allowed: a whole number, 0 to 1e9. Default ``20``:
        Linux sch_sfb penalty_burst.
    ecn
        Mark ECN-capable packets instead of dropping them by probability. Allowed: true or false. Default ``False``:
        RFC 3168: senders have to agree; [Fen01] marks.
    drop_above_half
        Of a probability p above 1/2 the part 2 p - 1 drops, ECN-capable or not. Allowed: true or false. Default
        ``False``: [Fen01] has no such rule; Linux sch_sfb has.
    arithmetic
        In which numbers it is computed. With those of the kernel the law has the form of Linux, too: of the other
        parameters `limit`, `bin_size`, `bin_max`, `increment`, `decrement`, `rehash`, `warm_up_time`, `penalty_rate`,
        `penalty_burst` and `ecn` count. Allowed: one of "real", "kernel". Default ``"real"``: [Fen01].
    """

    kind: ClassVar[str] = "sfb"

    preset: Literal["paper", "reported", "chatranon2004", "alemu2004", "linux"] | None = None
    limit: str | None = None
    levels: int | None = None
    bins: int | None = None
    bin_size: int | Literal["auto"] | None = None
    bin_full: Literal["any", "all", "none"] | None = None
    bin_max: int | None = None
    increment: float | str | None = None
    decrement: float | str | None = None
    decrement_at: Literal["arrival", "departure"] | None = None
    unresponsive: float | str | None = None
    count_limited: bool | None = None
    raise_limited: bool | None = None
    freeze_time: str | None = None
    rehash: str | None = None
    warm_up: Literal["raise", "unresponsive", "all", "none"] | None = None
    warm_up_time: str | None = None
    limiter: Literal["hold", "bucket", "linux", "block"] | None = None
    hold_time: str | None = None
    penalty_rate: float | None = None
    penalty_burst: int | None = None
    ecn: bool | None = None
    drop_above_half: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Care(Queue):
    r"""CARE (capture-recapture fair sharing).

    Drops for flows that are caught too often (capture and recapture). Some arrivals are caught at random. A flow that
    is caught more often than is fair loses the packets above an even part.

    Reference: Chan and Hamdi 2003.

    Attributes
    ----------
    preset
        Group of settings. "paper": Chan and Hamdi 2003 as in Chatranon 2004: 200 captures, 50 for the number of
        flows, each packet with 0.04.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"300p"``: [Cha04] table 2.
    threshold
        Queue from which on packets are dropped. Automatic: a sixth of the limit. Allowed: an amount of queue such as
        "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: ours; BLACK and AFC have such a
        gate, [Cha04] names none for CARE.
    captures
        t, the captures of a period. Allowed: a whole number, 6 to 1000000. Default ``200``: [Cha04] section 3.3.1,
        after Chan and Hamdi.
    estimate_captures
        How many captures of a period estimate the number of flows. Allowed: a whole number, 6 to 1000000. Default
        ``50``: [Cha04] section 3.3.1, after Chan and Hamdi.
    estimate_from
        Whether the first or the last captures of a period estimate the number of flows. Allowed: one of "first",
        "last". Default ``"first"``: [Cha04] does not say.
    capture_probability
        p_cap, with which an arrival is caught. Allowed: a fraction such as 0.05 or "5%", 0.000001 to 1. Default
        ``0.04``: [Cha04] section 3.3.1, after Chan and Hamdi.
    estimator
        How the number of flows is estimated. Allowed: one of "jackknife", "coverage_1", "coverage_2", "known".
        Default ``"jackknife"``: [Cha04] section 2.2.3.8, after Chan and Hamdi.
    """

    kind: ClassVar[str] = "care"

    preset: Literal["paper"] | None = None
    limit: str | None = None
    threshold: str | None = None
    captures: int | None = None
    estimate_captures: int | None = None
    estimate_from: Literal["first", "last"] | None = None
    capture_probability: float | str | None = None
    estimator: Literal["jackknife", "coverage_1", "coverage_2", "known"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Lqd(Queue):
    r"""LQD (longest queue drop).

    A buffer that takes from the flow that uses most of it. When it is full, an arrival of a flow with less than its
    share pushes out a packet of the flow of which most waits.

    Reference: Suter, Lakshman, Stiliadis and Choudhury 1998.

    Attributes
    ----------
    preset
        Group of settings. "paper": Suter et al. 1998: the longest flow loses its front. "random": Suter et al. 1998,
        RND: any flow above an even part loses its front. "approximate": Suter et al. 1998, ALQD: the flow last seen
        as the longest loses its front.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    victim
        Which flow loses a packet: the longest, any that holds more than an even part, or the one last seen as the
        longest. Allowed: one of "longest", "random", "approximate". Default ``"longest"``: [Sut98] section 4.
    drop_from
        Which packet the chosen flow loses. Allowed: one of "front", "back". Default ``"front"``: [Sut98] section 4.
    measure
        Whether flows are long in bytes or in packets. Allowed: one of "bytes", "packets". Default ``"bytes"``:
        [Sut98]: shares of the buffer.
    """

    kind: ClassVar[str] = "lqd"

    preset: Literal["paper", "random", "approximate"] | None = None
    limit: str | None = None
    victim: Literal["longest", "random", "approximate"] | None = None
    drop_from: Literal["front", "back"] | None = None
    measure: Literal["bytes", "packets"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Blue(Queue):
    r"""BLUE.

    Active queue management by losses and idle times instead of the queue. One drop probability rises when packets are
    lost to a full buffer, and falls when the link goes idle.

    Reference: Feng, Kandlur, Saha and Shin 1999.

    Attributes
    ----------
    preset
        Group of settings. "paper": Feng et al. 1999: d1 0.02, d2 0.002, freeze_time 100 ms, drops only by probability
        and overflow. "alemu2004": Alemu 2004 chapter 4: d1 0.0025, d2 0.00025, freeze_time 241 ms.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo; [Fen99b] uses about one bandwidth-delay
        product.
    d1
        Increment of the probability at a loss. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.0025``:
        [Fen99b] (B1, B2); B3 and B4 have 0.02, more than 100 flows need on 100 Mbit/s.
    d2
        Decrement of the probability when the link goes idle; well below `d1`. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.00025``: [Fen99b] (B1, B2); B3 and B4 have 0.002.
    freeze_time
        Least time between two changes. Allowed: a time such as "20ms", 0s to 10000s. Default ``"100ms"``: [Fen99b]
        (B2, B4).
    threshold
        A queue longer than this counts as a loss. Automatic: only a full buffer does. Allowed: an amount of queue
        such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Fen99b], the base
        algorithm; it names the variant.
    ecn
        Mark ECN-capable packets instead of dropping them. Allowed: true or false. Default ``False``: RFC 3168:
        senders have to agree.
    """

    kind: ClassVar[str] = "blue"

    preset: Literal["paper", "alemu2004"] | None = None
    limit: str | None = None
    d1: float | str | None = None
    d2: float | str | None = None
    freeze_time: str | None = None
    threshold: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class PController(Queue):
    r"""P controller.

    RED without an average. The drop probability is proportional to how far the queue itself is above a threshold.

    Reference: Hollot, Misra, Towsley and Gong 2001.

    Attributes
    ----------
    preset
        Group of settings. "alemu2004": Alemu 2004 section 1.2: RED's line with w_q 1, from 0 to 0.1 between 5 and 15
        of 35 packets.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    min_th
        Queue above which packets are dropped. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0
        to 1e12. Default ``"0p"``: [Hol01]: the slope decides; a threshold only adds delay.
    slope
        Probability for each packet above `min_th`: max_p over the distance between RED's thresholds. Automatic:
        designed for `design_flows` and `design_rtt`. Allowed: a number, 0 to 1000000, or "auto". Default ``"auto"``:
        [Hol01].
    design_flows
        Least number of flows that an automatic slope shall be stable with. Automatic: the flows of the scenario.
        Allowed: a whole number, 1 to 1e9, or "auto". Default ``"auto"``: [Hol01] (N-).
    design_rtt
        Greatest round-trip time that an automatic slope shall be stable with. Automatic: base round-trip time plus a
        full buffer. Allowed: a time such as "20ms", 1us to 1000s, or "auto". Default ``"auto"``: [Hol01] (R+).
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability. Allowed: true or false. Default
        ``False``: RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "p_controller"

    preset: Literal["alemu2004"] | None = None
    limit: str | None = None
    min_th: str | None = None
    slope: float | Literal["auto"] | None = None
    design_flows: int | Literal["auto"] | None = None
    design_rtt: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Pi(Queue):
    r"""PI controller.

    A controller that holds the queue at a reference. Many times a second it moves the drop probability, by the
    distance of the queue from the reference and by how that distance has changed.

    Reference: Hollot, Misra, Towsley and Gong 2001.

    Attributes
    ----------
    preset
        Group of settings. "paper": Hollot et al. 2001: the gains of their example at 170 Hz, reference 200 packets of
        a buffer of 800. "ns2": ns-2 2.35's defaults: a 0.00001822, b 0.00001816, reference 50 packets, 170 Hz.
        "alemu2004": Alemu 2004 section 4.3: gains for at least 3 flows at 1.5 Mbit/s, reference 10 of 35 packets, 170
        Hz.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: four times the reference, as in [Hol01].
    q_ref
        Target of the queue. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default
        ``"25p"``: a quarter of the limit, as in [Hol01].
    a
        Gain of the present deviation, per packet. Automatic: designed for `design_flows` and `design_rtt`. Allowed: a
        number, 0 to 1000, or "auto". Default ``"auto"``: [Hol01].
    b
        Gain of the previous deviation, per packet; below `a`. Automatic as `a`. Allowed: a number, 0 to 1000, or
        "auto". Default ``"auto"``: [Hol01].
    w
        Updates per second, in Hz. Allowed: a number, 0.001 to 1000000. Default ``170``: [Hol01]: sampling at 170 Hz.
    design_flows
        Least number of flows that the automatic gains shall be stable with. Automatic: the flows of the scenario.
        Allowed: a whole number, 1 to 1e9, or "auto". Default ``"auto"``: [Hol01] (N-).
    design_rtt
        Greatest round-trip time that the automatic gains shall be stable with. Automatic: base round-trip time plus a
        full buffer. Allowed: a time such as "20ms", 1us to 1000s, or "auto". Default ``"auto"``: [Hol01] (R+).
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability. Allowed: true or false. Default
        ``False``: ns-2 2.35 setbit_.
    """

    kind: ClassVar[str] = "pi"

    preset: Literal["paper", "ns2", "alemu2004"] | None = None
    limit: str | None = None
    q_ref: str | None = None
    a: float | Literal["auto"] | None = None
    b: float | Literal["auto"] | None = None
    w: float | None = None
    design_flows: int | Literal["auto"] | None = None
    design_rtt: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Pi2(Queue):
    r"""PI2.

    A controller of the queuing delay for classic and scalable senders. It moves one number until the delay is at its
    target; classic packets are dropped or marked with its square, packets of scalable senders (ECT(1)) are marked
    with twice the number.

    Reference: De Schepper, Bondarenko, Tsang and Briscoe 2016.

    Attributes
    ----------
    preset
        Group of settings. "paper": De Schepper et al. 2016, table 1: target 20 ms, updates every 32 ms, gains 0.3125
        and 3.125 Hz, a coupling of 2.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"1000p"``: as pie; 40000 packets in [DeS16].
    target
        Queuing delay that is aimed at. Allowed: a time such as "20ms", 0s to 100s. Default ``"20ms"``: [DeS16] table
        1.
    interval
        Time between two updates of the probability. Allowed: a time such as "20ms", 1us to 100s. Default ``"32ms"``:
        [DeS16] table 1.
    alpha
        Gain of the distance from the target, in Hz. Allowed: a number, 0 to 1000000. Default ``0.3125``: [DeS16]
        table 1: 2.5 times PIE's.
    beta
        Gain of the change since the last update, in Hz. Allowed: a number, 0 to 1000000. Default ``3.125``: [DeS16]
        table 1: 2.5 times PIE's.
    coupling
        By how much the probability of scalable senders exceeds p' (k). Allowed: a number, 0.1 to 100. Default ``2``:
        [DeS16] section 4: k = 2.
    classic_top
        Greatest probability of classic senders. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.25``:
        [DeS16] section 5: 25 %, where scalable ones meet 100 %.
    delay_from
        The source of the queuing delay. Allowed: one of "timestamps", "departure_rate", "link_rate". Default
        ``"timestamps"``: as pie.
    ecn
        Mark ECN-capable packets instead of dropping them; those with ECT(1) as scalable senders. Allowed: true or
        false. Default ``False``: RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "pi2"

    preset: Literal["paper"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    alpha: float | None = None
    beta: float | None = None
    coupling: float | None = None
    classic_top: float | str | None = None
    delay_from: Literal["timestamps", "departure_rate", "link_rate"] | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Pie(Queue):
    r"""PIE (proportional integral controller enhanced).

    A controller of the queuing delay. It drops arrivals with a probability that it moves until the delay is at its
    reference; short bursts pass.

    Reference: RFC 8033, RFC 8034.

    Attributes
    ----------
    preset
        Group of settings. "rfc8033": RFC 8033 section 4: the basic algorithm, delays from timestamps.
        "rfc8033_enhanced": RFC 8033 section 5, too: off while the queue is short, drops spaced, steps capped, delays
        from the departure rate. "docsis": RFC 8034 (DOCSIS-PIE): reference 10 ms, updates every 16 ms, doubled gains,
        by size with a mean packet of 1024 bytes, delays from the rate. The buffer is the operator's: set `limit`.
        "linux": Linux 6.12 sch_pie's defaults (include/net/pie.h), which tc of iproute2 7.1 leaves, in its numbers:
        limit 1000 packets, steps capped, drops spaced, 2 % more above 250 ms.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"1000p"``: Linux sch_pie limit.
    target
        Queuing delay that is aimed at (QDELAY_REF). Allowed: a time such as "20ms", 0s to 100s. Default ``"15ms"``:
        RFC 8033 section 4.2.
    interval
        Time between two updates of the probability (T_UPDATE). Allowed: a time such as "20ms", 1us to 100s. Default
        ``"15ms"``: RFC 8033 section 4.2.
    alpha
        Gain of the distance from the target, in Hz. Allowed: a number, 0 to 1000000. Default ``0.125``: RFC 8033
        section 4.2.
    beta
        Gain of the change since the last update, in Hz. Allowed: a number, 0 to 1000000. Default ``1.25``: RFC 8033
        section 4.2.
    scaling
        How much smaller steps are at small probabilities. Allowed: one of "rfc8033", "docsis", "off". Default
        ``"rfc8033"``: RFC 8033 section 4.2; RFC 8034 appendix A for docsis.
    max_burst
        For how long all passes in a burst (MAX_BURST). Allowed: a time such as "20ms", 0s to 100s. Default
        ``"150ms"``: RFC 8033 section 4.4; 142 ms in RFC 8034.
    bursts
        When a time begins in which a burst passes. Allowed: one of "after_calm", "after_drop". Default
        ``"after_calm"``: RFC 8033 section 4.4; RFC 8034 appendix A for after_drop.
    delay_from
        The source of the queuing delay. Allowed: one of "timestamps", "departure_rate", "link_rate". Default
        ``"timestamps"``: RFC 8033 section 4.3; section 5.2 for departure_rate; RFC 8034 for link_rate.
    dq_threshold
        Bytes that a measurement of the departures takes (DQ_THRESHOLD). Allowed: a number of bytes such as "1000B",
        1B to 1e9B. Default ``"16384B"``: RFC 8033 section 5.2: 2^14.
    active_from
        Part of the limit from which on it drops; 0 is always. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0``: RFC 8033 section 4; a third in section 5.3 and RFC 8034.
    calm
        When the probability decays by 2 % in an update: two delays of zero in a row, or both below half of the target
        (`low`). Allowed: one of "empty", "low". Default ``"empty"``: RFC 8033 section 4.2; RFC 8034 appendix A for
        low.
    rest
        How long both delays have to be below half of the target, at a probability of 0, before bursts pass again
        (`after_calm`) and it is no more active. Allowed: a time such as "20ms", 0s to 1000s. Default ``"0s"``: RFC
        8033 sections 4.4 and 5.3; 1 s in RFC 8034 (BURST_RESET_TIMEOUT).
    high_delay
        Queuing delay above which the probability rises by 2 % more in each update. Automatic: never. Allowed: a time
        such as "20ms", 0s to 1000s, or "auto". Default ``"auto"``: RFC 8033 has none; 200 ms in RFC 8034, 250 ms in
        Linux.
    cap_steps
        Whether no step above a probability of 10 % is greater than 2 %. Allowed: true or false. Default ``True``: RFC
        8033 section 5.5.
    derandomize
        Space drops: none before the probabilities of arrivals sum up to 0.85, one at 8.5 at the latest. Allowed: true
        or false. Default ``True``: RFC 8033 section 5.4.
    by_size
        Whether a packet's probability is in proportion to its size; that of the controller may then exceed 1.
        Allowed: true or false. Default ``False``: RFC 8033: whatever the size; RFC 8034 appendix A for true.
    mean_packet
        Mean packet: sizes count in it, and two of them are never dropped. Automatic: the link's. Allowed: a number of
        bytes such as "1000B", 1B to 65535B, or "auto". Default ``"auto"``: a link has one; RFC 8034 appendix A has
        1024 B (MEAN_PKTSIZE).
    hold_in_burst
        Keep the probability at 0 while bursts pass. Allowed: true or false. Default ``False``: RFC 8033 appendix A;
        RFC 8034 appendix A for true.
    ecn
        Mark ECN-capable packets instead of dropping them. Allowed: true or false. Default ``False``: RFC 8033 section
        5.1: may.
    mark_below
        Mark only while the probability is below this, and drop from it on; more than 1 always marks. Allowed: a
        fraction such as 0.05 or "5%", 0 to 2. Default ``0.1``: RFC 8033 section 5.1: mark_ecnth.
    arithmetic
        In which numbers it is computed. With those of the kernel the law has Linux's form, too: of the other
        parameters `limit`, `target`, `interval`, `alpha`, `beta`, `max_burst`, `mean_packet` and `ecn` count.
        Allowed: one of "real", "kernel". Default ``"real"``: RFC 8033.
    """

    kind: ClassVar[str] = "pie"

    preset: Literal["rfc8033", "rfc8033_enhanced", "docsis", "linux"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    alpha: float | None = None
    beta: float | None = None
    scaling: Literal["rfc8033", "docsis", "off"] | None = None
    max_burst: str | None = None
    bursts: Literal["after_calm", "after_drop"] | None = None
    delay_from: Literal["timestamps", "departure_rate", "link_rate"] | None = None
    dq_threshold: str | None = None
    active_from: float | str | None = None
    calm: Literal["empty", "low"] | None = None
    rest: str | None = None
    high_delay: str | None = None
    cap_steps: bool | None = None
    derandomize: bool | None = None
    by_size: bool | None = None
    mean_packet: str | None = None
    hold_in_burst: bool | None = None
    ecn: bool | None = None
    mark_below: float | str | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Dred(Queue):
    r"""DRED (dynamic RED).

    A controller that holds the queue at a target. The drop probability moves by the filtered distance of the queue
    from the target; below a threshold nothing is dropped.

    Reference: Aweya, Ouellette and Montuno 2001.

    Attributes
    ----------
    preset
        Group of settings. "paper": Aweya, Ouellette and Montuno 2001: every ten packet times, gains 0.00005 and
        0.002, the target half of the buffer.
    limit
        The most that may wait, without the packet in transmission (B). Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    target
        Target of the queue (T). Automatic: half of `limit`. Allowed: an amount of queue such as "50p", "64KiB",
        "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Awe01]: T = B / 2.
    spare_below
        Queue below which nothing is dropped (L). Automatic: 0.9 times the target. Allowed: an amount of queue such as
        "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Awe01]: L = 0.9 T.
    alpha
        Gain of the controller, for an error of the whole buffer. Allowed: a number, 0 to 1000. Default ``0.00005``:
        [Awe01].
    beta
        Weight of the present error in the filter. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.002``: [Awe01].
    interval
        Time between two updates. Automatic: ten mean packets at the link's rate. Allowed: a time such as "20ms", 1us
        to 10000s, or "auto". Default ``"auto"``: [Awe01]: 10 packet times.
    top
        The probability never exceeds it (theta). Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``1``:
        [Awe01].
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability. Allowed: true or false. Default
        ``False``: RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "dred"

    preset: Literal["paper"] | None = None
    limit: str | None = None
    target: str | None = None
    spare_below: str | None = None
    alpha: float | None = None
    beta: float | str | None = None
    interval: str | None = None
    top: float | str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfc(Queue):
    r"""SFC (state feedback controller).

    A controller by the queue and the rate of arrivals. The drop probability is a weighted sum of the queue's distance
    from its target and of the excess of arrivals over the link.

    Reference: Gao and Hou 2003.

    Attributes
    ----------
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    q_ref
        Target of the queue. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default
        ``"25p"``: as pi: a quarter of the limit.
    k1
        Gain of the queue's distance from its target, per packet (k1). Automatic: designed for `design_flows` and
        `design_rtt`. Allowed: a number, 0 to 1000000, or "auto". Default ``"auto"``: derived: [Gao03]'s rule was not
        available.
    k2
        Gain of the excess rate, in seconds per packet (k2). Automatic as `k1`. Allowed: a number, 0 to 1000000, or
        "auto". Default ``"auto"``: derived: [Gao03]'s rule was not available.
    window
        Time over which the rate of arrivals is averaged. Automatic: the base round-trip time. Allowed: a time such as
        "20ms", 1us to 1000s, or "auto". Default ``"auto"``: ours: neither source says.
    design_flows
        Number of flows that automatic gains are designed for. Automatic: the flows of the scenario. Allowed: a whole
        number, 1 to 1e9, or "auto". Default ``"auto"``: as pi.
    design_rtt
        Greatest round-trip time that automatic gains are designed for. Automatic: base round-trip time plus a full
        buffer. Allowed: a time such as "20ms", 1us to 1000s, or "auto". Default ``"auto"``: as pi.
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability. Allowed: true or false. Default
        ``False``: [Gao03] is for ECN; RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "sfc"

    limit: str | None = None
    q_ref: str | None = None
    k1: float | Literal["auto"] | None = None
    k2: float | Literal["auto"] | None = None
    window: str | None = None
    design_flows: int | Literal["auto"] | None = None
    design_rtt: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Rem(Queue):
    r"""REM (random exponential marking).

    A controller by a price of congestion. The price sums up by how much arrivals exceed the link and the queue its
    target; the drop probability is exponential in it.

    Reference: Athuraliya, Li, Low and Yin 2001.

    Attributes
    ----------
    preset
        Group of settings. "paper": Athuraliya et al. 2001: gamma 0.001, alpha 0.1, phi 1.001, the price by rates and
        the queue at the period's beginning. "ns2": ns-2 2.35: the price by arrivals and the present queue every 2 ms,
        marks at departure, one packet fewer waits. "alemu2004": Alemu 2004 chapter 4, over ns-2's module: phi 1.1,
        target 10 of 35 packets. "alemu2004_printed": Alemu 2004 algorithm 4 as printed, the price by queue lengths
        alone, with the values of chapter 4.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    q_ref
        Target of the queue. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default
        ``"20p"``: [Ath01] (b*); ns-2 2.35 pbo_.
    gamma
        Step of the price for each packet of excess. Allowed: a number, 0 to 1000000. Default ``0.001``: [Ath01].
    alpha
        Weight of the queue beside that of the rate. Allowed: a number, 0 to 1000000. Default ``0.1``: [Ath01]; ns-2
        2.35 rem.cc.
    phi
        Base of the exponential: the probability is 1 - phi^(-price). Allowed: a number, 1 to 1000000. Default
        ``1.001``: [Ath01]; [Ale04] chapter 4 uses 1.1.
    interval
        Time between two changes of the price. Allowed: a time such as "20ms", 1us to 10000s. Default ``"2ms"``: ns-2
        2.35 pupdtime_.
    form
        The terms of the price: arrivals beyond the link's rate and the queue one period ago (`rate`) or now (`ns2`),
        or queue lengths alone (`queue`). Allowed: one of "rate", "queue", "ns2". Default ``"rate"``: [Ath01]; [Ale04]
        eq. 1.9 and 1.10; ns-2 2.35 rem.cc.
    rate_weight
        Weight of a period in the average of the arrivals; 1 takes the last period alone. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``1``: ns-2 2.35 inw_.
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability. Allowed: true or false. Default
        ``False``: ns-2 2.35 markpkts_.
    marking
        The place of marks: on arrival, where packets that cannot be marked are dropped, or at departure, where they
        are spared. Allowed: one of "arrival", "departure". Default ``"arrival"``: [Ath01]; ns-2 2.35 rem.cc for
        departure.
    full_at
        Whether a buffer of n packets is full when n wait (`limit`) or when n - 1 wait (`ns2`). Allowed: one of
        "limit", "ns2". Default ``"limit"``: plain meaning; ns-2 2.35 rem.cc for ns2.
    """

    kind: ClassVar[str] = "rem"

    preset: Literal["paper", "ns2", "alemu2004", "alemu2004_printed"] | None = None
    limit: str | None = None
    q_ref: str | None = None
    gamma: float | None = None
    alpha: float | None = None
    phi: float | None = None
    interval: str | None = None
    form: Literal["rate", "queue", "ns2"] | None = None
    rate_weight: float | str | None = None
    ecn: bool | None = None
    marking: Literal["arrival", "departure"] | None = None
    full_at: Literal["limit", "ns2"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Avq(Queue):
    r"""AVQ (adaptive virtual queue).

    Active queue management by a virtual queue, which gets the same packets and whose link is slower than the real
    one. What would overflow it is dropped or marked, and its capacity adapts until arrivals fill the desired share of
    the link.

    Reference: Kunniyur and Srikant 2001.

    Attributes
    ----------
    preset
        Group of settings. "paper": Kunniyur and Srikant 2001: gamma 0.98, alpha 0.15, in bytes, every arrival lowers
        the capacity. "ns2": ns-2 2.35: 50 packets of 1000 bytes; only packets that are not dropped change the
        capacity, which starts at 0.8 of the link's. "alemu2004": Alemu 2004 chapter 4: AVQ over ns-2's module, gamma
        1, alpha 0.251, buffers of 35 packets. "alemu2004_star": Alemu 2004 chapter 4: AVQ*, alpha by the rule for the
        number of flows, 0.251 if the rule gives none.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo; [Kun01] simulates 100 packets.
    virtual_limit
        The most that the virtual queue holds. Automatic: the limit. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12, or "auto". Default ``"auto"``: [Kun01]: the same buffer; ns-2 2.35
        buflim_ 1.
    gamma
        Part of the link that arrivals shall fill. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``0.98``:
        [Kun01]; ns-2 2.35 gamma_.
    alpha
        How fast the capacity follows, per second. Automatic: the greatest that is stable with `design_flows` and
        `design_rtt`. Allowed: a number, 0 to 1000000, or "auto". Default ``"auto"``: [Ale04] theorem 1, after
        [Kun01]; 0.15 in [Kun01] and ns-2 2.35 vq.cc.
    alpha_else
        The value of an automatic `alpha` if the rule gives none. Allowed: a number, 0 to 1000000. Default ``0.251``:
        [Ale04] section 4.3.
    design_flows
        Least number of flows that an automatic `alpha` shall be stable with. Automatic: the flows of the scenario.
        Allowed: a whole number, 1 to 1e9, or "auto". Default ``"auto"``: [Ale04] theorem 1 (N-).
    design_rtt
        Greatest round-trip time that an automatic `alpha` shall be stable with. Automatic: base round-trip time plus
        a full buffer. Allowed: a time such as "20ms", 1us to 1000s, or "auto". Default ``"auto"``: [Ale04] theorem 1
        (R+).
    mode
        The unit of the virtual queue. A virtual limit in packets counts mean packets. Allowed: one of "packets",
        "bytes". Default ``"bytes"``: [Kun01]; ns-2 2.35 queue_in_bytes_.
    start
        The capacity at the start, as part of the link's. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.8``: ns-2 2.35 ecnlim_; [Kun01] does not say.
    adapts
        Which arrivals move the capacity: all, or those that are not dropped for the virtual queue. Allowed: one of
        "every", "accepted". Default ``"accepted"``: ns-2 2.35 vq.cc; [Kun01], which marks, for every.
    ceiling
        Whether the capacity is held to the link's before or after the arrival is taken off. Allowed: one of "before",
        "after". Default ``"before"``: [Kun01] fig. 2; ns-2 2.35 vq.cc for after.
    ecn
        Mark ECN-capable packets instead of dropping them. Allowed: true or false. Default ``False``: ns-2 2.35
        markpkts_.
    spares
        Whether packets that are not ECN-capable (a SYN is not) pass then, instead of being dropped. Allowed: true or
        false. Default ``False``: RFC 3168 section 5; ns-2 2.35 vq.cc spares them.
    """

    kind: ClassVar[str] = "avq"

    preset: Literal["paper", "ns2", "alemu2004", "alemu2004_star"] | None = None
    limit: str | None = None
    virtual_limit: str | None = None
    gamma: float | str | None = None
    alpha: float | Literal["auto"] | None = None
    alpha_else: float | None = None
    design_flows: int | Literal["auto"] | None = None
    design_rtt: str | None = None
    mode: Literal["packets", "bytes"] | None = None
    start: float | str | None = None
    adapts: Literal["every", "accepted"] | None = None
    ceiling: Literal["before", "after"] | None = None
    ecn: bool | None = None
    spares: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Lred(Queue):
    r"""LRED (loss ratio based RED).

    A controller by the loss ratio. The drop probability is the loss ratio of the last periods, corrected by how far
    the queue is from its target.

    Reference: Wang, Li, Hou, Sohraby and Lin 2004.

    Attributes
    ----------
    preset
        Group of settings. "alemu2004": Alemu 2004 chapter 4: LRED, beta 0.021 for the least number of flows, target
        10 of 35 packets. "alemu2004_star": Alemu 2004 chapter 4: LRED*, beta by the rule for the number of flows,
        target 10 of 35 packets. "alemu2004_fig44": Alemu 2004 figure 4.4: beta 0.151, which is right for 103 flows,
        under 3.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    q_ref
        Target of the queue. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default
        ``"25p"``: as pi.
    beta
        Gain of the queue's distance from its target, per packet. Automatic: designed for `design_flows` and
        `design_rtt`. Allowed: a number, 0 to 1000000, or "auto". Default ``0.005``: ours: an empty queue drops
        nothing up to a ratio of 1.6 %; [Ale04] eq. 1.26 for auto.
    interval
        Period over which arrivals and losses are counted (mp); shorter than a round trip. Allowed: a time such as
        "20ms", 1us to 10000s. Default ``"50ms"``: [Wan04] asks for less than a round-trip time; [Ale04] gives no
        value.
    periods
        Periods that make a ratio (M). Allowed: a whole number, 1 to 10000. Default ``4``: [Ale04] section 1.2.
    memory
        Weight of the former ratios in the average (mw). Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.9``: ours: [Ale04] names it and gives no value.
    design_flows
        Least number of flows that an automatic `beta` shall be stable with. Automatic: the flows of the scenario.
        Allowed: a whole number, 1 to 1e9, or "auto". Default ``"auto"``: [Ale04] eq. 1.26 (N-).
    design_rtt
        Greatest round-trip time that an automatic `beta` shall be stable with. Automatic: base round-trip time plus a
        full buffer. Allowed: a time such as "20ms", 1us to 1000s, or "auto". Default ``"auto"``: [Ale04] eq. 1.26
        (R+).
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability. Allowed: true or false. Default
        ``False``: RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "lred"

    preset: Literal["alemu2004", "alemu2004_star", "alemu2004_fig44"] | None = None
    limit: str | None = None
    q_ref: str | None = None
    beta: float | Literal["auto"] | None = None
    interval: str | None = None
    periods: int | None = None
    memory: float | str | None = None
    design_flows: int | Literal["auto"] | None = None
    design_rtt: str | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Green(Queue):
    r"""GREEN.

    Active queue management by a formula of TCP's throughput. It drops as often as the square-root law asks for, if
    each of the active flows shall have an equal share of the link.

    Reference: Feng, Kapadia and Thulasidasan 2002; Kapadia, Feng and Campbell 2004.

    Attributes
    ----------
    preset
        Group of settings. "feng2002": Feng, Kapadia and Thulasidasan 2002: the law alone. "kapadia2004": Kapadia,
        Feng and Campbell 2004: a factor gamma adapts the law to losses and utilisation.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    c
        The constant c of TCP's law, throughput = MSS c / (RTT sqrt(p)). Allowed: a number, 0.001 to 1000. Default
        √(3/2) ≈ 1.225: [Ale04] eq. 1: often sqrt(3/2).
    window
        Period over which flows are counted and the utilisation is measured: too long overestimates the flows, too
        short underestimates them. Allowed: a time such as "20ms", 1ms to 10000s. Default ``"1s"``: [Ale04] gives no
        value; several round-trip times.
    adaptive
        Whether a factor gamma adapts the law: down at losses to a full buffer, else up while the link is not full.
        Allowed: true or false. Default ``True``: [Kap04]; [Fen02] for false.
    decrease
        Factor of gamma after a window with losses. Allowed: a number, 0 to 1. Default ``0.95``: [Ale04] algorithm 8.
    full
        Utilisation below which gamma rises. Allowed: a number, 0 to 1. Default ``0.98``: [Ale04] algorithm 8.
    rtt
        The source of round-trip times: measured when a connection is set up, or the scenario's mean without queues
        for all. Allowed: one of "handshake", "base". Default ``"handshake"``: [Kap04]: each flow's own.
    add_wait
        Add the packet's wait in this queue to its round-trip time. Allowed: true or false. Default ``True``: [Kap04]:
        the senders' estimates; a distance service knows no queues.
    ecn
        Mark ECN-capable packets instead of dropping them, at any probability. Allowed: true or false. Default
        ``False``: RFC 3168: senders have to agree.
    """

    kind: ClassVar[str] = "green"

    preset: Literal["feng2002", "kapadia2004"] | None = None
    limit: str | None = None
    c: float | None = None
    window: str | None = None
    adaptive: bool | None = None
    decrease: float | None = None
    full: float | None = None
    rtt: Literal["handshake", "base"] | None = None
    add_wait: bool | None = None
    ecn: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Codel(Queue):
    r"""CoDel (controlled delay).

    Active queue management by how long packets wait. When packets have waited longer than a target for a whole
    interval it drops at the head of the queue, ever more often until the wait falls.

    Reference: RFC 8289.

    Attributes
    ----------
    preset
        Group of settings. "paper": RFC 8289: target 5 ms, interval 100 ms, drops only. "linux": Linux 6.12
        sch_codel's defaults, which tc of iproute2 7.1 leaves, in its numbers: limit 1000 packets, target 5 ms,
        interval 100 ms, no ECN, MTU 1514 bytes.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"1000p"``: Linux sch_codel DEFAULT_CODEL_LIMIT.
    target
        Acceptable standing wait. Allowed: a time such as "20ms", 0s to 100s. Default ``"5ms"``: RFC 8289 section 4.3.
    interval
        Time for which the wait has to stay above the target before a drop; about the longest round-trip time.
        Allowed: a time such as "20ms", 1ns to 1000s. Default ``"100ms"``: RFC 8289 section 4.2.
    ecn
        Mark ECN-capable packets instead of dropping them. Allowed: true or false. Default ``False``: Linux sch_codel.
    ce_threshold
        Mark every ECN-capable packet that has waited longer than this, whatever the state. Automatic: never. Allowed:
        a time such as "20ms", 0s to 1000s, or "auto". Default ``"auto"``: Linux sch_codel CE_THRESHOLD; off by
        default.
    mtu
        Nothing is dropped while at most this many bytes wait behind the packet, in the queues of all flows together
        if each flow has a queue. Allowed: a number of bytes such as "1000B", 0B to 1e9B. Default ``"1500B"``: RFC
        8289 sections 4.4 and 5.3: the link's MTU.
    arithmetic
        In which numbers times and square roots are computed. Allowed: one of "real", "kernel". Default ``"real"``:
        RFC 8289 section 5.6.
    """

    kind: ClassVar[str] = "codel"

    preset: Literal["paper", "linux"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    mtu: str | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cobalt(Queue):
    r"""COBALT (CoDel and BLUE alternate).

    CoDel and BLUE in one queue. CoDel drops or marks when packets wait too long, and its drops become rarer step by
    step when the wait falls; BLUE drops with a probability that overflows raise and idle times lower.

    Reference: Palmei et al. 2019; Høiland-Jørgensen, Täht and Morton 2018.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 sch_cake's defaults for the Internet, in its numbers: target 5 ms,
        interval 100 ms, more on slow links.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"1000p"``: as codel; Linux sch_cake bounds memory.
    target
        Acceptable standing wait. Allowed: a time such as "20ms", 0s to 100s. Default ``"5ms"``: Linux sch_cake; RFC
        8289 section 4.3.
    interval
        Time for which packets may wait longer; about the longest round-trip time. Allowed: a time such as "20ms", 1ns
        to 1000s. Default ``"100ms"``: Linux sch_cake; RFC 8289 section 4.2.
    increment
        BLUE's step up at an overflow. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default 1/256 ≈ 0.003906:
        Linux sch_cake: 1/256.
    decrement
        BLUE's step down while the link is idle. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default 1/4096 ≈
        0.0002441: Linux sch_cake: 1/4096.
    ecn
        Mark ECN-capable packets instead of dropping them by CoDel's law; BLUE drops them all the same. Allowed: true
        or false. Default ``True``: Linux sch_cake.
    slow_link
        Whether the target is at least the transmission of 1.5 packets, the interval longer by as much, and no wait
        too long that is not longer than the transmission of 4. Allowed: true or false. Default ``False``: as codel;
        true in Linux sch_cake where it is told a rate.
    arithmetic
        The arithmetic. With that of the kernel BLUE's probability does not fall, whatever `decrement` is. Allowed:
        one of "real", "kernel". Default ``"real"``: Palmei et al. 2019.
    """

    kind: ClassVar[str] = "cobalt"

    preset: Literal["linux"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    increment: float | str | None = None
    decrement: float | str | None = None
    ecn: bool | None = None
    slow_link: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Policer(Queue):
    r"""Policer.

    A meter before the queue, at which nothing waits. Packets that come in excess of a rate and a burst are dropped,
    marked or demoted.

    Reference: RFC 2697; ITU-T I.371.

    Attributes
    ----------
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    rate
        Rate that is within the contract, in bits of packets with their headers; `auto` is the rate of the link.
        Allowed: a rate such as "10Mbit", 1bit to 100Tbit, or "auto". Default ``"auto"``: our choice: nothing exceeds
        it for long unless it is told.
    burst
        Burst that is within the contract. Allowed: a number of bytes such as "1000B", 0B to 1e9B. Default
        ``"3000B"``: our choice: two of the largest packets.
    meter
        Whether the bucket has to have tokens for a packet, or to have leaked before it. Allowed: one of
        "token_bucket", "leaky_bucket". Default ``"token_bucket"``: RFC 2697.
    excess
        The fate of a packet in excess. Allowed: one of "dropped", "marked", "demoted". Default ``"dropped"``: Alemu
        2004 section 1.3.
    demoted_dscp
        Codepoint of demoted packets; they are declared Out, too. Allowed: a codepoint such as "EF", "AF11", "CS1" or
        46. Default ``"DF"``: RFC 2474: best effort.
    """

    kind: ClassVar[str] = "policer"

    limit: str | None = None
    rate: str | None = None
    burst: str | None = None
    meter: Literal["token_bucket", "leaky_bucket"] | None = None
    excess: Literal["dropped", "marked", "demoted"] | None = None
    demoted_dscp: str | int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Decbit(Queue):
    r"""DECbit.

    A router that signals congestion by a bit in each packet. Every arriving packet is marked while the average queue
    of the last busy and idle time and of the current busy time is at least one packet. Its senders have the control
    `decbit`.

    Reference: Ramakrishnan and Jain 1990.

    Attributes
    ----------
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo; [RJ90] has no overflow.
    threshold
        Average queue in packets from which on the bit is set. Allowed: a number, 0 to 1e9. Default ``1``: [RJ90]
        section 4: the most power.
    in_transmission
        Whether the packet in transmission counts. Allowed: true or false. Default ``True``: the queue of [RJ90]'s
        M/M/1 argument holds the packet in service.
    """

    kind: ClassVar[str] = "decbit"

    limit: str | None = None
    threshold: float | None = None
    in_transmission: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Xcp(Queue):
    r"""XCP router.

    A router that tells XCP's senders how to change their windows. It writes the change into each packet: the spare
    capacity less the persistent queue, divided equally, and a tenth of the traffic redistributed in every round trip.
    It drops only when the buffer is full.

    Reference: Katabi, Handley and Rohrs 2002.

    Attributes
    ----------
    preset
        Group of settings. "ns2": ns-2 2.35 (its source and what `ns` prints, checked on 2026-11-25): 50 packets wait
        at most; when its link falls idle it looks into its queue for other traffic, so that XCP's queue never counts
        as empty; SYNs alone are enough to distribute spare capacity.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"1BDP"``: [KHR02] section 5.1.
    alpha
        Part of the spare capacity that is given out in a round trip. Allowed: a fraction such as 0.05 or "5%", 0 to
        1. Default ``0.4``: [KHR02] section 3.5.1.
    beta
        Part of the persistent queue that is taken back in a round trip. Allowed: a fraction such as 0.05 or "5%", 0
        to 1. Default ``0.226``: [KHR02] section 3.5.1.
    gamma
        Part of the traffic that is dealt anew in a round trip. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0.1``: [KHR02] section 3.5.2.
    initial_interval
        Control interval while no round-trip time is known. Allowed: a time such as "20ms", 1ms to 1s. Default
        ``"50ms"``: ns-2 2.35.
    sees_idle
        Take an idle link for a sign that no queue persists. Allowed: true or false. Default ``True``: [KHR02] section
        3.5.1: the least queue that an arrival finds.
    deals_blindly
        Give spare capacity to the first packets that report a round-trip time also after traffic without such reports
        (SYNs). Allowed: true or false. Default ``False``: [KHR02] section 3.5.2: by the last interval's packets.
    control_phase
        End of the first control interval, which keeps routers from each other's step; `auto` is `initial_interval`.
        Allowed: a time such as "20ms", 0s to 1000s, or "auto". Default ``"auto"``: the same for all routers.
    queue_phase
        End of the first interval over which the least queue is taken; `auto` is `initial_interval`. Allowed: a time
        such as "20ms", 0s to 1000s, or "auto". Default ``"auto"``: the same for all routers.
    """

    kind: ClassVar[str] = "xcp"

    preset: Literal["ns2"] | None = None
    limit: str | None = None
    alpha: float | str | None = None
    beta: float | str | None = None
    gamma: float | str | None = None
    initial_interval: str | None = None
    sees_idle: bool | None = None
    deals_blindly: bool | None = None
    control_phase: str | None = None
    queue_phase: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Rcp(Queue):
    r"""RCP router.

    A router that tells RCP's senders their rate. It writes into each packet the rate for all flows, which rises with
    the spare capacity and falls with the queue. It drops only when the buffer is full.

    Reference: Dukkipati, Kobayashi, Zhang-Shen and McKeown 2005.

    Attributes
    ----------
    preset
        Group of settings. "authors": The authors' router for ns-2 (rcp.cc v4, checked on 2026-11-25): in an interval
        without a round trip that of the last one counts again.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"1BDP"``: as xcp.
    alpha
        Part of the spare capacity that is given out in a round trip. Allowed: a number, 0 to 100. Default ``0.4``:
        the authors' rcp.cc v4.
    beta
        Part of the queue that is taken back in a round trip. Allowed: a number, 0 to 100. Default ``0.4``: the
        authors' rcp.cc v4.
    gamma
        Part of the link that shall be used. Allowed: a fraction such as 0.05 or "5%", 0.01 to 1. Default ``1``:
        Dukkipati et al. 2005 section 2: all of it.
    interval
        Longest time between two changes of the rate; the mean round trip, if that is shorter. Allowed: a time such as
        "20ms", 10us to 10s. Default ``"10ms"``: the authors' rcp.cc v4.
    initial_rtt
        Mean round trip before the first report. Allowed: a time such as "20ms", 10us to 10s. Default ``"200ms"``: the
        authors' rcp.cc v4.
    initial_rate
        First rate, as a part of the link's. Allowed: a fraction such as 0.05 or "5%", 0.000001 to 1. Default
        ``"5%"``: the authors' rcp.cc v4.
    least
        Least rate in packets of 1000 bytes per mean round trip. Allowed: a number, 0.000001 to 1000. Default
        ``0.01``: the authors' rcp.cc v4 with its patch of ns-default.tcl: min_pprtt_ 0.01.
    silence
        The effect on the mean of an interval in which no packet reports a round trip: none, or that of the last
        interval with reports. Allowed: one of "leaves", "repeats". Default ``"leaves"``: Dukkipati et al. 2005
        section 2: a mean over packets; the authors' rcp.cc v4 for repeats.
    """

    kind: ClassVar[str] = "rcp"

    preset: Literal["authors"] | None = None
    limit: str | None = None
    alpha: float | None = None
    beta: float | None = None
    gamma: float | str | None = None
    interval: str | None = None
    initial_rtt: str | None = None
    initial_rate: float | str | None = None
    least: float | None = None
    silence: Literal["leaves", "repeats"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RedBoston(RedWorcesterParameters, RedParameters):
    r"""RED-Boston.

    RED-Worcester that lets urgent packets overtake. Packets are sent in the order of arrival plus the delay that they
    ask for, and the urgent ones are dropped more in return.

    Reference: Phirke 2002.

    It has the attributes of :class:`RedParameters` and :class:`RedWorcesterParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Phirke 2002 section 4: strict RED above max_th; set limit 120p, min_th 20p and
        max_th 80p for its experiments. "gentle": As paper, with the gentle part above max_th.
    hint_cap
        Greatest probability that a hint can raise another to. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0.5``: [Phi02] eq. 4.1.
    hint_acts
        Which probability eq. 4.1 changes. Allowed: one of "alone", "before_spacing", "after_spacing". Default
        ``"after_spacing"``: [Phi02] section 4.2.1, our reading.
    max_p
        Probability at the upper threshold; its initial value if it is adapted. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0.1``: as ared.
    """

    kind: ClassVar[str] = "red_boston"

    preset: Literal["paper", "gentle"] | None = None
    hint_cap: float | str | None = None
    hint_acts: Literal["alone", "before_spacing", "after_spacing"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FqCodel(SharingParameters):
    r"""FQ-CoDel.

    Fair queueing by flow with CoDel in each queue. Flows are hashed to queues, which are served by deficit round
    robin with new flows first; CoDel drops or marks in a queue whose packets wait too long.

    Reference: RFC 8290.

    It has the attributes of :class:`SharingParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": RFC 8290: 1024 queues, quantum 1514 bytes, 10240 packets, target 5 ms, interval
        100 ms, ECN. "linux": Linux 6.12 sch_fq_codel's defaults, which tc of iproute2 7.1 leaves, in its numbers:
        those of the RFC and a memory limit of 32 MiB.
    memory_limit
        Bytes that may wait at most in all queues together, besides `limit`. Allowed: a number of bytes such as
        "1000B", 1B to 1e12B. Default ``"33554432B"``: Linux sch_fq_codel memory_limit, 32 MiB.
    target
        Acceptable standing wait in a queue. Allowed: a time such as "20ms", 0s to 100s. Default ``"5ms"``: RFC 8290
        section 5.2.2.
    interval
        Time for which the wait has to stay above the target before a drop. Allowed: a time such as "20ms", 1ns to
        1000s. Default ``"100ms"``: RFC 8290 section 5.2.1.
    ecn
        Mark ECN-capable packets instead of dropping them. Allowed: true or false. Default ``True``: RFC 8290 section
        5.2.6.
    ce_threshold
        Mark every ECN-capable packet that has waited longer than this. Automatic: never. Allowed: a time such as
        "20ms", 0s to 1000s, or "auto". Default ``"auto"``: RFC 8290 section 5.2.7; off by default.
    mtu
        Nothing is dropped by CoDel while at most this many bytes wait behind the packet, in all queues together.
        Allowed: a number of bytes such as "1000B", 0B to 1e9B. Default ``"1514B"``: RFC 8289 sections 4.4 and 5.3;
        Linux: the device's MTU.
    arithmetic
        The arithmetic of CoDel's times and square roots. With that of the kernel, packets that find no room count as
        CoDel's own drops, too, and an emptied new queue becomes an old queue for a round only if there are other old
        queues. Allowed: one of "real", "kernel". Default ``"real"``: RFC 8289 section 5.6.
    """

    kind: ClassVar[str] = "fq_codel"

    preset: Literal["paper", "linux"] | None = None
    memory_limit: str | None = None
    target: str | None = None
    interval: str | None = None
    ecn: bool | None = None
    ce_threshold: str | None = None
    mtu: str | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FqPie(Queue):
    r"""FQ-PIE.

    Fair queueing by flow with PIE in each queue. Flows are hashed to queues, which are served by deficit round robin
    with new flows first; in each PIE drops or marks arrivals with a probability that it moves until the delay is at
    its reference.

    Reference: RFC 8033, RFC 8290 (the scheduler).

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 sch_fq_pie's defaults, which tc of iproute2 7.1 leaves, in its numbers:
        1024 queues, 10240 packets, target and updates of 15 ms, no ECN.
    limit
        The most that may wait in all queues together. A packet for which there is no room is lost. Allowed: an amount
        of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"10240p"``: Linux sch_fq_pie.
    flows
        Queues that flows are hashed to. Allowed: a whole number, 1 to 65536. Default ``1024``: Linux sch_fq_pie.
    quantum
        Bytes that a queue may send in its turn. Allowed: a number of bytes such as "1000B", 1B to 1e9B. Default
        ``"1514B"``: Linux sch_fq_pie; RFC 8290 section 5.2.4.
    target
        Queuing delay that is aimed at in each queue. Allowed: a time such as "20ms", 0s to 100s. Default ``"15ms"``:
        RFC 8033 section 4.2.
    interval
        Time between two updates of the probability. Allowed: a time such as "20ms", 1us to 100s. Default ``"15ms"``:
        RFC 8033 section 4.2.
    alpha
        Gain of the distance from the target, in Hz. Allowed: a number, 0 to 1000000. Default ``0.125``: RFC 8033
        section 4.2.
    beta
        Gain of the change since the last update, in Hz. Allowed: a number, 0 to 1000000. Default ``1.25``: RFC 8033
        section 4.2.
    max_burst
        For how long all passes in a burst. Allowed: a time such as "20ms", 0s to 100s. Default ``"150ms"``: RFC 8033
        section 4.4.
    ecn
        Mark ECN-capable packets instead of dropping them while the probability is at most 10 %. Allowed: true or
        false. Default ``False``: Linux sch_fq_pie.
    arithmetic
        In which numbers it is computed. With those of the kernel an emptied new queue is old for a round only if
        others are. Allowed: one of "real", "kernel". Default ``"real"``: RFC 8033.
    """

    kind: ClassVar[str] = "fq_pie"

    preset: Literal["linux"] | None = None
    limit: str | None = None
    flows: int | None = None
    quantum: str | None = None
    target: str | None = None
    interval: str | None = None
    alpha: float | None = None
    beta: float | None = None
    max_burst: str | None = None
    ecn: bool | None = None
    arithmetic: Literal["real", "kernel"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cake(Queue):
    r"""CAKE.

    A shaper with fair shares for hosts and flows. Classes of service have tins with parts of the rate; in each, flows
    are hashed to queues, whose turns are divided among the flows of a host; COBALT drops or marks in queues whose
    packets wait too long.

    Reference: Høiland-Jørgensen, Täht and Morton 2018; Linux sch_cake.

    Attributes
    ----------
    preset
        Group of settings. "linux": Linux 6.12 sch_cake's defaults, which tc of iproute2 6.15 leaves: no shaper, three
        tins, triple isolation, 100 ms.
    bandwidth
        Rate at which packets leave, as the link layer counts their bytes. Automatic: as fast as the link takes them
        (tc: `unlimited`). Allowed: a rate such as "10Mbit", 8bit to 100Tbit, or "auto". Default ``"auto"``: Linux
        sch_cake: unlimited.
    autorate_ingress
        Whether the rate is set to 15/16 of an estimate from arrivals (tc: `autorate-ingress`). Allowed: true or
        false. Default ``False``: Linux sch_cake.
    tins
        Classes of service. Allowed: one of "besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence". Default
        ``"diffserv3"``: Linux sch_cake.
    isolation
        The unit that has a queue of its own, and among which the link is shared. Hosts are the nodes of a scenario;
        in a dumbbell each flow has two hosts. Allowed: one of "flowblind", "srchost", "dsthost", "hosts", "flows",
        "dual-srchost", "dual-dsthost", "triple-isolate". Default ``"triple-isolate"``: Linux sch_cake.
    path
        How long the paths are: sets `rtt`. Allowed: one of "datacentre", "lan", "metro", "regional", "internet",
        "oceanic", "satellite", "interplanetary". Default ``"internet"``: Linux sch_cake.
    rtt
        Interval of COBALT, about the longest round-trip time. Automatic: that of `path`. It grows as `target` does on
        a slow link. Allowed: a time such as "20ms", 1us to 4000s, or "auto". Default ``"auto"``: tc: rtt.
    target
        Acceptable standing wait; at least the transmission of 1.5 MTU. Automatic: a twentieth of `rtt`. Allowed: a
        time such as "20ms", 1us to 4000s, or "auto". Default ``"auto"``: tc: rtt / 20.
    ack_filter
        The acknowledgements that are dropped because later ones say the same (tc: `ack-filter`,
        `ack-filter-aggressive`). Allowed: one of "off", "filter", "aggressive". Default ``"off"``: Linux sch_cake.
    wash
        Whether packets lose their codepoint (tc: `wash`). They are sorted by it before. Allowed: true or false.
        Default ``False``: Linux sch_cake.
    ingress
        Whether packets have crossed the link already, so that drops count for the shaper as well (tc: `ingress`).
        Allowed: true or false. Default ``False``: Linux sch_cake.
    link_layer
        Link layer by keyword of tc: sets `overhead`, `mpu` and `framing`. Allowed: one of "raw", "conservative",
        "ethernet", "docsis", "pppoe-ptm", "bridged-ptm", "ipoa-vcmux", "ipoa-llcsnap", "bridged-vcmux",
        "bridged-llcsnap", "pppoa-vcmux", "pppoa-llc", "pppoe-vcmux", "pppoe-llcsnap". Default ``"raw"``: Linux
        sch_cake.
    overhead
        Bytes that each packet takes beyond those of IP (tc: `overhead`). Automatic: those of `link_layer`. Allowed: a
        whole number, -64 to 256, or "auto". Default ``"auto"``: tc: overhead.
    mpu
        Bytes that a packet takes at least (tc: `mpu`). Automatic: those of `link_layer`. Allowed: a whole number, 0
        to 256, or "auto". Default ``"auto"``: tc: mpu.
    framing
        The framing of bytes on the link (tc: `noatm`, `atm`, `ptm`). Automatic: as `link_layer` has it. Allowed: one
        of "noatm", "atm", "ptm", or "auto". Default ``"auto"``: tc: noatm.
    header
        Bytes of the link layer in the sizes of packets; subtracted if an overhead is set. Allowed: a number of bytes
        such as "1000B", 0B to 1000B. Default ``"14B"``: Linux: the header of Ethernet.
    mtu
        The largest packet. Allowed: a number of bytes such as "1000B", 1B to 65535B. Default ``"1514B"``: Linux: the
        device's MTU and header.
    memory_limit
        The most that may wait, as `memory` counts it (tc: `memlimit`); the longest queue loses its head. Automatic:
        four intervals of `bandwidth`, at least 4 MiB, and at most 10240 packets of an MTU. Allowed: a number of bytes
        such as "1000B", 1B to 4e9B, or "auto". Default ``"auto"``: Linux sch_cake.
    memory
        The bytes that the memory limit counts. Allowed: one of "kernel", "bytes". Default ``"kernel"``: Linux:
        skb->truesize.
    """

    kind: ClassVar[str] = "cake"

    preset: Literal["linux"] | None = None
    bandwidth: str | None = None
    autorate_ingress: bool | None = None
    tins: Literal["besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"] | None = None
    isolation: (
        Literal["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"]
        | None
    ) = None
    path: (
        Literal["datacentre", "lan", "metro", "regional", "internet", "oceanic", "satellite", "interplanetary"] | None
    ) = None
    rtt: str | None = None
    target: str | None = None
    ack_filter: Literal["off", "filter", "aggressive"] | None = None
    wash: bool | None = None
    ingress: bool | None = None
    link_layer: (
        Literal[
            "raw",
            "conservative",
            "ethernet",
            "docsis",
            "pppoe-ptm",
            "bridged-ptm",
            "ipoa-vcmux",
            "ipoa-llcsnap",
            "bridged-vcmux",
            "bridged-llcsnap",
            "pppoa-vcmux",
            "pppoa-llc",
            "pppoe-vcmux",
            "pppoe-llcsnap",
        ]
        | None
    ) = None
    overhead: int | Literal["auto"] | None = None
    mpu: int | Literal["auto"] | None = None
    framing: Literal["noatm", "atm", "ptm", "auto"] | None = None
    header: str | None = None
    mtu: str | None = None
    memory_limit: str | None = None
    memory: Literal["kernel", "bytes"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Dualpi2(Queue):
    r"""DualPI2 (L4S).

    Two coupled queues: one for packets with ECT(1), whose senders are scalable, and one for all others. The first is
    served first and marked early, the second has PI2, and both probabilities are coupled so that flows of both kinds
    get the same share.

    Reference: RFC 9332.

    Attributes
    ----------
    preset
        Group of settings. "rfc9332": RFC 9332 appendix A: 250 ms of buffer, target 15 ms, round trips up to 100 ms, a
        ramp from 0.8 to 1.2 ms. "linux": Linux 6.17 sch_dualpi2's defaults: updates every 16 ms, gains 41/256 and
        819/256 Hz, a step at 1 ms for any packet, 10000 packets; in its numbers.
    limit
        A guard of memory: the most that may wait in both queues, without the packet in transmission. Allowed: an
        amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"10000p"``: Linux sch_dualpi2;
        250 ms at the link's rate in RFC 9332.
    target
        Queuing delay of the classic queue that is aimed at. Allowed: a time such as "20ms", 0s to 100s. Default
        ``"15ms"``: RFC 9332 appendix A.
    interval
        Time between two updates of the probability (Tupdate). Allowed: a time such as "20ms", 1us to 100s. Default
        ``"15ms"``: RFC 9332 appendix A: min(target, RTT_max / 3); 16 ms in Linux.
    alpha
        Gain of the distance from the target, in Hz. Allowed: a number, 0 to 1000000. Default ``0.15``: RFC 9332
        appendix A: 0.1 Tupdate / RTT_max^2 with 100 ms.
    beta
        Gain of the change since the last update, in Hz. Allowed: a number, 0 to 1000000. Default ``3``: RFC 9332
        appendix A: 0.3 / RTT_max with 100 ms.
    coupling
        By how much the coupled probability of the L4S queue exceeds p' (k). Allowed: a number, 0.1 to 100. Default
        ``2``: RFC 9332 section 4.2.
    ramp_from
        Delay in the L4S queue from which it marks without the coupling (minTh). Allowed: a time such as "20ms", 0s to
        100s. Default ``"800us"``: RFC 9332 appendix A.
    ramp_to
        Delay from which on it marks every packet (minTh + range). Allowed: a time such as "20ms", 0s to 100s. Default
        ``"1200us"``: RFC 9332 appendix A: a range of 400 us.
    ramp_spares
        Packets in the L4S queue up to which its own law does not mark (Th_len). Allowed: a whole number, 0 to 1e9.
        Default ``1``: RFC 9332 appendix A: Th_len; Linux min_qlen_step 0.
    classic_share
        Least part of the link that the classic queue keeps while both have packets. Allowed: a fraction such as 0.05
        or "5%", 0 to 1. Default ``0.1``: Linux sch_dualpi2 classic_protection; RFC 9332 leaves it open.
    arithmetic
        In which numbers it is computed. Allowed: one of "real", "kernel". Default ``"real"``: RFC 9332 appendix A.
    mtu
        The largest packet: below two of them the kernel's arithmetic spares all, and its round robin begins with it.
        Allowed: a number of bytes such as "1000B", 1B to 1000000B. Default ``"1514B"``: Linux: the device's MTU.
    drop_early
        Whether the kernel's arithmetic marks and drops packets when they come, and not when they leave. Allowed: true
        or false. Default ``False``: Linux sch_dualpi2 drop_dequeue.
    drop_overload
        Whether in overload the kernel's arithmetic drops L4S packets; else p' stays below overload, and a full buffer
        drops. Allowed: true or false. Default ``True``: Linux sch_dualpi2 drop_on_overload.
    """

    kind: ClassVar[str] = "dualpi2"

    preset: Literal["rfc9332", "linux"] | None = None
    limit: str | None = None
    target: str | None = None
    interval: str | None = None
    alpha: float | None = None
    beta: float | None = None
    coupling: float | None = None
    ramp_from: str | None = None
    ramp_to: str | None = None
    ramp_spares: int | None = None
    classic_share: float | str | None = None
    arithmetic: Literal["real", "kernel"] | None = None
    mtu: str | None = None
    drop_early: bool | None = None
    drop_overload: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FlowQueue(SharingParameters):
    r"""Flow queue of any policy.

    Fair queueing by flow around any policy. Flows are hashed to queues, each with its own copy of the policy, which
    are served by deficit round robin with new flows first.

    Reference: RFC 8290 (the scheduler).

    It has the attributes of :class:`SharingParameters`, too.

    Attributes
    ----------
    policy
        The policy in each flow's queue. Allowed: one of "fifo", "capped_tail", "red", "wred", "ared", "ared_feng",
        "psand", "dsred", "re_ared", "fared", "cared", "ared_mimd", "wq_max_p", "self_tuning_red", "nlred", "mred",
        "ered", "e_red", "sred", "fred", "bred", "rio", "cbt_red", "red_filter", "red_pd", "csfq", "xred", "diffserv",
        "lpf_oda", "hybrid_red", "red_worcester", "choke", "black", "afc", "sfb", "care", "lqd", "blue",
        "p_controller", "pi", "pi2", "pie", "dred", "sfc", "rem", "avq", "lred", "green", "codel", "cobalt",
        "policer", "decbit", "xcp", "rcp", or a table such as { kind = "red", ecn = true } with the policy's
        parameters but `limit`. Default ``"codel"``: RFC 8290.
    """

    kind: ClassVar[str] = "flow_queue"

    policy: (
        Literal[
            "fifo",
            "capped_tail",
            "red",
            "wred",
            "ared",
            "ared_feng",
            "psand",
            "dsred",
            "re_ared",
            "fared",
            "cared",
            "ared_mimd",
            "wq_max_p",
            "self_tuning_red",
            "nlred",
            "mred",
            "ered",
            "e_red",
            "sred",
            "fred",
            "bred",
            "rio",
            "cbt_red",
            "red_filter",
            "red_pd",
            "csfq",
            "xred",
            "diffserv",
            "lpf_oda",
            "hybrid_red",
            "red_worcester",
            "choke",
            "black",
            "afc",
            "sfb",
            "care",
            "lqd",
            "blue",
            "p_controller",
            "pi",
            "pi2",
            "pie",
            "dred",
            "sfc",
            "rem",
            "avq",
            "lred",
            "green",
            "codel",
            "cobalt",
            "policer",
            "decbit",
            "xcp",
            "rcp",
        ]
        | Queue
        | Mapping[str, Any]
        | None
    ) = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Drr(RoundRobinParameters):
    r"""DRR (deficit round robin).

    Fair queueing by flow in turns of bytes. Flows are hashed to queues, which are served in turn. The unused bytes of
    a turn are added to the next one. A full buffer drops from the longest queue.

    Reference: Shreedhar and Varghese 1995.

    It has the attributes of :class:`RoundRobinParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": Shreedhar and Varghese 1995: a quantum of the largest packet, so that each turn
        sends one. "ns2": ns-2 2.35's defaults: 25000 bytes, 10 queues, a quantum of 250 bytes, drops from the front.
    """

    kind: ClassVar[str] = "drr"

    preset: Literal["paper", "ns2"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfq(RoundRobinParameters):
    r"""SFQ (stochastic fairness queueing).

    Fair queueing by flow in turns, with a hash that may change. Flows are hashed to queues, which are served in turn;
    another hash from time to time parts flows that share a queue.

    Reference: McKenney 1990.

    It has the attributes of :class:`RoundRobinParameters`, too.

    Attributes
    ----------
    preset
        Group of settings. "paper": McKenney 1990: a packet in each turn, the longest queue loses its last; the hash
        changes every 10 s, as tc-sfq(8) advises. "linux": Linux 6.16 sch_sfq's defaults, as tc of iproute2 7.1 leaves
        them: 127 packets, 1024 hashes, turns of 1514 bytes, the longest queue loses its last, of equals that of the
        packet that comes. "ns2": ns-2 2.35's defaults: 40 packets, 16 queues, a packet in each turn, arrivals beyond
        a share dropped.
    turn
        The measure of a queue's turn: bytes of a quantum, or one packet. Allowed: one of "bytes", "packet". Default
        ``"bytes"``: Linux sch_sfq; ns-2 2.35 sfq.cc for packet.
    full
        When there is no room the longest queue loses a packet (`longest`), or the one that comes goes if its queue
        has its share (`fair_share`). Allowed: one of "longest", "fair_share". Default ``"longest"``: Linux sch_sfq;
        ns-2 2.35 sfq.cc for fair_share.
    of_equals
        Which of several equally long queues loses it. Allowed: one of "first_turn", "last_changed". Default
        ``"first_turn"``: the one that is served next has waited longest; last_changed for Linux sch_sfq.
    depth
        Packets that a queue may hold. Allowed: a whole number, 1 to 1e9. Default ``127``: Linux sch_sfq depth.
    perturb
        Time after which the hash changes. 0: never. Allowed: a time such as "20ms", 0s to 1000000s. Default ``"0s"``:
        Linux sch_sfq perturb.
    red_min
        RED in each queue: average bytes of the queue from which on packets are dropped or marked at random, in
        Linux's numbers. Automatic: no RED. Allowed: a number of bytes such as "1000B", 1B to 1e9B, or "auto". Default
        ``"auto"``: Linux sch_sfq without redflowlimit.
    red_max
        Average bytes of a queue from which on RED drops or marks every packet. Automatic: three times `red_min`.
        Allowed: a number of bytes such as "1000B", 1B to 1e9B, or "auto". Default ``"auto"``: tc-sfq(8).
    red_max_p
        RED's probability at `red_max`. Allowed: a number, 0 to 1. Default ``0.02``: tc-sfq(8).
    red_w_q
        RED's weight of a sample, a power of 1/2. Allowed: a number, 0 to 1. Default ``0.0625``: tc makes it of burst
        and avpkt.
    ecn
        Whether RED marks ECN-capable packets. Allowed: true or false. Default ``False``: tc-sfq(8).
    hard_drop
        Whether RED drops them all the same from `red_max` on. Allowed: true or false. Default ``False``: tc-sfq(8).
    limit
        The most that may wait in all queues together. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or
        "20ms", 0 to 1e12. Default ``"127p"``: Linux sch_sfq.
    queues
        Queues that flows are hashed to. Allowed: a whole number, 1 to 65536. Default ``1024``: Linux sch_sfq divisor.
    quantum
        Bytes that a queue may send in its turn, if `turn` is `bytes`. Allowed: a number of bytes such as "1000B", 1B
        to 1e9B. Default ``"1514B"``: Linux sch_sfq: the device's MTU.
    drop_from
        Which packet of the longest queue is lost when there is no room. Allowed: one of "front", "back". Default
        ``"back"``: Linux sch_sfq; its headdrop for front.
    """

    kind: ClassVar[str] = "sfq"

    preset: Literal["paper", "linux", "ns2"] | None = None
    turn: Literal["bytes", "packet"] | None = None
    full: Literal["longest", "fair_share"] | None = None
    of_equals: Literal["first_turn", "last_changed"] | None = None
    depth: int | None = None
    perturb: str | None = None
    red_min: str | None = None
    red_max: str | None = None
    red_max_p: float | None = None
    red_w_q: float | None = None
    ecn: bool | None = None
    hard_drop: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Priority(Queue):
    r"""Priority queueing.

    A scheduler of classes by urgency. Each class has a queue, and a class is served only if nothing waits in those
    before it.

    Reference: RFC 3246 section 2; Alemu 2004 section 1.3.

    Attributes
    ----------
    limit
        The most that may wait in each class without a limit of its own. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    class_
        The classes, the most urgent first. Allowed: a list of tables with flows, dscp, ecn, priority, size_max,
        limit, policy. Default ``"dscp=EF; *"``: RFC 3246: expedited forwarding before the rest.
    """

    kind: ClassVar[str] = "priority"

    limit: str | None = None
    class_: Sequence[Mapping[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RateControlledPriority(Queue):
    r"""Rate-controlled priority queueing.

    A scheduler of classes by urgency with a rate for each. The most urgent class goes first, but a class in excess of
    its rate waits for those behind it.

    Reference: Semeria 2001; Alemu 2004 section 1.3.

    Attributes
    ----------
    limit
        The most that may wait in each class without a limit of its own. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    class_
        The classes, the most urgent first. Allowed: a list of tables with flows, dscp, ecn, priority, size_max,
        limit, policy, rate, burst. Default ``"dscp=EF rate=2Mbit; *"``: Semeria 2001: 20 % of the link, here of 10
        Mbit/s.
    """

    kind: ClassVar[str] = "rate_controlled_priority"

    limit: str | None = None
    class_: Sequence[Mapping[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Wfq(Queue):
    r"""WFQ (weighted fair queueing), SCFQ, WF2Q+.

    A scheduler of classes by weights. Each class has a queue, and the classes share the link by their weights. The
    others share the part that a class does not use.

    Reference: Demers, Keshav and Shenker 1989; Parekh and Gallager 1993; Golestani 1994; Bennett and Zhang 1997.

    Attributes
    ----------
    preset
        Group of settings. "pgps": Parekh and Gallager 1993: packet-by-packet generalized processor sharing. "scfq":
        Golestani 1994: self-clocked fair queueing. "wf2q_plus": Bennett and Zhang 1997: worst-case fair weighted fair
        queueing.
    limit
        The most that may wait in each class without a limit of its own. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    class_
        The classes. Allowed: a list of tables with flows, dscp, ecn, priority, size_max, limit, policy, weight.
        Default ``"dscp=EF weight=2; dscp=AF11,AF12,AF13; *"``: [Ale04] section 1.3: half, a quarter and a quarter.
    law
        How the virtual time passes. Allowed: one of "wfq", "scfq", "wf2q+". Default ``"wfq"``: [Ale04] section 1.3.
    """

    kind: ClassVar[str] = "wfq"

    preset: Literal["pgps", "scfq", "wf2q_plus"] | None = None
    limit: str | None = None
    class_: Sequence[Mapping[str, Any]] | None = None
    law: Literal["wfq", "scfq", "wf2q+"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Fq(Queue):
    r"""FQ (fair queueing by flow).

    Fair queueing by flow, as if flows sent bit by bit in turn. Flows are hashed to queues and share the link evenly
    in bytes; a full buffer takes from the longest queue.

    Reference: Nagle 1987; Demers, Keshav and Shenker 1989.

    Attributes
    ----------
    limit
        The most that may wait in all queues together. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or
        "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    queues
        Queues that flows are hashed to. Allowed: a whole number, 1 to 65536. Default ``1024``: as drr.
    law
        How the virtual time passes. Allowed: one of "wfq", "scfq", "wf2q+". Default ``"wfq"``: [Dem89]: bit-by-bit
        round robin.
    drop_from
        Which packet of the longest queue is lost when there is no room. Allowed: one of "front", "back". Default
        ``"back"``: [Dem89] section 2.2: the last packet of the flow that uses most.
    policy
        The policy in each flow's queue. Allowed: one of "fifo", "capped_tail", "red", "wred", "ared", "ared_feng",
        "psand", "dsred", "re_ared", "fared", "cared", "ared_mimd", "wq_max_p", "self_tuning_red", "nlred", "mred",
        "ered", "e_red", "sred", "fred", "bred", "rio", "cbt_red", "red_filter", "red_pd", "csfq", "xred", "diffserv",
        "lpf_oda", "hybrid_red", "red_worcester", "choke", "black", "afc", "sfb", "care", "lqd", "blue",
        "p_controller", "pi", "pi2", "pie", "dred", "sfc", "rem", "avq", "lred", "green", "codel", "cobalt",
        "policer", "decbit", "xcp", "rcp", or a table such as { kind = "red", ecn = true } with the policy's
        parameters but `limit`. Default ``"fifo"``: [Dem89].
    """

    kind: ClassVar[str] = "fq"

    limit: str | None = None
    queues: int | None = None
    law: Literal["wfq", "scfq", "wf2q+"] | None = None
    drop_from: Literal["front", "back"] | None = None
    policy: (
        Literal[
            "fifo",
            "capped_tail",
            "red",
            "wred",
            "ared",
            "ared_feng",
            "psand",
            "dsred",
            "re_ared",
            "fared",
            "cared",
            "ared_mimd",
            "wq_max_p",
            "self_tuning_red",
            "nlred",
            "mred",
            "ered",
            "e_red",
            "sred",
            "fred",
            "bred",
            "rio",
            "cbt_red",
            "red_filter",
            "red_pd",
            "csfq",
            "xred",
            "diffserv",
            "lpf_oda",
            "hybrid_red",
            "red_worcester",
            "choke",
            "black",
            "afc",
            "sfb",
            "care",
            "lqd",
            "blue",
            "p_controller",
            "pi",
            "pi2",
            "pie",
            "dred",
            "sfc",
            "rem",
            "avq",
            "lred",
            "green",
            "codel",
            "cobalt",
            "policer",
            "decbit",
            "xcp",
            "rcp",
        ]
        | Queue
        | Mapping[str, Any]
        | None
    ) = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cbfq(Queue):
    r"""CBFQ (class-based fair queueing).

    A scheduler of classes with fair queueing inside. Each class has its part of the link, and the flows of a class
    share that part evenly.

    Reference: Semeria 2001; Goyal, Vin and Cheng 1996; Alemu 2004 section 1.3.

    Attributes
    ----------
    limit
        The most that may wait in each class without a limit of its own. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    class_
        The classes. Allowed: a list of tables with flows, dscp, ecn, priority, size_max, limit, policy, weight.
        Default ``"dscp=EF weight=0.2; * weight=0.8"``: [Sem01]: 20 % for calls, 80 % for the rest.
    flows
        Queues in each class, which its flows are hashed to. Allowed: a whole number, 1 to 65536. Default ``256``: our
        choice: more than flows.
    quantum
        Bytes that a flow may send in its turn. Allowed: a number of bytes such as "1000B", 1B to 1e9B. Default
        ``"1514B"``: as flow_queue.
    """

    kind: ClassVar[str] = "cbfq"

    limit: str | None = None
    class_: Sequence[Mapping[str, Any]] | None = None
    flows: int | None = None
    quantum: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cbq(Queue):
    r"""CBQ (class-based queueing).

    A scheduler of classes that may borrow. Classes share the link along a tree. A class beyond its share borrows from
    unused shares of those above it.

    Reference: Floyd and Jacobson 1995.

    Attributes
    ----------
    limit
        The most that may wait in each class without a limit of its own. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    class_
        The classes. Allowed: a list of tables with flows, dscp, ecn, priority, size_max, limit, policy, share,
        lender, borrow, max_idle, rank, extra_delay. Default ``"dscp=EF share=0.2; share=0.8 rank=2"``: our choice: as
        cbfq, calls first.
    group
        The groups above the classes, from which these borrow; a group comes before those that it lends to. Allowed: a
        list of tables with share, lender, borrow, max_idle. Default ``"share=1"``: [Flo95]: the link.
    lending
        Which of the groups above a class may lend to it. Allowed: one of "ancestor_only", "top_level", "formal".
        Default ``"top_level"``: [Flo95] section 5.3.
    turns
        How classes of a rank take turns. Allowed: one of "weighted", "packets". Default ``"weighted"``: [Flo95]
        section 6: weighted round robin does best.
    max_packet
        The measure of a turn, and the largest packet. Allowed: a number of bytes such as "1000B", 1B to 1e9B. Default
        ``"1024B"``: ns-2 2.35.
    """

    kind: ClassVar[str] = "cbq"

    limit: str | None = None
    class_: Sequence[Mapping[str, Any]] | None = None
    group: Sequence[Mapping[str, Any]] | None = None
    lending: Literal["ancestor_only", "top_level", "formal"] | None = None
    turns: Literal["weighted", "packets"] | None = None
    max_packet: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Htb(FramingParameters):
    r"""HTB (hierarchical token bucket).

    A shaper of classes, as in Linux. Each class has a guaranteed rate, and borrows unused rates up to its ceiling.
    Any queue may be in a class, with its own parameters.

    Reference: Devera 2002; Linux sch_htb.

    It has the attributes of :class:`FramingParameters`, too.

    Attributes
    ----------
    class_
        The classes with packets. Allowed: a list of tables with flows, dscp, ecn, priority, size_max, rate, ceil,
        burst, cburst, parent, copies, prio, quantum, queue. Default ``"dscp=EF ceil=100Gbit; * prio=1
        ceil=100Gbit"``: our choice: calls first, each half of the link for sure.
    group
        The classes above them, from which these borrow; a group comes before those below it. Allowed: a list of
        tables with rate, ceil, burst, cburst, parent, copies. Default ``"*"``: our choice: the link.
    r2q
        Divisor of a rate in bytes per second for a `quantum`. Allowed: a whole number, 1 to 1e9. Default ``10``: tc.
    """

    kind: ClassVar[str] = "htb"

    class_: Sequence[Mapping[str, Any]] | None = None
    group: Sequence[Mapping[str, Any]] | None = None
    r2q: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TokenBucket(Queue):
    r"""Token bucket shaper.

    A shaper with a rate and a burst. Tokens come at the rate, and a bucket keeps some; packets wait until there are
    tokens for all their bytes.

    Reference: RFC 1363 section 2; Turner 1986.

    Attributes
    ----------
    limit
        The most that may wait. Allowed: an amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12.
        Default ``"100p"``: as fifo.
    rate
        Rate at which the bucket fills, in bits of packets with their headers; `auto` is the rate of the link.
        Allowed: a rate such as "10Mbit", 1bit to 100Tbit, or "auto". Default ``"auto"``: our choice: it shapes
        nothing unless it is told.
    burst
        The content of the bucket. Allowed: a number of bytes such as "1000B", 1B to 1e9B. Default ``"3000B"``: our
        choice: two of the largest packets.
    policy
        The policy in the queue. Allowed: one of "fifo", "capped_tail", "red", "wred", "ared", "ared_feng", "psand",
        "dsred", "re_ared", "fared", "cared", "ared_mimd", "wq_max_p", "self_tuning_red", "nlred", "mred", "ered",
        "e_red", "sred", "fred", "bred", "rio", "cbt_red", "red_filter", "red_pd", "csfq", "xred", "diffserv",
        "lpf_oda", "hybrid_red", "red_worcester", "choke", "black", "afc", "sfb", "care", "lqd", "blue",
        "p_controller", "pi", "pi2", "pie", "dred", "sfc", "rem", "avq", "lred", "green", "codel", "cobalt",
        "policer", "decbit", "xcp", "rcp", or a table such as { kind = "red", ecn = true } with the policy's
        parameters but `limit`. Default ``"fifo"``: drop tail.
    """

    kind: ClassVar[str] = "token_bucket"

    limit: str | None = None
    rate: str | None = None
    burst: str | None = None
    policy: (
        Literal[
            "fifo",
            "capped_tail",
            "red",
            "wred",
            "ared",
            "ared_feng",
            "psand",
            "dsred",
            "re_ared",
            "fared",
            "cared",
            "ared_mimd",
            "wq_max_p",
            "self_tuning_red",
            "nlred",
            "mred",
            "ered",
            "e_red",
            "sred",
            "fred",
            "bred",
            "rio",
            "cbt_red",
            "red_filter",
            "red_pd",
            "csfq",
            "xred",
            "diffserv",
            "lpf_oda",
            "hybrid_red",
            "red_worcester",
            "choke",
            "black",
            "afc",
            "sfb",
            "care",
            "lqd",
            "blue",
            "p_controller",
            "pi",
            "pi2",
            "pie",
            "dred",
            "sfc",
            "rem",
            "avq",
            "lred",
            "green",
            "codel",
            "cobalt",
            "policer",
            "decbit",
            "xcp",
            "rcp",
        ]
        | Queue
        | Mapping[str, Any]
        | None
    ) = None


@dataclass(frozen=True, kw_only=True, repr=False)
class LeakyBucket(Queue):
    r"""Leaky bucket shaper.

    A shaper without bursts. Packets leave at a constant rate, however they come.

    Reference: Turner 1986.

    Attributes
    ----------
    limit
        The most that may wait, which is the size of the bucket. Allowed: an amount of queue such as "50p", "64KiB",
        "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    rate
        Rate at which it leaks, in bits of packets with their headers; `auto` is the rate of the link. Allowed: a rate
        such as "10Mbit", 1bit to 100Tbit, or "auto". Default ``"auto"``: our choice: it shapes nothing unless it is
        told.
    policy
        The policy in the queue. Allowed: one of "fifo", "capped_tail", "red", "wred", "ared", "ared_feng", "psand",
        "dsred", "re_ared", "fared", "cared", "ared_mimd", "wq_max_p", "self_tuning_red", "nlred", "mred", "ered",
        "e_red", "sred", "fred", "bred", "rio", "cbt_red", "red_filter", "red_pd", "csfq", "xred", "diffserv",
        "lpf_oda", "hybrid_red", "red_worcester", "choke", "black", "afc", "sfb", "care", "lqd", "blue",
        "p_controller", "pi", "pi2", "pie", "dred", "sfc", "rem", "avq", "lred", "green", "codel", "cobalt",
        "policer", "decbit", "xcp", "rcp", or a table such as { kind = "red", ecn = true } with the policy's
        parameters but `limit`. Default ``"fifo"``: [Tur86]: what does not fit is lost.
    """

    kind: ClassVar[str] = "leaky_bucket"

    limit: str | None = None
    rate: str | None = None
    policy: (
        Literal[
            "fifo",
            "capped_tail",
            "red",
            "wred",
            "ared",
            "ared_feng",
            "psand",
            "dsred",
            "re_ared",
            "fared",
            "cared",
            "ared_mimd",
            "wq_max_p",
            "self_tuning_red",
            "nlred",
            "mred",
            "ered",
            "e_red",
            "sred",
            "fred",
            "bred",
            "rio",
            "cbt_red",
            "red_filter",
            "red_pd",
            "csfq",
            "xred",
            "diffserv",
            "lpf_oda",
            "hybrid_red",
            "red_worcester",
            "choke",
            "black",
            "afc",
            "sfb",
            "care",
            "lqd",
            "blue",
            "p_controller",
            "pi",
            "pi2",
            "pie",
            "dred",
            "sfc",
            "rem",
            "avq",
            "lred",
            "green",
            "codel",
            "cobalt",
            "policer",
            "decbit",
            "xcp",
            "rcp",
        ]
        | Queue
        | Mapping[str, Any]
        | None
    ) = None


@dataclass(frozen=True, kw_only=True, repr=False)
class SourceQuench(Queue):
    r"""Source quench.

    Choke packets to senders, instead of drops or in addition. The senders of packets that a policy chooses, and of
    packets that find the buffer full, each get a choke packet. `quench` of `tcp` says how a sender reacts.

    Reference: RFC 792; Nagle 1984; Tahiliani 2013.

    Attributes
    ----------
    preset
        Group of settings. "rfc792": RFC 792: the sender of a datagram that finds no room gets a choke packet.
        "choke_ecn": Tahiliani 2013 section 2.2: choke packets and ECN, each for the senders that it reaches.
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    policy
        The policy that chooses. Allowed: one of "fifo", "capped_tail", "red", "wred", "ared", "ared_feng", "psand",
        "dsred", "re_ared", "fared", "cared", "ared_mimd", "wq_max_p", "self_tuning_red", "nlred", "mred", "ered",
        "e_red", "sred", "fred", "bred", "rio", "cbt_red", "red_filter", "red_pd", "csfq", "xred", "diffserv",
        "lpf_oda", "hybrid_red", "red_worcester", "choke", "black", "afc", "sfb", "care", "lqd", "blue",
        "p_controller", "pi", "pi2", "pie", "dred", "sfc", "rem", "avq", "lred", "green", "codel", "cobalt",
        "policer", "decbit", "xcp", "rcp", or a table such as { kind = "red", ecn = true } with the policy's
        parameters but `limit`. Default ``"red"``: Tahiliani 2013 section 2.2, our reading.
    chosen
        The fate of a packet that it chooses. Allowed: one of "spared", "dropped". Default ``"spared"``: Tahiliani
        2013 section 2.2, our reading.
    overflow
        Whether the senders of packets that find the buffer full get a choke packet, too. Allowed: true or false.
        Default ``True``: RFC 792.
    ecn
        Whether the policy marks ECN-capable packets, whose senders then get no choke packet; sets `ecn` of the
        policy. Allowed: true or false. Default ``False``: RFC 3168: senders have to agree.
    interval
        Least time between two choke packets to the sender of a flow. Allowed: a time such as "20ms", 0s to 1000s.
        Default ``"0s"``: RFC 792: one for every message that is discarded.
    """

    kind: ClassVar[str] = "source_quench"

    preset: Literal["rfc792", "choke_ecn"] | None = None
    limit: str | None = None
    policy: (
        Literal[
            "fifo",
            "capped_tail",
            "red",
            "wred",
            "ared",
            "ared_feng",
            "psand",
            "dsred",
            "re_ared",
            "fared",
            "cared",
            "ared_mimd",
            "wq_max_p",
            "self_tuning_red",
            "nlred",
            "mred",
            "ered",
            "e_red",
            "sred",
            "fred",
            "bred",
            "rio",
            "cbt_red",
            "red_filter",
            "red_pd",
            "csfq",
            "xred",
            "diffserv",
            "lpf_oda",
            "hybrid_red",
            "red_worcester",
            "choke",
            "black",
            "afc",
            "sfb",
            "care",
            "lqd",
            "blue",
            "p_controller",
            "pi",
            "pi2",
            "pie",
            "dred",
            "sfc",
            "rem",
            "avq",
            "lred",
            "green",
            "codel",
            "cobalt",
            "policer",
            "decbit",
            "xcp",
            "rcp",
        ]
        | Queue
        | Mapping[str, Any]
        | None
    ) = None
    chosen: Literal["spared", "dropped"] | None = None
    overflow: bool | None = None
    ecn: bool | None = None
    interval: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class HopByHop(Queue):
    r"""Hop-by-hop choke packets.

    Choke packets that act in each router on their way. The senders of packets that find a long queue get a choke
    packet, and each router that it passes slows its output of the flow.

    Reference: Gerla and Kleinrock 1980; Tahiliani 2013.

    Attributes
    ----------
    limit
        The most that may wait, without the packet in transmission. Allowed: an amount of queue such as "50p",
        "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    threshold
        Backlog from which the sender of an arriving packet gets a choke packet. Allowed: an amount of queue such as
        "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"50p"``: our choice: half of the limit.
    interval
        Least time between two choke packets about a flow, and the time over which its rate is taken. Allowed: a time
        such as "20ms", 1us to 1000s. Default ``"100ms"``: our choice: a round trip.
    keeps
        Part of its former rate that a slowed flow keeps. Allowed: a fraction such as 0.05 or "5%", 0.001 to 1.
        Default ``0.5``: our choice: as TCP.
    duration
        How long a flow stays slowed after a choke packet. Allowed: a time such as "20ms", 0s to 1000s. Default
        ``"200ms"``: our choice: two round trips.
    goes_on
        Whether a choke packet goes on to the router before and to the sender. Allowed: true or false. Default
        ``True``: our choice: the sender has to slow down in the end.
    """

    kind: ClassVar[str] = "hop_by_hop"

    limit: str | None = None
    threshold: str | None = None
    interval: str | None = None
    keeps: float | str | None = None
    duration: str | None = None
    goes_on: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Abe(Queue):
    r"""ABE (alternative best effort).

    Two kinds of best effort: green packets want little delay, blue ones throughput. Green packets wait at most a
    given time or are lost; blue ones leave no later than if all were one queue.

    Reference: Hurley, Kara, Le Boudec and Thiran 2001.

    Attributes
    ----------
    limit
        The most that may wait in the single queue that blue packets are promised: bytes, or mean packets. Allowed: an
        amount of queue such as "50p", "64KiB", "2BDP" or "20ms", 0 to 1e12. Default ``"100p"``: as fifo.
    green_delay
        How long a green packet waits at most, without its own transmission. Allowed: a time such as "20ms", 1us to
        1000s. Default ``"20ms"``: ours: [Hur01] promises a bound, whose value was not available.
    green_first
        Probability with which a green packet goes first if either may wait for the other. Allowed: a fraction such as
        0.05 or "5%", 0 to 1. Default ``1``: ours: as soon as blue ones allow.
    green_flows
        Numbers of the flows whose packets are green, in the order of the scenario from 0; packets with a delay hint
        are green anyway. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 4e9. Default ``"[]"``: the
        scenario's: [Hur01] leaves the colour to the application.
    """

    kind: ClassVar[str] = "abe"

    limit: str | None = None
    green_delay: str | None = None
    green_first: float | str | None = None
    green_flows: Sequence[float] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TcpModel(RedParameters):
    r"""TCP-model identification with a penalty class.

    RED with a penalty class for flows that send more than a TCP would. Flows that arrive faster than a TCP under the
    same losses are put into a class with a small part of the link.

    Reference: Floyd and Fall 1999, Chatranon 2004 section 2.2.3.1.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    rtt
        Round-trip time of the model. Automatic: that of the flows without queues. Allowed: a time such as "20ms", 1us
        to 1000s, or "auto". Default ``"auto"``: [Cha04]: a router does not know it; ours: that of the scenario.
    packet
        Packets of the model. Automatic: the mean packet. Allowed: a number of bytes such as "1000B", 1B to 1000000B,
        or "auto". Default ``"auto"``: [Flo99]: the largest packet; ours: that of the scenario.
    interval
        Time between two looks at flows. Allowed: a time such as "20ms", 1ms to 10000s. Default ``"2s"``: ours: some
        hundred round trips at most.
    penalty_share
        Part of the link that the penalty class has. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default
        ``0.05``: ours: [Cha04] leaves it to the operator.
    penalty_limit
        Packets that may wait in the penalty class, within the limit of all. Allowed: a whole number, 1 to 1e9.
        Default ``10``: ours: a fifth of the default buffer.
    penalized_most
        Flows that may be penalized at one time. Allowed: a whole number, 1 to 1000000. Default ``64``: ours: a bound
        of memory.
    """

    kind: ClassVar[str] = "tcp_model"

    rtt: str | None = None
    packet: str | None = None
    interval: str | None = None
    penalty_share: float | str | None = None
    penalty_limit: int | None = None
    penalized_most: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Dcbt(RedParameters):
    r"""DCBT with ChIPS (dynamic class-based thresholds, cut-in packet scheduling).

    RED for TCP, and a fair part of the queue for each class of datagrams. How much a class may have waiting follows
    from its number of flows; tagged packets may cut in.

    Reference: Chung and Claypool 2000.

    It has the attributes of :class:`RedParameters`, too.

    Attributes
    ----------
    tagged_flows
        Numbers of the flows whose datagrams are tagged, in the order of the scenario from 0. Allowed: a list of
        numbers such as [0, 0.5, 2], each 0 to 4e9. Default ``"[]"``: the scenario's.
    cut_in
        Whether tagged packets may cut in (ChIPS). Allowed: true or false. Default ``True``: [Chu00].
    class_weight
        Weight of an arrival in the average of its class. Allowed: a fraction such as 0.05 or "5%", 0.000001 to 1.
        Default ``0.02``: ours: tenfold w_q of 1993, for classes see fewer packets.
    period
        Time in which active flows are counted. Allowed: a time such as "20ms", 1ms to 10000s. Default ``"1s"``: ours:
        several round trips.
    bits
        Bits by which the flows of a class are counted. Allowed: a whole number, 64 to 1000000. Default ``4096``:
        ours: more than flows.
    """

    kind: ClassVar[str] = "dcbt"

    tagged_flows: Sequence[float] | None = None
    cut_in: bool | None = None
    class_weight: float | str | None = None
    period: str | None = None
    bits: int | None = None


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise no_class(__name__, name, __all__)
