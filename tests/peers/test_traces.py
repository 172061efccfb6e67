"""Ours against ns-2, packet by packet.

Nothing is random in these runs: one flow or two with fixed starts, and queues whose law is a step, so that a
probability is 0 or 1. Every packet must begin its transmission at the bottleneck at the same microsecond on both
sides, over thousands of packets with their losses, timeouts and marks.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import ns2
import ours
import pytest

import sojourn

pytestmark = pytest.mark.skipif(
    not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)"
)

COMMON: ns2.Setting = {
    "name": "trace",
    "queue": "droptail",
    "flows": 1,
    "rate_mbit": 1.5,
    "access_mbit": 10,
    "rtt_ms": 100,
    "rtt_spread": 0,
    "limit": 25,
    "window": 1000,
    "packet": 1000,
    "ecn": False,
    "delack": False,
    "start_spread": 0,
    "duration": 60,
    "warmup": 1,
    # The least timeout rules: ns-2 draws the phase of each sender's clock ticks, which moves longer timeouts by a tick.
    "minrto": 1,
}

# p = clamp(p + 1000 (q - 10.5) - (q_old - 10.5)): 1 if the queue stood above 10.5 at the last update, else 0.
STEP_PI: ns2.Setting = {"queue": "pi", "limit": 200, "a": 1000, "b": 1, "q_ref": 10.5, "w": 50}

# Never an early drop below 15, always one above: only RED's average and its counting are left.
STEP_RED: ns2.Setting = {
    "queue": "red",
    "limit": 200,
    "min": 14.9,
    "max": 15.0,
    "max_p": 1e-9,
    "w_q": 0.02,
    "gentle": False,
    "wait": True,
}

CASES: dict[str, ns2.Setting] = {
    "drop_tail": {},
    "long_path": {"limit": 60, "rtt_ms": 200, "duration": 120},
    "two_flows": {"flows": 2, "rtt_spread": 0.3, "limit": 30},
    # All times are binary fractions of a second, so that ns-2 too sees departures and arrivals at the same time; on so
    # short a path it handles the departure first, as ours always does.
    "ties": {"rate_mbit": 1.048576, "access_mbit": 2.097152, "rtt_ms": 15.625, "packet": 1024, "limit": 4},
    "delayed_acks": {"delack": True},
    "receiver_window": {"window": 22},
    "marks": STEP_PI | {"ecn": True},
    # With a spread of 0.3 the flows' packets meet at the bottleneck at the same instant, where the order is anyone's.
    "marks_of_two": STEP_PI | {"ecn": True, "flows": 2, "rtt_spread": 0.4111},
    "marks_and_delayed_acks": STEP_PI | {"ecn": True, "delack": True},
    "marks_and_losses": STEP_PI | {"ecn": True, "limit": 14},
    "controlled_drops": STEP_PI,
    "average": STEP_RED,
    "virtual_queue": {"queue": "avq", "limit": 25, "virtual": 0.83, "gamma": 0.98},
    "virtual_marks": {"queue": "avq", "limit": 25, "virtual": 0.83, "gamma": 0.98, "ecn": True},
}

MICROSECOND = 1e-6
"""ns-2's trace rounds to it, and our nanoseconds add up to a part of it over hundreds of round trips."""


MANY = 2000
"""Fewer packets say little."""

RECOVERIES = ["tahoe", "reno", "newreno", "sack"]


@pytest.mark.parametrize("recovery", RECOVERIES)
@pytest.mark.parametrize("case", CASES)
def test_every_packet_leaves_the_bottleneck_when_it_does_in_ns2(case, recovery, tmp_path):
    setting = COMMON | CASES[case] | {"tcp": recovery}

    theirs = departures_of_ns2(setting, tmp_path / "trace")
    mine = departures_of_ours(setting)

    assert_same(theirs, mine)


LAWS: dict[str, ns2.Setting] = {
    "gaimd": {"tcp": "sack", "control": "gaimd", "increase": 0.31, "decrease": 0.875},
    "binomial": {"tcp": "newreno", "control": "binomial", "k": 0.5, "l": 0.5, "increase": 1, "decrease": 0.4},
    "iiad": {"tcp": "reno", "control": "binomial", "k": 1, "l": 0, "increase": 1, "decrease": 0.4},
    # On a path that holds more than its Low_Window of 38.
    "hstcp": {"tcp": "sack", "control": "hstcp", "limit": 100, "rtt_ms": 500},
}


@pytest.mark.parametrize("law", LAWS)
def test_every_packet_leaves_when_it_does_in_ns2_under_other_laws_too(law, tmp_path):
    setting = COMMON | LAWS[law]

    theirs = departures_of_ns2(setting, tmp_path / "trace")

    assert_same(theirs, departures_of_ours(setting))


@pytest.mark.parametrize("recovery", RECOVERIES)
def test_some_phase_of_the_clock_gives_the_timeouts_of_ns2(recovery, tmp_path):
    """Here the estimate of the round-trip time rules the timeout, and only the phase of the ticks is random."""
    setting = COMMON | {"tcp": recovery, "limit": 40, "rtt_ms": 330, "minrto": 0.2}

    theirs = departures_of_ns2(setting, tmp_path / "trace")

    assert len(theirs) > MANY
    assert any(first_difference(theirs, departures_of_ours(setting, seed)) is None for seed in range(1, 101))


def test_a_run_that_ends_early_or_goes_on_differs():
    packets = [(float(second), 1000, 0) for second in range(3)]

    assert first_difference(packets, packets) is None
    assert first_difference(packets, []) == 0
    assert first_difference(packets, packets[:2]) == first_difference(packets[:2], packets) == 2
    assert first_difference(packets, [*packets[:2], (2.0, 1000, 1)]) == 2


Departure = tuple[float, int, int]


def departures_of_ns2(setting: ns2.Setting, trace: Path) -> list[Departure]:
    """Time, size and flow of each packet that leaves the queue, from ns-2's trace."""
    ns2.run(setting | {"trace": str(trace)}, seed=1)
    rows = (line.split() for line in trace.read_text().splitlines())
    return [(float(row[1]), int(row[5]), int(row[7])) for row in rows if row[0] == "-"]


def departures_of_ours(setting: ns2.Setting, seed: int = 1) -> list[Departure]:
    """The same from ours."""
    scenario = sojourn.Scenario.from_toml(ours.scenario_text(setting, record="packets = true"))
    packets = sojourn.run(scenario, seed=seed).packets
    packets = packets.filter(packets["link"] == packets["link"][0])
    return list(packets.select("time_s", "size_bytes", "flow").iter_rows())


def assert_same(theirs: list[Departure], mine: list[Departure]) -> None:
    """Both sides sent the same packets at the same times, and many of them."""
    assert len(theirs) > MANY
    number = first_difference(theirs, mine)
    assert number is None, (
        f"packet {number} (time, bytes, flow): ns-2 {theirs[number : number + 1]}, ours {mine[number : number + 1]}"
    )


def first_difference(theirs: list[Departure], mine: list[Departure]) -> int | None:
    """Number of the first packet that does not agree or that only one side has; None if all agree."""
    pairs = enumerate(zip_longest(theirs, mine))
    return next((n for n, (a, b) in pairs if a is None or b is None or not agree(a, b)), None)


def agree(one: Departure, other: Departure) -> bool:
    """The same packet within the precision of times."""
    return abs(one[0] - other[0]) <= MICROSECOND and one[1:] == other[1:]
