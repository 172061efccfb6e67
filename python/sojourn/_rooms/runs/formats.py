"""Runs in the formats of other tools: Flent's data files, traces in the style of ns-2, tables as CSV or Parquet."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ... import _core
from .._base.files import together, write_whole
from .._base.spreadsheet import csv_text
from ..catalogue.charts import TableName
from .flent import data_file, missing_ping
from .result import Result, Study

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import StrPath

__all__ = [
    "flent",
    "flent_note",
    "ns2_note",
    "ns2_trace",
    "write_flent",
    "write_long",
    "write_ns2_trace",
    "write_tables",
]


def write_tables(done: Result | Study, folder: StrPath, *, form: str = "csv") -> list[Path]:
    """Write every table as a file of its own, all of them or none.

    Parameters
    ----------
    done
        A run, or a study, whose tables have the columns ``queue`` and ``seed`` in front.
    folder
        Made if it is not there.
    form
        ``"csv"`` or ``"parquet"``.

    Returns
    -------
    The files.
    """
    if form not in ("csv", "parquet"):
        raise ValueError(f"tables are written as csv or parquet, not as {form!r}")
    names = _table_names(done)
    with together(Path(folder)) as place:
        for name in names:
            # Run by run: all runs of a study together may not fit into memory.
            rows = [done.tables[name].lazy()] if isinstance(done, Result) else done.each(name)
            write_whole(place / f"{name}.{form}", _csv(rows) if form == "csv" else _parquet(rows, place / ".parquet"))
    return [Path(folder) / f"{name}.{form}" for name in names]


def write_long(done: Result | Study, folder: StrPath) -> Path:
    """Write the counters of all runs into one file, ``long.parquet``, with a row for each value.

    Columns: ``table``, ``queue``, ``seed``, ``row`` (the link, group or flow), ``metric`` and ``value``.
    """
    import polars as pl

    study = done.as_study()
    frames = [
        study.to_polars(table).select(pl.lit(table).alias("table"), pl.all())
        for table in get_args(TableName)
        if study.has(table)
    ]
    with together(Path(folder)) as place:
        content = io.BytesIO()
        pl.concat(frames).write_parquet(content)
        write_whole(place / "long.parquet", content.getvalue())
    return Path(folder) / "long.parquet"


def _csv(rows: Iterable[pl.LazyFrame]) -> Iterator[bytes]:
    return (csv_text(one.collect(), heads=place == 0).encode() for place, one in enumerate(rows))


def _parquet(rows: Iterable[pl.LazyFrame], aside: Path) -> Iterator[bytes]:
    import polars as pl

    pl.concat(list(rows), how="vertical_relaxed").sink_parquet(aside)
    with aside.open("rb") as file:
        yield from iter(partial(file.read, 1 << 20), b"")
    aside.unlink()


def _table_names(done: Result | Study) -> list[str]:
    if isinstance(done, Result):
        return list(done.tables)
    return list(dict.fromkeys(name for _, result in done.results for name in result.tables))


def write_flent(result: Result, path: StrPath) -> Path:
    """Write a run as a data file of Flent, which ``flent`` and ``flent-gui`` open; see :func:`flent`."""
    target = Path(path)
    if not target.name.endswith(".flent.gz"):
        raise ValueError(f"{target}: a data file of Flent is named NAME.flent.gz")
    text = json.dumps(flent(result, filename=target.name), allow_nan=False, separators=(",", ":"))
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, gzip.compress(text.encode(), mtime=0))
    return target


def flent(result: Result, *, filename: str = "run.flent.gz") -> dict[str, Any]:
    """A run as Flent's test ``rrul_be_nflows`` would have recorded it: format 4 of its data files.

    Each flow of TCP is a stream, ``TCP upload BE::`` where its data go forward and ``TCP download BE::`` where they go
    backward, with the name of its group and a number behind it; its throughput is in Mbit/s and counts headers. With
    ``record.cwnd`` the sender's smoothed round-trip time is beside each sample, as ``tcp_rtt`` as in Flent. Flows
    of datagrams are ``UDP upload::`` and ``UDP download::`` and in no sum of TCP; their one-way delays are ``owd_up``
    and ``owd_down``, as irtt's are.

    The ping is ``Ping (ms) UDP BE``: the delay of the sparsest group of datagrams there, plus that of the one back.
    A group is sparse where a flow has at most 128 kbit/s. If only one direction has such a group and no data go the
    other way, the way back is without a queue. Otherwise there is no ping; :func:`flent_note` says why.

    Raises
    ------
    ValueError
        If the scenario does not have ``record.throughput``.
    """
    return data_file(result, filename=filename)


def flent_note(result: Result) -> str:
    """Why Flent's data file of a run has no ping; empty if it has one."""
    return missing_ping(result)


def write_ns2_trace(result: Result, path: StrPath) -> Path:
    """Write the events of packets at the observed links in the style of ns-2; see :func:`ns2_trace`."""
    target = Path(path)
    text = "".join(f"{line}\n" for line in ns2_trace(result))
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, text)
    return target


def ns2_note(result: Result) -> str:
    """How many packets have no line in the trace, as they wait when the run ends; empty if there are none."""
    counts = result.counters.filter(counter="backlog_packets").select("link", "value").iter_rows()
    waiting = ", ".join(f"{value:.0f} at {link}" for link, value in counts if value > 0)
    return waiting and f"note: packets that wait when the run ends have no line: {waiting}"


def ns2_trace(result: Result) -> Iterator[str]:
    """Lines of ns-2's wired trace format, in order of time.

    ``EVENT TIME FROM TO TYPE SIZE FLAGS FLOW SRC DST SEQ UID``: ``+`` a packet joins a queue, ``-`` it leaves for
    transmission, ``r`` the other end of the link has received it, ``d`` it is dropped. Links count from 0, and link n
    leads from node 2n to node 2n + 1. Packets that wait when the run ends have no line. A packet dropped when it
    comes has a ``+`` and a ``d`` of the same time. ``UID`` is the number of a packet at its link: its lines have the
    same. ``SEQ`` counts the packets of a flow at that link in the order in which they leave; a dropped packet has that
    of the next. ``FLAGS`` has ``N`` where the packet may be marked (which is not known of dropped packets), and ``E``
    where it left marked.

    A packet is received when its last bit has been sent and the link's delay has passed. A link has no ``r`` where rate
    or delay vary, where it may corrupt packets, and where it shares a medium: the tables do not give the fate of each
    packet there.

    Raises
    ------
    ValueError
        If the scenario does not have ``record.packets`` and ``record.drops``.
    """
    missing = [key for key in ("packets", "drops") if key not in result.tables]
    if missing:
        sets = " ".join(f"--set record.{key}=true" for key in missing)
        raise ValueError(f"a trace needs every packet, and record.{missing[0]} is not set\n  hint:    {sets}")
    nodes = {name: 2 * place for place, name in enumerate(result.queue["link"])}
    wires = _steady_wires(result)
    lines: list[tuple[float, int, str]] = []
    left: dict[tuple[str, int], int] = {}
    events = sorted([*_departures(result), *_drops(result)], key=lambda one: one[0])
    for uid, (time, link, flow, size, waited, flags) in enumerate(events):
        seq = left.get((link, flow), 0)
        start = nodes[link]
        ends = f"{start}.{flow} {start + 1}.{flow} {seq} {uid}"
        joined = time - waited / 1e3
        came = "-------" if flags is None else flags.replace("E", "-")
        lines.append(
            (joined, int(flags is None), f"+ {joined:.9f} {start} {start + 1} pkt {size} {came} {flow} {ends}")
        )
        if flags is None:
            lines.append((time, 2, f"d {time:.9f} {start} {start + 1} pkt {size} {came} {flow} {ends}"))
            continue
        left[link, flow] = seq + 1
        lines.append((time, 3, f"- {time:.9f} {start} {start + 1} pkt {size} {flags} {flow} {ends}"))
        if link in wires:
            rate, delay = wires[link]
            there = time + 8 * size / rate + delay
            if there <= result.scenario.duration_s:
                lines.append((there, 4, f"r {there:.9f} {start} {start + 1} pkt {size} {flags} {flow} {ends}"))
    # Times are whole nanoseconds, and their differences as floating numbers nearly so. Among packets that came at the
    # same time, dropped ones came last.
    yield from (line for *_, line in sorted(lines, key=lambda one: (round(one[0], 9), one[1])))


# For each ECN field: the fifth is congestion experienced, the seventh a transport that is capable of ECN.
_FLAGS = {"not-ect": "-------", "ect0": "------N", "ect1": "------N", "ce": "----E-N"}

_Event = tuple[float, str, int, int, float, str | None]
# Time, link, flow, size, waiting time and flags (None: the packet was dropped).


def _departures(result: Result) -> Iterator[_Event]:
    columns = ("time_s", "link", "flow", "size_bytes", "sojourn_ms", "ecn")
    for time, link, flow, size, waited, ecn in result.packets.select(columns).iter_rows():
        yield time, link, flow, size, waited, _FLAGS[ecn]


def _drops(result: Result) -> Iterator[_Event]:
    columns = ("time_s", "link", "flow", "size_bytes", "sojourn_ms")
    for time, link, flow, size, waited in result.drops.filter(event="drop").select(columns).iter_rows():
        yield time, link, flow, size, waited, None


def _steady_wires(result: Result) -> dict[str, tuple[float, float]]:
    """Rate in bit/s and delay in seconds of the links on which nothing varies and no packet is corrupted."""
    resolved = result.scenario.resolved()
    bell = resolved.get("dumbbell")
    links = {link["name"]: link for link in resolved.get("link", [])}
    if bell:
        own = {key: bell.get(f"reverse_{key}", bell.get(key)) for key in ("rate", "loss", "changes")}
        links = {"forward": bell, "reverse": {**bell, **own}}
    varying = ("loss", "jitter", "changes", "medium")
    return {
        name: (_core.bits_per_second(link["rate"]), _core.seconds(link["delay"]))
        for name, link in links.items()
        if isinstance(link["rate"], str) and not any(link.get(key) for key in varying)
    }


def file_name(label: str, seed: int) -> str:
    """A file's name for a run of a study."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", f"{label}-seed{seed}").strip("-.")
