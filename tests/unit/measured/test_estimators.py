"""The closed forms, against numbers that follow from their definitions."""

from __future__ import annotations

import math
import random

import pytest

from sojourn._rooms.measured import estimators


def test_the_factors_of_links_are_those_of_a_full_packet():
    # DOCSIS adds 18 bytes; PPPoE leaves 1440 of payload in 1492, and with 40 of PPP and AAL5 they take 32 cells.
    assert estimators.wire_share(1448, 1500 + 18) == pytest.approx(1.0483, abs=1e-4)
    assert estimators.wire_share(1440, 32 * 53) == pytest.approx(1.1778, abs=1e-4)


def test_acknowledgements_of_the_other_way_count():
    # docs/latency-under-load.md: 16.9 up beside 81 down on 20/100 of DOCSIS; a call and a game are the rest.
    share = 1518 / 1448
    assert estimators.gross(16.9, share, 81.0, share * 70 / (2 * 1518)) == pytest.approx(19.7, abs=0.05)


def test_the_least_of_exponential_round_trips_covers_the_true_one():
    draw, inside = random.Random(1), 0
    for _ in range(2000):
        samples = [30.0 + draw.expovariate(0.5) for _ in range(20)]
        found = estimators.base(samples)
        inside += found.low <= 30.0 <= found.high

    # One-sided at 95 %, and half a millisecond for hosts besides.
    assert inside >= 0.95 * 2000


def test_ranks_cover_a_quantile():
    draw, inside, true = random.Random(2), 0, -math.log(0.05)
    for _ in range(1000):
        samples = [draw.expovariate(1.0) for _ in range(200)]
        found = estimators.rank_interval(samples, 0.95, 200)
        inside += found.low <= true <= found.high

    # The binomial interval in its normal form; 3 standard deviations of the count of 1000 trials are 2 %.
    assert inside >= 0.93 * 1000


def test_a_single_rate_has_the_start_in_it():
    found = estimators.rate([9e6], sender=True, whole_s=10.0, rtt_s=0.1)

    # A second of start: half a second and five round trips.
    assert found.high == pytest.approx(9e6 * 1.015 / 0.9)
    assert found.low == pytest.approx(9e6 * 0.985)


def test_growing_round_trips_show_that_a_buffer_is_not_full():
    sawtooth = [100.0, 70.0, 80.0, 90.0, 100.0, 70.0, 80.0, 90.0, 100.0]

    assert estimators.growth(sawtooth, 30.0) == 1.0
    assert estimators.growth([one + 5.0 * at for at, one in enumerate(sawtooth)], 30.0) > 1.1
    assert estimators.growth([30.0, 30.0, 40.0], 30.0) == math.inf


def test_jitter_is_the_mean_difference_of_neighbours():
    draw = random.Random(3)
    # Of independent exponential variables with mean 2 it is 2.
    found = estimators.jitter([30.0 + draw.expovariate(0.5) for _ in range(500)])

    assert found.low <= 2.0 <= found.high
