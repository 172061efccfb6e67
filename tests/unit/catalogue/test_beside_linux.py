"""Each queue and each sender of Linux, or with its preset, is on the page, and names its exact parts."""

import json
from pathlib import Path

import pytest

from sojourn import _core
from sojourn._rooms.catalogue.beside_linux import Row, row_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "linux.md"
REGISTRY = json.loads(_core.registry())
NAMES = [
    (group, entry["name"])
    for group, kind in (("queues", "queues"), ("senders", "controls"))
    for entry in REGISTRY[kind]
    if entry["name"].startswith("sch_")
    or "linux" in [preset["name"] for preset in entry["presets"] if "queue" not in preset]
]


@pytest.mark.parametrize(("group", "name"), [*NAMES, ("queues", "htb"), ("senders", "reno"), ("senders", "dctcp")])
def test_it_is_on_the_page(group, name):
    row = row_of(group, name)

    assert row is not None
    assert row.differ <= row.compared
    cells = f"{row.agree} | {row.apart} | {row.undecided}"
    start = f"| {name} | {row.compared:,} | {row.differ:,} | {cells} |"
    lines = PAGE.read_text().splitlines()
    alone = f"`{name}` {row.compared:,}"
    assert [line for line in lines if line.startswith(start)] or alone in " ".join(lines)
    # The exact part is on a page of the site for each name: tests/site/test_evidence_pages.py.
    said = [line for line in lines if line.endswith(f": {row.otherwise}.") and f"**{name}**" in line]
    assert said or row.otherwise in ("-", "flows are hashed by their numbers, not by addresses and ports")


def test_in_words():
    words = row_of("queues", "codel").sentences("decisions")

    assert "decisions compared, 0 differ. Exact: every drop and mark" in words
    assert row_of("queues", "red_pd") is None


def test_complete_runs_in_words():
    row = Row("sfb", 9, 0, 0, 2, 64, "every bin", "-", (0.991, 0.0204))

    assert row.sentences("decisions") == (
        "9 decisions compared, 0 differ. Exact: every bin. "
        "In complete runs the mean queue is 0.991 ± 0.020 of Linux's; "
        "of 66 compared numbers 0 agree, 2 differ, and 64 need more runs."
    )
