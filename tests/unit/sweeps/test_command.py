"""``sojourn sweep`` and ``sojourn report``: messages, tables, files, warnings."""

import json

import pytest

import sojourn
from helpers.sweeps import SCENARIO, SUSPECT, invoke
from sojourn._rooms.showing.sweeps.charts import draw
from sojourn._rooms.sweeps.file import load_study_file
from sojourn._rooms.sweeps.run import sweep


@pytest.mark.parametrize(
    ("text", "place"),
    [("[axes.queue]\nRED = { a = 1 b = 2 }\n", "line 2"), ("duration = { a = 1 b = 2 }\n", "bad.toml:1:")],
)
def test_a_file_that_is_no_toml_is_told_where(tmp_path, text, place):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    result = invoke("sweep", file)
    assert result.exit_code == 2
    assert "this is not TOML" in result.stderr
    assert place in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["say over what"]),
        (["--over", "dumbbell.queue.wq=0.1"], ["axis dumbbell.queue.wq, 0.1", 'wq is called "w_q" here']),
        (["--over", "dumbbell.queue.w_q"], ["this is not an axis"]),
        (["--over", "flow.bulk.count=1..5/0"], ["a range goes up"]),
        (["--over", "dumbbell.queue.w_q=0.1,0.1"], ["0.1 is there twice"]),
        (["--over", "flow.bulk.count=1,2", "--metrics", "util"], ["did you mean utilisation?"]),
        (["--over", "flow.bulk.count=1,2", "--metrics", "utilisation@foward"], ["did you mean forward?"]),
        (["--over", "flow.bulk.count=1,2", "--frame", "x.txt"], [".parquet or .csv"]),
        (["--over", "dumbbell.queue={ kind = 'red', min_th = '9p', max_th = '5p' }"], ["max_th"]),
    ],
)
def test_wrong_input_gets_one_message_and_nothing_is_written(arguments, words, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    done = invoke("sweep", file, *arguments, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert done.stderr.count("error:") == 1
    assert all(word in done.stderr for word in words), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.toml"]


def test_the_frame_and_the_report_are_written(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    done = invoke(
        *("sweep", file, "--over", "dumbbell.queue.max_p=0.02,0.2", "--over", "queue=red,codel", "--seeds", "2"),
        *("--metrics", "loss_ratio", "--frame", tmp_path / "f.csv", "--report", tmp_path / "r.html"),
    )
    assert done.exit_code == 2, "codel has no max_p"
    done = invoke(
        *("sweep", file, "--over", "flow.bulk.count=2,4", "--over", "queue=red,codel", "--seeds", "2"),
        *("--metrics", "loss_ratio", "--frame", tmp_path / "f.csv", "--report", tmp_path / "r.html"),
    )
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "f.csv").read_text().splitlines()[0] == "count,queue,seed,loss_ratio"
    page = (tmp_path / "r.html").read_text()
    assert "Loss ratio: lowest at" in page
    # Axes are called as in the scenario.
    assert ">count<" in page
    assert len(page) < 1_500_000


@pytest.mark.parametrize(
    "command", [("run",), ("compare", "--queue", "red,codel"), ("fluid",), ("export", "--as", "csv", "--out", "x")]
)
def test_other_commands_say_that_a_study_file_is_none_of_theirs(readings, command):
    done = invoke(command[0], readings, *command[1:])

    assert done.exit_code == 2
    assert "this is a study file: it has axes" in done.stderr
    assert "sojourn sweep" in done.stderr


def test_a_report_is_made_of_what_a_directory_has(readings, tmp_path):
    shown = invoke("sweep", readings, "--out", tmp_path / "kept", "--seeds", "1")
    assert shown.exit_code == 0, shown.output
    kept = tmp_path / "kept" / "runs.log"
    kept.write_text("".join(kept.read_text().splitlines(keepends=True)[3:]))

    half = invoke("report", tmp_path / "kept")
    assert half.exit_code == 0, half.output
    assert "points of limit by load by reading" in (tmp_path / "kept.html").read_text()
    # A run stands for the two points that share it: 12 points, 8 runs, 5 left.
    assert "of 12 runs" in half.output
    assert invoke("report", tmp_path / "nowhere").exit_code == 2
    # The command that made a folder of `reproduce --out` reports it.
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "spent.json").write_text("{}")
    assert "sojourn reproduce KEY --out DIR --report" in invoke("report", tmp_path / "work").stderr


def test_a_report_is_made_of_a_study_directory(scenario, tmp_path):
    sojourn.replicate(scenario, seeds=[1, 2], out=tmp_path / "kept")

    shown = invoke("report", tmp_path / "kept", "--out", tmp_path / "page.html")

    assert shown.exit_code == 0, shown.output
    assert "report of 2 of 2 runs" in shown.output
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_warnings_of_runs_are_kept_and_told(suspect, tmp_path):
    arguments = ("sweep", suspect, "--over", "dumbbell.queue.limit=2p,50p", "--seeds", "2", "--out", tmp_path / "kept")
    first = invoke(*arguments, "--report", tmp_path / "sweep.html")
    again = invoke(*arguments, "--json")

    said = "run_too_short in bulk: 4 of 4 runs, at 2p; 50p"
    assert f"warning: {said}" in first.stderr
    assert said in json.loads(again.stdout)["warnings"]
    assert said in (tmp_path / "sweep.html").read_text()
    # A report is made from the runs on disk, too.
    assert invoke("report", tmp_path / "kept", "--out", tmp_path / "later.html").exit_code == 0
    assert said in (tmp_path / "later.html").read_text()


def test_a_sweep_without_chance_says_so_and_ties_nothing(suspect):
    done = invoke("sweep", suspect, "--over", "dumbbell.queue.limit=2p,50p", "--seeds", "2")

    assert "no_chance in seeds: all seeds give the same values at every point" in done.stderr
    assert "±" not in done.stdout
    assert "cannot tell" not in done.stdout
    chance = sweep(sojourn.Scenario.from_toml(SCENARIO), over={"dumbbell.queue.limit": ["10p"]}, seeds=[1, 2])
    assert chance.without_chance() == []


NAMED = """
scenario = "suspect.toml"
seeds = 2

[axes]
limit = { key = "dumbbell.queue.limit", values = ["5p", "50p"] }

[metrics]
fair_part = { column = "throughput_mean_bps", table = "group", row = "bulk", fair = "forward" }
moderate = { within = [1, 9], row = "forward" }
settled = { column = "backlog_packets", table = "backlog", row = "forward", statistic = "settling", within = [0, 9] }
each = { column = "throughput_mean_bps", table = "group", row = "bulk" }
"""


def test_a_metric_with_a_name_is_shown_under_it_in_its_own_unit(suspect, tmp_path):
    suspect.write_text(SUSPECT + '\n[record]\nqueue = "10ms"\noccupancy = true\n')
    study = tmp_path / "named.toml"
    study.write_text(NAMED)
    done = invoke("sweep", study)

    assert done.exit_code == 0, done.stderr
    heads, units = (done.stdout.splitlines()[place] for place in (0, 1))
    assert [*heads.split(), *units.split()] == [
        "moderate",
        "settled",
        "each",
        "limit",
        "fair",
        "part",
        "(%)",
        "(s)",
        "(kbit/s)",
    ]
    assert "each: highest at" in done.stdout
    wanted = load_study_file(study)
    swept = sweep(wanted.scenario, over=wanted.over, metrics=wanted.metrics, seeds=[1, 2])
    assert "moderate (%)" in json.dumps(draw(swept, "moderate").to_dict())
