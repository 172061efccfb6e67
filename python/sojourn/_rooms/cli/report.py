"""``sojourn report``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .guard import check_report, guarded
from .options import Plugins
from .plugins import load_plugins

if TYPE_CHECKING:
    from ..runs.result import Study
    from ..sweeps.outcome import Swept

__all__ = ["report"]


@guarded
def report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Directory of a study or a sweep, finished or not.", show_default=False),
    ],
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE.html", help="The report. Default: DIR.html.", show_default=False)
    ] = None,
    report_: Annotated[
        Path | None,
        typer.Option("--report", "--out", metavar="FILE.html", help="The same, as an option like in other commands."),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Write the report of a study or a sweep that is on disk.

    Takes the directory of --out; the study may be unfinished.
    """
    from ..runs.store import StudyDirectory
    from ..sweeps.store import load_sweep

    load_plugins(plugin)
    if file is not None and report_ is not None and file != report_:
        raise ValueError(f"there are two reports to write: {file} and {report_}\n  hint:    name one")
    if not folder.is_dir():
        raise ValueError(f"{folder}: there is no such directory")
    # The working directory has a name only where it is.
    named = folder.resolve() if folder.name in ("", "..") else folder
    page = file or report_ or named.with_name(f"{named.name}.html")
    check_report(page)
    if (folder / "manifest.json").exists():
        study = StudyDirectory(folder).study()
        done, total = len(study.results), len(study.variants) * len(study.seeds)
        made: Study | Swept = study
    else:
        swept = load_sweep(folder)
        done, total = len(swept.values), len(swept.points) * len(swept.seeds)
        made = swept
    if done == 0:
        raise ValueError(f"{folder}: no run is finished yet")
    made.report(page)
    print(f"report of {done} of {total} runs: {page}", file=sys.stderr)
