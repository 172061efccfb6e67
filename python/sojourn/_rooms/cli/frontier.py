"""``sojourn compare --frontier``: queues at their best."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ... import _core
from ..scenario.scenario import Scenario
from .guard import print_json
from .stopping import STOPPED, say_stopped
from .streams import then
from .study import tell_what_is_kept

if TYPE_CHECKING:
    from ..sweeps.frontier import Frontier

__all__ = ["compare_frontiers"]


def compare_frontiers(
    scenario: Scenario,
    *,
    queues: Sequence[str],
    of: str,
    over: Sequence[str],
    seeds: Sequence[int] | None,
    link: str | None,
    group: str | None,
    workers: int | None,
    as_json: bool,
    out: Path | None,
    report: Path | None,
) -> None:
    """Compare queues over settings of their own."""
    from ..showing.text.frontiers import show_frontier
    from ..showing.text.progress import progress_bar
    from ..sweeps.frontier import SEEDS, frontier
    from ..sweeps.run import StoppedSweep

    try:
        with progress_bar() as progress:
            found = frontier(
                scenario,
                queues=queues,
                of=[one.strip() for one in of.split(",")],
                over=_values(over),
                seeds=SEEDS if seeds is None else seeds,
                link=link,
                group=group or "",
                workers=workers,
                out=out,
                progress=progress,
            )
    except StoppedSweep as stopped:
        kept = (
            "nothing is kept without --out DIR" if out is None else f"they are kept in {out}; the same command goes on"
        )
        say_stopped(f"{stopped.done} of {stopped.total} runs are finished; {kept}")
        raise typer.Exit(STOPPED) from None
    tell_what_is_kept(scenario, queues)
    with then(lambda: _write(found, report)):
        if as_json:
            print_json(_as_json(found))
        else:
            show_frontier(found)


def _values(over: Sequence[str]) -> dict[str, Sequence[Any]]:
    from ..sweeps.axes import parse_over

    found: dict[str, Sequence[Any]] = {}
    for text in over:
        _, axis = parse_over(text)
        key = axis.key if isinstance(axis.key, str) else "+".join(axis.key)
        if key in found:
            raise ValueError(f"--over {text}: {key} is there twice")
        found[key] = axis.values
    return found


def _write(found: Frontier, report: Path | None) -> None:
    if report is not None:
        found.report(report)
        print(f"report: {report}", file=sys.stderr)


def _as_json(found: Frontier) -> dict[str, Any]:
    from ..sweeps.frontier_words import said

    told = said(found)
    return {
        "version": _core.version(),
        "seeds": list(found.seeds),
        "metrics": [{"name": one.name, "better": one.better} for one in found.metrics],
        "answer": {name: getattr(told, name) for name in ("headline", "detail", "price", "certainty", "swept")},
        "settings": found.summary().to_dicts(),
        "beside": [
            {
                "setting": one.setting,
                "curve": one.other,
                "verdict": one.verdict,
                "beyond": dict(zip((metric.name for metric in found.metrics), one.beyond, strict=True)),
                "better": one.better,
            }
            for one in found.beside
        ],
    }
