"""Numbers of a run: one each, in the unit that the table names."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

import sojourn

Metric = Callable[[sojourn.Result], float]


def queue(column: str, scale: float = 1.0) -> Metric:
    """A column of the first observed queue."""
    return lambda result: scale * float(result.queue[column][0])


def group(name: str, column: str = "throughput_mean_bps", scale: float = 1e-3) -> Metric:
    """A column of a group of flows; by default its flows' mean throughput in kbit/s."""
    return lambda result: scale * float(result.group.filter(group=name)[column][0])


def service_gap(result: sojourn.Result) -> float:
    """Bytes between the flow served most and the flow served least, over the measured window of 100 s."""
    rates = result.flow["throughput_bps"]
    return float(rates.max() - rates.min()) * 100.0 / 8.0  # type: ignore[operator]


def largest_error(result: sojourn.Result) -> float:
    """How far the flow that is farthest from an even part is from it, in percent."""
    rates = result.flow["throughput_bps"]
    return 100.0 * float((rates / rates.mean() - 1.0).abs().max())  # type: ignore[arg-type, operator]


def reason(name: str) -> Metric:
    """Packets dropped for this reason."""
    return lambda result: float(
        result.reasons.filter(pl.col("event") == "drop", pl.col("reason") == name)["packets"].sum()
    )


LOSS = queue("loss_ratio", 100.0)
"""Part of the packets that was dropped, in percent."""
BACKLOG = queue("backlog_mean_packets")
"""Mean queue in packets."""
SOJOURN = queue("sojourn_mean_ms")
"""Mean time in the queue, in milliseconds."""
UDP = group("udp")
"""Throughput of the source without control, kbit/s."""
