"""Kinds of claims on made-up runs, the words of their rules, and the treatment of results without a run."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.made_up import DESIGN, MadeUp
from sojourn._rooms.works.design import NotRunError, Product, Seeds
from sojourn._rooms.works.kinds import (
    Bound,
    Equivalent,
    Even,
    Extreme,
    Gain,
    Knee,
    Linear,
    Monotone,
    Near,
    Order,
    Table,
    Trend,
    WithinFactor,
)
from sojourn._rooms.works.overview import fits
from sojourn.claims import Matrix


def judged(kind, loss):
    claim = kind.claim(MadeUp(loss))
    return claim.verdict, claim.rule


def test_an_order_is_judged_in_every_case_or_in_the_mean():
    order = Order(text="RED loses less", metric="loss", less={"queue": "red"}, than={"queue": "fifo"})
    words = "loss of fifo less that of red, seed by seed, is above 0"

    assert judged(order, lambda queue, _: 0.01 if queue == "red" else 0.02) == (
        "holds",
        f"{words}, in each of 3 cases",
    )
    assert judged(order, lambda queue, n: 0.01 if queue == "red" and n > 10 else 0.02)[0] == "undecided"
    assert judged(replace(order, mean=True), lambda queue, n: 0.01 if queue == "red" and n > 10 else 0.02) == (
        "holds",
        f"the mean over all cases of {words}",
    )
    assert judged(replace(order, by=0.015), lambda queue, _: 0.01 if queue == "red" else 0.02) == (
        "fails",
        "loss of fifo less that of red, seed by seed, is above 1.5 points, in each of 3 cases",
    )


def test_an_order_of_changes_compares_by_how_much_a_metric_differs_from_elsewhere():
    # From 10 to 40 flows RED rises by 0.03, drop tail falls by 0.05.
    results = MadeUp(
        lambda queue, flows: {("red", 10): 0.01, ("red", 40): 0.04, ("fifo", 10): 0.09}.get((queue, flows), 0.04)
    )
    ends = [{"queue": queue, "flows": "40"} for queue in ("red", "fifo")]
    order = Order(text="", metric="loss", less=ends[0], than=ends[1], change_from={"flows": "10"})

    assert order.claim(results).verdict == "holds"
    assert order.claim(results).ours.mean == pytest.approx(0.02, abs=1e-4)
    assert "the change from flows 10, up or down" in order.words("")
    assert replace(order, less=ends[1], than=ends[0]).claim(results).verdict == "fails"


def test_a_metric_that_rises_with_each_step_is_monotone():
    rises = Monotone(text="x", metric="loss", along="flows", at={"queue": "red"}, rises=True)

    assert judged(rises, lambda _, n: n / 1000) == (
        "holds",
        "each step of loss along flows, seed by seed, is above 0, in each of 2 cases",
    )
    assert judged(rises, lambda _, n: {10: 0.01, 20: 0.03, 40: 0.02}[n])[0] == "fails"
    assert judged(replace(rises, at={}), lambda _, n: n / 1000)[1].endswith("in each of 4 cases")


def test_a_metric_is_linear_within_a_share_of_its_rise():
    line = Linear(text="x", metric="loss", along="flows", at={"queue": "red"}, within=0.1)

    assert judged(line, lambda _, n: n / 1000) == (
        "holds",
        "loss lies within 10 % of the whole rise of the line through the outermost points of flows",
    )
    # At 20 of 10 to 40 the line has risen by a third, the square by 3/15.
    assert judged(line, lambda _, n: n * n / 1e5)[0] == "fails"


def test_an_extreme_is_where_no_other_point_is_better():
    lowest = Extreme(text="x", metric="loss", along="flows", at={"queue": "red"}, point="20", least=True)
    words = "loss at any other less that at flows 20, seed by seed, is above 0"

    assert judged(lowest, lambda _, n: {10: 0.02, 20: 0.01, 40: 0.03}[n]) == ("holds", f"{words}, in each of 2 cases")
    assert judged(lowest, lambda _, n: {10: 0.02, 20: 0.01, 40: 0.005}[n])[0] == "fails"
    assert judged(replace(lowest, by=0.01), lambda _, n: {10: 0.02, 20: 0.01, 40: 0.005}[n])[0] == "holds"
    assert judged(replace(lowest, least=False), lambda _, n: {10: 0.02, 20: 0.03, 40: 0.005}[n])[0] == "holds"
    # Every case of the axes that are left is judged: here both queues.
    both = replace(lowest, at={})
    assert judged(both, lambda queue, n: 0.01 if n == 20 else 0.02 if queue == "red" else 0.03)[0] == "holds"
    assert judged(both, lambda queue, n: 0.01 if (n == 20) == (queue == "red") else 0.02)[0] == "fails"


def test_what_was_not_run_is_no_claim():
    # A reading may have some points of an axis only.
    few = MadeUp(lambda *_: 0.01)
    few.only = {"flows": ["10"]}
    for kind in (
        Extreme(text="x", metric="loss", along="flows", at={"queue": "red"}, point="20", least=True),
        Extreme(text="x", metric="loss", along="flows", at={"queue": "red"}, point="10", least=True),
        Monotone(text="x", metric="loss", along="flows", at={"queue": "red"}, rises=True),
    ):
        with pytest.raises(NotRunError):
            kind.claim(few)


def test_a_knee_is_where_a_metric_stops_to_change():
    knee = Knee(text="x", metric="loss", along="flows", at={"queue": "red"}, knee="20")

    assert judged(knee, lambda _, n: {10: 0.01, 20: 0.05, 40: 0.051}[n])[0] == "holds"
    assert judged(knee, lambda _, n: {10: 0.01, 20: 0.05, 40: 0.09}[n])[0] == "fails"
    assert judged(knee, lambda _, n: {10: 0.05, 20: 0.01, 40: 0.05}[n])[0] == "fails"


def test_a_number_is_near_and_ratios_are_within_bounds():
    near = Near(
        text="x", metric="loss", at={"queue": "red", "flows": "10"}, published=0.02, within=0.001, contradiction="!"
    )
    ratio = {"this": {"queue": "red"}, "that": {"queue": "fifo"}}
    same = Equivalent(text="x", metric="loss", within=0.05, **ratio)
    twice = WithinFactor(text="x", metric="loss", times=2.0, up_to=1.25, **ratio)

    assert judged(near, lambda *_: 0.0201) == ("holds", "loss at red, flows 10 is within 0.1 of the printed 2 %")
    assert judged(near, lambda *_: 0.03)[0] == "contradicted"
    assert judged(same, lambda *_: 0.02)[0] == "holds"
    assert judged(same, lambda queue, _: 0.02 if queue == "red" else 0.03) == (
        "fails",
        "loss of red over that of fifo, seed by seed, is between 0.95 and 1.05, in each of 3 cases",
    )
    assert judged(twice, lambda queue, _: 0.042 if queue == "red" else 0.02)[0] == "holds"
    assert judged(twice, lambda queue, _: 0.06 if queue == "red" else 0.02)[0] == "fails"


def test_a_bound_is_kept_in_every_case_that_is_left():
    bound = Bound(text="x", metric="loss", at={"queue": "red"}, below=0.03)

    assert judged(bound, lambda _, n: n / 2000) == ("holds", "loss of red is below 3 %, in each of 3 cases")
    assert judged(replace(bound, above=0.01), lambda _, n: n / 2000)[0] == "fails"
    assert judged(replace(bound, at={}, only={"queue": ["red"]}), lambda _, n: n / 2000)[0] == "holds"


def test_a_gain_is_a_ratio_less_one():
    gain = Gain(text="x", metric="loss", this={"queue": "red"}, that={"queue": "fifo"}, above=0.0)

    assert judged(gain, lambda queue, _: 0.021 if queue == "red" else 0.02) == (
        "holds",
        "loss of red over that of fifo, less one, seed by seed, is above 0, in each of 3 cases",
    )
    assert judged(replace(gain, above=None, below=0.04), lambda queue, _: 0.021 if queue == "red" else 0.02) == (
        "fails",
        "loss of red over that of fifo, less one, seed by seed, is below 4 %, in each of 3 cases",
    )
    assert judged(replace(gain, above=-0.1, below=0.1), lambda *_: 0.02)[0] == "holds"
    with pytest.raises(ValueError, match="say `above`, `below` or both"):
        judged(replace(gain, above=None), lambda *_: 0.02)


def test_a_metric_may_be_taken_relative_to_another_point_and_in_the_mean_over_an_axis():
    # RED is 2, 3 and 4 times drop tail: 3 times in the mean, though 40 / 12 of the means.
    loss = {("fifo", 10): 0.06, ("fifo", 20): 0.03, ("fifo", 40): 0.01}
    times = {10: 2.0, 20: 3.0, 40: 4.0}

    def made(queue, flows):
        return loss["fifo", flows] * (times[flows] if queue == "red" else 1.0)

    ratio = {"text": "", "metric": "loss", "at": {"queue": "red"}, "relative_to": {"queue": "fifo"}}
    mean = Bound(**ratio, mean_over=["flows"], above=2.9, below=3.1)

    assert judged(mean, made) == ("holds", "the mean over flows of loss relative to fifo of red is between 2.9 and 3.1")
    assert judged(replace(mean, above=3.1, below=None), made)[0] == "fails"
    assert judged(Monotone(**ratio, along="flows", rises=True), made)[0] == "holds"
    assert judged(Monotone(**(ratio | {"relative_to": {}}), along="flows", rises=True), made)[0] == "fails"


def test_a_metric_is_even_where_it_is_near_its_mean_in_every_case():
    # The mean is 0.02; the farthest case lies 0.004 or a fifth of it away.
    even = Even(text="", metric="loss", at={"queue": "red"}, within=0.25)

    def made(_, flows):
        return {10: 0.016, 20: 0.02, 40: 0.024}[flows]

    assert judged(even, made)[0] == "holds"
    assert judged(replace(even, within=0.15), made)[0] == "fails"
    assert judged(replace(even, off=0.005), made)[0] == "holds"
    words = "loss of red less its mean over the cases, seed by seed, is within 0.3 points of 0, in each of 3 cases"
    assert judged(replace(even, off=0.003), made) == ("fails", words)


def test_a_line_may_be_kept_within_an_amount():
    # The line from 0.01 at 10 to 0.04 at 40 has 0.02 at 20; 0.021 is off by 0.001.
    linear = Linear(text="", metric="loss", along="flows", at={"queue": "red"}, off=0.002)

    def made(_, flows):
        return {10: 0.01, 20: 0.021, 40: 0.04}[flows]

    assert judged(linear, made)[0] == "holds"
    assert judged(replace(linear, off=0.0005), made)[0] == "fails"


def test_a_product_has_powers_that_may_differ_from_point_to_point():
    product = Product(of=["loss", "loss"], powers={"red": [1.0, -0.5], "fifo": [0.0, 2.0]})
    design = replace(DESIGN, metrics={**DESIGN.metrics, "product": product})

    def at(queue):
        made = MadeUp(lambda *_: 0.04)
        made.design = design
        return product.sample(made, {"queue": queue, "flows": "10"})

    # 0.04 / sqrt(0.04), and 0.04 squared.
    assert at("red")[0] == pytest.approx(0.2)
    assert at("fifo")[0] == pytest.approx(0.0016)


def test_a_table_has_its_own_errors_or_a_share_that_is_said_to_be_ours():
    table = Table(text="x", metric="loss", at={"queue": "red"}, printed=[0.01, 0.02, 0.03], errors=[0.001] * 3)
    ours = replace(table, errors=(), share=0.02)

    assert judged(table, lambda _, n: {10: 0.0105, 20: 0.0195, 40: 0.03}[n])[0] == "holds"
    assert judged(ours, lambda _, n: {10: 0.0105, 20: 0.0195, 40: 0.03}[n]) == (
        "fails",
        "loss of red is within 2 % of the printed value; no error is printed, that share is ours, in each of 3 cases",
    )
    claim = ours.claim(MadeUp(lambda _, n: {10: 0.0105, 20: 0.0195, 40: 0.03}[n]))
    assert (claim.published, claim.note) == (0.01, "decided by flows 10; 1 of 3 cases hold"), (
        "the cell that is farthest off, in units of its tolerance"
    )
    with pytest.raises(ValueError, match="2 printed numbers for 3 cases"):
        replace(ours, printed=[0.1, 0.2]).claim(MadeUp(lambda *_: 0.1))


def test_the_fit_of_a_reading_is_its_distance_from_the_printed_table_and_one_cell_does_not_drown_the_others():
    table = Table(text="x", metric="loss", at={"queue": "red"}, printed=[0.01, 0.02, 0.004], share=0.1)
    # Off by a tenth at 10 flows and right at 20; 0.004 is a misprint of 0.04, off by nine times itself.
    runs = {"as run": MadeUp(lambda _, n: {10: 0.011, 20: 0.02, 40: 0.04}[n]), "half": MadeUp(lambda *_: 0.01)}

    found = fits(runs, [table])

    columns = ["median cell", "median cell, as run", "farthest cell", "farthest cell, as run"]
    rows = [("half", column) for column in columns] + [("as run", "median cell"), ("as run", "farthest cell")]
    assert [(one.row, one.column, one.group, one.unit) for one in found.numbers] == [
        (row, f"misses: loss, {column}", "misses: loss", "%") for row, column in rows
    ]
    half, beside, _, _, as_run, farthest = (one.ours[0] for one in found.numbers)
    assert half == pytest.approx(0.5), "of 0, 50 and 150 %"
    assert beside == as_run == pytest.approx(0.1)
    assert farthest == pytest.approx(9.0)
    assert "of loss: red, flows 40 (printed 0.4, here 4.00" in found.text
    assert fits({"as run": runs["half"]}, [table]) is None


def test_looking_several_times_costs_p():
    order = Order(text="x", metric="loss", less={"queue": "red"}, than={"queue": "fifo"}, mean=True)
    once, thrice = (
        order.claim(MadeUp(lambda queue, _: 0.0199 + 0.0001 * (queue == "fifo"), looks)) for looks in (1, 3)
    )

    assert Seeds(quick=2, full=20, most=80).looks == 3, "with 20, 40 and 80"
    assert thrice.p == pytest.approx(3 * once.p)


def test_results_refuse_names_that_there_are_not():
    made = MadeUp(lambda *_: 0.1)

    assert isinstance(made.matrix("loss", {"queue": "red"}), Matrix)
    for wrong in (("los", {}), ("loss", {"queues": "red"}), ("loss", {"queue": "redd"})):
        with pytest.raises(ValueError, match="allowed: "):
            made.matrix(*wrong)


def test_one_of_what_is_counted_is_not_said_as_several():
    titles = {"points.flows": "{} flows"}
    bound = Bound(text="x", metric="loss", at={"flows": "1"}, below=1.0, titles=titles)

    assert bound.words("packets") == "loss of 1 flow is below 1 packet"
    assert (
        Near(text="x", metric="loss", at={"flows": "2"}, published=1.0, within=2.0, titles=titles)
        .words("packets")
        .endswith("of the printed 1 packet")
    )
    rises = Monotone(text="x", metric="loss", along="flows", rises=True, titles={"axes.flows": "number of flows (N)"})
    assert "along number of flows, seed" in rises.words("")


RED, FIFO = {"queue": "red"}, {"queue": "fifo"}


@pytest.mark.parametrize(
    ("kind", "number", "for_it", "against_it"),
    [
        # RED loses 0.01 and drop tail 0.03, or the other way round.
        (Order(text="RED loses less", metric="loss", less=RED, than=FIFO), "fifo − red", 0.02, -0.02),
        (
            Gain(text="RED loses less by half", metric="loss", this=RED, that=FIFO, below=-0.5),
            "1 − red / fifo",
            2 / 3,
            -2,
        ),
        (
            Gain(text="drop tail loses more by half", metric="loss", this=FIFO, that=RED, above=0.5),
            "fifo / red − 1",
            2,
            -2 / 3,
        ),
    ],
)
def test_what_is_above_zero_supports_a_claim_about_two_points(kind, number, for_it, against_it):
    supported = kind.claim(MadeUp(lambda queue, _: 0.01 if queue == "red" else 0.03))
    denied = kind.claim(MadeUp(lambda queue, _: 0.03 if queue == "red" else 0.01))

    assert (supported.verdict, denied.verdict) == ("holds", "fails")
    assert supported.number == denied.number == number
    assert supported.ours.mean == pytest.approx(for_it, rel=0.01)
    assert denied.ours.mean == pytest.approx(against_it, rel=0.01)
    assert supported.claimed[0] < supported.ours.low
    assert denied.ours.high < denied.claimed[0]


@pytest.mark.parametrize(
    ("kind", "values", "number", "shown"),
    [
        # Values for 10, 20 and 40 flows; for both queues, so that the case is the least decided one.
        (
            Monotone(text="rises", metric="loss", along="flows", rises=True),
            (0.01, 0.02, 0.04),
            "flows 20 − flows 10",
            0.01,
        ),
        (
            Monotone(text="falls", metric="loss", along="flows", rises=False),
            (0.04, 0.03, 0.01),
            "flows 10 − flows 20",
            0.01,
        ),
        (
            Extreme(text="least", metric="loss", along="flows", point="20", least=True),
            (0.02, 0.01, 0.03),
            "flows 10 − flows 20",
            0.01,
        ),
        (
            Extreme(text="most", metric="loss", along="flows", point="20", least=False),
            (0.02, 0.03, 0.01),
            "flows 20 − flows 10",
            0.01,
        ),
        # A quarter of the 0.02 before is 0.005; beyond it changes by 0.001, so that 0.004 are left.
        (
            Knee(text="bends", metric="loss", along="flows", knee="20"),
            (0.01, 0.03, 0.031),
            "25 % of the change before − that beyond flows 20",
            0.004,
        ),
    ],
)
def test_what_is_above_zero_supports_a_claim_along_an_axis(kind, values, number, shown):
    supported = kind.claim(MadeUp(lambda _, n: dict(zip((10, 20, 40), values, strict=True))[n]))

    assert supported.verdict == "holds"
    assert supported.number == number
    assert supported.ours.mean == pytest.approx(shown, rel=0.1)


def test_a_claim_has_the_number_that_printed_ones_give_where_they_are_all_there():
    order = Order(text="RED loses less", metric="loss", less=RED, than=FIFO, only={"flows": ["10"]})
    results = MadeUp(lambda queue, _: 0.01 if queue == "red" else 0.03)
    printed_ones = {("loss", "red, 10"): 0.012, ("loss", "fifo, 10"): 0.040}

    claim = order.claim(results, printed_ones)

    assert claim.in_the_work == claim.derived == pytest.approx(0.040 - 0.012)
    assert claim.published is None, "the work prints no such number itself"
    assert order.claim(results, {("loss", "red, 10"): 0.012}).in_the_work is None
    assert order.claim(results, {("other", "red, 10"): 0.012}).in_the_work is None
    assert replace(order, published=0.03).claim(results, printed_ones).in_the_work == 0.03


def test_a_table_says_what_is_printed_at_each_point():
    table = Table(text="t", metric="loss", at=RED, only={"flows": ["10", "40"]}, printed=[0.1, 0.2], share=0.1)

    assert table.of_points(DESIGN) == {("loss", "red, 10"): 0.1, ("loss", "red, 40"): 0.2}


def test_a_printed_number_of_which_half_or_twice_would_hold_as_well_cannot_be_told():
    """Runs that spread over more than a factor of two say nothing about a single run."""
    wide = MadeUp(lambda *_: 10.0, spread=200.0, times=6)
    near = Near(text="x", metric="loss", at={"queue": "red", "flows": "10"}, published=10.0, printed_runs=1)

    claim = near.claim(wide)

    assert claim.verdict == "cannot tell"
    assert "half the printed number would hold as well" in claim.note
    assert near.claim(MadeUp(lambda *_: 10.0, times=6)).verdict == "holds"


def test_a_course_that_stays_is_no_rise_though_no_step_falls():
    allowed = Monotone(text="x", metric="loss", along="flows", rises=True, by=-0.5)

    assert allowed.claim(MadeUp(lambda _, flows: 0.1 * flows)).verdict == "holds"
    flat = allowed.claim(MadeUp(lambda *_: 1.0))
    assert flat.verdict != "holds"
    assert "from the first point to the last above 0" in flat.rule


def test_a_trend_is_the_rise_of_the_line_through_all_points():
    trend = Trend(text="x", metric="loss", along="flows", at={"queue": "red"}, rises=True)
    # A step that falls within a course that rises: 10, 20 and 40 flows.
    course = {10: 1.0, 20: 0.95, 40: 3.0}

    claim = trend.claim(MadeUp(lambda _, flows: course[flows]))

    assert claim.verdict == "holds"
    slope = np.polyfit(range(3), list(course.values()), 1)[0]
    assert claim.ours.mean == pytest.approx(2.0 * slope, rel=0.05)
    assert replace(trend, rises=False).claim(MadeUp(lambda _, flows: course[flows])).verdict == "fails"
