"""Ours against ns-2, in the mean over 20 seeds: queue, loss, utilisation and marks (docs/validation.md).

The settings that cost most are left out here, so that the check takes a few minutes; `make papers` runs all
of them, and so does SOJOURN_PEERS=all.
"""

from __future__ import annotations

import os

import compare
import ns2
import pytest

COSTLY = {
    "fifo-4",
    "fifo-6",
    "red-strict-3",
    "red-gentle-4",
    "red-gentle-5",
    "red-ecn-3",
    "ared-2",
    "ared-feng-2",
    "pi-1",
}
"""45 Mbit/s: a quarter of the settings, half of the time."""

SETTINGS = ns2.load_settings()
CHECKED = [name for name in SETTINGS if os.environ.get("SOJOURN_PEERS") == "all" or name not in COSTLY]

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


def test_at_least_twenty_settings_are_checked():
    assert len(CHECKED) >= 20
