"""Sojourn's queues called linux decide as the kernel's did, in recordings of a real Linux 6.12 (README.md)."""

from pathlib import Path

import fates
import pytest
from recorded import DIFFER, QUEUES, RECORDED
from same_fates import FOLDER, compare

MOST = 10_000_000


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in DIFFER])
def test_every_packet_has_the_kernels_fate(name):
    queue, _ = RECORDED[name]
    recorded = fates.read(FOLDER / f"{name}.xz")

    found = compare(name, recorded, QUEUES[queue])

    assert found.differ == 0, str(found)


@pytest.mark.parametrize("name", list(DIFFER))
def test_what_differs_is_named_and_counted(name):
    queue, _ = RECORDED[name]
    most, why = DIFFER[name]

    found = compare(name, fates.read(FOLDER / f"{name}.xz"), QUEUES[queue])

    assert 0 < found.differ <= most, f"{found}\n{why}"


def test_recordings_say_what_they_are_and_are_small():
    files = sorted(FOLDER.glob("*.xz"))
    assert {path.stem for path in files} == set(RECORDED)
    assert sum(path.stat().st_size for path in files) < MOST
    for path in files:
        about = fates.read(path).about
        queue, _ = RECORDED[path.stem]
        assert str(about["kernel"]).startswith("6.12.")
        assert about["tc"] == QUEUES[queue].tc
        assert about["config"]


def test_a_file_of_fates_reads_back_what_was_written(tmp_path):
    path = Path(tmp_path) / "copy.xz"
    recorded = fates.read(FOLDER / "codel-cubic-4.xz")

    fates.write(path, recorded)

    again = fates.read(path)
    assert again.about == recorded.about
    assert all((again.columns[name] == column).all() for name, column in recorded.columns.items())


def test_a_changed_law_is_noticed():
    # With real square roots three of four drops are others (the oracle's first table says 139 of 623 the same).
    queue = QUEUES["codel"]
    settings = (*queue.settings, ("arithmetic", "real"))
    changed = type(queue)(queue.tc, queue.name, queue.preset, settings)

    found = compare("codel", fates.read(FOLDER / "codel-cubic-4.xz"), changed)

    assert found.differ > 100
