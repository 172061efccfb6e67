"""How runs decide about claims: each rule on samples whose verdict is known."""

import math

import pytest

from sojourn.claims import Claim, above, below, every, factor, inside
from sojourn.stats import Interval

# Mean 1, half width t(3) s / sqrt(4) = 3.182 * 0.1 / 2 = 0.159.
NEAR_ONE = [
    1.0 - 0.1 * math.sqrt(0.75),
    1.0 - 0.1 * math.sqrt(0.75),
    1.0 + 0.1 * math.sqrt(0.75),
    1.0 + 0.1 * math.sqrt(0.75),
]


def test_the_interval_of_the_sample_is_what_the_bounds_below_assume():
    interval = below(NEAR_ONE, 0.0).interval

    assert interval.mean == pytest.approx(1.0)
    assert interval.half_width == pytest.approx(0.159, abs=0.001)


@pytest.mark.parametrize(("bound", "verdict"), [(1.2, "holds"), (1.1, "undecided"), (0.9, "undecided"), (0.8, "fails")])
def test_below_holds_only_if_the_whole_interval_is_below(bound, verdict):
    assert below(NEAR_ONE, bound).verdict == verdict


@pytest.mark.parametrize(("bound", "verdict"), [(0.8, "holds"), (0.9, "undecided"), (1.1, "undecided"), (1.2, "fails")])
def test_above_holds_only_if_the_whole_interval_is_above(bound, verdict):
    assert above(NEAR_ONE, bound).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.8, 1.2, "holds"), (0.9, 1.2, "undecided"), (0.8, 1.1, "undecided"), (1.2, 2.0, "fails"), (0.0, 0.8, "fails")],
)
def test_inside_holds_only_if_the_whole_interval_is_inside(low, high, verdict):
    assert inside(NEAR_ONE, low, high).verdict == verdict


@pytest.mark.parametrize("sample", [[], [1.0], [1.0, math.nan]])
def test_fewer_than_two_runs_decide_nothing(sample):
    assert below(sample, 5.0).verdict == "undecided"
    assert above(sample, -5.0).verdict == "undecided"
    assert inside(sample, -5.0, 5.0).verdict == "undecided"


def test_equal_runs_decide_without_a_width_but_not_at_the_bound():
    assert below([0.5, 0.5], 1.0).verdict == "holds"
    assert above([0.5, 0.5], 1.0).verdict == "fails"
    assert below([1.0, 1.0], 1.0).verdict == "undecided"


def test_every_case_must_hold():
    both = every({"first": NEAR_ONE, "second": [10.0, 10.1]}, above, 0.0)
    one_open = every({"first": NEAR_ONE, "second": [10.0, 10.1]}, above, 0.9)

    assert (both.verdict, both.case) == ("holds", "first"), "the least favourable case is shown"
    assert (one_open.verdict, one_open.case) == ("undecided", "first")


def test_one_failing_case_fails_all():
    judged = every({"first": NEAR_ONE, "second": [-1.0, -1.001, -0.999]}, above, 0.0)

    assert (judged.verdict, judged.case) == ("fails", "second")
    assert judged.interval.mean == pytest.approx(-1.0)


def test_many_cases_do_not_make_one_fail_by_chance():
    # Alone it fails at 95 % (interval 1 ± 0.159 above 0.8); with 25 cases failing needs 99.8 %: ± 0.5.
    cases = {"alone": NEAR_ONE}
    many = cases | {str(number): [0.1, 0.1] for number in range(24)}

    assert every(cases, below, 0.8).verdict == "fails"
    assert every(many, below, 0.8).verdict == "undecided"


def test_no_case_is_an_error():
    with pytest.raises(ValueError, match="no case"):
        every({}, below)


def test_a_failure_that_is_explained_says_why():
    failing = below(NEAR_ONE, 0.0)
    plain = Claim.judged("x", failing, rule="below 0")
    explained = Claim.judged("x", failing, rule="below 0", note="mean 1", explanation="their buffer is not stated")
    holding = Claim.judged("x", above(NEAR_ONE), rule="above 0", explanation="their buffer is not stated")

    assert plain.verdict == "fails"
    assert (explained.verdict, explained.note) == ("explained", "mean 1; their buffer is not stated")
    assert (holding.verdict, holding.note) == ("holds", "")


@pytest.mark.parametrize(
    ("published", "verdict"), [(0.945, "holds"), (0.925, "undecided"), (0.90, "fails"), (1.0, "fails")]
)
def test_a_number_is_near_if_its_interval_is_within_the_tolerance(published, verdict):
    claim = Claim.near("u", published=published, ours=Interval(0.95, 0.01, 5), within=0.02, unit="%")

    assert claim.verdict == verdict
    assert claim.rule == "the interval lies within 2 % of the published value"


def test_numbers_are_shown_in_the_claims_unit():
    assert [factor(unit) for unit in ("%", "points", "Mbit/s", "ms", "packets", "")] == [
        100.0,
        100.0,
        1e-6,
        1.0,
        1.0,
        1.0,
    ]
