"""``sojourn line``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .guard import check_report, guarded, print_json
from .prose import print_wrapped, tell
from .streams import then

if TYPE_CHECKING:
    from ..line import Answered

__all__ = ["add_to", "line"]


def add_to(app: typer.Typer) -> None:
    """Make it a command of `app`."""
    app.command()(guarded(line))


def line(
    rates: Annotated[
        str,
        typer.Argument(metavar="UP/DOWN", help="Rates of the line in Mbit/s, such as 20/100.", show_default=False),
    ],
    rtt: Annotated[str, typer.Option(metavar="TIME", help="Round trip without load to the servers that you use.")] = (
        "30ms"
    ),
    link: Annotated[
        str, typer.Option(metavar="KIND", help="ethernet, docsis, pppoe, vdsl, adsl, lte or starlink.")
    ] = "ethernet",
    queue: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Candidates; by default all: see the table.", show_default=False),
    ] = None,
    buffer: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="What the modem's own buffer holds. Default: 250ms.", show_default=False),
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="N|A-B|A,B", help="Number of seeds, a range or a list: 20 is 1-20.")
    ] = "5",
    device: Annotated[str, typer.Option(metavar="NAME", help="Interface to the modem, for the lines of tc.")] = "eth0",
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Runs at a time; by default one for each core.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a self-contained report.")] = None,
) -> None:
    """Which queue for an access line, and the lines of tc to paste.

    A household uploads, downloads, calls, plays and reads at once, under each of the usual queues.
    """
    from .. import runner
    from ..line import CANDIDATES, Line, ask
    from .progress import progress_bar
    from .study import parse_seeds

    asked = Line.read(rates, rtt=rtt, link=link, buffer=buffer)
    chosen = parse_seeds(seeds)
    names = list(CANDIDATES) if queue is None else [name.strip() for name in queue.split(",")]
    unknown = next((name for name in names if name not in CANDIDATES), None)
    if unknown is not None:
        import difflib

        near = difflib.get_close_matches(unknown, CANDIDATES, n=1)
        hint = f"\n  hint:    did you mean {near[0]}?" if near else ""
        raise ValueError(f"--queue {unknown}: this is no candidate\n  allowed: {', '.join(CANDIDATES)}{hint}")
    if len(names) < 2:
        raise ValueError("--queue: one queue cannot be ranked\n  hint:    name two or more, or leave --queue out")
    check_report(report)
    try:
        with progress_bar() as progress:
            found = ask(asked, candidates=names, seeds=chosen, workers=workers, progress=progress)
    except runner.Interrupted as stopped:
        from .stopping import STOPPED, say_stopped

        say_stopped(f"{len(stopped.finished.results)} of {stopped.total} runs are finished; nothing is kept")
        raise typer.Exit(STOPPED) from None
    with then(lambda: _write_report(report, found)):
        if json:
            print_json(found.to_dict())
        else:
            _show(found, device)


def _show(found: Answered, device: str) -> None:
    from .layout import console, empty_table, print_table, texts
    from .tables import interval_words

    asked = found.line
    heads = ("RPM", "grade", "p99 (ms)", "call (MOS)", "late (%)", "up (Mbit/s)", "down (Mbit/s)", "web (s)", "fair")
    table = empty_table("queue", *heads)
    for one in found.ranking:
        value = one.values
        calls = [value["call_up_mos"], value["call_down_mos"]]
        games = [value["game_up_late"], value["game_down_late"]]
        table.add_row(
            f"{one.place} {one.name}",
            _cell(value["rpm"], 1.0, 0),
            one.grade,
            _cell(value["p99_ms"], 1.0, 1),
            _cell(min(calls, key=lambda call: call.mean), 1.0, 2),
            _cell(max(games, key=lambda game: game.mean), 100.0, 1),
            _cell(value["up_bps"], 1e-6, 2),
            _cell(value["down_bps"], 1e-6, 1),
            _cell(value["web_s"], 1.0, 2),
            f"{min(value['fairness_up'].mean, value['fairness_down'].mean):.2f}",
        )
    runs = len(found.study.seeds)
    print(f"{asked.words}: a household under load, {runs} seed{'s' * (runs > 1)}, {interval_words(texts([table]))}")
    print_table(console(), table, labels=1)
    print_wrapped(found.text, 0)
    if asked.kind.note:
        tell(f"note: {asked.kind.note}")
    lines = asked.lines(found.best.name, device)
    if lines:
        print(f"\nTo have {found.best.name} on your router ({device} is the interface to the modem):\n")
        print("\n".join(lines))


def _cell(interval: object, factor: float, finest: int) -> str:
    from ..stats import Interval
    from .tables import cell, decimals_of

    assert isinstance(interval, Interval)  # noqa: S101 - all values are
    return cell(interval, factor, min(decimals_of([interval], factor, finest), finest))


def _write_report(path: Path | None, found: Answered) -> None:
    if path is None:
        return
    from ..answer import About
    from ..report import write_report

    title = f"Queues for {found.line.words}"
    lines = "\n".join(found.line.lines(found.best.name))
    lead = f"{found.text}\n\n{lines}" if lines else found.text
    about = About("rpm", "responsiveness", "probe")
    write_report(path, found.study, title=title, lead=lead, about=about)
    print(f"report: {path}", file=sys.stderr)
