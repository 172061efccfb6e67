"""The results of a run and of a study: tables with the unit in the column name.

A :class:`Result` is one run, a :class:`Study` many runs of one or more variants of a scenario. A study with a baseline
is in :mod:`runs.comparison`, for its numbers are differences.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from .._base import door
from .._base.files import write_whole
from .._base.registry import read_registry
from ..catalogue.warnings import NO_CHANCE, SAME_RUN
from ..scenario.scenario import Scenario
from ..statistics.intervals import Interval, paired_difference
from ..statistics.samples import column_interval
from .long import Long, as_pandas, as_xarray
from .summary import of_row, only_one, summary_frame, summary_line
from .tables import Tables

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import xarray as xr
    from _typeshed import StrPath

    from .._base.door import Drawing
    from ..catalogue.charts import PlotName, TableName, Times

__all__ = ["Result", "Study"]


@cache
def row_keys(table: str) -> Sequence[str]:
    """The columns of a table that tell its rows apart rather than measure something: those without a formula."""
    metrics = next(entry["metrics"] for entry in read_registry()["tables"] if entry["name"] == table)
    return [metric["name"] for metric in metrics if not metric["formula"]]


class _HasTables(Long):
    """The tables as attributes."""

    @abstractmethod
    def table(self, name: str) -> pl.DataFrame:
        """One table by name."""

    @abstractmethod
    def as_study(self) -> Study:
        """The runs as a study: a study itself, or a study of this one run."""

    def to_polars(self, table: TableName = "queue", *, link: str | None = None) -> pl.DataFrame:
        """A row for each value of a table of counters: ``queue``, ``seed``, ``row``, ``metric``, ``value``.

        Parameters
        ----------
        table
            ``queue``, ``group``, ``flow``, ``medium``, ``responsiveness`` or ``quality``.
        link
            Only this link, or this group or flow of another table.
        """
        return _long(self.as_study(), table, link)

    def to_pandas(self, table: TableName = "queue", *, link: str | None = None) -> pd.DataFrame:
        """The rows of :meth:`to_polars` as a frame of pandas, which has to be installed."""
        return as_pandas(self.to_polars(table, link=link))

    def to_xarray(self, table: TableName = "queue", *, link: str | None = None) -> xr.Dataset:
        """A variable for each metric over ``queue``, ``seed`` and ``row``; xarray has to be installed."""
        return as_xarray(self.to_polars(table, link=link))

    def plot(
        self,
        name: PlotName,
        *,
        queues: Sequence[str] | None = None,
        link: str | None = None,
        times: Times = "auto",
    ) -> Drawing:
        """Draw one of the plots of a report.

        Parameters
        ----------
        name
            Such as ``"summary"``, ``"delay_throughput"``, ``"sojourn_cdf"``, ``"backlog"`` or ``"probes"``; all are in
            :data:`sojourn.plots.PLOTS`.
        queues
            Which queues to draw, in this order. Default: all.
        link
            Whose queue to draw. Default: the most utilised link.
        times
            Axes of times: ``"auto"`` makes them logarithmic where the queues differ by a factor of ten, ``"log"`` where
            that can be, ``"linear"`` never.

        Returns
        -------
        An altair chart, which a notebook shows; :func:`sojourn.plots.save` writes it as PNG, SVG, PDF or HTML.
        """
        return door.plot(self.as_study(), name, queues=queues, link=link, times=times)

    def report(
        self,
        path: StrPath,
        *,
        title: str = "",
        lead: str = "",
        link: str | None = None,
        group: str = "",
        times: Times = "auto",
    ) -> None:
        """Write one HTML file with tables, plots, scenario and versions; it opens without a network.

        Parameters
        ----------
        title, lead
            Heading, and the first sentences. By default these name the best queue, if the runs decide it.
        link
            Whose queue to draw. Default: the most utilised link.
        group
            The group of flows by which the best queue is named. By default it follows from the groups: a call goes
            before transfers that somebody awaits, and these before all packets.
        times
            Axes of times; see :meth:`plot`.
        """
        if Path(path).suffix.lower() not in {".html", ".htm"}:
            raise ValueError(f"{path}: a report is an HTML file; give a name that ends in .html")
        door.report(self.as_study(), path, title=title, lead=lead, link=link, group=group, times=times)

    @property
    def queue(self) -> pl.DataFrame:
        """One row for each observed queue: loss, marks, utilisation, backlog, sojourn time."""
        return self.table("queue")

    @property
    def reasons(self) -> pl.DataFrame:
        """Drops and marks of each queue by reason."""
        return self.table("reasons")

    @property
    def counters(self) -> pl.DataFrame:
        """The counters of ``tc -s qdisc`` for each queue, since the start of the run."""
        return self.table("counters")

    @property
    def flow(self) -> pl.DataFrame:
        """One row for each flow: throughput, goodput, round-trip time, loss, retransmissions."""
        return self.table("flow")

    @property
    def group(self) -> pl.DataFrame:
        """One row for each group of flows, with Jain's index."""
        return self.table("group")

    @property
    def sojourn(self) -> pl.DataFrame:
        """Histogram of sojourn times at each queue."""
        return self.table("sojourn")

    @property
    def occupancy(self) -> pl.DataFrame:
        """How long each backlog lasted; recorded with ``record.occupancy``."""
        return self.table("occupancy")

    @property
    def latency(self) -> pl.DataFrame:
        """Histograms of the times of each group's packets and transfers: one way, in queues, round trip, completion."""
        return self.table("latency")

    @property
    def over_time(self) -> pl.DataFrame:
        """Throughput, delay and round-trip time of each group over time."""
        return self.table("over_time")

    @property
    def completion(self) -> pl.DataFrame:
        """One row for each finished transfer."""
        return self.table("completion")

    @property
    def responsiveness(self) -> pl.DataFrame:
        """Round trips per minute under load, for each group of probes, if there is one."""
        return self.table("responsiveness")

    @property
    def quality(self) -> pl.DataFrame:
        """The quality of calls, games, videos and synchronised rounds, if there are any."""
        return self.table("quality")

    @property
    def medium(self) -> pl.DataFrame:
        """Attempts and collisions of each link on a shared medium, if there is one."""
        return self.table("medium")

    @property
    def warnings(self) -> pl.DataFrame:
        """Findings of the runs that a reader of their numbers should know: code, place and text."""
        return self.table("warnings")

    @property
    def backlog(self) -> pl.DataFrame:
        """The backlog over time; recorded with ``record.queue``."""
        return self.table("backlog")

    @property
    def probe(self) -> pl.DataFrame:
        """The policies' internals over time; recorded with ``record.probes``."""
        return self.table("probe")

    @property
    def window(self) -> pl.DataFrame:
        """The senders' windows over time; recorded with ``record.cwnd``."""
        return self.table("window")

    @property
    def rate(self) -> pl.DataFrame:
        """Each flow's throughput over time; recorded with ``record.throughput``."""
        return self.table("rate")

    @property
    def drops(self) -> pl.DataFrame:
        """Every drop and mark; recorded with ``record.drops``."""
        return self.table("drops")

    @property
    def packets(self) -> pl.DataFrame:
        """Every packet that left a queue; recorded with ``record.packets``."""
        return self.table("packets")


def _no_table(name: str, tables: Sequence[str]) -> KeyError:
    return KeyError(f"there is no table {name!r} in this result; there are {', '.join(tables)}")


@dataclass(frozen=True, eq=False, repr=False)
class Result(_HasTables):
    """One run: its tables, and all that is needed to run it again.

    Attributes
    ----------
    scenario
        The scenario that was run.
    seed
        Its seed.
    version
        Version of Sojourn that ran it.
    tables
        polars frames by name; also as attributes, such as ``result.queue``.
    captures
        Capture files by name, as bytes or as paths; empty unless the scenario has ``record.pcap``.
    """

    scenario: Scenario
    seed: int
    version: str
    tables: Mapping[str, pl.DataFrame]
    captures: Mapping[str, bytes | Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", Tables(self.tables))

    @property
    def raw(self) -> Tables:
        """The tables without making frames of them."""
        assert isinstance(self.tables, Tables)  # noqa: S101 - __post_init__ saw to it
        return self.tables

    def table(self, name: str) -> pl.DataFrame:
        """One table by name."""
        if name not in self.tables:
            raise _no_table(name, list(self.tables))
        return self.tables[name]

    def only(self, keep: Mapping[str, Sequence[str]]) -> Result:
        """The run with these columns of these tables and nothing else."""
        return replace(self, tables=self.raw.only(keep), captures={})

    def write_pcap(self, folder: StrPath) -> list[Path]:
        """Write the packets of the observed links as pcapng files for Wireshark, two for each link.

        ``LINK.in.pcapng`` has every packet that came to the link's queue, ``LINK.out.pcapng`` every packet that the
        link sent. Comments give the fate of a packet there: ``dropped: early``, ``marked: early``,
        ``lost: corruption``.

        Parameters
        ----------
        folder
            Made if it is not there.

        Returns
        -------
        The files.

        Raises
        ------
        ValueError
            If the scenario does not have ``record.pcap``.
        """
        if not self.captures:
            raise ValueError(
                "this run kept no packets for capture files\n"
                "  hint:    set record=Record(pcap=True), and observed=True on the links that are wanted"
            )
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for name, content in self.captures.items():
            write_whole(place / name, content if isinstance(content, bytes) else content.read_bytes())
        return [place / name for name in self.captures]

    def as_study(self) -> Study:
        """A study of this run alone, under the name of its queue."""
        label = str(self.scenario.resolved().get("dumbbell", {}).get("queue", {}).get("kind", "run"))
        return Study({label: self.scenario}, (self.seed,), ((label, self),))

    def __repr__(self) -> str:
        rows = {name: self.tables[name].height for name in self.tables}
        parts = ", ".join(f"{name} ({count})" for name, count in rows.items() if count)
        return f"<Result of {self.scenario.title!r}, seed {self.seed}: {parts}>"

    def _repr_html_(self) -> str:
        return self.as_study()._repr_html_()


@dataclass(frozen=True, eq=False, repr=False)
class Study(_HasTables):
    """Runs of one or more variants of a scenario, every variant with every seed.

    Attributes
    ----------
    variants
        The scenarios by label.
    seeds
        The seeds, ascending.
    results
        The runs, by variant and then by seed.
    """

    variants: Mapping[str, Scenario]
    seeds: tuple[int, ...]
    results: tuple[tuple[str, Result], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "variants", dict(self.variants))

    def of(self, variant: str) -> tuple[Result, ...]:
        """The runs of one variant, in the order of the seeds."""
        if variant not in self.variants:
            raise KeyError(f"there is no variant {variant!r}; there are {', '.join(self.variants)}")
        return tuple(result for label, result in self.results if label == variant)

    def as_study(self) -> Study:
        """The study itself."""
        return self

    def with_seeds(self, seeds: Sequence[int]) -> Study:
        """The runs of some of the seeds."""
        wanted = tuple(seed for seed in self.seeds if seed in set(seeds))
        return replace(self, seeds=wanted, results=tuple(run for run in self.results if run[1].seed in set(wanted)))

    def apart(self, values: Sequence[float], base: Sequence[float]) -> Interval:
        """The mean of ``values - base`` seed by seed, with its 95 % interval."""
        return paired_difference(values, base)

    def differs(self, values: Sequence[float], base: Sequence[float]) -> bool:
        """Whether the runs tell two samples apart."""
        return self.apart(values, base).excludes_zero

    def has(self, name: str) -> bool:
        """Whether a run has this table: counters are always there, series if they were recorded."""
        return any(name in result.tables for _, result in self.results)

    def table(self, name: str) -> pl.DataFrame:
        """One table over all runs, with columns ``queue`` (the label of the variant) and ``seed`` in front."""
        import polars as pl

        # A column without a single value has no type of its own.
        return pl.concat((rows.collect() for rows in self.each(name)), how="vertical_relaxed")

    def each(self, name: str) -> Iterator[pl.LazyFrame]:
        """One table of each run, with columns ``queue`` and ``seed`` in front, which is read when it is collected."""
        import polars as pl

        for label, result in self._with(name):
            ahead = (pl.lit(label).alias("queue"), pl.lit(result.seed, dtype=pl.UInt64).alias("seed"))
            yield result.raw.lazy(name).select(*ahead, pl.all())

    @property
    def warnings(self) -> pl.DataFrame:
        """Findings of the runs that a reader of their numbers should know: code, place and text.

        The first columns are ``queue`` and ``seed`` of the run; ``seed`` is missing if all runs of a variant are meant.
        """
        import polars as pl

        texts = ("queue", "code", "place", "text")
        schema = dict.fromkeys(("queue", "seed", *texts[1:]), pl.String) | {"seed": pl.UInt64}
        rows = [
            (label, result.seed, *row)
            for label, result in self.results
            if "warnings" in result.tables
            for row in zip(*(result.raw.column("warnings", name) for name in texts[1:]), strict=True)
        ]
        rows += [(label, None, NO_CHANCE["name"], "seeds", SAME_RUN) for label in self.without_chance()]
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def runs(self) -> list[tuple[Scenario, int]]:
        """Scenario and seed of each run."""
        return [(result.scenario, result.seed) for _, result in self.results]

    def without_chance(self) -> list[str]:
        """The variants of which all runs are the same: intervals of no width, which say nothing."""
        return [
            label
            for label in self.variants
            if len(runs := self.of(label)) > 1 and all(_same_flows(run, runs[0]) for run in runs)
        ]

    def _with(self, table: str) -> list[tuple[str, Result]]:
        """The runs that have this table."""
        found = [(label, result) for label, result in self.results if table in result.tables]
        if not found:
            known = dict.fromkeys(name for _, result in self.results for name in result.tables)
            raise _no_table(table, list(known))
        return found

    def values(
        self, metric: str, *, table: str = "queue", rows: Iterable[str] | None = None
    ) -> dict[str, dict[str, list[float]]]:
        """One metric of every run: ``values[variant][row]`` in the order of the seeds.

        ``row`` is the link, group or flow that the table's row is about. With `rows` there are no others.
        """
        found: dict[str, dict[str, list[float]]] = {label: {} for label in self.variants}
        places = {seed: place for place, seed in enumerate(self.seeds)}
        wanted = None if rows is None else frozenset(rows)
        nothing = float("nan")
        for label, result in self._with(table):
            columns = result.raw.columns(table)
            if metric not in columns:
                known = ", ".join(["queue", "seed", *columns])
                raise KeyError(f"there is no column {metric!r} in {table!r}; there are {known}")
            keys = [result.raw.column(table, key) for key in row_keys(table) if key in columns]
            values = result.raw.column(table, metric)
            of_label, place = found[label], places[result.seed]
            for name, value in zip(_row_names(keys, len(values)), values, strict=True):
                if wanted is None or name in wanted:
                    row = of_label.get(name)
                    if row is None:
                        row = of_label[name] = [nothing] * len(places)
                    row[place] = nothing if value is None else float(value)
        return found

    def pooled(self, table: str) -> pl.DataFrame:
        """A histogram over all seeds of each variant: the table ``sojourn`` or ``latency``.

        Columns: ``queue`` (label of the variant), those of the table, and ``share``, the part that is not longer: the
        distribution function, from which percentiles are read.
        """
        import polars as pl

        if table not in _HISTOGRAMS:
            raise ValueError(f"{table!r} is not a histogram; there are {', '.join(_HISTOGRAMS)}")
        by, value, count = _HISTOGRAMS[table]
        # Run by run: the cells of all runs together would take much memory.
        sums: dict[str, pl.DataFrame] = {}
        for label, result in self._with(table):
            rows = result.tables[table].select(*by, value, count)
            rows = pl.concat([sums[label], rows]) if label in sums else rows
            sums[label] = rows.group_by(*by, value, maintain_order=True).agg(pl.col(count).sum())
        counted = pl.concat([rows.select(pl.lit(label).alias("queue"), pl.all()) for label, rows in sums.items()])
        order = pl.col("queue").replace_strict(list(self.variants), range(len(self.variants)), return_dtype=pl.Int64)
        # Groups and measures in the order of the tables, durations in their own.
        place = {name: counted[name].unique(maintain_order=True).to_list() for name in by}
        ranks = [pl.col(name).replace_strict(of, range(len(of)), return_dtype=pl.Int64) for name, of in place.items()]
        share = pl.col(count).cum_sum().over("queue", *by) / pl.col(count).sum().over("queue", *by)
        return counted.sort(order, *ranks, value).with_columns(share=share)

    def interval(
        self, metric: str, *, variant: str | None = None, row: str | None = None, table: str = "queue"
    ) -> Interval:
        """Mean and 95 % interval of one metric; ``variant`` and ``row`` may be left out where there is one.

        It is cut at values that a mean cannot have: below zero, and above one for a share.
        """
        rows = self.values(metric, table=table)[only_one(variant, list(self.variants), "variant")]
        return column_interval(metric, rows[only_one(row, list(rows), "row")])

    def summary(self, table: TableName = "queue", *, link: str | None = None) -> pl.DataFrame:
        """Mean and 95 % interval of every metric of a table.

        Columns: ``queue`` (label of the variant), ``row`` (the link, group or flow), ``metric``, ``n``, ``mean``,
        ``low``, ``high``.

        Parameters
        ----------
        table
            ``queue``, ``group``, ``flow``, ``medium``, ``responsiveness`` or ``quality``.
        link
            Only this link, or this group or flow of another table.
        """
        rows = []
        for metric in self.metrics(table):
            for label, by_row in self.values(metric, table=table).items():
                rows += [
                    summary_line(label, row, metric, column_interval(metric, values)) for row, values in by_row.items()
                ]
        return of_row(summary_frame(rows), link)

    def metrics(self, table: str = "queue") -> list[str]:
        """The columns of a table that measure something."""
        runs = [result.raw.numeric(table) for _, result in self._with(table)]
        keys = row_keys(table)
        # A column without a single value in a run has no type there.
        return [name for name in runs[0] if name not in keys and any(run.get(name) for run in runs)]

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind} of {len(self.results)} runs: {', '.join(self.variants)} with {len(self.seeds)} seeds>"

    def _repr_html_(self) -> str:
        return door.html(self)


def _long(study: Study, table: str, link: str | None) -> pl.DataFrame:
    import polars as pl

    rows = [
        (label, seed, row, metric, value)
        for metric in study.metrics(table)
        for label, by_row in study.values(metric, table=table).items()
        for row, values in by_row.items()
        for seed, value in zip(study.seeds, values, strict=True)
        if not math.isnan(value)
    ]
    schema = {"queue": pl.String, "seed": pl.UInt64, "row": pl.String, "metric": pl.String, "value": pl.Float64}
    return of_row(pl.DataFrame(rows, schema=schema, orient="row"), link)


_HISTOGRAMS = {
    "sojourn": (["link"], "sojourn_ms", "packets"),
    "latency": (["group", "measure"], "duration_ms", "count"),
}


def _row_names(keys: Sequence[Sequence[object]], rows: int) -> Iterable[str]:
    """The names of the rows of a table with these columns as keys."""
    if not keys:
        return repeat("", rows)
    return map(str, keys[0]) if len(keys) == 1 else (" ".join(map(str, parts)) for parts in zip(*keys, strict=True))


def _same_flows(one: Result, other: Result) -> bool:
    columns = one.raw.columns("flow")
    # As text, for a mean without a value is NaN, which is not itself.
    return all(repr(one.raw.column("flow", name)) == repr(other.raw.column("flow", name)) for name in columns)
