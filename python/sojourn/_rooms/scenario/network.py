"""The tables of a scenario: the network, flows and records.

Every field has the name that it has in a scenario file. Quantities are texts with a unit (``"10Mbit"``, ``"20ms"``,
``"50p"``); a field that is None is not written, and the default holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .._base import toml
from .component import App, Loss, Named, Queue, Table, Transport
from .queue_text import table_of, with_lines_read

__all__ = ["Access", "Change", "Dumbbell", "Flow", "Jitter", "Link", "Medium", "Node", "RateTrace", "Record", "Start"]


class _WithQueues(Table):
    """A table whose queues may be texts: ``"codel:target=3ms"``, or a line of tc."""

    __slots__ = ()

    def to_dict(self) -> dict[str, toml.Value]:
        """As in a scenario file."""
        content = super().to_dict()
        for key in ("queue", "reverse_queue"):
            queue = content.get(key)
            if isinstance(queue, str):
                content[key] = table_of(queue)
            elif isinstance(queue, dict):
                content[key] = with_lines_read(queue)
        return content


@dataclass(frozen=True, kw_only=True, repr=False)
class Access(Table):
    """The links between the hosts of a flow and the routers of the dumbbell.

    Attributes
    ----------
    rate
        Rate of each access link; by default ten times the bottleneck's, of its faster direction.
    delay
        One-way delay; two values are the least and the greatest, spread over the flows. Default ``"0s"``.
    sink_delay
        Delay of the receiving host's link, if it differs.
    spread
        Whether a range of delays is spread ``"even"`` (the default) or drawn for each host, ``"random"``.
    steps
        The number of delays at even distances from which one is drawn; by default any of the range.
    limit
        Buffer of each access link. Default ``"100000p"``.
    loss, jitter, changes
        Losses, jitter and changes of each of the four links of a flow, as for :class:`Dumbbell`.
    """

    rate: str | None = None
    delay: str | tuple[str, str] | None = None
    sink_delay: str | tuple[str, str] | None = None
    spread: Literal["even", "random"] | None = None
    steps: int | None = None
    limit: str | None = None
    loss: str | Loss | Mapping[str, Any] | None = None
    jitter: str | Jitter | None = None
    changes: Sequence[Change] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Jitter(Table):
    """A delay beyond a link's own, drawn anew for each packet.

    Attributes
    ----------
    mean
        Its mean.
    law
        Its distribution: from nothing to twice the mean, or exponential. Default ``"uniform"``.
    reorder
        Whether packets may overtake each other. Default False.
    """

    mean: str
    law: Literal["uniform", "exponential"] | None = None
    reorder: bool | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Change(Table):
    """A new rate, delay or loss of a link.

    Attributes
    ----------
    at
        When; later than the change before.
    rate, delay, loss
        The rate, the delay and the losses from then on; None leaves it as it is. A probability of 0 ends losses.
    """

    at: str
    rate: str | None = None
    delay: str | None = None
    loss: str | Loss | Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class RateTrace(Table):
    """When a link may send: opportunities as of a cellular link.

    Attributes
    ----------
    mahimahi
        Moments in milliseconds, or a Mahimahi trace, a file with one on each line. Behind the last they begin again.
    opportunity
        Bytes on the wire that can be sent at each. Default ``"1500B"``.
    """

    mahimahi: str | Sequence[float]
    opportunity: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Dumbbell(_WithQueues):
    """Two routers with the bottleneck between them.

    Attributes
    ----------
    rate
        Rate of the bottleneck, in both directions unless there is a `reverse_rate`; a text, or a :class:`RateTrace` if
        it varies as a trace says.
    reverse_rate
        Rate of the other direction; by default the same as `rate`.
    delay
        One-way propagation delay of the bottleneck.
    queue
        The queue in front of the bottleneck. Default ``"fifo"``.
    reverse_queue
        The queue of the other direction; by default the same as `queue`.
    loss
        Which packets are corrupted on the bottleneck; by default none.
    reverse_loss
        The same in the other direction; by default the same as `loss`.
    jitter
        A delay beyond `delay`; a text is ``Jitter(mean=...)``.
    changes
        Rates, delays and losses to come, in order of time.
    reverse_changes
        The same in the other direction; by default the same as `changes`.
    overhead, mpu, cells
        Bytes of a packet on the line beyond its own, the least that a packet takes, and the cells or blocks.
    medium
        Name of the :class:`Medium` that both directions share; `rate` is then that of data frames.
    access
        The links between hosts and routers.
    base_rtt
        Round-trip time without queues, for ``"2BDP"`` and for laws that need one; by default the mean of the flows.
    mean_packet
        Mean packet size, where a law needs one. Default ``"1000B"``.
    """

    rate: str | RateTrace
    reverse_rate: str | RateTrace | None = None
    delay: str
    queue: str | Queue | Mapping[str, Any] | type[Named] | None = None
    reverse_queue: str | Queue | Mapping[str, Any] | type[Named] | None = None
    loss: str | Loss | Mapping[str, Any] | None = None
    reverse_loss: str | Loss | Mapping[str, Any] | None = None
    jitter: str | Jitter | None = None
    changes: Sequence[Change] | None = None
    reverse_changes: Sequence[Change] | None = None
    overhead: str | None = None
    mpu: str | None = None
    cells: Literal["none", "atm", "ptm"] | None = None
    medium: str | None = None
    access: Access | None = None
    base_rtt: str | None = None
    mean_packet: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Medium(Table):
    """A wireless medium that links share: the distributed coordination function of IEEE 802.11.

    Attributes
    ----------
    name
        Unique name, for links.
    standard
        Slots, gaps, windows and preambles. Default ``"802.11b"``.
    basic_rate
        Rate of ACK frames; by default the highest basic rate that is not above that of the data.
    preamble
        Of 802.11b. Default ``"long"``.
    retries
        How often a frame is sent again. Default 6.
    overhead
        Bytes that a frame adds to a packet. Default ``"36B"``.
    any_rate
        Whether links may have rates that the standard does not know. Default False.
    rts_threshold
        Frames of more bytes are preceded by RTS and CTS; by default none is.
    rts_retries
        How often an RTS is sent again. Default 6.
    """

    name: str
    standard: Literal["802.11a", "802.11b", "802.11g"] | None = None
    basic_rate: str | None = None
    preamble: Literal["long", "short"] | None = None
    retries: int | None = None
    overhead: str | None = None
    any_rate: bool | None = None
    rts_threshold: str | None = None
    rts_retries: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Node(Table):
    """A host or a router of a graph.

    Attributes
    ----------
    name
        Unique name, for links and flows.
    """

    name: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Link(_WithQueues):
    """A link of a graph.

    Attributes
    ----------
    from_, to
        Names of the nodes that it leaves and reaches.
    rate, delay
        Its rate, as for :class:`Dumbbell`, and its one-way propagation delay.
    queue
        The queue in front of it. Default ``"fifo"``.
    name
        Unique name, for tables. Default ``from-to``.
    duplex
        Whether there is a link of the same kind in the other direction. Default True.
    observed
        Whether its queue appears in the tables; by default if `name` or `queue` is given.
    loss, jitter, changes
        Losses, jitter and changes of each direction, as for :class:`Dumbbell`.
    overhead, mpu, cells
        Bytes of a packet on the line beyond its own, the least that a packet takes, and the cells or blocks.
    medium
        Name of the :class:`Medium` that it shares with its other direction and with other links.
    base_rtt, mean_packet
        As for :class:`Dumbbell`.
    """

    from_: str
    to: str
    rate: str | RateTrace
    delay: str
    queue: str | Queue | Mapping[str, Any] | type[Named] | None = None
    name: str | None = None
    duplex: bool | None = None
    observed: bool | None = None
    loss: str | Loss | Mapping[str, Any] | None = None
    jitter: str | Jitter | None = None
    changes: Sequence[Change] | None = None
    overhead: str | None = None
    mpu: str | None = None
    cells: Literal["none", "atm", "ptm"] | None = None
    medium: str | None = None
    base_rtt: str | None = None
    mean_packet: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Start(Table):
    """When the flows of a group start.

    Attributes
    ----------
    at
        The first can start here. Default ``"0s"``.
    spread
        Each flow starts at a random moment within this after its time; the same for every queue compared.
    every
        Flow *k* starts *k* times this later.
    """

    at: str | None = None
    spread: str | None = None
    every: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DelayHint(Table):
    """How long the packets of a flow may wait in a queue, whatever drives the flow.

    Attributes
    ----------
    delay
        The hint; the least one if it adapts.
    acks
        Whether packets of the receiving end carry it as well. Default False.
    rate
        Payload rate that the application needs: the hint rises while the receiver gets less, and falls again when it
        gets more. By default it does not adapt.
    most
        The greatest hint, if it adapts. Default ``"80ms"``.
    step
        By how much it moves. Default ``"20ms"``.
    every
        How long the throughput is measured for. Default ``"1s"``.
    headroom
        By how much the throughput exceeds `rate` before the hint falls. Default ``"10%"``.
    """

    delay: str
    acks: bool | None = None
    rate: str | None = None
    most: str | None = None
    step: str | None = None
    every: str | None = None
    headroom: str | float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Flow(Table):
    """A group of flows that are alike.

    Attributes
    ----------
    name
        Unique name of the group.
    count
        Number of flows. Default 1.
    direction
        Which way the data goes through the dumbbell. Default ``"forward"``.
    from_, to
        Nodes that send and receive, in a graph.
    access
        Access links of this group; replaces the dumbbell's as a whole.
    transport
        The sender and the receiver. Default ``"tcp"``.
    app
        The source of the traffic. Default ``"bulk"``.
    service
        The declaration of its packets for RIO: within their profile (``"in"``) or not (``"out"``).
    dscp
        Their codepoint of differentiated services: a name such as ``"EF"`` or a number. By default best effort.
    priority
        How much the packets matter, 0 to 255, more is more.
    delay_hint
        How long the packets may wait in a queue, said in each of them; a text is ``DelayHint(delay=...)``. By default
        they carry none.
    start
        When the flows start; a text is ``Start(at=...)``. Default ``"0s"``.
    stop
        When they stop; by default at the end of the run.
    """

    name: str | None = None
    count: int | None = None
    direction: Literal["forward", "backward"] | None = None
    from_: str | None = None
    to: str | None = None
    access: Access | None = None
    transport: str | Transport | Mapping[str, Any] | None = None
    app: str | App | Mapping[str, Any] | None = None
    service: Literal["in", "out"] | None = None
    dscp: str | int | None = None
    priority: int | None = None
    delay_hint: str | DelayHint | None = None
    start: str | Start | None = None
    stop: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Record(Table):
    """The records besides the counters, which are always on.

    A series takes the time between samples, or ``{"every": "10ms", "poisson": True}`` for times that are drawn.

    Attributes
    ----------
    queue
        Sample the backlog of observed queues this often: table ``backlog``.
    probes
        Sample the internals of observed queues: table ``probe``.
    cwnd
        Sample the senders' windows: table ``window``.
    throughput
        Sample each flow's throughput: table ``rate``.
    occupancy
        Keep how long each backlog lasted at observed queues: table ``occupancy``.
    drops
        Keep every drop and mark at observed queues: table ``drops``.
    packets
        Keep every packet that leaves an observed queue: table ``packets``.
    pcap
        Keep every packet at observed links for capture files: :meth:`Result.write_pcap`.
    """

    queue: str | Mapping[str, Any] | None = None
    probes: str | Mapping[str, Any] | None = None
    cwnd: str | Mapping[str, Any] | None = None
    throughput: str | Mapping[str, Any] | None = None
    occupancy: bool | None = None
    drops: bool | None = None
    packets: bool | None = None
    pcap: bool | None = None
