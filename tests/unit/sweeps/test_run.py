"""A sweep: the same as its runs one by one, and kept on disk."""

import json

import pytest

import sojourn
from helpers.sweeps import SCENARIO
from sojourn._rooms.sweeps.axes import Axis
from sojourn._rooms.sweeps.run import sweep


def test_a_sweep_gives_what_the_runs_one_by_one_give(scenario):
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02, 0.2])}
    swept = sojourn.sweep(scenario, over=over, metrics=["loss_ratio", "group.goodput_mean_bps@bulk"], seeds=[1, 2])

    frame = swept.frame()
    assert frame.columns == ["max_p", "seed", "loss_ratio", "group.goodput_mean_bps@bulk"]
    assert frame["max_p"].to_list() == [0.02, 0.02, 0.2, 0.2]
    for row in frame.iter_rows(named=True):
        alone = sojourn.run(scenario.set("dumbbell.queue.max_p", row["max_p"]), seed=row["seed"])
        queue = alone.table("queue").filter(link="forward")
        assert row["loss_ratio"] == queue["loss_ratio"][0]
        assert row["group.goodput_mean_bps@bulk"] == alone.table("group").filter(group="bulk")["goodput_mean_bps"][0]


def test_the_number_of_workers_changes_nothing(scenario):
    over = {"queue": Axis("queue", ["red", "codel"])}
    one, two = (sojourn.sweep(scenario, over=over, seeds=[1, 2, 3], workers=workers) for workers in (1, 2))
    assert one.values == two.values


def test_what_is_finished_is_not_repeated_and_more_may_be_asked_for(scenario, tmp_path, monkeypatch):
    out = tmp_path / "kept"
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02, 0.2])}
    first = sojourn.sweep(scenario, over=over, metrics=["loss_ratio"], seeds=[1], out=out)
    made = []
    pool = sojourn._rooms.runs.pool.Pool
    simulate = pool._simulate
    monkeypatch.setattr(pool, "_simulate", lambda self, job, *rest: made.append(job) or simulate(self, job, *rest))

    wider = {"max_p": Axis("dumbbell.queue.max_p", [0.02, 0.1, 0.2])}
    more = sojourn.sweep(scenario, over=wider, metrics=["loss_ratio"], seeds=[1, 2], out=out)

    assert len(made) == 4, "six runs, of which two were there"
    assert all(more.values[job] == values for job, values in first.values.items())
    assert max(map(len, (out / "runs.log").read_text().splitlines())) < 1000, "bytes of a run"


def test_another_metric_of_a_finished_run_is_added_to_it(scenario, tmp_path):
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02])}
    for metric in ("loss_ratio", "utilisation"):
        sojourn.sweep(scenario, over=over, metrics=[metric], seeds=[1], out=tmp_path)
    both = sojourn.sweep(scenario, over=over, metrics=["loss_ratio", "utilisation"], seeds=[1], out=tmp_path)
    rows = [json.loads(line.split(" ", 2)[2]) for line in (tmp_path / "runs.log").read_text().splitlines()]
    named = dict(zip(["loss_ratio", "utilisation"], both.values["0.02", 1], strict=True))
    assert rows == [{name: value} for name, value in named.items()], "the run was made twice, for a metric each"


def test_a_folder_with_something_else_is_refused(scenario, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="is not a sweep"):
        sweep(scenario, over={"max_p": Axis("dumbbell.queue.max_p", [0.02])}, seeds=[1], out=tmp_path)


def test_a_file_of_something_else_that_has_the_name_of_ours_is_refused(scenario, tmp_path):
    (tmp_path / "runs.log").write_bytes(b"the log of another program\n" * 100)
    with pytest.raises(FileExistsError, match="is not a sweep"):
        sweep(scenario, over={"max_p": Axis("dumbbell.queue.max_p", [0.02])}, seeds=[1], out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.log"]
    assert (tmp_path / "runs.log").read_bytes().startswith(b"the log of another program\n")


def test_a_sweep_over_one_queue_of_two_that_are_alike_is_found_again(tmp_path):
    # As resolved nothing tells whether the queue of the way back was written or is as that of the way there.
    over = {"queue": Axis(points={"RED": {"dumbbell.queue": {"kind": "red", "limit": "40p"}}})}
    both = SCENARIO + '[dumbbell.reverse_queue]\nkind = "red"\nlimit = "50p"\n'
    for name, text in (("apart", both), ("together", SCENARIO)):
        done = sweep(sojourn.Scenario.from_toml(text), over=over, seeds=[1], out=tmp_path / name)
        assert sojourn.load_sweep(tmp_path / name).values == done.values != {}


def test_a_kept_sweep_is_found_without_the_file_that_its_scenario_named(tmp_path):
    (tmp_path / "trace.txt").write_text("1\n2\n4\n")
    (tmp_path / "s.toml").write_text(SCENARIO.replace('"2Mbit"', '{ mahimahi = "trace.txt" }'))
    done = sojourn.sweep(tmp_path / "s.toml", over={"dumbbell.queue.limit": ["20p"]}, seeds=[1], out=tmp_path / "kept")
    (tmp_path / "trace.txt").unlink()

    assert sojourn.load_sweep(tmp_path / "kept").values == done.values


def test_points_with_the_same_scenario_share_their_warnings(suspect):
    swept = sweep(sojourn.Scenario.load(suspect), over={"dumbbell.queue.limit": ["50p", "50.0p"]}, seeds=[1])

    assert swept.warnings["50p", 1] == swept.warnings["50.0p", 1] == ("run_too_short in bulk",)
