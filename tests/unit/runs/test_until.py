"""Studies that stop when their question is answered: always at the same run, and with the same bytes."""

import json
import shutil
import subprocess
import sys

import pytest

import sojourn
from sojourn import Yardstick, answer
from sojourn._rooms.runs.until import left

# Nothing in it is random.
ONE_RUN = """
duration = "3s"
[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = { kind = "fifo", limit = "50p" }
[[flow]]
count = 2
app = { kind = "bulk" }
"""
SHORT = sojourn.Scenario.load("red_classic", overrides=["duration=3s", "warmup=1s"])
LOSS = Yardstick("loss_ratio", "queue", "forward")


def command(*words):
    done = subprocess.run([sys.executable, "-m", "sojourn", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def stopped(**settings):
    return sojourn.compare(SHORT, queues=["red", "codel", "fifo"], until="decided", about=LOSS, **settings)


@pytest.fixture(scope="module")
def study():
    return stopped(workers=1)


def test_a_study_stops_when_the_best_queue_is_decided(study):
    said = answer(study)

    assert 6 <= len(study.seeds) < 40
    assert said.decided
    assert said.standing.is_answered
    assert said.about == LOSS
    assert f"This is decided after {len(study.seeds)} of at most 40 runs" in said.text
    before = study.with_seeds(range(1, len(study.seeds)))
    assert before.until is None
    # The intervals hold at every look, so they are wider than those of one look.
    wide = study.difference("loss_ratio", variant="codel", row="forward")
    plain = study.with_seeds(study.seeds).difference("loss_ratio", variant="codel", row="forward")
    assert wide.half_width > plain.half_width


def test_workers_and_interruptions_change_nothing(study, tmp_path):
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    stopped(out=whole, workers=3)
    # Somebody stopped it after five seeds.
    sojourn.compare(SHORT, queues=["red", "codel", "fifo"], seeds=5, out=resumed)
    again = stopped(out=resumed, workers=2)

    assert again.seeds == study.seeds
    assert again.summary().equals(study.summary())
    assert again.differences().equals(study.differences())
    assert (whole / "manifest.json").read_bytes() == (resumed / "manifest.json").read_bytes()
    assert answer(sojourn.load_study(whole)).text == answer(study).text
    # More runs than the study needs may be there: they are not looked at.
    more = tmp_path / "more"
    shutil.copytree(whole, more)
    sojourn.compare(SHORT, queues=["red", "codel", "fifo"], seeds=len(study.seeds) + 2, out=more)
    beside = stopped(out=more)
    assert answer(beside).text == answer(study).text
    assert sojourn.load_study(more).until is None


def test_an_open_study_goes_on_where_it_ended(tmp_path):
    about = Yardstick("sojourn_mean_ms", "queue", "forward")
    queues = ["red", "red:w_q=0.0021"]

    def made(most, out):
        return sojourn.compare(SHORT, queues=queues, until="decided", about=about, seeds=most, out=out)

    first = made(8, tmp_path / "s")
    assert (len(first.seeds), answer(first).standing.is_answered) == (8, False)
    text = answer(first).text
    assert "This is open after 8 of at most 8 runs" in text
    assert "runs would decide" in text
    assert left(first.until, answer(first).standing, 8).startswith("red")
    second = made(14, tmp_path / "s")
    assert answer(second).text == answer(made(14, None)).text


@pytest.mark.parametrize("until", ["decided", "2%"])
def test_runs_that_are_all_one_run_decide_nothing(until):
    scenario = sojourn.Scenario.from_toml(ONE_RUN)

    text = answer(sojourn.compare(scenario, queues=["fifo", "codel"], until=until, workers=1)).text

    assert "all are one run, so that the seed has no effect" in text
    assert "decided after" not in text
    assert "known within" not in text


def test_the_command(tmp_path):
    words = ["compare", "red_classic", "--set", "duration=3s", "--set", "warmup=1s", "--queue", "red,codel,fifo"]
    code, out, _ = command(*words, "--until", "decided", "--metrics", "loss_ratio", "--json", "--out", tmp_path / "s")
    said = json.loads(out)

    assert code == 0
    assert said["until"]["question"] == "decided"
    assert said["until"]["looks"][-1] == len(said["seeds"])
    assert all(one["decided"] for one in said["until"]["behind"].values())
    assert command("report", tmp_path / "s", tmp_path / "s.html")[0] == 0
    assert "at most 40 runs" in (tmp_path / "s.html").read_text(encoding="utf-8")
    for wrong in (["--until", "soon"], ["--until", "decided", "--seeds", "5"], ["--until", "2%", "--seeds", "8"]):
        code, _, err = command(*words, *wrong)
        assert code == 2
        # A note on the name red may be before it.
        assert any(line.startswith("error: ") for line in err.splitlines())
