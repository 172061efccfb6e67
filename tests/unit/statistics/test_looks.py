"""Decisions at looks: worked examples, and studies with a known truth."""

import math

import pytest

from helpers.studies import SHAPES, Counted, counted, precise
from sojourn._rooms.statistics.looks import (
    _Moments,
    _times,
    first_look,
    look_p,
    looks,
    outer_interval,
    repeated_interval,
    sequential_p,
)
from sojourn._rooms.statistics.modes import median_sides, two_modes


def steps(values):
    """Two samples with these differences, and of one spread."""
    base = [100.0 * (place % 3) for place in range(len(values))]
    return [value + own for value, own in zip(values, base, strict=True)], base


V1 = [-1.0, -1.2, -0.9, -1.1, -1.05, -0.95]
V2 = [-1.0, -1.1, -0.9, -1.2, -0.8, -0.2, -1.05, -0.95]
V3 = [9.8, 10.1, 3.1, 10.2, 9.9, 10.0, 2.9, 10.4, 3.0, 10.3]
V5 = [0.3, -0.2, 0.1, -0.4, 0.2, 0.05, -0.1, 0.15]


@pytest.mark.parametrize(
    ("apart", "g", "t", "hall", "p", "ends"),
    [
        (V1, -0.338062, -23.433797, -57.798080, 2.63423e-6, (-1.302353, -0.833768)),
        (V2, 1.588180, -8.258966, -1.976937, 0.0885808, (-1.320113, 0.303866)),
        (V3[:8], -1.144812, 7.164382, 2.403096, 0.0472507, (-7.479419, 12.766313)),
        (V3, -0.864864, 7.338327, 3.478204, 0.00695822, (-0.845367, 11.821787)),
        (V5[:6], -0.543951, 0.078039, 0.040578, 0.969203, (-1.775453, 0.491606)),
        (V5, -0.588373, 0.153008, 0.116720, 0.910360, (-0.487383, 0.327453)),
    ],
)
def test_worked_examples(apart, g, t, hall, p, ends):
    moments = _Moments.of(apart)
    assert (moments.skewness, moments.student(), moments.hall()) == pytest.approx((g, t, hall), abs=1e-6)
    assert look_p(*steps(apart)) == pytest.approx(p, rel=1e-5)
    interval = repeated_interval(apart, [0.0] * len(apart))
    assert (interval.low, interval.high) == pytest.approx(ends, abs=1e-6)


def test_two_modes_are_judged_by_signs_too():
    assert two_modes(V3)
    assert two_modes(V3[:8])
    assert min(median_sides(V3, 0.0)) == pytest.approx(0.00195313, rel=1e-5)
    assert sequential_p(*steps(V3), [6, 8, 10]) == pytest.approx(0.0556658, rel=1e-5)


def test_a_steady_queue_beside_a_varying_one_is_judged_late():
    varying = [4.90, 4.85, 4.80, 4.95, 4.88, 4.82]
    apart = [5.0 - value for value in varying]

    assert 8 * look_p(*steps(apart)) == pytest.approx(0.0442203, rel=1e-5)
    assert look_p([5.0] * 6, varying) == 1.0
    interval = repeated_interval([5.0] * 6, varying)
    assert (interval.low, interval.high) == pytest.approx((0.005053, 0.234980), abs=1e-6)


def test_equal_differences_count_as_signs():
    p = [sequential_p([5.4] * n, [5.0] * n, looks(n)) for n in (6, 8, 10)]
    assert p == pytest.approx([0.25, 0.0625, 0.015625])
    assert sequential_p([5.0] * 10, [5.0] * 10, [6, 8, 10]) == 1.0
    assert not repeated_interval([5.4] * 10, [5.0] * 10).excludes_zero
    assert sequential_p([0.1 + 0.3] * 5 + [0.4] * 5, [0.1] * 10, [6]) == 0.25, "rounding is no spread"


def test_quantiles_of_repeated_intervals():
    table = {1: (4.5257, 3.5465, 2.8096), 3: (5.8397, 4.2690, 3.1833), 11: (7.7607, 5.1945, 3.5921)}
    for statements, quantiles in table.items():
        for n, quantile in zip((6, 10, 80), quantiles, strict=True):
            values = [1.0, -1.0] * (n // 2)
            error = math.sqrt(n / (n - 1) / n)
            interval = repeated_interval(values, [0.0] * n, statements)
            assert interval.high == pytest.approx(quantile * error, rel=1e-4)


def test_looks():
    assert looks(80) == [6, 8, 10, 14, 20, 28, 40, 56, 80]
    assert looks(225) == [6, 8, 10, 14, 20, 28, 40, 56, 80, 112, 160, 225]
    assert looks(7) == [7]
    assert [_times(runs) for runs in (6, 80, 112, 160, 224, 225)] == [8, 8, 16, 32, 64, 128]
    assert [first_look(number) for number in (1, 2, 6, 7, 11)] == [6, 8, 8, 10, 10]
    with pytest.raises(ValueError, match="6 or more"):
        looks(5)


def test_runs_without_a_value_are_left_out():
    values, base = steps(V1)
    assert look_p([*values, math.nan], [*base, 1.0]) == look_p(values, base)
    assert look_p(values[:5], base[:5]) == 1.0
    assert look_p([math.nan] * 6, base) == 1.0
    assert sequential_p([math.nan] * 6, base, [6]) == 1.0


def test_a_mean_within_two_per_cent():
    interval = outer_interval([101.2, 99.5, 100.8, 98.9, 100.4, 99.7, 101.9, 100.1, 99.2, 100.6])
    assert (interval.mean, interval.low, interval.high) == pytest.approx((100.23, 99.560590, 100.950672), abs=1e-6)
    assert math.isnan(outer_interval([1.0]).half_width)
    assert outer_interval([1.0, 1.0]).half_width == 0.0


@pytest.mark.parametrize("shape", SHAPES)
def test_simulated_studies_are_rarely_wrong(shape):
    """Of 400 studies; ``python tests/helpers/studies.py`` makes 10,000 of each shape."""
    found: Counted = counted(shape, studies=400, apart=0.0, most=40)
    again: Counted = counted(shape, studies=400, apart=1.0, most=40)

    # A rate of 5 % has a standard deviation of 1.1 % here; the rates are near 2 %.
    assert found.false <= 0.05
    assert all(share >= 0.95 for share in found.covered.values())
    assert again.false <= 0.01
    assert again.decided >= 0.9
    assert all(share >= 0.95 for share in again.covered.values())


@pytest.mark.parametrize("shape", SHAPES)
def test_a_mean_that_is_known_well_enough_lies_in_its_interval(shape):
    """The stop prefers samples with little spread, so that rates are below 95 % for all but normal ones."""
    held, _ = precise(shape, studies=400, variation=0.05)
    assert held >= (0.93 if shape == "normal" else 0.88)
