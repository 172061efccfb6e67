"""Differences count if they are large enough and decided; words follow from places."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sojourn._rooms.evaluate.criteria import Document, Question, Shown
from sojourn._rooms.evaluate.judge import _chance, _decided
from sojourn._rooms.evaluate.page import Row
from sojourn._rooms.evaluate.words import ahead_of_it, places, sentence
from sojourn._rooms.statistics.intervals import Interval, paired_difference

DOCUMENT = Document(key="d", document="RFC 1", title="", subject="queue", baselines=(), criteria=())
QUESTION = Question(key="d/1", section="1", title="t", asks="?")


def row(good: str, *, better: str = "less", least: float = 0.5, point: str = "", **means: float) -> Row:
    measure = Shown(name=good, label=good, section="1", unit="ms", better=better, least=least, good=good)
    return Row(DOCUMENT, QUESTION, point, measure, {label: Interval(mean, 0.1, 3) for label, mean in means.items()})


def test_a_place_counts_those_that_are_clearly_better():
    waits = row("short waits", a=1.0, b=1.4, c=9.0, d=math.nan)

    assert [waits.place(one) for one in "abc"] == [(1, 3), (1, 3), (3, 3)]
    assert waits.place("d") is None
    assert row("", better="", a=1.0, b=2.0).place("a") is None


def test_words_say_first_and_last_quarter():
    rows = [
        row("short waits", point="mild", a=1.0, b=5.0, c=9.0),
        row("short waits", point="heavy", a=2.0, b=5.0, c=9.0),
        row("a full link", better="more", a=80.0, b=99.0, c=100.0),
        row("nothing", a=1.0, b=1.1, c=1.2),
    ]

    assert sentence(rows, "a") == "good for short waits (1 ms, 1st of 3); bad for a full link (80 ms, 3rd of 3)"
    assert sentence(rows, "b") == "in the middle of the field everywhere"
    assert places(rows, "c")["short waits"][0] == 1.0


def test_the_largest_loss_is_named_whatever_its_place():
    rows = [
        row("short waits", a=4.0, b=5.0, c=3.0, d=9.0),
        row("sharing", better="more", a=1.33, b=75.8, c=1.0, d=70.0),
        row("a full link", better="more", a=95.0, b=99.0, c=94.0, d=93.0),
    ]

    # By places it is third of four in sharing, which is in the middle of the field.
    assert sentence(rows, "a") == "bad for sharing (1.33 ms, 3rd of 4 with 1 other; the middle of the others is 70 ms)"
    assert "sharing" not in sentence([*rows[:1], row("sharing", better="more", a=60.0, b=75.8, c=1.0, d=70.0)], "a")


def test_a_place_that_most_of_the_field_shares_is_told_last():
    rows = [
        row("marks", a=0.0, b=0.0, c=0.0, d=0.0, e=9.0),
        row("short waits", a=10.0, b=2.0, c=30.0, d=40.0, e=50.0),
        row("bursts", a=1.0, b=30.0, c=40.0, d=50.0, e=60.0),
    ]

    found = sentence(rows, "a")

    assert (
        found
        == "good for bursts (1 ms, 1st of 5), short waits (10 ms, 2nd of 5) and marks (0 ms, 1st of 5 with 3 others)"
    )


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


def test_those_that_win_more_than_they_lose_are_named():
    def decided(better: tuple[str, ...], worse: tuple[str, ...]) -> Row:
        return replace(row("waits", a=1.0, b=2.0), better=better, worse=worse)

    rows = [decided(("b",), ("c", "d")), decided(("b", "c"), ("d",)), decided((), ("c", "b"))]

    assert ahead_of_it(rows) == "On the whole it is behind d (0 for it, 2 against it) and c (1 for it, 2 against it)."
    assert ahead_of_it(rows[:1]).endswith("behind c (0 for it, 1 against it) and d (0 for it, 1 against it).")
    assert ahead_of_it([decided(("b",), ())]) == ""
