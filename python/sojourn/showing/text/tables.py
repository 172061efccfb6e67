"""The tables that ``sojourn run`` and ``sojourn compare`` print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ...catalogue.columns import lower_is_better
from ...runs.answer import About, answer, busiest, groups_that_want_the_same
from ...runs.comparison import Comparison
from ...runs.metrics import Metric
from ...runs.result import Study
from ...statistics.intervals import Interval, paired_difference
from ...statistics.samples import column_interval
from ...sweeps.metrics import parse_metric
from .layout import console, empty_table, print_in_parts, print_table, texts, width_of
from .prose import print_wrapped

__all__ = [
    "SOMETIMES",
    "Column",
    "about_of",
    "cell",
    "columns",
    "comparison_tables",
    "console",
    "decimals_of",
    "difference_words",
    "empty_table",
    "interval_words",
    "print_in_parts",
    "print_table",
    "run_tables",
    "scales",
    "show_comparison",
    "show_run",
    "tell_equal_runs",
    "texts",
    "unit_of",
]

SOMETIMES = ("medium", "responsiveness", "quality")
"""Tables that a run has if something in it fills them."""

_BETTER, _WORSE = "cyan", "dark_orange"
"""Colours of a decided difference on a terminal, which colour-blind people can distinguish."""


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
    """Factor and unit that make values of a kind easy to read, of which this is the largest."""
    if kind == "share":
        return 100.0, "%"
    if kind == "time":
        return (1e3, "µs") if 0.0 < largest < 1.0 else (1.0, "ms")
    if kind == "rate":
        steps = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))
        return next(((1.0 / size, unit) for size, unit in steps if largest >= size), (1.0, "bit/s"))
    return 1.0, {"count": "packets", "seconds": "s"}.get(kind, "")


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
    """The columns called `names`, as ``[TABLE.]COLUMN[@ROW]``: one grammar for comparisons and sweeps.

    None chooses by width; with a `group`, columns of that group are in front.
    """
    if names is None:
        return None if group is None else tuple(replace(column, row=group) for column in _OF_GROUP)
    known = {(column.table, column.metric): column for column in _COLUMNS}
    found = []
    for name in names:
        metric = parse_metric(name, "--metrics ")
        column = known.get((metric.table, metric.column)) or _plain_column(metric.table, metric.column)
        row = metric.row or (group if group and metric.table == "group" else "")
        found.append(replace(column, row=row))
    return tuple(found)


def _plain_column(table: str, metric: str) -> Column:
    if metric.endswith(("_ratio", "_fraction")):
        return Column(table, metric, metric.rpartition("_")[0].replace("_", " "), "share", 3)
    for suffix, kind in (("_ms", "time"), ("_bps", "rate"), ("_packets", "count")):
        if metric.endswith(suffix):
            return Column(table, metric, metric.removesuffix(suffix).replace("_", " "), kind, 3)
    if metric.endswith("_s"):
        return Column(table, metric, metric.removesuffix("_s").replace("_", " "), "seconds", 3)
    return Column(table, metric, metric.replace("_", " "), "number", 3)


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
    half = f"{interval.half_width * factor:.{decimals}f}"
    return f"{mean} ± {half}" if float(half) else mean


def interval_words(cells: Iterable[str]) -> str:
    """The intervals behind the means in these cells.

    >>> interval_words(["3 ± 1"]), interval_words(["3 ± 1", "0.1 [0, 0.5]"])
    ('mean ± 95 % interval', 'mean ± 95 % interval, or [its ends] where it is cut off at 0 or 100 %')
    """
    cut = any(" [" in text for text in cells)
    return "mean ± 95 % interval" + (", or [its ends] where it is cut off at 0 or 100 %" if cut else "")


def _values(study: Study, column: Column, link: str) -> dict[str, list[float]]:
    """Values by variant: of its row, else of the link or of all flows together (the last row of ``group``)."""
    if column.table == "flow":
        # A row is a flow or the flows of a group, of which a metric says what is meant.
        flow = Metric(column=column.metric, table="flow", row=column.row or None, name=column.head)
        return {label: [flow.of(run) for run in study.of(label)] for label in study.variants}
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
    from .responsive import show_responsiveness

    for table in shown:
        print_table(out, table, labels=1 if table.columns[0].header == "queue" else 2)
    _print_medium(out, study, label)
    show_responsiveness(out, study)
    if runs == 1:
        _print_counters(out, study)
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
    found = {
        column: [column_interval(column.metric, study.values(column.metric)[label][link]) for link in links]
        for column in columns(_IN_RUN) or ()
        if column.metric != "fairness_index" or groups_that_want_the_same(study)
    }
    units = scales({column: [interval.mean for interval in intervals] for column, intervals in found.items()})
    for column, intervals in found.items():
        factor, unit = units[column]
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


def _print_counters(out: Console, study: Study) -> None:
    """The counters of ``tc -s qdisc`` for each queue, of one run."""
    raw = study.results[0][1].raw
    rows: dict[str, dict[str, float]] = {}
    links: dict[str, None] = {}
    for link, counter, value in zip(
        *(raw.column("counters", name) for name in ("link", "counter", "value")), strict=True
    ):
        rows.setdefault(counter, {})[link] = value
        links[link] = None
    if not links:
        return
    table = empty_table("as tc -s", *links)
    for counter, of_links in rows.items():
        cells = (_count_text(of_links[link]) if link in of_links else "" for link in links)
        table.add_row(counter.replace("_", " "), *cells)
    print_table(out, table)


def _count_text(value: float) -> str:
    """A count whole, a state with four digits."""
    return f"{value:.0f}" if value == round(value) else f"{value:.4g}"


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
    counts = study.values("flows", table="group")[label]
    # Of flows that want different things a mean over all of them says nothing.
    groups = [name for name in counts if name != "all" or len(counts) < 3 or groups_that_want_the_same(study)]
    cells: list[list[str]] = [[] for _ in groups]
    heads = ["flows", ""]
    for column in shown:
        by_group = study.values(column.metric, table="group")[label]
        intervals = [column_interval(column.metric, by_group[group]) for group in groups]
        if column.metric == "fairness_index":
            # A flow alone is always fair to itself.
            intervals = [
                Interval(math.nan, math.nan, 0) if max(counts[group]) <= 1 else one
                for group, one in zip(groups, intervals, strict=True)
            ]
        factor, unit = unit_of(column.kind, max((abs(i.mean) for i in intervals if i.n), default=0.0))
        heads.append(_with_unit(column.label, unit))
        for row, interval in zip(cells, intervals, strict=True):
            # Groups differ by orders of magnitude: each has its own figures.
            row.append(cell(interval, factor, decimals_of([interval], factor, max(column.finest, 3))))
    table = empty_table(*heads)
    for group, row in zip(groups, cells, strict=True):
        table.add_row(group, f"{counts[group][0]:.0f}", *row)
    return table


def show_comparison(
    comparison: Comparison, *, columns: tuple[Column, ...] | None, link: str | None, group: str = ""
) -> None:
    """Print one row for each queue, the paired differences against the baseline, and what it comes to."""
    link = link or busiest(comparison)
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
    from .durations import goodput_table, waits_table
    from .responsive import show_responsiveness

    by_group = [] if columns else [goodput_table(comparison), waits_table(comparison)]
    every_cell = texts([means, *(table for _, table in by_group if table is not None)])
    seeds = "1 seed" if runs == 1 else f"{runs} seeds, {interval_words(every_cell)}"
    out.print(f"queue {link}, {seeds}{more}")
    print_table(out, means)
    if runs > 1:
        differences = _difference_table(comparison, shown, link)
        out.print(difference_words(comparison, differences, colour=out.is_terminal))
        print_table(out, differences)
    left_out = [column.metric for column in every if column not in shown]
    if left_out:
        out.print(f"Left out at {out.width} columns: {', '.join(left_out)}; --metrics NAME,NAME shows them.\n")
    for heading, table in by_group:
        if table is not None:
            out.print(heading)
            print_table(out, table)
    if not columns and comparison.has("medium"):
        _print_media(out, comparison)
    if not columns:
        show_responsiveness(out, comparison)
    tell_equal_runs(comparison)
    said = answer(comparison, link=link, group=group, about=about_of(columns, link, comparison))
    for text in filter(None, (said.text, said.text and said.about.why)):
        print_wrapped(text, 0)


def difference_words(comparison: Comparison, differences: RichTable, *, colour: bool = False) -> str:
    """The meaning of the stars in a table of differences, and the number that chance alone would set."""
    cells = [text for text in texts([differences]) if "±" in text or "[" in text]
    by_chance = f"{len(cells) / 20:.0f}" if len(cells) >= 30 else "one or none" if len(cells) < 20 else "one or two"
    also = ", blue where it is better and orange where it is worse" if colour else ""
    return (
        f"Difference from {comparison.baseline}, seed by seed (* its 95 % interval excludes zero{also}; of "
        f"{len(cells)} such intervals {by_chance} would by chance alone):"
    )


def about_of(columns: Sequence[Column] | None, link: str, study: Study | None = None) -> About | None:
    """The subject of an answer if metrics are named: the first with a better direction."""
    for column in columns or ():
        known = column.metric == "utilisation" or lower_is_better(column.metric) is not None
        if known and (column.table == "queue" or (column.table == "group" and column.row)):
            return About(column.metric, column.table, column.row or link)
        if known and study is not None and column.table in SOMETIMES and study.has(column.table):
            rows = list(next(iter(study.values(column.metric, table=column.table).values())))
            if column.row in rows or len(rows) == 1:
                return About(column.metric, column.table, column.row or rows[0])
    return None


def comparison_tables(comparison: Comparison) -> tuple[RichTable, RichTable]:
    """A row for each queue at the busiest link, and the paired differences against the baseline."""
    link = busiest(comparison)
    shown = _with_values(comparison, link)
    return _comparison_table(comparison, shown, link), _difference_table(comparison, shown, link)


def _with_values(comparison: Comparison, link: str) -> tuple[Column, ...]:
    """The columns that say something: no marks without ECN, no fairness among flows that want different things."""

    def happened(column: Column) -> bool:
        values = [value for of_one in _values(comparison, column, link).values() for value in of_one]
        return any(math.isfinite(value) and value != 0.0 for value in values)

    left_out = set() if groups_that_want_the_same(comparison) else {"fairness_index"}
    shown = (column for column in _COLUMNS if column.metric not in left_out)
    return tuple(column for column in shown if column.metric != "mark_ratio" or happened(column))


def _fitting(comparison: Comparison, every: tuple[Column, ...], link: str, width: int) -> tuple[Column, ...]:
    """As many columns as the width holds, at least two."""
    for count in range(len(every), 2, -1):
        tables = [
            _comparison_table(comparison, every[:count], link),
            _difference_table(comparison, every[:count], link),
        ]
        if all(width_of(table) <= width for table in tables):
            return every[:count]
    return every[:2]


def _comparison_table(comparison: Comparison, shown: Sequence[Column], link: str) -> RichTable:
    heads = ["queue"]
    cells: dict[str, list[str]] = {label: [] for label in comparison.variants}
    units = scales(_means(comparison, shown, link))
    for column in shown:
        values = _values(comparison, column, link)
        intervals = {label: column_interval(column.metric, of_one) for label, of_one in values.items()}
        factor, unit = units[column]
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
    cells: dict[str, list[Text]] = {label: [] for label in others}
    units = scales(_means(comparison, shown, link))
    for column in shown:
        values = _values(comparison, column, link)
        base = values[comparison.baseline]
        differences = {label: paired_difference(values[label], base) for label in others}
        factor, unit = units[column]
        decimals = decimals_of(list(differences.values()), factor, column.finest)
        heads.append(_with_unit(column.head, "points" if unit == "%" else unit))
        for label, difference in differences.items():
            chance = not {label, comparison.baseline} <= same
            decided = difference.excludes_zero and chance
            text = cell(difference, factor, decimals, sign=True) + (" *" if decided else "  ")
            cells[label].append(Text(text, _colour(column.metric, difference.mean) if decided else ""))
    table = empty_table(*heads)
    for label, row in cells.items():
        table.add_row(label, *row)
    return table


def _means(comparison: Comparison, shown: Sequence[Column], link: str) -> dict[Column, list[float]]:
    """The mean of each queue in each column."""
    return {
        column: [column_interval(column.metric, of_one).mean for of_one in _values(comparison, column, link).values()]
        for column in shown
    }


def _colour(metric: str, difference: float) -> str:
    """Of a decided difference; none where it depends on what one wants."""
    less = lower_is_better(metric)
    return "" if less is None else _BETTER if (difference < 0.0) == less else _WORSE


def _with_unit(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label
