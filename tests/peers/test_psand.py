"""PSAND against its law stepped over ns-2's own RED, whose runs are kept (single_runs.json)."""

import statistics

import psand
import pytest
import single_runs

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("setting", list(psand.settings()), ids=psand.name)
def test_psand_does_as_its_law_over_the_red_of_ns2(setting):
    name = psand.name(setting)
    theirs = single_runs.kept()[name]
    mine = [psand.ours(setting, seed) for seed in single_runs.OTHERS[name].seeds]

    for number, own in zip(psand.NUMBERS, zip(*mine, strict=True), strict=True):
        other = [run[number] for run in theirs]
        # The tolerance of the check of the window laws, and three standard errors of the difference.
        error = ((statistics.variance(own) + statistics.variance(other)) / len(own)) ** 0.5
        expected = statistics.fmean(other)
        assert statistics.fmean(own) == pytest.approx(expected, abs=0.05 * expected + 3.0 * error), number
