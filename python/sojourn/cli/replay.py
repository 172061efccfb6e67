"""``sojourn replay``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._files import write_whole
from .guard import check_file, check_output, guarded, print_json

if TYPE_CHECKING:
    from ..replayer import ReplayResult

__all__ = ["add_to", "replay"]

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
            help="CSV with the columns time_s,bytes,flow[,ecn][,uniform], or pcap or pcapng (one direction).",
            show_default=False,
        ),
    ],
    rate: Annotated[str, typer.Option(metavar="RATE", help="Rate of the link: 10Mbit.", show_default=False)],
    queue: Annotated[str, typer.Option(metavar="NAME", help="Queue in front of the link; see: list queues.")] = "red",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the queue, such as min_th=5p."),
    ] = None,
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="Group of settings, such as ns2.")] = None,
    base_rtt: Annotated[str, typer.Option(metavar="TIME", help="Round-trip time that laws are told.")] = "100ms",
    mean_packet: Annotated[str, typer.Option(metavar="SIZE", help="Mean packet that laws are told.")] = "1000B",
    seed: Annotated[int, typer.Option(metavar="N", help="Of the queue's random numbers.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DECISIONS.csv", help="Write what was decided about each packet.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Send recorded arrivals through one queue and show what it decides, packet by packet."""
    from ..replayer import replay as run

    check_file(arrivals, "arrivals")
    _check_out(out, arrivals)
    result = run(
        arrivals,
        queue=queue,
        rate=rate,
        preset=preset,
        settings=_settings(set_ or []),
        base_rtt=base_rtt,
        mean_packet=mean_packet,
        seed=seed,
    )
    if out is not None:
        write_whole(out, result.decisions.write_csv())
        print(f"decisions: {out}", file=sys.stderr)
    if result.skipped_not_ip or result.skipped_malformed:
        print(
            f"left out: {result.skipped_not_ip} frames that are not IP, "
            f"{result.skipped_malformed} whose IP header is cut off or damaged",
            file=sys.stderr,
        )
    if json:
        summary = result.summary.row(0, named=True)
        skipped = {"not_ip": result.skipped_not_ip, "malformed": result.skipped_malformed}
        print_json({"summary": summary, "reasons": result.reasons.to_dicts(), "skipped_frames": skipped})
    else:
        _show(result, queue)


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


def _show(result: ReplayResult, queue: str) -> None:
    from . import tables

    summary = result.summary.row(0, named=True)
    console = tables.console()
    table = tables.empty_table("queue", queue)
    for column, label, factor, unit, decimals in _SHOWN:
        value = summary.get(column)
        table.add_row(f"{label} ({unit})", "–" if value is None else f"{value * factor:.{decimals}f}")
    for event, reason, packets in result.reasons.iter_rows():
        table.add_row(f"{event}s, {reason} (packets)", f"{packets}")
    tables.print_table(console, table)
