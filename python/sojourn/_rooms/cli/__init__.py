"""The command ``sojourn``.

Data go to stdout, messages and progress to stderr. Exit codes: 0 done, 1 a run broke, 2 wrong input, or a file or a
folder that cannot be read or written (one message, nothing half written), 130 stopped with Ctrl-C.

Modules with tables and plots are imported inside the commands, so that ``sojourn --help`` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..showing.text import prose
from . import complete, design, evaluate, fluid, init, lab, options, replay, shells, sweep, tune
from . import export as export_of
from . import gateway as gateway_of
from . import line as line_of
from . import plugins as plugins_of
from . import report as report_of
from .guard import check_apart, check_folder, check_page, check_report, check_scenario, guarded
from .plugins import load_plugins
from .stopping import STOPPED, leave, unprinted
from .usage import Commands

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario

__all__ = ["app", "main"]

shells.use()
app = typer.Typer(
    cls=Commands,
    help="Sojourn: a simulator that compares queues of a network.",
    epilog="Start with: sojourn run red_classic; sojourn init; sojourn list queues; sojourn explain red",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

_LONGEST_BUDGET = 24 * 60.0
"""In minutes."""


def _show_version(wanted: bool) -> None:
    if wanted:
        from ..._core import version

        print(f"sojourn {version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Sojourn: a simulator that compares queues of a network."""


def _load(path: Path, overrides: list[str] | None, tcp: str | None) -> Scenario:
    from ..scenario.scenario import Scenario
    from ..scenario.sysctl import with_senders

    loaded = Scenario.load(check_scenario(path), overrides=overrides or [])
    return loaded if tcp is None else with_senders(loaded, tcp)


@app.command()
@guarded
def run(
    scenario: options.Scenario,
    set_: options.Set = None,
    tcp: options.Tcp = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of one run. Default: 1.")] = None,
    seeds: options.Seeds = None,
    workers: options.Workers = None,
    json: options.Json = False,
    out: options.Out = None,
    report: options.Report = None,
    plugin: options.Plugins = None,
) -> None:
    """Run a scenario, once or with several seeds."""
    from ..scenario import texts
    from . import study

    if seed is not None and seeds is not None:
        raise ValueError("give --seed for one run or --seeds for several, not both")
    chosen = [1 if seed is None else seed] if seeds is None else texts.parse_seeds(seeds)
    check_report(report)
    check_apart(out=out, report=report)
    check_folder(out)
    load_plugins(plugin)
    loaded = _load(scenario, set_, tcp)
    study.run(loaded, seeds=chosen, workers=workers, as_json=json, out=out, report=report)


@app.command()
@guarded
def compare(
    scenario: options.Scenario,
    queue: Annotated[list[str], options.queues("Queues to compare; the first is the baseline.")],
    set_: options.Set = None,
    tcp: options.Tcp = None,
    seeds: Annotated[str | None, options.seeds("Default: 20; at most 40 with --until.")] = None,
    until: options.Until = None,
    workers: options.Workers = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="QUEUE", help="The queue with which the others are compared.")
    ] = None,
    metrics: options.Metrics = None,
    link: Annotated[
        str | None, typer.Option(metavar="NAME", help="Link to show; by default the busiest.", show_default=False)
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Group of flows whose winner is named, and of the metrics of groups.",
            show_default=False,
        ),
    ] = None,
    frontier: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Compare queues at their best, each over settings of its own, by two metrics: delay,utilisation.",
            show_default=False,
        ),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PARAM=VALUES",
            help="With --frontier: target=2ms,5ms, or codel.target=2ms,5ms for one queue. Repeatable.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
    out: options.Out = None,
    report: options.Report = None,
    plugin: options.Plugins = None,
) -> None:
    """Compare queues on a scenario, with the same seeds.

    Shows means with intervals, paired differences from the first queue, and which queue is best if the runs decide it.
    With --frontier it says whose best settings are better than those of the others.
    """
    from ..scenario import texts
    from . import study

    chosen = None if seeds is None else texts.parse_seeds(seeds)
    options.check_until(until)
    queues = texts.parse_queues(queue)
    check_report(report)
    check_apart(out=out, report=report)
    check_folder(out)
    load_plugins(plugin)
    loaded = _load(scenario, set_, tcp)
    if over and frontier is None:
        raise ValueError("--over goes together with --frontier; sojourn sweep runs a scenario over any key")
    if frontier is not None:
        from .frontier import compare_frontiers

        for option, given in {"--until": until, "--baseline": baseline, "--metrics": metrics}.items():
            if given is not None:
                raise ValueError(
                    f"{option} does not go together with --frontier, which has two metrics and no baseline"
                )
        compare_frontiers(
            loaded,
            queues=queues,
            of=frontier,
            over=over or [],
            seeds=chosen,
            link=link,
            group=group,
            workers=workers,
            as_json=json,
            out=out,
            report=report,
        )
        return
    study.compare(
        loaded,
        queues=queues,
        seeds=chosen,
        until=until,
        workers=workers,
        baseline=baseline,
        metrics=metrics,
        link=link,
        group=group,
        as_json=json,
        out=out,
        report=report,
    )


@app.command()
@guarded
def reproduce(
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="KEY", help="The paper's key, or its folder.", show_default=False, autocompletion=complete.papers
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the papers.")] = False,
    keys: Annotated[bool, typer.Option("--keys", hidden=True)] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPERIMENT",
            help="Only these experiments (a,b), those of a figure or a table ('figure 5.6'), or the claim of this id.",
            autocompletion=complete.experiments,
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="As many runs as the paper, or a few that take about a minute.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of seeds, instead of those of --quick or --full.", show_default=False),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="decided",
            help="Like --full, but begin with few seeds: more are for claims that these leave open.",
            show_default=False,
        ),
    ] = None,
    readings: Annotated[
        bool | None,
        typer.Option(
            "--readings/--no-readings",
            help="Also run other readings of the paper, or not; by default with --full.",
            show_default=False,
        ),
    ] = None,
    workers: options.Workers = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print all tables, and each claim under each reading.")
    ] = False,
    json: options.Json = False,
    out: options.Out = None,
    report: options.Report = None,
    verdicts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.md",
            help="Write the verdicts as tables into a page of your own, between its marks.",
        ),
    ] = None,
    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Keep the verdicts of a full run in the work's folder, or with --numbers its tables: record/.",
        ),
    ] = False,
    forensics: Annotated[
        bool,
        typer.Option(
            "--forensics", help="Search the open settings of the work for those that its printed numbers point to."
        ),
    ] = False,
    numbers: Annotated[
        bool,
        typer.Option("--numbers", help="Show each printed number beside ours, and a line for each printed table."),
    ] = False,
    reading: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Another reading of the work, for --numbers.", show_default=False),
    ] = None,
    power: Annotated[
        bool,
        typer.Option(
            "--power", help="Show how often each claim would be judged rightly if our simulator had made the numbers."
        ),
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(metavar="MINUTES", help="Time for --forensics. Default: 10.", show_default=False),
    ] = None,
    scoreboard: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.md", help="Write the results of the last full runs of all works; run nothing."),
    ] = None,
) -> None:
    """Re-run a paper's experiments and judge its claims.

    Shows its numbers beside ours. A claim that fails is a result and not an error.
    """
    from . import reproduction

    if scoreboard:
        from ..works.scoreboard import write

        for page in scoreboard:
            check_page(page, "--scoreboard")
        for page in scoreboard:
            write(page)
        return
    if list_ or keys:
        reproduction.show_list(as_json=json, keys_only=keys)
        return
    if key is None:
        raise ValueError("say which paper: sojourn reproduce KEY; sojourn reproduce --list shows them")
    check_report(report)
    check_apart(out=out, report=report, verdicts=verdicts)
    check_folder(out)
    only = [name.strip() for text in only for name in text.split(",")] if only else None
    if numbers:
        from .numbers import show as show_numbers

        for option, asked in {"--forensics": forensics, "--power": power, "--verdicts": verdicts is not None}.items():
            if asked:
                raise ValueError(f"{option} does not go together with --numbers, which judges nothing")
        if record and (only or reading):
            raise ValueError("--record keeps all tables of a work as read first: leave out --only and --reading")
        show_numbers(
            key,
            only=only,
            reading=reading or "",
            runs=seeds,
            workers=workers,
            as_text=not json,
            out=out,
            report=report,
            record=record,
        )
        return
    if reading:
        raise ValueError("--reading goes together with --numbers; --readings runs all readings")
    if record and (only or seeds or forensics or power or readings is False or not (full or until)):
        raise ValueError(
            "--record keeps a whole run: it needs --full or --until decided, without --only, --seeds and --no-readings"
        )
    if until not in (None, "decided"):
        raise ValueError(f"--until {until}: this is no end of a reproduction\n  allowed: decided")
    if until and (full or seeds or forensics or power):
        raise ValueError("--until chooses the seeds: leave out --full, --seeds, --forensics and --power")
    if budget is not None and not (forensics and 0.0 < budget < _LONGEST_BUDGET):
        raise ValueError(
            f"--budget: found {budget:g}\n"
            f"  allowed: minutes from above 0 to {_LONGEST_BUDGET:g}, together with --forensics"
        )
    if forensics:
        from .forensics import search

        for option, given in {"--only": only, "--verdicts": verdicts, "--seeds": seeds}.items():
            if given:
                raise ValueError(f"{option} does not go together with --forensics, which runs all printed tables")
        search(key, budget_s=60.0 * (budget or 10.0), workers=workers, as_json=json, out=out, report=report)
        return
    if power:
        from .power import show

        for option, given in {"--report": report, "--verdicts": verdicts}.items():
            if given:
                raise ValueError(f"{option} does not go together with --power, which prints a table")
        show(key, only=only, full=full, runs=seeds, workers=workers, as_json=json, out=out)
        return
    reproduction.reproduce(
        key,
        only=only,
        full=full or until is not None,
        runs=seeds,
        readings=readings,
        until_decided=until is not None,
        workers=workers,
        as_json=json,
        out=out,
        report=report,
        verdicts=verdicts,
        record=record,
        details=details,
    )


for command in (
    init.init,
    sweep.sweep,
    evaluate.evaluate,
    tune.tune,
    report_of.report,
    plugins_of.check,
    replay.replay,
    export_of.export,
    design.design,
    fluid.fluid,
    line_of.line,
    gateway_of.gateway,
    lab.lab,
):
    app.command()(command)


@app.command(name="list")
@guarded
def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="WHAT",
            help="queues, transports, controls, traffic, losses, metrics, papers or scenarios.",
            show_default=False,
            autocompletion=complete.tables,
        ),
    ] = None,
    json: options.Json = False,
    plugin: options.Plugins = None,
) -> None:
    """List queues, senders, sources and more.

    Without WHAT it shows what can be listed.
    """
    load_plugins(plugin)
    if what in ("papers", "works"):
        from . import reproduction

        reproduction.show_list(as_json=json, keys_only=False)
        return
    from . import catalogue

    if what is None:
        catalogue.show_kinds(as_json=json)
    else:
        catalogue.show_list(what, as_json=json)


@app.command()
@guarded
def explain(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A queue, sender, source, parameter, metric, warning, scenario, paper or command, by any common name; "
            "or a line of tc.",
            show_default=False,
            autocompletion=complete.things,
        ),
    ],
    evidence: Annotated[
        bool,
        typer.Option("--evidence", help="Show the comparisons of a queue or a sender with other programs instead."),
    ] = False,
    json: options.Json = False,
    plugin: options.Plugins = None,
) -> None:
    """Explain anything that has a name.

    Shows what it does, and its parameters with units, ranges, defaults and sources.
    """
    load_plugins(plugin)
    from .explain import explain as show

    root = context.find_root().command
    assert isinstance(root, Commands)  # noqa: S101 - the root has the commands
    commands = {command: each.help for command, each in root.commands.items()}
    show(name, as_json=json, evidence=evidence, commands=commands)


@app.command()
@guarded
def schema(plugin: options.Plugins = None) -> None:
    """Print the JSON Schema of scenario files."""
    load_plugins(plugin)
    from ... import _core

    print(_core.schema())


def main() -> None:
    """Entry point of the command."""
    prose.sound_streams()
    code: object = 0
    try:
        app()
    except KeyboardInterrupt:
        code = STOPPED
    except SystemExit as ended:
        code = ended.code
    except BrokenPipeError:
        raise
    except OSError as error:
        # Help and the version are printed before a command begins.
        code = unprinted(error)
    leave(code)
