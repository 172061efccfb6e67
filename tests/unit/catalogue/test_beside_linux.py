"""Each queue and each sender with a preset `linux` says what is exact of it, on the page and in `explain`."""

import json
from pathlib import Path

import pytest

from sojourn import _core
from sojourn.catalogue.beside_linux import row_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "linux.md"
REGISTRY = json.loads(_core.registry())
NAMES = [
    (group, entry["name"])
    for group, kind in (("queues", "queues"), ("senders", "controls"))
    for entry in REGISTRY[kind]
    if "linux" in [preset["name"] for preset in entry["presets"]]
]


@pytest.mark.parametrize(("group", "name"), [*NAMES, ("queues", "htb"), ("senders", "reno"), ("senders", "dctcp")])
def test_it_is_on_the_page(group, name):
    row = row_of(group, name)

    assert row is not None
    assert row.differ <= row.compared
    cells = f"| {row.agree} | {row.apart} | {row.undecided} |"
    assert f"| {name} | {row.compared:,} | {row.differ:,} {cells} {row.exact} |" in PAGE.read_text()


def test_in_words():
    words = row_of("queues", "codel").sentences("decisions")

    assert "decisions compared, 0 differ. Exact: every drop and mark" in words
    assert row_of("queues", "red_pd") is None
