"""Times that some runs never reach."""

import math

import pytest

from sojourn import Metric
from sojourn._rooms.statistics.censoring import Censored
from sojourn._rooms.statistics.samples import Matrix, first, minus, opposite, ratio, times
from sojourn._rooms.works.design import Design, Seeds
from sojourn._rooms.works.kinds import Bound, Even, Knee, Largest, Linear, Order, Table
from sojourn.claims import Above, Below, Inside, combine
from sojourn.papers import Results

DESIGN = Design(
    scenario="small.toml",
    axes={"flows": {count: {"flow[0].count": int(count)} for count in ("10", "20", "30")}},
    metrics={"time": Metric(column="duration_s", table="completion", statistic="max")},
    seeds=Seeds(quick=2, full=4),
)

NEVER = Censored([25.0] * 8, 25.0)
LATE = Censored([20.0, 25.0, 22.0, 25.0, 21.0, 24.0, 23.5, 22.5], 25.0)
SOON = Censored([3.0, 4.0, 5.0, 3.5, 4.5, 4.2, 3.2, 3.3], 25.0)


def test_a_difference_of_times_that_no_run_reached_is_not_measured():
    for rule in (Above(0.0), Below(0.0), Inside(-1.0, 1.0), Above(5.0)):
        judged = combine({"": rule.of(minus(NEVER, NEVER))})
        assert (judged.verdict, judged.p) == ("not measured", None)
    assert combine({"": Above(1.0).of(ratio(NEVER, NEVER))}).verdict == "not measured"


def test_a_case_that_was_not_measured_says_nothing_beside_others():
    judged = combine({"ARED": Above(0.0).of(minus(LATE, SOON)), "RED": Above(0.0).of(minus(NEVER, NEVER))})

    assert (judged.verdict, judged.case, judged.holding, judged.of) == ("holds", "ARED", 1, 1)
    assert "not measured in 1 of 2 cases" in judged.note


def test_ranks_decide_where_some_runs_never_reach_it():
    later = minus(LATE, SOON)

    assert Above(0.0).of(later).verdict == "holds"
    assert "judged by ranks" in Above(0.0).of(later).note
    assert Above(0.0).of(minus(NEVER, SOON)).verdict == "holds", "never is later than 5 s"
    assert Above(0.0).of(minus(SOON, NEVER)).verdict == "fails"
    assert Below(0.0).of(opposite(later)).verdict == "holds"
    assert Above(2.0).of(ratio(LATE, SOON)).verdict == "holds"
    assert Above(19.0).of(later).verdict == "undecided", "what lies beyond the end is equal"
    assert Above(0.0).of(minus(SOON, SOON)).note == "", "times that every run reaches are numbers as any other"


def test_one_time_is_held_against_its_median():
    assert Below(10.0).of(NEVER).verdict == "fails"
    assert Above(10.0).of(NEVER).verdict == "holds"
    assert combine({"": Below(30.0).of(NEVER)}).verdict == "not measured"
    assert Below(10.0).of(SOON).verdict == "holds"
    assert "2 of 8 runs never reached it" in Above(10.0).of(LATE).note


def test_metrics_know_which_times_were_never_reached():
    settling = Metric(
        column="value",
        table="probe",
        statistic="settling",
        within=[9, 11],
        from_s=25,
        hold_s=2,
        where={"probe": "avg"},
    )

    assert settling.limit(50.0) == 24.0
    sample = settling.sample([(3.0,), (25.0,)], duration_s=50.0)
    assert isinstance(sample, Censored)
    assert sample.never == 1
    assert isinstance(first(sample, 1), Censored)
    told = Metric(column="duration_s", table="completion", statistic="max", never=25.0)
    assert told.sample([(25.0,), (2.0,)]).never == 1
    assert math.isinf(Metric(column="loss_ratio").limit(50.0))


def test_what_is_formed_of_times_that_were_never_reached_is_not_measured():
    lines = Matrix({"1": SOON, "2": LATE, "3": SOON})
    formed = {
        "a mean": lines.mean(),
        "a mean less a time": minus(lines.mean(), SOON),
        "a change, up or down": (lines - Matrix(dict.fromkeys(lines, SOON))).each(abs)["2"],
        "off a line": lines.off_line({"1": 1.0, "2": 2.0, "3": 3.0})["2"],
        "a product": times(LATE, SOON),
    }
    for what, sample in formed.items():
        for rule in (Above(0.0), Below(0.0), Inside(-1.0, 1.0)):
            judged = combine({"": rule.of(sample)})
            assert (judged.verdict, judged.p) == ("not measured", None), what
        assert "has no value" in rule.of(sample).note

    assert Above(0.0).of(Matrix({"1": SOON, "2": SOON}).mean()).verdict == "holds"
    assert Above(0.0).of(minus(LATE, SOON)).is_reached, "two times are still compared by ranks"


@pytest.mark.parametrize(
    "kind",
    [
        Even(text="c", metric="time"),
        Linear(text="c", metric="time", along="flows"),
        Knee(text="c", metric="time", along="flows", knee="20"),
        Order(text="c", metric="time", less={"flows": "10"}, than={"flows": "30"}, change_from={"flows": "20"}),
        Bound(text="c", metric="time", above=1.0, mean_over=["flows"]),
        Table(text="c", metric="time", at={"flows": "30"}, printed=[1.0], printed_runs=1, relative_to={"flows": "10"}),
        Largest(text="c", metric="time", this={"flows": "10"}, that={"flows": "20"}, published=1.0),
    ],
)
def test_no_kind_of_claim_takes_a_cut_time_for_a_value(kind):
    class Times(Results):
        def __init__(self):
            self.design, self.looks, self.used, self.only = DESIGN, 1, set(), {}

        def sample(self, metric, point):  # noqa: ARG002
            return {"10": LATE, "20": LATE, "30": SOON}[point["flows"]]

    assert kind.claim(Times()).verdict == "not measured"
