"""Replays recorded arrivals through one queue, packet by packet.

A recording (CSV, pcap, pcapng, a trace of ns-2 or a data frame) drives a queue discipline in front of a link. Nothing
answers: packets come when they were recorded, whatever the queue does. With a column of uniform numbers, the decisions
can be compared one by one with those of another implementation that is given the same numbers.

At one instant, first a packet that ends its transmission makes room for the next, then the discipline does its periodic
work, then arrivals join in the order in which they are recorded. With recorded departures in place of a rate, arrivals
join first, and then the link takes a packet.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ... import _core
from .._base import door
from .._base.checks import checked_seed, shortened
from .._base.csv_files import read_table
from .._base.nearest import nearest, nearest_hint
from ..scenario.site import site_of
from .fates import DECISIONS, Agreement, agreement

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ...apps import Trace
    from ..scenario.network import Flow
    from ..scenario.scenario import QueueLike

__all__ = ["Oversize", "RecordingWarning", "ReplayResult", "recorded", "recorded_flows", "replay"]

# As the core names a captured flow: "tcp 10.0.0.1:80 > 10.0.0.2:1234".
_CAPTURED = re.compile(r"(\S+ )(\S+) > (\S+)((?: vlan .*)?)")
_ECN = ("not-ect", "ect1", "ect0", "ce")


class RecordingWarning(UserWarning):
    """A recording has records that are no arrivals, or packets that no link carries."""


@dataclass(frozen=True)
class Oversize:
    """Packets larger than a link carries: segmentation offload gives them to a network card, or joins them.

    Attributes
    ----------
    mtu_bytes
        The MTU that was asked for, or the largest that is usual: 1500 in captures, 9216 elsewhere.
    packets, largest_bytes
        How many are larger, and the largest.
    pieces
        Packets into which they were cut; 0 if no MTU was asked for.
    """

    mtu_bytes: int
    packets: int
    largest_bytes: int
    pieces: int


@dataclass(frozen=True)
class ReplayResult:
    """The decision of a queue about each packet, and totals.

    Attributes
    ----------
    decisions
        One row for each arrival: ``packet`` (from 0), ``record`` (line of the CSV or of ns-2's trace, or number of the
        captured frame as in Wireshark), ``time_s``, ``flow``, ``size_bytes``, ``ecn`` and ``dscp`` (as it came),
        ``decision`` (enqueued, marked or dropped), ``reason``, ``decision_s`` (when it was marked or dropped, else when
        it came), ``departure_s`` (it left the queue and its first bit was sent), ``sent_s`` (its last bit was sent) and
        ``sojourn_ms`` (from arrival to departure). A dropped packet has no departure. Behind recorded departures,
        ``sent_s`` is not known.
    summary
        One row, with the names of the table ``queue`` of a run. Marks are not losses. They are decisions of the queue:
        a packet that came with CE already and was to be marked is among them, as in the kernel, and
        ``marks_on_ce_packets`` says how many these are. Backlogs are time-weighted, from the first arrival to the last
        transmission, and do not count the packet in transmission. Behind recorded departures, the utilisation is not
        known.
    reasons
        Drops and marks by reason.
    left_out
        Parts of the recording that were left out, by their name, and how often.
    oversize
        Packets larger than a link carries.
    short
        Captured packets that were cut off before their ports, or before the header inside of a tunnel.
    sides
        Interfaces and directions of a capture that has several: name, number of frames, and whether they were taken.
    skipped_not_ip, skipped_malformed
        Captured frames that were left out: those that are not IP, and those whose IP header is cut off or damaged.
    told_rate_bps
        Behind recorded departures without a rate, the one that laws were told: departures times the mean size of an
        arrival, over their time.
    unused_departures
        Of recorded departures, those that found no packet to send.
    """

    decisions: pl.DataFrame
    summary: pl.DataFrame
    reasons: pl.DataFrame
    left_out: pl.DataFrame
    oversize: Oversize
    short: int
    sides: pl.DataFrame
    skipped_not_ip: int
    skipped_malformed: int
    told_rate_bps: int | None
    unused_departures: int
    _warnings: tuple[str, ...] = ()

    def both_ways(self) -> list[str]:
        """Captured flows whose answers are among the arrivals, too: these never met in one queue."""
        names = self.decisions["flow"].unique(maintain_order=True).to_list()
        known = set(names)
        return [name for name in names if _answer(name) in known]

    def notes(self) -> list[str]:
        """Findings about the recording that a reader of the numbers should know: parts that were left out or cut."""
        notes = [*self._warnings, *_notes(self.left_out.rows(), self.oversize, self.short)]
        if self.told_rate_bps is not None:
            notes.append(f"laws are told the rate of the departures, {self.told_rate_bps / 1e6:.3f} Mbit/s")
        if self.unused_departures:
            notes.append(f"{self.unused_departures} departures found no packet in the queue")
        if waiting := self.summary["waiting_packets"].item():
            notes.append(f"{waiting} packets wait when the recording ends")
        return notes

    def against(self, theirs: StrPath | pl.DataFrame) -> Agreement:
        """Put the decisions of another implementation about the same arrivals beside these.

        Parameters
        ----------
        theirs
            A CSV file or a frame with a column ``decision`` (enqueued, marked or dropped). It has a row for each
            arrival, in order; or it lists some packets, which a column ``packet`` (from 0) or ``record`` names, and
            all others count as enqueued.

        Examples
        --------
        >>> import polars, sojourn
        >>> arrivals = polars.DataFrame({"time_s": [0.0, 0.0, 0.0], "bytes": [1250] * 3, "flow": ["a"] * 3})
        >>> result = sojourn.replay(arrivals, queue="fifo:limit=1p", rate="10Mbit")
        >>> both = result.against(polars.DataFrame({"packet": [1], "decision": ["dropped"]}))
        >>> both.equal, both.first["packet"], both.count("dropped")
        (1, 1, (0, 1, 1))
        """
        return agreement(self.decisions, theirs)

    def __repr__(self) -> str:
        arrivals, dropped = (self.summary[name].item() for name in ("arrivals_packets", "drops_packets"))
        return f"<ReplayResult: {arrivals} arrivals, {dropped} drops>"

    def _repr_html_(self) -> str:
        return door.html(self)


def replay(
    arrivals: StrPath | pl.DataFrame,
    *,
    queue: QueueLike = "fq_codel",
    rate: str | None = None,
    departures: StrPath | pl.DataFrame | None = None,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    base_rtt: str = "100ms",
    mean_packet: str = "auto",
    seed: int = 1,
    link: str | None = None,
    mtu: str | None = None,
) -> ReplayResult:
    """Replay recorded arrivals through one queue in front of a link.

    Parameters
    ----------
    arrivals
        A CSV, pcap or pcapng file, or a frame with the CSV's columns: ``time_s``, ``bytes`` and ``flow`` (any text),
        and if wanted ``ecn`` (``not-ect``, ``ect0``, ``ect1``, ``ce``, or 0 to 3 as in the IP header), ``dscp``
        (``EF``, ``AF11`` ..., or 0 to 63; without it best effort), ``source`` and ``destination`` (the hosts, by
        address or any name; without them, each flow has two of its own) and ``uniform`` (the first number in [0, 1)
        that the queue draws when the packet comes; without it, the queue's own generator draws). Times count from the
        start of the recording and do not go back.

        From a capture, the size is the length of the IP packet by its own header, however much of it was captured. A
        flow is a 5-tuple, as Linux tells flows apart: inside of GRE and of IP in IP, and without the ports of
        fragments. Its addresses are the hosts, and the acknowledgements of TCP are those that CAKE filters. Capture
        one direction, or filter the file first; see `link`.

        ``$ns trace-all`` and ``$ns trace-queue`` of ns-2 write such traces for wired links. A packet that joins a queue
        (``+``) is an arrival there, and a flow is a flow identifier with two addresses, such as ``2: 0.1 > 3.2``.

        A CSV may have two more columns with the decisions of another implementation: ``decision`` and ``departure_s``.
        They make no difference here; see `departures` and :meth:`ReplayResult.against`.
    queue
        Name of the queue, ``"red:min_th=5p,ecn=true"``, ``queues.Red(min_th="5p")`` or a mapping with ``kind``.
    rate
        Rate of the link: ``"10Mbit"``. With `departures`, it is only the rate that laws are told.
    departures
        Recorded moments at which the link was free to send the next packet, instead of a rate: a file with a time in
        seconds on each line, or a CSV or frame with a column ``departure_s``, in which a packet that did not leave has
        none. They count from the same moment as the arrivals. A packet that arrives at the time of a departure
        arrives before it.
    preset
        Named group of settings: ``"ns2"``.
    settings
        Parameters of the queue: ``{"min_th": "5p", "ecn": True}``; they go before those in `queue`.
    base_rtt, mean_packet
        The round-trip time and the mean packet size, for laws that need them.
    seed
        The seed of the queue's own random numbers.
    link
        Of a trace of ns-2 the link whose arrivals are taken, by the numbers of its nodes: ``"0-2"``. It may be left out
        where packets join one queue only. Of a capture the interface, the direction or both: ``"eth0"``, ``"out"``,
        ``"eth0 out"``, or ``"all"``. Without it, a capture with several of them (``tcpdump -i any``) gives the packets
        that went out at the busiest interface (or that were seen there, if nothing went out), and a note says so.
    mtu
        Cuts larger packets as network cards cut them: ``"1500B"``. A capture from the machine that sends or receives
        often has packets of many segments, which no queue of a link ever saw. Each part has the headers of the whole
        (40 bytes in a CSV and in a trace of ns-2), and all come at the same moment.

    Raises
    ------
    ScenarioError
        With the line or frame, and the found and the allowed values.

    Examples
    --------
    >>> import polars, sojourn
    >>> arrivals = polars.DataFrame({"time_s": [0.0, 0.0, 0.0], "bytes": [1250] * 3, "flow": ["a"] * 3})
    >>> result = sojourn.replay(arrivals, queue="fifo", settings={"limit": "1p"}, rate="10Mbit")
    >>> result.decisions["decision"].to_list(), result.decisions["departure_s"].to_list()
    (['enqueued', 'enqueued', 'dropped'], [0.0, 0.001, None])
    """
    checked_seed(seed)
    name, content = _content(arrivals)
    site = site_of(queue, rate=rate, preset=preset, settings=settings, base_rtt=base_rtt, mean_packet=mean_packet)
    recording = {"link": link, "mtu": mtu, "departures": None if departures is None else _departures(departures)}
    found = _core.replay(content, name, site, seed, recording)
    not_ip, malformed = found["skipped"]
    decisions = _decisions(found["decisions"], found["texts"])
    on_ce = decisions.filter((pl.col("decision") == "marked") & (pl.col("ecn") == "ce")).height
    return ReplayResult(
        decisions=decisions,
        summary=pl.DataFrame([{**found["summary"], "marks_on_ce_packets": on_ce}]),
        reasons=pl.DataFrame(
            found["reasons"],
            schema={"event": pl.String, "reason": pl.String, "packets": pl.Int64},
            orient="row",
        ),
        left_out=pl.DataFrame(found["left_out"], schema={"what": pl.String, "records": pl.Int64}, orient="row"),
        oversize=Oversize(*found["oversize"]),
        short=found["short"],
        sides=pl.DataFrame(
            found["sides"], schema={"side": pl.String, "frames": pl.Int64, "taken": pl.Boolean}, orient="row"
        ),
        skipped_not_ip=not_ip,
        skipped_malformed=malformed,
        told_rate_bps=found["told_rate_bps"],
        unused_departures=found["unused_departures"],
        _warnings=(*_about_sides(found["sides"], link), *_about_cake(site, found)),
    )


def recorded(
    arrivals: StrPath | pl.DataFrame, *, flow: str | None = None, link: str | None = None, mtu: str | None = None
) -> Trace:
    """Make a source of recorded packets: the application that sends them at their times with their sizes.

    Parameters
    ----------
    arrivals, link, mtu
        As for :func:`replay`.
    flow
        Name of one flow, such as ``"tcp 10.0.0.1:80 > 10.0.0.2:1234"``; by default all packets.

    Raises
    ------
    ScenarioError
        With the line or frame, and the found and the allowed values.

    Warns
    -----
    RecordingWarning
        About records that were left out, and packets that no link carries.

    Examples
    --------
    >>> import polars, sojourn
    >>> frame = polars.DataFrame({"time_s": [0.0, 0.5, 2.0], "bytes": [1250, 40, 1250], "flow": ["a", "b", "a"]})
    >>> source = sojourn.recorded(frame, flow="a")
    >>> source.times_s, source.sizes_bytes
    ([0.0, 2.0], [1250, 1250])
    """
    from ...apps import Trace

    name, content = _content(arrivals)
    found = _core.arrivals(content, name, {"link": link, "mtu": mtu, "departures": None})
    about = _notes(found["left_out"], Oversize(*found["oversize"]), found["short"])
    for note in [*_about_sides(found["sides"], link), *about]:
        warnings.warn(f"{name}: {note}", RecordingWarning, stacklevel=2)
    names = found["names"]
    if flow is not None and flow not in names:
        hint = nearest_hint(flow, names, shown=repr)
        raise _core.ScenarioError(f"{name}: there is no flow {flow!r} in it{hint}")
    wanted = None if flow is None else names.index(flow)
    packets = zip(found["times_s"], found["sizes_bytes"], found["flow"], strict=True)
    kept = [(time, size) for time, size, number in packets if wanted in (None, number)]
    return Trace(times_s=[time for time, _ in kept], sizes_bytes=[size for _, size in kept])


def recorded_flows(transfers: StrPath | pl.DataFrame, *, like: Flow | None = None) -> list[Flow]:
    """Make flows that come when they were recorded, each to send one transfer of its recorded size.

    Parameters
    ----------
    transfers
        A CSV file or a frame with the columns ``time_s`` (when a flow starts) and ``bytes`` (its payload). Other
        columns are left aside, and rows may be in any order.
    like
        Transport, ends and access links of all flows; its name is that in front of their numbers.

    Raises
    ------
    ScenarioError
        With the line, and the found and the allowed values.

    Examples
    --------
    >>> import polars, sojourn
    >>> frame = polars.DataFrame({"time_s": [0.0, 0.25], "bytes": [10_000, 1_000_000]})
    >>> [flow.start for flow in sojourn.recorded_flows(frame, like=sojourn.Flow(name="web"))]
    ['0.000000000s', '0.250000000s']
    """
    from ...apps import Trace
    from ..scenario.network import Flow

    name = "the frame" if isinstance(transfers, pl.DataFrame) else str(transfers)
    like = like or Flow(name="transfer")
    flows = []
    for number, (time_s, size) in enumerate(_transfers(transfers, name)):
        app = Trace(times_s=[0.0], sizes_bytes=[size], entry="transfer")
        flows.append(replace(like, name=f"{like.name or 'transfer'}{number}", app=app, start=f"{time_s:.9f}s"))
    return flows


def _transfers(transfers: StrPath | pl.DataFrame, name: str) -> list[tuple[float, int]]:
    """Read times and sizes; a line counts from the header, which is line 1."""
    header = 1
    if isinstance(transfers, pl.DataFrame):
        frame = transfers
    else:
        try:
            frame, header = read_table(Path(transfers))
        except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
            raise _core.ScenarioError(f"{name}: this is not CSV: {shortened(str(error))}") from None
        except OSError as error:
            if error.errno is not None:
                raise
            # polars' message for a compressed file that ends too early.
            raise _core.ScenarioError(f"{name}: this is not CSV: {shortened(str(error))}") from None
    for column in ("time_s", "bytes"):
        if column not in frame.columns:
            near = nearest(column, frame.columns)
            hint = "" if near is None else f"\n  hint:    rename {near!r}"
            raise _core.ScenarioError(f"{name}: the column {column!r} is missing{hint}")
    found = []
    for line, (time, size) in enumerate(frame.select("time_s", "bytes").iter_rows(), start=header + 1):
        time_s, number = _number(time), _number(size)
        if not 0.0 <= time_s < 1e6:
            raise _core.ScenarioError(
                f"{name}: line {line}: time_s is {shortened(repr(time))}; allowed are seconds from 0 to 1000000"
            )
        if not 1.0 <= number <= 1e12 or number != int(number):
            raise _core.ScenarioError(
                f"{name}: line {line}: bytes is {shortened(repr(size))}; allowed are whole numbers from 1 to 1e12"
            )
        found.append((time_s, int(number)))
    if not found:
        raise _core.ScenarioError(f"{name}: there are no transfers in it")
    return found


def _notes(left_out: list[tuple[str, int]], oversize: Oversize, short: int) -> list[str]:
    notes = [f"left out: {number} {what}" for what, number in left_out]
    if short:
        notes.append(
            f"warning: {short} packets were cut off before their ports, or before the header in a tunnel: flows are "
            "told apart by the addresses that are left\n"
            "  hint:    capture whole packets, or their first 128 bytes (tcpdump -s 128)"
        )
    size = f"{oversize.packets} packets larger than {oversize.mtu_bytes} B (the largest {oversize.largest_bytes} B)"
    if oversize.pieces:
        notes.append(f"cut: {size}, into {oversize.pieces}")
    elif oversize.packets:
        notes.append(
            f"warning: {size}: segmentation offload (TSO, GSO, GRO) makes them, and no queue of a link sees them\n"
            "  hint:    --mtu 1500B (in Python mtu) cuts them into packets; that of jumbo frames leaves these whole"
        )
    return notes


def _about_sides(sides: list[tuple[str, int, bool]], link: str | None) -> list[str]:
    """Say which packets of a capture with several interfaces or both directions were taken, if nobody chose."""
    if link is not None or len(sides) < 2:
        return []
    counts = ", ".join(f"{name} ({frames} frames)" for name, frames, _ in sides)
    taken = ", ".join(name for name, _, is_taken in sides if is_taken)
    return [
        f"warning: this capture has {counts}: the packets of {taken} are taken, since a queue has those of one "
        "interface in one direction\n"
        "  hint:    --link (in Python link) chooses others: an interface, in, out, both ('eth0 out'), or all"
    ]


def _about_cake(site: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Say what CAKE looks at and a table does not have."""
    if "cake" not in (site["queue"], *(text.partition(":")[0] for _, text in site["settings"])):
        return []
    notes = []
    if not found["names_hosts"] and dict(site["settings"]).get("isolation") not in ("flows", "flowblind"):
        notes.append("cake: each flow has two hosts of its own, since the table has no columns source and destination")
    filters = any(key == "ack_filter" and text != "off" for key, text in site["settings"])
    if filters and not found["acknowledgements"]:
        notes.append(
            "cake: nothing is filtered, since no acknowledgement of TCP was read: captures have them, where the "
            "headers are whole (a snap length of 128 bytes)"
        )
    return notes


def _departures(departures: StrPath | pl.DataFrame) -> tuple[bytes, str]:
    name, content = _content(departures)
    return content, name


def _answer(flow: str) -> str | None:
    """The flow in the other direction; None if its name is not that of a captured flow."""
    found = _CAPTURED.fullmatch(flow)
    return f"{found[1]}{found[3]} > {found[2]}{found[4]}" if found else None


def _number(value: object) -> float:
    """Read a number; NaN for a text that is not a number."""
    try:
        return float(str(value))
    except ValueError:
        return math.nan


def _content(arrivals: StrPath | pl.DataFrame) -> tuple[str, bytes]:
    if isinstance(arrivals, pl.DataFrame):
        buffer = io.BytesIO()
        arrivals.write_csv(buffer)
        return "the frame as CSV", buffer.getvalue()
    path = Path(arrivals)
    return str(path), path.read_bytes()


def _decisions(columns: Mapping[str, Any], texts: Mapping[str, list[str]]) -> pl.DataFrame:
    frame = pl.DataFrame(dict(columns)).with_row_index("packet")
    return frame.with_columns(
        _named(frame["flow"], texts["flow"]),
        _named(frame["ecn"], _ECN),
        _named(frame["dscp"], texts["dscp"]),
        _named(frame["decision"], DECISIONS),
        _named(frame["reason"], (None, *texts["reason"])),
        pl.col("departure_s", "sent_s", "sojourn_ms").fill_nan(None),
    )


def _named(codes: pl.Series, names: tuple[str | None, ...] | list[str]) -> pl.Series:
    return pl.Series(codes.name, names, dtype=pl.String).gather(codes)
