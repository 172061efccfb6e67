"""Samples with two modes, and the test that finds them."""

import math

import numpy as np
import pytest

from sojourn._rooms.statistics.modes import _CRITICAL, median_interval, median_sides, two_modes
from sojourn.claims import Above, Below, interval_of

BISTABLE = [10.1, 18.8, 10.4, 18.2, 10.6, 10.2, 18.6, 10.3]


@pytest.mark.parametrize("runs", [8, 12, 24])
def test_one_normal_sample_in_200_seems_to_have_two_modes(runs):
    random = np.random.default_rng(runs)
    found = sum(two_modes(random.standard_normal(runs)) is not None for _ in range(4000))

    assert 8 <= found <= 36, "20 of 4000 are expected, with a standard deviation of 4.5"
    assert dict(_CRITICAL)[runs] > 1.0


def test_counts_and_outliers_are_no_modes():
    assert two_modes([3.0, 4.0, 3.0, 4.0, 4.0, 3.0, 4.0, 3.0]) is None
    assert two_modes([1.0, 1.1, 0.9, 1.2, 0.8, 1.0, 1.1, 9.0]) is None, "one run is no mode"
    assert two_modes([1.0] * 8) is None
    assert two_modes([math.nan] * 8) is None


def test_a_sample_with_two_modes_is_judged_by_its_median():
    evidence = Above(9.0).of(BISTABLE)

    assert evidence.verdict == "holds"
    assert evidence.hold == pytest.approx(2 * 0.5**8), "eight signs, not Student's 1e-4"
    assert "two modes, 5 runs near 10.3 and 3 runs near 18.6" in evidence.note
    assert Below(15.0).of(BISTABLE).verdict == "undecided"
    interval = interval_of(BISTABLE)
    assert (interval.low, interval.high) == (10.1, 18.8)


def test_the_median_lies_between_two_runs():
    random = np.random.default_rng(1)
    inside = 0
    for _ in range(2000):
        low, high = median_interval(random.exponential(1.0, 20))
        inside += low <= math.log(2.0) <= high
    assert inside / 2000 >= 0.94
    assert median_interval([1.0, 2.0]) == (-math.inf, math.inf)
    assert median_sides([1.0, 2.0], 1.5) == (1.0, 1.0)
