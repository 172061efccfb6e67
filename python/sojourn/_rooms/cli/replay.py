"""``sojourn replay``."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._base.files import write_whole
from .._base.spreadsheet import csv_text
from . import options
from .guard import check_file, check_output, check_report, guarded, print_json
from .plugins import load_plugins

if TYPE_CHECKING:
    import polars as pl

    from .._base.toml import Value
    from ..runs.fates import Agreement
    from ..runs.replay import ReplayResult

__all__ = ["replay"]


@guarded
def replay(
    arrivals: Annotated[
        Path,
        typer.Argument(
            metavar="ARRIVALS",
            help="CSV with the columns time_s,bytes,flow[,ecn][,dscp][,source][,destination][,uniform][,decision]"
            "[,departure_s], pcap or pcapng (one direction), a trace of ns-2 (plain format), or a log of mm-link.",
            show_default=False,
        ),
    ],
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Rate of the link: 10Mbit. With --departures, it is the rate that laws use.",
            show_default=False,
        ),
    ] = None,
    departures: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recorded moments at which the link was free to send the next packet, instead of a rate: a time in "
            "seconds on each line, or a CSV with the column departure_s.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="DECISIONS.csv",
            help="Decisions of your implementation, to be compared: a CSV with the column decision (enqueued, "
            "marked, dropped) and a row for each arrival, or with the column packet (from 0) or record for some.",
            show_default=False,
        ),
    ] = None,
    mtu: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Cut larger packets, which segmentation offload leaves in captures, as a network card does: 1500B.",
            show_default=False,
        ),
    ] = None,
    queue: Annotated[
        list[str] | None,
        options.queues("Queue in front of the link, or several side by side.", show_default="fq_codel"),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the queue, such as target=3ms."),
    ] = None,
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="Group of settings, such as linux.")] = None,
    base_rtt: options.BaseRtt = "100ms",
    mean_packet: Annotated[
        str, typer.Option(metavar="SIZE", help="Mean packet for laws; auto: the preset's or 1000B.")
    ] = "auto",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the queue's random numbers.")] = 1,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="LINK",
            help="The link whose arrivals count: in a trace of ns-2 by its nodes (0-2), in a capture an interface, in, "
            "out, both (eth0 out), or all.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DECISIONS.csv",
            help="Write the decision about each packet; for several queues with a column queue.",
        ),
    ] = None,
    report: options.Report = None,
    json: options.Json = False,
    plugin: options.Plugins = None,
) -> None:
    """Send recorded arrivals through queues.

    Shows the decisions of each queue; with --out, packet by packet. The packets come at their recorded
    times, whatever the queue does (open loop). Real senders would have slowed down after a drop or a mark; sojourn run
    has senders that do.
    """
    from ..runs.replay import replay as run
    from ..scenario.tc_line import refuse_link
    from ..scenario.texts import parse_queues

    if rate is None and departures is None:
        raise ValueError(
            "sojourn replay: --rate is missing\n"
            "  allowed: --rate RATE, or --departures FILE with the moments at which a recorded link took packets\n"
            "  hint:    such as sojourn replay arrivals.csv --rate 10Mbit --queue fifo,codel"
        )
    check_file(arrivals, "arrivals", "sojourn run SCENARIO --set record.pcap=true --out DIR makes one")
    load_plugins(plugin)
    queues = list(dict.fromkeys(parse_queues(queue or ["fq_codel"])))
    for name in queues:
        refuse_link(name, {"rate": "--rate"}, lambda keys: _with_link(arrivals, rate, link, keys))
    for file, option in ((departures, "departures"), (against, "decisions")):
        if file is not None:
            check_file(file, option)
    _check_out(out, [file for file in (arrivals, departures, against) if file is not None])
    check_report(report)
    results: dict[str, ReplayResult] = {}
    for name in queues:
        results[name] = run(
            arrivals,
            queue=name,
            rate=rate,
            departures=departures,
            preset=preset,
            settings=_settings(set_ or []),
            base_rtt=base_rtt,
            mean_packet=mean_packet,
            seed=seed,
            link=link,
            mtu=mtu,
        )
    first = results[queues[0]]
    compared = {} if against is None else {name: result.against(against) for name, result in results.items()}
    if out is not None:
        write_whole(out, csv_text(_decisions(results, compared)))
        print(f"decisions: {out}", file=sys.stderr)
    if report is not None:
        from ..showing.report.compared import spaced
        from ..showing.report.replayed import write_report

        taken = f"a link of {spaced(rate)}" if departures is None else f"departures of {departures.name}"
        write_report(results, report, name=arrivals.name, link=taken, compared=compared)
        print(f"report: {report}", file=sys.stderr)
    for note in dict.fromkeys(note for result in results.values() for note in result.notes()):
        print(note, file=sys.stderr)
    if both := first.both_ways():
        print(
            f"warning: {len(both)} flows go both ways in this recording, such as {both[0]}\n"
            "  hint:    a queue has one direction; take one of a capture: "
            f"tshark -r {arrivals} -Y 'ip.src == ADDRESS' -w one-way.pcap",
            file=sys.stderr,
        )
    if json:
        shown = {name: _as_json(result, compared.get(name)) for name, result in results.items()}
        print_json(shown[queues[0]] if len(queues) == 1 else shown)
    else:
        _show(results, compared)


def _with_link(arrivals: Path, rate: str | None, link: str | None, keys: Mapping[str, Value]) -> str:
    """How a recording crosses a link with these keys: in a scenario, whose flow sends it."""
    recorded = ", ".join([repr(str(arrivals)), *([f"link={link!r}"] if link else [])])
    values = {**({"rate": rate} if rate else {}), **keys}
    dumbbell = ", ".join(f"{key}={value!r}" for key, value in values.items())
    return (
        f"a replay has no {' and no '.join(keys)}, but in Python a flow sends the recording over such a link: "
        f"sojourn.Flow(transport='udp', app=sojourn.recorded({recorded})) with sojourn.Dumbbell({dumbbell})"
    )


def _decisions(results: Mapping[str, ReplayResult], compared: Mapping[str, Agreement]) -> pl.DataFrame:
    """The decisions about each packet, with those of another implementation; several queues follow each other."""
    import polars as pl

    frames = {
        name: compared[name].packets if name in compared else result.decisions for name, result in results.items()
    }
    if len(frames) == 1:
        return next(iter(frames.values()))
    return pl.concat(frame.select(pl.lit(name).alias("queue"), pl.all()) for name, frame in frames.items())


def _as_json(result: ReplayResult, compared: Agreement | None) -> dict[str, Any]:
    from ..runs.fates import DECISIONS

    skipped = {"not_ip": result.skipped_not_ip, "malformed": result.skipped_malformed}
    shown = {
        "summary": result.summary.row(0, named=True),
        "reasons": result.reasons.to_dicts(),
        "skipped_frames": skipped,
        "left_out": dict(result.left_out.rows()),
        "oversize": asdict(result.oversize),
        "short": result.short,
        "sides": result.sides.to_dicts(),
    }
    if compared is not None:
        shown["against"] = {
            "equal_packets": compared.equal,
            **{
                decision: dict(zip(("both", "only_theirs", "only_here"), compared.count(decision), strict=True))
                for decision in DECISIONS
            },
            "first_difference": compared.first,
        }
    return shown


def _settings(texts: list[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise ValueError(f"--set {text}: this is not a setting\n  hint:    write KEY=VALUE, such as target=3ms")
        key = re.sub(r"^(?:\w+\.)?(?:reverse_)?queue\.", "", key)
        if key in settings:
            raise ValueError(f"--set {text}: {key} is set twice")
        settings[key] = value
    return settings


def _check_out(out: Path | None, inputs: list[Path]) -> None:
    """Refuse an output that could not be written, before anything is run."""
    if out is None:
        return
    if out.is_dir():
        raise ValueError(f"--out {out}: this is a directory; name a CSV file")
    if not out.parent.is_dir():
        raise ValueError(f"--out {out}: there is no directory {out.parent}")
    if out.exists() and any(out.samefile(file) for file in inputs):
        raise ValueError(f"--out {out}: this file is read; give another name")
    check_output(out, "--out")


def _show(results: dict[str, ReplayResult], compared: Mapping[str, Agreement]) -> None:
    from ..showing.text import layout
    from ..showing.text.replays import replay_table

    layout.print_table(layout.console(), replay_table(results, compared))
    for name, agreement in compared.items():
        if first := agreement.first:
            reason = f" ({first['reason']})" if first["reason"] else ""
            print(
                f"{name}: first difference at packet {first['packet']} (record {first['record']}), "
                f"{first['time_s']:.9f} s, flow {first['flow']}, {first['size_bytes']} B: {first['theirs']} there, "
                f"{first['decision']}{reason} here"
            )
        else:
            print(f"{name}: all {agreement.packets.height} decisions are the same")
