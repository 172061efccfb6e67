"""An arrival and a departure at one moment come in the order of ns-2 (docs/validation.md, "Ties in time")."""

from __future__ import annotations

import ns2
import pytest
import ties

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed")]

SEEDS = range(1, 7)
MOST = 4.0
"""Standard errors of a difference, which two equal simulators exceed once in 400 times (t with 10 degrees of freedom).

The seeds are given, so that the test has the same result each time.
"""


@pytest.mark.parametrize("case", ties.CASES)
def test_flows_whose_packets_meet_departures_share_as_in_ns2(case):
    theirs = zip(*[ties.ns2(ties.CASES[case], seed) for seed in SEEDS], strict=True)
    own = zip(*ties.ours(ties.CASES[case], SEEDS), strict=True)

    assert all(abs(ties.apart(a, b)) < MOST for a, b in zip(theirs, own, strict=True))
