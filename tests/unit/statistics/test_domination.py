"""Domination of curves: studies with a known truth, and points whose place is clear."""

import numpy as np
import pytest

from sojourn._rooms.statistics.domination import compared, decided_by_holm

SEEDS = 14


def curve(random, settings, *, longer=0.0, noise=0.03, common=(0.0, 0.0)):
    """Delay 20 ms e^(u/1.5) and use 1 - 0.3 e^-u of settings u, with noise of each run and noise that a seed shares."""
    points = []
    for u in settings:
        delay, use = 20.0 * np.exp(u / 1.5) * (1.0 + longer), 1.0 - 0.3 * np.exp(-u)
        mine = noise * random.standard_normal((2, SEEDS))
        points.append((delay * (1.0 + mine[0] + common[0]), -use * (1.0 + 0.1 * (mine[1] + common[1]))))
    return points


def decided(random, *, longer, alike):
    """Whether each curve dominates settings of the other: those of the first, and those of the second."""
    common = 0.03 * random.standard_normal((2, SEEDS))
    settings = np.linspace(0.0, 3.0, 4)
    first = curve(random, settings, common=common)
    second = curve(random, settings + (0.0 if alike else 0.4), longer=longer, common=common)
    chances = [compared(one, [second]).worse for one in first] + [compared(one, [first]).worse for one in second]
    found = decided_by_holm(chances)
    return found[: len(first)], found[len(first) :]


@pytest.mark.parametrize("alike", [True, False])
def test_a_curve_that_is_the_same_dominates_in_few_of_many_studies(alike):
    # By Holm's rule in at most 5 %. Of 40 studies at 5 % more than six are wrong with probability 0.3 %.
    random = np.random.default_rng(1)
    wrong = sum(any(map(any, decided(random, longer=0.0, alike=alike))) for _ in range(40))
    assert wrong <= 6


def test_a_curve_that_is_worse_is_dominated_and_never_dominates():
    # Its waits are a quarter longer at the same use: eight standard errors of one setting's mean.
    random = np.random.default_rng(2)
    found = [decided(random, longer=0.25, alike=False) for _ in range(10)]
    assert not any(any(first) for first, _ in found)
    # The last setting lies beyond the end of the first curve, which cannot dominate it.
    assert sum(sum(second[:-1]) for _, second in found) >= 0.8 * 10 * 3


def test_a_place_between_two_settings_dominates():
    apart = np.linspace(-0.1, 0.1, SEEDS)
    line = [(10.0 + apart, -(0.8 + apart / 100)), (30.0 + apart, -(0.9 + apart / 100))]
    # Half way is 20 and 0.85.
    assert compared((25.0 + apart[::-1], -(0.85 + apart / 100)), [line]).worse < 1e-4
    assert compared((15.0 + apart[::-1], -(0.85 + apart / 100)), [line]).worse > 0.5
    # Without neighbours on one line there is nothing between them.
    assert compared((25.0 + apart[::-1], -(0.85 + apart / 100)), [[one] for one in line]).worse > 0.5


def test_equal_values_of_one_metric_are_no_loss():
    apart = np.linspace(-0.1, 0.1, SEEDS)
    full = np.full(SEEDS, -1.0)
    assert compared((25.0 + apart, full), [[(20.0 + apart, full)]]).worse < 1e-3
    assert compared((25.0 + apart, full), [[(25.0 + apart, full)]]).worse > 0.5
    assert compared((25.0 + apart, full), [[(25.0 + apart, full)]]).alike < 1e-3


def test_a_setting_beyond_the_curve_is_beyond_in_its_metric_alone():
    apart = np.linspace(-0.1, 0.1, SEEDS)
    line = [(10.0 + apart, -(0.8 + apart / 100)), (30.0 + apart, -(0.9 + apart / 100))]
    found = compared((5.0 - apart, -(0.7 + apart / 100)), [line])
    assert found.worse > 0.5
    assert found.beyond[0] < 1e-4 < 0.5 < found.beyond[1]


def test_runs_without_a_value_are_left_out_and_few_runs_decide_nothing():
    apart = np.linspace(-0.1, 0.1, SEEDS)
    holes = np.where(np.arange(SEEDS) < 9, np.nan, 20.0 + apart)
    assert compared((25.0 + apart, apart - 1.0), [[(holes, apart - 1.0)]]).worse == 1.0
