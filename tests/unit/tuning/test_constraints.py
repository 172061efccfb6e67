"""Bounds that every setting must keep: their form, their cost, and messages."""

from __future__ import annotations

import json
import math

import pytest

import sojourn
from helpers.shell import refused
from helpers.shell import sojourn as command
from sojourn._rooms.tuning.constraints import parse_constraint
from sojourn._rooms.tuning.objectives import parse_objective
from sojourn._rooms.tuning.race import Candidate, Race
from sojourn._rooms.tuning.ranges import Range

LIMIT = "dumbbell.queue.limit"
# 4 packets lose 1.2 %, 20 lose 0.6 % and 40 lose 0.3 %; packets wait for 7, 57 and 125 ms.
SCENARIO = """
title = "short"
duration = "4s"
warmup = "1s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "40p" }

[[flow]]
name = "bulk"
count = 2
start = { spread = "0.5s" }
"""


@pytest.fixture
def scenario():
    return sojourn.Scenario.from_toml(SCENARIO)


def searched(scenario, *bounds, **other):
    pytest.importorskip("optuna")
    asked = {"over": {LIMIT: Range(3, 80, "p")}, "objectives": ["sojourn_mean_ms"], "trials": 12}
    found = {**asked, "seeds": range(1, 5), "fresh": range(11, 17), "subject_to": bounds, **other}
    return sojourn.tune(scenario, **found)


@pytest.mark.parametrize(
    ("text", "more", "bound"),
    [
        ("loss_ratio<0.02", False, 0.02),
        ("loss_ratio <= 2e-2", False, 0.02),
        ("utilisation>0.9", True, 0.9),
        ("group.goodput_mean_bps@bulk/group.rtt_mean_ms@bulk>=1000", True, 1000.0),
    ],
)
def test_a_bound_is_a_metric_a_sign_and_a_number(text, more, bound):
    found = parse_constraint(text)

    assert (found.measure.more, found.bound) == (more, bound)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("loss_ratio", "this is not a bound"),
        ("loss_ratio=0.02", "this is not a bound"),
        ("loss_ratio<2%", "the bound is a number"),
        ("los_ratio<0.02", "loss_ratio"),
    ],
)
def test_what_is_no_bound_is_refused(text, said, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(SCENARIO)
    arguments = ("--over", f"{LIMIT}=3p..80p", "--objective", "sojourn_mean_ms", "--subject-to", text)

    assert said in refused("tune", path, *arguments)


def test_a_bound_is_kept_or_broken_by_the_whole_interval():
    bound = parse_constraint("loss_ratio<0.02")
    below, around, beyond = [0.01, 0.011, 0.012], [0.01, 0.029, 0.012], [0.03, 0.031, 0.032]

    assert [bound.is_kept(one) for one in (below, around, beyond)] == [True, False, False]
    assert [bound.is_broken(one) for one in (below, around, beyond)] == [False, False, True]
    # 0.031 and Student's 4.303 of 0.001 over the root of three.
    assert bound.excess(beyond) == pytest.approx(0.011 + 4.303 * 0.001 / math.sqrt(3), rel=1e-3)
    assert math.isnan(bound.excess([0.01, math.nan]))
    assert not bound.is_kept([0.01, math.nan])
    above = parse_constraint("utilisation>0.9")
    assert above.is_kept([0.95, 0.951, 0.952])
    assert above.is_broken([0.8, 0.801, 0.802])


class Table:
    """Runs whose values are in a table: waits and losses of each scenario for each seed."""

    def __init__(self, table):
        self.table = table

    def make(self, scenarios, seeds):
        pass

    def values(self, scenario, seed):
        wait, lost = self.table[scenario]
        return {"sojourn_mean_ms": wait + seed % 3, "loss_ratio": lost + 1e-4 * (seed % 2)}


def test_who_surely_breaks_a_bound_gets_no_more_seeds_and_beats_nobody():
    runs = Table({"default": (5.0, 0.05), "breaks": (1.0, 0.03), "keeps": (8.0, 0.01)})
    objectives, bounds = [parse_objective("sojourn_mean_ms")], [parse_constraint("loss_ratio<0.02")]
    race = Race(Candidate({}, "default"), objectives, range(1, 13), runs, bounds)
    assert race.frontier == []
    race.run([breaks := Candidate({}, "breaks"), keeps := Candidate({}, "keeps")])

    assert (breaks.seeds, keeps.seeds) == (6, 12)
    assert race.frontier == [keeps]
    assert 0.01 < race.excesses(breaks)[0] < 0.011


def test_without_the_bound_the_shortest_queue_is_best_and_with_it_one_that_keeps_it(scenario):
    free, bound = searched(scenario), searched(scenario, "loss_ratio<0.008")

    assert float(free.best.settings["limit"].rstrip("p")) < float(bound.best.settings["limit"].rstrip("p"))
    (verdict,) = bound.best.verdicts
    assert verdict.bounded["loss_ratio<0.008"].mean < 0.008
    assert verdict.broken == ()
    assert bound.words().endswith("; it keeps loss_ratio<0.008")
    assert {one.kept for one in bound.tried} == {True, False}
    assert all(one.kept for one in free.tried)


def test_a_default_that_breaks_a_bound_is_beaten_by_what_keeps_it(scenario):
    tuned = searched(scenario.set(LIMIT, "4p"), "loss_ratio<0.008")

    assert tuned.best is not None
    (verdict,) = tuned.best.verdicts
    assert verdict.default_bounded["loss_ratio<0.008"].mean > 0.008
    # Its waits are longer, which the default cannot be praised for.
    assert verdict.differences["sojourn_mean_ms"].mean > 0.0
    said = tuned.words()
    assert (
        f"limit = {tuned.best.settings['limit']} keeps loss_ratio<0.008, which the default breaks; sojourn_mean" in said
    )
    assert ": it costs " in said
    assert "better" not in said
    assert (tuned.best.better, tuned.best.improves) == (True, False)


def test_where_nothing_keeps_a_bound_the_answer_says_so(scenario):
    tuned = searched(scenario, "loss_ratio<0", trials=4, over={LIMIT: Range(3, 10, "p")})

    assert tuned.best is None
    assert tuned.words().startswith("no setting that was tried surely keeps loss_ratio<0; the nearest is limit = ")


def test_of_settings_that_break_a_bound_the_nearest_and_the_way_are_named(scenario):
    # 40 packets lose 0.3 % and 4 lose 1.2 %: more packets are nearer, and the range ends too early.
    tuned = searched(scenario, "loss_ratio<0.003", over={LIMIT: Range(3, 20, "p")})

    nearest = min(tuned.tried, key=lambda one: one.bounded["loss_ratio<0.003"])
    said = f"the nearest is limit = {nearest.settings['limit']}: loss_ratio is "
    assert said in tuned.words()
    at_end = nearest.settings["limit"] == "20p"
    way = (
        "higher values of limit than 20p may come nearer"
        if at_end
        else "higher values of limit, up to 20p, come nearer"
    )
    assert tuned.words().endswith(way)
    assert all(0.003 < one.bounded["loss_ratio<0.003"] < 0.05 for one in tuned.tried)


def test_the_command_shows_what_is_bounded_and_writes_a_report(tmp_path):
    pytest.importorskip("optuna")
    path, report = tmp_path / "s.toml", tmp_path / "r.html"
    path.write_text(SCENARIO)
    arguments = (path, "--over", f"{LIMIT}=3p..80p", "--objective", "sojourn_mean_ms", "--trials", "8", "--seeds", "4")
    bound = ("--subject-to", "loss_ratio<0.008")
    done = command("tune", *arguments, *bound, "--report", report)

    assert "loss_ratio" in done.stdout.splitlines()[0]
    html = report.read_text()
    assert "loss_ratio&lt;0.008" in html
    assert "loss_ratio&lt;0.008 along limit" in html
    assert "; a search for limit: 8 settings, " in html
    assert [html.count(f"<h2>{fact}</h2>") for fact in ("Price", "Certainty", "Assumed")] == [1, 1, 1]
    table = json.loads(command("tune", *arguments, *bound, "--json").stdout)
    assert table["subject_to"] == ["loss_ratio<0.008"]
    assert table["frontier"][0]["verdicts"][0]["subject_to"]["loss_ratio<0.008"]["kept"] is True
    assert len(table["tried"]) == 8
    kept = [one["kept"] for one in table["tried"] if one["subject_to"]["loss_ratio<0.008"] < 0.008]
    assert any(kept)
    none = command("tune", *arguments, "--subject-to", "loss_ratio<0").stdout.splitlines()
    assert none[0].split() == ["limit", "sojourn_mean_ms", "loss_ratio<0", "seeds"]
    assert sum(line.endswith(("  3", "  4", "default")) for line in none[2:]) == 9, "the default and every setting"
