"""The tables that a plot is drawn from, in the same form for one run and for a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Final

import polars as pl

from .palette import colour_places
from .scales import Times

# Points per plot: a line on a screen or a page shows no more, and a report stays small.
POINTS: Final = 2000

# Runs among which a reader of a report may choose: each is in the file.
RUNS: Final = 3

# Stretches of time per series: with more of them than half the pixels, the mean would fill the band.
CELLS: Final = 400


def _same(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows


@dataclass(frozen=True)
class Runs:
    """The rows of a table for some runs, each of which is read when it is needed: memory holds one run at a time.

    Attributes
    ----------
    labels
        Queue and seed of each run.
    read
        Gives its rows, with the columns ``queue`` and ``seed``.
    change
        What is done with them.
    """

    labels: Sequence[tuple[str, int]]
    read: Sequence[Callable[[], pl.LazyFrame]]
    change: Callable[[pl.LazyFrame], pl.LazyFrame] = _same

    def __bool__(self) -> bool:
        return bool(self.labels)

    def __iter__(self) -> Iterator[pl.LazyFrame]:
        return (self.change(read()) for read in self.read)

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs, in ascending order."""
        return sorted({seed for _, seed in self.labels})

    @property
    def schema(self) -> pl.Schema:
        """The columns of the first run."""
        return next(iter(self)).collect_schema()

    def then(self, change: Callable[[pl.LazyFrame], pl.LazyFrame]) -> Runs:
        """The runs with changed rows."""
        before = self.change
        return replace(self, change=lambda rows: change(before(rows)))

    def filter(self, condition: pl.Expr) -> Runs:
        """The rows for which a condition is true."""
        return self.then(lambda rows: rows.filter(condition))

    def select(self, *columns: str, **named: pl.Expr) -> Runs:
        """Some columns of the rows."""
        return self.then(lambda rows: rows.select(*columns, **named))

    def of(self, queues: Sequence[str]) -> Runs:
        """The runs of some queues."""
        return self._chosen([place for place, (queue, _) in enumerate(self.labels) if queue in queues])

    def first(self, most: int, *, of_each: bool = False) -> Runs:
        """The runs of the first seeds for which there are rows: the first of all, or those of each queue."""
        by_seed = sorted(range(len(self.labels)), key=lambda place: self.labels[place][1])
        chosen: list[int] = []
        found: dict[str, int] = {}
        for _, places in groupby(by_seed, key=lambda place: self.labels[place][1]):
            whose = {place: self.labels[place][0] if of_each else "" for place in places}
            wanted = [place for place, who in whose.items() if found.get(who, 0) < most]
            there = [place for place in wanted if next(iter(self._chosen([place]))).head(1).collect().height]
            chosen += there
            for who in {whose[place] for place in there}:
                found[who] = found.get(who, 0) + 1
        return self._chosen(sorted(chosen))

    def _chosen(self, places: Sequence[int]) -> Runs:
        return replace(self, labels=[self.labels[at] for at in places], read=[self.read[at] for at in places])

    def frame(self) -> pl.DataFrame:
        """The rows of all runs."""
        if not self:
            return pl.DataFrame(schema={"queue": pl.String, "seed": pl.Int64})
        return pl.concat((rows.collect() for rows in self), how="vertical_relaxed")

    def distinct(self, column: str) -> list[Any]:
        """The values of a column in the order in which they come first."""
        return [value for (value,) in self.together(column)]

    def together(self, *columns: str) -> list[tuple[Any, ...]]:
        """The values of several columns that come together, in the order in which they come first."""
        found: dict[tuple[Any, ...], None] = {}
        for rows in self:
            found.update(dict.fromkeys(rows.select(columns).unique(maintain_order=True).collect().rows()))
        return list(found)

    def span(self) -> tuple[float, float]:
        """First and last time in seconds; zero without rows."""
        times = pl.col("time_s")
        ends = [rows.select(first=times.min(), last=times.max()).collect().row(0) for rows in self]
        firsts, lasts = ([end[at] for end in ends if end[at] is not None] for at in (0, 1))
        return float(min(firsts, default=0.0)), float(max(lasts, default=0.0))


class Frames:
    """Tables by name, with the columns ``queue`` and ``seed`` in front of the engine's own.

    Parameters
    ----------
    tables
        Tables of one run or of many, or :class:`Runs`. A table without ``queue`` or ``seed`` is taken as one run's.
    queues
        The labels to draw, in this order. Colour and marker follow from it, so give the same list to every plot.
        Default: as they first appear.
    link
        The link to look at. Default: the most utilised one of the table ``queue``.
    label
        Name of the queue where a table has no column ``queue``.
    times
        Axes of times, and of backlogs: logarithmic where the queues differ by a factor of ten, always, or
        never.
    """

    def __init__(
        self,
        tables: Mapping[str, pl.DataFrame | Runs],
        *,
        queues: Sequence[str] | None = None,
        link: str | None = None,
        label: str = "run",
        times: Times = "auto",
    ) -> None:
        self.times: Times = times
        self._tables = {name: _labelled(frame, label) for name, frame in tables.items()}
        self.queues: list[str] = list(queues) if queues is not None else _labels(self._tables)
        self.link: str | None = link if link is not None else _busiest(self._tables.get("queue"))

    @property
    def domain(self) -> list[str]:
        """Queues at their places in the list of colours; the other places have names that no queue has."""
        known = dict(zip(colour_places(self.queues), self.queues, strict=True))
        return [known.get(place, f"\u2060{place}") for place in range(max(known, default=-1) + 1)]

    @property
    def links(self) -> list[str]:
        """All links of the table ``queue``, the one that is looked at first."""
        queue = self._tables.get("queue")
        if not isinstance(queue, pl.DataFrame) or "link" not in queue.columns:
            return [] if self.link is None else [self.link]
        return sorted(_distinct(queue, "link"), key=lambda name: name != self.link)

    def has(self, name: str) -> bool:
        """Whether the table is there, even if it has no rows."""
        return name in self._tables

    def table(self, name: str, *, every_link: bool = False) -> pl.DataFrame:
        """The rows of the chosen queues and link (or of all links); an empty frame where the table is missing."""
        table = self._tables.get(name)
        if not isinstance(table, pl.DataFrame):
            return self.runs(name, every_link=every_link).frame()
        frame = table.filter(pl.col("queue").is_in(self.queues))
        if "link" in frame.columns and self.link is not None and not every_link:
            frame = frame.filter(pl.col("link") == self.link)
        return frame

    def runs(self, name: str, *, every_link: bool = False) -> Runs:
        """The same, run by run."""
        if name not in self._tables:
            return Runs([], [])
        runs = _runs_of(self._tables[name]).of(self.queues)
        if runs and "link" in runs.schema and self.link is not None and not every_link:
            runs = runs.filter(pl.col("link") == self.link)
        return runs

    def one_run(self, name: str) -> Runs:
        """The rows of the first seed of each queue: a time series shows one run, not a mixture of runs."""
        return self.runs(name).first(1, of_each=True)

    def some_runs(self, name: str, *, most: int = RUNS, every_link: bool = False) -> Runs:
        """The rows of the first seeds, of which a reader chooses one."""
        return self.runs(name, every_link=every_link).first(most)


def binned(rows: pl.DataFrame | Runs, value: str, by: Sequence[str], *, points: int = POINTS) -> pl.DataFrame:
    """Thins time series to at most about `points` rows in all: lowest, mean and highest value in each stretch of time.

    Returns the columns `by`, ``time_s``, ``low``, ``mean``, ``high``. A series that is short enough stays as it is. No
    series may have rows in several runs.
    """
    runs = Runs([("", 0)], [rows.lazy]) if isinstance(rows, pl.DataFrame) else rows
    runs = runs.filter(pl.col(value).is_not_null() & pl.col("time_s").is_not_null())
    count = sum(one.select(pl.len()).collect().item() for one in runs)
    if not count:
        known = dict(runs.schema) if runs else {}
        kept = {name: known.get(name, pl.String()) for name in by}
        return pl.DataFrame(schema={**kept, "time_s": pl.Float64, **dict.fromkeys(("low", "mean", "high"), pl.Float64)})
    series = len(runs.together(*by))
    bins = min(max(points // series, 60), CELLS)
    if count <= bins * series:
        column = pl.col(value).cast(pl.Float64)
        return runs.select(*by, "time_s", low=column, mean=column, high=column).frame()
    first, last = runs.span()
    width = (last - first) / bins or 1.0
    cell = ((pl.col("time_s") - first) / width).floor().clip(upper_bound=bins - 1)
    thin = [
        one.group_by(*by, cell=cell, maintain_order=True)
        .agg(low=pl.col(value).min(), mean=pl.col(value).mean(), high=pl.col(value).max())
        .collect()
        for one in runs
    ]
    return (
        pl.concat(thin, how="vertical_relaxed")
        .with_columns(time_s=first + (pl.col("cell") + 0.5) * width)
        .sort(*by, "time_s")
        .select(*by, "time_s", *(pl.col(name).cast(pl.Float64) for name in ("low", "mean", "high")))
    )


def _runs_of(table: pl.DataFrame | Runs) -> Runs:
    """The runs of a table that has the columns ``queue`` and ``seed``."""
    if isinstance(table, Runs):
        return table
    labels = table.select("queue", "seed").unique(maintain_order=True).rows()
    if len(labels) < 2:
        return Runs(labels or [("", 0)], [table.lazy])
    is_of = [pl.col("queue").eq_missing(queue) & pl.col("seed").eq_missing(seed) for queue, seed in labels]
    return Runs(labels, [partial(table.lazy().filter, of_one) for of_one in is_of])


def _distinct(table: pl.DataFrame | Runs, column: str) -> list[str]:
    """The values of a column in the order in which they come first."""
    if isinstance(table, Runs):
        return table.distinct(column)
    return table[column].drop_nulls().unique(maintain_order=True).to_list()


def _labelled(table: pl.DataFrame | Runs, label: str) -> pl.DataFrame | Runs:
    if isinstance(table, Runs):
        return table.then(lambda rows: rows.with_columns(*_finite(rows.collect_schema())))
    frame = table
    if "queue" not in frame.columns:
        frame = frame.with_columns(queue=pl.lit(label))
    if "seed" not in frame.columns:
        frame = frame.with_columns(seed=pl.lit(0))
    return frame.with_columns(pl.col("queue").cast(pl.String), *_finite(frame.schema))


def _finite(schema: pl.Schema) -> Iterator[pl.Expr]:
    """The columns of real numbers, those that are not finite as missing."""
    floats = [name for name, kind in schema.items() if kind.is_float()]
    return (pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in floats)


def _labels(tables: Mapping[str, pl.DataFrame | Runs]) -> list[str]:
    seen: dict[str, None] = {}
    for table in tables.values():
        seen.update(dict.fromkeys(_distinct(table, "queue")))
    return list(seen)


def _busiest(queue: pl.DataFrame | Runs | None) -> str | None:
    if not isinstance(queue, pl.DataFrame) or queue.is_empty() or "link" not in queue.columns:
        return None
    busy = queue.group_by("link", maintain_order=True).agg(pl.col("utilisation").mean().fill_null(0.0))
    return str(busy.sort("utilisation", descending=True, maintain_order=True)["link"][0])
