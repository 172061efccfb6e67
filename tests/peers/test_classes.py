"""Queues by class against ns-2's: CBQ, FQ and assured forwarding, in the mean (docs/validation.md).

Part of the settings is left out here, and runs of ns-2 are those of single_runs.json. `make papers` runs both sides of
all settings with more seeds, and so does SOJOURN_PEERS=all.
"""

from __future__ import annotations

import dataclasses
import os
import random
import statistics
import tomllib
from collections.abc import Iterator
from fractions import Fraction

import classes
import ns2
import polars as pl
import pytest
import single_runs
from class_settings import SETTINGS, Cbq, Setting

import sojourn
from implementations.link import Packet
from implementations.scheduler_laws import Scheduler, run
from sojourn.stats import mean_interval

EVERYTHING = os.environ.get("SOJOURN_PEERS") == "all"
CHECKED = [name for name, setting in SETTINGS.items() if setting.brief or EVERYTHING]
SEEDS = range(1, 21)
KEPT = single_runs.kept()

needs_ns2 = [
    pytest.mark.slow,
    pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)"),
]


def compared(name: str) -> list[classes.Row]:
    """Ours beside kept runs of ns-2, or beside new ones of more seeds."""
    if EVERYTHING:
        return classes.compare(name, SEEDS)
    return classes.beside(name, KEPT[name], single_runs.OTHERS[name].seeds)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKED)
def test_each_group_gets_loses_and_waits_what_it_does_in_ns2(name):
    rows = compared(name)

    known = SETTINGS[name].differs
    assert all(row.agrees for row in rows if row.metric not in known), "\n".join(map(str, rows))


# In ns-2 a link sleeps on when a class that may not borrow is within its limit again, until a packet comes; ours wakes.
TRACED = [
    name
    for name, setting in SETTINGS.items()
    if isinstance(setting.law, Cbq) and all(each.borrow for each in setting.law.classes)
]


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs_ns2) for name in TRACED])
def test_cbq_sends_ns2s_arrivals_in_ns2s_order(name, tmp_path):
    setting = dataclasses.replace(SETTINGS[name], duration=30, warmup=5)
    classes.theirs(setting, 1, tmp_path / "trace")
    rows = [line.split() for line in (tmp_path / "trace").read_text().splitlines()]
    # Event, time, bytes, flow.
    events = [(row[0], float(row[1]), int(row[5]), int(row[7])) for row in rows if row[0] in "+-d"]
    came = [event[1:] for event in events if event[0] == "+"]
    sent = [(flow, size) for event, _, size, flow in events if event == "-"]

    assert len(sent) > 10_000
    got = replayed(setting, came)[: len(sent)]
    apart = [number for number, pair in enumerate(zip(got, sent, strict=True)) if pair[0] != pair[1]]
    # The trace rounds to a microsecond: one that comes within it of a departure may find room in one and none in the
    # other, and another packet of its class stands in its place.
    assert len(apart) <= 2, f"{len(apart)} of {len(sent)} (flow, bytes) differ, first {apart[0]}"


def replayed(setting: Setting, came: list[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """Flows and sizes of the packets that our queue sends of these arrivals, in order."""
    frame = pl.DataFrame(came, schema=["time_s", "bytes", "flow"], orient="row").with_columns(pl.col("flow").cast(str))
    # A replay numbers flows in the order in which they come.
    number_of = {flow: number for number, flow in enumerate(dict.fromkeys(flow for _, _, flow in came))}
    flows_of: dict[str, list[int]] = {}
    for flow, name in enumerate(group.name for group in setting.groups for _ in range(group.count)):
        flows_of.setdefault(name, []).extend([number_of[flow]] if flow in number_of else [])
    queue = tomllib.loads(f"queue = {{ {setting.law.queue(setting.groups)} }}")["queue"]
    for each in queue["class"]:
        each["flows"] = [number for name in each["flows"] for number in flows_of[name]]
    done = sojourn.replay(
        frame, queue=queue, rate=f"{setting.rate_kbit}kbit", base_rtt="100ms", mean_packet="1000B"
    ).decisions
    done = done.with_columns(pl.Series("sent", [flow for _, _, flow in came])).filter(
        pl.col("departure_s").is_not_null()
    )
    return list(done.sort("departure_s").select("sent", "size_bytes").iter_rows())


def test_each_setting_is_read_by_both_sides():
    for name, setting in SETTINGS.items():
        assert sojourn.Scenario.from_toml(classes.scenario_text(setting)), name
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


@pytest.mark.slow
def test_what_a_call_waits_in_ns2_follows_from_its_law():
    def waited(seed: int) -> float:
        packets = list(calls_and_blasts(seed, 30))
        fates = run(RealTime(11, 20), packets)
        times = [
            at - packet.time_us
            for packet, (_, _, at) in zip(packets, fates, strict=True)
            if at is not None and packet.flow >= 9 and packet.time_us > 5e6
        ]
        return statistics.fmean(times) / 1e3

    by_law = mean_interval([waited(seed) for seed in range(1, 7)], level=0.99)
    theirs, ours = next((row.theirs, row.ours) for row in compared("fq-calls") if row.metric == "call.wait")

    assert abs(by_law.mean - theirs.mean) <= max(0.05 * theirs.mean, theirs.half_width + by_law.half_width)
    # Under bit-by-bit round robin a call overtakes all but the packet in transmission: half of 1000 bytes in the mean.
    assert ours.mean < 0.6 < 1.5 * ours.mean < theirs.mean
