"""``sojourn export``: runs in the formats of other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._base.nearest import nearest_hint
from . import complete, options
from .guard import check_folder, check_scenario, guarded

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario

__all__ = ["export"]

_FORMS = ("csv", "parquet", "long", "flent", "ns2")


@guarded
def export(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A scenario, which is run, or the folder of a study.",
            show_default=False,
            autocompletion=complete.scenarios,
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the files go.", show_default=False)],
    form: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORM",
            help="csv, parquet (every table), long (all counters in one Parquet), flent or ns2 (a trace).",
        ),
    ] = "csv",
    set_: options.Set = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the run.")] = 1,
) -> None:
    """Write runs in the formats of other tools.

    These are tables as CSV or Parquet, data files of Flent, and traces in the style of ns-2.
    """
    from .._base.files import together
    from ..runs import formats
    from ..runs.result import Result, Study
    from ..runs.runner import run
    from ..runs.store import load_study
    from ..scenario.scenario import Scenario

    if form not in _FORMS:
        hint = nearest_hint(form, _FORMS)
        raise ValueError(f"--as {form}: there is no such form\n  allowed: {', '.join(_FORMS)}{hint}")
    check_folder(out)
    done: Result | Study
    if Path(what).is_dir():
        if set_:
            raise ValueError(f"--set changes a scenario, and {what} holds finished runs")
        done = load_study(what)
        if not done.results:
            raise ValueError(f"{what}: no run is finished yet")
    else:
        done = run(_recording(Scenario.load(check_scenario(Path(what)), overrides=set_ or []), form), seed=seed)
    if form in ("csv", "parquet"):
        files = formats.write_tables(done, out, form=form)
    elif form == "long":
        files = [formats.write_long(done, out)]
    else:
        ending, write = ("flent.gz", formats.write_flent) if form == "flent" else ("tr", formats.write_ns2_trace)
        # A run's files are named after its scenario, so that two scenarios can go into one folder.
        named = [
            (Path(what).stem if isinstance(done, Result) else label, one) for label, one in done.as_study().results
        ]
        with together(out) as place:
            made = [write(result, place / f"{formats.file_name(name, result.seed)}.{ending}") for name, result in named]
        files = [out / file.name for file in made]
        note_of = formats.flent_note if form == "flent" else formats.ns2_note
        for note in dict.fromkeys(filter(None, (note_of(result) for _, result in named))):
            print(note, file=sys.stderr)
    for file in files:
        print(file)


def _recording(scenario: Scenario, form: str) -> Scenario:
    """`scenario` with all that `form` needs recorded."""
    if form == "ns2":
        return scenario.set("record.packets", True).set("record.drops", True)
    if form != "flent":
        return scenario
    record = scenario.resolved()["record"]
    every = record["throughput"]["every"] if record.get("throughput") else "200ms"
    for key in ("throughput", "cwnd"):
        if not record.get(key):
            scenario = scenario.set(f"record.{key}", every)
    return scenario
