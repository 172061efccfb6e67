"""Files that a scenario or a study names: plain ones, of a bounded size; those of others stay unseen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import sojourn
from sojourn._rooms._base import files
from sojourn._rooms.sweeps.file import load_study_file

TRACE = """duration = "1s"
[dumbbell]
rate = {{ mahimahi = "{}" }}
delay = "5ms"
[[flow]]
"""
STUDY = """scenario = "{}"
seeds = "1"
[axes]
delay = {{ key = "dumbbell.delay", values = ["{}"] }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder beside which there are files that are not meant for it."""
    (tmp_path / "secret").write_text("secret = 'word'\n")
    (tmp_path / "plain.toml").write_text(TRACE.format("x").replace('{ mahimahi = "x" }', '"2Mbit"'))
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def message(folder: Path, text: str) -> str:
    """The refusal of a scenario."""
    (folder / "s.toml").write_text(text)
    with pytest.raises(sojourn.ScenarioError) as refused:
        sojourn.Scenario.load(folder / "s.toml")
    return str(refused.value)


@pytest.mark.skipif(os.name == "nt", reason="there are no such devices")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "pipe"])
def test_a_trace_is_a_plain_file(folder, name):
    os.mkfifo(folder / "pipe")
    assert "cannot be read: this is no plain file" in message(folder, TRACE.format(name))


def test_a_file_has_a_most(folder, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    (folder / "long").write_text("1\n" * 51)
    assert "more than 100 bytes" in message(folder, TRACE.format("long"))
    (folder / "s.toml").write_text("# " + "x" * 100)
    with pytest.raises(OSError, match="more than 100 bytes"):
        sojourn.Scenario.load(folder / "s.toml")


def test_a_trace_outside_of_the_folder_is_refused_without_its_text(folder):
    (folder / "inside").write_text("secret\n")
    (folder / "link").symlink_to(folder.parent / "secret")
    for name in ("../secret", str(folder.parent / "secret"), "link"):
        said = message(folder, TRACE.format(name))
        assert "is no trace of Mahimahi" in said
        assert "word" not in said
    assert '"secret"' in message(folder, TRACE.format("inside"))


def test_a_study_s_scenario_outside_of_the_folder_is_refused_without_its_text(folder):
    (folder.parent / "toml").write_text("secret = 'word'\n")
    for name in ("../secret", "../toml"):
        (folder / "study.toml").write_text(STUDY.format(name, "5ms"))
        with pytest.raises(ValueError, match="no scenario that runs") as refused:
            load_study_file(folder / "study.toml")
        assert "word" not in str(refused.value)
    # A study of one's own may name any scenario; a mistake in the study is told.
    (folder / "study.toml").write_text(STUDY.format("../plain.toml", "5ms"))
    assert load_study_file(folder / "study.toml").scenario.resolved()["dumbbell"]["rate"] == "2Mbit"
    with pytest.raises(ValueError, match=r"dumbbell\.dely"):
        load_study_file(folder / "study.toml", overrides=("dumbbell.dely=5ms",))


def test_files_in_utf_16_are_read_and_their_mistakes_have_a_line(folder):
    (folder / "s.toml").write_text(TRACE.format("moments"), encoding="utf-16")
    (folder / "moments").write_text("1\n2\n", encoding="utf-16")
    (folder / "study.toml").write_text(STUDY.format("s.toml", "5ms") + "\n[axis]\n", encoding="utf-16")

    assert sojourn.Scenario.load(folder / "s.toml").resolved()["dumbbell"]["rate"]["mahimahi"] == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"study\.toml:\d+:\d+: "):
        load_study_file(folder / "study.toml")
    (folder / "s.toml").write_bytes("title = '\u00e4'".encode("latin-1"))
    with pytest.raises(sojourn.ScenarioError, match="UTF-8 or UTF-16"):
        sojourn.Scenario.load(folder / "s.toml")
