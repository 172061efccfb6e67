"""Reports of what the package itself returns: a result, a study, a comparison, a reproduction of a paper."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import polars as pl

from sojourn import plots
from sojourn.report.claims import PaperClaim
from sojourn.report.comparison import comparison_report
from sojourn.report.page import Report

_TABLES: Final = (
    *("queue", "reasons", "flow", "group", "sojourn", "completion"),
    *("backlog", "probe", "window", "rate", "drops"),
)
_SCENARIOS: Final = 12


class _Scenario(Protocol):
    @property
    def title(self) -> str: ...
    def resolved(self) -> dict[str, Any]: ...


class ResultLike(Protocol):
    """One run; see :class:`sojourn.Result`."""

    @property
    def scenario(self) -> _Scenario: ...  # noqa: D102
    @property
    def seed(self) -> int: ...  # noqa: D102
    @property
    def version(self) -> str: ...  # noqa: D102
    @property
    def tables(self) -> Mapping[str, pl.DataFrame]: ...  # noqa: D102


class StudyLike(Protocol):
    """Many runs; see :class:`sojourn.Study`."""

    @property
    def variants(self) -> Mapping[str, _Scenario]: ...  # noqa: D102
    @property
    def seeds(self) -> Sequence[int]: ...  # noqa: D102
    @property
    def results(self) -> Sequence[tuple[str, ResultLike]]: ...  # noqa: D102
    def table(self, name: str) -> pl.DataFrame: ...  # noqa: D102
    def summary(self, table: str = ...) -> pl.DataFrame: ...  # noqa: D102


class ReproductionLike(Protocol):
    """A paper's claims and the studies that they rest on; see :class:`sojourn.papers.Reproduction`."""

    @property
    def claims(self) -> Sequence[PaperClaim]: ...  # noqa: D102
    @property
    def studies(self) -> Mapping[str, Any]: ...  # noqa: D102


def write_report(
    path: str | os.PathLike[str],
    *,
    title: str,
    comparison_or_result: ResultLike | StudyLike | ReproductionLike,
    lead: str = "",
) -> None:
    """Writes the report of a result, a study, a comparison or a reproduction as one HTML file.

    Parameters
    ----------
    path : path
        The file; it is replaced at once when the report is complete.
    title : str
    comparison_or_result
        What the functions of the package return.
    lead : str
        A sentence or two below the title.
    """
    given: Any = comparison_or_result
    if hasattr(given, "claims"):
        page = _reproduction(given, title, lead)
    elif hasattr(given, "variants"):
        page = _study(given, title, lead)
    else:
        page = _result(given, title, lead)
    page.write(Path(path))


def _study(study: Any, title: str, lead: str) -> Report:
    baseline = getattr(study, "baseline", None)
    page = comparison_report(
        _tables(study),
        _summaries(study.summary),
        _summaries(study.differences) if baseline is not None else None,
        title=title,
        lead=lead,
        queues=list(study.variants),
        baseline=baseline,
        provenance=_provenance(study.results[0][1].version if study.results else "", study.seeds),
    )
    for place, (label, scenario) in enumerate(list(study.variants.items())[:_SCENARIOS]):
        page.add_scenario(scenario.resolved(), "" if place else "Resolved scenario", label=label)
    return page


def _result(result: ResultLike, title: str, lead: str) -> Report:
    label = _kind(result.scenario.resolved())
    tables = {name: result.tables[name] for name in _TABLES if name in result.tables}
    tables = {
        name: frame.select(pl.lit(label).alias("queue"), pl.lit(result.seed).alias("seed"), pl.all())
        for name, frame in tables.items()
    }
    queue = tables["queue"]
    metrics = [name for name, kind in queue.schema.items() if kind.is_numeric() and name != "seed"]
    summary = queue.unpivot(metrics, index=["queue", "link"], variable_name="metric", value_name="mean").select(
        *("queue", "metric"),
        pl.col("link").alias("row"),
        pl.col("mean").cast(pl.Float64),
        pl.lit(None, dtype=pl.Float64).alias("low"),
        pl.lit(None, dtype=pl.Float64).alias("high"),
        n=pl.lit(1),
    )
    page = comparison_report(
        tables, summary, title=title, lead=lead, provenance=_provenance(result.version, [result.seed])
    )
    return page.add_scenario(result.scenario.resolved())


def _kind(resolved: Mapping[str, Any]) -> str:
    """Kind of the bottleneck's queue, if the scenario is a dumbbell; a short name for one run otherwise."""
    dumbbell = resolved.get("dumbbell")
    queue = dumbbell.get("queue") if isinstance(dumbbell, Mapping) else None
    return str(queue.get("kind", "run")) if isinstance(queue, Mapping) else "run"


def _reproduction(reproduction: Any, title: str, lead: str) -> Report:
    studies: Mapping[str, Any] = reproduction.studies
    first = next(iter(studies.values()), None)
    version = first.results[0][1].version if first is not None and first.results else ""
    seeds = first.seeds if first is not None else []
    page = Report(title=title, lead=lead or reproduction.paper.citation, provenance=_provenance(version, seeds))
    page.add_claims(reproduction.claims)
    for name, study in studies.items():
        tables = {"queue": study.table("queue"), "sojourn": study.table("sojourn")}
        labels = list(study.variants)
        link = plots.Frames(tables).link
        summary = study.summary("queue")
        page.add_metrics(summary.filter(pl.col("row") == link).drop("row"), heading=name)
        for plot in ("delay_throughput", "sojourn_cdf"):
            page.add_plot(plots.draw(plot, tables, queues=labels), text=plots.PLOTS[plot].text)
        page.add_scenario(study.variants[labels[0]].resolved(), "", label=f"scenario of {labels[0]}")
    return page


def _tables(study: Any) -> dict[str, pl.DataFrame]:
    found: dict[str, pl.DataFrame] = {}
    for name in _TABLES:
        try:
            found[name] = study.table(name)
        except KeyError:
            continue
    return found


def _summaries(of_table: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    """The metrics of the links, and Jain's index over all flows."""
    groups = of_table("group").filter(pl.col("metric") == "jain_index")
    rows = groups["row"].unique().to_list()
    fairness = groups.filter(pl.col("row") == "all") if "all" in rows else groups.with_columns(row=pl.lit("all"))
    alone = "all" in rows or len(rows) == 1
    parts: list[pl.DataFrame] = [of_table("queue"), fairness] if alone else [of_table("queue")]
    return pl.concat(parts)


def _provenance(version: str, seeds: Sequence[int]) -> dict[str, str]:
    named = Path(sys.argv[0]).name if sys.argv else ""
    versions = [f"Sojourn {version}"] if version else []
    return {
        **({"Command": shlex.join(["sojourn", *sys.argv[1:]])} if named == "sojourn" else {}),
        "Seeds": _ranges(seeds),
        "Versions": ", ".join([*versions, f"Python {platform.python_version()}", f"polars {pl.__version__}"]),
    }


def _ranges(seeds: Sequence[int]) -> str:
    """Seeds in words: ``1 to 20``."""
    known = sorted(seeds)
    if len(known) > 2 and known == list(range(known[0], known[-1] + 1)):
        return f"{known[0]} to {known[-1]}"
    return ", ".join(map(str, known))
