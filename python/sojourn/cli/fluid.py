"""``sojourn fluid``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .guard import check_report, check_scenario, guarded, print_json

if TYPE_CHECKING:
    from ..models.fluid.beside import Beside

__all__ = ["add_to", "fluid"]


def add_to(app: typer.Typer) -> None:
    """Make it a command of `app`."""
    app.command()(guarded(fluid))


def fluid(
    scenario: Annotated[
        Path,
        typer.Argument(
            metavar="SCENARIO", help="Scenario file (TOML), or the name of one that comes along.", show_default=False
        ),
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a value of the scenario, such as dumbbell.rate=10Mbit."
        ),
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="N|A-B|A,B", help="Seeds of the simulation beside the model.", show_default=True)
    ] = "3",
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Runs at a time; by default one for each core.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a self-contained report.")] = None,
) -> None:
    """Put the fluid model of a scenario beside the simulation of its packets."""
    from ..scenario import Scenario
    from .study import parse_seeds

    chosen = parse_seeds(seeds)
    check_report(report)
    loaded = Scenario.load(check_scenario(scenario), overrides=set_ or [])
    from ..models.fluid.beside import beside

    found = beside(loaded, seeds=chosen, workers=workers)
    for note in found.made.notes:
        print(f"note: {note}", file=sys.stderr)
    if json:
        print_json(_as_json(found))
    else:
        _show(found)
    if report is not None:
        found.report(report)
        print(f"report: {report}", file=sys.stderr)


def _show(found: Beside) -> None:
    from . import tables

    rows = []
    for quantity, unit, model, packets, low, high in found.table().iter_rows():
        half = (high - low) / 2.0 if high is not None and low is not None else float("nan")
        shown = f"{packets:.3f}" + (f" ± {half:.3f}" if half == half else "")
        rows.append([quantity, unit, f"{model:.3f}", shown])
    tables.print_in_parts(tables.console(), ["quantity", "unit", "fluid", "packets"], rows, labels=2)
    for text in found.words():
        print(text)


def _as_json(found: Beside) -> dict[str, object]:
    from .. import _core

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
        "sojourn": _core.version(),
        "seeds": list(found.seeds),
        "table": found.table().to_dicts(),
        "rest": rest,
        "notes": list(found.made.notes),
    }
