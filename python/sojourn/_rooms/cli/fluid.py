"""``sojourn fluid``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..showing.text.prose import print_wrapped, tell
from . import complete, options
from .guard import check_report, check_scenario, guarded, print_json
from .streams import then

if TYPE_CHECKING:
    from ..models.fluid.beside import Beside
    from ..models.fluid.over import StabilityMap
    from ..scenario.scenario import Scenario

__all__ = ["fluid"]


@guarded
def fluid(
    scenario: options.Scenario,
    set_: options.Set = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="Show where the model is stable over a key, such as flow[0].count=10..100/10. Repeatable.",
            autocompletion=complete.keys,
        ),
    ] = None,
    followed: Annotated[
        bool, typer.Option("--followed", help="With --over: follow a disturbance at each point, too (a second each).")
    ] = False,
    seeds: Annotated[str, options.seeds_of("the simulation beside the model.")] = "3",
    workers: options.Workers = None,
    json: options.Json = False,
    report: options.Report = None,
) -> None:
    """Compare the fluid model of a scenario with its simulation.

    With --over it shows where the model is stable instead.
    """
    from ..scenario.scenario import Scenario
    from ..scenario.texts import parse_seeds

    chosen = parse_seeds(seeds)
    check_report(report)
    loaded = Scenario.load(check_scenario(scenario), overrides=set_ or [])
    if over:
        _map(loaded, over, followed=followed, json=json, report=report)
        return
    if followed:
        raise ValueError("--followed goes with --over\n  hint:    --over flow[0].count=10..100/10")
    from ..models.fluid.beside import beside

    found = beside(loaded, seeds=chosen, workers=workers)
    for note in found.made.notes:
        tell(f"note: {note}")
    with then(lambda: _write(report, found.report)):
        if json:
            print_json(_as_json(found))
        else:
            _show(found)


def _write(path: Path | None, report: Callable[[Path], None]) -> None:
    if path is not None:
        report(path)
        print(f"report: {path}", file=sys.stderr)


def _map(scenario: Scenario, over: list[str], *, followed: bool, json: bool, report: Path | None) -> None:
    from ..models.fluid.over import stability_over
    from ..showing.text.progress import count_bar
    from ..sweeps.axes import parse_over

    axes = {}
    for text in over:
        name, axis = parse_over(text)
        if name in axes:
            raise ValueError(
                f"--over {text}: there is an axis {name!r} already\n  hint:    name it: --over NAME:{text}"
            )
        axes[name] = axis
    with count_bar("points") as progress:
        found = stability_over(scenario, axes, followed=followed, progress=progress)
    for note in found.notes:
        tell(f"note: {note}")
    with then(lambda: _write(report, found.report)):
        if json:
            from ... import _core

            print_json({"version": _core.version(), "map": found.frame.to_dicts(), "notes": list(found.notes)})
        else:
            _show_map(found)


def _show_map(found: StabilityMap) -> None:
    from ..showing.text import layout

    columns = {
        "queue_packets": "queue (packets)",
        "mark_ratio": "marks or losses",
        "gain_margin": "gain margin",
        "phase_margin_deg": "phase margin (°)",
    }
    rows = []
    for row in found.frame.iter_rows(named=True):
        # The phase of a loop that is not stable is of no use to anyone.
        own = {**row, "phase_margin_deg": row["phase_margin_deg"] if row["stable"] else None}
        figures = [f"{own[name]:.4g}" if own[name] is not None else "–" for name in columns]
        state = {True: "stable", False: "not stable", None: row["why"]}[row["stable"]]
        grows = [{True: "grows", False: "fades", None: "–"}[row["grows"]]] if "grows" in row else []
        rows.append([*(row[name] for name in found.axes), *figures, *grows, state])
    headings = [*found.axes, *columns.values(), *(["followed"] if "grows" in found.frame.columns else []), "near rest"]
    layout.print_in_parts(layout.console(), headings, rows, labels=len(found.axes))
    for text in found.words():
        print_wrapped(text, 2)


def _show(found: Beside) -> None:
    from ..showing.text import layout, tables

    rows = [
        [one.name, one.unit, f"{one.fluid:.3f}", tables.cell(one.packets, one.factor, 3)] for one in found.quantities()
    ]
    layout.print_in_parts(layout.console(), ["quantity", "unit", "fluid", "packets"], rows, labels=2)
    for text in found.words():
        print_wrapped(text, 2)


def _as_json(found: Beside) -> dict[str, object]:
    from ... import _core

    near = found.near_rest
    rest: dict[str, object]
    if isinstance(near, str):
        rest = {"why": near}
    else:
        linear, root = near
        margin = linear.margins()
        rest = {
            "queue_packets": linear.rest.queue,
            "mark_ratio": linear.rest.probability,
            "windows_packets": list(linear.rest.windows),
            "root_per_s": [root.real, root.imag],
            "gain_margin": margin.gain,
            "phase_margin_deg": margin.phase_deg,
            "delay_margin_s": margin.delay_s,
        }
    return {
        "version": _core.version(),
        "seeds": list(found.seeds),
        "table": found.table().to_dicts(),
        "rest": rest,
        "notes": list(found.made.notes),
    }
