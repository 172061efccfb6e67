"""The filter before RED against ns-2's, in the mean: throughput and losses. Runs of ns-2 are kept."""

from __future__ import annotations

import pytest
import red_filter
import single_runs

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", red_filter.SETTINGS)
def test_the_filtered_flow_gets_and_loses_what_it_does_in_ns2(name):
    rows = red_filter.beside(name, single_runs.kept()[name], single_runs.OTHERS[name].seeds)
    for metric, (theirs, mine) in rows.items():
        # As in beside_ns2.py: inside ns-2's 99 % interval, or within 5 % (losses 10 %).
        tolerance = 0.05 if metric == "share" else 0.10
        allowed = max(theirs.half_width, tolerance * theirs.mean)
        assert abs(mine.mean - theirs.mean) <= allowed, f"{metric}: ns-2 {theirs.mean}, ours {mine.mean}"
