"""A row of the table: a number of a work beside ours."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import ns2
import ours
from metrics import BACKLOG, Metric

PEERS = tomllib.loads((Path(__file__).resolve().parents[2] / "evidence/ns2/measured.toml").read_text(encoding="utf-8"))

TOLERANCE = 0.10
"""Part of a printed number within which ours agrees: works print means of 1 to 100 runs of another simulator without
intervals, and leave part of the setting open. `make test` allows for the interval of its few seeds besides."""

NO_NUMBER = "no number is known, so a claim is tested: "


@dataclass(frozen=True)
class Case:
    """A number of a work beside ours."""

    queue: str
    """The registered queue."""
    source: str
    """Work, and where in it."""
    what: str
    """The quantity, with its unit."""
    scenario: str
    metric: Metric
    printed: float | None = None
    """The printed number; `None` if a bound is tested."""
    bound: tuple[float, float] = (float("-inf"), float("inf"))
    """The range that the property allows."""
    comment: str = ""
    differs: str = ""
    """Why our mean is known not to lie within `TOLERANCE` of the printed number, or outside the bound."""
    against: str = ""
    """Another scenario: the metric is the ratio to that one's with the same seed."""

    def agrees(self, mean: float) -> bool:
        """Whether our mean is near the printed number, or within the bound."""
        if self.printed is None:
            return self.bound[0] <= mean <= self.bound[1]
        return abs(mean - self.printed) <= TOLERANCE * abs(self.printed)


def peer(name: str, setting: str) -> Case:
    """The mean queue of a setting of the peer check, with ns-2's number from evidence/ns2/measured.toml."""
    scenario = ours.scenario_text(ns2.load_settings()[setting])
    source = f"ns-2 2.35, setting `{setting}`"
    return Case(name, source, "mean queue, packets", scenario, BACKLOG, PEERS[setting]["mean_queue"]["ns2"])
