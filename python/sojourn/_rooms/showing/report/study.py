"""Reports of the package's own results: a result, a study, a comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from ...runs.answer import Yardstick, answer, groups_that_want_the_same
from ...runs.busy import IN_ROWS, busiest_groups, busiest_links, rest
from .. import plots
from ..plots.frames import Runs
from ..plots.registry import Drawing
from .compared import about_runs, compared
from .comparison import RECORD, comparison_report, headline, of_link
from .page import Report
from .provenance import provenance

if TYPE_CHECKING:
    from ...catalogue.charts import TableName
    from ...runs.result import Result, Study

_TABLES: Final = (
    *("queue", "reasons", "flow", "group", "sojourn", "latency", "over_time", "completion"),
    *("backlog", "probe", "window", "rate", "drops"),
)
_SERIES: Final = ("over_time", "backlog", "probe", "window", "rate", "drops")
_COLUMNS: Final = {"flow": ["flow", "group", "throughput_bps"], "completion": ["duration_s"]}
"""The columns that are drawn, of tables that may be large."""
_SCENARIOS: Final = 12


def write_report(
    path: str | os.PathLike[str],
    done: Result | Study,
    *,
    title: str = "",
    lead: str = "",
    link: str | None = None,
    group: str = "",
    about: Yardstick | None = None,
    times: plots.Times = "auto",
) -> None:
    """Writes the report of a result, a study or a comparison as one HTML file.

    Parameters
    ----------
    path
        The file; it is replaced at once when the report is complete.
    done
        A result of a function of the package.
    title
        Default: the scenario's.
    lead
        A sentence or two below the title.
    link
        The link to draw. Default: the most utilised one.
    group, about
        The group of flows, or the metric, by which the first sentence names the best queue; see
        :func:`sojourn.answer`.
    times
        Axes of times; see :class:`sojourn.plots.Frames`.
    """
    study_report(done.as_study(), title=title, lead=lead, link=link, group=group, yardstick=about, times=times).write(
        Path(path)
    )


def study_report(
    study: Study,
    *,
    title: str = "",
    lead: str = "",
    link: str | None = None,
    group: str = "",
    yardstick: Yardstick | None = None,
    about: tuple[str, str] = ("", ""),
    times: plots.Times = "auto",
    queues: Sequence[str] | None = None,
    opening: Callable[[Report], object] | None = None,
) -> Report:
    """The report of a study as a page; see :func:`write_report`.

    Parameters
    ----------
    yardstick
        The metric by which the first sentence names the best queue.
    about
        The line above the title. Default: the scenario and the runs.
    queues
        The variants in the order in which they are shown. Default: that of the answer, or of the study.
    opening
        Adds a first screen, and sections in front of all others. Default: the screen of a comparison.
    """
    baseline: str | None = getattr(study, "baseline", None)
    scenarios = list(study.variants.items())
    if opening is None and len(scenarios) > 1 and study.results:
        said = answer(study, link=link, group=group, about=yardstick)
        if (found := compared(study, said, link)) is not None:
            heading, screen, order = found
            queues = queues or [*order, *(queue for queue in study.variants if queue not in order)]
            title, lead = title or heading, lead or said.detail
            about, opening = about_runs(study), lambda page: page.add_front(screen)
        else:
            lead = lead or said.text
    chosen = _Chosen.of(study, link)
    differences = _differences(study)
    page = comparison_report(
        {name: _drawn(study, name, chosen) for name in _TABLES if study.has(name)},
        _summaries(study, study.summary).filter(chosen.row("queue")),
        None if differences is None else differences.filter(chosen.row("queue")),
        title=title or scenarios[0][1].title,
        lead=lead,
        queues=list(queues or study.variants),
        baseline=baseline,
        link=link,
        provenance=provenance(study.results[0][1].version if study.results else "", study.seeds),
        about=about,
        warnings=study.warnings,
        groups=study.summary("group").filter(chosen.row("group")),
        medium=study.summary("medium") if study.has("medium") else None,
        responsiveness=study.summary("responsiveness") if study.has("responsiveness") else None,
        quality=study.summary("quality") if study.has("quality") else None,
        times=times,
        opening=opening,
    )
    if left := rest(chosen.links, chosen.groups, "sojourn export writes the tables of all as CSV"):
        page.add_text(left, heading="Left out")
    for place, (label, scenario) in enumerate(scenarios[:_SCENARIOS]):
        page.add_scenario(scenario.to_toml(), "" if place else "Resolved scenario", label=label)
    return page


def draw_plot(
    study: Study,
    name: str,
    *,
    queues: Sequence[str] | None = None,
    link: str | None = None,
    times: plots.Times = "auto",
) -> Drawing:
    """Draws one of the plots of a report; see :meth:`sojourn.Result.plot`."""
    tables: dict[str, pl.DataFrame | Runs] = {"queue": study.table("queue")}
    link = link or plots.Frames(tables).link
    needs = plots.PLOTS[name].needs if name in plots.PLOTS else ()
    chosen = _Chosen.of(study, link)
    for need in needs:
        if need in RECORD and not study.has(need):
            raise ValueError(
                f"plot {name!r} needs a series that was not recorded: set record.{RECORD[need]} in the scenario"
            )
        if need == "summary":
            tables[need] = headline(of_link(_summaries(study, study.summary), link))[0]
        elif need == "groups":
            tables[need] = study.summary("group").filter(chosen.row("group"))
        elif need == "differences":
            differences = _differences(study)
            if differences is None:
                raise ValueError(f"plot {name!r} needs a comparison over at least two seeds")
            tables[need] = headline(of_link(differences, link))[0]
        else:
            tables[need] = _drawn(study, need, chosen)
    return plots.draw(name, tables, queues=queues or list(study.variants), link=link, times=times)


@dataclass(frozen=True)
class _Chosen:
    """The links and the groups that are shown, each with the number of all."""

    links: tuple[Sequence[str], int]
    groups: tuple[Sequence[str], int]

    @classmethod
    def of(cls, study: Study, link: str | None) -> _Chosen:
        """The busiest ones, and this link."""
        links, count = busiest_links(study, IN_ROWS)
        return cls(([*links, *([link] if link and link not in links else [])], count), busiest_groups(study))

    def row(self, table: str) -> pl.Expr:
        """Whether a row of a summary is about one of them, or about all."""
        return _among(self.groups if table == "group" else self.links, pl.col("row"))

    def rows(self, columns: Sequence[str]) -> pl.Expr:
        """Whether a row of a table with these columns is about them."""
        known = {"link": self.links, "group": self.groups}
        is_of = [_among(shown, pl.col(name)) for name, shown in known.items() if name in columns]
        return pl.all_horizontal(is_of) if is_of else pl.lit(True)


def _among(shown: tuple[Sequence[str], int], name: pl.Expr) -> pl.Expr:
    names, count = shown
    return name.is_in([*names, "all"]) if len(names) < count else pl.lit(True)


def _drawn(study: Study, name: str, chosen: _Chosen) -> pl.DataFrame | Runs:
    """The part of a table of all runs that is drawn."""
    if name in ("sojourn", "latency"):
        pooled = study.pooled(name).drop("share")
        return pooled.filter(chosen.rows(pooled.columns))
    runs = [(label, result) for label, result in study.results if name in result.tables]

    def read(label: str, result: Result) -> pl.LazyFrame:
        ahead = (pl.lit(label).alias("queue"), pl.lit(result.seed, dtype=pl.UInt64).alias("seed"))
        rows = result.raw.lazy(name).filter(chosen.rows(result.raw.columns(name)))
        return rows.select(*ahead, pl.col(_COLUMNS.get(name, "*")))

    found = Runs([(label, result.seed) for label, result in runs], [partial(read, *run) for run in runs])
    return found if name in _SERIES else found.frame()


def _differences(study: Study) -> pl.DataFrame | None:
    """Paired differences; None where there are no pairs, or one of each, which is too few."""
    of_table = getattr(study, "differences", None)
    return _summaries(study, of_table) if of_table is not None and len(study.seeds) > 1 else None


def _summaries(study: Study, of_table: Callable[[TableName], pl.DataFrame]) -> pl.DataFrame:
    """The metrics of the links. Fairness is among the flows of one direction, where they want the same."""
    frame = of_table("queue")
    return frame if groups_that_want_the_same(study) else frame.filter(pl.col("metric") != "fairness_index")
