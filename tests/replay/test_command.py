"""The command ``sojourn replay``."""

import json
import re

import polars as pl
import pytest
from typer.testing import CliRunner

import sojourn
from sojourn._rooms.cli import app

ARRIVALS = "time_s,bytes,flow\n0,1000,x\n0.0001,500,y\n0.0002,100,x\n"


@pytest.fixture
def arrivals(tmp_path):
    path = tmp_path / "arrivals.csv"
    path.write_text(ARRIVALS)
    return path


def command(*arguments):
    return CliRunner().invoke(app, ["replay", *map(str, arguments)])


def test_the_table_goes_to_stdout_and_the_decisions_to_the_file(arrivals, tmp_path):
    out = tmp_path / "decisions.csv"

    done = command(arrivals, "--queue", "fifo", "--set", "limit=1p", "--rate", "8Mbit", "--out", out)

    # One of three packets is lost; those sent waited 0 and 0.9 ms.
    assert done.exit_code == 0
    lines = {" ".join(line.split()[:-1]): line.split()[-1] for line in done.stdout.splitlines() if line.strip()}
    assert lines["loss (%)"] == "33.333"
    assert lines["sojourn mean (ms)"] == "0.450"
    assert lines["drops, overflow (packets)"] == "1"
    assert done.stderr == f"decisions: {out}\n"
    decisions = pl.read_csv(out)
    assert decisions["decision"].to_list() == ["enqueued", "enqueued", "dropped"]
    assert decisions["departure_s"].to_list() == [0.0, 0.001, None]


def test_json_has_the_summary_and_the_reasons(arrivals):
    done = command(arrivals, "--queue", "fifo:limit=1p", "--rate", "8Mbit", "--json")

    content = json.loads(done.stdout)
    assert content["summary"]["drops_packets"] == 1
    assert content["reasons"] == [{"event": "drop", "reason": "overflow", "packets": 1}]
    assert content["skipped_frames"] == {"not_ip": 0, "malformed": 0}


def test_several_queues_stand_side_by_side(arrivals):
    done = command(arrivals, "--queue", "fifo:limit=1p,fifo:limit=5p", "--rate", "8Mbit")

    assert done.exit_code == 0
    lines = {" ".join(line.split()[:-2]): line.split()[-2:] for line in done.stdout.splitlines() if line.strip()}
    # One place to wait: one of three is lost. Five places: none.
    assert lines["drops, overflow (packets)"] == ["1", "0"]


def test_the_decisions_of_two_queues_stand_in_one_file_by_queue(arrivals, tmp_path):
    out = tmp_path / "out.csv"

    done = command(arrivals, "--queue", "fifo:limit=1p,fifo:limit=5p", "--rate", "8Mbit", "--out", out)

    assert done.exit_code == 0
    rows = pl.read_csv(out).select("queue", "packet", "decision").rows()
    # One place to wait: the third packet is lost. Five places: none.
    assert rows == [
        *(("fifo:limit=1p", packet, "dropped" if packet == 2 else "enqueued") for packet in range(3)),
        *(("fifo:limit=5p", packet, "enqueued") for packet in range(3)),
    ]


def test_a_rate_or_departures_are_needed(arrivals):
    done = command(arrivals)

    assert done.exit_code == 2
    assert done.stderr.startswith(
        "error: sojourn replay: --rate is missing\n  allowed: --rate RATE, or --departures FILE"
    )


def test_the_help_says_that_nothing_answers():
    text = " ".join(command("--help").stdout.split())

    assert "(open loop)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rate", "8Mbits"], 'error: rate: the unit "Mbits" is not known for a rate'),
        (["--rate", "8Mbit", "--queue", "redd"], 'did you mean "red"?'),
        (["--rate", "8Mbit", "--set", "min_th"], "error: --set min_th: this is not a setting"),
        (["--rate", "8Mbit", "--set", "min_th=5p", "--set", "min_th=6p"], "min_th is set twice"),
        (["--rate", "8Mbit", "--preset", "ns4"], "presets: paper, linux"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(arrivals, tmp_path, arguments, message):
    out = tmp_path / "decisions.csv"

    done = command(arrivals, *arguments, "--out", out)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.count("error:") == 1
    assert message in done.stderr
    assert not out.exists()


def test_without_a_queue_it_is_that_of_linux(arrivals):
    """As the gateway, whose recordings are replayed. A key of a scenario's queue is taken as one of the queue."""
    said = [
        json.loads(command(arrivals, "--rate", "8Mbit", *more, "--json").stdout)
        for more in (
            ["--set", "dumbbell.queue.target=1ms", "--set", "limit=3p"],
            ["--queue", "fq_codel", "--set", "target=1ms", "--set", "queue.limit=3p"],
        )
    ]
    assert said[0] == said[1]
    assert "fq_codel" in command(arrivals, "--rate", "8Mbit").stdout


def test_a_file_that_is_not_there_is_named_with_its_nearest_neighbour(arrivals):
    done = command(arrivals.with_name("arrivls.csv"), "--rate", "8Mbit")

    assert done.exit_code == 2
    assert f"did you mean {arrivals}?" in done.stderr


def test_the_arrivals_are_never_overwritten(arrivals):
    done = command(arrivals, "--rate", "8Mbit", "--out", arrivals)

    assert done.exit_code == 2
    assert arrivals.read_text() == ARRIVALS


def test_a_capture_of_both_directions_is_warned_of(tmp_path):
    path = tmp_path / "both.csv"
    there, back = "tcp 10.0.0.1:80 > 10.0.0.2:1234", "tcp 10.0.0.2:1234 > 10.0.0.1:80"
    path.write_text(f"time_s,bytes,flow\n0,1000,{there}\n0.0001,40,{back}\n0.0002,100,udp 10.0.0.3:1 > 10.0.0.2:2\n")

    done = command(path, "--queue", "fifo", "--rate", "8Mbit")

    assert done.exit_code == 0
    assert done.stderr.startswith(f"warning: 2 flows go both ways in this recording, such as {there}")
    path.write_text(path.read_text().replace(back, "x"))
    assert command(path, "--queue", "fifo", "--rate", "8Mbit").stderr == ""


def test_netem_is_answered_with_a_scenario_that_sends_the_recording(arrivals):
    done = command(arrivals, "--queue", "netem delay 90ms 10ms loss 40% rate 8mbit", "--rate", "9Mbit")

    assert done.exit_code == 2
    assert "  hint:    --rate 8000000bit; a replay has no delay and no jitter and no loss, but in Python" in done.stderr
    made = [re.search(rf"sojourn.{name}\(.*?\)(?=$| with)", done.stderr, re.MULTILINE) for name in ("Flow", "Dumbbell")]
    flow, link = (eval(one[0], {"sojourn": sojourn}) for one in made if one)
    result = sojourn.run(sojourn.Scenario(duration="2s", warmup="0s", dumbbell=link, flows=[flow]))
    assert result.tables["queue"]["arrivals_packets"].sum() == 3
    assert link.delay == "80ms"


def test_a_note_about_a_word_of_tc_is_printed_once(arrivals):
    done = command(arrivals, "--queue", "cake nat,drr quantum 900,cake nat besteffort", "--rate", "8Mbit")

    assert done.exit_code == 0
    notes = [line.split()[1:3] for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert notes == [["cake:", "nat"], ["drr:", "tc"]]
