"""Tests are where one looks for them: a folder for each room of Python, and the folders that CONTRIBUTING.md names."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.order import LONGEST

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


def folders(place: Path) -> set[str]:
    """The folders of a place that have files of Python."""
    return {path.name for path in place.iterdir() if path.is_dir() and any(path.rglob("*.py"))}


def test_each_folder_is_in_the_table():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = guide.split("| folder of `tests/` | content |\n")[1].split("\n\n")[0]
    named = {name for row in table.splitlines() for name in re.findall(r"`(\w+)/`", row.split("|")[1])}

    assert named == folders(TESTS)


def test_each_folder_of_units_is_a_room_of_the_package():
    rooms = {name.lstrip("_") for name in folders(ROOT / "python" / "sojourn" / "_rooms")}

    assert folders(TESTS / "unit") - rooms == set()


def test_the_files_that_come_first_are_there():
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == []
