"""Streams that take nothing or lack letters, a working directory that is gone, names that a spreadsheet would run."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import sojourn
from helpers.networks import ONE_FLOW as SCENARIO
from sojourn._rooms._base.spreadsheet import csv_text


def command(*words, **options):
    return subprocess.run([sys.executable, "-m", "sojourn", *map(str, words)], timeout=120, text=True, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["--help"], ["run", "--help"], ["--version"], ["list", "queues"], ["explain", "red"], ["schema"]]
)
def test_a_full_standard_output_is_one_message(words):
    with Path("/dev/full").open("w") as full:
        done = command(*words, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, "error: standard output: no space left on device\n")


@pytest.mark.slow
def test_a_locale_without_letters_gets_question_marks(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    words = ["compare", "s.toml", "--queue", "red,fifo", "--seeds", "2"]
    done = command(*words, cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "mean ? 95 % interval" in done.stdout
    # A narrow space is one like any other.
    assert not re.search(r"\d\?(ms|%)", done.stdout + done.stderr)


@pytest.mark.slow
def test_a_working_directory_that_is_gone_is_said(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os; os.rmdir({str(gone)!r}); from sojourn._rooms.cli import main; main()"
    words = ["run", "red_classic", "--set", "duration=2s", "--set", "warmup=1s", "--out", "x"]
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=gone, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "error: the working directory is not there any more: it was deleted or renamed\n"


FORMULAS = ["=cmd|' /C calc'!A0", "+cmd", "-cmd", "@SUM(A1)", "\t=1"]
PLAIN = ["bulk", "-1.5", "+3", "-.5", "1-2", "a=b", "", "-inf"]


def test_no_cell_of_a_csv_begins_as_a_formula_does():
    frame = pl.DataFrame({"name": [*FORMULAS, *PLAIN], "=x": range(len(FORMULAS) + len(PLAIN)), "-y": 1.0})
    head, *rows = csv.reader(csv_text(frame).splitlines())
    assert head == ["name", "'=x", "'-y"]
    assert [row[0] for row in rows] == [*(f"'{text}" for text in FORMULAS), *PLAIN]
    assert [int(row[1]) for row in rows] == list(range(len(rows)))


@pytest.mark.slow
def test_exports_and_frames_are_such_csv(tmp_path):
    text = SCENARIO + 'name = "=1+1"\n'
    (tmp_path / "s.toml").write_text(text)
    assert command("export", "s.toml", "--as", "csv", "--out", "out", cwd=tmp_path, capture_output=True).returncode == 0
    words = ["--over", "n:flow[0].count=1,2", "--metrics", "group.goodput_mean_bps@=1+1", "--seeds", "1"]
    done = command("sweep", "s.toml", *words, "--frame", "frame.csv", cwd=tmp_path, capture_output=True)
    files = [*(tmp_path / "out").glob("*.csv"), tmp_path / "frame.csv"]
    assert done.returncode == 0, done.stderr
    assert len(files) > 5
    cells = [cell for file in files for row in csv.reader(file.read_text().splitlines()) for cell in row]
    assert "'=1+1" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def test_the_longest_run_of_losses_is_not_known_where_all_losses_were_elsewhere():
    """Two links one behind the other: the first one loses and is not looked at."""
    scenario = sojourn.Scenario.from_toml(
        """
        duration = "5s"
        node = [{ name = "a" }, { name = "b" }, { name = "c" }]
        [[link]]
        from = "a"
        to = "b"
        duplex = true
        rate = "1Mbit"
        delay = "5ms"
        queue = { kind = "fifo", limit = "5p" }
        observed = false
        [[link]]
        from = "b"
        to = "c"
        duplex = true
        rate = "10Mbit"
        delay = "5ms"
        queue = { kind = "fifo", limit = "100p" }
        observed = true
        [[flow]]
        from = "a"
        to = "c"
        """
    )
    flow = sojourn.run(scenario).table("flow").row(0, named=True)
    assert flow["drops_packets"] > 0
    assert str(flow["loss_run_max_packets"]) == str(flow["loss_run_mean_packets"]) == "nan"
    # Where nothing was lost, no run is longer than 0.
    none = scenario.set("link[0].queue.limit", "10000p")
    flow = sojourn.run(none).table("flow").row(0, named=True)
    assert (flow["drops_packets"], flow["loss_run_max_packets"]) == (0, 0.0)
