"""Damage of any part of a sweep on disk is named and made again, the rest is kept, and no advice ends in a refusal."""

import hashlib
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sojourn
from helpers.networks import ONE_FLOW as SCENARIO
from sojourn._rooms._base.lock import locked
from sojourn._rooms.cli import app
from sojourn._rooms.sweeps.rows import Rows, rows_of
from sojourn._rooms.sweeps.store import RunStore

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

POINTS, SEEDS = 2, 4
OVER = {"dumbbell.queue.max_p": [0.02, 0.1]}


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The files of a finished sweep, and the output of the command that made it."""
    place = tmp_path_factory.mktemp("finished")
    (place / "s.toml").write_text(SCENARIO)
    done = again(place / "s.toml", place / "kept")
    assert done.exit_code == 0, done.output
    return {path.name: path.read_bytes() for path in (place / "kept").iterdir()}, done.stdout


def again(file, folder):
    over = "dumbbell.queue.max_p=0.02,0.1"
    return invoke("sweep", file, "--over", over, "--seeds", SEEDS, "--json", "--out", folder)


@pytest.fixture
def kept(finished, tmp_path):
    """A copy of the sweep that may be damaged."""
    (tmp_path / "s.toml").write_text(SCENARIO)
    folder = tmp_path / "kept"
    folder.mkdir()
    for name, content in finished[0].items():
        (folder / name).write_bytes(content)
    return folder


def _changed(content, before, after):
    assert before in content
    return content.replace(before, after, 1)


def _third(content, change):
    lines = content.splitlines(keepends=True)
    return b"".join([*lines[:2], change(lines[2]), *lines[3:]])


def _resealed(line, values):
    """A row with other values whose check is right: not a fault of the disk, and no traceback for it."""
    rest = line.split(b" ", 2)[1] + b" " + values
    return hashlib.sha256(rest).hexdigest()[:16].encode() + b" " + rest + b"\n"


DAMAGES = {
    "a digit of a value": ("runs.log", lambda all_: _third(all_, lambda one: _changed(one, b"0.", b"7.")), 7),
    "the header": ("runs.log", lambda all_: b"XXXX" + all_[4:], 7),
    "a row cut in its JSON": ("runs.log", lambda all_: _third(all_, lambda one: one[:60] + b"\n"), 7),
    "a row that is a list": ("runs.log", lambda all_: _third(all_, lambda one: _resealed(one, b"[1,2]")), 7),
    "a text for a number": (
        "runs.log",
        lambda all_: _third(all_, lambda one: _resealed(one, b'{"utilisation": "much"}')),
        7,
    ),
    "two lines made one": ("runs.log", lambda all_: _third(all_, lambda one: one[:-1]), 6),
    "no text at all": ("runs.log", lambda all_: _third(all_, lambda _: b"\xff\xfe\x00" * 40 + b"\n"), 7),
    "cut at the end of a row": ("runs.log", lambda all_: b"".join(all_.splitlines(keepends=True)[:5]), 5),
    "cut within a row": ("runs.log", lambda all_: all_[:-10], 7),
    "emptied": ("runs.log", lambda _: b"", 0),
    "all zeros": ("runs.log", lambda all_: bytes(len(all_)), 0),
    "the length": ("runs.length.json", lambda all_: _changed(all_, b"bytes", b"bytez"), 8),
    "the length cut": ("runs.length.json", lambda all_: all_[:5], 8),
    "a seed of what was asked": ("sweep.json", lambda all_: _changed(all_, b'"seeds": [1', b'"seeds": [9'), 8),
    "what was asked, cut": ("sweep.json", lambda all_: all_[:200], 8),
    "what was asked, emptied": ("sweep.json", lambda _: b"", 8),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_what_is_damaged_is_named_and_made_again_and_the_rest_is_kept(finished, kept, what, monkeypatch):
    name, damage, saved = DAMAGES[what]
    (kept / name).write_bytes(damage(finished[0][name]))
    made = []
    save = RunStore.save
    monkeypatch.setattr(RunStore, "save", lambda self, key, *rest: made.append(key) or save(self, key, *rest))

    reported = invoke("report", kept)
    mended = again(kept.parent / "s.toml", kept)

    assert mended.exit_code == 0, mended.output
    assert str(kept / name) in mended.stderr.replace("\n", ""), "the file is named"
    assert "damaged and made again" in mended.stderr
    assert mended.stdout == finished[1], "the values are those of an undisturbed sweep"
    assert len(made) == POINTS * SEEDS - saved, "what could be saved was saved"
    # A report leaves out damaged runs, or names the damaged file and how to make it again.
    if saved and name != "sweep.json":
        assert reported.exit_code == 0, reported.output
    else:
        assert reported.exit_code == 2
        assert "Traceback" not in reported.output
    # And it is whole now.
    clean = again(kept.parent / "s.toml", kept)
    assert (clean.exit_code, clean.stdout) == (0, finished[1])
    assert "damaged" not in clean.stderr


@pytest.mark.parametrize("gone", ["runs.log", "runs.length.json", "sweep.json", ".lock"])
def test_a_file_that_is_deleted_is_made_again(finished, kept, gone):
    (kept / gone).unlink()
    mended = again(kept.parent / "s.toml", kept)
    assert (mended.exit_code, mended.stdout) == (0, finished[1]), mended.stderr


def test_a_sweep_of_an_older_version_is_made_again(finished, kept):
    (kept / "runs.log").unlink()
    (kept / "runs.sqlite").write_bytes(b"SQLite format 3\0")
    told = invoke("report", kept)
    assert (told.exit_code, "was written by an older version" in told.stderr) == (2, True)
    assert again(kept.parent / "s.toml", kept).stdout == finished[1]


def test_another_scenario_is_refused_in_the_same_folder(kept, finished):
    other = kept.parent / "other.toml"
    other.write_text(SCENARIO.replace("2Mbit", "3Mbit"))
    refused = again(other, kept)
    assert refused.exit_code == 2
    assert 'holds runs of another scenario: dumbbell.rate is "2Mbit" there and "3Mbit" here' in refused.stderr
    assert (kept / "sweep.json").read_bytes() == finished[0]["sweep.json"]


def test_links_in_a_folder_from_somebody_else_destroy_nothing(kept, finished):
    precious = kept.parent / "precious.txt"
    for name in ("runs.log", "runs.length.json", "sweep.json", ".lock"):
        for link in (os.symlink, os.link):
            precious.write_text("precious\n")
            (kept / name).unlink()
            link(precious, kept / name)
            again(kept.parent / "s.toml", kept)
            assert precious.read_text() == "precious\n", (name, link)
            (kept / name).unlink(missing_ok=True)
            (kept / name).write_bytes(finished[0][name])


def test_a_report_of_a_sweep_that_runs_is_made(kept):
    with RunStore(kept) as store:
        (kept / "runs.log").write_bytes((kept / "runs.log").read_bytes() + b"5b1f0c9a3e5d7f21 41b9a4f7c0")
        shown = invoke("report", kept)
        assert (shown.exit_code, shown.stderr) == (0, f"report of 8 of 8 runs: {kept}.html\n")
        assert store.load(["nothing"], ["utilisation"]) == {}
    with locked(kept), pytest.raises(ValueError, match=f"in use by process {os.getpid()}"):
        RunStore(kept)


def test_a_row_is_on_the_disk_within_a_moment_and_the_rest_before_it_is_closed(tmp_path, monkeypatch):
    synced = []
    sync = os.fsync

    def told(handle):
        if os.fstat(handle).st_ino == (tmp_path / "runs.log").stat().st_ino:
            synced.append(os.fstat(handle).st_size)
        sync(handle)

    rows = Rows(tmp_path)
    monkeypatch.setattr(os, "fsync", told)
    rows.append("a" * 20, {"x": 1.0})
    first = (tmp_path / "runs.log").stat().st_size
    until = time.monotonic() + 10.0
    while not synced and time.monotonic() < until:
        time.sleep(0.01)
    assert synced[:1] == [first]
    for place in range(100):
        rows.append("b" * 20, {"x": float(place)})
    rows.close()
    assert synced[-1] == (tmp_path / "runs.log").stat().st_size
    assert len(synced) < 50, "many rows share one wait"


def test_a_full_disk_leaves_no_half_row(tmp_path, monkeypatch):
    rows = Rows(tmp_path)
    rows.append("a" * 20, {"x": 1.0})
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[: len(data) // 2]))
    with pytest.raises(OSError, match="No space left") as failed:
        rows.append("b" * 20, {"x": 2.0})
    assert failed.value.filename == str(tmp_path / "runs.log")
    monkeypatch.undo()
    rows.append("c" * 20, {"x": 3.0})
    rows.close()
    found, damages = rows_of(tmp_path / "runs.log")
    assert (found, damages) == ({"a" * 20: {"x": 1.0}, "c" * 20: {"x": 3.0}}, [])


def test_threads_append_whole_rows(tmp_path):
    rows = Rows(tmp_path)

    def work(own):
        for place in range(200):
            rows.append(f"{own:020x}", {f"value{place}": place})

    threads = [threading.Thread(target=work, args=(own,)) for own in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows.close()
    found, damages = rows_of(tmp_path / "runs.log")
    assert damages == []
    assert [len(values) for values in found.values()] == [200] * 4


def test_ten_parts_of_a_metric_and_more_come_back_in_their_order(tmp_path):
    parts = {"shares": [float(place) for place in range(23)]}
    with RunStore(tmp_path) as store:
        store.save_parts("a" * 20, parts)
        assert store.load_parts(["a" * 20]) == {"a" * 20: {"shares": tuple(parts["shares"])}}


def test_what_a_study_wrote_down_is_checked_too(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)
    wanted = ["run", tmp_path / "s.toml", "--seeds", "2", "--json", "--out", tmp_path / "study"]
    whole = invoke(*wanted)
    manifest = tmp_path / "study" / "manifest.json"
    manifest.write_bytes(_changed(manifest.read_bytes(), b'"2Mbit"', b'"9Mbit"'))
    told = invoke("report", tmp_path / "study")
    assert (told.exit_code, f"{manifest} has changed since it was written" in told.stderr) == (2, True)
    mended = invoke(*wanted)
    assert (mended.exit_code, mended.stdout) == (0, whole.stdout)
    assert "has changed since it was written; it is made again" in mended.stderr
    run = next((tmp_path / "study" / "runs").iterdir()) / "run.json"
    run.write_bytes(_changed(run.read_bytes(), b'"files"', b'"fales"'))
    mended = invoke(*wanted)
    assert (mended.exit_code, mended.stdout) == (0, whole.stdout)
    assert "1 run is damaged and made again" in mended.stderr


def test_links_in_a_study_from_somebody_else_destroy_nothing(tmp_path):
    scenario, precious, study = tmp_path / "s.toml", tmp_path / "precious.txt", tmp_path / "study"
    scenario.write_text(SCENARIO)
    precious.write_text("precious\n")
    for name in ("manifest.json", ".lock"):
        (study / "runs").mkdir(parents=True)
        (study / name).symlink_to("../precious.txt")
        invoke("run", scenario, "--out", study)
        assert precious.read_text() == "precious\n", name
        subprocess.run(["rm", "-r", str(study)], check=True)


@pytest.mark.parametrize("content", [b"held by another program\n", b"4711\nand more\n"])
def test_the_lock_of_another_program_stays_as_it_is(tmp_path, content):
    (tmp_path / ".lock").write_bytes(content)
    (tmp_path.parent / "locked.toml").write_text(SCENARIO)
    refused = invoke("run", tmp_path.parent / "locked.toml", "--out", tmp_path)
    assert refused.exit_code == 2
    assert ".lock is a file that Sojourn did not write; it stays as it is" in refused.stderr.replace("\n", " ")
    assert (tmp_path / ".lock").read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_run_of_a_study_is_on_the_disk_before_it_counts(tmp_path, monkeypatch):
    """Its files and its folder are waited for before it gets its name, and the folder of runs after that."""
    steps = []
    sync, rename = os.fsync, os.rename

    def told(handle):
        steps.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        sync(handle)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("no /proc here")
    monkeypatch.setattr(os, "fsync", told)
    monkeypatch.setattr(os, "rename", lambda *names: steps.append("renamed") or rename(*names))
    result = sojourn.run(sojourn.Scenario.from_toml(SCENARIO), out=tmp_path / "study")
    runs = tmp_path / "study" / "runs"
    place = steps.index("renamed", steps.index(next(step for step in steps if step.endswith("run.json"))))
    before = [step for step in steps[:place] if f"{runs}/." in step]
    assert {Path(step).name for step in before} >= {f"{name}.parquet" for name in result.tables} | {"run.json"}
    assert before[-1].count("/") == str(runs).count("/") + 1, "its folder last"
    assert steps[place + 1] == str(runs)
