"""Large tables of many runs are in files: the same tables, and memory that does not grow with the runs."""

import pickle
import subprocess
import sys

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sojourn
from sojourn._rooms.runs import spill, tables
from sojourn._rooms.runs.formats import write_tables
from sojourn._rooms.runs.spill import Spill
from sojourn._rooms.runs.store import load_study

_RECORDED = """
title = "Two senders"
duration = "{duration}"
[dumbbell]
rate = "2Mbit"
delay = "5ms"
queue = {{ kind = "red", limit = "20p" }}
[[flow]]
count = 2
[record]
queue = "{every}"
probes = "{every}"
cwnd = "{every}"
"""


def _scenario(duration="2s", every="1ms"):
    return sojourn.Scenario.from_toml(_RECORDED.format(duration=duration, every=every))


def test_a_run_whose_tables_are_in_a_file_has_the_same_tables():
    held = sojourn.run(_scenario())
    stored = Spill(room=0).kept(held)

    assert stored.raw.bytes_held() < held.raw.bytes_held() / 4
    assert list(stored.tables) == list(held.tables)
    for name in held.tables:
        assert_frame_equal(stored.table(name), held.table(name))
        assert stored.raw.columns(name) == held.raw.columns(name)
        assert stored.raw.numeric(name) == held.raw.numeric(name)
        for column in held.raw.columns(name):
            same = stored.raw.column(name, column), held.raw.column(name, column)
            assert repr(same[0]) == repr(same[1]), (name, column)
    only = {"backlog": ["time_s"], "probe": ["value"]}
    assert_frame_equal(stored.only(only).probe, held.only(only).probe)
    assert_frame_equal(pickle.loads(pickle.dumps(stored)).probe, held.probe)


def test_a_name_takes_a_byte_in_each_row():
    raw = sojourn.run(_scenario()).raw
    series = {"backlog": 1 + 3 * 8, "probe": 2 * 1 + 2 * 8, "window": 6 * 8}

    for name, row in series.items():
        only = raw.only({name: raw.columns(name)})
        assert only.bytes_held() == row * len(raw.held(name, "time_s"))


def test_names_are_a_sequence_of_texts():
    raw = sojourn.run(_scenario()).raw
    names = raw.held("probe", "probe")
    values = raw["probe"]["probe"].to_list()

    assert (list(names), names.tolist(), len(names)) == (values, values, len(values))
    assert (names[0], names[-1], names[-len(values)]) == (values[0], values[-1], values[0])
    assert values[0] in names
    assert "nobody" not in names
    assert [names.known[place] for place in names.places()] == values
    for outside in (len(values), -len(values) - 1):
        with pytest.raises(IndexError):
            names[outside]


def test_a_long_table_is_written_part_by_part(monkeypatch):
    result = sojourn.run(_scenario())
    whole = {name: pl.read_parquet(result.raw.parquet(name)) for name in result.tables}
    made = []
    parts = tables._parts

    def counted(columns, size):
        for part in parts(columns, size):
            made.append(part.height)
            yield part

    monkeypatch.setattr(tables, "_PART", 100)
    monkeypatch.setattr(tables, "_parts", counted)
    fresh = sojourn.run(_scenario())

    for name in fresh.tables:
        assert_frame_equal(pl.read_parquet(fresh.raw.parquet(name, compression="lz4")), whole[name])
    assert max(made) == 100
    assert sum(made) > whole["probe"].height
    assert_frame_equal(whole["probe"], result.probe)


def test_small_studies_stay_in_memory():
    held = sojourn.run(_scenario())

    assert Spill().kept(held) is held


def test_a_table_stays_in_memory_if_there_is_no_place_on_the_disk(monkeypatch):
    held = sojourn.run(_scenario())

    def full(**_how):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)

    assert_frame_equal(Spill(room=0).kept(held).probe, held.probe)


def test_a_report_and_summaries_are_the_same_from_files(tmp_path, monkeypatch):
    def made(name, **how):
        study = sojourn.compare(_scenario(), queues=["red", "codel"], seeds=[1, 2, 3, 4, 5], **how)
        study.report(tmp_path / name)
        return study, (tmp_path / name).read_text(encoding="utf-8")

    held, page = made("held.html")
    monkeypatch.setattr(Spill.__init__, "__defaults__", (0,))
    spilled, same = made("spilled.html")
    saved, third = made("saved.html", out=tmp_path / "study")
    again, fourth = made("again.html", out=tmp_path / "study")

    assert page == same == third == fourth
    for study in (spilled, saved, again, load_study(tmp_path / "study")):
        assert_frame_equal(study.table("probe"), held.table("probe"))
        assert_frame_equal(study.summary(), held.summary())
        assert_frame_equal(study.pooled("sojourn"), held.pooled("sojourn"))
        assert_frame_equal(study.differences(), held.differences())


def test_runs_that_are_gone_give_their_room_back():
    # Studies that other tests still hold.
    others = spill._held
    for _ in range(4):
        held = sojourn.run(_scenario())
        # Room for one and a half.
        assert Spill(room=others + held.raw.bytes_held() * 3 // 2).kept(held) is held
        del held


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_are_written_run_by_run(tmp_path, form):
    study = sojourn.replicate(_scenario(), seeds=[1, 2])
    write_tables(study, tmp_path, form=form)
    file = tmp_path / f"probe.{form}"
    read = pl.read_csv(file) if form == "csv" else pl.read_parquet(file)

    assert_frame_equal(read, study.table("probe"), check_dtypes=form == "parquet")


def test_a_file_that_changes_after_its_study_was_opened_is_named(tmp_path):
    study = sojourn.replicate(_scenario(), seeds=[1, 2], out=tmp_path / "study")
    (file, *_) = sorted(tmp_path.glob("study/runs/*/probe.parquet"))
    file.write_bytes(file.read_bytes()[:-1] + b"x")

    with pytest.raises(ValueError, match=r"probe\.parquet has changed since it was written\n  hint: "):
        study.table("probe")


_PEAK = """
import resource, sys
import sojourn
scenario = sojourn.Scenario.from_toml(sys.argv[1])
out = sys.argv[3] or None
study = sojourn.compare(scenario, queues=["red", "codel"], seeds=range(1, int(sys.argv[2]) + 1), workers=1, out=out)
study.report(sys.argv[4])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in KiB there")
@pytest.mark.parametrize("kept", [False, True])
def test_memory_does_not_grow_with_the_recorded_series_of_more_runs(tmp_path, kept):
    text = _RECORDED.format(duration="20s", every="1ms")

    def peak_mb(seeds):
        out = str(tmp_path / f"study{seeds}") if kept else ""
        command = [sys.executable, "-c", _PEAK, text, str(seeds), out, str(tmp_path / "page.html")]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1024

    few, many = peak_mb(4), peak_mb(16)

    # A run has 20,000 samples of both links, of two senders and of all probes: about 10 MB in memory, so that 24 more
    # runs would take 240 MB. Their counters and histograms are below 1 MB a run, and without a folder 16 MB of tables
    # stay in memory.
    assert many - few < 24 * 1.0 + (0 if kept else 16), (few, many)
