"""Runs: the same whatever works on them, stoppable, kept."""

import json
import pickle
import subprocess
import sys
import threading
import time

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sojourn
from sojourn import Comparison, Interrupted, Scenario, _core, compare, load_study, replicate, run, study
from sojourn._rooms._base.seal import sealed
from sojourn._rooms.runs import pool, runner, store
from sojourn._rooms.runs.store import StudyDirectory, run_key
from sojourn._rooms.runs.tables import Tables


def assert_same(one, other):
    """Every table of two results or studies is the same to the last bit."""
    first, second = (dict(result.tables) for result in (one, other))
    assert list(first) == list(second)
    for name, frame in first.items():
        assert_frame_equal(frame, second[name], check_exact=True)


def test_a_run_gives_its_tables_seed_version_and_scenario(dumbbell):
    result = run(dumbbell, seed=7)

    assert result.queue["link"].to_list() == ["forward", "reverse"]
    assert (result.seed, result.version, result.scenario) == (7, _core.build(), dumbbell)
    assert "Small dumbbell" in repr(result)
    with pytest.raises(KeyError, match="there is no table 'queues'"):
        result.table("queues")


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(dumbbell):
    first, again, other = run(dumbbell, seed=1), run(dumbbell, seed=1), run(dumbbell, seed=2)

    assert_same(first, again)
    assert not first.flow.equals(other.flow)


def test_the_number_of_workers_does_not_change_a_result(dumbbell):
    alone, together = (replicate(dumbbell, seeds=range(1, 7), workers=workers) for workers in (1, 3))

    for (_, one), (_, other) in zip(alone.results, together.results, strict=True):
        assert one.seed == other.seed
        assert_same(one, other)


def test_the_order_of_the_seeds_does_not_change_a_study(dumbbell):
    one, other = replicate(dumbbell, seeds=[3, 1, 2]), replicate(dumbbell, seeds=[1, 2, 3])

    assert one.seeds == other.seeds == (1, 2, 3)
    assert_frame_equal(one.queue, other.queue)


def test_steps_do_not_change_a_run(dumbbell):
    whole = _core.Simulation(dumbbell.resolved_json, 1)
    whole.advance(whole.duration_s)
    stepped = _core.Simulation(dumbbell.resolved_json, 1)
    while stepped.now_s < stepped.duration_s:
        stepped.advance(stepped.now_s + 0.0137)

    tables, others = Tables(whole.tables()), Tables(stepped.tables())
    for name in tables:
        assert_frame_equal(tables[name], others[name], check_exact=True)


def test_a_single_run_is_built_once(dumbbell, monkeypatch):
    made = []
    build = _core.Simulation

    def counted(*arguments, **how):
        made.append(arguments)
        return build(*arguments, **how)

    expected = run(dumbbell, seed=3)
    monkeypatch.setattr(_core, "Simulation", counted)

    assert_same(run(dumbbell, seed=3), expected)
    assert len(made) == 1
    # Of several runs the first is built to see whether it can be: with its memory, only runs at work are held.
    replicate(dumbbell, seeds=[3, 4], workers=1)
    assert len(made) == 1 + 3


def test_a_simulation_gives_its_tables_once(dumbbell):
    simulation = _core.Simulation(dumbbell.resolved_json, 1)
    simulation.tables()

    with pytest.raises(RuntimeError, match="over"):
        simulation.advance(1.0)


def test_a_result_does_not_change_and_survives_pickling(dumbbell):
    result = run(dumbbell)
    frame = result.queue
    frame.insert_column(0, pl.Series("mine", [0] * frame.height))

    assert "mine" not in result.queue.columns
    with pytest.raises(AttributeError):
        result.seed = 2
    assert_same(pickle.loads(pickle.dumps(result)), result)


def test_a_comparison_runs_every_queue_with_every_seed(dumbbell):
    comparison = compare(dumbbell, queues=["fifo", "red"], seeds=range(1, 4))

    assert isinstance(comparison, Comparison)
    assert comparison.baseline == "fifo"
    counts = comparison.queue.group_by("queue").agg(pl.col("seed").n_unique()).sort("queue")
    assert counts.rows() == [("fifo", 3), ("red", 3)]
    difference = comparison.difference("utilisation", variant="red", row="forward")
    means = [comparison.interval("utilisation", variant=queue, row="forward").mean for queue in ("red", "fifo")]
    assert difference.mean == pytest.approx(means[0] - means[1])


def test_runs_of_all_queues_with_one_seed_start_their_flows_alike(dumbbell):
    comparison = compare(dumbbell, queues=["fifo", "red"], seeds=[5])

    starts = {label: result.flow["start_s"].to_list() for label, result in comparison.results}
    assert starts["fifo"] == starts["red"]


def test_labels_can_be_chosen(dumbbell):
    comparison = compare(dumbbell, queues={"short": "fifo:limit=5p", "long": "fifo"}, seeds=[1], baseline="long")

    assert list(comparison.variants) == ["short", "long"]
    assert comparison.baseline == "long"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"queues": []}, "no queue to compare"),
        ({"queues": ["fifo", "fifo"]}, "given twice"),
        ({"queues": ["fifo"], "baseline": "red"}, "not among the queues"),
        ({"queues": ["fifo"], "seeds": []}, "no seeds"),
        ({"queues": ["fifo"], "seeds": [-1]}, "out of range"),
        ({"queues": ["fifo"], "workers": 0}, "allowed is 1 or more"),
        ({"queues": ["fifo:limit=3q"]}, "queue 'fifo:limit=3q'"),
    ],
)
def test_wrong_arguments_are_refused_with_the_reason(dumbbell, arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(dumbbell, **arguments)


def test_summaries_have_one_line_for_each_metric_and_row(dumbbell):
    comparison = compare(dumbbell, queues=["fifo", "red"], seeds=range(1, 4))

    summary = comparison.summary("queue").filter(metric="utilisation", row="forward")
    assert summary["queue"].to_list() == ["fifo", "red"]
    assert summary["n"].to_list() == [3, 3]
    differences = comparison.differences("group")
    assert differences["queue"].unique().to_list() == ["red"]
    assert {"difference", "low", "high"} <= set(differences.columns)


def test_a_metric_of_several_rows_asks_which(dumbbell):
    done = replicate(dumbbell, seeds=[1])

    with pytest.raises(ValueError, match="say which row: forward, reverse"):
        done.interval("utilisation")
    with pytest.raises(KeyError, match="utilization"):
        done.values("utilization")


def test_of_each_seed_the_longest_runs_begin_first(dumbbell):
    # Long enough that the first run of a process, which loads libraries, takes less.
    variants = {"short": dumbbell.set("duration", "1s"), "long": dumbbell.set("duration", "1000s")}
    begun = []

    def keep(label, result):
        begun.append((label, result.seed))
        return pool.RunValues(result.seed, (0.0,))

    runner.reduce_runs(variants, [1, 2, 3], {}, keep, workers=1)
    # How long they take is known after the first seed.
    assert begun[:2] == [("short", 1), ("long", 1)]
    assert begun[2:] == [("long", 2), ("short", 2), ("long", 3), ("short", 3)]


def test_progress_comes_to_all_runs_and_all_seconds(dumbbell):
    seen = []

    replicate(dumbbell, seeds=range(1, 4), workers=2, progress=seen.append)

    assert seen[-1].runs_done == seen[-1].runs_total == 3
    assert seen[-1].simulated_s == seen[-1].simulated_total_s == pytest.approx(6.0)


def test_a_study_on_disk_reads_back(dumbbell, tmp_path):
    comparison = compare(dumbbell, queues=["fifo", "red"], seeds=[1, 2], out=tmp_path / "study")

    again = load_study(tmp_path / "study")

    assert isinstance(again, Comparison)
    assert again.baseline == "fifo"
    for (_, one), (_, other) in zip(comparison.results, again.results, strict=True):
        assert one.scenario == other.scenario
        assert_same(one, other)


def test_finished_runs_are_not_repeated(dumbbell, tmp_path, monkeypatch):
    replicate(dumbbell, seeds=[1, 2], out=tmp_path)
    simulated = []
    simulate = pool.Pool._simulate
    monkeypatch.setattr(
        pool.Pool, "_simulate", lambda pool, job, *rest: simulated.append(job) or simulate(pool, job, *rest)
    )

    done = replicate(dumbbell, seeds=[1, 2, 3], out=tmp_path)

    assert len(simulated) == 1
    assert done.seeds == (1, 2, 3)
    assert len(load_study(tmp_path).results) == 3


def test_runs_of_another_build_are_not_taken_for_runs_of_this_one(dumbbell, tmp_path, monkeypatch):
    replicate(dumbbell, seeds=[1], out=tmp_path)
    assert StudyDirectory(tmp_path).load(dumbbell, 1) is not None
    monkeypatch.setattr(store, "build", lambda: "0.1.0+another")

    assert StudyDirectory(tmp_path).load(dumbbell, 1) is None


@pytest.mark.slow
def test_frames_are_made_when_they_are_asked_for(dumbbell):
    result = run(dumbbell)
    assert result.raw.column("queue", "link") == ["forward", "reverse"]
    code = "import sys, sojourn; sojourn.run(sojourn.Scenario.from_toml(sys.argv[1])); print('polars' in sys.modules)"
    text = 'duration = "1s"\n[dumbbell]\nrate = "1Mbit"\ndelay = "1ms"\n[[flow]]\ncount = 1\n'
    done = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_run_that_was_not_finished_leaves_nothing(dumbbell, tmp_path, monkeypatch):
    def breaks(*_):
        raise OSError("disk full")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", breaks)

    with pytest.raises(OSError, match="disk full"):
        replicate(dumbbell, seeds=[1], out=tmp_path)

    assert list((tmp_path / "runs").iterdir()) == []
    assert load_study(tmp_path).results == ()


def test_an_interrupt_keeps_what_is_finished(dumbbell, tmp_path):
    def stop_after_two(progress):
        if progress.runs_done >= 2:
            raise KeyboardInterrupt

    long = dumbbell.set("duration", "400s")
    before = set(threading.enumerate())
    with pytest.raises(Interrupted) as caught:
        study({"quick": dumbbell, "long": long}, seeds=[1, 2], workers=2, out=tmp_path, progress=stop_after_two)

    assert caught.value.total == 4
    assert len(load_study(tmp_path).results) == len(caught.value.finished.results) >= 2
    # The interrupt is told within a second; a busy machine may need longer to end the threads.
    until = time.monotonic() + 20.0
    while (left := set(threading.enumerate()) - before) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def test_the_key_of_a_run_depends_on_scenario_seed_and_version(dumbbell):
    key = run_key(dumbbell, 1)

    assert key == run_key(Scenario.from_resolved(dumbbell.resolved_json), 1)
    others = [
        run_key(dumbbell, 2),
        run_key(dumbbell, 1, release="0.0.0"),
        run_key(dumbbell.set("dumbbell.delay", "11ms"), 1),
    ]
    assert len({key, *others}) == 4


def test_a_directory_with_something_else_in_it_is_refused(dumbbell, tmp_path):
    (tmp_path / "thesis.tex").write_text("...")

    with pytest.raises(FileExistsError, match="not a study"):
        run(dumbbell, out=tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_directory_without_manifest_is_no_study(tmp_path):
    with pytest.raises(FileNotFoundError, match="not a study"):
        load_study(tmp_path)


def test_a_study_of_another_format_is_refused(dumbbell, tmp_path):
    run(dumbbell, out=tmp_path)
    manifest = tmp_path / "manifest.json"
    content = json.loads(manifest.read_text())
    del content["sha256"]
    manifest.write_text(sealed({**content, "format": 99}))

    with pytest.raises(ValueError, match="format 99"):
        StudyDirectory(tmp_path).study()


def test_a_fault_in_a_worker_reaches_the_caller(dumbbell, monkeypatch):
    def breaks(*_):
        raise RuntimeError("broken invariant")

    monkeypatch.setattr(pool.Pool, "_simulate", breaks)

    with pytest.raises(RuntimeError, match="broken invariant"):
        sojourn.run(dumbbell)


def test_what_is_no_scenario_no_list_of_queues_and_no_seeds_is_said():
    with pytest.raises(TypeError, match="a scenario, its file or its name is wanted, and this is a int"):
        sojourn.run(5)
    with pytest.raises(ValueError, match=r"write a list: \['fifo', 'red'\]"):
        sojourn.compare("red_classic", queues="fifo,red")
    with pytest.raises(TypeError, match=r"how many, such as 20, or which, such as \[1, 4, 7\], and this is 2\.5"):
        sojourn.replicate("red_classic", seeds=2.5)
    with pytest.raises(sojourn.ScenarioError, match="this is not a queue"):
        sojourn.Scenario.load("red_classic").with_queue(5)


@pytest.mark.parametrize("wrong", [0, -3, True, "", "5-", "9-5", [], [-1], [0.5]])
def test_seeds_that_are_none_are_refused(wrong):
    with pytest.raises((TypeError, ValueError), match="seed"):
        sojourn.replicate("red_classic", seeds=wrong)


def test_seeds_are_written_in_python_as_in_the_shell(dumbbell, tmp_path):
    def seeds(wanted):
        return sojourn.replicate(dumbbell, seeds=wanted, out=tmp_path / "runs").seeds

    assert seeds(2) == seeds("2") == seeds("1-2") == seeds(range(1, 3)) == seeds([2, 1, 2]) == (1, 2)
    assert seeds("3,1") == seeds((1, 3)) == (1, 3)
    study = sojourn.compare(dumbbell, queues=["fifo", "codel"], seeds=2)
    assert study.seeds == (1, 2)
    swept = sojourn.sweep(dumbbell, over={"dumbbell.queue": ["fifo"]}, metrics=["utilisation"], seeds=2)
    assert swept.seeds == (1, 2)


def test_a_report_that_is_no_page_is_refused(dumbbell, tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.html"):
        sojourn.run(dumbbell).report(tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []
