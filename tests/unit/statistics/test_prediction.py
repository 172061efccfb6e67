"""Numbers that runs like ours would print: each rule is given its own simulator and has to agree with it."""

import numpy as np
import pytest

from sojourn._rooms.statistics.prediction import enough, mean_apart, predict, rounding
from sojourn._rooms.statistics.samples import Counts

MADE = 1000
"""Replications: a rate of 95 % is seen to within 1.4 % (two standard errors)."""


def normal(random, runs):
    return random.normal(100.0, 8.0, runs)


def bistable(random, runs):
    return np.where(random.random(runs) < 0.6, random.normal(10.0, 0.4, runs), random.normal(18.0, 0.4, runs))


def skewed(random, runs):
    return random.lognormal(1.0, 0.8, runs)


@pytest.mark.slow
@pytest.mark.parametrize("law", [normal, bistable, skewed])
@pytest.mark.parametrize(("ours", "printed"), [(8, 1), (40, 1), (100, 1), (40, 10), (60, 50)])
def test_a_work_that_made_our_runs_prints_what_they_predict(law, ours, printed):
    random = np.random.default_rng(ours * printed)
    usual = sum(
        predict(law(random, ours).tolist(), printed).unusual(float(law(random, printed).mean()), 0.0) >= 0.05
        for _ in range(MADE)
    )
    assert usual / MADE >= 0.9


def test_what_runs_like_ours_never_print_is_unusual():
    random = np.random.default_rng(7)
    for law in (normal, bistable, skewed):
        ours = law(random, 40).tolist()
        assert predict(ours).unusual(max(ours) + 3.0 * (max(ours) - min(ours)), 0.0) < 0.01
    assert predict(bistable(random, 40).tolist()).two_modes
    assert predict([1.0, 1.0, 1.0]).unusual(1.0, 0.0) == 1.0
    assert predict([1.0, 1.0, 1.0]).unusual(1.1, 0.05) == 0.0
    assert predict([1.0, 1.0, 1.0]).unusual(1.1, 0.2) == 1.0


def test_two_means_of_one_simulator_are_told_apart_in_five_of_100():
    random = np.random.default_rng(3)
    apart = 0
    for _ in range(MADE):
        theirs = normal(random, 50)
        _, p = mean_apart(normal(random, 20).tolist(), theirs.mean(), theirs.std(ddof=1) / 50**0.5, runs=50)
        apart += p < 0.05
    assert 0.03 <= apart / MADE <= 0.07


def test_few_runs_are_not_enough_for_a_prediction():
    assert [enough(runs, 1) for runs in (1, 2, 5, 6)] == [False, False, False, True]
    assert not enough(20, 50)
    assert rounding(1.0, 12.0) == 0.5


def test_events_that_none_of_our_runs_had_may_occur_in_theirs():
    ours = Counts([0] * 20, [1000] * 20)

    assert predict(ours).unusual(0.0, 0.0) == 1.0
    assert predict(ours).unusual(0.001, 0.0) > 0.02, "one of 1000, where 20 000 had none"
    assert predict(ours).unusual(0.003, 0.0) < 0.001
    assert predict(Counts([0] * 2, [100] * 2)).unusual(0.01, 0.0) > 0.05
    assert predict(ours, 20).unusual(0.0001, 0.0) > 0.05, "of the mean of 20 runs, two of 20 000"
    assert predict(Counts([0] * 20, [1000] * 20, together=50)).unusual(0.05, 0.0) > 0.05, "50 come together"
    assert predict([0.0] * 20).unusual(0.001, 0.0) == 0.0, "of numbers that are no counts nothing is known"


def test_the_prediction_for_rare_events_holds_in_95_of_100():
    random = np.random.default_rng(11)
    usual = trials = 0
    for _ in range(4 * MADE):
        events = random.binomial(1000, 0.00003, 10)
        if events.any():
            continue
        trials += 1
        usual += (
            predict(Counts(events.tolist(), [1000] * 10)).unusual(random.binomial(1000, 0.00003) / 1000, 0.0) > 0.05
        )
    assert usual / trials >= 0.9
