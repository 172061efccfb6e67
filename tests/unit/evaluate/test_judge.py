"""Differences count if they are large enough and decided; words follow from their sizes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sojourn._rooms.evaluate.criteria import Document, Question, Shown
from sojourn._rooms.evaluate.judge import _chance, _decided
from sojourn._rooms.evaluate.page import Row
from sojourn._rooms.evaluate.words import Dominance, dominance, rivals, sentence
from sojourn._rooms.statistics.intervals import Interval, paired_difference

DOCUMENT = Document(key="d", document="RFC 1", title="", subject="queue", baselines=(), criteria=())
QUESTION = Question(key="d/1", section="1", title="t", asks="?")


def row(good: str, *, better: str = "less", least: float = 0.5, point: str = "", **means: float) -> Row:
    measure = Shown(name=good, label=good, section="1", unit="ms", better=better, least=least, good=good)
    return Row(DOCUMENT, QUESTION, point, measure, {label: Interval(mean, 0.1, 3) for label, mean in means.items()})


def test_words_name_what_is_far_from_the_middle_of_the_others():
    rows = [
        row("short waits", point="mild", a=1.0, b=5.0, c=9.0),
        row("short waits", point="heavy", a=2.0, b=5.0, c=9.0),
        row("a full link", better="more", a=80.0, b=99.0, c=100.0),
        row("nothing", a=1.0, b=1.1, c=1.2),
    ]

    assert sentence(rows, "a") == (
        "good for short waits (1 ms; the middle of the others is 7 ms); "
        "bad for a full link (80 ms; the middle of the others is 99.5 ms)"
    )
    assert sentence(rows[2:3], "b") == "good for a full link (99 ms; the middle of the others is 90 ms)"
    assert sentence(rows[3:], "a") == "nowhere far from the middle of the others"


def test_the_largest_ratio_is_named_first_and_a_small_one_is_not_named():
    rows = [
        row("short waits", a=4.0, b=5.0, c=3.0, d=9.0),
        row("sharing", better="more", a=1.33, b=75.8, c=1.0, d=70.0),
        row("a full link", better="more", a=95.0, b=99.0, c=94.0, d=93.0),
        row("marks", a=0.0, b=0.0, c=0.0, d=0.0),
        row("bursts", a=50.0, b=2.0, c=3.0, d=4.0),
    ]

    found = sentence(rows, "a")

    # 70 / 1.33 is more than 50 / 3; 94 / 95 is nothing.
    assert found.startswith("good for short waits (4 ms; ")
    assert found.index("bad for sharing (1.33 ms; the middle of the others is 70 ms)") < found.index("bursts")
    assert "full link" not in found
    assert "marks" not in found


def test_chance_is_student_s_and_that_of_signs_where_nothing_varies():
    assert _chance(Interval(math.nan, math.nan, 1)) == 1.0
    assert _chance(paired_difference([2.0, 2.0], [1.0, 1.0])) == 0.5
    assert _chance(paired_difference([0.4] * 6, [0.1 + 0.2 - 0.2] * 5 + [0.1])) == 2 / 64
    assert _chance(paired_difference([1.0, 1.0], [1.0, 1.0])) == 1.0
    # The mean of 1, 2, 3 has t = 3.464 with two degrees of freedom: p = 0.0742.
    assert _chance(paired_difference([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])) == pytest.approx(0.0742, abs=1e-4)


def test_decisions_are_made_together():
    # Benjamini and Hochberg: 0.01 <= 0.05 / 4 and 0.02 <= 0.1 / 4 count; 0.04 > 0.15 / 4 does not.
    found = _decided([(0.04, 0, "c"), (0.01, 0, "a"), (0.5, 0, "d"), (0.02, 0, "b")])

    assert found == {(0, "a"), (0, "b")}
    assert _decided([]) == frozenset()


def decided(better: tuple[str, ...], worse: tuple[str, ...], **means: float) -> Row:
    return replace(row("waits", **means), better=better, worse=worse)


def test_a_baseline_dominates_that_is_better_in_one_number_and_behind_in_none():
    waits = decided((), ("c", "d"), a=9.0, b=9.1, c=5.0, d=5.0)
    used = replace(row("use", better="more", a=90.0, b=80.0, c=89.8, d=80.0), better=("b",), worse=())

    # c is behind in use by less than half a point, d by ten points that are not decided.
    assert dominance([waits, used], "a") == Dominance(by=("c",), over=("b",))
    assert str(dominance([waits], "a")) == "dominated by c and d"
    assert str(dominance([row("waits", a=9.0, b=5.0)], "a")) == ""


def test_rivals_are_named_with_their_largest_difference():
    questions = [
        [decided((), ("c",), a=9.0, b=9.0, c=6.0)],
        [decided((), ("c", "b"), a=9.0, b=8.0, c=3.0)],
        [decided(("b",), (), a=9.0, b=11.0, c=9.0)],
    ]

    # b is dominated at the third question.
    assert rivals(questions, "a") == (
        "c dominates it at 2 of 3 questions and is dominated at none; at t its waits is 3 ms against 9 ms."
    )
    assert rivals(questions[2:], "a") == ""
