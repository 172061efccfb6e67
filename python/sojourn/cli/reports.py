"""``--report``: what was run, as one HTML file."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import polars as pl

from .. import _core
from ..report import Report, comparison_report
from ..result import Comparison, Study
from . import tables

__all__ = ["write_study"]


def write_study(path: Path, title: str, study: Study) -> None:
    """Write the report of a run or a comparison, and say where it is."""
    link = tables.busiest(study)
    scenario = next(iter(study.variants.values()))
    page = comparison_report(
        _tables(study),
        _of_link(study.summary, link),
        _differences(study, link),
        title=title,
        queues=list(study.variants),
        baseline=study.baseline if isinstance(study, Comparison) else None,
        link=link,
        scenario=scenario.to_toml(),
        provenance=_provenance(study),
    )
    _save(page, path)


def _tables(study: Study) -> dict[str, pl.DataFrame]:
    names = dict.fromkeys(name for _, result in study.results for name in result.tables)
    return {name: study.table(name) for name in names}


def _of_link(summarise: object, link: str) -> pl.DataFrame:
    """The report's metrics of one link, and of all flows together, from a study's long tables."""
    assert callable(summarise)  # noqa: S101 - a bound method
    wanted = tables.report_metrics()
    order = {metric: place for place, (_, metric) in enumerate(wanted)}
    parts = []
    for table in ("queue", "group"):
        frame: pl.DataFrame = summarise(table)
        row = link if table == "queue" else frame["row"].last()
        metrics = [metric for of, metric in wanted if of == table]
        parts.append(frame.filter(pl.col("metric").is_in(metrics) & (pl.col("row") == row)).drop("row"))
    joined = pl.concat(parts)
    return joined.sort(pl.col("metric").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)


def _differences(study: Study, link: str) -> pl.DataFrame | None:
    if not isinstance(study, Comparison) or len(study.seeds) < 2:
        return None
    return _of_link(study.differences, link)


def _provenance(study: Study) -> dict[str, str]:
    return {
        "Sojourn": _core.version(),
        "Command": _command(),
        "Seeds": ", ".join(str(seed) for seed in study.seeds),
        "Python": platform.python_version(),
    }


def _command() -> str:
    return " ".join(["sojourn", *sys.argv[1:]])


def _save(page: Report, path: Path) -> None:
    page.write(path)
    print(f"report: {path}", file=sys.stderr)
