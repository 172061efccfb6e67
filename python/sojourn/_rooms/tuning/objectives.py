"""Objectives of a search: a metric or the ratio of two metrics, and the direction that is better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..runs.metrics import Metric
from ..sweeps.metrics import parse_metric

__all__ = ["Objective", "parse_measure", "parse_objective"]


@dataclass(frozen=True)
class Objective:
    """A number of a run and its better direction.

    Attributes
    ----------
    name
        As it was written.
    metric
        The metric, of which less or more is better.
    over
        The metric by which it is divided, run by run: goodput over delay is Kleinrock's power. None: it is not divided.
    more
        Whether more is better.
    """

    name: str
    metric: Metric
    over: Metric | None
    more: bool

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that are measured for it."""
        return [self.metric] if self.over is None else [self.metric, self.over]

    def of(self, values: Mapping[str, float]) -> float:
        """Its value in a run, from the values of the run's metrics by name; NaN where it has none."""
        value = values[self.metric.name]
        if self.over is None:
            return value
        by = values[self.over.name]
        return value / by if by else math.nan

    @property
    def sign(self) -> float:
        """The factor with which less is better: -1 if more is better, else 1."""
        return -1.0 if self.more else 1.0


def parse_measure(text: str, place: str) -> tuple[Metric, Metric | None]:
    """Read ``METRIC[/METRIC]``."""
    first, slash, second = text.partition("/")
    return parse_metric(first, place), parse_metric(second, place) if slash else None


def parse_objective(text: str, place: str = "--objective ") -> Objective:
    """Read ``METRIC[/METRIC][:max|min]``.

    >>> parse_objective("utilisation").more, parse_objective("sojourn_mean_ms").more
    (True, False)
    >>> parse_objective("group.goodput_mean_bps@all/group.rtt_mean_ms@all:max").over.name
    'group.rtt_mean_ms@all'
    """
    body, colon, end = text.strip().rpartition(":")
    if colon and end not in ("max", "min"):
        if "@" not in body:
            raise ValueError(f"{place}{text!r}: an objective ends with nothing, :max or :min\n  found:   :{end}")
        body, colon, end = text.strip(), "", ""
    if not colon:
        body = text.strip()
    metric, over = parse_measure(body, place)
    better = {"max": "more", "min": "less"}.get(end) or metric.better
    if not end and over is not None:
        # More of one for less of the other is better; otherwise it must be said.
        better = metric.better if {metric.better, over.better} == {"more", "less"} else ""
    if not better:
        raise ValueError(f"{place}{text!r}: say which is better\n  allowed: {text}:max or {text}:min")
    return Objective(text.strip(), metric, over, better == "more")
