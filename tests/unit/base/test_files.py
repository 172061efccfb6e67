"""Files that are there whole or not at all: a disk without room is found before anything is run."""

from __future__ import annotations

import sys

import pytest

from sojourn._rooms._base.files import check_writable


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_file_for_which_there_is_no_room_is_refused_before(tmp_path):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match=r"report\.html"):
            check_writable(tmp_path / "report.html")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
    check_writable(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []
