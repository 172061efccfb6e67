"""Criteria are read strictly, can be run, and say which section each number answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sojourn import _core
from sojourn._rooms.evaluate import criteria
from sojourn._rooms.evaluate.criteria import Document, documents
from sojourn._rooms.evaluate.runs import point_labels
from sojourn._rooms.evaluate.subjects import named, scenario_of
from sojourn._rooms.runs.metrics import not_begun
from sojourn._rooms.sweeps.axes import scenarios

QUICK = [*documents("queue", quick=True), *documents("sender", quick=True)]
SUBJECTS = {"queue": "codel", "sender": "cubic"}


@pytest.mark.parametrize("document", QUICK, ids=lambda one: one.key)
def test_every_point_can_be_built_and_every_measure_has_its_row(document: Document):
    (subject,) = named([SUBJECTS[document.subject]]).values()
    for criterion in document.criteria:
        bases = scenarios(criterion.scenario, criterion.axes) if criterion.axes else {"": criterion.scenario}
        assert list(bases) == point_labels(criterion)
        for base in bases.values():
            begun = not_begun(scenario_of(criterion, base, subject))
            for measure in criterion.measures:
                measure.metric.try_on(begun)


@pytest.mark.parametrize("document", QUICK, ids=lambda one: one.key)
def test_every_number_names_a_section_and_what_counts(document: Document):
    for criterion in document.criteria:
        assert criterion.asks.endswith(("?", "."))
        for measure in criterion.measures:
            assert re.fullmatch(r"\d+(\.\d+)*", measure.section), criterion.key
            assert bool(measure.better) == (measure.least > 0.0), (criterion.key, measure.name)
            assert measure.better or not measure.good


def test_the_full_set_asks_all_that_the_quick_one_asks():
    full = {one.key for document in documents("queue", quick=False) for one in document.criteria}

    assert {one.key for document in documents("queue", quick=True) for one in document.criteria} <= full


def test_every_section_of_the_guidelines_is_asked_answered_or_named():
    (guide,) = (one for one in QUICK if one.key == "rfc7928")
    asked = " ".join([one.section for one in guide.criteria] + list(guide.left) + list(guide.answered))
    numbers = {measure.section for one in guide.criteria for measure in one.measures}

    for section in ("4.4", "4.5", "4.6", "5.1.1", "5.1.2", "5.2", "5.3", "5.4", "6.2", "7.2", "8.2.2-8.2.4", "8.2.5"):
        assert section in asked
    for section in ("8.2.6", "9.1", "9.2", "10.2", "11.2", "12.2"):
        assert section in asked
    assert {"2.1", "2.3", "2.4", "2.5", "2.6"} <= numbers


def test_every_criterion_of_rfc_9743_is_asked_answered_or_named():
    (guide,) = (one for one in QUICK if one.key == "rfc9743")
    known = {*(one.section for one in guide.criteria), *guide.left, *guide.answered}

    wanted = {f"5.1.{place}" for place in range(1, 6)} | {f"5.2.{place}" for place in range(1, 4)}
    wanted |= {"5.3.1", "5.3.2"} | {f"6.{place}" for place in range(1, 5)} | {f"7.{place}" for place in range(1, 12)}
    assert known == wanted


ABOUT = 'title = "T"\ndocument = "RFC 1"\nsubject = "queue"\nbaselines = ["fifo"]\n'
ASKED = """section = "1"
title = "t"
asks = "a?"

[scenario]
duration = "1s"
[scenario.dumbbell]
rate = "1Mbit"
delay = "1ms"
[[scenario.flow]]
name = "tcp"

[measure.used]
label = "used"
section = "1"
metric = { column = "utilisation" }
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('section = "1"\ntitle', "section = 1\ntitle", "1.toml:1:1: section"),
        ("label =", "labl =", "measure.used"),
        ("utilisation", "utilization", "utilisation"),
        ('asks = "a?"', 'asks = "a?"\nbetter = "x"', "better"),
        ('label = "used"', 'label = "used"\nbetter = "up"', "measure.used.better"),
        ('label = "used"', 'label = "used"\ntimes = 0', "measure.used.times"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: str):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "about.toml").write_text(ABOUT)
    (folder / "1.toml").write_text(ASKED.replace(old, new))

    with pytest.raises(ValueError, match=re.escape(told)):
        documents("queue", quick=True, place=tmp_path)


def test_what_a_criterion_needs_and_is_not_there_is_named(tmp_path: Path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "about.toml").write_text(ABOUT)
    (folder / "1.toml").write_text(ASKED.replace('asks = "a?"', 'asks = "a?"\nneeds = ["control:nobody"]'))

    (found,) = documents("queue", quick=True, place=tmp_path)

    assert not found.criteria
    assert "control:nobody" in found.left["1"]


def test_a_swing_changes_the_rate_until_the_end():
    (one,) = (c for d in QUICK for c in d.criteria if c.key == "rfc7928/8.2.6-slow")

    changes = one.scenario.resolved()["dumbbell"]["changes"]

    assert [(_core.seconds(at["at"]), at["rate"]) for at in changes] == [(20.0, "10Mbit"), (40.0, "100Mbit")]
    assert criteria.PLACE.is_dir()
