"""Bounds that are ours, differences too small to count, and families of claims."""

from dataclasses import replace

import pytest

from sojourn import papers
from sojourn._rooms.statistics.intervals import Interval
from sojourn._rooms.statistics.prediction import part
from sojourn._rooms.works import scores, spent
from sojourn._rooms.works.claims import Claim
from sojourn._rooms.works.design import Design, Metric, Seeds
from sojourn._rooms.works.kinds import Bound, Equivalent, Extreme, Gain, Monotone, Order, Table, Trend, WithinFactor
from sojourn._rooms.works.reader import from_file
from sojourn._rooms.works.sentences import ClaimRecord, Sentence, judge
from sojourn.papers import About, Results

DESIGN = Design(
    scenario="small.toml",
    axes={
        "queue": {kind: {"dumbbell.queue": {"kind": kind}} for kind in ("red", "fifo")},
        "flows": {count: {"flow[0].count": int(count)} for count in ("10", "20", "40")},
    },
    metrics={"loss": Metric(column="loss_ratio", row="forward", unit="%")},
    seeds=Seeds(quick=2, full=4),
)


class MadeUp(Results):
    """A loss for each queue and number of flows, with a little noise."""

    def __init__(self, loss):
        self.design, self.looks, self.used, self.only = DESIGN, 1, set(), {}
        self.loss = loss

    def sample(self, metric, point):  # noqa: ARG002
        shift = 0.0 if point["queue"] == "red" else 0.0003
        parts = (0.0, 0.002, -0.002, 0.001)
        return [self.loss(point["queue"], int(point["flows"])) * (1 + part) + shift * part for part in parts]


RED, FIFO = {"queue": "red"}, {"queue": "fifo"}
ORDER = Order(text="RED loses less", metric="loss", less=RED, than=FIFO)


def loss(queue, _):
    return 0.01 if queue == "red" else 0.02


def test_a_bound_of_ours_is_tried_at_half_and_twice_of_it():
    more = replace(ORDER, by=0.015, bound="ours").claim(MadeUp(loss))

    assert (more.verdict, more.at_bound) == ("fails", {"half": "holds", "twice": "fails"})
    assert "with half our bound it holds, and with twice our bound it fails" in more.note
    sure = replace(ORDER, by=0.001, bound="ours").claim(MadeUp(loss))
    assert sure.at_bound == {"half": "holds", "twice": "holds"}
    assert replace(ORDER, by=0.015).claim(MadeUp(loss)).at_bound == {}


def test_a_factor_is_halved_from_one_on_and_a_share_of_more_than_all_is_left_out():
    pair = {"text": "x", "metric": "loss", "this": FIFO, "that": RED, "bound": "ours"}

    assert WithinFactor(**pair, up_to=1.5).with_bound(2.0).up_to == 2.0
    assert set(Equivalent(**pair, within=0.6).claim(MadeUp(loss)).at_bound) == {"half"}


@pytest.mark.parametrize(
    ("published", "half", "twice"),
    [(None, (0.007, 0.013), (-0.002, 0.022)), (0.006, (0.005, 0.011), (0.002, 0.026)), (0.1, (0.007, 0.013), None)],
)
def test_two_bounds_are_wider_about_the_printed_number_or_their_middle(published, half, twice):
    claim = Bound(text="x", metric="loss", at=RED, above=0.004, below=0.016, published=published, bound="ours")

    one, other = claim.with_bound(0.5), claim.with_bound(2.0)

    assert (one.above, one.below) == pytest.approx(half)
    assert (other.above, other.below) == pytest.approx(twice or (-0.002, 0.022))
    assert claim.claim(MadeUp(loss)).at_bound == {"half": "holds", "twice": "holds"}


def test_a_loss_of_a_printed_size_has_it_between_its_bounds():
    claim = Gain(text="x", metric="loss", this=RED, that=FIFO, above=-0.7, below=-0.4, published=0.5, bound="ours")

    assert (claim.with_bound(2.0).above, claim.with_bound(2.0).below) == pytest.approx((-0.9, -0.3))


@pytest.mark.parametrize(
    "claim",
    [
        replace(ORDER, bound="ours"),
        Monotone(text="x", metric="loss", along="flows", rises=True, bound="ours"),
        Table(text="x", metric="loss", at=RED, printed=[1.0, 2.0, 3.0], printed_runs=1, bound="ours"),
    ],
)
def test_a_claim_without_a_bound_has_none_of_ours(claim):
    with pytest.raises(ValueError, match="no bound that could be halved"):
        claim.check(DESIGN)


def test_a_sentence_whose_failures_turn_with_our_bound_depends_on_it():
    def outcome(*claims):
        return judge([Sentence(text="s", source="p", claims={"E1": ["*"]})], claims)[0]

    def one(text, verdict, **at_bound):
        return ClaimRecord(experiment="E1", text=text, verdict=verdict, at_bound=at_bound)

    turning = one("a", "fails", half="fails", twice="holds")
    assert outcome(turning, one("b", "holds")).outcome == "bound"
    assert outcome(turning).words == "depends on our bound"
    assert outcome(turning, one("b", "fails", half="fails", twice="fails")).outcome == "fails"
    assert outcome(turning, one("b", "undecided")).outcome == "fails"


def test_an_open_number_that_only_our_bound_leaves_open_depends_on_it():
    def outcome(verdict, **at_bound):
        claims = [
            ClaimRecord(experiment="E1", text="a", verdict=verdict, readings={"x": "holds"}, at_bound=at_bound),
            ClaimRecord(experiment="E1", text="b", verdict="holds"),
        ]
        return judge([Sentence(text="s", source="p", claims={"E1": ["*"]})], claims)[0].words

    # 20.3 +- 0.3 and a bound of 20 below a number: half of it is too little, and twice is enough.
    assert outcome("undecided", half="fails", twice="holds") == "depends on our bound"
    # Too few runs to tell half the bound from it.
    assert outcome("undecided", half="undecided", twice="holds") == 'depends on the reading: it holds with "x"'
    # A failure that a reading undoes says more of the reading.
    assert outcome("fails", half="fails", twice="holds") == 'depends on the reading: it holds with "x"'


def test_what_was_not_measured_says_nothing_of_a_sentence():
    def outcome(*verdicts):
        claims = [ClaimRecord(experiment="E1", text=str(at), verdict=one) for at, one in enumerate(verdicts)]
        return judge([Sentence(text="s", source="p", claims={"E1": ["*"]})], claims)[0]

    assert outcome("not measured", "not measured").outcome == "not measured"
    assert outcome("not measured", "holds").outcome == "holds"
    partly = outcome("not measured", "holds", "fails")
    assert (partly.outcome, partly.holding, partly.of) == ("partly", 1, 2)
    assert outcome("holds", "equal").words == "holds in 1 of 2 cases, no difference in the others"
    assert outcome("holds", "holds", "equal").outcome == "partly"
    assert outcome("holds", "equal", "equal").words == "no difference"
    assert outcome("equal", "undecided").outcome == "undecided"


def test_an_order_that_is_not_there_is_no_difference_of_more_than_a_size():
    same = replace(ORDER, equal_within=0.001)

    assert same.claim(MadeUp(lambda *_: 0.02)).verdict == "equal"
    assert "no difference of more than that: the whole interval is within 0.1 points of 0" in (
        same.claim(MadeUp(lambda *_: 0.02)).note
    )
    assert same.claim(MadeUp(loss)).verdict == "holds"
    assert same.claim(MadeUp(lambda queue, n: loss({"red": "fifo", "fifo": "red"}[queue], n))).verdict == "fails"
    with pytest.raises(ValueError, match="says already which difference counts"):
        replace(same, by=0.01).check(DESIGN)


def test_the_record_has_the_verdicts_at_our_bound_and_in_how_many_cases_a_claim_holds(work):
    claims = (work / "code/experiments.py").read_text()
    own = 'Claim(text="birds fly", verdict="holds", at_bound={"half": "fails"}, holding=2, of=3)'
    (work / "code/experiments.py").write_text(claims.replace('Claim.that("birds fly", True)', own))
    took = spent.Spent(wall_seconds=1.0, cpu_seconds=1.0)
    scores.keep(work, scores.score(papers.reproduce("nobody2000", quick=False), took=took, cores=1))

    kept = scores.last(work)

    assert kept.claims[0]["at_bound"] == {"half": "fails"}
    assert (kept.claims[0]["holding"], kept.claims[0]["of"]) == (2, 3)
    assert kept.claim_records()[0].at_bound == {"half": "fails"}


@pytest.mark.slow
def test_an_experiment_alone_has_the_verdicts_that_it_has_among_all():
    whole = papers.reproduce("tahiliani2013", only=["E3.1", "E3.1-order", "E3.1-gain"], runs=3)
    alone = papers.reproduce("tahiliani2013", only=["E3.1-order"], runs=3)

    verdicts = [(one.text, one.verdict, one.p) for one in alone.claims]
    assert verdicts
    assert [(one.text, one.verdict, one.p) for one in whole.claims if one.experiment == "E3.1-order"] == verdicts


ABOUT = """
title = "A work"
citation = "Somebody 2004"
printed_runs = 1
printed_level = 0.99
most_seeds = 100
"""
STUDY = """
name = "E1"
doc = "a line"
scenario = "home_uplink"
seeds = { quick = 2, full = 6, most = 12 }
axes.n = { key = "flow.upload.count", values = [1, 2] }
metrics.use = { column = "utilisation", row = "forward" }
[[claim]]
kind = "table"
text = "of one run"
metric = "use"
at = {}
printed = [0.5, 0.6]
[[claim]]
kind = "near"
text = "of ten runs"
metric = "use"
at = { n = "1" }
published = 0.5
printed_runs = 10
[[claim]]
kind = "largest"
text = "one in each"
metric = "use"
this = { n = "1" }
that = { n = "2" }
published = 0.1
"""


def test_a_work_says_once_of_how_many_runs_its_numbers_are(tmp_path):
    (tmp_path / "work.toml").write_text(ABOUT)
    (tmp_path / "E1.toml").write_text(STUDY)

    found = from_file(tmp_path / "E1.toml")

    assert [claim.printed_runs for claim in found.claims] == [1, 10, 1]
    assert found.claims[0].level == 0.99
    assert (found.design.seeds.most, found.design.seeds.looks) == (100, 5)
    assert About.load(tmp_path).of_runs == {"printed_runs": 1, "printed_level": 0.99}
    (tmp_path / "E1.toml").write_text(f"printed_runs = 50\n{STUDY}")
    assert [claim.printed_runs for claim in from_file(tmp_path / "E1.toml").claims] == [50, 10, 50]
    (tmp_path / "work.toml").write_text(ABOUT.replace("= 1\n", "= -1\n"))
    with pytest.raises(ValueError, match="printed_runs"):
        from_file(tmp_path / "E1.toml")


def test_an_open_claim_without_a_difference_that_counts_says_so_and_a_decided_one_does_not_change():
    claim = replace(ORDER, negligible=0.001)
    some = claim.claim(MadeUp(lambda queue, n: loss(queue, n) if n == 10 else 0.02))

    assert claim.claim(MadeUp(lambda *_: 0.02)).verdict == "equal"
    assert (some.verdict, some.holding, some.of) == ("equal", 1, 3)
    assert "no difference of more than that in 2 of 3 cases, and the others hold" in some.note
    assert claim.claim(MadeUp(loss)).verdict == "holds"
    assert claim.claim(MadeUp(lambda queue, _: 0.0205 if queue == "red" else 0.02)).verdict == "fails"
    assert replace(claim, negligible=1e-9).claim(MadeUp(lambda *_: 0.02)).verdict == "undecided"
    with pytest.raises(ValueError, match="about no difference"):
        Bound(text="x", metric="loss", at=RED, above=0.0, negligible=0.001).check(DESIGN)


def test_a_work_says_by_metric_which_difference_says_nothing():
    root = papers.find()["tahiliani2013"]
    known = {one.name: one.study for one in papers.load("tahiliani2013").experiments if one.study}

    sizes = {claim.key: claim.negligible for name in ("E3.1", "E3.1-mean", "E4.1b") for claim in known[name].claims}

    loss = About.load(root).negligible["loss"]
    assert loss > 0.0
    assert sizes["E3.1-mean-80-flows-cared"] == loss
    assert sizes["E3.1-losses-ared-printed-number"] is None, "it is about no difference"
    assert sizes["E4.1b-surathkal-gain-over"] is None, "it is relative to another point"


@pytest.mark.parametrize(
    "claim",
    [
        Monotone(text="x", metric="loss", along="flows", rises=True, at=RED),
        Trend(text="x", metric="loss", along="flows", rises=True, at=RED),
        Extreme(text="x", metric="loss", along="flows", point="10", least=True, at=RED),
    ],
)
def test_so_does_a_course_along_an_axis(claim):
    class Noisy(MadeUp):
        def sample(self, metric, point):  # noqa: ARG002
            turn = {"10": 0, "20": 1, "40": 2}[point["flows"]]
            parts = [0.0, 2e-5, -2e-5, 1e-5, -1e-5, 0.0]
            return [0.02 + part for part in parts[turn:] + parts[:turn]]

    assert claim.claim(Noisy(loss)).verdict == "undecided"
    assert replace(claim, negligible=0.001).claim(Noisy(loss)).verdict == "equal"


def test_an_open_sentence_says_how_many_runs_would_decide_it():
    def outcome(*claims):
        return judge([Sentence(text="s", source="p", claims={"E1": ["*"]})], claims)[0]

    def one(text, needs, verdict="undecided"):
        ours = Interval(0.002, 0.003, 48)
        return ClaimRecord(experiment="E1", text=text, verdict=verdict, ours=ours, unit="points", needs=needs)

    assert outcome(one("a", 110), one("b", 4321)).words == (
        "undecided: our number lies between -0.1 and 0.5 points; about 4,300 runs would decide, not 48"
    )
    assert outcome(one("a", 10**7)).words.endswith("more than 100,000 runs would decide, not 48")
    assert outcome(one("a", 0)).words == "undecided: our number lies between -0.1 and 0.5 points"
    assert outcome(one("a", 110, "holds")).words == "holds"


def test_the_number_of_runs_that_would_decide_follows_from_the_p_value():
    claim = Claim(text="x", verdict="undecided", ours=Interval(1.0, 2.0, 25), p=0.32)

    # One standard error off, and 1.96 are needed.
    assert claim.needs == pytest.approx(25 * 1.96**2, rel=0.03)
    assert replace(claim, verdict="holds").needs is None
    assert replace(claim, p=1.0).needs is None


OF_A_WHOLE = """
[[claim]]
kind = "table"
text = "an index"
metric = "fair"
bound = "ours"
at = {}
printed = [0.98, 0.2]
share = 0.1
[[claim]]
kind = "near"
text = "a rate"
metric = "rate"
at = { n = "1" }
published = 980e3
whole = 1e6
[[claim]]
kind = "bound"
text = "a use"
metric = "use"
bound = "ours"
above = 0.9
"""


def test_a_share_of_a_number_near_its_whole_is_of_what_is_missing(tmp_path):
    metrics = 'metrics.fair = { column = "jain_index", table = "group" }\n'
    metrics += 'metrics.rate = { column = "goodput_bps", table = "flow", over = "sum" }\n[[claim]]'
    (tmp_path / "work.toml").write_text(ABOUT)
    (tmp_path / "E1.toml").write_text(STUDY.replace("[[claim]]", metrics, 1) + OF_A_WHOLE)

    index, rate, use = from_file(tmp_path / "E1.toml").claims[-3:]

    assert (index.whole, rate.whole, use.whole) == (1.0, 1e6, 1.0)
    assert [0.1 * part(value, index.whole) for value in index.printed] == pytest.approx([0.002, 0.02])
    assert "10 % of it, or of what is missing where that is less" in index.words("")
    assert rate.slack(rate.published, 0.0) == pytest.approx(0.02 * 20e3)
    # More than 90 % of a link leaves a tenth: half of that is 95 %, and twice of it 80.
    assert [use.with_bound(times).above for times in (0.5, 2.0)] == pytest.approx([0.95, 0.8])
    whole = 'whole = 1.0\nkind = "largest"'
    (tmp_path / "E1.toml").write_text(STUDY.replace('kind = "largest"', whole))
    with pytest.raises(ValueError, match="whole"):
        from_file(tmp_path / "E1.toml")


def test_a_table_of_indices_near_1_is_judged_by_what_is_missing():
    def verdict(ours):
        claim = Table(text="x", metric="loss", at=RED, printed=[0.9, 0.9, 0.9], share=0.1, whole=1.0)
        return claim.claim(MadeUp(lambda *_: ours)).verdict

    # A tenth of 0.9 would admit both.
    assert verdict(0.902) == "holds"
    assert verdict(0.85) == "fails"
