"""ns-2 still makes the runs that are kept of it: of each setting the first.

`make papers` makes them all again. The comparisons of ours with them are in test_classes.py, test_explicit.py,
test_psand.py and test_red_filter.py; test_peers.py makes two runs again of each of the settings that have means in
measured.toml.
"""

import ns2
import pytest
import single_runs

KEPT = single_runs.kept()


@pytest.mark.slow
@pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)")
@pytest.mark.parametrize("name", single_runs.OTHERS)
def test_ns2_makes_the_same_run_again(name):
    assert single_runs.OTHERS[name].made(1) == pytest.approx(KEPT[name][0], rel=1e-8)


def test_the_runs_of_all_settings_and_seeds_are_kept():
    assert set(KEPT) == {*single_runs.LIVE, *single_runs.OTHERS}
    assert all(len(KEPT[name]) == len(other.seeds) for name, other in single_runs.OTHERS.items())
