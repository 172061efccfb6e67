"""The reproduction of Haider 2005: files that read, rules on made-up runs, and one run from end to end."""

import importlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from sojourn import Scenario, papers
from sojourn.claims import Claim

DIRECTORY = Path(__file__).parents[2] / "papers" / "haider2005"


@pytest.fixture(scope="module")
def haider():
    """The paper's module, with the names of the module that says what is run."""
    papers.load("haider2005")
    runs = importlib.import_module("sojourn_papers_haider2005.runs")
    readings = importlib.import_module("sojourn_papers_haider2005.readings")
    claims = importlib.import_module("sojourn_papers_haider2005")
    return SimpleNamespace(**vars(readings) | vars(runs) | vars(claims))


class _Runs:
    """Runs with a loss and a utilisation for each queue, in percent, and a little noise."""

    thetas = (1, 2, 3, 4, 5)

    def __init__(self, loss, utilisation):
        self.loss = {label: self._sample(value) for label, value in loss.items()}
        self.utilisation = {label: self._sample(value) for label, value in utilisation.items()}

    def _sample(self, percent):
        return [(percent + noise) / 100 for noise in (0.0, 0.001, -0.001, 0.0005)]


def cells(haider, value_of):
    return {haider.hybrid(theta, xi): value_of(theta, xi) for theta in haider.THETAS for xi in haider.XIS}


def verdicts(claims):
    return [claim.verdict for claim in claims]


@pytest.mark.parametrize("name", ["H1.toml", "H2.toml", "H2-forward.toml"])
def test_scenario_files_read(name):
    scenario = Scenario.load(DIRECTORY / name)

    assert scenario.duration_s == 50.0


def test_twenty_flows_start_a_tenth_of_a_second_apart_in_both_readings():
    for name in ("H2.toml", "H2-forward.toml"):
        groups = tomllib.loads((DIRECTORY / name).read_text())["flow"]
        starts = sorted(
            round(float(group["start"]["at"][:-1]) + flow * float(group["start"]["every"][:-1]), 6)
            for group in groups
            if group["name"].startswith("new")
            for flow in range(group["count"])
        )
        assert starts == [round(25 + 0.1 * flow, 6) for flow in range(20)]


def test_published_numbers_are_complete(haider):
    expected = tomllib.loads((DIRECTORY / "expected.toml").read_text())

    for experiment in ("H1", "H2"):
        assert list(expected[experiment]["queues"]) == list(haider.BASELINES)
        tabulated = [haider.hybrid(theta, xi) for theta in (1, 2, 3) for xi in (1.1, 1.25, 1.5, 2.0, 3.0)]
        assert list(expected[experiment]["hybrid"]) == tabulated
        assert all(len(row) == 4 for row in expected[experiment]["hybrid"].values())
    assert "lpf_oda" in expected["H2"]["doubtful"], "36.67 is flagged"


def test_every_queue_of_the_sweep_is_a_queue(haider):
    context = papers.Context(DIRECTORY, quick=True)
    for label in [*haider.BASELINES, "2, 1.75"]:
        resolved = haider.variant(context, "H1.toml", haider.queue_settings(label)).resolved()
        queue = resolved["link"][0]["queue"]
        assert (queue["min_th"], queue["max_th"], queue["limit"]) == ("5p", "15p", "50p")


def test_b1_follows_the_order_of_the_means(haider):
    published = _Runs({"red": 1.02, "ared": 0.97, "lpf_oda": 0.84}, {"red": 98.73, "ared": 95.38, "lpf_oda": 94.93})
    reverse = _Runs({"red": 0.84, "ared": 0.97, "lpf_oda": 1.02}, {"red": 94.9, "ared": 95.4, "lpf_oda": 98.7})
    equal = _Runs(dict.fromkeys(haider.BASELINES, 1.0), dict.fromkeys(haider.BASELINES, 98.0))

    b1 = [haider.claims_b1_loss, *map(haider.claims_b1_utilisation, ("ared", "lpf_oda"))]
    assert verdicts(claim for judge in b1 for claim in judge(published)) == ["holds"] * 3
    assert verdicts(claim for judge in b1 for claim in judge(reverse)) == ["fails"] * 3
    assert verdicts(claim for judge in b1 for claim in judge(equal)) == ["undecided"] * 3


def test_b2_allows_a_utilisation_lower_by_the_margin(haider):
    def judged(loss, eta):
        runs = _Runs({"red": 1.0, **cells(haider, lambda *_: loss)}, {"red": 98.7, **cells(haider, lambda *_: eta)})
        return verdicts(haider.claims_b2(runs))

    assert judged(0.8, 98.9) == ["holds", "holds"]
    assert judged(1.1, 98.68) == ["fails", "holds"], "0.02 points are within the margin of 0.05"
    assert judged(1.0, 98.6) == ["undecided", "fails"]


def test_b3_wants_a_fall_that_levels_out(haider):
    def judged(loss_of_xi):
        return verdicts(haider.claims_b3(_Runs(cells(haider, lambda _, xi: loss_of_xi(xi)), {})))

    assert judged(lambda xi: 0.77 + max(0.0, 1.5 - xi) * 0.25) == ["holds", "holds", "holds"]
    assert judged(lambda xi: 0.7 + 0.08 * xi) == ["holds", "fails", "fails"], "each step is within the margin of 0.05"
    assert judged(lambda xi: 0.7 + 0.2 * xi) == ["fails", "fails", "fails"]
    assert judged(lambda xi: 2.0 - 0.3 * xi) == ["holds", "holds", "fails"], "it goes on falling"


def test_b4_wants_a_rise_and_equal_losses(haider):
    def judged(eta_of_xi, loss_of_theta):
        runs = _Runs(cells(haider, lambda theta, _: loss_of_theta(theta)), cells(haider, lambda _, xi: eta_of_xi(xi)))
        return verdicts(haider.claims_b4(runs))

    assert judged(lambda xi: 89 + 0.5 * xi, lambda _: 8.1) == ["holds", "holds"]
    assert judged(lambda xi: 91 - 0.5 * xi, lambda theta: 8.1 + 0.3 * theta) == ["fails", "fails"]
    assert judged(lambda _: 90, lambda theta: 8.1 + 0.05 * theta) == ["undecided", "undecided"], "0.1 from the mean"


def traces(ranges):
    """Runs whose traces spread evenly between two ends, given for each queue."""

    class Runs:
        thetas = (1, 2, 3, 4, 5)

        def traced(self, label, what, *, since_s=0.0):  # noqa: ARG002
            low, high = ranges(label)
            # 101 samples spread evenly: their 1 % and 99 % points are just beside the ends.
            values = [low + (high - low) * step / 100 for step in range(101)]
            return [pl.DataFrame({"value": values}).select(what).item() + noise for noise in (0.0, 0.01, -0.01, 0.005)]

    return Runs()


def test_b5_reads_the_ends_of_the_traces(haider):
    def ranges(red, lpf, hybrid_125, hybrid_2):
        def of(label):
            if label in ("red", "lpf_oda"):
                return red if label == "red" else lpf
            return hybrid_125 if label.endswith("1.25") else hybrid_2

        return traces(of)

    def b5(runs):
        for judge in (haider.claims_b5_red, haider.claims_b5_lpf_oda, haider.claims_b5_hybrid):
            yield from judge(runs)

    assert verdicts(b5(ranges((6, 12), (1, 12), (4, 10), (2, 11)))) == ["holds"] * 3
    assert verdicts(b5(ranges((2, 12), (5, 9), (2, 11), (4, 10)))) == ["fails"] * 3
    assert verdicts(b5(ranges((4.9, 12), (1, 14.12), (4, 10), (4, 10))))[2] == "undecided"


def test_b6_compares_distances_from_the_target(haider):
    near, far = (9.0, 11.0), (1.0, 30.0)

    def b6(runs):
        for other in ("red", "lpf_oda"):
            yield from haider.claims_b6(other)(runs)

    assert verdicts(b6(traces(lambda label: near if label == "ared" else far))) == ["holds"] * 2
    assert verdicts(b6(traces(lambda label: far if label == "ared" else near))) == ["fails"] * 2
    assert verdicts(b6(traces(lambda _: near))) == ["undecided"] * 2


def test_a_reading_changes_the_queues_that_it_touches_and_no_other(haider):
    # What is run, spelled out, against what is run under the reading that it stands over.
    context = papers.Context(DIRECTORY, quick=True)

    def spelled_out(reading, label):
        scenario = haider.variant(
            context, reading.file or "H2.toml", haider.queue_under(reading, label), transport=reading.transport
        )
        return {key: value for key, value in scenario.resolved().items() if key != "title"}

    for reading in (*haider.OF_QUEUES, *haider.OF_PATHS):
        labels = (*haider.BASELINES, haider.hybrid(2, 1.5))
        plain = {label: spelled_out(reading.over or haider.BASE, label) for label in labels}
        changed = {label for label in labels if spelled_out(reading, label) != plain[label]}
        assert changed == {label for label in labels if haider.queue_settings(label)["kind"] in reading.touches}, (
            reading.name
        )


def test_every_claim_has_a_verdict_under_each_reading_that_touches_it(haider):
    def judge(runs):
        yield Claim.that("c", runs == "base")

    claims = [haider.Judged(judge, frozenset({"lpf_oda"})), haider.Judged(judge, frozenset({"hybrid_red"}), True)]
    readings = (haider.AGAIN, haider.EVERY, haider.LITERAL)

    judged = list(haider.verdicts(claims, "base", readings, {reading.key: "other" for reading in readings}))

    said = [("", "holds"), (haider.AGAIN.name, "fails"), ("", "holds"), (haider.EVERY.name, "fails")]
    assert [(claim.reading, claim.verdict) for claim in judged] == said, "a FIFO has no columns to compare"


@pytest.mark.slow
def test_h1_runs_from_end_to_end(tmp_path):
    report = tmp_path / "haider2005.html"
    arguments = ["haider2005", "--quick", "--only", "H1", "--seeds", "2", "--json", "--report", str(report)]
    command = [sys.executable, "-c", "from sojourn.cli import main; main()", "reproduce", *arguments]

    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=DIRECTORY.parents[1])

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {claim["experiment"] for claim in found["claims"]} == {"H1"}
    assert {claim["verdict"] for claim in found["claims"]} <= {"holds", "fails", "undecided"}
    assert {"", "LPF/ODA cuts again every 3 arrivals"} <= {claim["reading"] for claim in found["claims"]}
    numbers = {(n["row"], n["column"]): n for n in found["tables"][0]["numbers"]}
    assert numbers["RED", "utilisation"]["published"] == pytest.approx(0.9873)
    assert 0.97 < numbers["RED", "utilisation"]["mean"] < 1.0
    assert "The average queue over time" in report.read_text(encoding="utf-8")
