"""The numbers of docs/linux.md, and the package's, are those of the kept counts and runs."""

import json

import closed_page
import linux_counts
import linux_exact
import linux_page
import pytest
from recorded_edges import RECORDED
from recorded_senders import RECORDED as SENT


@pytest.fixture(scope="module")
def parts():
    return closed_page.measured()


def test_the_page_has_the_kept_numbers(parts):
    assert linux_page.PAGE.read_text(encoding="utf-8") == linux_page.page(parts)


def test_the_package_has_the_kept_numbers(parts):
    assert json.loads(linux_exact.ROWS.read_text(encoding="utf-8")) == linux_page.rows(parts)


def test_each_recording_has_counts():
    # `test_fates.py` and `test_senders.py` compare them with their replays.
    counts = linux_counts.read()

    assert list(counts["queues"]) == list(RECORDED)
    assert list(counts["senders"]) == list(SENT)


def test_a_cell_that_differs_is_on_the_page(parts):
    text = linux_page.differing(parts)

    for _, row, _ in linux_page._differing(parts):
        assert row.setting.name in text
