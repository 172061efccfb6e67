"""Tahiliani 2013: the runs of its study files, and their claims on made-up runs."""

import pytest

from sojourn import papers
from sojourn._rooms.works.reader import from_folder, names_of_files
from sojourn.papers import Results

DIRECTORY = papers.find()["tahiliani2013"]
STUDIES = {one.name: one for one in from_folder(DIRECTORY, names_of_files(DIRECTORY))}


@pytest.fixture
def errors():
    return STUDIES["E4.3b"]


def resolved(made, label, reading=None):
    """A variant of an experiment, spelled out, under a reading that begins so."""
    (wanted,) = [one for one in made.design.readings if reading and one.name.startswith(reading)] or [None]
    return made.design.variants(papers.Context(DIRECTORY, quick=False), wanted)[label].resolved()


def test_frames_of_the_base_do_not_collide_and_wait():
    # "Time spent in waiting for contention", and "all the packet losses occur only due to congestion".
    scenario = resolved(STUDIES["E4.3a"], "11, SACK with ECN")

    (medium,) = scenario["medium"]
    assert (medium["rts_threshold"], medium["retries"]) == ("0B", 0)
    assert all(not link.get("loss") for link in scenario["link"])
    assert scenario["link"][0]["rate"] == "11Mbit"


def test_senders_and_readings_are_what_they_are_called(errors):
    def transport(label, reading=None):
        return resolved(errors, label, reading)["flow"][1]["transport"]

    assert transport("4, Westwood")["control"]["kind"] == "westwood"
    assert transport("4, SACK without ECN")["ecn"] is False
    surathkal = transport("4, Surathkal")
    assert (surathkal["ecn_feedback"], surathkal["xecn_lost_acks"]) == ("xecn", 7)
    assert surathkal["control"]["loss"] == "halves"
    assert transport("4, Surathkal", "a loss cuts")["control"]["loss"] == "as_marked"
    assert transport("4, SACK with ECN", "a loss cuts") == transport("4, SACK with ECN")
    links = {
        reading: resolved(errors, "4, SACK with ECN", reading)
        for reading in ("a plain link; a loss", "802.11b without RTS", "802.11b, lost")
    }
    assert not links["a plain link; a loss"].get("medium")
    assert links["802.11b without RTS"]["medium"][0]["rts_threshold"] == "auto"
    assert links["802.11b, lost"]["medium"][0]["retries"] == 6


class MadeUp(Results):
    """Throughputs of senders at a point, with a little noise of each its own."""

    def __init__(self, design, throughput):
        self.design, self.looks, self.used = design, 1, set()
        self.throughput = throughput

    def sample(self, metric, point):  # noqa: ARG002
        value, sender = point.values()
        noise = (0.0, 0.002, -0.002, 0.001, -0.001, 0.0015, -0.0015, 0.0005)
        return [self.throughput(sender, float(value)) * (1 + part) for part in noise]


def verdicts(names, throughput):
    found = [STUDIES[name] for name in names]
    return [claim.claim(MadeUp(made.design, throughput)).verdict for made in found for claim in made.claims]


RATES = ("E4.3a", "E4.3a-westwood")
ERRORS = ("E4.3b", "E4.3b-more")


def test_the_gains_of_the_thesis_hold():
    gains = {"Surathkal": 1.037, "SACK with ECN": 1.0, "SACK without ECN": 0.973, "Westwood": 1.037}

    assert verdicts(RATES, lambda sender, _: gains[sender]) == ["holds"] * 3
    found = verdicts(ERRORS, lambda sender, share: gains[sender] * (1 - 0.1087 * share * (sender == "Westwood")))
    assert found == ["holds"] * 8


def test_other_gains_fail():
    gains = {"Surathkal": 1.0, "SACK with ECN": 1.03, "SACK without ECN": 1.06, "Westwood": 1.05}

    assert verdicts(RATES, lambda sender, _: gains[sender]) == ["fails"] * 3
    assert verdicts(ERRORS, lambda sender, _: gains[sender]) == ["fails"] * 8, "a loss is no gain of up to 3.62 %"
    gains = {"Surathkal": 1.2, "SACK with ECN": 1.0, "SACK without ECN": 1.0, "Westwood": 1.0}
    assert verdicts(ERRORS, lambda sender, _: gains[sender])[5:] == ["fails"] * 3, (
        "too much, and for Westwood too little"
    )


def test_the_printed_tables_of_chapter_3_agree_with_themselves():
    tables = STUDIES["E3.1"]
    printed = {claim.metric + claim.at["queue"]: claim.printed for claim in tables.claims}
    flows = list(tables.design.axes["flows"])

    class Printed(MadeUp):
        def sample(self, metric, point):
            value = printed[metric + point["queue"]][flows.index(point["flows"])]
            # So many that a row which has it always counts.
            return [value * (1 + 1e-6 * part) for part in range(-30, 31)]

    def found(name):
        made = STUDIES[name]
        claims = [claim for claim in made.claims if claim.metric != "queue"]
        return [claim.claim(Printed(made.design, None)).verdict for claim in claims]

    assert found("E3.1") == ["fitted"] * 8
    assert found("E3.1-mean") == [*["holds"] * 11, "contradicted"], "FARED loses least, CARED carries most"
    assert found("E3.1-gain") == ["holds"] * 12, "the text quotes the greatest differences of its tables"
    # Results that the text calls consistent: printed differences of both signs contradict it.
    carries, loses = ["contradicted", *["holds"] * 3], ["holds", *["contradicted"] * 3]
    assert found("E3.1-order") == ["holds", "holds", *carries, *loses]


def test_targets_are_those_that_the_thesis_prints():
    # [9, 11] of 5 and 15 packets, [44, 56] of 20 and 80; the first are automatic for 10, 8 and 1.5 Mbit/s.
    def target(queue):
        low, high = (float(queue[key][:-1]) for key in ("min_th", "max_th"))
        return [low + queue[key] * (high - low) for key in ("target_low", "target_high")]

    long = resolved(STUDIES["E3.3"], "alone, CARED")["dumbbell"]["queue"]
    narrow = resolved(STUDIES["E3.3"], "background, Re-ARED")["dumbbell"]["queue"]
    assert target(long) == pytest.approx([44, 56])
    assert target(narrow) == pytest.approx([48.8, 51.2])
    for name, label in (("E3.2", "10, ARED"), ("E3.5", "rise, ARED"), ("E4.1a", "10, SACK")):
        queue = resolved(STUDIES[name], label)["dumbbell"]["queue"]
        assert (queue["min_th"], queue["max_th"], queue["target_delay"]) == ("auto", "auto", "5ms")


def test_the_load_rises_or_falls_at_25_s():
    steps = STUDIES["E3.5"]

    def many(label):
        flow = resolved(steps, label)["flow"][2]
        return flow["count"], flow["start"]["at"], flow["start"]["every"], flow.get("stop")

    assert many("rise, CARED") == (20, "25s", "100ms", None)
    assert many("fall, CARED") == (20, "0s", "100ms", "25s")


def test_without_background_traffic_only_the_long_flows_send():
    design = STUDIES["E3.3"].design
    scenario = design.variants(papers.Context(DIRECTORY, quick=False))["alone, ARED"].resolved()

    assert scenario["duration"] == "100s"
    assert [flow["start"]["at"] for flow in scenario["flow"]] == ["0s", "99.9s", "99.9s"]


def milliseconds(delay):
    """The seconds of a delay as in resolved scenarios, alone or as both ends of a range."""
    (text,) = {delay} if isinstance(delay, str) else set(delay)
    return float(text.removesuffix("us")) / 1e3 if text.endswith("us") else float(text.removesuffix("ms"))


def test_the_suite_scales_its_ways_links_and_buffers():
    rates, trips = STUDIES["E4.2a"], STUDIES["E4.2b"]
    for label in ("10", "100"):
        network = resolved(rates, f"{label}, XCP")["dumbbell"]
        assert network["access"]["rate"] == f"{2 * int(label)}Mbit" == f"{2 * int(network['rate'][:-4])}Mbit"
    for point in trips.design.axes["rtt"]:
        network = resolved(trips, f"SACK, {point}")["dumbbell"]
        middle, access = (milliseconds(delay) for delay in (network["delay"], network["access"]["delay"]))
        assert 2 * (middle + 2 * access) == pytest.approx(float(point))
    senders = {name: resolved(rates, f"10, {name}")["flow"] for name in rates.design.axes["sender"]}
    assert {name: flows[0]["transport"]["control"]["kind"] for name, flows in senders.items()} == {
        "Surathkal": "surathkal",
        "SACK": "reno",
        "HSTCP": "hstcp",
        "STCP": "scalable",
        "CUBIC": "cubic",
        "XCP": "xcp",
    }
    assert [name for name, flows in senders.items() if not flows[1]["transport"]["ecn"]] == ["CUBIC"]
    assert {flows[2]["transport"]["control"]["kind"] for flows in senders.values()} == {"reno"}, (
        "web flows stay as they are"
    )


def test_half_of_the_flows_that_share_a_link_are_surathkals():
    flows = resolved(STUDIES["E4.1c"], "42")["flow"]

    assert [flow["count"] for flow in flows] == [21, 21]
    assert [flow["transport"]["ecn_feedback"] for flow in flows] == ["xecn", "auto"]
