"""``sojourn evaluate``: a queue through RFC 7928, a sender through RFC 9743."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import complete, options
from .guard import check_apart, check_file, check_folder, check_output, check_report, guarded, print_json
from .plugins import load_plugins
from .stopping import STOPPED, say_stopped
from .streams import then

if TYPE_CHECKING:
    from ..evaluate import Evaluation

__all__ = ["evaluate"]


@guarded
def evaluate(
    queue: Annotated[
        str | None,
        typer.Argument(
            metavar="QUEUE",
            help="A queue, such as codel:target=10ms, a line of tc, or my.py:MyQueue.",
            show_default=False,
            autocompletion=complete.queues,
        ),
    ] = None,
    sender: Annotated[
        str | None,
        typer.Option(
            metavar="CONTROL",
            help="A law of a sender in place of a queue, such as cubic or my.py:MyLaw.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Baselines. Default: fifo, red, ared, codel, pie, fq_codel, pi2, dualpi2; reno, cubic, bbr, vegas.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick/--full", help="Shorter and fewer runs, or all.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="SECTION", help="Only these criteria, such as 8.2.5,9.1. May be repeated."),
    ] = None,
    seeds: Annotated[str | None, options.seeds("Default: 20, --quick 6; at most 40 with --until.")] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="decided", help="Stop each criterion when every baseline is decided.", show_default=False),
    ] = None,
    workers: options.Workers = None,
    on: options.On = "local",
    details: Annotated[bool, typer.Option("--details", help="Print every number.")] = False,
    json: options.Json = False,
    out: options.Out = None,
    report: options.Report = None,
    all_: Annotated[bool, typer.Option("--all", help="Every queue of the registry, for --table.")] = False,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="With --all: where the table of all queues goes.")
    ] = None,
    plugin: options.Plugins = None,
) -> None:
    """Evaluate a queue by RFC 7928, or a sender by RFC 9743.

    Compares it with named others, and gives for each number the section that it answers.
    """
    from ..scenario.texts import parse_queues, parse_seeds

    only = [name.strip() for text in only or [] for name in text.split(",")]
    if all_:
        if until is not None:
            raise ValueError("--until: all queues of the table have the same seeds; leave one of both out")
        _all(queue, sender, table, quick=quick, only=only, seeds=seeds, workers=workers, on=on, out=out)
        return
    if table is not None:
        raise ValueError("--table goes together with --all: sojourn evaluate --all --quick --table queues.json")
    if (queue is None) == (sender is None):
        raise ValueError(
            "say what is evaluated, a queue or a sender\n"
            "  hint:    sojourn evaluate codel, or sojourn evaluate --sender cubic"
        )
    check_report(report)
    check_apart(out=out, report=report)
    check_folder(out)
    load_plugins(plugin)
    from ..evaluate import StoppedEvaluation
    from ..evaluate import evaluate as run_evaluation
    from ..showing.text.progress import progress_bar

    subject = queue if queue is not None else sender
    assert subject is not None  # noqa: S101 - one of them is given
    _check_own(subject)
    try:
        with progress_bar() as progress:
            page = run_evaluation(
                subject,
                kind="queue" if queue is not None else "sender",
                baselines=None if against is None else parse_queues([against]),
                quick=quick,
                only=tuple(only),
                seeds=None if seeds is None else tuple(parse_seeds(seeds)),
                until=until,
                workers=workers,
                out=out,
                on=on,
                progress=progress,
            )
    except StoppedEvaluation as stopped:
        say_stopped(_kept(stopped.done, stopped.total, out))
        raise typer.Exit(STOPPED) from None
    with then(lambda: _write(page, report)):
        if json:
            print_json(page.as_json())
        else:
            from .evaluation import show

            show(page, details=details)


def _kept(done: int, total: int, out: Path | None) -> str:
    kept = "nothing is kept without --out DIR" if out is None else f"they are kept in {out}; the same command goes on"
    return f"{done} of {total} runs are finished; {kept}"


def _check_own(subject: str) -> None:
    """Report a missing file of the user's as a missing file."""
    file, colon, _ = subject.partition(".py:")
    if colon and " " not in file:
        check_file(Path(f"{file}.py"), "Python")


def _write(page: Evaluation, report: Path | None) -> None:
    if report is None:
        return
    from ..evaluate.report import write_report

    write_report(page, report)
    print(f"report: {report}", file=sys.stderr)


def _all(
    queue: str | None,
    sender: str | None,
    table: Path | None,
    *,
    quick: bool,
    only: list[str],
    seeds: str | None,
    workers: int | None,
    on: str,
    out: Path | None,
) -> None:
    """Every queue of the registry into one file."""
    from ..evaluate import StoppedEvaluation, run_all
    from ..evaluate.table import write_table
    from ..scenario.texts import parse_seeds
    from ..showing.text.progress import progress_bar

    if queue is not None or sender is not None:
        raise ValueError("--all is every queue of the registry: name none beside it")
    if table is None:
        raise ValueError("--all needs a file for its table: --table queues.json")
    check_output(table, "--table")
    check_folder(out)
    try:
        with progress_bar() as progress:
            runs, costs = run_all(
                seeds=None if seeds is None else tuple(parse_seeds(seeds)),
                workers=workers,
                out=out,
                on=on,
                progress=progress,
                quick=quick,
                only=only,
            )
    except StoppedEvaluation as stopped:
        say_stopped(_kept(stopped.done, stopped.total, out))
        raise typer.Exit(STOPPED) from None
    write_table(table, runs, costs, quick=quick)
    print(f"table: {table}", file=sys.stderr)
