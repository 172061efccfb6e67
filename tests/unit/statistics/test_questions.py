"""The end of a study: what its runs say about the question."""

import math

import pytest

from sojourn._rooms.statistics.questions import Question, standing

A = [10.1, 10.4, 9.8, 10.0, 10.3, 9.9, 10.2, 10.0]
B = [12.0, 12.5, 11.6, 12.1, 12.2, 11.9, 12.3, 12.0]
C = [10.9, 11.0, 10.1, 10.9, 10.8, 10.9, 10.7, 11.0]
VERDICT = Question.parse("decided")


def test_the_best_queue_of_three_is_decided_at_the_first_look():
    found = standing(VERDICT, {"a": A[:6], "c": C[:6], "b": B[:6]}, [6], less=True)

    assert (found.best, found.is_answered) == ("a", True)
    ends = {queue: (one.apart.low, one.apart.high) for queue, one in found.others.items()}
    assert ends["b"] == pytest.approx((1.734701, 2.190424), abs=1e-6)
    assert ends["c"] == pytest.approx((0.099356, 1.171001), abs=1e-6)
    # To be right about both of them together takes more runs.
    assert [one.is_settled for one in found.others.values()] == [False, True]
    again = standing(VERDICT, {"a": A, "c": C, "b": B}, [6, 8], less=True)
    assert all(one.is_settled for one in again.others.values())


def test_more_may_be_better():
    mirrored = {"b": B[:6], "c": C[:6], "a": A[:6]}
    found = standing(VERDICT, mirrored, [6], less=False)

    assert found.others["a"].apart.mean == pytest.approx(1.9666667)
    assert found.is_answered


def test_no_difference_above_a_size_is_left():
    apart = [0.3, -0.2, 0.1, -0.4, 0.2, 0.05, -0.1, 0.15]
    best = [100.0, 100.5, 99.5, 100.2, 99.8, 100.4, 99.6, 100.0]
    other = [value + own for value, own in zip(best, apart, strict=True)]
    half_per_cent = Question.parse("decided:0.5%")

    assert not standing(half_per_cent, {"x": best[:6], "y": other[:6]}, [6], less=True).is_answered
    assert standing(half_per_cent, {"x": best, "y": other}, [6, 8], less=True).others["y"].is_alike
    assert not standing(VERDICT, {"x": best, "y": other}, [6, 8], less=True).is_answered


def test_queues_with_the_same_runs_hold_up_nothing():
    found = standing(VERDICT, {"a": A[:6], "twin": A[:6], "b": B[:6]}, [6], less=True)
    assert (found.others["twin"].is_same, found.is_answered) == (True, True)


def test_runs_without_chance_are_decided_by_one_of_them():
    steady = {"a": [1.0] * 6, "b": [2.0] * 6}
    assert not standing(VERDICT, steady, [6], less=True).is_answered, "six equal signs are not enough"
    assert standing(VERDICT, steady, [6], less=True, sure=["a", "b"]).others["b"].is_worse
    assert standing(VERDICT, {"a": [1.0] * 6, "b": [1.0] * 6}, [6], less=True, sure=["a", "b"]).is_answered


def test_means_are_known_within_a_share():
    values = [101.2, 99.5, 100.8, 98.9, 100.4, 99.7, 101.9, 100.1, 99.2, 100.6]
    within = Question.parse("2%")
    assert standing(within, {"x": values}, [10], less=True).is_answered
    assert not standing(Question.parse("0.5%"), {"x": values}, [10], less=True).is_answered
    assert standing(within, {"x": values, "y": [3.0] * 10}, [10], less=True).is_answered
    assert not standing(within, {"x": values, "y": [math.nan] * 10}, [10], less=True).is_answered


def test_words_of_a_question():
    assert [str(Question.parse(text)) for text in ("decided", "decided: 2 %", "0.5%")] == [
        *("decided", "decided:2%", "0.5%")
    ]
    assert Question.parse("2%").looks(40) == [10, 14, 20, 28, 40]
    for wrong in ("", "2", "decide", "decided:2", "0%", "decided:0%", "100%", "-1%", "decided:"):
        with pytest.raises(ValueError, match="allowed: decided, decided:2%"):
            Question.parse(wrong)
    with pytest.raises(ValueError, match="at least 10 seeds, and this is 8"):
        Question.parse("2%").looks(8)
