"""A study on disk: damaged runs are named and made again, another study is refused."""

import errno
import json
import shutil
import subprocess
import sys
import warnings

import pytest
from polars.testing import assert_frame_equal

from sojourn import StudyWarning, compare, load_study, replicate
from sojourn._rooms._base import files
from sojourn._rooms._base.seal import sealed
from sojourn._rooms.runs import store
from sojourn._rooms.runs.store import StudyDirectory, run_key

SOJOURN = [sys.executable, "-c", "from sojourn._rooms.cli import main; main()"]


@pytest.fixture
def short(dumbbell):
    """A tenth of a second, with capture files."""
    return dumbbell.set("duration", "0.6s").set("record.pcap", value=True)


def cut(name):
    def damage(run):
        content = (run / name).read_bytes()
        (run / name).write_bytes(content[: len(content) // 2])

    return damage


def turned_bit(run):
    content = bytearray((run / "queue.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (run / "queue.parquet").write_bytes(content)


def of_another_run(run):
    about = json.loads((run / "run.json").read_text())
    del about["sha256"]
    (run / "run.json").write_text(sealed({**about, "seed": 77}))


def a_file_in_its_place(run):
    shutil.rmtree(run)
    run.write_text("?")


DAMAGES = {
    "queue.parquet": cut("queue.parquet"),
    "run.json": cut("run.json"),
    "pcap/forward.in.pcapng": cut("pcap/forward.in.pcapng"),
    "flow.parquet": lambda run: (run / "flow.parquet").unlink(),
    "run.json is missing": lambda run: (run / "run.json").unlink(),
    "reverse.out.pcapng is missing": lambda run: (run / "pcap" / "reverse.out.pcapng").unlink(),
    "queue.parquet has changed": turned_bit,
    "another run": of_another_run,
    "as Sojourn writes it": lambda run: (run / "run.json").write_text('{"format": 1}'),
    "run.json is not": lambda run: (run / "run.json").write_text("[]"),
    "run.json cannot be read": a_file_in_its_place,
}


@pytest.mark.parametrize("words", DAMAGES)
def test_a_damaged_run_is_named_and_made_again(short, tmp_path, words):
    whole = replicate(short, seeds=[1, 2], out=tmp_path)
    damaged = tmp_path / "runs" / run_key(short, 2)
    DAMAGES[words](damaged)

    with pytest.warns(StudyWarning, match="1 run is damaged and left out") as left_out:
        assert [result.seed for _, result in load_study(tmp_path).results] == [1]
    with pytest.warns(StudyWarning, match="1 run is damaged and made again") as made_again:
        again = replicate(short, seeds=[1, 2], out=tmp_path)

    for caught in (left_out, made_again):
        [message] = [str(warning.message) for warning in caught]
        assert words in message
        assert str(damaged) in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = load_study(tmp_path)
        replicate(short, seeds=[1, 2], out=tmp_path)
    for one in (again, kept):
        assert_frame_equal(one.queue, whole.queue, check_exact=True)
        captures = one.results[1][1].captures
        assert {name: file.read_bytes()[:4] for name, file in captures.items()} == dict.fromkeys(captures, b"\n\r\r\n")


def test_many_damages_are_one_message(dumbbell, tmp_path):
    replicate(dumbbell, seeds=range(8), out=tmp_path)
    for run in (tmp_path / "runs").iterdir():
        (run / "run.json").unlink()

    with pytest.warns(StudyWarning, match="8 runs are damaged and made again") as caught:
        replicate(dumbbell, seeds=range(8), out=tmp_path)

    [message] = [str(warning.message) for warning in caught]
    assert message.count("run.json is missing") == 5
    assert message.endswith("\n  and 3 more")


@pytest.mark.parametrize("text", ["", '{"format": 1, "so', "[]", "\x00\x01", '{"format": 1}', "[" * 100_000])
def test_a_damaged_manifest_is_named_and_made_again(dumbbell, tmp_path, text):
    replicate(dumbbell, seeds=[1], out=tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(text)

    with pytest.raises(ValueError, match=r"manifest\.json is .*\n  hint:    the command that made the study"):
        load_study(tmp_path)
    with pytest.warns(StudyWarning, match=r"manifest\.json is .*; it is made again"):
        replicate(dumbbell, seeds=[1], out=tmp_path)

    assert len(load_study(tmp_path).results) == 1


def test_a_study_that_was_killed_before_its_manifest_goes_on(dumbbell, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / ".manifest.json.0123456789abcdef0123456789abcdef").write_text("{")

    replicate(dumbbell, seeds=[1], out=tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "manifest.json", "runs"]


def test_a_manifest_of_something_else_is_refused(dumbbell, tmp_path):
    (tmp_path / "manifest.json").write_text('{"name": "web page"}')

    with pytest.raises(FileExistsError, match="something else"):
        replicate(dumbbell, seeds=[1], out=tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_what_killed_processes_left_is_cleared_away(dumbbell, tmp_path):
    replicate(dumbbell, seeds=[1], out=tmp_path)
    left = tmp_path / "runs" / f".{run_key(dumbbell, 2)}.0123456789abcdef0123456789abcdef"
    left.mkdir()
    (left / "queue.parquet").write_bytes(b"PAR1")
    notes = tmp_path / "runs" / ".notes"
    notes.write_text("mine")

    replicate(dumbbell, seeds=[1], out=tmp_path)

    assert not left.exists()
    assert notes.exists()


def test_another_scenario_is_refused_and_changes_nothing(dumbbell, tmp_path):
    replicate(dumbbell, seeds=[1], out=tmp_path)
    manifest = (tmp_path / "manifest.json").read_bytes()

    with pytest.raises(ValueError, match=r'another scenario: dumbbell\.rate is "5Mbit" there and "6Mbit" here'):
        replicate(dumbbell.set("dumbbell.rate", "6Mbit"), seeds=[1], out=tmp_path)
    with pytest.raises(ValueError, match="another scenario: of 'Small dumbbell', not of 'Large'"):
        replicate(dumbbell.set("title", "Large"), seeds=[1], out=tmp_path)
    with pytest.raises(ValueError, match=r"flow\[0\]\.count is 3 there and 4 here"):
        replicate(dumbbell.set("flow.bulk.count", 4), seeds=[1], out=tmp_path)

    assert (tmp_path / "manifest.json").read_bytes() == manifest
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_what_was_asked_for_before_stays_in_the_study(dumbbell, tmp_path):
    compare(dumbbell, queues=["fifo", "red"], seeds=[1, 2], out=tmp_path)
    fewer = compare(dumbbell, queues=["fifo", "codel"], seeds=[1], out=tmp_path)

    kept = load_study(tmp_path)

    assert sorted({label for label, _ in fewer.results}) == ["codel", "fifo"]
    runs = [(label, result.seed) for label, result in kept.results]
    assert sorted(runs) == [("codel", 1), ("fifo", 1), ("fifo", 2), ("red", 1), ("red", 2)]
    assert kept.baseline == "fifo"


def test_runs_of_another_build_are_said_to_be_made_again(dumbbell, tmp_path, monkeypatch):
    replicate(dumbbell, seeds=[1], out=tmp_path)
    monkeypatch.setattr(store, "build", lambda: "0.1.0+another")

    with pytest.warns(StudyWarning, match="made again"):
        StudyDirectory(tmp_path).begin({"Small dumbbell": dumbbell}, [1])


HOLDER = """
import pathlib, sys
from sojourn._rooms.runs.store import StudyDirectory

with StudyDirectory(pathlib.Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_a_study_in_use_is_refused_by_its_folder_and_process(dumbbell, scenario_file, tmp_path):
    out = tmp_path / "study"
    command = [sys.executable, "-c", HOLDER, str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            asked = [*SOJOURN, "run", str(scenario_file), "--out", str(out)]
            done = subprocess.run(asked, capture_output=True, text=True, timeout=60)
            assert done.returncode == 2
            assert done.stderr.startswith(f"error: {out} is in use by process {holder.pid}\n  hint: ")
            with pytest.raises(ValueError, match="in use"):
                replicate(dumbbell, seeds=[1], out=out)
        finally:
            holder.kill()

    assert len(replicate(dumbbell, seeds=[1], out=out).results) == 1


@pytest.mark.slow
def test_the_shell_shows_damage_as_one_warning(scenario_file, tmp_path):
    asked = [*SOJOURN, "run", str(scenario_file), "--seeds", "2", "--out", str(tmp_path / "study")]
    first = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True)
    run = next((tmp_path / "study" / "runs").iterdir())
    cut("queue.parquet")(run)

    again = subprocess.run(asked, capture_output=True, text=True, timeout=120)

    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert again.stderr.startswith(f"warning: 1 run is damaged and made again\n  {run}/queue.parquet has ")
    assert again.stderr.count("\n") == 2


def test_a_full_disk_is_named_and_nothing_is_left(dumbbell, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    # Data for a full disk are refused at the latest when the file is synchronised.
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        files.write_whole(tmp_path / "page.html", "<html>")
    assert caught.value.filename == str(tmp_path / "page.html")
    with pytest.raises(OSError, match="No space left") as caught:
        replicate(dumbbell, seeds=[1], out=tmp_path / "study")
    assert str(tmp_path / "study") in caught.value.filename

    assert list(tmp_path.glob("**/*.*")) == [tmp_path / "study" / ".lock"]


def test_two_variants_with_the_same_scenario_share_their_runs(short, tmp_path, monkeypatch):
    """Two workers may finish the same run: whoever comes second finds it there."""
    directory = StudyDirectory(tmp_path / "study")
    result = replicate(short, seeds=[1]).results[0][1]
    directory.save(result)
    place = tmp_path / "study" / "runs" / run_key(short, 1)
    with monkeypatch.context() as other:
        # The other worker's run appears after the first look.
        seen = iter([False, True, True])
        exists = type(place).exists
        other.setattr(type(place), "exists", lambda path: next(seen) if path == place else exists(path))
        directory.save(result)
    assert [path.name for path in place.parent.iterdir()] == [place.name]
