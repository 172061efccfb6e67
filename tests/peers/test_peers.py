"""Ours against ns-2, in the mean over 20 seeds: what queues, flows and transfers see (docs/validation.md).

Part of the settings is left out here, so that the check takes a few minutes; `make papers` runs all of them, and so
does SOJOURN_PEERS=all. Settings with a `deviation` are only in the table.
"""

from __future__ import annotations

import os

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

SETTINGS = ns2.load_settings()
EVERYTHING = os.environ.get("SOJOURN_PEERS") == "all"
CHECKED = [name for name, setting in SETTINGS.items() if "deviation" not in setting and (EVERYTHING or name in BRIEFLY)]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)"),
]


@pytest.fixture(scope="module")
def rows():
    """All comparisons by setting, made at once to keep both cores busy; the table goes to the captured output."""
    compared = compare.compare([SETTINGS[name] for name in CHECKED])
    print(compare.table(compared))
    return dict(zip(CHECKED, compared, strict=True))


@pytest.mark.parametrize("name", CHECKED)
def test_the_means_agree_with_ns2(rows, name):
    assert all(entry.agrees for entry in rows[name]), "\n".join(str(entry) for entry in rows[name])


def test_what_is_checked_briefly_is_among_the_settings():
    assert set(SETTINGS) >= BRIEFLY
    assert len(CHECKED) >= len(BRIEFLY)
