"""The reproduction of Haider 2005: files that read, rules on made-up runs, and one run from end to end."""

import json
import tomllib

import pytest

from helpers.shell import sojourn
from sojourn import Scenario, papers
from sojourn._rooms.works import figures
from sojourn._rooms.works.figure_cells import cells_of
from sojourn._rooms.works.points import Drawn
from sojourn._rooms.works.reader import from_folder, names_of_files
from sojourn.papers import Results

DIRECTORY = papers.find()["haider2005"]
STUDIES = {one.name: one for one in from_folder(DIRECTORY, names_of_files(DIRECTORY))}
DESIGNS = ("H1", "H1-sweep", "H2", "H2-sweep")
NOISE = (0.0, 0.001, -0.001, 0.0005)


class MadeUp(Results):
    """Numbers that are a function of the point, in the units of the tables; losses and utilisations in percent."""

    def __init__(self, design, **numbers):
        self.design, self.looks, self.used = design, 1, set()
        self.numbers = numbers

    def sample(self, metric, point):
        share = 0.01 if metric in ("loss", "utilisation", "payload") else 1.0
        return [(self.numbers[metric](**point) + noise) * share for noise in NOISE]


def verdicts(name, begins, **numbers):
    """Verdicts of the claims whose texts begin so."""
    made = STUDIES[name]
    results = MadeUp(made.design, **numbers)
    return [claim.claim(results).verdict for claim in made.claims if claim.text.startswith(begins)]


def test_table_6_1_has_its_twelve_numbers_by_queue():
    (table,) = figures.read(DIRECTORY).about(["table 6.1"])

    cells = list(cells_of(table, papers.load("haider2005"), Drawn()))

    assert len({(one.experiment, one.row, one.column) for one in cells}) == 12
    assert {one.row for one in cells} == {"RED", "ARED", "LPF/ODA"}
    assert {one.printed for one in cells} >= {"98.73", "90.38", "36.67"}, "numbers of single claims, too"


@pytest.mark.parametrize("name", ["H1.toml", "H2.toml", "H2-paths.toml"])
def test_scenario_files_read(name):
    assert Scenario.load(DIRECTORY / "scenarios" / name).duration_s == 50.0


def test_twenty_flows_start_a_tenth_of_a_second_apart_in_both_readings():
    for name in ("H2.toml", "H2-paths.toml"):
        groups = tomllib.loads((DIRECTORY / "scenarios" / name).read_text())["flow"]
        starts = sorted(
            round(float(group["start"]["at"][:-1]) + flow * float(group["start"]["every"][:-1]), 6)
            for group in groups
            if group["name"].startswith("new")
            for flow in range(group["count"])
        )
        assert starts == [round(25 + 0.1 * flow, 6) for flow in range(20)]


def test_published_numbers_are_complete():
    expected = tomllib.loads((DIRECTORY / "expected.toml").read_text())

    whats = ("utilisation", "utilisation_errors", "loss", "loss_errors")
    for name, table in (("H1", "H1-table"), ("H2", "H2-queues")):
        assert {what: len(row) for what, row in expected[table]["queues"].items()} == dict.fromkeys(whats, 3)
        for what in whats:
            rows = expected[f"{name}-sweep"][what]
            assert {theta: len(row) for theta, row in rows.items()} == {"t1": 5, "t2": 5, "t3": 5}
    # Rows of the report, where ours are LPF/ODA, ARED, RED and xi.
    assert expected["H1-table"]["queues"]["loss"] == [0.0084, 0.0097, 0.0102]
    assert expected["H2-sweep"]["utilisation"]["t2"] == [0.8930, 0.8967, 0.9023, 0.9024, 0.9039]


def test_every_queue_has_the_thresholds_and_the_buffer_of_the_report():
    context = papers.Context(DIRECTORY, quick=True)
    for name in DESIGNS:
        for scenario in STUDIES[name].design.variants(context).values():
            queue = scenario.resolved()["link"][0]["queue"]
            assert (queue["min_th"], queue["max_th"], queue["limit"]) == ("5p", "15p", "50p")


def test_b1_follows_the_order_of_the_means():
    def b1(loss, eta):
        return verdicts(
            "H1-queues", "B1", loss=lambda queue, **_: loss[queue], utilisation=lambda queue, **_: eta[queue]
        )

    published = {"RED": 1.02, "ARED": 0.97, "LPF/ODA": 0.84}, {"RED": 98.73, "ARED": 95.38, "LPF/ODA": 94.93}
    reverse = {"RED": 0.84, "ARED": 0.97, "LPF/ODA": 1.02}, {"RED": 94.9, "ARED": 95.4, "LPF/ODA": 98.7}
    equal = dict.fromkeys(published[0], 1.0), dict.fromkeys(published[0], 98.0)

    assert b1(*published) == ["holds"] * 3
    assert b1(*reverse) == ["fails"] * 3
    assert b1(*equal) == ["undecided", "equal", "equal"]


def test_b2_allows_a_utilisation_lower_by_the_margin():
    def b2(loss, eta):
        return verdicts(
            "H1-queues",
            "B2",
            loss=lambda queue, **_: 1.0 if queue == "RED" else loss,
            utilisation=lambda queue, **_: 98.7 if queue == "RED" else eta,
        )

    assert b2(0.8, 98.9) == ["holds", "holds"]
    assert b2(1.1, 98.68) == ["fails", "holds"], "0.02 points are within the margin of 0.05"
    assert b2(1.0, 98.6) == ["undecided", "fails"]


def test_b3_wants_a_fall_that_levels_out():
    def b3(loss_of_xi):
        return verdicts("H1-sweep", "B3", loss=lambda xi, **_: loss_of_xi(float(xi)))

    assert b3(lambda xi: 0.77 + max(0.0, 1.5 - xi) * 0.25) == ["holds", "fitted", "holds"]
    assert b3(lambda xi: 0.7 + 0.08 * xi) == ["fails", "fails", "fails"], (
        "each step is within the margin of 0.05, the end is above"
    )
    assert b3(lambda xi: 0.7 + 0.2 * xi) == ["fails", "fails", "fails"]
    assert b3(lambda xi: 2.0 - 0.3 * xi) == ["holds", "fitted", "fails"], "it goes on falling"


def test_b4_wants_a_rise_and_equal_losses():
    def b4(eta_of_xi, loss_of_theta):
        return verdicts(
            "H2-sweep",
            "B4",
            payload=lambda xi, **_: eta_of_xi(float(xi)),
            loss=lambda theta, **_: loss_of_theta(int(theta)),
        )

    assert b4(lambda xi: 89 + 0.5 * xi, lambda _: 8.1) == ["fitted", "holds"]
    assert b4(lambda xi: 91 - 0.5 * xi, lambda theta: 8.1 + 0.3 * theta) == ["fails", "fails"]
    assert b4(lambda _: 90, lambda theta: 8.1 + 0.05 * theta) == ["equal", "undecided"], "0.1 from the mean"


def test_b5_reads_the_ends_of_the_traces():
    def b5(red, lpf, swing):
        ends = {"RED": red, "LPF/ODA": lpf}
        found = verdicts(
            "H1-traces",
            "B5",
            least=lambda queue, **_: ends[queue][0],
            greatest=lambda queue, **_: ends[queue][1],
        )
        return found + verdicts("H1-sweep", "B5", swing=lambda xi, **_: swing[xi])

    assert b5((6, 12), (1, 12), {"1.25": 6, "2": 9}) == ["holds"] * 5
    assert b5((2, 17), (5, 9), {"1.25": 9, "2": 6}) == ["fails"] * 5
    assert b5((6, 12), (1, 12), {"1.25": 6, "2": 6})[4] == "equal"


def test_b6_compares_distances_from_the_target():
    def b6(ared, others):
        return verdicts("H2-queues", "B6", off=lambda queue: ared if queue == "ARED" else others)

    assert b6(1.0, 6.0) == ["holds"] * 2
    assert b6(6.0, 1.0) == ["fails"] * 2
    assert b6(3.0, 3.0) == ["undecided"] * 2


TOUCHED = {
    "Hybrid RED": {"Hybrid RED"},
    "LPF/ODA cuts": {"LPF/ODA"},
    "RED and LPF/ODA not": {"RED", "LPF/ODA"},
    "NewReno": {"RED", "ARED", "LPF/ODA", "Hybrid RED"},
    "today's": {"RED", "ARED", "LPF/ODA", "Hybrid RED"},
    "half of 13": {"RED", "ARED", "LPF/ODA", "Hybrid RED"},
    "packets of": {"RED", "ARED", "LPF/ODA", "Hybrid RED"},
}


def test_a_reading_changes_the_queues_that_it_touches_and_no_other():
    context = papers.Context(DIRECTORY, quick=True)
    design = STUDIES["H1"].design
    plain = design.variants(context)
    for reading in design.readings:
        changed = {
            label.split(", ")[1]
            for label, scenario in design.variants(context, reading).items()
            if scenario != plain[label]
        }
        (wanted,) = (queues for begins, queues in TOUCHED.items() if reading.name.startswith(begins))
        assert changed == wanted, reading.name


def test_what_is_claimed_of_the_sweep_is_run_as_in_topology_1():
    # Theta 1 of the sweep has the runs of H1's Hybrid RED, or everything would be run twice.
    context = papers.Context(DIRECTORY, quick=True)
    queues, sweep = (STUDIES[name].design for name in DESIGNS[:2])
    hybrid = {scenario for label, scenario in queues.variants(context).items() if label.endswith("Hybrid RED")}

    assert hybrid <= {scenario for label, scenario in sweep.variants(context).items() if label.startswith("1, ")}


@pytest.mark.slow
def test_h1_runs_from_end_to_end(tmp_path):
    report = tmp_path / "haider2005.html"
    only = [part for name in ("H1", "H1-queues", "H1-table") for part in ("--only", name)]
    arguments = ["haider2005", "--quick", "--readings", *only, "--seeds", "2", "--json", "--report", str(report)]

    done = sojourn("reproduce", *arguments, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {claim["experiment"] for claim in found["claims"]} == {"H1-queues", "H1-table"}
    assert {claim["verdict"] for claim in found["claims"]} <= {"holds", "fitted", "fails", "undecided"}
    assert {"", "LPF/ODA cuts again every 3 arrivals"} <= {claim["reading"] for claim in found["claims"]}
    numbers = {(n["row"], n["column"]): n for table in found["tables"] for n in table["numbers"] if n["published"]}
    assert numbers["RED", "losses over packets let in"]["published"] == pytest.approx(0.0102)
    assert 0.005 < numbers["RED", "losses over packets let in"]["mean"] < 0.02
    assert "Figure 6.21: The average queue of RED" in report.read_text(encoding="utf-8")
