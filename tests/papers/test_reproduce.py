"""Experiments that are data: the kinds of claims on made-up runs, the words of their rules, and study files."""

import gc
import math
from dataclasses import replace

import pytest

from sojourn import papers, runner
from sojourn.claims import Matrix
from sojourn.reproduce import (
    Bound,
    Design,
    Equivalent,
    Even,
    Extreme,
    Gain,
    Knee,
    Linear,
    Metric,
    Monotone,
    Near,
    Order,
    Product,
    Reading,
    Results,
    Seeds,
    Table,
    WithinFactor,
    experiment,
    from_file,
    from_files,
)
from sojourn.reproduce.design import NotRunError, keys_of
from sojourn.reproduce.shown import fits, lines
from sojourn.result import Result

NOISE = (0.0, 0.002, -0.002, 0.001)
FLOWS = ("10", "20", "40")
DESIGN = Design(
    scenario="small.toml",
    axes={
        "queue": {kind: {"dumbbell.queue": {"kind": kind}} for kind in ("red", "fifo")},
        "flows": {count: {"flow[0].count": int(count)} for count in FLOWS},
    },
    metrics={"loss": Metric(column="loss_ratio", row="forward", unit="%")},
    seeds=Seeds(quick=2, full=4),
)


class MadeUp(Results):
    """A loss for each queue and number of flows, with a little noise."""

    def __init__(self, loss, looks=1):
        self.design, self.looks, self.used = DESIGN, looks, set()
        self.loss = loss

    def sample(self, metric, point):  # noqa: ARG002
        self.used.add(", ".join(point.values()))
        shift = 0.0 if point["queue"] == "red" else 0.0003
        return [self.loss(point["queue"], int(point["flows"])) * (1 + part) + shift * part for part in NOISE]

    def beside(self, other):  # noqa: ARG002
        return self


def judged(kind, loss):
    claim = kind.claim(MadeUp(loss))
    return claim.verdict, claim.rule


def test_an_order_is_judged_in_every_case_or_in_the_mean():
    order = Order(text="RED loses less", metric="loss", less={"queue": "red"}, than={"queue": "fifo"})
    words = "loss of red less that of fifo, seed by seed, is below 0"

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
        "loss of red less that of fifo, seed by seed, is below -1.5 points, in each of 3 cases",
    )


def test_an_order_of_changes_compares_by_how_much_a_metric_differs_from_elsewhere():
    # From 10 to 40 flows RED rises by 0.03, drop tail falls by 0.05.
    results = MadeUp(
        lambda queue, flows: {("red", 10): 0.01, ("red", 40): 0.04, ("fifo", 10): 0.09}.get((queue, flows), 0.04)
    )
    ends = [{"queue": queue, "flows": "40"} for queue in ("red", "fifo")]
    order = Order(text="", metric="loss", less=ends[0], than=ends[1], change_from={"flows": "10"})

    assert order.claim(results).verdict == "holds"
    assert order.claim(results).ours.mean == pytest.approx(-0.02, abs=1e-4)
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
        "loss lies within 10% of the whole rise of the line through the outermost points of flows",
    )
    # At 20 of 10 to 40 the line has risen by a third, the square by 3/15.
    assert judged(line, lambda _, n: n * n / 1e5)[0] == "fails"


def test_an_extreme_is_where_no_other_point_is_better():
    lowest = Extreme(text="x", metric="loss", along="flows", at={"queue": "red"}, point="20", least=True)
    words = "loss at flows 20 less that at any other, seed by seed, is below 0"

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
        "loss of red is within 2% of the printed value; no error is printed, that share is ours, in each of 3 cases",
    )
    claim = ours.claim(MadeUp(lambda _, n: {10: 0.0105, 20: 0.0195, 40: 0.03}[n]))
    assert (claim.published, claim.note) == (0.01, "decided by flows 10"), (
        "the cell that is farthest off, in units of its tolerance"
    )
    with pytest.raises(ValueError, match="2 printed numbers for 3 cases"):
        replace(ours, printed=[0.1, 0.2]).claim(MadeUp(lambda *_: 0.1))


def test_the_fit_of_a_reading_is_its_distance_from_the_printed_table():
    table = Table(text="x", metric="loss", at={"queue": "red"}, printed=[0.01, 0.02, 0.04], share=0.1)
    # Off by a tenth at 10 flows and right elsewhere: sqrt(0.01 / 3) = 5.77 %.
    runs = {"as run": MadeUp(lambda _, n: {10: 0.011, 20: 0.02, 40: 0.04}[n]), "half": MadeUp(lambda *_: 0.01)}

    found = fits(runs, [table])

    assert [(one.row, one.column, one.unit) for one in found.numbers] == [
        ("as run", "loss", "%"),
        ("half", "loss", "%"),
        ("half", "loss, as run", "%"),
    ]
    assert found.numbers[2].ours == found.numbers[0].ours
    assert found.numbers[0].ours[0] == pytest.approx(0.0577, abs=1e-4)
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


STUDY = """
name = "losses"
doc = "RED and drop tail"
scenario = "small.toml"
seeds = { quick = 3, full = 3, most = 12 }
axes.flows = { key = "flow[0].count", values = [2, 4] }
axes.queue.RED = { "dumbbell.queue" = { kind = "red", limit = "20p" } }
axes.queue.DT = { "dumbbell.queue" = { kind = "fifo", limit = "20p" } }
metrics.wait = { column = "sojourn_mean_ms", row = "forward", unit = "ms" }
reading = [
  { name = "steep", axes.queue.RED = { "dumbbell.queue" = { kind = "red", limit = "20p", max_p = 0.9 } } },
  { name = "never seen", settings = { "dumbbell.queue.limit" = "20p" } },
]

[[claim]]
kind = "order"
for = { q = ["DT"] }
text = "RED waits less than {q}"
metric = "wait"
less = { queue = "RED" }
than = { queue = "{q}" }

[[claim]]
kind = "table"
text = "DT waits as long"
metric = "wait"
at = { queue = "DT" }
printed = "wait.DT"
share = 0.5
"""


@pytest.fixture
def study(tmp_path, scenario_file):
    (tmp_path / "small.toml").write_text(scenario_file.read_text())
    (tmp_path / "expected.toml").write_text("[losses.wait]\nDT = [22.0, 25.0]\n")
    file = tmp_path / "losses.toml"
    file.write_text(STUDY)
    return file


def test_a_study_file_is_an_experiment(study):
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = list(experiment(from_file(study)).check(context))

    claims = [one for one in found if isinstance(one, papers.Claim)]
    assert [(claim.text, claim.reading, claim.verdict) for claim in claims] == [
        ("RED waits less than DT", "", "holds"),
        ("DT waits as long", "", "holds"),
        ("RED waits less than DT", "steep", "holds"),
    ], "a reading of RED does not touch drop tail"
    (remark,) = (one for one in found if isinstance(one, papers.Remark))
    assert "never seen" in remark.text
    table, rest, fit = (one for one in found if isinstance(one, papers.Numbers))
    assert {number.column for number in table.numbers} == {"wait, DT"}
    assert {number.column for number in rest.numbers} == {"wait, RED"}
    assert [one.row for one in fit.numbers] == ["as run", "steep", "steep", "never seen", "never seen"]
    assert {(n.row, n.column): n.published for n in table.numbers}["4", "wait, DT"] == 25.0
    assert len(context._done) == 3 * (4 + 2), "three seeds of four variants, and of RED's two under the reading"


def test_a_chart_may_have_its_first_printed_value_far_down():
    # A frame whose first hundred rows had no printed value took the column for one without numbers.
    counts = {str(count): {"flow[0].count": count} for count in range(1, 121)}
    many = replace(DESIGN, axes={"queue": DESIGN.axes["queue"], "flows": counts})
    made = MadeUp(lambda _, n: 0.01 * n)
    made.design, made.has = many, lambda *_: True
    table = Table(text="x", metric="loss", at={"queue": "red"}, only={"flows": ["120"]}, printed=[1.2], share=0.1)

    assert lines(made, [table], "flows") is not None


def test_names_of_a_claim_may_go_together(study):
    beside = study.parent / "pairs.toml"
    claim = """
[[claim]]
kind = "bound"
for = { q = ["RED", "DT"], "n, most" = [["2", "short"], ["4", "long"]] }
text = "{q} with {n} is {most}"
metric = "wait"
at = { queue = "{q}", flows = "{n}" }
below = 1.0
"""
    head = f'name = "pairs"\ndoc = "pairs"\ncontinues = "{study.name}"\n'
    beside.write_text(head + claim)

    texts = [made.text for made in from_file(beside).claims]
    assert texts == ["RED with 2 is short", "RED with 4 is long", "DT with 2 is short", "DT with 4 is long"]

    some = claim.replace('["4", "long"]', '["all", ["2", "4"]]').replace(
        ', flows = "{n}" }', ' }\nonly = { flows = "{most}" }'
    )
    beside.write_text(head + some.replace('["2", "short"], ', ""))
    assert from_file(beside).claims[0].only == {"flows": ["2", "4"]}, "a list takes the place of its name"

    beside.write_text(head + claim.replace('["4", "long"]', '"4"'))
    with pytest.raises(ValueError, match="for 'n, most': '4' is no list of 2 texts"):
        from_file(beside)


def test_undecided_claims_get_more_seeds_up_to_the_limit(study):
    made = from_file(study)
    context = papers.Context(study.parent, quick=False, experiment="losses")
    # Nothing is less than itself; one standard error of luck and four times the seeds would decide: (0 + 1) * 2 > 1.96.
    never = Order(text="never", metric="wait", less={"queue": "DT", "flows": "2"}, than={"queue": "DT", "flows": "2"})

    def judged(most):
        seeds = replace(made.design.seeds, most=most)
        one = experiment(replace(made, claims=[never], design=replace(made.design, readings=(), seeds=seeds)))
        return next(found for found in one.check(context) if isinstance(found, papers.Claim))

    claim = judged(6)
    assert (claim.verdict, claim.ours.n) == ("undecided", 3), "with twice the seeds it would not: 1.41 < 1.96"
    claim = judged(12)
    # With six it may only be doubled once more, which would not decide.
    assert (claim.verdict, claim.ours.n) == ("undecided", 6)
    seeds = {
        label: sorted(seed for one, seed in context._done if one == scenario)
        for label, scenario in made.design.variants(context).items()
    }
    assert len(seeds["2, DT"]) == 6
    assert {len(found) for label, found in seeds.items() if label != "2, DT"} == {3}, "its own variants only"


def test_claims_that_are_decided_alone_get_more_seeds_until_they_are_among_all(study):
    made = from_file(study)
    sooner = Order(
        text="sooner", metric="wait", less={"queue": "RED", "flows": "2"}, than={"queue": "DT", "flows": "2"}
    )
    one = experiment(replace(made, claims=[sooner], design=replace(made.design, readings=())))

    def judged(among):
        context = papers.Context(study.parent, quick=False, experiment="losses", among=among)
        return next(found for found in one.check(context) if isinstance(found, papers.Claim))

    alone = judged(1)
    assert (alone.verdict, alone.ours.n, one.claims) == ("holds", 3, 1)
    # So many claims that three runs are just too few: 0.05 / among < p.
    among = judged(math.ceil(0.05 / alone.p) + 1)
    assert (among.verdict, among.ours.n) == ("holds", 6)
    assert among.settled(math.floor(0.05 / among.p))
    assert not among.settled(math.ceil(0.05 / among.p) + 1)
    assert replace(among, p=None).settled(10**9), "without chance in it"


def test_a_reading_may_be_run_at_some_points_and_its_claims_are_about_these(study):
    text = STUDY.replace('name = "steep", ', 'name = "steep", only = { flows = ["4"] }, ')
    study.write_text(text.replace("axes.flows", 'quick_only = { queue = ["RED", "DT"] }\naxes.flows'))
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = list(experiment(from_file(study)).check(context))

    assert len(context._done) == 3 * (4 + 1), "the reading costs one variant"
    steep = [one for one in found if isinstance(one, papers.Claim) and one.reading == "steep"]
    assert [(claim.text, claim.note) for claim in steep] == [("RED waits less than DT", "decided by flows 4")]


def test_a_quick_run_may_have_fewer_points_and_skips_claims_about_the_others(study):
    text = STUDY.replace("axes.flows", 'quick_only = { flows = ["2"] }\naxes.flows', 1)
    text += '[[claim]]\nkind = "bound"\ntext = "at 4"\nmetric = "wait"\nonly = { flows = ["4"] }\nabove = 0.0\n'
    study.write_text(text)

    def claims(quick):
        context = papers.Context(study.parent, quick=quick, experiment="losses")
        found = list(experiment(from_file(study)).check(context))
        table = next(one for one in found if isinstance(one, papers.Numbers))
        texts = [one.text for one in found if isinstance(one, papers.Claim) and not one.reading]
        return texts, {number.row for number in table.numbers}

    assert claims(quick=True) == (["RED waits less than DT", "DT waits as long"], {"2"})
    assert claims(quick=False) == (["RED waits less than DT", "DT waits as long", "at 4"], {"2", "4"})


def test_a_reading_without_points_in_a_quick_run_is_not_run_and_changes_not_nothing(study):
    text = STUDY.replace('name = "steep", ', 'name = "steep", only = { flows = ["4"] }, ', 1)
    study.write_text(text.replace("axes.flows", 'quick_only = { flows = ["2"] }\naxes.flows', 1))
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = list(experiment(from_file(study)).check(context))

    assert not [name for name, ran in context.studies.items() if not ran.variants]
    (remark,) = (one for one in found if isinstance(one, papers.Remark))
    assert remark.text.endswith(": never seen."), "of a reading that was not run nothing is said"


def test_a_study_file_may_have_more_claims_about_the_runs_of_another(study):
    more = study.parent / "more.toml"
    claim = STUDY[STUDY.index("[[claim]]") :].replace("RED waits less", "RED still waits less").split("[[claim]]")[1]
    more.write_text(f'name = "more"\ndoc = "about the same runs"\ncontinues = "losses.toml"\n[[claim]]{claim}')

    context = papers.Context(study.parent, quick=True, experiment="losses")
    list(experiment(from_file(study)).check(context))
    run = len(context._done)
    found = list(experiment(from_file(more)).check(context))

    assert {one.text for one in found if isinstance(one, papers.Claim)} == {"RED still waits less than DT"}
    assert len(context._done) == run, "nothing is run again"
    assert not any(isinstance(one, papers.Numbers) for one in found), "its numbers stand there"


def test_printed_numbers_without_a_verdict_stand_beside_ours(study):
    study.write_text(STUDY[: STUDY.index("[[claim]]")])
    more = study.parent / "more.toml"
    table = 'metric = "wait"\nat = { queue = "DT" }\nprinted = [22.0, 25.0]\nerrors = [1.0, 2.0]\n'
    more.write_text(f'name = "more"\ndoc = "table 1"\ncontinues = "losses.toml"\n[[printed]]\n{table}')
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = list(experiment(from_file(more)).check(context))

    assert not any(isinstance(one, papers.Claim) for one in found)
    printed, fit = (one for one in found if isinstance(one, papers.Numbers))
    cells = [(n.row, n.column, n.published, n.error) for n in printed.numbers]
    assert cells == [("2", "wait, DT", 22.0, 1.0), ("4", "wait, DT", 25.0, 2.0)]
    assert [one.row for one in fit.numbers] == ["as run", "steep", "steep", "never seen", "never seen"]


def test_an_axis_may_be_the_rows_of_a_table_and_a_trace_is_drawn_of_one_run(study):
    text = STUDY.replace('row = "forward", unit', 'row = "{link}", unit')
    text = text.replace("axes.queue.RED", "axes.link = { forward = {}, reverse = {} }\naxes.queue.RED", 1)
    text = text.replace('"dumbbell.queue" =', 'record.probes = "100ms", "dumbbell.queue" =')
    text = text[: text.index("[[claim]]")] + '[[trace]]\nprobe = "avg"\nat = { queue = "RED", link = "forward" }\n'
    study.write_text(text + 'marks = [5.0]\nsource = "figure 9"\n')
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = list(experiment(from_file(study)).check(context))

    table = {(n.row, n.column): n.ours for one in found if isinstance(one, papers.Numbers) for n in one.numbers}
    assert table["4", "wait, forward, RED"][0] > table["4", "wait, reverse, RED"][0], "acknowledgements do not wait"
    assert len(context._done) == 3 * 2 * 3, "a row costs no run"
    (trace,) = (
        one for one in found if isinstance(one, papers.Chart) and one.title == "Average queue over time, RED, forward"
    )
    assert trace.text == "One run each (seed 1). Dashed: thresholds or the target. Compare with figure 9."
    rows = trace.chart.data.values.splitlines()[1:]
    assert {row.split(",")[0] for row in rows} == {"flows 2", "flows 4"}


def test_a_file_that_continues_another_has_its_printed_tables(study):
    more = study.parent / "more.toml"
    table = STUDY.split("[[claim]]")[2]
    more.write_text(f'name = "more"\ndoc = "about the same runs"\ncontinues = "losses.toml"\n[[claim]]{table}')

    (claim,) = from_file(more).claims

    assert isinstance(claim, Table)
    assert claim.printed == [22.0, 25.0]


def test_a_claim_along_an_axis_is_no_claim_where_a_reading_has_one_point_of_it(study):
    text = STUDY.replace(
        '"dumbbell.queue.limit" = "20p" } }', '"dumbbell.queue.limit" = "9p" }, only = { flows = ["2"] } }'
    )
    text += '[[claim]]\nkind = "monotone"\ntext = "more flows wait longer"\nmetric = "wait"\n'
    text += 'along = "flows"\nrises = true\n'
    study.write_text(text)
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = [one for one in experiment(from_file(study)).check(context) if isinstance(one, papers.Claim)]

    readings = {one.reading for one in found if one.text == "more flows wait longer"}
    assert "" in readings
    assert "never seen" not in readings


def test_a_key_may_name_some_groups_of_flows():
    assert keys_of("flow[0,2].start", 3) == ["flow[0].start", "flow[2].start"]
    assert keys_of("flow[*].start", 2) == ["flow[0].start", "flow[1].start"]
    assert keys_of("flow[1].start", 2) == ["flow[1].start"]


def test_a_star_stands_for_every_group_of_flows(study):
    made = from_file(study)
    context = papers.Context(study.parent, quick=True)
    reading = Reading(name="slow", settings={"flow[*].start.spread": "100ms"})

    flows = made.design.variants(context, reading)["2, DT"].resolved()["flow"]
    assert [flow["start"]["spread"] for flow in flows] == ["100ms"] * len(flows)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "order"', 'kind = "ordre"', "there is no kind 'ordre'"),
        ("less =", "lesser =", "there is no key 'lesser'"),
        ('"wait.DT"', '"wait.RED"', "allowed: wait.DT"),
        ('unit = "ms"', 'over = "most"', "`over` is not 'most'"),
        ("doc =", "docs =", "there is no key 'docs'"),
    ],
)
def test_a_mistake_in_a_study_file_is_one_message(study, old, new, words):
    study.write_text(STUDY.replace(old, new))

    with pytest.raises(ValueError, match=words) as caught:
        from_file(study)
    assert str(caught.value).startswith(str(study))


def test_the_study_files_of_the_works_read():
    files = [file for place in papers.find().values() for file in place.glob("E*.toml")]

    assert files
    for file in files:
        made = from_file(file)
        assert made.design.variants(papers.Context(file.parent, quick=True), None)
        # A quick run may leave out what a reading touches.
        for reading in made.design.readings:
            assert made.design.variants(papers.Context(file.parent, quick=False), reading)


def test_of_a_run_only_its_metrics_are_kept(study):
    context = papers.Context(study.parent, quick=True, experiment="losses")
    list(experiment(from_file(study)).check(context))

    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Result)]
    assert {len(parts) for of_run in context._done.values() for parts in of_run.values()} == {1}


def test_what_was_measured_is_read_and_not_run_again(study, tmp_path, monkeypatch):
    def claims():
        context = papers.Context(study.parent, quick=True, experiment="losses", out=tmp_path / "out")
        return [one for one in experiment(from_file(study)).check(context) if isinstance(one, papers.Claim)]

    first = claims()
    monkeypatch.setattr(runner, "reduce_runs", lambda *_, **__: pytest.fail("everything is there"))

    assert claims() == first


def test_what_continues_other_runs_has_its_metrics_measured_along(study):
    more = study.parent / "more.toml"
    more.write_text('name = "more"\ndoc = "x"\ncontinues = "losses.toml"\nmetrics.use = { column = "utilisation" }\n')
    context = papers.Context(study.parent, quick=True)
    for one in from_files(str(study), "losses.toml", "more.toml"):
        list(one.check(context))
        sizes = {len(parts) for (_, _), parts in context._done.items()}

    assert sizes == {2}, "one run has both"
    assert len(context._done) == 3 * (4 + 2)


@pytest.mark.parametrize(
    ("trace", "settings", "title", "columns"),
    [
        ('table = "backlog"', '"record.queue" = "100ms"', "Queue over time, RED", "panel,x,value"),
        ('table = "window"\nflows = [0, 1]', '"record.cwnd" = "100ms"', "Window over time, RED", "panel,line,x,value"),
        ('table = "occupancy"', '"record.occupancy" = true', "Share of the time, RED", "panel,x,value"),
    ],
)
def test_a_trace_may_be_of_other_tables_which_are_recorded_for_it_alone(study, trace, settings, title, columns):
    text = STUDY[: STUDY.index("[[claim]]")]
    study.write_text(f'{text}[[trace]]\n{trace}\nat = {{ queue = "RED" }}\nsettings = {{ {settings} }}\n')
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = list(experiment(from_file(study)).check(context))

    (chart,) = (one for one in found if isinstance(one, papers.Chart) and one.title == title)
    head, *rows = chart.chart.data.values.splitlines()
    assert head == columns
    assert {row.split(",")[0] for row in rows} == {"flows 2", "flows 4"}
    assert list(context.studies) == ["losses/base", "losses/steep", "losses/never seen"], "no claim rests on these runs"


@pytest.mark.parametrize("trace", ['table = "sojourn"', 'probe = "avg"\ntable = "backlog"', "marks = [5.0]"])
def test_a_trace_of_what_there_is_not_is_refused(study, trace):
    study.write_text(f"{STUDY}\n[[trace]]\n{trace}\n")

    with pytest.raises(ValueError, match="trace: "):
        from_file(study)


def test_a_curve_goes_along_points_whose_labels_begin_with_a_number(study):
    text = STUDY[: STUDY.index("[[claim]]")].replace(
        "values = [2, 4]", 'values = [2, 4, 6], labels = ["2+1", "4+1", "6"]'
    )
    study.write_text(
        f'{text}[[curve]]\nalong = "flows"\npoints = ["2+1", "4+1"]\ntitle = "flows"\nsource = "figure 7"\n'
    )

    found = list(experiment(from_file(study)).check(papers.Context(study.parent, quick=True, experiment="losses")))

    (chart,) = (one for one in found if isinstance(one, papers.Chart))
    assert (chart.title, chart.text) == ("Metrics against flows", "With 95 % intervals. Compare with figure 7.")
    head, *rows = (row.split(",") for row in chart.chart.data.values.splitlines())
    assert {row[head.index("x")] for row in rows} == {"2.0", "4.0"}


def test_a_product_may_be_shown_over_that_of_another_point(study):
    text = STUDY[: STUDY.index("[[claim]]")].replace(
        "metrics.wait =",
        'metrics.cost = { of = ["wait"], powers = [2], shown_over = { queue = "DT" } }\nmetrics.wait =',
    )
    study.write_text(text)

    found = list(experiment(from_file(study)).check(papers.Context(study.parent, quick=True, experiment="losses")))

    (table,) = (one for one in found if isinstance(one, papers.Numbers))
    cells = {(number.row, number.column): number.ours for number in table.numbers}
    waits, base = cells["2", "wait, RED"], cells["2", "wait, DT"]
    assert cells["2", "cost over that of DT, RED"] == pytest.approx(
        [(one / other) ** 2 for one, other in zip(waits, base, strict=True)]
    )
    assert set(cells["2", "cost over that of DT, DT"]) == {1.0}


def test_figures_of_several_points_keep_their_runs_in_folders_of_their_own(study, tmp_path):
    text = STUDY[: STUDY.index("[[claim]]")]
    for queue in ("RED", "DT"):
        text += f'[[trace]]\ntable = "backlog"\nat = {{ queue = "{queue}" }}\nsettings = {{ "record.queue" = "1s" }}\n'
    study.write_text(text)
    made = experiment(from_file(study))

    for _ in range(2):
        context = papers.Context(study.parent, quick=True, experiment="losses", out=tmp_path / "out")
        assert len([one for one in made.check(context) if isinstance(one, papers.Chart)]) == 3
    assert len(list((tmp_path / "out").glob("losses-backlog-over-time-*"))) == 2
