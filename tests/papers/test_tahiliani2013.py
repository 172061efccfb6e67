"""Tahiliani 2013: what its study files run, and their claims on made-up runs."""

import pytest

from sojourn import papers
from sojourn.reproduce import Results, from_file

DIRECTORY = papers.find()["tahiliani2013"]


@pytest.fixture
def errors():
    return from_file(DIRECTORY / "E4.3b.toml")


def resolved(made, label, reading=None):
    """A variant of an experiment, spelled out, under a reading that begins so."""
    (wanted,) = [one for one in made.design.readings if reading and one.name.startswith(reading)] or [None]
    return made.design.variants(papers.Context(DIRECTORY, quick=True), wanted)[label].resolved()


def test_the_base_has_no_medium_and_loses_nothing_but_by_congestion():
    # "There is no error in the channel and hence all the packet losses occur only due to congestion."
    scenario = resolved(from_file(DIRECTORY / "E4.3a.toml"), "11, SACK with ECN")

    assert not scenario.get("medium")
    assert all(not link.get("loss") for link in scenario["link"])
    assert scenario["link"][0]["rate"] == "11Mbit"


def test_senders_and_readings_are_what_they_are_called(errors):
    def transport(label, reading=None):
        return resolved(errors, label, reading)["flow"][1]["transport"]

    assert transport("4, Westwood")["control"]["kind"] == "westwood"
    assert transport("4, SACK without ECN")["ecn"] is False
    assert transport("4, Surathkal")["ecn_feedback"] == "xecn"
    assert transport("4, Surathkal", "a loss halves")["control"]["loss"] == "halves"
    assert transport("4, SACK with ECN", "a loss halves") == transport("4, SACK with ECN")
    links = {
        reading: resolved(errors, "4, SACK with ECN", reading)
        for reading in ("30 ms", "802.11b without", "802.11b, ack", "802.11b, lost")
    }
    assert links["30 ms"]["link"][0]["delay"] == "30ms"
    assert [links[name]["medium"][0]["retries"] for name in ("802.11b without", "802.11b, lost")] == [0, 6]
    apart = links["802.11b, ack"]["link"][:2]
    assert [link.get("medium") for link in apart] == ["air", None]
    assert {link["loss"]["probability"] for link in apart} == {0.04}


class MadeUp(Results):
    """Throughputs of senders at a point, with a little noise of each its own."""

    def __init__(self, design, throughput):
        self.design, self.looks, self.used = design, 1, set()
        self.throughput = throughput

    def sample(self, metric, point):  # noqa: ARG002
        value, sender = point.values()
        noise = (0.0, 0.002, -0.002, 0.001)
        return [self.throughput(sender, float(value)) * (1 + part) for part in noise]


def verdicts(names, throughput):
    found = [from_file(DIRECTORY / name) for name in names]
    return [claim.claim(MadeUp(made.design, throughput)).verdict for made in found for claim in made.claims]


RATES = ("E4.3a.toml", "E4.3a-westwood.toml")
ERRORS = ("E4.3b.toml", "E4.3b-more.toml")


def test_the_gains_of_the_thesis_hold():
    gains = {"Surathkal": 1.03, "SACK with ECN": 1.0, "SACK without ECN": 0.97, "Westwood": 1.03}

    assert verdicts(RATES, lambda sender, _: gains[sender]) == ["holds"] * 3
    found = verdicts(ERRORS, lambda sender, share: gains[sender] * (1 - 0.11 * share * (sender == "Westwood")))
    assert found == ["holds", "holds", "holds", "undecided", "holds"], "without errors Westwood carries as much"


def test_other_gains_fail():
    gains = {"Surathkal": 1.0, "SACK with ECN": 1.03, "SACK without ECN": 1.06, "Westwood": 1.05}

    assert verdicts(RATES, lambda sender, _: gains[sender]) == ["fails", "holds", "fails"]
    assert verdicts(ERRORS, lambda sender, _: gains[sender]) == ["fails"] * 5


def test_the_printed_tables_of_chapter_3_agree_with_themselves():
    made = from_file(DIRECTORY / "E3.1.toml")
    printed = {claim.metric + claim.at["queue"]: claim.printed for claim in made.claims if hasattr(claim, "printed")}
    flows = list(made.design.axes["flows"])

    class Printed(MadeUp):
        def sample(self, metric, point):
            value = printed[metric + point["queue"]][flows.index(point["flows"])]
            return [value * (1 + part) for part in (0.0, 1e-5, -1e-5)]

    found = [claim.claim(Printed(made.design, None)).verdict for claim in made.claims]
    assert found == ["holds"] * 14, "FARED loses least, CARED carries most"
