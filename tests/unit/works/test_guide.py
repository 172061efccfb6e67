"""docs/works.md says all keys of claims, of study files and of the files of a work."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from sojourn._rooms.works import guide
from sojourn._rooms.works.choices import Choice, Search
from sojourn._rooms.works.kinds import KINDS, Kind
from sojourn._rooms.works.reader import _KEYS
from sojourn._rooms.works.sentences import Sentence
from sojourn.papers import About, Unstated

GUIDE = (Path(__file__).parents[3] / "docs/works.md").read_text(encoding="utf-8")
OF_FILES = {"called", "titles", "whole"}
"""Fields of claims that a file cannot say."""


def test_the_table_of_kinds_is_that_of_the_classes():
    assert guide.with_table(GUIDE) == GUIDE, "run `make generate`"


def test_each_kind_has_a_row_with_what_it_needs():
    rows = {row[0]: row for row in (re.findall(r"`(\w+)`", line) for line in guide.table().splitlines()[2:])}
    assert list(rows) == list(KINDS)
    for name, kind in KINDS.items():
        own = {one.name for one in fields(kind)} - {one.name for one in fields(Kind)}
        assert own <= set(rows[name]), name


@pytest.mark.parametrize("key", sorted({one.name for one in fields(Kind)} - OF_FILES | {"for", "shared"}))
def test_a_key_of_every_claim_has_a_row(key):
    assert re.search(rf"^\| `{key}` \| .+ \|$", GUIDE, re.MULTILINE)


@pytest.mark.parametrize("key", sorted({*_KEYS, *(one.name for one in fields(About))} - {"codes", "proposal"}))
def test_each_key_of_a_study_file_and_of_a_work_is_named(key):
    assert re.search(rf"(\b|`|\[){key}\b", GUIDE), key


@pytest.mark.parametrize("key", [one.name for one in fields(Choice)])
def test_each_key_of_a_choice_has_a_row(key):
    rows = GUIDE[GUIDE.index("| key of a choice |") :]
    assert re.search(rf"^\| `{key}` \| .+ \|$", rows[: rows.index("\n\n")], re.MULTILINE)


@pytest.mark.parametrize("key", [one.name for kind in (Unstated, Search, Sentence) for one in fields(kind)])
def test_each_key_of_what_is_open_of_its_search_and_of_a_sentence_is_named(key):
    assert re.search(rf"`(\[\[unstated\.)?{key}\b", GUIDE), key
