"""``sojourn gateway``: queues on real packets between two interfaces."""

from __future__ import annotations

import math
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .guard import check_folder, fail, guarded, print_json

if TYPE_CHECKING:
    from types import FrameType

    from ..live.gateway import Gateway
    from ..live.page import Page

__all__ = ["gateway"]

_PORT = 8766
_TERMINAL_S, _FILE_S = 1.0, 10.0
"""Seconds between two reports of the numbers: on a terminal, and elsewhere."""


@guarded
def gateway(
    lan: Annotated[str, typer.Argument(metavar="LAN", help="Interface towards the hosts.", show_default=False)],
    wan: Annotated[str, typer.Argument(metavar="WAN", help="Interface towards the network.", show_default=False)],
    rate: Annotated[
        str,
        typer.Option(
            metavar="UP/DOWN", help="Rates in Mbit/s, such as 20/100; one rate is for both.", show_default=False
        ),
    ],
    queue: Annotated[
        str, options.queue("Queue in both directions, or a line of tc: 'fq_codel target 5ms'.", show_default=True)
    ] = "fq_codel",
    reverse_queue: Annotated[str | None, options.queue("Queue from WAN to LAN, if it is another.")] = None,
    delay: Annotated[str, typer.Option(metavar="TIME", help="Delay that each direction adds, or UP/DOWN.")] = "0ms",
    loss: Annotated[str, typer.Option(metavar="SHARE", help="Share of packets lost at random: 1%, or UP/DOWN.")] = "0",
    overhead: Annotated[str, typer.Option(metavar="SIZE", help="Bytes that the link adds to a packet: 18B.")] = "0B",
    base_rtt: options.BaseRtt = "100ms",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of all that is random.")] = 1,
    time_: Annotated[
        float | None,
        typer.Option("--time", metavar="SECONDS", min=0.1, help="End after so long. Default: with Ctrl-C."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Record headers as pcapng, with the fate of each packet.", show_default=False),
    ] = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve a page on the loopback address.")] = True,
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help=f"Its port; by default {_PORT}, or a free one.")
    ] = None,
    cpu: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Run on this processor.", show_default=False)
    ] = None,
    spare: Annotated[
        bool, typer.Option("--spare", help="Sleep between packets: takes less of the processor, and is later.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Put a queue, a rate, a delay and losses between two interfaces.

    A bridge for real packets, on Linux and as root, with any queue of Sojourn in each direction. It ends with Ctrl-C
    and leaves nothing behind.
    """
    from ..live.gateway import Gateway
    from ..scenario.texts import parse_queues

    if time_ is not None and not math.isfinite(time_):
        raise ValueError(f"--time {time_}: this is no number of seconds\n  hint:    without it, Ctrl-C ends it")
    for option, text in (("--queue", queue), ("--reverse-queue", reverse_queue)):
        if text is not None and len(parse_queues([text], option)) > 1:
            raise ValueError(f"{option} {text}: a direction has one queue\n  hint:    name one of them")
    if record is not None:
        check_folder(record, "--record")
    running = Gateway(
        lan,
        wan,
        rate=rate,
        queue=queue,
        reverse_queue=reverse_queue,
        delay=delay,
        loss=loss,
        overhead=overhead,
        base_rtt=base_rtt,
        seed=seed,
        record=record,
        cpu=cpu,
        spare=spare,
    )
    served = None
    try:
        for ending in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, _interrupt)
        for warning in running.warnings:
            _say(f"warning: {warning}")
        served = _page(running, port) if page else None
        ends = "Ctrl-C ends it" if time_ is None else f"it ends after {time_:g} s"
        where = f"; {served.address} shows it" if served else ""
        _say(f"{lan} -> {wan}: {_link(running, 0)}; {wan} -> {lan}: {_link(running, 1)}")
        _say(f"the gateway runs ({ends}{where})")
        _watch(running, time_)
    except KeyboardInterrupt:
        # A gateway without a given time ends this way.
        pass
    finally:
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, signal.SIG_IGN)
        if served is not None:
            served.close()
        try:
            report = running.stop()
        except RuntimeError as gone:
            fail(str(gone), 1)
    if json:
        print_json(report)
    else:
        _show(report, (f"{lan} -> {wan}", f"{wan} -> {lan}"))
    if record is not None:
        _say(f"recording: {record}/up.in.pcapng, up.out.pcapng, down.in.pcapng, down.out.pcapng")


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _link(running: Gateway, way: int) -> str:
    link = running.links[way]
    parts = [f"{float(str(link['rate_bps'])) / 1e6:g} Mbit/s", str(link["queue"])]
    if link["delay"] not in ("0ms", "0s"):
        parts.append(f"delay {link['delay']}")
    loss = link.get("loss")
    if isinstance(loss, dict):
        parts.append(f"loss {100.0 * float(loss['probability']):g} %")
    return ", ".join(parts)


def _page(running: Gateway, port: int | None) -> Page | None:
    from ..live.page import Page

    try:
        return Page(running, _PORT if port is None else port)
    except OSError as error:
        if port is not None:
            message = f"--port {port}: {error.strerror or error}\n  hint:    another port, or none"
            raise ValueError(message) from None
    try:
        return Page(running, 0)
    except OSError as error:
        _say(f"warning: there is no page: {error.strerror or error}\n  hint:    ip link set lo up")
        return None


def _watch(running: Gateway, seconds: float | None) -> None:
    """Print the gateway's numbers now and then until it ends."""
    ends = None if seconds is None else time.monotonic() + seconds
    terminal = sys.stderr.isatty()
    said_at, following = time.monotonic(), 0
    while not running.has_ended and (ends is None or time.monotonic() < ends):
        time.sleep(0.1 if ends is None else max(min(0.1, ends - time.monotonic()), 0.0))
        if time.monotonic() - said_at < (_TERMINAL_S if terminal else _FILE_S):
            continue
        parts = running.parts_since(following)
        if parts:
            following = parts[-1]["number"] + 1
            text = "   ".join(_now(way, parts) for way in ("up", "down"))
            print(f"\r\033[K{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)
        said_at = time.monotonic()
    if terminal:
        print(file=sys.stderr)


def _now(way: str, parts: list[dict[str, Any]]) -> str:
    last = [part[way] for part in parts]
    seconds = 0.1 * len(last)
    rate = 8e-6 * sum(part["sent_bytes"] for part in last) / seconds
    waited = max(part["waited_ms"][1] for part in last)
    late = max(part["late_ms"][1] for part in last)
    drops, marks = (sum(sum(part[kind].values()) for part in last) for kind in ("drops", "marks"))
    return (
        f"{way} {rate:.1f} Mbit/s, {last[-1]['backlog_packets']} wait, p99 {waited:.1f} ms, {drops} drops, "
        f"{marks} marks, late p99 {1e3 * late:.0f} us"
    )


def _show(report: dict[str, Any], names: tuple[str, str]) -> None:
    from ..showing.text.layout import console, empty_table, print_table

    table = empty_table("", *names)
    ways = [report["up"], report["down"]]
    seconds = max(report["seconds"], 1e-9)
    rows = {
        "packets that came": [f"{way['came_packets']}" for way in ways],
        "packets that left": [f"{way['sent_packets']}" for way in ways],
        "mean rate (Mbit/s)": [f"{8e-6 * way['sent_bytes'] / seconds:.3f}" for way in ways],
        "drops": [_reasons(way["drops"]) for way in ways],
        "marks": [_reasons(way["marks"]) for way in ways],
        "in the queue: mean, p50, p99, max (ms)": [_times(way, "waited", 1.0) for way in ways],
        "late: mean, p50, p99, max (us)": [_times(way, "late", 1e3) for way in ways],
        "frames that are not IP": [f"{way['passed']}" for way in ways],
        "frames that the kernel kept": [f"{way['missed']}" for way in ways],
    }
    for head, cells in rows.items():
        table.add_row(head, *cells)
    print(f"{report['seconds']:.1f} s")
    print_table(console(), table, labels=1)
    if report["unrecorded"]:
        _say(f"warning: the recordings lack {report['unrecorded']} packets, since the disk did not keep up")


def _reasons(reasons: dict[str, int]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items())) or "0"


def _times(way: dict[str, Any], what: str, factor: float) -> str:
    digits = 2 if factor == 1.0 else 0
    return ", ".join(f"{factor * value:.{digits}f}" for value in (way[f"{what}_mean_ms"], *way[f"{what}_ms"]))
