"""``sojourn tune``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import complete, options
from .guard import check_apart, check_folder, check_report, check_scenario, guarded, print_json
from .plugins import load_plugins
from .stopping import STOPPED, say_stopped
from .streams import then

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..statistics.intervals import Interval
    from ..sweeps.axes import Axis
    from ..tuning.outcome import Found, Tuned, Verdict
    from ..tuning.ranges import Range

__all__ = ["tune"]


@guarded
def tune(
    scenario: Annotated[Path, options.scenario("its values are the defaults.")],
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=RANGE",
            help="A parameter: dumbbell.queue.target=1ms..100ms:log, flow[0].count=1..20 or KEY=A,B,C. Repeatable.",
            autocompletion=complete.axes,
        ),
    ] = None,
    objective: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC[:max|min]",
            help="The number to improve, or a ratio of two: A/B. Several objectives make a frontier. Repeatable.",
            autocompletion=complete.measures,
        ),
    ] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC<NUMBER",
            help="A bound that every setting must keep: loss_ratio<0.02, or utilisation>0.9. Repeatable.",
            autocompletion=complete.measures,
        ),
    ] = None,
    set_: options.Set = None,
    trials: Annotated[int, typer.Option(metavar="N", help="How many settings are tried.")] = 60,
    seeds: Annotated[str, options.seeds_of("the search, the same for all.")] = "12",
    fresh: Annotated[
        str | None, options.seeds_of("the last word, others than those. Default: 20 behind them.", show_default=False)
    ] = None,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(metavar="SCENARIO", help="Scenario for the last word, beside SCENARIO itself. Repeatable."),
    ] = None,
    search_seed: Annotated[int, typer.Option(metavar="N", help="Seed of the search itself.")] = 1,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Keep Optuna's trials for its dashboard, such as sqlite:///tuned.db.",
            show_default=False,
        ),
    ] = None,
    workers: options.Workers = None,
    on: options.On = "local",
    json: options.Json = False,
    report: options.Report = None,
    out: options.Out = None,
    plugin: options.Plugins = None,
) -> None:
    """Search for better values of parameters.

    The answer is compared with the scenario's own values on seeds that the search has not seen.
    """
    from ..scenario.scenario import Scenario
    from ..scenario.texts import parse_seeds
    from ..showing.text.progress import progress_bar
    from ..tuning.constraints import parse_constraint
    from ..tuning.objectives import parse_objective
    from ..tuning.search import StoppedTuning, behind
    from ..tuning.search import tune as search

    check_folder(out)
    check_report(report)
    check_apart(out=out, report=report)
    load_plugins(plugin)
    base = Scenario.load(check_scenario(scenario), overrides=set_ or [])
    others = [Scenario.load(check_scenario(one)) for one in held_out or []]
    own = parse_seeds(seeds)
    last = None if fresh is None else behind(own, fresh, "--fresh")
    wanted = [parse_objective(one) for one in objective or []]
    kept = [parse_constraint(one) for one in subject_to or []]
    try:
        with progress_bar() as progress:
            tuned = search(
                base,
                over=_ranges(over or []),
                objectives=wanted,
                subject_to=kept,
                trials=trials,
                seeds=own,
                fresh=last,
                held_out=others,
                seed=search_seed,
                workers=workers,
                out=out,
                progress=progress,
                on=on,
                storage=storage,
            )
    except StoppedTuning as stopped:
        there = "nothing is kept without --out DIR" if out is None else f"kept in {out}; the same command goes on"
        say_stopped(f"{stopped}; {there}")
        raise typer.Exit(STOPPED) from None
    with then(lambda: _write_report(tuned, report)):
        if json:
            print_json(_as_json(tuned))
        else:
            _show(tuned)


def _write_report(tuned: Tuned, report: Path | None) -> None:
    if report is None:
        return
    from ..showing.tuning.report import write_report

    write_report(tuned, report)
    print(f"report: {report}", file=sys.stderr)


def _ranges(texts: list[str]) -> dict[str, Range | Axis]:
    from ..tuning.ranges import parse_range

    found: dict[str, Range | Axis] = {}
    for text in texts:
        key, values = parse_range(text)
        if key in found:
            raise ValueError(f"--over {text}: this parameter is given twice")
        found[key] = values
    return found


def _as_json(tuned: Tuned) -> dict[str, object]:
    from ... import _core

    return {
        "version": _core.version(),
        "objectives": [{"name": one.name, "better": "max" if one.more else "min"} for one in tuned.objectives],
        "subject_to": [one.name for one in tuned.constraints],
        "default": dict(tuned.default),
        "seeds": list(tuned.seeds),
        "fresh": list(tuned.fresh),
        "trials": tuned.trials,
        "refused": tuned.refused,
        "dropped": tuned.dropped,
        "runs": tuned.runs,
        "tried": [
            {
                "settings": dict(one.settings),
                "objectives": dict(one.means),
                "subject_to": dict(one.bounded),
                "seeds": one.seeds,
                "kept": one.kept,
            }
            for one in tuned.tried
        ],
        "frontier": [
            {"settings": dict(one.settings), "better": one.better, "verdicts": list(map(_verdict, one.verdicts))}
            for one in tuned.frontier
        ],
        "best": None if tuned.best is None else dict(tuned.best.settings),
        "answer": tuned.words(),
    }


def _verdict(one: Verdict) -> dict[str, object]:
    def numbers(interval: Interval) -> dict[str, float]:
        return {"mean": interval.mean, "low": interval.low, "high": interval.high}

    return {
        "scenario": one.place,
        "better": one.better,
        "improves": one.improves,
        "objectives": {
            name: {
                "setting": numbers(one.means[name]),
                "default": numbers(one.defaults[name]),
                "difference": numbers(one.differences[name]),
            }
            for name in one.means
        },
        "subject_to": {
            name: {
                "setting": numbers(one.bounded[name]),
                "default": numbers(one.default_bounded[name]),
                "kept": name not in one.broken,
            }
            for name in one.bounded
        },
    }


def _show(tuned: Tuned) -> None:
    from ..showing.text import layout
    from ..showing.text.prose import print_wrapped
    from ..tuning.outcome import interval_text

    names = [one.name for one in tuned.objectives]
    for number, place in enumerate(tuned.places):
        if place:
            print(f"\n{place}")
        bounds = [one.measure.name for one in tuned.constraints if one.measure.name not in names]
        heads = [*tuned.default, *names, *["difference"] * (len(names) == 1), *bounds, ""]
        rows = [_row(tuned, one, one.verdicts[number]) for one in tuned.frontier]
        if tuned.frontier:
            first = tuned.frontier[0].verdicts[number]
            base, gap = first.defaults, [""] * (len(names) == 1)
            ends = [*gap, *_bounded(tuned, first.default_bounded)]
            values = list(tuned.default.values()) if number == 0 else ["as written"] * len(tuned.default)
            rows.insert(0, [*values, *(interval_text(base[name]) for name in names), *ends, "default"])
        layout.print_in_parts(layout.console(), heads, rows, labels=len(tuned.default))
    if tuned.constraints and not tuned.frontier:
        _show_tried(tuned)
    if tuned.frontier:
        print()
    print_wrapped(tuned.words(), 2)
    tried = f"{tuned.trials} settings with {tuned.runs} runs; given up before the last seed: {tuned.dropped}"
    if tuned.refused:
        tried += f"; not run because their values contradict each other: {tuned.refused}"
    print_wrapped(tried, 2)


def _show_tried(tuned: Tuned) -> None:
    """Every setting with the numbers that are bounded, where none keeps the bounds."""
    from ..showing.text import layout
    from ..tuning.outcome import number_text

    names = [*(one.name for one in tuned.objectives), *(one.name for one in tuned.constraints)]
    rows = [[*tuned.default.values()], *([*one.settings.values()] for one in tuned.tried)]
    numbers = [
        {**tuned.default_means, **tuned.default_bounded},
        *({**one.means, **one.bounded} for one in tuned.tried),
    ]
    cells = [[*row, *(number_text(of_row[name]) for name in names)] for row, of_row in zip(rows, numbers, strict=True)]
    last = [f"{len(tuned.seeds)} default", *(str(one.seeds) for one in tuned.tried)]
    body = [[*row, seeds] for row, seeds in zip(cells, last, strict=True)]
    layout.print_in_parts(layout.console(), [*tuned.default, *names, "seeds"], body, labels=len(tuned.default))


def _row(tuned: Tuned, found: Found, one: Verdict) -> list[str]:
    from ..tuning.outcome import interval_text, word_of

    names = [objective.name for objective in tuned.objectives]
    gap = [interval_text(one.differences[names[0]])] if len(names) == 1 else []
    means = [interval_text(one.means[name]) for name in names]
    return [*found.settings.values(), *means, *gap, *_bounded(tuned, one.bounded), word_of(one)]


def _bounded(tuned: Tuned, numbers: Mapping[str, Interval]) -> list[str]:
    """The numbers that the constraints bound, if no objective shows them already."""
    from ..tuning.outcome import interval_text

    names = [one.name for one in tuned.objectives]
    return [interval_text(numbers[one.name]) for one in tuned.constraints if one.measure.name not in names]
