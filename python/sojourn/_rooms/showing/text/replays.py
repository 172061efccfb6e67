"""The table of a replay: each queue's treatment of the packets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from . import layout

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from ...runs.fates import Agreement
    from ...runs.replay import ReplayResult

__all__ = ["replay_rows", "replay_table"]

# The rows of the table: column of the summary, words, factor, unit, decimals.
_SHOWN = (
    ("arrivals_packets", "arrivals", 1, "packets", 0),
    ("departures_packets", "departures", 1, "packets", 0),
    ("loss_ratio", "loss", 100, "%", 3),
    ("mark_ratio", "marks", 100, "%", 3),
    ("marks_on_ce_packets", "marks of packets with CE", 1, "packets", 0),
    ("utilisation", "utilisation", 100, "%", 2),
    ("throughput_bps", "throughput", 1e-6, "Mbit/s", 3),
    ("sojourn_mean_ms", "sojourn mean", 1, "ms", 3),
    ("sojourn_p50_ms", "sojourn p50", 1, "ms", 3),
    ("sojourn_p95_ms", "sojourn p95", 1, "ms", 3),
    ("sojourn_p99_ms", "sojourn p99", 1, "ms", 3),
    ("sojourn_max_ms", "sojourn max", 1, "ms", 3),
    ("backlog_mean_packets", "backlog mean", 1, "packets", 2),
    ("duration_s", "duration", 1, "s", 3),
)


def replay_table(results: Mapping[str, ReplayResult], compared: Mapping[str, Agreement] | None = None) -> RichTable:
    """A column for each queue: its treatment of the packets, and the agreement of another implementation."""
    heads, rows = replay_rows(results, compared)
    table = layout.empty_table(*heads)
    for row in rows:
        table.add_row(*row)
    return table


def replay_rows(
    results: Mapping[str, ReplayResult], compared: Mapping[str, Agreement] | None = None
) -> tuple[list[str], list[list[str]]]:
    """The heads and the rows of the table."""
    rows: list[list[str]] = []
    summaries = [result.summary.row(0, named=True) for result in results.values()]
    for column, label, factor, unit, decimals in _SHOWN:
        values = [summary.get(column) for summary in summaries]
        if column == "marks_on_ce_packets" and not any(values):
            continue
        cells = ["–" if value is None else f"{value * factor:.{decimals}f}" for value in values]
        rows.append([f"{label} ({unit})", *cells])
    counts = [
        {(event, reason): packets for event, reason, packets in result.reasons.iter_rows()}
        for result in results.values()
    ]
    for event, reason in dict.fromkeys(key for count in counts for key in count):
        cells = [str(count.get((event, reason), 0)) for count in counts]
        rows.append([f"{event}s, {reason} (packets)", *cells])
    for label, packets in _agreement_rows(list((compared or {}).values())):
        rows.append([f"{label} (packets)", *map(str, packets)])
    return ["queue", *results], rows


def _agreement_rows(compared: list[Agreement]) -> Iterator[tuple[str, list[int]]]:
    if not compared:
        return
    yield "same decision", [one.equal for one in compared]
    for decision in ("dropped", "marked"):
        counts = [one.count(decision) for one in compared]
        for place, where in enumerate(("in both", "only there", "only here")):
            if decision == "dropped" or any(any(count) for count in counts):
                yield f"{decision} {where}", [count[place] for count in counts]
