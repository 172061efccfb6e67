"""Runs in the formats of other tools, read by these tools."""

from __future__ import annotations

import errno
import itertools
import os
from pathlib import Path

import polars as pl
import pytest

from helpers.shell import refused, sojourn
from sojourn import Scenario, replicate, run
from sojourn._rooms._base import files as _files
from sojourn.exports import ns2_note, ns2_trace, write_flent, write_tables

MIX = """
title = "Two ways"
duration = "12s"
warmup = "2s"
[dumbbell]
rate = "4Mbit"
delay = "10ms"
queue = { kind = "codel" }
[[flow]]
name = "up"
count = 2
start = { spread = "1s" }
transport = { kind = "tcp" }
[[flow]]
name = "call"
transport = { kind = "udp" }
app = { kind = "cbr", rate = "64kbit", packet = "200B" }
[[flow]]
name = "down"
direction = "backward"
transport = { kind = "tcp" }
[record]
packets = true
drops = true
throughput = "200ms"
"""


@pytest.fixture(scope="module")
def mix(tmp_path_factory):
    path = tmp_path_factory.mktemp("mix") / "mix.toml"
    path.write_text(MIX)
    return path


@pytest.fixture(scope="module")
def result(mix):
    return run(Scenario.load(mix), seed=3)


def test_a_file_of_flent_has_its_name(result, tmp_path):
    with pytest.raises(ValueError, match=r"NAME\.flent\.gz"):
        write_flent(result, tmp_path / "run.json")


def test_a_trace_has_each_packet_once_and_in_order(result):
    lines = [line.split() for line in ns2_trace(result)]

    assert {len(line) for line in lines} == {12}
    times = [float(line[1]) for line in lines]
    assert times == sorted(times)
    left = [line for line in lines if line[0] == "-" and line[2] == "0"]
    assert len(left) == result.packets.filter(link="forward").height
    # Each arrival leaves the queue or is dropped.
    waiting = 0
    for line in (line for line in lines if line[2] == "0"):
        waiting += {"+": 1, "-": -1, "d": -1, "r": 0}[line[0]]
        assert waiting >= 0
    assert waiting == 0
    assert sum(line[0] == "d" for line in lines) == result.drops.filter(event="drop").height


def test_packets_that_wait_at_the_end_are_counted_in_a_note(mix):
    result = run(Scenario.load(mix, overrides=['dumbbell.queue="fifo"']))
    waiting = result.counters.filter(counter="backlog_packets", link="forward")["value"][0]

    assert waiting > 0
    assert f": {waiting:.0f} at forward" in ns2_note(result)


@pytest.mark.parametrize("queue", ["codel", "red"])
def test_a_dropped_packet_came_when_it_joined_the_queue(mix, queue):
    dropped = run(Scenario.load(mix, overrides=[f'dumbbell.queue="{queue}"']))
    at = {(line[0], line[11]): float(line[1]) for line in map(str.split, ns2_trace(dropped))}
    waited = [time - at["+", uid] for (event, uid), time in at.items() if event == "d"]

    assert len(waited) > 10
    if queue == "codel":
        # It drops packets at the head that have waited for longer than its target.
        assert min(waited) > 0.005
        assert min(dropped.drops["sojourn_ms"]) > 5.0
    else:
        assert set(waited) == set(dropped.drops["sojourn_ms"]) == {0.0}


def test_a_packet_keeps_its_number_and_is_received_when_the_link_has_carried_it(result):
    lines = [line.split() for line in ns2_trace(result)]
    at = {(line[0], line[11]): float(line[1]) for line in lines}
    forward = [line for line in lines if line[0] == "-" and line[2] == "0"]
    received = {uid for event, uid in at if event == "r"}

    # All but those on their way at the end.
    late = [float(line[1]) for line in forward if line[11] not in received]
    assert len(received) > 1000
    assert all(time > 12 - 0.010 - 8 * 1500 / 4e6 for time in late)
    assert all(at["+", line[11]] <= at["-", line[11]] for line in forward)
    # The link sends one packet after the other: the next leaves when the one before is on the wire, which its last bit
    # leaves 10 ms before it is received. Behind a packet that made it wait, the next leaves at just that moment.
    busy = 0
    for first, second in itertools.pairwise(line[11] for line in forward if line[11] in received):
        sent = at["r", first] - 0.010
        assert at["-", second] >= sent - 2e-8
        if at["+", second] < sent - 1e-6:
            assert at["-", second] == pytest.approx(sent, abs=2e-8)
            busy += 1
    assert busy > 1000


def test_where_a_link_varies_nothing_is_said_of_reception(mix):
    varied = Scenario.load(mix, overrides=["duration=3s", 'dumbbell.jitter="3ms"'])

    assert {line[0] for line in ns2_trace(run(varied))} == {"+", "-", "d"}


def test_every_table_is_written_and_read_again(mix, tmp_path):
    study = replicate(Scenario.load(mix, overrides=["duration=4s"]), seeds=[1, 2])

    for form, read in (("csv", pl.read_csv), ("parquet", pl.read_parquet)):
        files = write_tables(study, tmp_path / form, form=form)
        assert {path.stem for path in files} >= {"queue", "flow", "group", "latency", "over_time", "completion"}
        group = read(tmp_path / form / f"group.{form}")
        assert group["seed"].unique().sort().to_list() == [1, 2]
        assert group["queueing_p99_ms"].to_list() == pytest.approx(study.group["queueing_p99_ms"].to_list())


def test_on_a_full_disk_no_table_is_left(mix, tmp_path, monkeypatch):
    out = tmp_path / "new" / "tables"
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "queue.csv").write_text("before")
    write, written = _files.write_new, []

    def third_fails(path, data):
        written.append(path.name)
        if len(written) % 3 == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, data)

    monkeypatch.setattr(_files, "write_new", third_fails)
    for place in (out, tmp_path / "old"):
        for form in ("csv", "parquet"):
            message = refused("export", mix, "--out", place, "--as", form, "--set", "duration=3s")
            assert message == f"error: {place}: no space left on device\n"

    assert len(written) == 12
    assert [path.name for path in tmp_path.rglob("*")] == ["old", "queue.csv"]
    assert (tmp_path / "old" / "queue.csv").read_text() == "before"


def test_a_folder_in_the_way_of_a_table_leaves_the_others_unwritten(mix, tmp_path):
    (tmp_path / "queue.csv").mkdir()

    message = refused("export", mix, "--out", tmp_path, "--set", "duration=3s")

    assert message == f"error: {tmp_path}/queue.csv: is a directory\n"
    assert [path.name for path in tmp_path.iterdir()] == ["queue.csv"]


def test_the_command_runs_a_scenario_or_takes_a_study(mix, tmp_path):
    trace = sojourn("export", mix, "--out", tmp_path / "a", "--as", "ns2", "--seed", 4)
    assert trace.returncode == 0, trace.stderr
    assert (tmp_path / "a" / "mix-seed4.tr").read_text().startswith("+ ")

    kept = tmp_path / "study"
    assert sojourn("run", mix, "--seeds", "1,2", "--out", kept).returncode == 0
    both = sojourn("export", kept, "--out", tmp_path / "b", "--as", "flent")
    assert both.returncode == 0, both.stderr
    assert [Path(line).name for line in both.stdout.split()] == ["Two-ways-seed1.flent.gz", "Two-ways-seed2.flent.gz"]

    wrong = sojourn("export", mix, "--out", tmp_path / "c", "--as", "xlsx")
    assert wrong.returncode == 2
    assert "allowed: csv, parquet, long, flent, ns2" in wrong.stderr
    assert not (tmp_path / "c").exists()
