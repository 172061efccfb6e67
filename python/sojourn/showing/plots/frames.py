"""The tables that a plot is drawn from, in the same form for one run and for a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from .palette import colour_places
from .scales import Times

# Points per plot: a line on a screen or a page shows no more, and a report stays small.
POINTS: Final = 2000

# Runs among which a reader of a report may choose: each is in the file.
RUNS: Final = 3

# Stretches of time per series: with more of them than half the pixels, the mean would fill the band.
CELLS: Final = 400


class Frames:
    """Tables by name, with the columns ``queue`` and ``seed`` in front of the engine's own.

    Parameters
    ----------
    tables
        Tables of one run or of many. A table without ``queue`` or ``seed`` is taken as one run's.
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
        tables: Mapping[str, pl.DataFrame],
        *,
        queues: Sequence[str] | None = None,
        link: str | None = None,
        label: str = "run",
        times: Times = "auto",
    ) -> None:
        self.times: Times = times
        self._tables = {name: _labelled(frame, label) for name, frame in tables.items()}
        self.queues = list(queues) if queues is not None else _labels(self._tables)
        self.link = link if link is not None else _busiest(self._tables.get("queue"))

    @property
    def domain(self) -> list[str]:
        """Queues at their places in the list of colours; the other places have names that no queue has."""
        known = dict(zip(colour_places(self.queues), self.queues, strict=True))
        return [known.get(place, f"\u2060{place}") for place in range(max(known, default=-1) + 1)]

    @property
    def links(self) -> list[str]:
        """All links of the table ``queue``, the one that is looked at first."""
        queue = self._tables.get("queue")
        if queue is None or "link" not in queue.columns:
            return [] if self.link is None else [self.link]
        names = queue["link"].unique(maintain_order=True).to_list()
        return sorted(names, key=lambda name: name != self.link)

    def has(self, name: str) -> bool:
        """Whether the table is there, even if it has no rows."""
        return name in self._tables

    def table(self, name: str, *, every_link: bool = False) -> pl.DataFrame:
        """The rows of the chosen queues and link (or of all links); an empty frame where the table is missing."""
        if name not in self._tables:
            return pl.DataFrame(schema={"queue": pl.String, "seed": pl.Int64})
        frame = self._tables[name].filter(pl.col("queue").is_in(self.queues))
        if "link" in frame.columns and self.link is not None and not every_link:
            frame = frame.filter(pl.col("link") == self.link)
        return frame

    def one_run(self, name: str) -> pl.DataFrame:
        """The rows of the first seed of each queue: a time series shows one run, not a mixture of runs."""
        frame = self.table(name)
        return frame.filter(pl.col("seed") == pl.col("seed").min().over("queue"))

    def some_runs(self, name: str, *, most: int = RUNS, every_link: bool = False) -> pl.DataFrame:
        """The rows of the first seeds, of which a reader chooses one."""
        frame = self.table(name, every_link=every_link)
        seeds = frame["seed"].unique().sort().head(most)
        return frame.filter(pl.col("seed").is_in(seeds.implode()))


def binned(frame: pl.DataFrame, value: str, by: Sequence[str], *, points: int = POINTS) -> pl.DataFrame:
    """Thins time series to at most about `points` rows in all: lowest, mean and highest value in each stretch of time.

    Returns the columns `by`, ``time_s``, ``low``, ``mean``, ``high``. A series that is short enough stays as it is.
    """
    frame = frame.filter(pl.col(value).is_not_null() & pl.col("time_s").is_not_null())
    if frame.is_empty():
        kept = {name: frame.schema[name] for name in by}
        return pl.DataFrame(schema={**kept, "time_s": pl.Float64, **dict.fromkeys(("low", "mean", "high"), pl.Float64)})
    series = frame.select(by).n_unique()
    bins = min(max(points // series, 60), CELLS)
    if frame.height <= bins * series:
        column = pl.col(value).cast(pl.Float64)
        return frame.select(*by, "time_s", low=column, mean=column, high=column)
    bounds = frame.select(first=pl.col("time_s").min(), last=pl.col("time_s").max()).row(0)
    width = (bounds[1] - bounds[0]) / bins or 1.0
    cell = ((pl.col("time_s") - bounds[0]) / width).floor().clip(upper_bound=bins - 1)
    return (
        frame.group_by(*by, cell=cell, maintain_order=True)
        .agg(low=pl.col(value).min(), mean=pl.col(value).mean(), high=pl.col(value).max())
        .with_columns(time_s=bounds[0] + (pl.col("cell") + 0.5) * width)
        .sort(*by, "time_s")
        .select(*by, "time_s", *(pl.col(name).cast(pl.Float64) for name in ("low", "mean", "high")))
    )


def _labelled(frame: pl.DataFrame, label: str) -> pl.DataFrame:
    if "queue" not in frame.columns:
        frame = frame.with_columns(queue=pl.lit(label))
    if "seed" not in frame.columns:
        frame = frame.with_columns(seed=pl.lit(0))
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    finite = (pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in floats)
    return frame.with_columns(pl.col("queue").cast(pl.String), *finite)


def _labels(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    seen: dict[str, None] = {}
    for frame in tables.values():
        seen.update(dict.fromkeys(frame["queue"].drop_nulls().unique(maintain_order=True)))
    return list(seen)


def _busiest(queue: pl.DataFrame | None) -> str | None:
    if queue is None or queue.is_empty() or "link" not in queue.columns:
        return None
    busy = queue.group_by("link", maintain_order=True).agg(pl.col("utilisation").mean().fill_null(0.0))
    return str(busy.sort("utilisation", descending=True, maintain_order=True)["link"][0])
