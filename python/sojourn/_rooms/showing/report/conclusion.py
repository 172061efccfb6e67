"""The answer of a comparison, in sentences that its paired differences support."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from ...catalogue.columns import lower_is_better, measure
from .tables import plain_number

__all__ = ["conclusion"]

# Metrics that a conclusion is drawn from, with the words for them; each says something that the others do not.
_SPOKEN: Final = {
    "throughput_bps": "throughput",
    "sojourn_p99_ms": "99th percentile of the sojourn time",
    "sojourn_mean_ms": "mean sojourn time",
    "loss_ratio": "loss",
    "fairness_index": "fairness",
}
_MOST: Final = 4


def conclusion(means: pl.DataFrame, differences: pl.DataFrame, baseline: str, queues: Sequence[str]) -> str:
    """One sentence for each queue: metrics in which it is better than the baseline, worse, and not decided.

    A metric is decided where the 95 % interval of its paired difference excludes zero. It covers at most four queues.
    """
    values = {(row["queue"], row["metric"]): row["mean"] for row in means.iter_rows(named=True)}
    found = {(row["queue"], row["metric"]): row for row in differences.iter_rows(named=True)}
    compared = [queue for queue in queues if any(name == queue for name, _ in found)]
    sentences = [_sentence(queue, baseline, values, found) for queue in compared[:_MOST]]
    if len(compared) > _MOST:
        sentences.append(f"The tables below show {len(compared) - _MOST} more.")
    return "\n\n".join(sentences)


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
