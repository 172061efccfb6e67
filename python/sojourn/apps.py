"""Applications, which drive senders: one class for each kind, with its parameters."""

# Made from the registry by `make generate`; do not edit.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from .scenario.component import App, no_class

__all__ = [
    "Bulk",
    "Cbr",
    "Game",
    "Http",
    "Mice",
    "OnOff",
    "Packmime",
    "Poisson",
    "Probe",
    "Rounds",
    "Streaming",
    "Telnet",
    "Trace",
    "Transfers",
    "Video",
    "Voice",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class Bulk(App):
    r"""Bulk transfer.

    A source that always has data to send. It goes on without end, or up to a number of bytes or of full packets.

    Reference: the greedy source of the literature; ns-2's Application/FTP.

    Attributes
    ----------
    bytes
        Payload bytes to send; `auto` is without end. Allowed: a number of bytes such as "1000B", 1B to 1e18B, or
        "auto". Default ``"auto"``: the greedy source.
    packets
        Full packets to send instead of bytes; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto".
        Default ``"auto"``: the greedy source.
    """

    kind: ClassVar[str] = "bulk"

    bytes: str | None = None
    packets: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Transfers(App):
    r"""Repeated transfers.

    A user of short transfers. The user thinks for a while, transfers a file over a new connection, and thinks again
    when its last byte is acknowledged.

    Reference: the closed-loop user of the literature; ns-2's ftp with "send".

    Attributes
    ----------
    preset
        Group of settings. "pareto": Short transfers as many scripts for ns-2 write them, which has no defaults for
        it: exponential thinking, Pareto sizes.
    packets
        Full packets in each transfer, in the mean. Allowed: a whole number, 1 to 1e12. Default ``20``: a short web
        transfer of 20 kB.
    size_law
        How sizes are distributed; a random size is rounded up to whole packets. Allowed: one of "fixed",
        "exponential", "pareto". Default ``"fixed"``: the simplest user.
    size_shape
        Shape of Pareto sizes. Allowed: a number, 1.001 to 1000. Default ``1.2``: Crovella and Bestavros 1997: 1.0 to
        1.3 for web files.
    packets_max
        Most packets in a transfer; larger draws are cut, which lowers the mean. Allowed: a whole number, 1 to 1e15,
        or "auto". Default ``"auto"``: no bound.
    think
        Mean time between the end of a transfer and the start of the next. Allowed: a time such as "20ms", 0s to 1e9s.
        Default ``"1s"``: a common choice.
    think_law
        How the thinking time is distributed. Allowed: one of "fixed", "exponential", "pareto". Default
        ``"exponential"``: memoryless users.
    think_shape
        Shape of Pareto thinking times. Allowed: a number, 1.001 to 1000. Default ``1.5``: Barford and Crovella 1998,
        inactive OFF times.
    eager
        Whether the first transfer begins at once instead of after a thinking time. Allowed: true or false. Default
        ``False``: a user found at a random moment of thinking.
    count
        Transfers in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: a
        user who stays.
    """

    kind: ClassVar[str] = "transfers"

    preset: Literal["pareto"] | None = None
    packets: int | None = None
    size_law: Literal["fixed", "exponential", "pareto"] | None = None
    size_shape: float | None = None
    packets_max: int | Literal["auto"] | None = None
    think: str | None = None
    think_law: Literal["fixed", "exponential", "pareto"] | None = None
    think_shape: float | None = None
    eager: bool | None = None
    count: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Mice(App):
    r"""Web mice.

    Short transfers, each over a new connection, whose starts are uniform over a time. One flow carries many of them
    one after the other, so that ten thousand mice need only as many flows as there are at a time.

    Reference: Chatranon, Labrador and Banerjee 2004; ns-2's web traffic scripts.

    Attributes
    ----------
    transfers
        Transfers that the flow carries. Allowed: a whole number, 1 to 1e12. Default ``1``: one session, one flow.
    within
        Time after the flow's start within which its transfers start, uniformly. Allowed: a time such as "20ms", 0s to
        1e9s. Default ``"0s"``: the flow's `start` says when.
    packets
        Full packets in each transfer, in the mean. Allowed: a whole number, 1 to 1e12. Default ``15``: Chatranon et
        al. 2004.
    size_law
        How sizes are distributed; a random size is rounded up to whole packets. Allowed: one of "fixed",
        "exponential", "pareto". Default ``"pareto"``: Chatranon et al. 2004.
    size_shape
        Shape of Pareto sizes. Allowed: a number, 1.001 to 1000. Default ``1.2``: Chatranon et al. 2004.
    packets_max
        Most packets in a transfer; larger draws are cut, which lowers the mean. Allowed: a whole number, 1 to 1e15,
        or "auto". Default ``"auto"``: no bound.
    """

    kind: ClassVar[str] = "mice"

    transfers: int | None = None
    within: str | None = None
    packets: int | None = None
    size_law: Literal["fixed", "exponential", "pareto"] | None = None
    size_shape: float | None = None
    packets_max: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Http(App):
    r"""HTTP session.

    A person who reads web pages. The objects of a page come one after the other, over a connection each (1.0) or over
    one that stays open (1.1); then the person thinks.

    Reference: RFC 1945, RFC 9112; Barford and Crovella 1998 (SURGE).

    Attributes
    ----------
    version
        Version of the protocol. Allowed: one of "1.0", "1.1". Default ``1.1``: RFC 9112.
    objects
        Objects of a page, in the mean. Allowed: a whole number, 1 to 1000000. Default ``4``: a common choice.
    objects_law
        How the number of objects is distributed; a random number is rounded up. Allowed: one of "fixed",
        "exponential", "pareto". Default ``"pareto"``: Barford and Crovella 1998, embedded references.
    objects_shape
        Shape of a Pareto number of objects. Allowed: a number, 1.001 to 1000. Default ``2.43``: Barford and Crovella
        1998, embedded references.
    size
        Payload of an object, in the mean. Allowed: a number of bytes such as "1000B", 1B to 1e12B. Default
        ``"12kB"``: ns-2's web traffic scripts: 12 packets of 1000 bytes.
    size_law
        How sizes are distributed. Allowed: one of "fixed", "exponential", "pareto". Default ``"pareto"``: Crovella
        and Bestavros 1997.
    size_shape
        Shape of Pareto sizes. Allowed: a number, 1.001 to 1000. Default ``1.2``: Crovella and Bestavros 1997: 1.0 to
        1.3 for web files.
    size_step
        Sizes are rounded up to a multiple of this. Allowed: a number of bytes such as "1000B", 1B to 1e12B. Default
        ``"1B"``: RFC 9112; ns-2's PagePool counts in packets.
    think
        Mean time between a page and the next. Allowed: a time such as "20ms", 0s to 1000000s. Default ``"5s"``: a
        common choice.
    think_law
        How thinking times are distributed. Allowed: one of "fixed", "exponential", "pareto". Default
        ``"exponential"``: memoryless readers.
    think_shape
        Shape of Pareto thinking times. Allowed: a number, 1.001 to 1000. Default ``1.5``: Barford and Crovella 1998,
        inactive OFF times.
    pages
        Pages in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: a
        person who stays.
    """

    kind: ClassVar[str] = "http"

    version: Literal["1.0", "1.1"] | None = None
    objects: int | None = None
    objects_law: Literal["fixed", "exponential", "pareto"] | None = None
    objects_shape: float | None = None
    size: str | None = None
    size_law: Literal["fixed", "exponential", "pareto"] | None = None
    size_shape: float | None = None
    size_step: str | None = None
    think: str | None = None
    think_law: Literal["fixed", "exponential", "pareto"] | None = None
    think_shape: float | None = None
    pages: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Packmime(App):
    r"""PackMime web traffic.

    Web connections of a cloud of clients that begin at a given rate, each with separate windows and timers. The flow
    carries them at the same time; memory grows with their number at a time, not with time.

    Reference: Cao, Cleveland, Gao, Jeffay, Smith and Weigle 2004; ns-2's PackMimeHTTP.

    Attributes
    ----------
    rate
        New connections per second. Allowed: a number, 0.000001 to 1000000. Default ``10``: a common choice.
    interval_law
        How the times between connections are distributed. Allowed: one of "weibull", "exponential". Default
        ``"weibull"``: Cao et al. 2004.
    interval_shape
        Shape of the Weibull law; `auto` rises with the rate towards 1, which is Poisson. Allowed: a number, 0.05 to
        10, or "auto". Default ``"auto"``: Cao et al. 2004: logit(shape) = 0.352 + 0.388 log2(rate).
    request
        Median of requests. Allowed: a number of bytes such as "1000B", 0B to 1000000B. Default ``"422B"``: ns-2's
        curve of request sizes.
    request_spread
        Standard deviation of the binary logarithm of requests; 0 makes them alike. Allowed: a number, 0 to 10.
        Default ``0.6``: quartiles of ns-2's curve: 350 and 630 bytes.
    cached
        Fraction of the responses that only validate a cached page. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``"28%"``: Cao et al. 2004, mean runs of 1.46 and 3.78 at 10 connections per second.
    cached_response
        Size of a response that only validates a cached page. Allowed: a number of bytes such as "1000B", 1B to 1e9B.
        Default ``"141B"``: median of ns-2's curve for cache validation.
    response
        Median of the other responses. Allowed: a number of bytes such as "1000B", 1B to 1e12B. Default ``"1448B"``:
        Cao et al. 2004: the mean of log2 is 10.5.
    response_spread
        Standard deviation of the binary logarithm of the other responses; 0 makes them alike. Allowed: a number, 0 to
        10. Default ``1.797``: Cao et al. 2004: the variance of log2 is 3.23.
    server_delay
        How long the server thinks; `auto` is the reciprocal of a Weibull variable of shape 0.63 and scale 305/s, at
        most 0.1 s. Allowed: a time such as "20ms", 0s to 1000s, or "auto". Default ``"auto"``: ns-2's
        PackMimeHTTPServerDelay.
    connections_max
        Greatest number of connections at a time; further ones are refused. Allowed: a whole number, 1 to 1000000.
        Default ``100000``: an overloaded link stays simulable.
    completions
        Whether each connection is a row of the table `completion`. Only these rows take memory that grows with time.
        Allowed: true or false. Default ``True``: response times are what is asked for.
    """

    kind: ClassVar[str] = "packmime"

    rate: float | None = None
    interval_law: Literal["weibull", "exponential"] | None = None
    interval_shape: float | Literal["auto"] | None = None
    request: str | None = None
    request_spread: float | None = None
    cached: float | str | None = None
    cached_response: str | None = None
    response: str | None = None
    response_spread: float | None = None
    server_delay: str | None = None
    connections_max: int | None = None
    completions: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Telnet(App):
    r"""Telnet.

    A person at a terminal: a few bytes at random intervals over one connection. Such flows are fragile: they never
    have enough outstanding to recover from a loss without a timeout.

    Reference: Paxson and Floyd 1995; Lin and Morris 1997 (fragile flows); ns-2's Application/Telnet.

    Attributes
    ----------
    preset
        Group of settings. "ns2": ns-2 2.35, as `ns` printed it on 2026-11-25: exponential intervals of 1 s, a full
        packet each.
    interval
        Mean interval between writes. Allowed: a time such as "20ms", 1us to 1000000s. Default ``"1.1s"``: Paxson and
        Floyd 1995: mean 1.1 s of an exponential fit.
    law
        How intervals are distributed. Allowed: one of "fixed", "exponential", "pareto". Default ``"exponential"``:
        ns-2 2.35.
    shape
        Shape of Pareto intervals. Allowed: a number, 1.001 to 1000. Default ``1.5``: a tail without variance.
    bytes
        Payload of a write; `auto` is a full packet. Allowed: a number of bytes such as "1000B", 1B to 65535B, or
        "auto". Default ``"1B"``: a key.
    count
        Writes in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: a
        person who stays.
    """

    kind: ClassVar[str] = "telnet"

    preset: Literal["ns2"] | None = None
    interval: str | None = None
    law: Literal["fixed", "exponential", "pareto"] | None = None
    shape: float | None = None
    bytes: str | None = None
    count: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Streaming(App):
    r"""Streaming.

    Media of a mean rate, one block after the other at fixed intervals on one connection, whether or not the last one
    has arrived. A first part may be sent at once to fill the player's buffer.

    Reference: Rao et al. 2011 (streaming in blocks); frames of a codec with short intervals.

    Attributes
    ----------
    preset
        Group of settings. "web": A web video: 10 s at once, then blocks of 64 kB on average at 1 Mbit/s. "live": A
        live video: 25 frames a second of exponential sizes, nothing ahead.
    rate
        Mean rate of the media, without headers. Allowed: a rate such as "10Mbit", 1bit to 1Tbit. Default ``"1Mbit"``:
        a web video of standard definition.
    interval
        Time between blocks. Allowed: a time such as "20ms", 100us to 1000s. Default ``"40ms"``: 25 frames a second.
    size_law
        How the sizes of blocks are distributed around rate * interval. Allowed: one of "fixed", "exponential",
        "pareto". Default ``"fixed"``: a codec of constant rate.
    size_shape
        Shape of Pareto sizes. Allowed: a number, 1.001 to 1000. Default ``1.5``: a tail without variance.
    ahead
        Media sent at once at the start. Allowed: a time such as "20ms", 0s to 1000s. Default ``"0s"``: live media has
        nothing ahead.
    length
        Length of the media from the start of the flow; `auto` is without end. Allowed: a time such as "20ms", 0s to
        1e9s, or "auto". Default ``"auto"``: a viewer who stays.
    """

    kind: ClassVar[str] = "streaming"

    preset: Literal["web", "live"] | None = None
    rate: str | None = None
    interval: str | None = None
    size_law: Literal["fixed", "exponential", "pareto"] | None = None
    size_shape: float | None = None
    ahead: str | None = None
    length: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Video(App):
    r"""Adaptive video.

    A viewer of video whose player asks for one segment after the other, each at a bitrate that its buffer allows
    (BBA-0). The table `quality` has the bitrate, and how long the video stalled.

    Reference: Huang et al. 2014, algorithm 1.

    Attributes
    ----------
    bitrates_kbps
        Bitrates of the segments in kbit/s, in rising order. Allowed: a list of numbers such as [0, 0.5, 2], each 1 to
        1000000. Default ``"[235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800]"``: Netflix 2015, "Per-title
        encode optimization": the fixed ladder.
    segment
        Length of a segment. Allowed: a time such as "20ms", 100ms to 100s. Default ``"4s"``: Huang et al. 2014
        section 4.
    buffer
        What the player's buffer holds. Allowed: a time such as "20ms", 100ms to 10000s. Default ``"30s"``: our
        choice: players of today; Huang et al. 2014 have 240 s.
    reservoir
        Up to so much in the buffer the lowest bitrate is asked for. Allowed: a time such as "20ms", 0s to 10000s.
        Default ``"8s"``: our choice: two segments; Huang et al. 2014 have 90 s.
    cushion
        Above the reservoir, over so much the bitrate rises to the highest. Allowed: a time such as "20ms", 100ms to
        10000s. Default ``"18s"``: our choice: Huang et al. 2014 reach it at 90 % of the buffer.
    startup
        The video begins, and goes on after a stall, when so much is in the buffer. Allowed: a time such as "20ms", 0s
        to 1000s. Default ``"4s"``: our choice: one segment.
    length
        Length of the video; `auto` is without end. Allowed: a time such as "20ms", 100ms to 1e9s, or "auto". Default
        ``"auto"``: a viewer who stays.
    """

    kind: ClassVar[str] = "video"

    bitrates_kbps: Sequence[float] | None = None
    segment: str | None = None
    buffer: str | None = None
    reservoir: str | None = None
    cushion: str | None = None
    startup: str | None = None
    length: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Rounds(App):
    r"""Synchronised rounds.

    A worker that answers together with all others of its group: at fixed intervals each sends a block on its open
    connection (incast). The table `quality` has how long the slowest of a round took.

    Reference: Phanishayee et al. 2008; Alizadeh et al. 2010 section 2.

    Attributes
    ----------
    interval
        Time from one round to the next. Allowed: a time such as "20ms", 1us to 1000000s. Default ``"100ms"``: our
        choice.
    size
        What each worker sends in a round. Allowed: a number of bytes such as "1000B", 1B to 1e12B. Default
        ``"32kB"``: our choice; Phanishayee et al. 2008 have a block of 1 MB over all.
    count
        Rounds in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``:
        workers who stay.
    """

    kind: ClassVar[str] = "rounds"

    interval: str | None = None
    size: str | None = None
    count: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cbr(App):
    r"""Constant bit rate.

    Sends packets of one size at a constant rate, measured on the wire. With jitter each interval is uniform around
    its mean.

    Reference: ns-2's Application/Traffic/CBR.

    Attributes
    ----------
    rate
        Rate on the wire, headers included. Allowed: a rate such as "10Mbit", 1bit to 100Tbit. Default ``"1Mbit"``: a
        common choice.
    packet
        Size of a packet on the wire; `auto` is the transport's packet. TCP puts the data into segments of its own
        size. Allowed: a number of bytes such as "1000B", 1B to 65535B, or "auto". Default ``"auto"``: the
        transport's.
    jitter
        Each interval is uniform within this fraction of its mean to both sides. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0``: strictly periodic; ns-2's `random_` is 0.5.
    count
        Packets in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: a
        source that stays.
    """

    kind: ClassVar[str] = "cbr"

    rate: str | None = None
    packet: str | None = None
    jitter: float | str | None = None
    count: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class OnOff(App):
    r"""On/off.

    Bursts of packets at a constant rate, measured on the wire, with pauses between them. Many of them with Pareto
    periods make self-similar traffic.

    Reference: Willinger et al. 1997; ns-2's Application/Traffic/Exponential and Pareto.

    Attributes
    ----------
    preset
        Group of settings. "ns2": The sources of ns-2 2.35 with their defaults, which `ns` printed on 2026-11-25;
        Pareto instead of exponential by `law`.
    rate
        Rate on the wire during a burst, headers included. Allowed: a rate such as "10Mbit", 1bit to 100Tbit. Default
        ``"1Mbit"``: a common choice.
    packet
        Size of a packet on the wire; `auto` is the transport's packet. TCP puts the data into segments of its own
        size. Allowed: a number of bytes such as "1000B", 1B to 65535B, or "auto". Default ``"auto"``: the
        transport's.
    on
        Mean length of a burst. Allowed: a time such as "20ms", 0s to 1e9s. Default ``"500ms"``: ns-2 2.35.
    off
        Mean length of a pause. Allowed: a time such as "20ms", 0s to 1e9s. Default ``"500ms"``: ns-2 2.35.
    law
        How the lengths of bursts and pauses are distributed. Allowed: one of "fixed", "exponential", "pareto".
        Default ``"exponential"``: ns-2 2.35.
    shape
        Shape of Pareto lengths. Allowed: a number, 1.001 to 1000. Default ``1.5``: ns-2 2.35.
    burst
        The unit of a burst's length. Allowed: one of "time", "packets". Default ``"time"``: the mean rate is then
        exactly rate * on / (on + off).
    begins
        Whether the source begins with a burst, with a pause, or at random. Allowed: one of "on", "off", "random".
        Default ``"on"``: ns-2 2.35.
    """

    kind: ClassVar[str] = "on_off"

    preset: Literal["ns2"] | None = None
    rate: str | None = None
    packet: str | None = None
    on: str | None = None
    off: str | None = None
    law: Literal["fixed", "exponential", "pareto"] | None = None
    shape: float | None = None
    burst: Literal["time", "packets"] | None = None
    begins: Literal["on", "off", "random"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Poisson(App):
    r"""Poisson.

    Packets at independent exponential intervals, as in M/M/1 and M/D/1. Sizes are fixed or random.

    Reference: Kleinrock 1975, section 3.2.

    Attributes
    ----------
    rate
        Mean rate on the wire, headers included. Allowed: a rate such as "10Mbit", 1bit to 100Tbit. Default
        ``"1Mbit"``: a common choice.
    packet
        Mean size of a packet on the wire; `auto` is the transport's packet. A random size above 65535 bytes, and
        above a `packet` that the transport sets, is sent as several. Allowed: a number of bytes such as "1000B", 1B
        to 65535B, or "auto". Default ``"auto"``: the transport's.
    size_law
        How sizes are distributed. A packet has one byte of payload at least. Allowed: one of "fixed", "exponential",
        "pareto". Default ``"fixed"``: M/D/1; exponential sizes make M/M/1.
    size_shape
        Shape of Pareto sizes. Allowed: a number, 1.001 to 1000. Default ``1.5``: a tail without variance.
    count
        Packets in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: a
        source that stays.
    """

    kind: ClassVar[str] = "poisson"

    rate: str | None = None
    packet: str | None = None
    size_law: Literal["fixed", "exponential", "pareto"] | None = None
    size_shape: float | None = None
    count: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Voice(App):
    r"""Voice.

    A speaker over RTP: G.711 frames of 20 ms, 200 bytes each with the headers of RTP, UDP and IP, during talk spurts.
    A call is two flows, one in each direction.

    Reference: ITU-T G.711 and P.59, RFC 3550 and 3551.

    Attributes
    ----------
    rate
        Rate of the codec, without headers. Allowed: a rate such as "10Mbit", 1bit to 1Gbit. Default ``"64kbit"``:
        ITU-T G.711.
    frame
        Speech in a packet. Allowed: a time such as "20ms", 100us to 10s. Default ``"20ms"``: RFC 3551 section 4.2.
    header
        Header above that of the transport. Allowed: a number of bytes such as "1000B", 0B to 1000B. Default
        ``"12B"``: RTP: RFC 3550 section 5.1.
    silence
        Whether nothing is sent between talk spurts. Allowed: true or false. Default ``True``: RFC 3551 section 4.1.
    talk
        Mean length of a talk spurt. Allowed: a time such as "20ms", 0s to 1000000s. Default ``"1.004s"``: ITU-T P.59.
    pause
        Mean length of a pause. Allowed: a time such as "20ms", 0s to 1000000s. Default ``"1.587s"``: ITU-T P.59.
    law
        How the lengths of bursts and pauses are distributed. Allowed: one of "fixed", "exponential", "pareto".
        Default ``"exponential"``: Brady 1969.
    shape
        Shape of Pareto lengths. Allowed: a number, 1.001 to 1000. Default ``1.5``: a tail without variance.
    """

    kind: ClassVar[str] = "voice"

    rate: str | None = None
    frame: str | None = None
    header: str | None = None
    silence: bool | None = None
    talk: str | None = None
    pause: str | None = None
    law: Literal["fixed", "exponential", "pareto"] | None = None
    shape: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Game(App):
    r"""Game.

    One direction of a game over the network: a small packet at each tick, of a random size. A game is two flows. The
    table `quality` has the part of the packets that was lost or came too late.

    Reference: Färber 2002.

    Attributes
    ----------
    preset
        Group of settings. "player": Moves of a player of Counter-Strike: Färber 2002, table 2. "server": States from
        a server of Counter-Strike to one player: Färber 2002, table 2.
    interval
        Most frequent interval between packets (a). Allowed: a time such as "20ms", 100us to 100s. Default
        ``"15.625ms"``: 64 ticks a second: servers of Counter-Strike of today.
    interval_spread
        Spread of the intervals (b); zero is none. Allowed: a time such as "20ms", 0s to 100s. Default ``"0s"``: a
        server keeps its ticks.
    size
        Most frequent size of a packet's payload (a). Allowed: a number of bytes such as "1000B", 1B to 1400B. Default
        ``"120B"``: Färber 2002, table 2: a server.
    size_spread
        Spread of the sizes in bytes (b); zero is none. Allowed: a number, 0 to 1000. Default ``36``: Färber 2002,
        table 2: a server.
    deadline
        Longest time one way with which a packet is of use. Allowed: a time such as "20ms", 1ms to 100s. Default
        ``"75ms"``: Armitage 2003: players leave beyond round trips of 150 to 180 ms.
    """

    kind: ClassVar[str] = "game"

    preset: Literal["player", "server"] | None = None
    interval: str | None = None
    interval_spread: str | None = None
    size: str | None = None
    size_spread: float | None = None
    deadline: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Probe(App):
    r"""Probe of responsiveness.

    A prober as in a test of responsiveness: at fixed intervals it opens a new connection, shakes hands for TLS and
    asks for one byte. Each of the three exchanges is timed. The table `responsiveness` makes round trips per minute
    (RPM) of them.

    Reference: draft-ietf-ippm-responsiveness-09 section 5.3.

    Attributes
    ----------
    interval
        Time from the start of a probe to that of the next; a probe that takes longer delays the next. Allowed: a time
        such as "20ms", 1ms to 1000000s. Default ``"500ms"``: ten probers make 20 probes a second; the draft allows up
        to 100.
    tls
        Whether there is a TLS handshake. Without one the draft's formula for TCP alone holds. Allowed: true or false.
        Default ``True``: draft-ietf-ippm-responsiveness-09 section 5.3.1.
    hello
        Payload of the first message of TLS. Allowed: a number of bytes such as "1000B", 1B to 1000000B. Default
        ``"517B"``: a ClientHello padded to 512 bytes (RFC 7685), with its record header.
    request
        Payload of the request. Allowed: a number of bytes such as "1000B", 1B to 1000000B. Default ``"100B"``: a GET
        of HTTP/2 with compressed headers.
    count
        Probes in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: the
        test goes on until its end.
    """

    kind: ClassVar[str] = "probe"

    interval: str | None = None
    tls: bool | None = None
    hello: str | None = None
    request: str | None = None
    count: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Trace(App):
    r"""Recorded trace.

    A recording that is sent once more. At the recorded times it sends packets of recorded sizes, or transfers of
    recorded sizes over a new connection each.

    Reference: trace-driven simulation; ns-2's Application/Traffic/Trace.

    Attributes
    ----------
    times_s
        Seconds after the start of the flow, in order. Allowed: a list of numbers such as [0, 0.5, 2], each 0 to 1e9.
        Default ``"[]"``: nothing recorded.
    sizes_bytes
        Bytes of each: of a packet on the wire, of a transfer as payload. A single size is that of all. Allowed: a
        list of numbers such as [0, 0.5, 2], each 1 to 1e12. Default ``"[]"``: full packets.
    entry
        The meaning of an entry of the trace. Allowed: one of "packet", "transfer". Default ``"packet"``: most traces
        are of packets.
    repeat
        After this time the trace begins again; `auto` plays it once. Allowed: a time such as "20ms", 1us to 1e9s, or
        "auto". Default ``"auto"``: once.
    """

    kind: ClassVar[str] = "trace"

    times_s: Sequence[float] | None = None
    sizes_bytes: Sequence[float] | None = None
    entry: Literal["packet", "transfer"] | None = None
    repeat: str | None = None


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise no_class(__name__, name, __all__)
