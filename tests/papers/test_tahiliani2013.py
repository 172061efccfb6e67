"""The wireless experiments of Tahiliani 2013: files and settings that read, and rules on made-up runs."""

import importlib

import pytest

from sojourn import papers


@pytest.fixture(scope="module")
def thesis():
    papers.load("tahiliani2013")
    return importlib.import_module("sojourn_papers_tahiliani2013")


@pytest.fixture
def context():
    return papers.Context(papers.find()["tahiliani2013"], quick=True)


def made_up(thesis, values, throughput):
    """Sweeps with this throughput of each sender at each value, and a little noise."""
    noise = (0.0, 0.002, -0.002, 0.001)
    return thesis.Sweep(
        {
            sender: {value: [throughput(sender, value) * (1 + part) for part in noise] for value in values}
            for sender in ("surathkal", "sack", "plain", "westwood")
        },
        None,
    )


def verdicts(claims):
    return [claim.verdict for claim in claims]


def test_every_sender_can_be_run_under_every_reading(thesis, context):
    asked = {}

    class AskedError(Exception):
        pass

    def study(key, variants, *, seeds):
        asked[key] = variants
        raise AskedError(seeds)

    context.study = study
    for reading in (thesis.BASE, *thesis.READINGS):
        with pytest.raises(AskedError):
            thesis.sweep(context, reading, list(thesis.SENDERS), [0.02], thesis.corrupted)

    kinds = {
        key: {label: scenario.resolved() for label, scenario in variants.items()} for key, variants in asked.items()
    }
    # "There is no error in the channel and hence all the packet losses occur only due to congestion."
    plain = thesis.sweep_scenario(context, thesis.BASE, "sack", [])
    assert not plain.resolved().get("medium")
    assert all("loss" not in link or link["loss"] is None for link in plain.resolved()["link"])
    assert kinds["plain"]["westwood 0.02"]["flow"][1]["transport"]["control"]["kind"] == "westwood"
    assert kinds["plain"]["plain 0.02"]["flow"][0]["transport"]["ecn"] is False
    assert kinds["halves"]["surathkal 0.02"]["flow"][0]["transport"]["control"]["loss"] == "halves"
    assert [kinds[key]["sack 0.02"]["medium"][0]["retries"] for key in ("air", "retries")] == [0, 6]
    assert [link.get("medium") for link in kinds["apart"]["sack 0.02"]["link"][:2]] == ["air", None]
    assert {link["loss"]["probability"] for link in kinds["apart"]["sack 0.02"]["link"][:2]} == {0.02}


def test_the_gains_of_the_thesis_hold(thesis):
    gains = {"surathkal": 1.03, "sack": 1.0, "plain": 0.97, "westwood": 1.03}
    rates = made_up(thesis, thesis.RATES, lambda sender, _: gains[sender])
    errors = made_up(
        thesis, thesis.ERRORS, lambda sender, share: gains[sender] * (1 - 11 * share * (sender == "westwood"))
    )

    assert verdicts(thesis.claims_rates(rates)) == ["holds"] * 3
    assert verdicts(thesis.claims_errors(errors))[:3] == ["holds"] * 3
    assert verdicts(thesis.claims_errors(errors))[4] == "holds"


def test_other_gains_fail(thesis):
    gains = {"surathkal": 1.0, "sack": 1.03, "plain": 1.06, "westwood": 1.05}
    assert verdicts(thesis.claims_rates(made_up(thesis, thesis.RATES, lambda sender, _: gains[sender]))) == [
        "fails",
        "holds",
        "fails",
    ]
    assert (
        verdicts(thesis.claims_errors(made_up(thesis, thesis.ERRORS, lambda sender, _: gains[sender]))) == ["fails"] * 5
    )
