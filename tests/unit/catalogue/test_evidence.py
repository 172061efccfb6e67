"""The package's facts of comparisons are those of the folder evidence/, for each queue and sender."""

import json

import collected
import pytest

from sojourn import _core
from sojourn._rooms.catalogue.evidence import facts_of, parts_of

REGISTRY = json.loads(_core.registry())


def test_the_package_has_what_is_kept():
    assert collected.FACTS.read_text(encoding="utf-8") == collected.package()


@pytest.mark.parametrize("kind", ["queues", "transports", "controls"])
def test_each_entry_has_facts(kind):
    assert [entry["name"] for entry in REGISTRY[kind] if facts_of(kind, entry["name"]) is None] == []


def test_each_queue_has_a_published_result_a_cost_and_a_second_implementation_or_a_peer():
    for entry in REGISTRY["queues"]:
        facts = facts_of("queues", entry["name"])
        # A queue of Linux's own is held to the kernel.
        assert entry["name"].startswith("sch_") or facts["published"], entry["name"]
        assert facts["cost"], entry["name"]
        assert ("second" in facts) != ("program" in facts), entry["name"]


def test_in_words():
    parts = dict(parts_of("queues", "codel"))

    assert list(parts) == [
        "Beside Linux 6.12",
        "Second implementation, written from the publication",
        "Publications",
        "Cost",
    ]
    recordings, linux = parts["Beside Linux 6.12"]
    assert recordings == "9 recordings of its calls in a kernel: 23,449 drops and 5,003 marks."
    assert "decisions compared, 0 differ. Exact: every drop and mark" in linux
    assert dict(parts_of("transports", "rap"))["Beside ns-2 2.35"] == [
        "3 settings with runs of both sides, in the mean: rap-red, rap-fine, rap-alone."
    ]


def test_others_have_none():
    assert facts_of("apps", "bulk") is None
    assert parts_of("queues", "of_a_user") == []
