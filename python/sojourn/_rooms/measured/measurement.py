"""A measurement of a line, whatever tool made it: rates and round trips, each with the field of the file it is from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["BOTH", "DOWN", "UP", "WAYS", "Jitter", "Load", "Measurement", "Rate", "Trips", "Way"]

Way = Literal["up", "down"]
UP: Way = "up"
DOWN: Way = "down"
WAYS: Sequence[Way] = (UP, DOWN)
BOTH = frozenset(WAYS)

Layer = Literal["tcp", "http", "udp", "ip"]
"""The bytes that a rate counts: payload of TCP, of HTTP over TLS, of UDP, or of packets of IP."""
Probe = Literal["ping", "tcp", "http"]
"""The exchange that takes a round trip: small packets, full packets of TCP, or a request with its answer."""


@dataclass(frozen=True)
class Rate:
    """A rate in one direction.

    Attributes
    ----------
    field
        Where the file has it.
    bps
        Bits per second of each interval, or of the whole test if there is one alone.
    layer
        The bytes that it counts.
    mss
        Payload of a full packet, in bytes; None if it is not known.
    sender
        Whether it was counted where data enter the sender's buffer, which then hides the steps of the line.
    whole_s
        Seconds over which a single value is a mean, with the start of the senders in them; None if that is not known.
    slack
        Part by which a single value may be too low or too high beyond that, by what the tool says of it.
    """

    field: str
    bps: Sequence[float]
    layer: Layer = "tcp"
    mss: int | None = None
    sender: bool = False
    whole_s: float | None = None
    slack: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Trips:
    """Round trips, as samples or as the statistics that a file has of them.

    Attributes
    ----------
    field
        Where the file has them.
    probe
        The exchange.
    ms
        Samples in their order, in milliseconds; empty if the file has statistics alone.
    least, middle, most
        Statistics in milliseconds; None where the file has none. The middle is a mean or a median.
    resolution_ms
        The steps in which the file has them.
    span_s
        Seconds from the first to the last sample; None if that is not known.
    """

    field: str
    probe: Probe = "ping"
    ms: Sequence[float] = ()
    least: float | None = None
    middle: float | None = None
    most: float | None = None
    resolution_ms: float = 0.0
    span_s: float | None = None

    @property
    def lowest(self) -> float | None:
        """The least of them."""
        return min(self.ms) if self.ms else self.least


@dataclass(frozen=True)
class Load:
    """A part of a test in which the line was full.

    Attributes
    ----------
    rates
        For each direction that was loaded.
    trips
        Round trips during it.
    waits
        One-way delays during it, each less its least one, in milliseconds: the wait in that direction alone.
    flows
        Connections in each direction; None if that is not known.
    law
        The sender's control law; empty if the file does not say.
    lost
        Whether packets were lost or sent again; None if the file does not say.
    duration_s
        Its length; None if that is not known.
    """

    rates: Mapping[Way, Rate]
    trips: Sequence[Trips] = ()
    waits: Mapping[Way, Trips] = field(default_factory=dict)
    flows: int | None = None
    law: str = ""
    lost: bool | None = None
    duration_s: float | None = None

    @property
    def ways(self) -> frozenset[Way]:
        """The directions that were loaded."""
        return frozenset(self.rates)


@dataclass(frozen=True)
class Jitter:
    """A tool's own number for the variation of round trips, in milliseconds, with its definition."""

    field: str
    ms: float
    meaning: str


@dataclass(frozen=True)
class Measurement:
    """The content of one file.

    Attributes
    ----------
    tool
        The program that made it.
    file
        Its name.
    loads
        Parts under load; none in a file of pings.
    idle
        Round trips without load.
    jitter
        As the tool counts it; None if it does not.
    notes
        Things that a reader should know, in sentences.
    """

    tool: str
    file: str
    loads: Sequence[Load] = ()
    idle: Sequence[Trips] = ()
    jitter: Jitter | None = None
    notes: Sequence[str] = ()
