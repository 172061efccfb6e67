"""Phirke 2002: settings that read, the metric, and rules on made-up runs."""

import importlib

import pytest

from sojourn import papers


@pytest.fixture(scope="module")
def claims():
    papers.load("phirke2002")
    return importlib.import_module("sojourn_papers_phirke2002")


@pytest.fixture(scope="module")
def runs(claims):
    return importlib.import_module(claims.Runs.__module__)


@pytest.fixture
def context():
    return papers.Context(papers.find()["phirke2002"], quick=True, experiment="test")


NOISE = (0.0, 0.002, -0.002, 0.001)


def noisy(value):
    return [value * (1 + part) for part in NOISE]


class MadeUp:
    """Runs of which each number is a function of queue, case and group."""

    def __init__(self, base, **numbers):
        self.numbers = numbers
        self.base = base

    def __getattr__(self, name):
        if name in self.numbers:
            return lambda *key: noisy(self.numbers[name](*key))
        return lambda *key: getattr(self.base, name)(self, *key)


def verdicts(found):
    return [claim.verdict for claim in found]


def test_every_queue_can_be_run_under_every_reading(claims, context):
    asked = {}

    def study(key, variants, **_):
        asked[key] = {label: scenario.resolved() for label, scenario in variants.items()}

    context.study = study
    for reading in (claims.BASE, claims.ALONE, claims.BEFORE, claims.STEEP, claims.GENTLE, claims.STANDARD):
        claims.mixes(context, reading, claims.BOSTON)
    claims.mixes(context, claims.BASE, claims.WORCESTER, max_p=1.0)
    claims.groups(context, claims.DELAYED)

    base = asked["base"]["red_boston 5"]
    assert [flow["count"] for flow in base["flow"]] == [5, 15]
    assert [flow["delay_hint"]["delay"] for flow in base["flow"]] == ["80ms", "32ms"]
    assert (base["dumbbell"]["queue"]["hint_acts"], base["dumbbell"]["queue"]["above"]) == ("after_spacing", "strict")
    assert asked["alone"]["red_boston 5"]["dumbbell"]["queue"]["hint_acts"] == "alone"
    assert asked["gentle"]["red_boston 5"]["dumbbell"]["queue"]["above"] == "gentle"
    assert asked["steep"]["ared 5"]["dumbbell"]["queue"]["alpha"] == 0.01, "ARED stays as it is"
    assert asked["rfc"]["red_boston 5"]["flow"][1]["transport"]["dup_threshold"] == 3
    assert asked["base-max_p-1.0"]["red_worcester 19"]["dumbbell"]["queue"]["max_p"] == 1.0
    assert {flow["transport"]["ack_every"] for flow in asked["delayed"]["red_boston"]["flow"]} == {2}


def test_qos_is_throughput_against_delay_and_normalised_by_ared(runs):
    made = MadeUp(
        runs.Runs,
        throughput=lambda queue, *_: 160e3 if queue == "ared" else 90e3,
        delay=lambda queue, *_: 0.08 if queue == "ared" else 0.02,
    )

    assert runs.Runs.qos(made, "ared", 1, "delay", 1.0) == pytest.approx(noisy(160e3))
    # sqrt(90000 / 0.02) over sqrt(160000 / 0.08)
    assert runs.Runs.normalised_qos(made, "red_boston", 1, "delay", 0.5) == pytest.approx([1.5] * len(NOISE))


def test_an_empty_way_takes_the_three_delays_and_three_transmissions(runs):
    # 15 + 20 + 15 ms; 8000 bit at 20, 5 and 20 Mbit/s.
    assert pytest.approx(0.050 + 0.0004 + 0.0016 + 0.0004) == runs.EMPTY_WAY_S


def test_what_the_thesis_says_of_red_boston_holds_of_such_runs(claims, runs):
    def delay(queue, mix, group):
        if queue == "ared":
            return 0.08
        return (0.08 if group == "throughput" else 0.032) * (1 + (20 - mix) / 200)

    def throughput(queue, mix, group):
        if queue == "ared":
            return 240e3
        share = (20 - mix) / 20
        return 240e3 * ((1 + 0.3 * share) if group == "throughput" else 0.7 + 0.25 * share)

    made = MadeUp(runs.Runs, delay=delay, throughput=throughput)

    assert verdicts(claims.claims_delays(made)) == ["holds"] * 5
    assert verdicts(claims.claims_throughput(made)) == ["holds"] * 2
    assert verdicts(claims.claims_qos_boston(made))[:2] == ["holds"] * 2


def test_a_queue_that_is_no_better_than_ared_fails(claims, runs):
    made = MadeUp(runs.Runs, delay=lambda *_: 0.2, throughput=lambda queue, *_: 240e3 if queue == "ared" else 200e3)

    assert verdicts(claims.claims_delays(made))[:2] == ["fails"] * 2
    assert verdicts(claims.claims_throughput(made)) == ["holds", "undecided"]
    assert verdicts(claims.claims_qos_boston(made))[0] == "fails"
    assert verdicts(claims.claims_qos_boston(made))[2] == "fails"


def test_drops_that_rise_in_a_bend_do_not_increase_linearly(claims, runs):
    def drops(rise):
        queue = {"red_worcester": lambda tcp: 0.02 + 0.01 * rise((20 - tcp) / 20), "ared": lambda _: 0.02}
        made = MadeUp(runs.Runs, queue=lambda _, kind, tcp: queue[kind](tcp))
        return next(claim for claim in claims.claims_drops(made) if "linearly" in claim.text).verdict

    assert drops(lambda share: share) == "holds"
    assert drops(lambda share: share**3) == "fails", "each step is above 0 all the same"


def test_a_queue_that_stays_above_its_target_may_follow_what_flows_ask_for(claims, runs):
    # The thesis says higher and lower, and no more.
    made = MadeUp(runs.Runs, queue=lambda _, __, tcp: 30.0 + tcp)

    assert verdicts(claims.claims_follow(claims.WORCESTER, "figure 3.7")(made)) == ["holds"]


def test_no_claim_is_made_twice(claims, runs):
    made = MadeUp(runs.Runs, delay=lambda *_: 0.1, throughput=lambda *_: 2e5, queue=lambda *_: 50.0, of=lambda *_: 0.1)
    found = [*claims.claims_throughput(made), *claims.claims_qos_boston(made)]

    assert len({claim.text for claim in found}) == len(found)
    carried = [claim for claim in found if "Throughput-sensitive flows carry more" in claim.text]
    assert [claim.source for claim in carried] == ["figures 4.7 and 4.8"]


def test_the_time_to_a_level_is_that_of_the_first_sample_there(claims, runs, context):
    done = papers.Context(context.directory, quick=True, runs=2, experiment="test")

    made = runs._run(
        done,
        "mix.toml",
        claims.BASE,
        claims.WORCESTER,
        {19: ["duration=3s", "warmup=1s", "record.probes.every=500ms"]},
        {"max_p": 1.0},
    )

    # It falls by a tenth after half a second, when the average is still below its target.
    assert made.time_to([1.0, 0.95], "max_p", claims.WORCESTER, 19, rising=False) == [0.0, 0.5]
    never = made.time_to([2.0, 2.0], "max_p", claims.WORCESTER, 19, rising=True)
    assert all(time != time for time in never)
