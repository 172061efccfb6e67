"""A queue of the user's own that another one beats in both numbers of an answer."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sojourn._rooms.runs import merits
from sojourn._rooms.runs.about import Yardstick
from sojourn.stats import paired_difference

ABOUT = Yardstick("sojourn_p99_ms", "queue", "forward")
WAITS = {"mine": [100.0, 101.0, 99.0], "codel": [81.0, 82.0, 80.5], "fifo": [900.0, 905.0, 899.0]}
USED = {"mine": [0.930, 0.931, 0.929], "codel": [0.941, 0.942, 0.9405], "fifo": [1.0, 1.0, 1.0]}


@dataclass
class Scenario:
    kind: str

    def resolved(self):
        return {"dumbbell": {"queue": {"kind": self.kind}}}


class Study:
    def __init__(self, used):
        self.used = used
        self.variants = {queue: Scenario(queue) for queue in used}

    def apart(self, values, base):
        return paired_difference(values, base)

    def values(self, column):
        assert column == "utilisation"
        return {queue: {"forward": values} for queue, values in self.used.items()}


@pytest.fixture(autouse=True)
def own(monkeypatch):
    monkeypatch.setattr(merits, "registered", lambda: {"mine": object})


def said(used, waits=WAITS):
    return merits.dominated(Study(used), ABOUT, "forward", waits, less=True)


def test_the_queue_that_waits_less_and_carries_more_is_named():
    assert said(USED) == [
        "mine is dominated by codel: sojourn time, p99 of forward is lower with codel, and the link carries "
        "94.1\u202f% of its rate instead of 93.0\u202f%."
    ]


def test_a_trade_is_no_domination():
    assert said({**USED, "mine": [0.951, 0.952, 0.95]}) == []


def test_differences_that_the_runs_do_not_decide_are_none():
    assert said(USED, {**WAITS, "codel": [60.0, 130.0, 81.0]}) == []


def test_queues_that_come_along_are_not_judged(monkeypatch):
    monkeypatch.setattr(merits, "registered", dict)
    assert said(USED) == []
