"""Columns and cells of printed tables: the same metric has the same words, unit and decimals in each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...catalogue.charts import TableName
from ...catalogue.columns import described
from ...runs.busy import IN_ROWS, rest
from ...runs.result import Study
from ...statistics.intervals import Interval
from ...statistics.samples import column_interval
from ...sweeps.metrics import parse_metric

__all__ = [
    "COLUMNS",
    "SOMETIMES",
    "Column",
    "cell",
    "columns",
    "decimals_of",
    "interval_words",
    "print_rest",
    "scales",
    "stations",
    "tell_equal_runs",
    "unit_of",
    "with_unit",
]

SOMETIMES: tuple[TableName, ...] = ("medium", "responsiveness", "quality")
"""Tables that a run has if something in it fills them."""


@dataclass(frozen=True)
class Column:
    """A metric as it is shown.

    Attributes
    ----------
    table, metric
        The table and the column of its values.
    label
        Words over the column.
    kind
        ``share`` (in %), ``time`` (ms), ``rate`` (bit/s), ``count`` or ``number``.
    finest
        Most decimals that mean something in the shown unit.
    row
        Group of flows, or link; without one, all flows or the link that is shown.
    """

    table: str
    metric: str
    label: str
    kind: str
    finest: int
    row: str = ""

    @property
    def head(self) -> str:
        """Words over the column, with the row."""
        return f"{self.label} of {self.row}" if self.row else self.label


def scales(values: Mapping[Column, Sequence[float]]) -> dict[Column, tuple[float, str]]:
    """Factor and unit of each column of a block: times have one unit, and so have rates.

    >>> mean, p99 = (Column("queue", f"sojourn_{name}_ms", name, "time", 3) for name in ("mean", "p99"))
    >>> scales({mean: [0.0009], p99: [0.0077]})[mean], scales({mean: [0.0009], p99: [20.0]})[mean]
    ((1000.0, 'µs'), (1.0, 'ms'))
    """
    largest: dict[str, float] = {}
    for column, some in values.items():
        known = (abs(value) for value in some if math.isfinite(value))
        largest[column.kind] = max(largest.get(column.kind, 0.0), max(known, default=0.0))
    return {column: unit_of(column.kind, largest[column.kind]) for column in values}


def unit_of(kind: str, largest: float) -> tuple[float, str]:
    """Factor and unit that make values of a kind easy to read; `largest` is the largest of them."""
    if kind == "share":
        return 100.0, "%"
    if kind == "time":
        return (1e3, "µs") if 0.0 < largest < 1.0 else (1.0, "ms")
    if kind == "rate":
        steps = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))
        return next(((1.0 / size, unit) for size, unit in steps if largest >= size), (1.0, "bit/s"))
    return 1.0, {"count": "packets", "seconds": "s"}.get(kind, "")


_KINDS = {"%": "share", "ms": "time", "bit/s": "rate", "packets": "count", "s": "seconds"}
"""By the unit in which a column is shown."""

# In the order of importance: a narrow terminal shows the first ones.
COLUMNS = (
    Column("queue", "utilisation", "utilisation", "share", 2),
    Column("queue", "loss_ratio", "loss", "share", 3),
    Column("queue", "sojourn_mean_ms", "sojourn mean", "time", 3),
    Column("queue", "sojourn_p99_ms", "sojourn p99", "time", 3),
    Column("queue", "mark_ratio", "marks", "share", 3),
    Column("queue", "fairness_index", "fairness", "number", 3),
    Column("queue", "backlog_mean_packets", "backlog mean", "count", 2),
    Column("queue", "throughput_bps", "throughput", "rate", 3),
    Column("queue", "backlog_sd_packets", "backlog sd", "count", 2),
    Column("queue", "sojourn_p50_ms", "sojourn p50", "time", 3),
    Column("queue", "sojourn_p95_ms", "sojourn p95", "time", 3),
)
_OF_GROUP = (
    Column("group", "throughput_mean_bps", "throughput", "rate", 3),
    Column("group", "goodput_mean_bps", "goodput", "rate", 3),
    Column("group", "loss_ratio", "loss", "share", 3),
    Column("group", "delay_mean_ms", "delay", "time", 3),
    Column("group", "queueing_p99_ms", "in queues p99", "time", 3),
    Column("group", "fairness_index", "fairness", "number", 3),
)


def columns(names: Sequence[str] | None, group: str | None = None) -> tuple[Column, ...] | None:
    """The columns called `names`, as ``[TABLE.]COLUMN[@ROW]``: one grammar for comparisons and sweeps.

    None chooses by width; with a `group`, columns of that group are in front.
    """
    if names is None:
        return None if group is None else tuple(replace(column, row=group) for column in _OF_GROUP)
    known = {(column.table, column.metric): column for column in COLUMNS}
    found = []
    for name in names:
        metric = parse_metric(name, "--metrics ")
        column = known.get((metric.table, metric.column)) or _plain_column(metric.table, metric.column)
        row = metric.row or (group if group and metric.table == "group" else "")
        found.append(replace(column, row=row))
    return tuple(found)


def _plain_column(table: str, metric: str) -> Column:
    said = described(metric)
    # Sizes are numbers here, whose unit is a word of the head.
    head = f"{said.head} {said.shown}" if said.shown == "bytes" else said.head
    return Column(table, metric, head, _KINDS.get(said.shown, "number"), 3)


def decimals_of(intervals: Sequence[Interval], factor: float, finest: int) -> int:
    """Decimals for a column: two figures of the narrowest interval, four of a lone mean."""
    widths = [width * factor / 2.0 for i in intervals if math.isfinite(width := i.high - i.low) and width > 0.0]
    if widths:
        wanted = 1 - math.floor(math.log10(min(widths)))
    else:
        means = [abs(i.mean) * factor for i in intervals if math.isfinite(i.mean) and i.mean != 0.0]
        wanted = 3 - math.floor(math.log10(max(means))) if means else 0
    return min(max(wanted, 0), finest)


def cell(interval: Interval, factor: float, decimals: int, *, sign: bool = False) -> str:
    """A mean with half the width of its interval, in the shown unit; with both ends where these are not symmetric."""
    if interval.n == 0:
        return "–"
    mean = f"{interval.mean * factor:{'+' if sign else ''}.{decimals}f}"
    if not interval.half_width > 0.0:
        # One run, or equal runs, have no interval.
        return mean
    if interval.ends:
        low, high = (
            f"{end * factor:.{decimals}f}" if end not in (0.0, 1.0) else f"{end * factor:g}" for end in interval.ends
        )
        # An interval that rounds to zero is not shown.
        return mean if float(low) == float(mean) == float(high) else f"{mean} [{low}, {high}]"
    half = f"{interval.half_width * factor:.{decimals}f}"
    return f"{mean} ± {half}" if float(half) else mean


def interval_words(cells: Iterable[str]) -> str:
    """The intervals behind the means in these cells.

    >>> interval_words(["3 ± 1"]), interval_words(["3 ± 1", "0.1 [0, 0.5]"])
    ('mean ± 95 % interval', 'mean ± 95 % interval, or [its ends] where it is cut off at 0 or 100 %')
    """
    cut = any(" [" in text for text in cells)
    return "mean ± 95 % interval" + (", or [its ends] where it is cut off at 0 or 100 %" if cut else "")


def stations(study: Study, label: str, metrics: Sequence[str]) -> list[list[str]]:
    """A row for each station, of many for the first: its name and the metrics."""
    values = {metric: study.values(metric, table="medium")[label] for metric in metrics}
    rows = []
    places = list(next(iter(values.values())))
    for place in places[:IN_ROWS]:
        intervals = [column_interval(metric, values[metric][place]) for metric in metrics]
        rows.append([place, *(cell(one, 1.0, decimals_of([one], 1.0, 4)) for one in intervals)])
    if len(places) > IN_ROWS:
        rows.append([f"and {len(places) - IN_ROWS} more", *("" for _ in metrics)])
    return rows


def print_rest(links: tuple[Sequence[str], int], groups: tuple[Sequence[str], int]) -> None:
    """Print the number of links and groups that are left out, if any."""
    if said := rest(links, groups):
        print(said)


def tell_equal_runs(study: Study) -> None:
    """Report where no interval is shown although there are several seeds."""
    same = study.without_chance()
    if same:
        print(f"No interval for {', '.join(same)}: all {len(study.seeds)} seeds are one run.")


def with_unit(label: str, unit: str) -> str:
    """The head of a column."""
    return f"{label} ({unit})" if unit else label
