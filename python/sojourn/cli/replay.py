"""``sojourn replay``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._files import write_whole
from . import complete
from .guard import check_file, check_output, guarded, print_json
from .plugins import Plugins, load_plugins

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from ..replayer import ReplayResult

__all__ = ["add_to", "replay", "replay_table"]

# What the table shows: column of the summary, words, factor, unit, decimals.
_SHOWN = (
    ("arrivals_packets", "arrivals", 1, "packets", 0),
    ("departures_packets", "departures", 1, "packets", 0),
    ("loss_ratio", "loss", 100, "%", 3),
    ("mark_ratio", "marks", 100, "%", 3),
    ("utilisation", "utilisation", 100, "%", 2),
    ("throughput_bps", "throughput", 1e-6, "Mbit/s", 3),
    ("sojourn_mean_ms", "sojourn mean", 1, "ms", 3),
    ("sojourn_p50_ms", "sojourn p50", 1, "ms", 3),
    ("sojourn_p95_ms", "sojourn p95", 1, "ms", 3),
    ("sojourn_p99_ms", "sojourn p99", 1, "ms", 3),
    ("sojourn_max_ms", "sojourn max", 1, "ms", 3),
    ("backlog_mean_packets", "backlog mean", 1, "packets", 2),
    ("duration_s", "duration", 1, "s", 3),
)


def add_to(app: typer.Typer) -> None:
    """Make it a command of `app`."""
    app.command()(guarded(replay))


def replay(
    arrivals: Annotated[
        Path,
        typer.Argument(
            metavar="ARRIVALS",
            help="CSV with the columns time_s,bytes,flow[,ecn][,dscp][,uniform], pcap or pcapng (one direction), or a "
            "trace of ns-2 (plain format).",
            show_default=False,
        ),
    ],
    rate: Annotated[str, typer.Option(metavar="RATE", help="Rate of the link: 10Mbit.", show_default=False)],
    queue: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B:key=value",
            help="Queue in front of the link, or several side by side.",
            show_default="red",
            autocompletion=complete.queues,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the queue, such as min_th=5p."),
    ] = None,
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="Group of settings, such as ns2.")] = None,
    base_rtt: Annotated[str, typer.Option(metavar="TIME", help="Round-trip time that laws are told.")] = "100ms",
    mean_packet: Annotated[
        str, typer.Option(metavar="SIZE", help="Mean packet of laws; auto: the preset's or 1000B.")
    ] = "auto",
    seed: Annotated[int, typer.Option(metavar="N", help="Of the queue's random numbers.")] = 1,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="A-B", help="Of a trace of ns-2: the link whose arrivals count, by its nodes.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DECISIONS.csv", help="Write what was decided about each packet.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    plugin: Plugins = None,
) -> None:
    """Send recorded arrivals through queues.

    Shows what each queue decides about the packets; with --out, packet by packet.
    """
    from ..replayer import replay as run
    from .study import parse_queues

    check_file(arrivals, "arrivals", "sojourn run SCENARIO --set record.pcap=true --out DIR makes one")
    load_plugins(plugin)
    queues = list(dict.fromkeys(parse_queues(queue or ["red"])))
    _check_out(out, arrivals)
    if out is not None and len(queues) > 1:
        raise ValueError(f"--out {out}: the decisions of one queue go into a file, and {len(queues)} queues are named")
    results = {}
    for name in queues:
        results[name] = run(
            arrivals,
            queue=name,
            rate=rate,
            preset=preset,
            settings=_settings(set_ or []),
            base_rtt=base_rtt,
            mean_packet=mean_packet,
            seed=seed,
            link=link,
        )
    first = results[queues[0]]
    if out is not None:
        write_whole(out, first.decisions.write_csv())
        print(f"decisions: {out}", file=sys.stderr)
    if first.skipped_not_ip or first.skipped_malformed:
        print(
            f"left out: {first.skipped_not_ip} frames that are not IP, "
            f"{first.skipped_malformed} whose IP header is cut off or damaged",
            file=sys.stderr,
        )
    if both := first.both_ways():
        print(
            f"warning: {len(both)} flows go both ways in this recording, such as {both[0]}\n"
            "  hint:    a queue has one direction; take one of a capture: "
            f"tshark -r {arrivals} -Y 'ip.src == ADDRESS' -w one-way.pcap",
            file=sys.stderr,
        )
    if json:
        shown = {name: _as_json(result) for name, result in results.items()}
        print_json(shown[queues[0]] if len(queues) == 1 else shown)
    else:
        _show(results)


def _as_json(result: ReplayResult) -> dict[str, Any]:
    skipped = {"not_ip": result.skipped_not_ip, "malformed": result.skipped_malformed}
    summary = result.summary.row(0, named=True)
    return {"summary": summary, "reasons": result.reasons.to_dicts(), "skipped_frames": skipped}


def _settings(texts: list[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise ValueError(f"--set {text}: this is not a setting\n  hint:    write KEY=VALUE, such as min_th=5p")
        if key in settings:
            raise ValueError(f"--set {text}: {key} is set twice")
        settings[key] = value
    return settings


def _check_out(out: Path | None, arrivals: Path) -> None:
    """Refuse an output that could not be written, before anything is run."""
    if out is None:
        return
    if out.is_dir():
        raise ValueError(f"--out {out}: this is a directory; name a CSV file")
    if not out.parent.is_dir():
        raise ValueError(f"--out {out}: there is no directory {out.parent}")
    if out.exists() and out.samefile(arrivals):
        raise ValueError(f"--out {out}: these are the arrivals; give another name")
    check_output(out, "--out")


def _show(results: dict[str, ReplayResult]) -> None:
    from . import tables

    tables.print_table(tables.console(), replay_table(results))


def replay_table(results: Mapping[str, ReplayResult]) -> RichTable:
    """A column for each queue: what it did with the packets."""
    from . import tables

    table = tables.empty_table("queue", *results)
    summaries = [result.summary.row(0, named=True) for result in results.values()]
    for column, label, factor, unit, decimals in _SHOWN:
        values = [summary.get(column) for summary in summaries]
        cells = ["–" if value is None else f"{value * factor:.{decimals}f}" for value in values]
        table.add_row(f"{label} ({unit})", *cells)
    counts = [
        {(event, reason): packets for event, reason, packets in result.reasons.iter_rows()}
        for result in results.values()
    ]
    for event, reason in dict.fromkeys(key for count in counts for key in count):
        cells = [str(count.get((event, reason), 0)) for count in counts]
        table.add_row(f"{event}s, {reason} (packets)", *cells)
    return table
