"""Helpers that tests import by name stand on one path: two of one name would hide each other."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
# Commands, which nothing imports.
COMMANDS = {"compare.py"}


def test_no_two_helpers_have_one_name():
    places: dict[str, list[str]] = defaultdict(list)
    for path in TESTS.rglob("*.py"):
        if path.name not in COMMANDS and not path.name.startswith(("test_", "conftest", "__init__")):
            places[path.name].append(str(path.relative_to(TESTS)))

    assert {name: found for name, found in places.items() if len(found) > 1} == {}
