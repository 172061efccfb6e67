"""What a comparison comes to, in sentences that its paired differences bear."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from sojourn._measure import lower_is_better, measure
from sojourn.report.tables import number, plain_number

__all__ = ["conclusion", "conclusion_in_short"]

# Metrics that a conclusion is drawn from, with the words for them; each says something else than the others.
_SPOKEN: Final = {
    "throughput_bps": "throughput",
    "sojourn_p99_ms": "99th percentile of the sojourn time",
    "sojourn_mean_ms": "mean sojourn time",
    "loss_ratio": "loss",
    "fairness_index": "fairness",
}
_MOST: Final = 4


def conclusion(means: pl.DataFrame, differences: pl.DataFrame, baseline: str, queues: Sequence[str]) -> str:
    """One sentence for each queue: where it is better than the baseline, where worse, and what is not decided.

    A metric is decided where the 95 % interval of its paired difference excludes zero. At most four queues are spoken
    of.
    """
    values = {(row["queue"], row["metric"]): row["mean"] for row in means.iter_rows(named=True)}
    found = {(row["queue"], row["metric"]): row for row in differences.iter_rows(named=True)}
    compared = [queue for queue in queues if any(name == queue for name, _ in found)]
    sentences = [_sentence(queue, baseline, values, found) for queue in compared[:_MOST]]
    if len(compared) > _MOST:
        sentences.append(f"The tables below show {len(compared) - _MOST} more.")
    return "\n\n".join(sentences)


def conclusion_in_short(means: pl.DataFrame, differences: pl.DataFrame, baseline: str) -> str:
    """One sentence: whose packets wait least by their 99th percentile, the evidence, and what it costs.

    Empty where the runs do not decide that any queue differs from the baseline in it.
    """
    metric = "sojourn_p99_ms"
    values = {(row["queue"], row["metric"]): row["mean"] for row in means.iter_rows(named=True)}
    found = {(row["queue"], row["metric"]): row for row in differences.iter_rows(named=True)}
    decided = {queue: row for (queue, name), row in found.items() if name == metric and _decided(row)}
    if not decided or not _finite(values.get((baseline, metric))):
        return ""
    best = min(decided, key=lambda queue: decided[queue]["difference"])
    if decided[best]["difference"] >= 0:
        here = _evidence(baseline, metric, values)
        return f"No queue keeps packets waiting less than {baseline}, where one in 100 waits longer than {here}."
    here, there = _evidence(best, metric, values), _evidence(baseline, metric, values)
    text = f"Packets wait least with {best}: one in 100 waits longer than {here}, against {there} with {baseline} "
    text += f"(a difference of {_interval(metric, decided[best])})"
    costs = [
        f"{_SPOKEN[name]} changes by {_interval(name, row)}"
        for name in ("throughput_bps", "loss_ratio")
        if (row := found.get((best, name))) is not None and _decided(row)
    ]
    return text + (f"; {_joined(costs)}" if costs else "") + "."


def _decided(row: Mapping[str, Any]) -> bool:
    known = all(_finite(row[name]) for name in ("difference", "low", "high"))
    return known and row["low"] < row["high"] and not row["low"] <= 0 <= row["high"]


def _evidence(queue: str, metric: str, values: Mapping[tuple[str, str], float]) -> str:
    mean = values[queue, metric]
    shown = measure(metric, [mean])
    return f"{plain_number(mean * shown.factor)}\u202f{shown.unit}"


def _interval(metric: str, row: Mapping[str, Any]) -> str:
    shown = measure(metric, [row["difference"], row["low"], row["high"]])
    half = (row["high"] - row["low"]) / 2 * shown.factor
    decimals = max(1 - math.floor(math.log10(half)), 0)
    sign = "+" if row["difference"] > 0 else ""
    unit = f"\u202f{shown.unit}" if shown.unit else ""
    return f"{sign}{number(row['difference'] * shown.factor, decimals)} ± {number(half, decimals)}{unit}"


_Means = Mapping[tuple[str, str], float]
_Rows = Mapping[tuple[str, str], Mapping[str, Any]]


def _sentence(queue: str, baseline: str, values: _Means, found: _Rows) -> str:
    better: list[str] = []
    worse: list[str] = []
    open_: list[str] = []
    for metric, words in _SPOKEN.items():
        row = found.get((queue, metric))
        if row is None or not all(_finite(row[name]) for name in ("difference", "low", "high")):
            continue
        if row["low"] <= 0 <= row["high"] or not row["low"] < row["high"]:
            open_.append(words)
        else:
            gains = (row["difference"] < 0) == lower_is_better(metric)
            (better if gains else worse).append(words + _change(metric, queue, baseline, values))
    parts = [f"{kind} in {_joined(list(listed))}" for kind, listed in (("better", better), ("worse", worse)) if listed]
    text = f"{queue} against {baseline}: " + ("; ".join(parts) if parts else "no difference is sure")
    if open_ and parts:
        text += f"; {_joined(open_)} {'is' if len(open_) == 1 else 'are'} not told apart"
    return text + "."


def _change(metric: str, queue: str, baseline: str, values: _Means) -> str:
    here, there = values.get((queue, metric)), values.get((baseline, metric))
    if here is None or there is None or not (_finite(here) and _finite(there)):
        return ""
    shown = measure(metric, [here, there])
    unit = f"\u202f{shown.unit}" if shown.unit else ""
    return f" ({plain_number(here * shown.factor)}{unit} instead of {plain_number(there * shown.factor)}{unit})"


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, _lists(words)))


def _lists(words: Sequence[str]) -> Iterator[str]:
    yield ", ".join(words[:-1])
    yield words[-1]
