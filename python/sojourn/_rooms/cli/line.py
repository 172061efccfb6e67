"""``sojourn line``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..showing.text.prose import hold, print_wrapped, tell
from . import measured, options
from .guard import check_report, guarded, print_json
from .measured import line_of
from .pasting import as_data, print_pasted
from .streams import then

if TYPE_CHECKING:
    from ..line.answer import Answered
    from ..line.question import Line
    from ..measured.again import Beside
    from ..measured.estimate import Estimates

__all__ = ["line"]

_LONG_S = 20.0
"""Processor time that is told before it is spent."""


@guarded
def line(
    rates: Annotated[
        str | None,
        typer.Argument(
            metavar="UP/DOWN",
            help="Rates of the line in Mbit/s, such as 20/100; with --from they take the place of measured ones.",
            show_default=False,
        ),
    ] = None,
    from_: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Measurement of the line: Flent, iperf3 -J, a speed test, ping, pcap. May be given again.",
            show_default=False,
        ),
    ] = None,
    rtt: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Round trip without load to the servers that you use. Default: 30ms, or measured.",
            show_default=False,
        ),
    ] = None,
    link: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="ethernet, docsis, pppoe, vdsl, adsl, fttp, lte or starlink, as starlink:step=40ms."
        ),
    ] = "ethernet",
    queue: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Candidates, or lines of tc: 'cake satellite'. Default: eight queues.",
            show_default=False,
        ),
    ] = None,
    buffer: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Size of the buffers at both ends of the line. Default: 250ms.", show_default=False
        ),
    ] = None,
    seeds: Annotated[str | None, options.seeds("Default: 5; at most 40 with --until.")] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="decided", help="Stop when it is known which queues are as good as the best.", show_default=False
        ),
    ] = None,
    users: Annotated[int, typer.Option(metavar="N", help="Households that share the line and are busy at a time.")] = 1,
    for_: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="SYSTEM",
            help="Router, for lines that last: linux, openwrt, mikrotik, opnsense or vyos.",
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Its interface to the modem. Default: eth0, or the usual one.", show_default=False
        ),
    ] = None,
    workers: options.Workers = None,
    json: options.Json = False,
    report: options.Report = None,
) -> None:
    """Rank queues for an access line, with lines to paste.

    A household uploads, downloads, calls, plays and reads at once, under each of the usual queues.

    A queue is one step down for each tenth of the best upload, each tenth of the best download and each 0.3 of the
    best call's MOS that it lacks, and two steps for each time that its round trips per minute under load are half of
    the most. The queue with the fewest steps is named; queues that are less than half a step behind it are equal, and
    of them the one with the better grade is named, then the one with the simplest lines, then the one with the lowest
    p99.
    """
    from ..line.candidates import candidate
    from ..line.paste import system
    from ..line.question import Line, ask, check_interface
    from ..line.shared import ask_shared
    from ..measured.again import measured_again
    from ..runs import runner
    from ..scenario.texts import parse_queues, parse_seeds
    from ..showing.text.progress import progress_bar

    asked = None if rates is None else Line.read(rates, rtt=rtt or "30ms", link=link, buffer=buffer)
    estimates = line_of(from_, asked, link=link, rtt=rtt, buffer=buffer) if from_ else None
    if estimates is not None:
        asked = estimates.line
    if asked is None:
        raise ValueError(
            "the rates of the line are missing\n  allowed: UP/DOWN, such as 20/100; or --from FILE, a measurement of it"
        )
    router = system("linux" if for_ is None else for_)
    asked = replace(asked, shaper=router.shaper)
    chosen = None if seeds is None else parse_seeds(seeds)
    names = router.offered(asked) if queue is None else parse_queues([queue], laws=False)
    for name in names:
        candidate(name)
    router.check(asked, names)
    if len(names) < 2:
        raise ValueError("--queue: one queue cannot be ranked\n  hint:    name two or more, or leave --queue out")
    interface = router.device if device is None else device
    check_interface(interface)
    check_report(report)
    _tell_price(asked, users, len(names), 5 if chosen is None else len(chosen), every=until is None)
    try:
        with progress_bar() as progress:
            beside = measured_again(estimates, workers=workers, progress=progress) if estimates else []
            asking = ask if users == 1 else partial(ask_shared, users=users)
            found = asking(asked, candidates=names, seeds=chosen, until=until, workers=workers, progress=progress)
    except runner.Interrupted as stopped:
        from .stopping import STOPPED, say_stopped

        say_stopped(f"{len(stopped.finished.results)} of {stopped.total} runs are finished; nothing is kept")
        raise typer.Exit(STOPPED) from None
    with then(lambda: _write_report(report, found, interface, for_, users, estimates, beside)):
        if json:
            data = as_data(found, users, for_, interface)
            if estimates is not None:
                data["line"] |= {
                    "down_buffer_s": found.line.down_buffer_s,
                    "measured": measured.as_data(estimates, beside),
                }
            print_json(data)
        else:
            if estimates is not None:
                measured.show(estimates, beside)
            _show(found, users)
            print_pasted(found, for_, interface)


def _tell_price(asked: Line, users: int, queues: int, seeds: int, *, every: bool) -> None:
    """The processor time, before it is spent, if there is time to make tea."""
    from ..line.shared import at_once

    # Of a question that stops when it is decided: the first look.
    runs = queues * (seeds if every else 1)
    spent_s = at_once(asked, users).processor_s(runs) if users > 1 else asked.processor_s(runs)
    if spent_s < _LONG_S:
        return
    time = f"{spent_s:.0f} s" if spent_s < 100.0 else f"{spent_s / 60.0:.0f} minutes"
    each = f"{seeds} runs of each of {queues} queues" if every else f"each run of {queues} queues"
    hold(f"note: about {time} of processor time for {each}; --queue, and --seeds below 5, ask for less")


def _show(found: Answered, users: int) -> None:
    from ..line.shared import about_shares, at_once
    from ..line.table import columns as columns_of
    from ..line.words import set_for_the_line
    from ..showing.text.layout import console, empty_table, print_table, width_of
    from ..showing.text.tables import interval_words

    asked, out = found.line, console()
    columns = columns_of(found, users)
    # A narrow terminal shows the first ones.
    for count in range(len(columns), 3, -1):
        table = empty_table("queue", *(head for head, _ in columns[:count]))
        for place, one in enumerate(found.ranking):
            table.add_row(f"{one.place} {one.name}", *(cells[place] for _, cells in columns[:count]))
        if width_of(table) <= out.width:
            break
    runs = len(found.study.seeds)
    seeds = f"{runs} seeds" if runs > 1 else "1 seed"
    print(f"{asked.words}: {at_once(asked, users).words if users > 1 else 'a household under load'}")
    print(f"{seeds}, {interval_words(cell for _, cells in columns for cell in cells)}")
    print_table(out, table, labels=1)
    print_wrapped(found.text, 0)
    if users > 1 and (shares := about_shares(found)):
        print_wrapped(shares, 0)
    if said := set_for_the_line(asked, [one.name for one in found.ranking]):
        print_wrapped(said, 0)
    if asked.note:
        tell(f"note: {asked.note}")


def _write_report(
    path: Path | None,
    found: Answered,
    device: str,
    router: str | None,
    users: int,
    estimates: Estimates | None,
    beside: Sequence[Beside],
) -> None:
    if path is None:
        return
    from ..line.report import write_report

    more = None if estimates is None else partial(measured.report_of, found=estimates, beside=beside)
    write_report(found, path, device, router, users, more)
    print(f"report: {path}", file=sys.stderr)
