"""XCP and TFRC against ns-2, in the mean over three seeds. Their laws differ in details that explicit.py names."""

from __future__ import annotations

import statistics

import explicit
import ns2
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)"),
]

SEEDS = range(1, 4)


def means(name: str) -> tuple[dict[str, float], dict[str, float]]:
    theirs, mine = explicit.compare(name, SEEDS)
    return (
        {key: statistics.fmean(values) for key, values in theirs.items()},
        {key: statistics.fmean(values) for key, values in mine.items()},
    )


@pytest.mark.parametrize("name", [name for name in explicit.SETTINGS if name.startswith("xcp")])
def test_xcp_fills_the_link_evenly_without_queue_or_loss_on_both_sides(name):
    theirs, mine = means(name)
    limit = float(explicit.setting(name)["limit"])

    assert theirs["loss"] == mine["loss"] == 0.0
    assert mine["utilisation"] == pytest.approx(theirs["utilisation"], rel=0.01)
    assert min(theirs["jain"], mine["jain"]) > 0.998
    # The queues are a few packets; with equal round-trip times they depend on who rounds which grant: a twentieth of
    # the buffer bounds both.
    if explicit.setting(name)["rtt_spread"]:
        assert mine["mean_queue"] == pytest.approx(theirs["mean_queue"], rel=0.05)
    assert max(theirs["mean_queue"], mine["mean_queue"]) < 0.05 * limit


@pytest.mark.parametrize("name", [name for name in explicit.SETTINGS if name.startswith("tfrc")])
def test_tfrc_leaves_the_same_queue_losses_and_share_of_tcp(name):
    theirs, mine = means(name)

    # The tolerances of the check of the window laws.
    assert mine["utilisation"] == pytest.approx(theirs["utilisation"], rel=0.05)
    assert mine["mean_queue"] == pytest.approx(theirs["mean_queue"], rel=0.05)
    assert mine["loss"] == pytest.approx(theirs["loss"], rel=0.10)
    # t_RTO and the pace of increase are not ns-2's: a quarter of the share, of RFC 5348's factor of two.
    assert mine["share"] == pytest.approx(theirs["share"], rel=0.25)
