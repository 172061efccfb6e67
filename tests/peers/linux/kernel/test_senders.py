"""Sojourn's senders and receivers with the profile linux do as the kernel's did, in recordings (README.md)."""

import json

import drawn_senders
import linux_counts
import numpy as np
import pytest
import segments
from recorded_senders import DIFFER, OFFERS, RECORDED
from same_senders import FOLDER, compare, offers, replay, window_scale

MOST = 1_500_000


@pytest.mark.parametrize("name", RECORDED)
def test_no_more_differs_than_is_said(name):
    sender = RECORDED[name]

    found = compare(name, segments.read(FOLDER / f"{name}.xz"), sender)

    windows, sent, answers = DIFFER[name][0]
    assert found.windows <= windows, str(found)
    assert found.segments <= sent, str(found)
    assert found.unanswered <= answers, str(found)
    # The page and the package have these counts.
    assert linux_counts.read()["senders"][name] == linux_counts.of_segments(name, found)


@pytest.mark.parametrize("name", OFFERS)
def test_receivers_offer_the_kernel_s_windows(name):
    recorded = segments.read(FOLDER / f"{name}.xz")

    both, differ = offers(recorded, replay(recorded, RECORDED[name]), window_scale(RECORDED[name]))

    assert both > 300
    assert differ <= OFFERS[name]


@pytest.mark.parametrize(("seed", "number"), drawn_senders.KEPT)
def test_in_a_drawn_setting_no_window_differs(seed, number):
    _, sender = drawn_senders.setting(seed, number)
    recorded = segments.read(drawn_senders.FOLDER / f"{seed}-{sender.job.name}.xz")

    found = compare(sender.job.name, recorded, sender)

    assert recorded.about["tc"] == sender.job.queue
    assert found.windows == 0, str(found)


def test_the_window_grows_to_half_of_the_buffer_with_segments_of_an_mtu_of_576():
    _, sender = drawn_senders.setting(20261129, 0)
    recorded = segments.read(drawn_senders.FOLDER / f"20261129-{sender.job.name}.xz")
    rows, scale = replay(recorded, sender), window_scale(sender)

    most = int(rows.receiver["offered"].max()) << scale

    assert most == recorded.window.max()


def test_recordings_say_what_they_are_and_are_small():
    files = sorted(FOLDER.glob("*.xz"))
    assert {path.stem for path in files} == set(RECORDED)
    assert sum(path.stat().st_size for path in files) < MOST
    for path in files:
        about = segments.read(path).about
        assert str(about["kernel"]).startswith("6.12.")
        assert about["tc"] == RECORDED[path.stem].job.queue
        assert about["config"]


def test_a_file_reads_back_what_was_written(tmp_path):
    recorded = segments.read(FOLDER / "reno-codel.xz")

    segments.write(tmp_path / "copy.xz", recorded)

    again = segments.read(tmp_path / "copy.xz")
    parts = (
        "kind",
        "time",
        "flags",
        "ecn",
        "seq",
        "length",
        "ack",
        "echo",
        "sack",
        "room",
        "window",
        "cwnd",
        "ssthresh",
        "state",
    )
    for name in parts:
        assert np.array_equal(getattr(again, name), getattr(recorded, name)), name


def test_another_law_is_noticed():
    # CUBIC in place of Reno: the windows part after the first cut.
    recorded = segments.read(FOLDER / "reno-pfifo.xz")

    found = compare("reno-pfifo", recorded, RECORDED["cubic-pfifo"])

    assert found.windows > 1000


def test_a_flow_that_never_connects_is_named(tmp_path):
    syn = np.zeros(1, segments.SEGMENT)
    syn["flags"], syn["leaves"] = segments.SYN, 1
    syn.tofile(tmp_path / "sender.segments")
    syn[:0].tofile(tmp_path / "receiver.segments")

    with pytest.raises(segments.NeverConnectedError, match="slow: the flow never connected"):
        segments.of_run(tmp_path, {"name": "slow"})


def end(tmp_path, name, rows):
    """Writes an end's segments: time, first byte, acknowledgement, length, flags, and whether it leaves."""
    written = np.zeros(len(rows), segments.SEGMENT)
    for place, row in enumerate(rows):
        for field, value in zip(("time", "seq", "ack", "length", "flags", "leaves"), row, strict=True):
            written[field][place] = value
    written.tofile(tmp_path / f"{name}.segments")


@pytest.mark.parametrize("lost", [False, True])
def test_the_receiver_hears_what_ends_the_handshake(tmp_path, lost):
    # An acknowledgement of the answer to the SYN, the first data, and an acknowledgement of nothing.
    syn, pure = segments.SYN, 0
    sent = [(0, 99, 0, 0, syn, 1), (40, 0, 100, 0, syn, 0), (41, 100, 1, 0, pure, 1), (42, 100, 1, 500, pure, 1)]
    end(tmp_path, "sender", [*sent, (120, 0, 600, 0, pure, 0)])
    opens = [] if lost else [(61, 100, 1, 0, pure, 0)]
    heard = [(20, 99, 0, 0, syn, 0), (21, 0, 100, 0, syn, 1), *opens, (62, 100, 1, 500, pure, 0)]
    end(tmp_path, "receiver", [*heard, (63, 0, 600, 0, pure, 1), (64, 600, 1, 0, pure, 0)])

    recorded = segments.of_run(tmp_path, {"name": "short"})

    comes = recorded.of(segments.COMES)
    assert recorded.time[comes].tolist() == ([20, 62] if lost else [20, 61, 62])
    assert recorded.length[recorded.of(segments.SENDS)].tolist() == [0, 500]
    assert recorded.echo[recorded.of(segments.HEARS)].tolist() == [0, 1]


def test_the_drawn_settings_are_those_of_the_seeds():
    kept = json.loads(drawn_senders.FILE.read_text())
    drawn = [
        (seed, drawn_senders.setting(seed, number))
        for seed in drawn_senders.SEEDS
        for number in range(drawn_senders.RUNS)
    ]

    assert [(row["seed"], row["name"], row["path"], row["netem"], row["queue"]) for row in kept] == [
        (seed, sender.job.name, path, sender.job.netem, sender.job.queue) for seed, (path, sender) in drawn
    ]
