"""Ours against ns-2, in the mean over 20 seeds: numbers of queues, flows and transfers (docs/validation.md).

Ours is compared with ns-2's results in measured.toml, which are from the same program and the same seeds. Some settings
check that ns-2 still gives these: their means follow from single runs (single_runs.json), of which ns-2 makes the first
again. Part of the settings is left out here, so that the check takes a minute; SOJOURN_PEERS=all runs ours for all of
them, and `make papers` both sides. Settings with a `deviation` are only in the file.
"""

from __future__ import annotations

import os

import beside_ns2
import ns2
import pytest
import single_runs
from beside_ns2 import SEEDS
from single_runs import LIVE

BRIEFLY = {
    # Queues, under Reno, NewReno and SACK: those that cost least, a third of them.
    *("fifo-1", "fifo-2", "red-strict-1", "red-strict-2", "red-gentle-1", "red-gentle-2", "red-ecn-1", "red-ecn-2"),
    *("ared-1", "ared-3", "ared-feng-1", "pi-2", "rem-1", "avq-2", "avq-3"),
    # One or two cheap settings for each kind of sender and source.
    *("tahoe-1", "gaimd-1", "gaimd-sack-2", "sqrt-1", "iiad-1"),
    *("timers-2004-1", "timers-2004-2"),
    *("cbr-2", "exp-newreno", "web-1", "web-4", "pages-1"),
    "two-way-1",
}

KEPT = {(entry.setting, entry.link, entry.metric): entry.theirs for row in beside_ns2.measured() for entry in row}
SETTINGS = ns2.load_settings()
EVERYTHING = os.environ.get("SOJOURN_PEERS") == "all"
COMPARED = [name for name, setting in SETTINGS.items() if "deviation" not in setting]
BY_FILE = [name for name in COMPARED if EVERYTHING or name in BRIEFLY]
AGAIN = SEEDS[:2]
"""Seeds of the single runs that ns-2 makes again."""

pytestmark = pytest.mark.slow
runs_ns2 = pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)")


@pytest.fixture(scope="module")
def again():
    """The first single runs of ns-2, made again."""
    return dict(zip(LIVE, ns2.run_all([SETTINGS[name] for name in LIVE], AGAIN), strict=True))


@pytest.fixture(scope="module")
def beside_file():
    """Ours beside the kept results of ns-2, by setting."""
    return dict(zip(BY_FILE, beside_ns2.compare_with_measured([SETTINGS[name] for name in BY_FILE]), strict=True))


@runs_ns2
@pytest.mark.parametrize("name", LIVE)
def test_ns2_makes_the_same_runs_again(again, name):
    assert [pytest.approx(run, rel=1e-8) for run in again[name]] == single_runs.kept()[name][: len(AGAIN)]


@pytest.mark.parametrize("name", LIVE)
def test_the_means_of_single_runs_are_those_of_the_file(name):
    runs = single_runs.kept()[name]
    assert len(runs) == len(SEEDS)
    compared = 0
    for (setting, link, metric), cell in KEPT.items():
        # Metrics that neither side has are not in the file.
        if setting == name and cell.n:
            found = beside_ns2._interval(link, metric, runs)
            scale, digits = beside_ns2.SCALES.get(metric, (100.0, 3))
            # To the last digit that the page shows.
            near = {"abs": 0.6 * 10.0**-digits}
            assert found.mean * scale == pytest.approx(cell.mean * scale, **near), metric
            assert found.half_width * scale == pytest.approx(cell.half_width * scale, **near), metric
            compared += 1
    assert compared >= 2


@pytest.mark.parametrize("name", BY_FILE)
def test_the_means_agree_with_what_is_kept_of_ns2(beside_file, name):
    assert beside_file[name]
    assert all(entry.agrees for entry in beside_file[name]), "\n".join(str(entry) for entry in beside_file[name])


def test_what_is_checked_briefly_is_among_the_settings():
    assert set(SETTINGS) >= BRIEFLY >= set(LIVE)
    assert set(BY_FILE) >= BRIEFLY - {name for name in SETTINGS if "deviation" in SETTINGS[name]}


def test_settings_that_differ_are_those_with_a_reason():
    differ = {entry.setting for row in beside_ns2.measured() for entry in row if not entry.agrees}
    assert differ == {name for name, setting in SETTINGS.items() if setting.get("deviation")}


def test_rows_that_are_kept_are_read_again(tmp_path):
    file = tmp_path / "measured.toml"
    beside_ns2.keep(beside_ns2.measured(), list(SETTINGS), file)
    assert beside_ns2.measured(file) == beside_ns2.measured()
    mean = beside_ns2.Interval(0.0125, 0.0005, 20)
    whole = [
        beside_ns2.Comparison("fifo-1", "", metric, mean, beside_ns2.Interval(0.2, 0.0, 20))
        for metric in beside_ns2.COMPARED
    ]
    beside_ns2.keep([whole], list(SETTINGS), file)
    first, *others = beside_ns2.measured(file)
    assert {(entry.theirs.mean, entry.ours.mean, entry.apart) for entry in first} == {(0.0125, 0.2, 15.0)}
    assert others == beside_ns2.measured()[1:]
