"""The tables of a comparison: means of every queue and paired differences, each with the columns that fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ...catalogue.columns import lower_is_better
from ...runs.answer import Yardstick, answer, busiest, groups_that_want_the_same
from ...runs.busy import SIDE_BY_SIDE, busiest_groups, busiest_links
from ...runs.comparison import Comparison
from ...runs.metrics import Metric
from ...runs.result import Study
from ...statistics.samples import column_interval
from .durations import goodput_table, waits_table
from .layout import console, empty_table, print_in_parts, print_table, texts, width_of
from .prose import print_wrapped
from .responsive import show_responsiveness
from .tables import (
    COLUMNS,
    SOMETIMES,
    Column,
    cell,
    decimals_of,
    interval_words,
    print_rest,
    scales,
    stations,
    tell_equal_runs,
    with_unit,
)

__all__ = ["about_of", "comparison_tables", "difference_words", "show_comparison"]

_BETTER, _WORSE = "cyan", "dark_orange"
"""Colours of a decided difference on a terminal, which colour-blind people can distinguish."""


def _values(study: Study, column: Column, link: str) -> dict[str, list[float]]:
    """Values by variant: of its row, else of the link or of all flows together (the last row of ``group``)."""
    if column.table == "flow":
        # A row is a flow or the flows of a group, and the metric decides which.
        flow = Metric(column=column.metric, table="flow", row=column.row or None, name=column.head)
        return {label: [flow.of(run) for run in study.of(label)] for label in study.variants}
    rows = study.values(column.metric, table=column.table)
    if column.row:
        return {label: by_row[column.row] for label, by_row in rows.items()}
    if column.table == "queue":
        return {label: by_row[link] for label, by_row in rows.items()}
    return {label: list(by_row.values())[-1] for label, by_row in rows.items()}


def show_comparison(
    comparison: Comparison, *, columns: tuple[Column, ...] | None, link: str | None, group: str = ""
) -> None:
    """Print one row for each queue, the paired differences against the baseline, and the conclusion."""
    link = link or busiest(comparison)
    out = console()
    runs = len(comparison.seeds)
    title = next(iter(comparison.variants.values())).title
    out.print(Text(title, "bold"))
    links = list(comparison.values("utilisation")[comparison.baseline])
    others = [name for name in busiest_links(comparison)[0] if name != link]
    left = len(links) - 1 - len(others)
    more = f"; --link shows {', '.join(others)}{f' or one of {left} more' * (left > 0)}" if others else ""
    every = columns or _with_values(comparison, link)
    shown = every if columns else _fitting(comparison, every, link, out.width)
    means = _comparison_table(comparison, shown, link)
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
    if not columns:
        print_rest(([], 0), busiest_groups(comparison, SIDE_BY_SIDE))
    if not columns and comparison.has("medium"):
        _print_media(out, comparison)
    if not columns:
        show_responsiveness(out, comparison)
    tell_equal_runs(comparison)
    said = answer(comparison, link=link, group=group, about=about_of(columns, link, comparison))
    for text in filter(None, (said.text, said.text and said.about.why)):
        print_wrapped(text, 0)


def _print_media(out: Console, comparison: Comparison) -> None:
    """The stations of shared media under each queue."""
    metrics = ("attempts", "given_up_packets", "attempts_mean", "collision_ratio")
    body = [[label, *row] for label in comparison.variants for row in stations(comparison, label, metrics)]
    out.print("The wireless hop:")
    print_in_parts(out, ["queue", "station", *(metric.replace("_", " ") for metric in metrics)], body, labels=2)


def difference_words(comparison: Comparison, differences: RichTable, *, colour: bool = False) -> str:
    """The meaning of the stars in a table of differences, and the number that chance alone would give."""
    cells = [text for text in texts([differences]) if "±" in text or "[" in text]
    by_chance = f"{len(cells) / 20:.0f}" if len(cells) >= 30 else "one or none" if len(cells) < 20 else "one or two"
    also = ", blue where it is better and orange where it is worse" if colour else ""
    chance = f"; of {len(cells)} such intervals {by_chance} would by chance alone" if cells else ""
    looks = ", which holds at every look," if comparison.until and comparison.until.question.verdict else ""
    return (
        f"Difference from {comparison.baseline}, seed by seed (* its 95 % interval{looks} excludes zero{also}{chance}):"
    )


def about_of(columns: Sequence[Column] | None, link: str, study: Study | None = None) -> Yardstick | None:
    """The subject of an answer if metrics are named: the first with a better direction."""
    for column in columns or ():
        known = column.metric == "utilisation" or lower_is_better(column.metric) is not None
        if known and (column.table == "queue" or (column.table == "group" and column.row)):
            return Yardstick(column.metric, column.table, column.row or link)
        if known and study is not None and column.table in SOMETIMES and study.has(column.table):
            rows = list(next(iter(study.values(column.metric, table=column.table).values())))
            if column.row in rows or len(rows) == 1:
                return Yardstick(column.metric, column.table, column.row or rows[0])
    return None


def comparison_tables(comparison: Comparison) -> tuple[RichTable, RichTable]:
    """A row for each queue at the busiest link, and the paired differences against the baseline."""
    link = busiest(comparison)
    shown = _with_values(comparison, link)
    return _comparison_table(comparison, shown, link), _difference_table(comparison, shown, link)


def _with_values(comparison: Comparison, link: str) -> tuple[Column, ...]:
    """The columns with information: no marks without ECN, no fairness among flows with different demands."""

    def happened(column: Column) -> bool:
        values = [value for of_one in _values(comparison, column, link).values() for value in of_one]
        return any(math.isfinite(value) and value != 0.0 for value in values)

    left_out = set() if groups_that_want_the_same(comparison) else {"fairness_index"}
    shown = (column for column in COLUMNS if column.metric not in left_out)
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
        heads.append(with_unit(column.head, unit))
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
        differences = {label: comparison.apart(values[label], base) for label in others}
        factor, unit = units[column]
        decimals = decimals_of(list(differences.values()), factor, column.finest)
        heads.append(with_unit(column.head, "points" if unit == "%" else unit))
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
    """The colour of a decided difference; none where either direction may be better."""
    less = lower_is_better(metric)
    return "" if less is None else _BETTER if (difference < 0.0) == less else _WORSE
