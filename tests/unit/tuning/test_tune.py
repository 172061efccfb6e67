"""Searches for parameters: ranges, the race, the final comparison, and messages."""

from __future__ import annotations

import json
import math
import sys

import pytest

import sojourn
from helpers.shell import refused
from helpers.shell import sojourn as command
from sojourn._rooms.sweeps.axes import Axis
from sojourn._rooms.tuning.objectives import parse_objective
from sojourn._rooms.tuning.race import Candidate, Race, levels
from sojourn._rooms.tuning.ranges import Range, default_of, laid_over, parameters, parse_range

SCENARIO = """
title = "short"
duration = "3s"
warmup = "1s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "red", limit = "50p", max_p = 0.5 }

[[flow]]
name = "bulk"
count = 2
start = { spread = "0.5s" }
"""
MAX_P = "dumbbell.queue.max_p"


@pytest.fixture
def scenario():
    return sojourn.Scenario.from_toml(SCENARIO)


@pytest.fixture
def optuna():
    return pytest.importorskip("optuna")


def searched(scenario, **other):
    asked = {"over": {MAX_P: Range(0.01, 1.0, log=True)}, "objectives": ["utilisation"], "trials": 6}
    return sojourn.tune(scenario, **{**asked, "seeds": range(1, 5), "fresh": range(11, 17), **other})


@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        (f"{MAX_P}=0.01..0.5:log", MAX_P, Range(0.01, 0.5, log=True)),
        ("t:dumbbell.queue.target=1ms..20ms", "t:dumbbell.queue.target", Range(1, 20, "ms")),
        ("flow[*].count=1..5", "flow[*].count", Range(1, 5)),
        ("x=-1e-3..2.5e2", "x", Range(-0.001, 250)),
    ],
)
def test_a_range_is_two_numbers_and_a_scale(text, key, values):
    assert parse_range(text) == (key, values)


def test_choices_are_those_of_a_sweep():
    key, axis = parse_range("queue=blue,codel:target=10ms")

    assert (key, list(axis.labels)) == ("queue:queue", ["blue", "codel:target=10ms"])


def test_a_parameter_that_has_whole_numbers_is_asked_for_whole_ones(scenario):
    found = parameters(scenario, {"flow.bulk.count": Range(1, 5), MAX_P: Range(0, 1)})

    assert [one.whole for one in found] == [True, False]
    assert [default_of(one, scenario) for one in found] == ["2", "0.5"]


def test_a_default_is_shown_as_a_file_has_it(scenario):
    found = parameters(scenario, {"queue": ["codel"], "flow.bulk.transport": [{"kind": "tcp"}], "flow[0].count": [3]})

    assert [default_of(one, scenario) for one in found] == ["red", "tcp", "2"]


def test_an_objective_knows_which_direction_is_better():
    words = ("utilisation", "loss_ratio", "loss_ratio:max")
    assert [parse_objective(text).more for text in words] == [True, False, True]
    power = parse_objective("group.goodput_mean_bps@bulk/group.rtt_mean_ms@bulk")
    assert power.more
    assert power.of({"group.goodput_mean_bps@bulk": 6.0, "group.rtt_mean_ms@bulk": 2.0}) == 3.0
    assert math.isnan(power.of({"group.goodput_mean_bps@bulk": 6.0, "group.rtt_mean_ms@bulk": 0.0}))


class Table:
    """Runs whose values are in a table: one of each scenario for each seed."""

    def __init__(self, values):
        self.table, self.asked = values, []

    def make(self, scenarios, seeds):
        self.asked += [(one, len(seeds)) for one in scenarios]

    def values(self, scenario, seed):
        return {"loss_ratio": self.table[scenario][seed - 1]}


def test_a_candidate_that_is_surely_worse_gets_no_more_seeds():
    seeds = range(1, 13)
    runs = Table(
        {
            "default": [5.0 + seed % 3 for seed in seeds],
            "worse": [9.0 + seed % 3 + 0.1 * (seed % 2) for seed in seeds],
            "better": [4.0 + seed % 3 + 0.1 * (seed % 2) for seed in seeds],
            "near": [5.0 + seed % 3 + (2.0 if seed % 2 else -2.0) + 0.1 for seed in seeds],
        }
    )
    race = Race(Candidate({}, "default"), [parse_objective("loss_ratio")], seeds, runs)
    candidates = {name: Candidate({}, name) for name in ("worse", "better", "near")}
    race.run(list(candidates.values()))

    assert levels(12) == [6, 8, 12]
    assert {name: one.seeds for name, one in candidates.items()} == {"worse": 6, "better": 12, "near": 12}
    assert [one.scenario for one in race.frontier] == ["better"]
    # As if it had had the other seeds, too: the default is 6.0 with all of them.
    assert race.estimate(candidates["worse"])[0] == pytest.approx(6.0 + 4.0 + 0.05)


def test_a_run_without_a_value_puts_a_candidate_out():
    runs = Table({"default": [1.0, 2.0, 3.0], "none": [0.0, math.nan, 0.0]})
    race = Race(Candidate({}, "default"), [parse_objective("loss_ratio")], range(1, 4), runs)
    race.run([none := Candidate({}, "none")])

    assert none.out
    assert [one.scenario for one in race.frontier] == ["default"]


@pytest.mark.usefixtures("optuna")
def test_the_same_search_has_the_same_answer_with_any_number_of_workers(scenario):
    first, second = (searched(scenario, workers=workers) for workers in (1, 2))

    assert repr(first) == repr(second)
    assert first == second
    assert searched(scenario, seed=2).frontier != first.frontier


@pytest.mark.usefixtures("optuna")
def test_a_search_goes_on_where_it_stopped(scenario, tmp_path):
    short = searched(scenario, out=tmp_path / "runs")
    lines = (tmp_path / "runs" / "runs.log").read_bytes().splitlines()
    again = searched(scenario, out=tmp_path / "runs")

    assert again == short
    assert (tmp_path / "runs" / "runs.log").read_bytes().splitlines() == lines
    # Half of the runs are lost.
    (tmp_path / "runs" / "runs.log").write_bytes(b"\n".join(lines[: len(lines) // 2]) + b"\n")
    (tmp_path / "runs" / "runs.length.json").unlink()
    assert searched(scenario, out=tmp_path / "runs") == short
    assert sorted((tmp_path / "runs" / "runs.log").read_bytes().splitlines()) == sorted(lines)


@pytest.mark.usefixtures("optuna")
def test_where_nothing_changes_no_setting_is_better(scenario):
    tuned = searched(scenario, over={"dumbbell.queue.limit": Range(2000, 9000, "p")})

    assert tuned.best is None
    assert tuned.frontier == ()
    assert tuned.words().startswith("no setting is better than the default")


@pytest.mark.usefixtures("optuna")
def test_a_gain_of_chance_is_no_gain(scenario):
    # The seeds of the flows' starts are all that these settings differ in.
    tuned = searched(
        scenario, over={"flow.bulk.start.spread": Range(490, 510, "ms")}, objectives=["sojourn_mean_ms"], trials=12
    )

    assert tuned.best is None
    assert "no setting is better than the default" in tuned.words()


@pytest.mark.usefixtures("optuna")
def test_several_objectives_have_a_frontier_and_scenarios_the_last_word(scenario):
    other = sojourn.Scenario.from_toml(SCENARIO.replace("2Mbit", "4Mbit").replace("short", "faster"))
    tuned = searched(
        scenario,
        over={"queue": Axis("queue", ["red", "codel", "fifo"]), "flow.bulk.count": Range(1, 4)},
        objectives=["utilisation", "sojourn_mean_ms"],
        trials=12,
        held_out=[other],
    )

    assert len(tuned.frontier) > 1
    assert {tuple(one.place for one in found.verdicts) for found in tuned.frontier} == {("", "faster")}
    for one in tuned.frontier:
        assert one.verdicts[1].means["utilisation"].n == 6
        assert one.scenario == scenario.with_queue(one.settings["queue"]).set(
            "flow.bulk.count", int(one.settings["count"])
        )


@pytest.mark.usefixtures("optuna")
def test_settings_that_contradict_themselves_are_counted(scenario):
    tuned = searched(
        scenario,
        over={"dumbbell.queue.min_th": Range(2, 30, "p"), "dumbbell.queue.max_th": Range(4, 32, "p")},
        trials=12,
    )

    assert 0 < tuned.refused < 12


@pytest.mark.usefixtures("optuna")
def test_the_command_prints_the_answer_or_json(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)
    words = ["tune", "s.toml", "--over", f"{MAX_P}=0.01..1:log", "--objective", "utilisation", "--trials", "6"]
    words += ["--seeds", "4", "--fresh", "6", "--held-out", "s.toml"]
    plain, data = command(*words, cwd=tmp_path), command(*words, "--json", cwd=tmp_path)

    assert plain.returncode == data.returncode == 0
    found = json.loads(data.stdout)
    assert found["fresh"] == list(range(5, 11))
    assert " ".join(plain.stdout.split()).count(found["answer"]) == 1
    assert f"6 settings with {found['runs']} runs" in plain.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--over", "dumbbell.queue.max_pp=0.1..1"], 'did you mean "max_p"?'),
        (["--over", "dumbbel.queue.max_p=0.1..1"], 'did you mean "dumbbell"?'),
        (["--over", f"{MAX_P}=0.1..x"], "a range is two numbers\n  found:   0.1..x"),
        (["--over", f"{MAX_P}=0.1.."], "a range is two numbers"),
        (["--over", f"{MAX_P}=0.1..0.5/0.1"], "say it without a step"),
        (["--over", f"{MAX_P}=0.5..0.1"], "LOW is below HIGH"),
        (["--over", f"{MAX_P}=0..0.1:log"], "begins above zero"),
        (["--over", f"{MAX_P}=0.1..0.2:lin"], "found:   :lin"),
        (["--over", f"{MAX_P}=0.1..2"], "out of range\n  found:   2"),
        (["--over", "dumbbell.delay=1ms..2s"], "found:   ms and s"),
        (["--over", MAX_P], "this is not a range"),
        ([], "there is nothing to tune"),
        (["--over", f"{MAX_P}=0.1..1", "--over", f"{MAX_P}=0.1..1"], "is given twice"),
        (["--over", f"{MAX_P}=0.1..1", "--objective", "utilization"], "did you mean utilisation?"),
        (["--over", f"{MAX_P}=0.1..1", "--objective", "backlog_max_packets:best"], "found:   :best"),
        (["--over", f"{MAX_P}=0.1..1", "--objective", "utilisation/loss_ratio/loss_ratio"], "no such column"),
        (["--over", f"{MAX_P}=0.1..1", "--objective", "utilisation", "--objective", "utilisation"], "twice"),
        (["--over", f"{MAX_P}=0.1..1", "--seeds", "1"], "two seeds or more"),
        (["--over", f"{MAX_P}=0.1..1", "--fresh", "3-9"], "seed 3 is one of the search"),
        (["--over", f"{MAX_P}=0.1..1", "--trials", "0"], "give at least one"),
        (["--over", f"{MAX_P}=0.1..1", "--held-out", "nowhere"], "nowhere"),
    ],
)
def test_wrong_input_has_one_message(words, told, tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)
    objective = [] if "utilisation" in words else ["--objective", "utilisation"]

    assert told in refused("tune", "s.toml", *words, *objective, "--out", "o", cwd=tmp_path)
    assert not (tmp_path / "o").exists()


def test_without_an_objective_one_is_asked_for(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)

    assert "there is no objective" in refused("tune", "s.toml", "--over", f"{MAX_P}=0.1..1", cwd=tmp_path)


def test_without_optuna_it_says_what_to_install(tmp_path, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.setattr("sojourn._rooms._base.extras.find_spec", lambda name: None if name == "optuna" else real(name))
    (tmp_path / "s.toml").write_text(SCENARIO)

    told = refused("tune", "s.toml", "--over", f"{MAX_P}=0.1..1", "--objective", "utilisation", cwd=tmp_path)
    assert 'pip install "optuna>=' in told


def test_values_that_are_right_together_are_set_in_any_order(scenario):
    low, high = (
        Axis(points={text: {f"dumbbell.queue.{key}": text}}) for key, text in (("min_th", "20p"), ("max_th", "30p"))
    )

    for settings in ({"a": low, "b": high}, {"a": high, "b": low}):
        queue = laid_over(scenario, settings).resolved()["dumbbell"]["queue"]
        assert (queue["min_th"], queue["max_th"]) == ("20p", "30p")


@pytest.mark.usefixtures("optuna")
def test_a_search_that_is_stopped_keeps_its_runs(scenario, tmp_path):
    whole = searched(scenario)
    heard = []

    def stop(progress):
        heard.append(progress)
        if progress.runs_done >= 8:
            raise KeyboardInterrupt

    with pytest.raises(sojourn.StoppedTuning):
        searched(scenario, out=tmp_path / "runs", progress=stop)
    kept = len((tmp_path / "runs" / "runs.log").read_bytes().splitlines())
    heard.clear()

    assert 0 < kept < whole.runs
    assert searched(scenario, out=tmp_path / "runs", progress=heard.append) == whole
    assert len((tmp_path / "runs" / "runs.log").read_bytes().splitlines()) == whole.runs
    assert all(one.runs_done <= one.runs_total for one in heard)
    assert heard[-1].runs_done == whole.runs


@pytest.mark.usefixtures("optuna")
def test_runs_in_an_executor_have_the_same_answer(scenario):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as executor:
        assert searched(scenario, executor=executor) == searched(scenario)


def test_a_parameter_of_other_queues_is_answered_with_these():
    said = refused("tune", "home_uplink", "--over", "dumbbell.queue.target=1ms..9ms", "--objective", "sojourn_p99_ms")

    assert 'the queue "fifo" has no such parameter' in said
    assert "pie, codel, cobalt and " in said
    assert "others have it: --set dumbbell.queue=pie" in said


def test_the_trials_of_each_search_are_a_study_in_the_storage(scenario, optuna, tmp_path):
    storage = f"sqlite:///{tmp_path / 'tuned.db'}"
    first = searched(scenario, storage=storage)
    again = searched(scenario, storage=storage)
    assert sorted(optuna.get_all_study_names(storage)) == ["short", "short (2)"]
    assert len(optuna.load_study(study_name="short", storage=storage).trials) == 6
    assert first.words() == again.words() == searched(scenario).words()


@pytest.mark.usefixtures("optuna")
def test_a_storage_that_is_none_is_refused(scenario):
    with pytest.raises(ValueError, match=r"storage nowhere: .*\n  allowed: an address such as sqlite"):
        searched(scenario, storage="nowhere")
