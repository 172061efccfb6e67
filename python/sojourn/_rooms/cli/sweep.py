"""``sojourn sweep``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import complete, options
from .guard import check_apart, check_folder, check_output, check_report, check_scenario, guarded, print_json
from .plugins import load_plugins
from .stopping import STOPPED, say_stopped
from .streams import then

if TYPE_CHECKING:
    from ..sweeps.file import StudyFile
    from ..sweeps.outcome import Swept

__all__ = ["sweep"]

_MOST_ROWS = 200


@guarded
def sweep(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Scenario file, or a study file with axes (docs/studies.md).",
            show_default=False,
            autocompletion=complete.scenarios,
        ),
    ],
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="An axis: dumbbell.queue.max_p=0.02,0.05, flow.ftp.count=10..100/10 or queue=red,codel. Repeatable.",
            autocompletion=complete.axes,
        ),
    ] = None,
    set_: options.Set = None,
    tcp: options.Tcp = None,
    metrics: options.Metrics = None,
    link: Annotated[
        str | None, typer.Option(metavar="NAME", help="Link of the metrics of queues; by default a dumbbell's forward.")
    ] = None,
    seeds: Annotated[str | None, options.seeds("Default: 20; at most 40 with --until.")] = None,
    until: options.Until = None,
    workers: options.Workers = None,
    on: options.On = "local",
    json: options.Json = False,
    out: options.Out = None,
    frame: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a row for each run: .parquet or .csv.")
    ] = None,
    report: options.Report = None,
    plugin: options.Plugins = None,
) -> None:
    """Run a scenario over ranges of its keys.

    Shows intervals at every point, and the best one.
    """
    from ..showing.sweeps.words import suspect_in_words
    from ..showing.text.progress import progress_bar
    from ..showing.text.prose import tell
    from ..sweeps.run import StoppedSweep
    from ..sweeps.run import sweep as run_sweep

    options.check_until(until)
    check_report(report)
    check_apart(out=out, report=report, frame=frame)
    check_folder(out)
    _check_frame(frame)
    load_plugins(plugin)
    wanted = _at_link(_with_tcp(_study(file, over or [], set_ or [], metrics, seeds, until), tcp), link)
    try:
        with progress_bar() as progress:
            swept = run_sweep(
                wanted,
                until=until,
                workers=workers,
                out=out,
                progress=progress,
                on=on,
            )
    except StoppedSweep as stopped:
        kept = (
            "nothing is kept without --out DIR" if out is None else f"they are kept in {out}; the same command goes on"
        )
        say_stopped(f"{stopped.done} of {stopped.total} runs are finished; {kept}")
        raise typer.Exit(STOPPED) from None
    for text in suspect_in_words(swept):
        tell(f"warning: {text}")
    with then(lambda: _write(swept, frame, report)):
        if json:
            print_json(_as_json(swept))
        else:
            _show(swept)


def _write(swept: Swept, frame: Path | None, report: Path | None) -> None:
    if frame is not None:
        _write_frame(swept, frame)
    if report is not None:
        swept.report(report)
        print(f"report: {report}", file=sys.stderr)


def _study(
    file: Path, over: list[str], set_: list[str], metrics: str | None, seeds: str | None, until: str | None
) -> StudyFile:
    """The study from the file and the options together."""
    from dataclasses import replace

    from ..scenario.scenario import Scenario
    from ..scenario.texts import parse_seeds
    from ..sweeps.axes import parse_over
    from ..sweeps.file import StudyFile, is_study_file, load_study_file
    from ..sweeps.metrics import DEFAULT_METRICS

    named, file = file, check_scenario(file, "scenario or study")
    axes = {}
    for text in over:
        name, axis = parse_over(text)
        if name in axes:
            raise ValueError(
                f"--over {text}: there is an axis {name!r} already\n  hint:    name it: --over NAME:{text}"
            )
        axes[name] = axis
    if is_study_file(file):
        wanted = load_study_file(file, overrides=tuple(set_))
        wanted = replace(wanted, over={**wanted.over, **axes})
    else:
        scenario = Scenario.load(file, overrides=set_)
        if not axes:
            raise ValueError(f"{named}: say over what\n  hint:    --over dumbbell.queue.max_p=0.02,0.05,0.1")
        wanted = StudyFile(scenario, axes, DEFAULT_METRICS, tuple(range(1, 1 + (40 if until else 20))))
    if metrics is not None:
        wanted = replace(wanted, metrics=tuple(name.strip() for name in metrics.split(",")))
    return wanted if seeds is None else replace(wanted, seeds=tuple(parse_seeds(seeds)))


def _with_tcp(wanted: StudyFile, tcp: str | None) -> StudyFile:
    """With the senders of TCP as Linux has them."""
    from dataclasses import replace

    from ..scenario.sysctl import with_senders

    return wanted if tcp is None else replace(wanted, scenario=with_senders(wanted.scenario, tcp))


def _at_link(wanted: StudyFile, link: str | None) -> StudyFile:
    """The metrics of queues that name no link, at this one."""
    from dataclasses import replace

    from ..sweeps.metrics import parse_metric

    if link is None:
        return wanted
    parsed = [parse_metric(one) if isinstance(one, str) else one for one in wanted.metrics]
    at = [
        replace(one, row=link, name=f"{one.name}@{link}") if one.table == "queue" and not one.row else one
        for one in parsed
    ]
    return replace(wanted, metrics=tuple(at))


def _check_frame(path: Path | None) -> None:
    if path is None:
        return
    if path.suffix not in {".parquet", ".csv"}:
        raise ValueError(f"--frame {path}: give a name that ends in .parquet or .csv")
    if not path.parent.is_dir():
        raise ValueError(f"--frame {path}: there is no directory {path.parent}")
    check_output(path, "--frame")


def _write_frame(swept: Swept, path: Path) -> None:
    import io

    from .._base.files import write_whole
    from .._base.spreadsheet import csv_text

    if path.suffix == ".csv":
        write_whole(path, csv_text(swept.frame()))
    else:
        content = io.BytesIO()
        swept.frame().write_parquet(content)
        write_whole(path, content.getvalue())
    print(f"frame: {path}", file=sys.stderr)


def _as_json(swept: Swept) -> dict[str, object]:
    from ... import _core
    from ..showing.sweeps.words import suspect_in_words

    return {
        "version": _core.version(),
        "axes": {name: {"keys": axis.keys, "points": list(axis.labels)} for name, axis in swept.axes.items()},
        "seeds": list(swept.seeds),
        "until": swept.ending.as_json() if swept.ending else None,
        "summary": swept.summary().to_dicts(),
        "warnings": suspect_in_words(swept),
    }


def _show(swept: Swept) -> None:
    from ..showing.sweeps.words import best_in_words, ending_in_words
    from ..showing.text import layout
    from ..showing.text.prose import print_wrapped
    from ..showing.text.sweeps import sweep_rows

    heads, rows = sweep_rows(swept)
    layout.print_in_parts(layout.console(), heads, rows[:_MOST_ROWS], labels=len(swept.axes))
    if len(swept.points) > _MOST_ROWS:
        print(f"{len(swept.points) - _MOST_ROWS} more points: see --frame FILE or --json", file=sys.stderr)
    for metric in swept.metrics:
        if text := best_in_words(swept, metric.name):
            print_wrapped(text, 2)
    if text := ending_in_words(swept):
        print_wrapped(text, 2)
