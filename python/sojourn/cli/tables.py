"""The tables that ``sojourn run`` and ``sojourn compare`` print."""

from __future__ import annotations

import difflib
import json
import math
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from .. import _core
from ..result import Comparison, Study
from ..samples import column_interval
from ..stats import Interval, mean_interval, paired_difference

__all__ = [
    "Column",
    "cell",
    "columns",
    "comparison_tables",
    "console",
    "decimals_of",
    "empty_table",
    "interval_words",
    "print_in_parts",
    "print_table",
    "run_tables",
    "show_comparison",
    "show_run",
    "tell_equal_runs",
    "texts",
]

_PIPED_WIDTH = 160


@dataclass(frozen=True)
class Column:
    """A metric as it is shown.

    Attributes
    ----------
    table, metric
        Where its values are.
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

    def scale(self, values: Sequence[float]) -> tuple[float, str]:
        """Factor and unit that make the values easy to read."""
        largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
        if self.kind == "share":
            return 100.0, "%"
        if self.kind == "time":
            return (1e3, "µs") if 0.0 < largest < 0.1 else (1.0, "ms")
        if self.kind == "rate":
            steps = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))
            return next(((1.0 / size, unit) for size, unit in steps if largest >= size), (1.0, "bit/s"))
        return 1.0, {"count": "packets"}.get(self.kind, "")


# In the order of importance: a narrow terminal shows the first ones.
_COLUMNS = (
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
_IN_RUN = (
    "utilisation",
    "throughput_bps",
    "loss_ratio",
    "mark_ratio",
    "sojourn_mean_ms",
    "sojourn_p50_ms",
    "sojourn_p95_ms",
    "sojourn_p99_ms",
    "backlog_mean_packets",
    "backlog_sd_packets",
    "fairness_index",
)


def columns(names: Sequence[str] | None, group: str | None = None) -> tuple[Column, ...] | None:
    """The columns called `names`, as ``COLUMN`` or ``COLUMN@ROW`` (of the tables ``queue`` and ``group``).

    None chooses by width; with a `group`, columns of that group stand in front.
    """
    if names is None:
        return None if group is None else tuple(replace(column, row=group) for column in _OF_GROUP)
    known = {column.metric: column for column in _COLUMNS}
    found = []
    for name in names:
        metric, _, row = name.strip().partition("@")
        column = known.get(metric) or _plain_column(metric)
        found.append(replace(column, row=row or (group if group and column.table == "group" else "")))
    return tuple(found)


def _plain_column(metric: str) -> Column:
    table = _table_of(metric)
    if metric.endswith(("_ratio", "_fraction")):
        return Column(table, metric, metric.rpartition("_")[0].replace("_", " "), "share", 3)
    for suffix, kind in (("_ms", "time"), ("_bps", "rate"), ("_packets", "count")):
        if metric.endswith(suffix):
            return Column(table, metric, metric.removesuffix(suffix).replace("_", " "), kind, 3)
    return Column(table, metric, metric.replace("_", " "), "number", 3)


def _table_of(metric: str) -> str:
    """The table of a comparison that has this column."""
    measured = {
        column["name"]: table["name"]
        for table in reversed(json.loads(_core.registry())["tables"])
        if table["name"] in ("queue", "group")
        for column in table["metrics"]
        if column["values"] != "text"
    }
    if metric in measured:
        return str(measured[metric])
    near = difflib.get_close_matches(metric, measured, n=1)
    hint = f"did you mean {near[0]}?" if near else "sojourn list metrics shows those of the tables queue and group"
    raise ValueError(f"--metrics {metric}: there is no such metric\n  hint:    {hint}")


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
        # Of one run, or the same in every run: that is no interval.
        return mean
    if interval.ends:
        low, high = (
            f"{end * factor:.{decimals}f}" if end not in (0.0, 1.0) else f"{end * factor:g}" for end in interval.ends
        )
        # An interval that rounds away is none.
        return mean if float(low) == float(mean) == float(high) else f"{mean} [{low}, {high}]"
    return f"{mean} ± {interval.half_width * factor:.{decimals}f}"


def interval_words(cells: Iterable[str]) -> str:
    """What stands behind the means in these cells.

    >>> interval_words(["3 ± 1"]), interval_words(["3 ± 1", "0.1 [0, 0.5]"])
    ('mean ± 95 % interval', 'mean ± 95 % interval, or [its ends] where it is cut off at 0 or 100 %')
    """
    cut = any(" [" in text for text in cells)
    return "mean ± 95 % interval" + (", or [its ends] where it is cut off at 0 or 100 %" if cut else "")


def texts(tables: Iterable[RichTable]) -> list[str]:
    """The cells of tables."""
    return [str(text) for table in tables for column in table.columns for text in column.cells]


def _busiest(study: Study) -> str:
    """The link with the highest utilisation over all variants."""
    values = study.values("utilisation")
    links = list(dict.fromkeys(link for rows in values.values() for link in rows))
    return max(links, key=lambda link: math.fsum(mean_interval(rows.get(link, [])).mean for rows in values.values()))


def _values(study: Study, column: Column, link: str) -> dict[str, list[float]]:
    """Values by variant: of its row, else of the link or of all flows together (the last row of ``group``)."""
    rows = study.values(column.metric, table=column.table)
    if column.row:
        return {label: by_row[column.row] for label, by_row in rows.items()}
    if column.table == "queue":
        return {label: by_row[link] for label, by_row in rows.items()}
    return {label: list(by_row.values())[-1] for label, by_row in rows.items()}


def show_run(study: Study) -> None:
    """Print the queues' metrics, one column for each link, and the groups of flows."""
    label, scenario = next(iter(study.variants.items()))
    runs = len(study.results)
    out = console()
    shown = run_tables(study)
    seeds = f"seed {study.seeds[0]}" if runs == 1 else f"{runs} seeds, {interval_words(texts(shown))}"
    out.print(Text.assemble((label, "bold"), f"  {scenario.duration_s:g} s, {seeds}"))
    for table in shown:
        print_table(out, table, labels=1 if table.columns[0].header == "queue" else 2)
    _print_medium(out, study, label)
    tell_equal_runs(study)


def run_tables(study: Study) -> list[RichTable]:
    """The queues' metrics, one column for each link, and the groups of flows; of the first variant."""
    label = next(iter(study.variants))
    from .durations import durations_table

    links = list(study.values("utilisation")[label])
    flows = [_groups(study, label), durations_table(study, label)]
    if not links:
        # No link is observed.
        return flows
    table = empty_table("queue", *links)
    for column in columns(_IN_RUN) or ():
        by_link = study.values(column.metric)[label]
        intervals = [column_interval(column.metric, by_link[link]) for link in links]
        factor, unit = column.scale([interval.mean for interval in intervals])
        alone = decimals_of(intervals, factor, column.finest)
        cells = []
        for one in intervals:
            # Links lie side by side: each interval has its own figures, and an idle link does not give the other its.
            decimals = decimals_of([one], factor, column.finest) if one.half_width > 0.0 else alone
            cells.append(cell(one, factor, decimals))
        table.add_row(_with_unit(column.label, unit), *cells)
    return [table, *flows]


def _print_medium(out: Console, study: Study, label: str) -> None:
    """The stations of shared media, where there are any."""
    if not study.has("medium"):
        return
    metrics = [metric for metric in study.metrics("medium") if metric != "delivered_packets"]
    heads = [metric.replace("_", " ") for metric in metrics]
    print_in_parts(out, ["station", *heads], _stations(study, label, metrics))


def _stations(study: Study, label: str, metrics: Sequence[str]) -> list[list[str]]:
    """A row for each station: its name and the metrics."""
    values = {metric: study.values(metric, table="medium")[label] for metric in metrics}
    rows = []
    for place in next(iter(values.values())):
        intervals = [column_interval(metric, values[metric][place]) for metric in metrics]
        rows.append([place, *(cell(one, 1.0, decimals_of([one], 1.0, 4)) for one in intervals)])
    return rows


def _print_media(out: Console, comparison: Comparison) -> None:
    """The stations of shared media under each queue."""
    metrics = ("attempts", "given_up_packets", "attempts_mean", "collision_ratio")
    body = [[label, *row] for label in comparison.variants for row in _stations(comparison, label, metrics)]
    out.print("The wireless hop:")
    print_in_parts(out, ["queue", "station", *(metric.replace("_", " ") for metric in metrics)], body, labels=2)


def tell_equal_runs(study: Study) -> None:
    """Say where no interval is shown although there are several seeds."""
    same = study.without_chance()
    if same:
        print(f"No interval for {', '.join(same)}: all {len(study.seeds)} seeds are one run.")


def _groups(study: Study, label: str) -> RichTable:
    shown = (
        Column("group", "goodput_mean_bps", "goodput of a flow", "rate", 3),
        Column("group", "rtt_mean_ms", "RTT", "time", 2),
        Column("group", "loss_ratio", "loss", "share", 3),
        Column("group", "fairness_index", "fairness", "number", 3),
    )
    groups = list(study.values("flows", table="group")[label])
    cells: list[list[str]] = [[] for _ in groups]
    heads = ["flows", ""]
    counts = study.values("flows", table="group")[label]
    for column in shown:
        by_group = study.values(column.metric, table="group")[label]
        intervals = [column_interval(column.metric, by_group[group]) for group in groups]
        factor, unit = column.scale([interval.mean for interval in intervals])
        decimals = decimals_of(intervals, factor, column.finest)
        heads.append(_with_unit(column.label, unit))
        for row, interval in zip(cells, intervals, strict=True):
            row.append(cell(interval, factor, decimals))
    table = empty_table(*heads)
    for group, row in zip(groups, cells, strict=True):
        table.add_row(group, f"{counts[group][0]:.0f}", *row)
    return table


def show_comparison(comparison: Comparison, *, columns: tuple[Column, ...] | None, link: str | None) -> None:
    """Print one row for each queue, then the paired differences against the baseline."""
    link = link or _busiest(comparison)
    out = console()
    runs = len(comparison.seeds)
    title = next(iter(comparison.variants.values())).title
    out.print(Text(title, "bold"))
    links = list(comparison.values("utilisation")[comparison.baseline])
    others = [name for name in links if name != link]
    more = f"; --link shows {', '.join(others)}" if others else ""
    every = columns or _with_values(comparison, link)
    shown = every if columns else _fitting(comparison, every, link, out.width)
    means = _comparison_table(comparison, shown, link)
    seeds = "1 seed" if runs == 1 else f"{runs} seeds, {interval_words(texts([means]))}"
    out.print(f"queue {link}, {seeds}{more}")
    print_table(out, means)
    if runs > 1:
        out.print(f"Difference from {comparison.baseline}, seed by seed (* its 95 % interval excludes zero):")
        print_table(out, _difference_table(comparison, shown, link))
    left_out = [column.metric for column in every if column not in shown]
    if left_out:
        out.print(f"Left out at {out.width} columns: {', '.join(left_out)}; --metrics NAME,NAME shows them.\n")
    from .durations import waits_table

    waits = None if columns else waits_table(comparison)
    if waits is not None:
        out.print("Time in queues of the packets of each group, 99th percentile (ms):")
        print_table(out, waits)
    if not columns and comparison.has("medium"):
        _print_media(out, comparison)
    tell_equal_runs(comparison)


def comparison_tables(comparison: Comparison) -> tuple[RichTable, RichTable]:
    """A row for each queue at the busiest link, and the paired differences against the baseline."""
    link = _busiest(comparison)
    shown = _with_values(comparison, link)
    return _comparison_table(comparison, shown, link), _difference_table(comparison, shown, link)


def _with_values(comparison: Comparison, link: str) -> tuple[Column, ...]:
    """The columns in which anything happened: a comparison without ECN needs no column of marks."""

    def happened(column: Column) -> bool:
        values = [value for of_one in _values(comparison, column, link).values() for value in of_one]
        return any(math.isfinite(value) and value != 0.0 for value in values)

    return tuple(column for column in _COLUMNS if column.metric != "mark_ratio" or happened(column))


def _fitting(comparison: Comparison, every: tuple[Column, ...], link: str, width: int) -> tuple[Column, ...]:
    """As many columns as the width holds, at least two."""
    for count in range(len(every), 2, -1):
        tables = [
            _comparison_table(comparison, every[:count], link),
            _difference_table(comparison, every[:count], link),
        ]
        if all(_width(table) <= width for table in tables):
            return every[:count]
    return every[:2]


def _comparison_table(comparison: Comparison, shown: Sequence[Column], link: str) -> RichTable:
    heads = ["queue"]
    cells: dict[str, list[str]] = {label: [] for label in comparison.variants}
    for column in shown:
        values = _values(comparison, column, link)
        intervals = {label: column_interval(column.metric, of_one) for label, of_one in values.items()}
        factor, unit = column.scale([interval.mean for interval in intervals.values()])
        decimals = decimals_of(list(intervals.values()), factor, column.finest)
        heads.append(_with_unit(column.head, unit))
        for label, interval in intervals.items():
            cells[label].append(cell(interval, factor, decimals))
    table = empty_table(*heads)
    for label, row in cells.items():
        table.add_row(label, *row)
    return table


def _difference_table(comparison: Comparison, shown: Sequence[Column], link: str) -> RichTable:
    others = [label for label in comparison.variants if label != comparison.baseline]
    same = set(comparison.without_chance())
    heads = ["queue"]
    cells: dict[str, list[str]] = {label: [] for label in others}
    for column in shown:
        values = _values(comparison, column, link)
        base = values[comparison.baseline]
        differences = {label: paired_difference(values[label], base) for label in others}
        factor, unit = column.scale([mean_interval(of_one).mean for of_one in values.values()])
        decimals = decimals_of(list(differences.values()), factor, column.finest)
        heads.append(_with_unit(column.head, unit))
        for label, difference in differences.items():
            chance = not {label, comparison.baseline} <= same
            star = " *" if difference.excludes_zero and chance else "  "
            cells[label].append(cell(difference, factor, decimals, sign=True) + star)
    table = empty_table(*heads)
    for label, row in cells.items():
        table.add_row(label, *row)
    return table


def _with_unit(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label


def empty_table(first: str, *others: str) -> RichTable:
    """A table with these heads; all columns but the first hold numbers."""
    table = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(first, overflow="fold")
    for head in others:
        # A head may break over two lines, a value may not.
        table.add_column(head.replace(" (", "\n("), justify="right", no_wrap=True)
    return table


def print_in_parts(console: Console, header: Sequence[str], body: Sequence[Sequence[str]], *, labels: int = 1) -> None:
    """Print rows of text as a table whose first `labels` columns are labels; see :func:`print_table`."""
    table = empty_table(*header)
    for row in body:
        table.add_row(*row)
    print_table(console, table, labels=labels)


def console() -> Console:
    """Colour and the terminal's width where there is a terminal; else plain text, wide enough."""
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((80, 24)).columns if terminal else _PIPED_WIDTH
    return Console(width=width, highlight=False, soft_wrap=False)


def _width(table: RichTable) -> int:
    return Console(width=10_000).measure(table).maximum


def print_table(console: Console, table: RichTable, *, labels: int = 1) -> None:
    """Print without blanks at the ends of lines.

    A table that is wider than the terminal becomes several below each other with the same labels, which are the first
    `labels` columns: no value is cut. Without a terminal there is no width to keep, and the table stays whole.
    """
    for part in _parts(table, console.width, labels) if console.is_terminal else [table]:
        wide = Console(width=max(console.width, _width(part)), highlight=False, soft_wrap=False)
        with wide.capture() as capture:
            wide.print(part)
        print("\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n")


def _parts(table: RichTable, width: int, labels: int) -> list[RichTable]:
    """The table in parts that fit, each with at least one column beside its labels."""
    kept: list[list[int]] = [[]]
    for column in range(labels, len(table.columns)):
        if kept[-1] and _width(_part(table, [*range(labels), *kept[-1], column])) > width:
            kept.append([])
        kept[-1].append(column)
    return [_part(table, [*range(labels), *columns]) for columns in kept]


def _part(table: RichTable, columns: Sequence[int]) -> RichTable:
    """Some columns of a table."""
    part = empty_table("")
    part.columns.clear()
    chosen = [table.columns[place] for place in columns]
    for one in chosen:
        part.add_column(one.header, justify=one.justify, no_wrap=one.no_wrap, overflow=one.overflow)
    for row in zip(*(one.cells for one in chosen), strict=True):
        part.add_row(*row)
    return part
