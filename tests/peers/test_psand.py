"""PSAND against its law stepped over ns-2's own RED."""

import statistics

import ns2
import psand
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)"),
]


def _columns(mine, theirs):
    """Name and both sides of each number."""
    return zip(("mean", "variance", "empty", "loss"), zip(*mine, strict=True), zip(*theirs, strict=True), strict=True)


@pytest.mark.parametrize("setting", list(psand.settings()), ids=lambda setting: "-".join(map(str, setting.values())))
def test_psand_does_as_its_law_over_the_red_of_ns2(setting):
    theirs = [psand.ns2(setting, seed)[0] for seed in range(1, 9)]
    mine = [psand.ours(setting, seed) for seed in range(1, 9)]

    for name, own, other in _columns(mine, theirs):
        # The tolerance of the check of the window laws, and three standard errors of the difference.
        error = ((statistics.variance(own) + statistics.variance(other)) / len(own)) ** 0.5
        expected = statistics.fmean(other)
        assert statistics.fmean(own) == pytest.approx(expected, abs=0.05 * expected + 3.0 * error), name
