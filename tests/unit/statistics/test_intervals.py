"""Means, intervals and fairness against numbers worked by hand."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn import _core
from sojourn._rooms.showing.text.tables import cell, decimals_of
from sojourn._rooms.statistics.samples import column_interval
from sojourn.claims import bounds_of_column
from sojourn.stats import Interval, jain_index, mean_interval, paired_difference, share_interval

finite = st.floats(-1e9, 1e9)


def test_the_interval_of_three_values_is_students_with_two_degrees_of_freedom():
    # Mean 4, s² = ((−2)² + 0 + 2²)/2 = 4, t(0.975; 2) = 4.302653 (tables), half width = 4.302653 · 2/√3.
    found = mean_interval([2.0, 4.0, 6.0])

    assert found.mean == 4.0
    assert found.half_width == pytest.approx(4.302653 * 2.0 / math.sqrt(3.0), rel=1e-6)
    assert found.n == 3
    assert (found.low, found.high) == (found.mean - found.half_width, found.mean + found.half_width)


def test_two_values_use_the_cauchy_quantile():
    # With one degree of freedom Student's t is Cauchy: quantile tan(π(p − 1/2)) at p = 0.975.
    found = mean_interval([0.0, 2.0])

    assert found.half_width == pytest.approx(math.tan(math.pi * 0.475) * math.sqrt(2.0) / math.sqrt(2.0))


def test_the_level_changes_the_width():
    # t(0.95; 1) = tan(0.45 π).
    assert mean_interval([0.0, 2.0], level=0.9).half_width == pytest.approx(math.tan(math.pi * 0.45))


def test_one_value_has_no_interval_and_none_has_no_mean():
    assert mean_interval([3.0]).mean == 3.0
    assert math.isnan(mean_interval([3.0]).half_width)
    assert math.isnan(mean_interval([]).mean)


def test_equal_values_have_an_interval_of_no_width_and_their_own_mean():
    assert mean_interval([0.1] * 10) == Interval(0.1, 0.0, 10)


def test_a_share_that_no_run_has_seen_is_bounded_by_the_exact_interval():
    # (1 - u)^1000 = 0.025.
    found = share_interval([0, 0], [400, 600])

    assert (found.mean, found.low, found.n) == (0.0, 0.0, 2)
    assert found.high == pytest.approx(1.0 - 0.025**0.001)
    assert not found.excludes_zero


def test_a_share_that_every_trial_has_is_bounded_from_below():
    found = share_interval([400, 600], [400, 600])

    assert (found.mean, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025**0.001)


def test_the_ends_of_a_rare_share_are_those_of_clopper_and_pearson():
    # Tables: 2 of 50 has 0.49 % to 13.71 % at 95 %.
    found = share_interval([1, 1], [25, 25])

    assert (found.low, found.high) == (pytest.approx(0.0049, abs=5e-5), pytest.approx(0.1371, abs=5e-5))


def test_events_that_come_together_count_as_one_trial_of_a_group():
    assert share_interval([0], [1000], together=10).high == pytest.approx(1.0 - 0.025 ** (1 / 100))
    with pytest.raises(ValueError, match="1 or more"):
        share_interval([0], [1000], together=0.5)


def test_a_common_share_has_students_interval_over_the_runs():
    events, trials = [30, 50, 40], [100, 100, 100]

    assert share_interval(events, trials) == mean_interval([0.3, 0.5, 0.4])


def test_runs_without_a_value_are_not_counted():
    assert mean_interval([1.0, math.nan, 1.0]) == Interval(1.0, 0.0, 2)


def test_a_level_outside_0_to_1_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        mean_interval([1.0], level=95)


def test_a_paired_difference_is_formed_seed_by_seed():
    # Differences 1, 1, 1: whatever the runs have in common cancels.
    found = paired_difference([11.0, 2.0, 51.0], [10.0, 1.0, 50.0])

    assert found == Interval(1.0, 0.0, 3)
    # Runs that are all equal bound nothing, as in sojourn.claims: without chance there is no decision.
    assert not found.excludes_zero
    assert paired_difference([11.0, 2.0, 51.1], [10.0, 1.0, 50.0]).excludes_zero


def test_a_difference_of_which_zero_is_a_possible_value_does_not_exclude_it():
    assert not paired_difference([1.0, -1.0, 0.5], [0.0, 0.0, 0.0]).excludes_zero
    assert not paired_difference([1.0], [0.0]).excludes_zero


def test_unequal_numbers_of_runs_cannot_be_paired():
    with pytest.raises(ValueError, match="cannot be paired"):
        paired_difference([1.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("rates", "index"), [([1, 1, 1, 1], 1.0), ([1, 0, 0, 0], 0.25), ([1, 2, 3], 36 / 42), ([7], 1.0)]
)
def test_jains_index_of_known_cases(rates, index):
    assert jain_index(rates) == pytest.approx(index)


def test_jains_index_is_undefined_without_throughput():
    assert math.isnan(jain_index([]))
    assert math.isnan(jain_index([0.0, 0.0]))


@given(st.lists(finite, min_size=2, max_size=30), st.randoms())
def test_the_order_of_the_runs_does_not_change_a_bit_of_the_interval(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)

    assert mean_interval(values) == mean_interval(shuffled)


@given(st.lists(st.floats(0.0, 1e300), min_size=1, max_size=30))
def test_jains_index_lies_between_1_over_n_and_1(rates):
    index = jain_index(rates)

    assert math.isnan(index) or 1 / len(rates) - 1e-9 <= index <= 1 + 1e-9


def test_intervals_of_columns_end_where_no_mean_can_be():
    rare = column_interval("loss_ratio", [0.0, 0.0, 0.003])
    full = column_interval("utilisation", [0.999, 1.0, 0.95])

    assert rare.low == 0.0 < rare.mean < rare.high
    assert rare.high == pytest.approx(rare.mean + rare.half_width)
    assert full.high == 1.0 > full.mean > full.low
    assert column_interval("sojourn_mean_ms", [4.0, 5.0, 6.0]) == mean_interval([4.0, 5.0, 6.0])


def test_every_share_of_the_tables_is_known_for_one():
    tables = json.loads(_core.registry())["tables"]
    shares = {m["name"] for table in tables for m in table["metrics"] if m["doc"].startswith(("Fraction", "Fairness"))}

    assert {"loss_ratio", "ratio", "utilisation", "jain_index"} <= shares
    assert [name for name in shares if bounds_of_column(name) != (0.0, 1.0)] == []


def test_a_table_shows_both_ends_of_an_interval_that_was_cut():
    intervals = [column_interval("loss_ratio", runs) for runs in ([0.0, 0.0, 0.003], [0.01, 0.011, 0.012])]
    decimals = decimals_of(intervals, 100.0, 3)

    assert [cell(one, 100.0, decimals) for one in intervals] == ["0.10 [0, 0.53]", "1.10 ± 0.25"]
