"""Queues by class against ns-2's: CBQ, FQ and assured forwarding, in the mean (docs/validation.md).

Part of the settings is left out here; `make papers` runs all of them with more seeds, and so does SOJOURN_PEERS=all.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import classes
import ns2
import pytest
from class_settings import SETTINGS

from sojourn.stats import mean_interval

sys.path.append(str(Path(__file__).resolve().parent.parent / "second"))

from link import Packet
from schedulers import Scheduler, run

EVERYTHING = os.environ.get("SOJOURN_PEERS") == "all"
CHECKED = [name for name, setting in SETTINGS.items() if setting.brief or EVERYTHING]
SEEDS = range(1, 21) if EVERYTHING else range(1, 7)

needs_ns2 = [
    pytest.mark.slow,
    pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)"),
]


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs_ns2) for name in CHECKED])
def test_each_group_gets_loses_and_waits_what_it_does_in_ns2(name):
    rows = classes.compare(name, SEEDS)

    known = SETTINGS[name].differs
    assert all(row.agrees for row in rows if row.metric not in known), "\n".join(map(str, rows))


def test_each_setting_is_read_by_both_sides():
    for name, setting in SETTINGS.items():
        assert classes.sojourn.Scenario.from_toml(classes.scenario_text(setting)), name
        assert all(metric.split(".")[0] in {group.name for group in setting.groups} for metric in setting.differs)


class RealTime(Scheduler):
    """ns-2's FQ: of the heads of all flows the least `start + size n`, n being the flows that wait.

    A head's start is the finish of the packet before, or the time at which it became the head, whichever is later.
    """

    def __init__(self, flows: int, limit: int) -> None:
        super().__init__(flows, lambda packet: packet.flow, limit)
        self.finish = [Fraction(0)] * flows

    def heads(self, now: Fraction, number: int) -> None:
        self.finish[number] = max(self.finish[number], now)

    def joins(self, now: int, number: int, packet: Packet) -> None:
        if not self.queues[number]:
            self.heads(Fraction(now), number)

    def choose(self, now: Fraction) -> int | None:
        waiting = self.backlogged()
        finish = {number: self.finish[number] + self.queues[number][0].size * len(waiting) for number in waiting}
        number = min(waiting, key=lambda each: (finish[each], each), default=None)
        if number is not None:
            self.finish[number] = finish[number]
        return number

    def leaves(self, now: Fraction, number: int, packet: Packet) -> None:
        if self.queues[number]:
            self.heads(now, number)


def calls_and_blasts(seed: int, seconds: int) -> Iterator[Packet]:
    """The arrivals of the setting `fq-calls`, in microseconds: intervals are uniform within half of their mean."""
    draw = random.Random(seed)
    packets = []
    for flow, (size, kbit) in enumerate([(1000, 1000)] * 9 + [(200, 200)] * 2):
        interval = size * 8e3 / kbit
        time = draw.uniform(0, 1e6)
        while time < seconds * 1e6:
            packets.append(Packet(round(time), size, flow, False, 0.0))
            time += interval * draw.uniform(0.5, 1.5)
    return iter(sorted(packets, key=lambda packet: packet.time_us))


@pytest.mark.parametrize("seeds", [pytest.param(range(1, 7), marks=needs_ns2)])
def test_what_a_call_waits_in_ns2_follows_from_its_law(seeds):
    def waited(seed: int) -> float:
        packets = list(calls_and_blasts(seed, 30))
        fates = run(RealTime(11, 20), packets)
        times = [
            at - packet.time_us
            for packet, (_, _, at) in zip(packets, fates, strict=True)
            if at is not None and packet.flow >= 9 and packet.time_us > 5e6
        ]
        return statistics.fmean(times) / 1e3

    by_law = mean_interval([waited(seed) for seed in seeds], level=0.99)
    theirs, ours = next(
        (row.theirs, row.ours) for row in classes.compare("fq-calls", seeds) if row.metric == "call.wait"
    )

    assert abs(by_law.mean - theirs.mean) <= max(0.05 * theirs.mean, theirs.half_width + by_law.half_width)
    # Under bit-by-bit round robin a call overtakes all but the packet in transmission: half of 1000 bytes in the mean.
    assert ours.mean < 0.6 < 1.5 * ours.mean < theirs.mean
