"""SIGKILL in the midst of many runs: finished runs are kept, only the rest is run, and the numbers are the same."""

import json
import os
import signal
import subprocess
import sys

import pytest

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

# The command; it says of each run that it is kept, after it is.
CHILD = """
import sys
from sojourn._rooms.sweeps.store import RunStore

save = RunStore.save

def told(self, key, *found):
    save(self, key, *found)
    sys.stderr.write("kept\\n")
    sys.stderr.flush()

RunStore.save = told
from sojourn._rooms.cli import main
main()
"""
WORKERS = 2
SEEDS = 20
STUDY = """
name = "waits"
doc = "a long buffer and a short one"
scenario = "small.toml"
seeds = { quick = 20, full = 20 }
axes.limit = { key = "dumbbell.queue.limit", values = ["5p", "20p"] }
metrics.wait = { column = "sojourn_mean_ms", row = "forward", unit = "ms" }

[[claim]]
kind = "order"
text = "a packet waits less in a short buffer"
metric = "wait"
less = { limit = "5p" }
than = { limit = "20p" }
"""


def command(*arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *map(str, arguments), "--workers", str(WORKERS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def killed_after(runs, process):
    """How many runs it said were kept by the time it was dead."""
    said = 0
    while said < runs:
        line = process.stderr.readline()
        assert line, "it ended before it could be killed"
        said += line == "kept\n"
    os.kill(process.pid, signal.SIGKILL)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    return runs + rest.count("kept\n")


def finished(process):
    """Its output, and the number of runs that it made."""
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    return stdout, stderr.count("kept\n")


def rows(file):
    return len({line.split()[1] for line in file.read_text().splitlines()})


@pytest.fixture
def slow(scenario_file):
    """A scenario whose run takes long enough to be killed in."""
    scenario_file.write_text(scenario_file.read_text().replace('duration = "2s"', 'duration = "40s"'))
    return scenario_file


@pytest.fixture
def work(tmp_path, slow, monkeypatch):
    """A made-up work with one experiment of two points."""
    folder = tmp_path / "papers" / "nobody2000"
    for name in ("experiments", "scenarios"):
        (folder / name).mkdir(parents=True)
    (folder / "work.toml").write_text('title = "Waiting"\ncitation = "Nobody 2000"\n')
    (folder / "experiments/waits.toml").write_text(STUDY)
    (folder / "scenarios/small.toml").write_text(slow.read_text())
    monkeypatch.setenv("SOJOURN_PAPERS", str(folder.parent))
    return folder.name


def test_a_killed_sweep_loses_the_runs_in_flight_and_its_frame_is_the_same(slow, tmp_path):
    def asked(out, frame):
        over = ["--over", "dumbbell.queue.limit=5p,20p", "--seeds", SEEDS, "--metrics", "sojourn_mean_ms"]
        return ["sweep", slow, *over, "--out", tmp_path / out, "--frame", tmp_path / frame]

    _, undisturbed = finished(command(*asked("whole", "whole.csv")))

    told = killed_after(6, command(*asked("killed", "killed.csv")))

    assert not (tmp_path / "killed.csv").exists()
    kept = rows(tmp_path / "killed" / "runs.log")
    # A run may be kept before it is reported; runs in progress are not there.
    assert told <= kept <= told + WORKERS
    assert kept < undisturbed == 2 * SEEDS
    _, again = finished(command(*asked("killed", "killed.csv")))
    assert again == undisturbed - kept, "nothing is run twice"
    assert (tmp_path / "killed.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_killed_reproduction_loses_the_runs_in_flight_and_its_claims_are_the_same(work, tmp_path):
    whole, undisturbed = finished(command("reproduce", work, "--json", "--out", tmp_path / "whole"))

    told = killed_after(6, command("reproduce", work, "--json", "--out", tmp_path / "killed"))

    kept = rows(tmp_path / "killed" / "measured" / "runs.log")
    assert told <= kept <= told + WORKERS
    assert kept < undisturbed == 2 * SEEDS
    found, again = finished(command("reproduce", work, "--json", "--out", tmp_path / "killed"))
    assert again == undisturbed - kept
    assert json.loads(found)["claims"] == json.loads(whole)["claims"]
    assert json.loads(found)["tables"] == json.loads(whole)["tables"]
