"""``sojourn run`` and ``sojourn compare``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from ... import _core
from .._base.nearest import nearest_hint
from ..catalogue.charts import TableName
from ..catalogue.warnings import CURE
from ..own._classes import registered
from ..runs import pool, runner
from ..runs.answer import Answer, Yardstick, answer, busiest, yardstick
from ..runs.comparison import Comparison
from ..runs.metrics import Metric
from ..runs.result import Result, Study, row_keys
from ..runs.tables import Tables
from ..scenario.scenario import Scenario, default_queue, guarding, parse_queue
from ..showing.text import comparisons, single_runs, tables
from ..showing.text.progress import progress_bar
from ..showing.text.prose import tell
from .guard import print_json
from .stopping import STOPPED, say_stopped
from .streams import then

__all__ = ["compare", "run", "tell_what_is_kept"]

_PLACES = 5
"""Links or groups of which a warning is printed."""


@contextmanager
def _stoppable(out: Path | None) -> Iterator[Callable[[pool.Progress], None] | None]:
    """Show progress; on Ctrl-C say how many runs are finished and whether they can be used."""
    try:
        with progress_bar() as callback:
            yield callback
    except runner.Interrupted as stopped:
        done = len(stopped.finished.results)
        if out is None:
            kept = "nothing is kept without --out DIR"
        else:
            kept = f"they are kept in {out}, and the same command goes on from there"
        say_stopped(f"{done} of {stopped.total} runs are finished; {kept}")
        raise typer.Exit(STOPPED) from None


def run(
    scenario: Scenario,
    *,
    seeds: Sequence[int],
    workers: int | None,
    as_json: bool,
    out: Path | None,
    report: Path | None,
) -> None:
    """Run one scenario with one or several seeds."""
    _check_captures(scenario, out)
    with _stoppable(out) as progress:
        study = runner.replicate(scenario, seeds=seeds, workers=workers, out=out, progress=progress)
    _warn(study)
    _name_captures(study)
    with then(lambda: _write_report(report, study)):
        if as_json:
            print_json(_run_json(study))
        else:
            single_runs.show_run(study)


def compare(
    scenario: Scenario,
    *,
    queues: Sequence[str],
    seeds: Sequence[int] | None,
    until: str | None,
    workers: int | None,
    baseline: str | None,
    metrics: str | None,
    link: str | None,
    group: str | None,
    as_json: bool,
    out: Path | None,
    report: Path | None,
) -> None:
    """Compare queues."""
    if len(queues) < 2:
        raise ValueError("one queue cannot be compared\n  hint:    name two or more: --queue red,ared")
    _check_captures(scenario, out)
    columns = tables.columns(None if metrics is None else metrics.split(","), group)
    if link is not None:
        _check_row(scenario, "queue", link, "--link")
    if group is not None:
        _check_row(scenario, "group", group, "--group")
    for column in columns or ():
        if column.table == "flow":
            _check_flow(scenario, column)
        elif column.row:
            _check_row(scenario, column.table, column.row, f"--metrics {column.metric}@{column.row}")

    # A wrong name is told before anything else.
    for queue in queues:
        scenario.with_queue(queue)

    def about_of(done: Comparison) -> Yardstick:
        where = link or busiest(done)
        return comparisons.about_of(columns, where, done) or yardstick(done, where, group or "")

    with _stoppable(out) as progress:
        comparison = runner.compare(
            scenario,
            queues=queues,
            seeds=seeds,
            until=until,
            about=about_of,
            workers=workers,
            baseline=baseline,
            out=out,
            progress=progress,
        )
    _warn(comparison)
    if link is not None:
        _warn_of_silence(comparison, link)
    tell_what_is_kept(scenario, queues)
    _tell_of_rivals(queues)
    _name_captures(comparison)
    about = comparisons.about_of(columns, link or busiest(comparison), comparison)
    with then(lambda: _write_report(report, comparison, link=link, group=group or "", about=about)):
        if as_json:
            print_json(_comparison_json(comparison, answer(comparison, link=link, group=group or "", about=about)))
        else:
            comparisons.show_comparison(comparison, columns=columns, link=link, group=group or "")


def _tell_of_rivals(queues: Sequence[str]) -> None:
    """Say that a queue of the user's beside FIFOs alone shows little: nobody would take these instead."""
    kinds = {queue: str(parse_queue(queue)["kind"]) for queue in queues}
    own = [queue for queue, kind in kinds.items() if kind in registered()]
    if own and all(kind == "fifo" for queue, kind in kinds.items() if queue not in own):
        tell(
            f"note: {own[0]} is compared with no queue that its users would take instead\n"
            f"  hint:    --queue fq_codel,codel,pie,{own[0]} --frontier delay,utilisation"
        )


def tell_what_is_kept(scenario: Scenario, queues: Sequence[str]) -> None:
    """Name each queue that is neither the scenario's own nor made from its name alone."""
    for queue in queues:
        overruled = [f"{key} = {new} (else {old})" for key, (old, new) in scenario.overruled_by(queue).items()]
        if overruled:
            tell(f"note: {queue} takes from its preset, not from the scenario: {', '.join(overruled)}")
        kept = scenario.kept_by(queue)
        kind = str(parse_queue(queue)["kind"])
        if kind == scenario.queue_kind:
            continue
        own = default_queue(kind)
        changed = [f"{key} = {value} (else {own[key]})" for key, value in kept.items() if value != own[key]]
        if changed:
            tell(f"note: {queue} keeps of the scenario's queue: {', '.join(changed)}")
        apart = scenario.not_kept_by(queue)
        if apart is not None:
            guard = kind if kind in guarding() else scenario.queue_kind
            tell(
                f"note: {queue} has limit = {apart[1]}, not the scenario's {apart[0]}: in {guard} limit guards memory "
                "and is no buffer"
            )


def _check_row(scenario: Scenario, table: str, row: str, place: str) -> None:
    """Refuse a link or a group that would be in no table, before anything is run."""
    key = row_keys(table)[0]
    rows = _core.Simulation(scenario.resolved_json, 1).tables()[table][key][1]
    if row not in rows:
        hint = nearest_hint(row, rows)
        where = f"{place} {row}" if place.startswith("--") and "@" not in place else place
        raise ValueError(f"{where}: there is no such {key} in the tables\n  allowed: {', '.join(rows)}{hint}")


def _check_flow(scenario: Scenario, column: tables.Column) -> None:
    """Refuse a column of flows that names none, before anything is run."""
    raw = _core.Simulation(scenario.resolved_json, 1).tables()
    name = f"--metrics flow.{column.metric}" + (f"@{column.row}" if column.row else "")
    wanted = Metric(column=column.metric, table="flow", row=column.row or None, name=name)
    wanted.of(Result(scenario=scenario, seed=1, version="", tables=Tables(raw)))


def _check_captures(scenario: Scenario, out: Path | None) -> None:
    """Refuse capture files without a place for them, before anything is run."""
    if out is None and scenario.outline["record"]["pcap"]:
        raise ValueError(
            "record.pcap writes capture files, and there is no folder for them\n"
            "  hint:    name one with --out DIR, or leave them out with --set record.pcap=false"
        )


def _name_captures(study: Study) -> None:
    """Say where the capture files are."""
    for label, result in study.results:
        for folder in {file.parent for file in result.captures.values() if isinstance(file, Path)}:
            run = f"{label}, seed {result.seed}" if len(study.variants) > 1 else f"seed {result.seed}"
            print(f"captures of {run}: {folder} ({len(result.captures)} files)", file=sys.stderr)


def _warn(study: Study) -> None:
    """Print the warnings of the runs: each once, with the number of runs that have it; of many alike the first."""
    found: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    for label, result in study.results:
        columns = [result.raw.column("warnings", name) for name in ("code", "place", "text")]
        for code, place, text in zip(*columns, strict=True):
            found.setdefault((label, code, place), []).append((result.seed, text))
    alike: dict[tuple[str, str], int] = {}
    for (label, code, place), runs in found.items():
        alike[label, code] = alike.get((label, code), 0) + 1
        if alike[label, code] > _PLACES:
            continue
        of = f"{label}, " if len(study.variants) > 1 else ""
        seed, text = runs[0]
        more = f"; {len(runs)} of {len(study.seeds)} seeds have it" if len(study.seeds) > 1 else ""
        tell(f"warning: {code} in {place}: {text} ({of}seed {seed}{more})")
    for (label, code), count in alike.items():
        if count > _PLACES:
            of = f" ({label})" if len(study.variants) > 1 else ""
            tell(f"warning: {code} in {count - _PLACES} more places{of}; --json has all")
    same = study.without_chance()
    if same:
        tell(
            f"warning: all {len(study.seeds)} seeds are one run with {', '.join(same)}, "
            "so the intervals there mean nothing\n"
            f"  hint:    {CURE}"
        )


def _warn_of_silence(study: Study, link: str) -> None:
    """Say that no packet came to the link that is compared: packets may have another way."""
    came = study.values("arrivals_packets", rows=[link])
    if not any(runs for of in came.values() for runs in of.values() if any(runs)):
        tell(
            f"warning: no packet came to {link}, so its queue changes nothing\n"
            "  hint:    packets take the way with the least delay, and a [[link]] has a direction back, too: "
            "duplex = false leaves that out"
        )


def _write_report(
    path: Path | None, study: Study, *, link: str | None = None, group: str = "", about: Yardstick | None = None
) -> None:
    if path is None:
        return
    from ..showing.report import write_report

    write_report(path, study, link=link, group=group, about=about)
    print(f"report: {path}", file=sys.stderr)


def _run_json(study: Study) -> dict[str, Any]:
    """One run: its tables of counters and distributions. Several: means with intervals."""
    scenario = next(iter(study.variants.values())).resolved()
    head = {"version": _core.version(), "scenario": scenario, "seeds": list(study.seeds)}
    names = (
        *("queue", "reasons", "counters", "group", "flow", "sojourn", "latency", "completion", "medium"),
        *("responsiveness", "quality", "warnings"),
    )
    if len(study.results) == 1:
        only = study.results[0][1]
        return {**head, **{name: only.table(name).to_dicts() for name in names if name in only.tables}}
    always: tuple[TableName, ...] = ("queue", "group", "flow")
    counted = [name for name in (*always, *tables.SOMETIMES) if study.has(name)]
    return {
        **head,
        "summary": {name: study.summary(name).drop("queue").to_dicts() for name in counted},
        **{name: study.pooled(name).drop("queue").to_dicts() for name in ("sojourn", "latency")},
        "without_chance": bool(study.without_chance()),
        "warnings": study.warnings.to_dicts(),
    }


def _until_json(comparison: Comparison, said: Answer) -> dict[str, Any] | None:
    """How a study that stops when it is decided came to its end; None with a fixed number of seeds."""
    until, found = comparison.until, said.standing
    if until is None or found is None:
        return None
    return {
        "question": str(until.question),
        "answered": found.is_answered,
        "most": until.most,
        "looks": until.looks(len(comparison.seeds)),
        "behind": {
            queue: {"mean": one.apart.mean, "low": one.apart.low, "high": one.apart.high, "decided": one.is_worse}
            for queue, one in found.others.items()
        },
    }


def _comparison_json(comparison: Comparison, said: Answer) -> dict[str, Any]:
    always: tuple[TableName, ...] = ("queue", "group")
    names = (*always, *(name for name in tables.SOMETIMES if comparison.has(name)))
    return {
        "version": _core.version(),
        "seeds": list(comparison.seeds),
        "baseline": comparison.baseline,
        "answer": {
            **{name: getattr(said.about, name) for name in ("table", "metric", "row", "why")},
            **{name: getattr(said, name) for name in ("best", "decided", "text")},
        },
        "until": _until_json(comparison, said),
        "queues": {label: scenario.resolved() for label, scenario in comparison.variants.items()},
        "summary": {name: comparison.summary(name).to_dicts() for name in names},
        "differences": {name: comparison.differences(name).to_dicts() for name in names},
        **{name: comparison.pooled(name).to_dicts() for name in ("sojourn", "latency")},
        "without_chance": comparison.without_chance(),
        "warnings": comparison.warnings.to_dicts(),
    }
