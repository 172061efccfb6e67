"""Ours against ns-2, in the mean over 20 seeds: what queues, flows and transfers see (docs/validation.md).

Part of the settings is left out here, so that the check takes a few minutes; `make papers` runs all of them, and so
does SOJOURN_PEERS=all. Of those that stay, ns-2 runs some; the others are held to what the page's table says of ns-2,
which is the same program and the same seeds. That the table is what ns-2 gives is checked for those that it runs.
Settings with a `deviation` are only in the table.
"""

from __future__ import annotations

import os
from pathlib import Path

import compare
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
SETTINGS = ns2.load_settings()
EVERYTHING = os.environ.get("SOJOURN_PEERS") == "all"
COMPARED = [name for name, setting in SETTINGS.items() if "deviation" not in setting]
BY_NS2 = [name for name in COMPARED if EVERYTHING or name in LIVE]
BY_TABLE = [name for name in COMPARED if name in BRIEFLY and name not in BY_NS2]

pytestmark = pytest.mark.slow
runs_ns2 = pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)")


@pytest.fixture(scope="module")
def rows():
    """All comparisons by setting, made at once to keep both cores busy; the table goes to the captured output."""
    compared = compare.compare([SETTINGS[name] for name in BY_NS2])
    print(compare.table(compared))
    return dict(zip(BY_NS2, compared, strict=True))


@pytest.fixture(scope="module")
def beside_table():
    """Ours beside the page's table, by setting."""
    return dict(zip(BY_TABLE, compare.beside_printed([SETTINGS[name] for name in BY_TABLE], PAGE), strict=True))


@runs_ns2
@pytest.mark.parametrize("name", BY_NS2)
def test_the_means_agree_with_ns2(rows, name):
    assert all(entry.agrees for entry in rows[name]), "\n".join(str(entry) for entry in rows[name])


@runs_ns2
@pytest.mark.parametrize("name", BY_NS2)
def test_the_table_says_what_ns2_gives(rows, name):
    for entry, cell in zip(rows[name], compare.printed(PAGE)[name], strict=True):
        digits = compare.SCALES.get(entry.metric, (100.0, 3))
        if cell.mean == cell.mean:
            # To the last digit that is printed.
            assert entry.theirs.mean * digits[0] == pytest.approx(cell.mean * digits[0], abs=0.6 * 10.0 ** -digits[1])
            assert entry.theirs.half_width * digits[0] == pytest.approx(
                cell.half_width * digits[0], abs=0.6 * 10.0 ** -digits[1]
            )


@pytest.mark.parametrize("name", BY_TABLE)
def test_the_means_agree_with_the_table_of_ns2(beside_table, name):
    assert beside_table[name]
    assert all(entry.agrees for entry in beside_table[name]), "\n".join(str(entry) for entry in beside_table[name])


def test_what_is_checked_briefly_is_among_the_settings():
    assert set(SETTINGS) >= BRIEFLY >= LIVE
    assert set(BY_NS2) | set(BY_TABLE) >= BRIEFLY - {name for name in SETTINGS if "deviation" in SETTINGS[name]}


def test_cells_are_read_as_they_are_written():
    cell = compare.Comparison("s", "", "loss", compare.Interval(0.0125, 0.0005, 20), compare.Interval(0.2, 0.0, 20))
    read = compare._read_cell("loss", compare._cell(cell))
    assert (read.mean, read.half_width) == (pytest.approx(0.0125), pytest.approx(0.0005))
    assert compare._read_cell("loss", " none ").mean != compare._read_cell("loss", " none ").mean
