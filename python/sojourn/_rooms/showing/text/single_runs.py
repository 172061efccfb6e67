"""The tables of runs of one queue: metrics for each link, counters, and groups of flows; nothing is compared."""

from __future__ import annotations

import math

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ...runs.answer import groups_that_want_the_same
from ...runs.busy import busiest_groups, busiest_links
from ...runs.result import Study
from ...statistics.intervals import Interval
from ...statistics.samples import column_interval
from .durations import durations_table
from .layout import console, empty_table, print_in_parts, print_table, texts
from .responsive import show_responsiveness
from .tables import (
    Column,
    cell,
    columns,
    decimals_of,
    interval_words,
    print_rest,
    scales,
    stations,
    tell_equal_runs,
    unit_of,
    with_unit,
)

__all__ = ["run_tables", "show_run"]

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


def show_run(study: Study) -> None:
    """Print the metrics of the busiest queues, one column for each link, and of the busiest groups of flows."""
    label, scenario = next(iter(study.variants.items()))
    runs = len(study.results)
    out = console()
    shown = run_tables(study)
    seeds = f"seed {study.seeds[0]}" if runs == 1 else f"{runs} seeds, {interval_words(texts(shown))}"
    out.print(Text.assemble((label, "bold"), f"  {scenario.duration_s:g} s, {seeds}"))
    for table in shown:
        print_table(out, table, labels=1 if table.columns[0].header == "queue" else 2)
    _print_medium(out, study, label)
    show_responsiveness(out, study)
    if runs == 1:
        _print_counters(out, study)
    tell_equal_runs(study)
    print_rest(busiest_links(study), busiest_groups(study))


def run_tables(study: Study) -> list[RichTable]:
    """The metrics of the busiest queues, one column for each link, and of the busiest groups; of the first variant."""
    label = next(iter(study.variants))
    links, _ = busiest_links(study)
    flows = [_groups(study, label), durations_table(study, label)]
    if not links:
        # No link is observed.
        return flows
    table = empty_table("queue", *links)
    found = {}
    for column in columns(_IN_RUN) or ():
        if column.metric != "fairness_index" or groups_that_want_the_same(study):
            by_link = study.values(column.metric, rows=links)[label]
            found[column] = [column_interval(column.metric, by_link[link]) for link in links]
    units = scales({column: [interval.mean for interval in intervals] for column, intervals in found.items()})
    for column, intervals in found.items():
        factor, unit = units[column]
        alone = decimals_of(intervals, factor, column.finest)
        cells = []
        for one in intervals:
            # Links lie side by side: each interval has its own figures, independent of an idle link's.
            decimals = decimals_of([one], factor, column.finest) if one.half_width > 0.0 else alone
            cells.append(cell(one, factor, decimals))
        table.add_row(with_unit(column.label, unit), *cells)
    return [table, *flows]


def _print_medium(out: Console, study: Study, label: str) -> None:
    """The stations of shared media, where there are any."""
    if not study.has("medium"):
        return
    metrics = [metric for metric in study.metrics("medium") if metric != "delivered_packets"]
    heads = [metric.replace("_", " ") for metric in metrics]
    print_in_parts(out, ["station", *heads], stations(study, label, metrics))


def _print_counters(out: Console, study: Study) -> None:
    """The counters of ``tc -s qdisc`` for each queue, of one run."""
    raw = study.results[0][1].raw
    rows: dict[str, dict[str, float]] = {}
    links, _ = busiest_links(study)
    if not links:
        return
    shown = set(links)
    for link, counter, value in zip(
        *(raw.column("counters", name) for name in ("link", "counter", "value")), strict=True
    ):
        if link in shown:
            rows.setdefault(counter, {})[link] = value
    table = empty_table("as tc -s", *links)
    for counter, of_links in rows.items():
        cells = (_count_text(of_links[link]) if link in of_links else "" for link in links)
        table.add_row(counter.replace("_", " "), *cells)
    print_table(out, table)


def _count_text(value: float) -> str:
    """A count whole, a state with four digits."""
    return f"{value:.0f}" if value == round(value) else f"{value:.4g}"


def _groups(study: Study, label: str) -> RichTable:
    shown = (
        Column("group", "goodput_mean_bps", "goodput of a flow", "rate", 3),
        Column("group", "rtt_mean_ms", "RTT", "time", 2),
        Column("group", "loss_ratio", "loss", "share", 3),
        Column("group", "fairness_index", "fairness", "number", 3),
    )
    counts = study.values("flows", table="group")[label]
    # A mean over flows with different demands says nothing.
    groups, _ = busiest_groups(study)
    if "all" in counts and "all" not in groups and (len(counts) < 3 or groups_that_want_the_same(study)):
        groups = [*groups, "all"]
    cells: list[list[str]] = [[] for _ in groups]
    heads = ["flows", ""]
    for column in shown:
        by_group = study.values(column.metric, table="group", rows=groups)[label]
        intervals = [column_interval(column.metric, by_group[group]) for group in groups]
        if column.metric == "fairness_index":
            # A flow alone is always fair to itself.
            intervals = [
                Interval(math.nan, math.nan, 0) if max(counts[group]) <= 1 else one
                for group, one in zip(groups, intervals, strict=True)
            ]
        factor, unit = unit_of(column.kind, max((abs(i.mean) for i in intervals if i.n), default=0.0))
        heads.append(with_unit(column.label, unit))
        for row, interval in zip(cells, intervals, strict=True):
            # Groups differ by orders of magnitude: each has its own figures.
            row.append(cell(interval, factor, decimals_of([interval], factor, max(column.finest, 3))))
    table = empty_table(*heads)
    for group, row in zip(groups, cells, strict=True):
        table.add_row(group, f"{counts[group][0]:.0f}", *row)
    return table
