"""Ours against ns-2, in the mean over 20 seeds: what queues, flows and transfers see (docs/validation.md).

Part of the settings is left out here, so that the check takes a few minutes; `make papers` runs all of them, and so
does SOJOURN_PEERS=all. Of those that stay, ns-2 runs some; the others are held to what measured.toml says of ns-2,
which is the same program and the same seeds. That the file is what ns-2 gives is checked for those that it runs.
Settings with a `deviation` are only in the file.
"""

from __future__ import annotations

import os
from pathlib import Path

import beside_ns2
import ns2
import pytest

BRIEFLY = {
    # Queues, under Reno, NewReno and SACK: those that cost least, half of them.
    *("fifo-1", "fifo-2", "fifo-3"),
    *("red-strict-1", "red-strict-2", "red-strict-4"),
    *("red-gentle-1", "red-gentle-2", "red-gentle-3"),
    *("red-ecn-1", "red-ecn-2", "red-ecn-4"),
    *("ared-1", "ared-3", "ared-4", "ared-feng-1", "ared-feng-3"),
    *("pi-2", "pi-3"),
    *("rem-1", "rem-4", "avq-2", "avq-3"),
    # Of each kind of sender and source one or two that cost little.
    *("tahoe-1", "gaimd-1", "gaimd-sack-2", "sqrt-1", "iiad-1", "vegas-1", "linux-reno-1", "cubic-1"),
    *("timers-2004-1", "timers-2004-2"),
    *("cbr-2", "exp-newreno", "web-1", "web-2", "web-4", "pages-1"),
    "two-way-1",
}

LIVE = {
    # One of each kind of queue and sender that costs ns-2 little.
    *("fifo-1", "red-strict-1", "red-gentle-1", "red-ecn-1", "ared-1", "pi-2", "rem-1", "avq-2"),
    *("tahoe-1", "vegas-1", "linux-reno-1", "exp-newreno", "web-1", "two-way-1"),
}

PAGE = Path(__file__).parents[2] / "docs" / "validation.md"
KEPT = {(entry.setting, entry.link, entry.metric): entry.theirs for row in beside_ns2.measured() for entry in row}
SETTINGS = ns2.load_settings()
EVERYTHING = os.environ.get("SOJOURN_PEERS") == "all"
COMPARED = [name for name, setting in SETTINGS.items() if "deviation" not in setting]
BY_NS2 = [name for name in COMPARED if EVERYTHING or name in LIVE]
BY_FILE = [name for name in COMPARED if name in BRIEFLY and name not in BY_NS2]

pytestmark = pytest.mark.slow
runs_ns2 = pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)")


@pytest.fixture(scope="module")
def rows():
    """All comparisons by setting, made at once to keep both cores busy; the table goes to the captured output."""
    compared = beside_ns2.compare([SETTINGS[name] for name in BY_NS2])
    print(beside_ns2.table(compared))
    return dict(zip(BY_NS2, compared, strict=True))


@pytest.fixture(scope="module")
def beside_file():
    """Ours beside what is kept of ns-2, by setting."""
    return dict(zip(BY_FILE, beside_ns2.compare_with_measured([SETTINGS[name] for name in BY_FILE]), strict=True))


@runs_ns2
@pytest.mark.parametrize("name", BY_NS2)
def test_the_means_agree_with_ns2(rows, name):
    assert all(entry.agrees for entry in rows[name]), "\n".join(str(entry) for entry in rows[name])


@runs_ns2
@pytest.mark.parametrize("name", BY_NS2)
def test_the_file_has_what_ns2_gives(rows, name):
    for entry in rows[name]:
        cell = KEPT[entry.setting, entry.link, entry.metric]
        scale, digits = beside_ns2.SCALES.get(entry.metric, (100.0, 3))
        if cell.mean != 0.0:
            # To the last digit that the page shows.
            near = {"abs": 0.6 * 10.0**-digits}
            assert entry.theirs.mean * scale == pytest.approx(cell.mean * scale, **near)
            assert entry.theirs.half_width * scale == pytest.approx(cell.half_width * scale, **near)


@pytest.mark.parametrize("name", BY_FILE)
def test_the_means_agree_with_what_is_kept_of_ns2(beside_file, name):
    assert beside_file[name]
    assert all(entry.agrees for entry in beside_file[name]), "\n".join(str(entry) for entry in beside_file[name])


def test_what_is_checked_briefly_is_among_the_settings():
    assert set(SETTINGS) >= BRIEFLY >= LIVE
    assert set(BY_NS2) | set(BY_FILE) >= BRIEFLY - {name for name in SETTINGS if "deviation" in SETTINGS[name]}


def test_settings_that_differ_are_those_with_a_reason():
    differ = {entry.setting for row in beside_ns2.measured() for entry in row if not entry.agrees}
    assert differ == {name for name, setting in SETTINGS.items() if setting.get("deviation")}


def test_the_table_of_the_page_is_made_of_the_file(tmp_path):
    page = tmp_path / "validation.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    beside_ns2.write(page)
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


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
