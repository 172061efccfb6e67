"""Phirke 2002: the runs of its study files, and their claims on made-up runs."""

import pytest

from sojourn import papers
from sojourn._rooms.works.reader import from_folder, names_of_files
from sojourn.papers import Results

DIRECTORY = papers.find()["phirke2002"]
STUDIES = {one.name: one for one in from_folder(DIRECTORY, names_of_files(DIRECTORY))}


def resolved(name, label, reading=""):
    """A variant of an experiment, spelled out, under a reading that begins so."""
    design = STUDIES[name].design
    (wanted,) = [one for one in design.readings if reading and one.name.startswith(reading)] or [None]
    return design.variants(papers.Context(DIRECTORY, quick=True), wanted)[label].resolved()


def test_every_queue_is_run_under_every_reading():
    base = resolved("P2", "delay, 15, RED-Boston")

    assert [flow["count"] for flow in base["flow"]] == [5, 15]
    assert [flow["delay_hint"]["delay"] for flow in base["flow"]] == ["80ms", "32ms"]
    assert (base["dumbbell"]["queue"]["hint_acts"], base["dumbbell"]["queue"]["above"]) == ("after_spacing", "strict")

    def queue(label, reading):
        return resolved("P2", label, reading)["dumbbell"]["queue"]

    assert queue("delay, 15, RED-Boston", "hints act without")["hint_acts"] == "alone"
    assert queue("delay, 15, RED-Boston", "RED-Boston is gentle")["above"] == "gentle"
    assert queue("delay, 15, ARED", "max_p rises")["alpha"] == 0.01, "ARED stays as it is"
    assert resolved("P2", "delay, 15, ARED", "TFRC by")["flow"][1]["transport"]["dup_threshold"] == 3
    assert resolved("P1", "1, RED-Worcester from 1")["dumbbell"]["queue"]["max_p"] == 1.0
    base = resolved("P3", "112, RED-Boston")
    assert {(flow["transport"]["rto_min"], flow["transport"]["ack_every"]) for flow in base["flow"]} == {("1s", 1)}
    assert {resolved(name, "1, RED-Worcester")["flow"][0]["transport"]["ack_every"] for name in ("P1", "P1-hints")} == {
        1
    }
    late = resolved("P3", "112, RED-Boston", "today's timers of ns-2")
    assert {(flow["transport"]["rto_min"], flow["transport"]["recovery"]) for flow in late["flow"]} == {
        ("200ms", "newreno")
    }
    delayed = resolved("P3", "112, RED-Boston", "an acknowledgement for every second packet;")
    assert {(flow["transport"]["ack_every"], flow["transport"]["cut"]) for flow in delayed["flow"]} == {(2, "window")}


def test_the_empty_way_takes_the_three_delays_and_three_transmissions():
    # 15 + 20 + 15 ms; 8000 bit at 20, 5 and 20 Mbit/s.
    for name in ("P1-qos", "P2", "P3", "P4"):
        assert STUDIES[name].design.metrics["delay"].less == pytest.approx(50 + 0.4 + 1.6 + 0.4)
    # 1.5 instead of 5 Mbit/s.
    assert STUDIES["P5"].design.metrics["delay"].less == pytest.approx(50 + 0.4 + 16 / 3 + 0.4, abs=0.01)


class MadeUp(Results):
    """Numbers that are a function of the point, with a little noise."""

    def __init__(self, design, **numbers):
        self.design, self.looks, self.used = design, 1, set()
        self.numbers = numbers

    def sample(self, metric, point):
        if metric not in self.numbers:
            return self.design.metrics[metric].sample(self, point)
        return [self.numbers[metric](**point) * (1 + part) for part in (0.0, 0.002, -0.002, 0.001)]


def verdicts(name, **numbers):
    """Verdicts of the claims whose metric is made up, by their ids."""
    made = STUDIES[name]
    return {
        claim.id: claim.claim(MadeUp(made.design, **numbers)).verdict
        for claim in made.claims
        if claim.metric in (*numbers, "qos", "meets")
    }


def delay(queue, tfrc, **at):
    if queue == "ARED":
        return 80.0
    return (80.0 if at["class"] == "throughput" else 32.0) * (1 + int(tfrc) / 200)


def throughput(queue, tfrc, **at):
    if queue == "ARED":
        return 240e3
    share = int(tfrc) / 20
    return 240e3 * ((1 + 0.3 * share) if at["class"] == "throughput" else 0.7 + 0.25 * share)


def test_what_the_thesis_says_of_red_boston_holds_of_such_runs():
    made = {"delay": delay, "throughput": throughput, "drops": lambda **_: 0.05}

    assert set(verdicts("P2-delays", **made).values()) == {"holds"}
    drops = verdicts("P2-drops", **made)
    assert {drops[f"P2-drops-delay-sensitive-flows-{claim}"] for claim in ("carry", "carry-less")} == {
        "holds",
        "fitted",
    }
    assert drops["P2-drops-what-delay-sensitive-flows"] == "holds"
    assert drops["P2-drops-ared-same"] == "fitted", "all of ARED's flows carry the same"
    assert drops["P2-drops-tfrc-more"] == "undecided"
    assert list(verdicts("P2-qos", **made).values())[:2] == ["holds"] * 2


def test_a_queue_that_is_no_better_than_ared_fails():
    made = {
        "delay": lambda **_: 200.0,
        "throughput": lambda queue, **_: 240e3 if queue == "ARED" else 200e3,
        "drops": lambda **_: 0.05,
    }

    assert list(verdicts("P2-delays", **made).values())[:2] == ["fails"] * 2
    drops = verdicts("P2-drops", **made)
    assert drops["P2-drops-delay-sensitive-flows-carry"] == "holds"
    assert drops["P2-drops-what-delay-sensitive-flows"] == "undecided"
    found = list(verdicts("P2-qos", **made).values())
    assert (found[0], found[2]) == ("fails", "fails")


def test_qos_is_throughput_against_delay_and_normalised_by_ared():
    # sqrt(90000 / 20) over sqrt(160000 / 80) is 1.5: a gain of a half.
    made = {
        "delay": lambda queue, **_: 80.0 if queue == "ARED" else 20.0,
        "throughput": lambda queue, **_: 160e3 if queue == "ARED" else 90e3,
    }
    study = STUDIES["P2-qos"]
    mean = next(claim for claim in study.claims if "on average" in claim.text)

    assert mean.claim(MadeUp(study.design, **made)).ours.mean == pytest.approx(0.5)


def test_drops_that_rise_in_a_bend_do_not_increase_linearly():
    def found(rise):
        made = {
            "drops": lambda queue, tfrc: 0.02 + (0.01 * rise(int(tfrc) / 20) if queue != "ARED" else 0.0),
            "max_p": lambda **_: 0.1,
            "near_max_p": lambda **_: 1.0,
        }
        return next(iter(verdicts("P1-drops", **made).values()))

    assert found(lambda share: share) == "holds"
    assert found(lambda share: share**3) == "fails", "each step is above 0 all the same"


def test_a_queue_that_falls_with_its_target_does_what_the_thesis_says_of_it():
    # "Higher or lower based on requirements" is what most of them say; one asks how far the queue is from the target.
    def target(queue, tfrc):
        return 50.0 - 1.5 * int(tfrc) if queue != "ARED" else 50.0

    following = {"target": target, "queue": lambda **at: 0.5 * target(**at) + (25.0 if at["queue"] == "ARED" else 0.0)}
    rising = {"target": target, "queue": lambda tfrc, **_: 50.0 + int(tfrc)}

    found = verdicts("P1-queue", **following)
    assert found.pop("P1-queue-meets-target") == "fails"
    assert set(found.values()) == {"holds", "fitted"}
    assert "fails" in verdicts("P1-queue", **rising).values()


def test_no_claim_is_made_twice():
    texts = [claim.text for study in STUDIES.values() for claim in study.claims]

    assert len(texts) == len(set(texts)) == 76
