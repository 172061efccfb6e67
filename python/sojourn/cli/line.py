"""``sojourn line``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._base.nearest import nearest_hint
from ..showing.text.prose import print_wrapped, tell
from . import options
from .guard import check_report, guarded, print_json
from .streams import then

if TYPE_CHECKING:
    from ..line import Answered
    from ..statistics.intervals import Interval

__all__ = ["line"]


@guarded
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
        typer.Option(metavar="TIME", help="Size of the modem's own buffer. Default: 250ms.", show_default=False),
    ] = None,
    seeds: Annotated[str, options.seeds(show_default=True)] = "5",
    device: Annotated[str, typer.Option(metavar="NAME", help="Interface to the modem, for the lines of tc.")] = "eth0",
    workers: options.Workers = None,
    json: options.Json = False,
    report: options.Report = None,
) -> None:
    """Rank queues for an access line, with lines of tc to paste.

    A household uploads, downloads, calls, plays and reads at once, under each of the usual queues.
    """
    from ..line import CANDIDATES, Line, ask
    from ..runs import runner
    from ..scenario.texts import parse_seeds
    from ..showing.text.progress import progress_bar

    asked = Line.read(rates, rtt=rtt, link=link, buffer=buffer)
    chosen = parse_seeds(seeds)
    names = list(CANDIDATES) if queue is None else [name.strip() for name in queue.split(",")]
    unknown = next((name for name in names if name not in CANDIDATES), None)
    if unknown is not None:
        hint = nearest_hint(unknown, CANDIDATES)
        raise ValueError(f"--queue {unknown}: this is not a candidate\n  allowed: {', '.join(CANDIDATES)}{hint}")
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
    with then(lambda: _write_report(report, found, device)):
        if json:
            print_json(found.to_dict())
        else:
            _show(found, device)


def _show(found: Answered, device: str) -> None:
    from ..showing.text.layout import console, empty_table, print_table, width_of
    from ..showing.text.tables import interval_words

    asked, out = found.line, console()
    columns = _columns(found)
    # A narrow terminal shows the first ones.
    for count in range(len(columns), 3, -1):
        table = empty_table("queue", *(head for head, _ in columns[:count]))
        for place, one in enumerate(found.ranking):
            table.add_row(f"{one.place} {one.name}", *(cells[place] for _, cells in columns[:count]))
        if width_of(table) <= out.width:
            break
    runs = len(found.study.seeds)
    seeds = f"{runs} seeds" if runs > 1 else "1 seed"
    print(f"{asked.words}: a household under load")
    print(f"{seeds}, {interval_words(cell for _, cells in columns for cell in cells)}")
    print_table(out, table, labels=1)
    print_wrapped(found.text, 0)
    if asked.kind.note:
        tell(f"note: {asked.kind.note}")
    lines = asked.lines(found.best.name, device)
    if lines:
        print(f"\nOn a router with Linux, {device} towards the modem:")
        print("\n".join(lines))


def _columns(found: Answered) -> list[tuple[str, list[str]]]:
    """Heads and cells, the most important first."""
    values = [one.values for one in found.ranking]
    calls = [min(one["call_up_mos"].mean, one["call_down_mos"].mean) for one in values]
    games = [max(one["game_up_late"].mean, one["game_down_late"].mean) for one in values]
    fair = [min(one["fairness_up"].mean, one["fairness_down"].mean) for one in values]
    return [
        ("RPM", [_cell(one["rpm"], 1.0, 0) for one in values]),
        ("grade", [one.grade for one in found.ranking]),
        ("p99 (ms)", [_cell(one["p99_ms"], 1.0, 0) for one in values]),
        ("up (Mbit/s)", [_cell(one["up_bps"], 1e-6, 1) for one in values]),
        ("down (Mbit/s)", [_cell(one["down_bps"], 1e-6, 1) for one in values]),
        ("call (MOS)", [f"{call:.1f}" for call in calls]),
        ("web (s)", [f"{one['web_s'].mean:.2f}" for one in values]),
        ("fair", [f"{index:.2f}" for index in fair]),
        ("late (%)", [f"{100.0 * late:.0f}" for late in games]),
    ]


def _cell(interval: Interval, factor: float, finest: int) -> str:
    from ..showing.text.tables import cell, decimals_of

    return cell(interval, factor, min(decimals_of([interval], factor, finest), finest))


def _write_report(path: Path | None, found: Answered, device: str) -> None:
    if path is None:
        return
    from ..runs.answer import About
    from ..showing.report import write_report

    title = f"Queues for {found.line.words}"
    lines = "\n".join(f"    {line}" for line in found.line.lines(found.best.name, device))
    lead = "\n\n".join(filter(None, [found.text, lines]))
    about = About("rpm", "responsiveness", "probe")
    write_report(path, found.study, title=title, lead=lead, about=about)
    print(f"report: {path}", file=sys.stderr)
