"""How runs decide about claims: each rule on samples whose verdict is known."""

import math
from dataclasses import replace

import pytest

from sojourn._rooms.works.exhibits import figures
from sojourn.claims import (
    Bounded,
    Claim,
    Counts,
    Evidence,
    Matrix,
    above,
    below,
    combine,
    corrected,
    every,
    factor,
    inside,
    interval_of,
    minus,
    ratio,
)
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


def test_runs_that_are_all_zero_decide_nothing():
    # Nothing lost in short runs is not a loss of zero: a printed loss of 0.018 % is not refuted by it.
    for runs in (5, 50):
        assert inside([0.0] * runs, 0.00016, 0.0002).verdict == "undecided"
        assert below(minus([0.0] * runs, [1.0] * runs), 5.0).verdict == "undecided", "one of both was never seen"


def test_equal_runs_are_judged_by_the_sign_test():
    # An average that stays outside of its target to the end of each of n runs: 2 * 2^-n for both sides.
    assert below([25.0] * 5, 24.0).verdict == "undecided", "0.0625"
    never = below([25.0] * 6, 24.0)
    assert (never.verdict, never.p) == ("fails", pytest.approx(2 / 64))
    assert above([25.0] * 6, 24.0).verdict == "holds"
    assert above([25.0] * 60, 25.0).verdict == "undecided", "at the bound"
    assert below(minus([25.0] * 6, [25.0] * 6), -2.5).verdict == "fails", "both never came"

    claim = Claim.judged("comes back", never, rule="below 24 s")
    assert claim.note == "all 6 runs are equal: judged is their median, by the sign test"
    varied = Claim.judged("comes back", below([25.0, 24.5, 25.0], 24.0), rule="below 24 s")
    assert "sign test" not in varied.note
    same = Claim.judged("the same", below(minus([1.0, 2.0], [1.0, 2.0]), 0.5), rule="below 0.5")
    assert (same.verdict, same.note) == ("holds", ""), "the same run twice"


def test_runs_that_vary_and_do_not_differ_are_the_same_and_decide():
    gain = Matrix({"SACK": ratio([3.0, 4.0], [3.0, 4.0])}).each(lambda value: value - 1.0)["SACK"]

    assert gain == [0.0, 0.0]
    assert inside(gain, -0.01, 0.01).verdict == "holds"
    assert below(gain, -0.01).verdict == "fails"
    assert above(gain).verdict == "undecided", "at the bound"
    assert inside(minus([0.0] * 9, [0.0] * 9), -0.01, 0.01).verdict == "undecided", "nothing was seen in either"
    assert below(ratio([0.0, 0.0], [3.0, 4.0]), 1.0).verdict == "undecided", "nothing was seen in one"


def test_a_share_of_which_nothing_was_seen_has_an_upper_bound():
    # Clopper and Pearson: (1 - u)^1000 = 0.025, so u = 1 - 0.025^(1/1000) = 0.003682.
    nothing = Counts([0, 0], [500, 500])

    assert below(nothing, 0.0037).verdict == "holds"
    assert below(nothing, 0.0036).verdict == "undecided"
    assert above(nothing, 0.0037).verdict == "fails"
    assert below(nothing, 0.0037).p == pytest.approx(2 * (1 - 0.0037) ** 1000)
    # Twenty at a time: 50 groups, u = 1 - 0.025^(1/50) = 0.0711.
    assert below(Counts([0, 0], [500, 500], together=20), 0.0037).verdict == "undecided"
    assert below(Counts([0, 0], [500, 500], together=20), 0.0712).verdict == "holds"


def test_few_events_decide_only_what_both_intervals_decide():
    # One of 1000: Student's interval over the runs reaches to 0.0003, the exact one to 0.0056.
    one = Counts([1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [100] * 10)

    assert below(list(one), 0.0045).verdict == "holds"
    assert below(one, 0.0045).verdict == "undecided"
    assert below(one, 0.0057).verdict == "holds"


def test_a_share_of_many_events_is_judged_as_any_sample():
    many = Counts([10, 12, 11, 9], [100] * 4)

    assert below(many, 0.13).interval == below(list(many), 0.13).interval
    assert below(many, 0.13).p == below(list(many), 0.13).p


def test_every_case_must_hold():
    both = every({"first": NEAR_ONE, "second": [10.0, 10.1]}, above, 0.0)
    one_open = every({"first": NEAR_ONE, "second": [10.0, 10.1]}, above, 0.9)

    assert (both.verdict, both.case) == ("holds", "first"), "the least favourable case is shown"
    assert (one_open.verdict, one_open.case) == ("undecided", "first")


def test_the_least_favourable_case_is_the_one_nearest_to_a_bound_not_the_widest():
    # Within 2 of 0: the first is three times as wide, but the second comes nearer to 2.
    judged = every({"wide": [0.3, -0.3, 0.0], "near": [1.8, 1.81, 1.79]}, inside, -2.0, 2.0)

    assert (judged.verdict, judged.case) == ("holds", "near")


def test_one_failing_case_fails_all():
    judged = every({"first": NEAR_ONE, "second": [-1.0, -1.001, -0.999]}, above, 0.0)

    assert (judged.verdict, judged.case) == ("fails", "second")
    assert judged.interval.mean == pytest.approx(-1.0)


def test_an_interval_ends_where_the_number_cannot_be_and_decides_as_before():
    # Mean 2, half width 4.303 * 2.646 / sqrt(3) = 6.57.
    runs = [0.0, 1.0, 5.0]
    rates = Bounded(runs, (0.0, math.inf))

    cut = interval_of(rates)

    assert (cut.low, cut.mean, cut.half_width) == (0.0, 2.0, pytest.approx(6.572, abs=1e-3))
    assert cut.high == pytest.approx(8.572, abs=1e-3)
    assert interval_of(ratio(rates, Bounded([1.0, 1.0, 1.0], (0.0, math.inf)))).low == 0.0
    assert interval_of(minus(rates, [0.0, 0.0, 0.0])).low < 0.0, "a difference may be below zero"
    assert interval_of(Matrix({"a": rates, "b": rates}).mean()).low == 0.0
    for rule in (above, below):
        assert rule(rates, 0.5).p == rule(runs, 0.5).p
    assert figures(cut) == "2.0 [0, 8.6]"


def test_many_cases_do_not_make_one_fail_by_chance():
    # Alone it fails at 95 % (interval 1 ± 0.159 above 0.8); with 25 cases failing needs 99.8 %: ± 0.5.
    cases = {"alone": NEAR_ONE}
    many = cases | {str(number): [0.1, 0.1001] for number in range(24)}

    assert every(cases, below, 0.8).verdict == "fails"
    assert every(many, below, 0.8).verdict == "undecided"


def test_no_case_is_an_error():
    with pytest.raises(ValueError, match="no case"):
        every({}, below)


def test_a_failure_of_what_the_source_contradicts_says_so():
    failing = below(NEAR_ONE, 0.0)
    plain = Claim.judged("x", failing, rule="below 0")
    twofold = Claim.judged("x", failing, rule="below 0", note="mean 1", contradiction="table 2 has it above")
    holding = Claim.judged("x", above(NEAR_ONE), rule="above 0", contradiction="table 2 has it below")

    assert plain.verdict == "fails"
    assert (twofold.verdict, twofold.note) == ("contradicted", "mean 1; table 2 has it above")
    assert (holding.verdict, holding.note) == ("holds", "")


@pytest.mark.parametrize(("published", "verdict"), [(1.05, "holds"), (1.15, "undecided"), (1.4, "fails")])
def test_a_number_is_near_if_its_interval_is_within_the_tolerance(published, verdict):
    claim = Claim.near("u", published=published, ours=NEAR_ONE, within=0.22, unit="%")

    assert claim.verdict == verdict
    assert claim.rule == "the interval lies within 22 % of the published value"


def claim(p, verdict="holds", reading="", experiment=""):
    return Claim(text=f"p is {p}", verdict=verdict, p=p, reading=reading, experiment=experiment)


def test_claims_of_an_experiment_are_decided_by_their_false_discovery_rate():
    # Of four: 0.0125, 0.025, 0.0375, 0.05. The largest p-value below its own is the third.
    found = corrected([claim(0.03), claim(0.001, "fails"), claim(0.026), claim(0.06, "contradicted")])

    assert [one.verdict for one in found] == ["holds", "fails", "holds", "undecided"], "0.026 goes with 0.03"
    assert [one.alone for one in found] == [None, None, None, "contradicted"]
    assert "alone it fails (p = 0.06), among the 4 of its experiment that is no decision" in found[3].note


def test_a_claim_is_decided_among_those_of_its_experiment_alone():
    alone = corrected([claim(0.03, experiment="E1"), claim(0.001, experiment="E1")])
    many = [claim(0.9, "undecided", experiment="E2") for _ in range(100)]

    assert corrected([*alone, *many])[:2] == alone


def test_what_chose_the_setting_is_fitted_and_not_what_holds():
    fitted = Claim.judged("x", above(NEAR_ONE), rule="above 0", fitted="the size of packets")
    failing = Claim.judged("x", below(NEAR_ONE), rule="below 0", fitted="the size of packets")

    assert (fitted.verdict, fitted.note) == ("fitted", "the size of packets")
    assert (failing.verdict, failing.note) == ("fails", "")


def test_a_reading_is_a_family_of_its_own_and_what_is_certain_is_in_none():
    certain = Claim.that("nine is a square", True)
    found = corrected([claim(0.04), certain, claim(0.04, reading="other"), claim(0.06, reading="other")])

    assert [one.verdict for one in found] == ["holds", "holds", "undecided", "undecided"]


def test_a_reading_turns_a_verdict_if_the_same_runs_as_read_first_have_another():
    # With two claims the smaller p-value needs 0.025, the larger 0.05: 0.04 and 0.06 decide nothing.
    open_here = replace(claim(0.06, reading="other"), beside=claim(0.03, "fails"))
    decided = replace(claim(0.04, reading="other"), beside=claim(0.001, "fails"))

    found = corrected([open_here, decided])

    assert [(one.verdict, one.beside.verdict) for one in found] == [("undecided", "fails"), ("undecided", "fails")]
    assert found[0].beside.alone is None, "what stands beside is a family of two: 0.001 < 0.025, 0.03 < 0.05"
    assert [one.turned for one in found] == [True, True]
    assert not claim(0.001).turned


def test_a_matrix_is_subtracted_case_by_case_and_seed_by_seed():
    loss = Matrix({"10": [1.0, 2.0], "20": [4.0, 5.0], "40": [8.0, 9.0]})

    assert dict(loss - Matrix({"10": [1.0, 1.0], "20": [1.0, 1.0], "40": [0.0, 0.0]})) == {
        "10": [0.0, 1.0],
        "20": [3.0, 4.0],
        "40": [8.0, 9.0],
    }
    assert dict(loss.ends()) == {"40 against 10": [7.0, 7.0]}
    # On the line through (10, 1) and (40, 8), 20 would have 1 + 7/3: it has 3 - 7/3 more, a share of 2/21 of the rise.
    assert loss.off_line({"10": 10.0, "20": 20.0, "40": 40.0})["20"][0] == pytest.approx(2 / 21)
    assert loss.mean() == pytest.approx([13 / 3, 16 / 3])
    with pytest.raises(ValueError, match="the cases differ"):
        loss - Matrix({"10": [1.0, 1.0]})


def test_numbers_are_shown_in_the_claims_unit():
    assert [factor(unit) for unit in ("%", "points", "Mbit/s", "ms", "packets", "")] == [
        100.0,
        100.0,
        1e-6,
        1.0,
        1.0,
        1.0,
    ]


def test_what_only_several_looks_leave_undecided_is_shown_with_the_case_that_does():
    # Alone each case holds at 95 %: 0.02. Looked at three times it is 0.06 for one of them, and nothing is decided.
    sure, unsure = (Evidence(Interval(1.0, 0.1, 5), hold, 1.0, margin) for hold, margin in ((0.001, 0.9), (0.02, 0.1)))

    judgement = combine({"sure": sure, "unsure": unsure}, looks=3)

    assert (judgement.verdict, judgement.case) == ("undecided", "unsure")
    assert combine({"sure": sure, "unsure": unsure}).verdict == "holds"
