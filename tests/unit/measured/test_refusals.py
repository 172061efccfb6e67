"""Files that say too little, that are broken, or that are no measurement: one message each; and nothing private."""

from __future__ import annotations

import copy
import gzip
import json

import pytest

from helpers import results as examples
from helpers.shell import refused, sojourn
from sojourn._rooms.measured import reading
from sojourn._rooms.measured.reading import read

LONG = {
    **examples.IPERF3,
    "start": {**examples.IPERF3["start"], "connected": [{"remote_host": "PLANTED-HOST"}], "cookie": "PLANTED"},
}


def changed(content, path, value):
    found = copy.deepcopy(content)
    *way, last = path
    place = found
    for key in way:
        place = place[key]
    place[last] = value
    return found


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            LONG,
            ["the rate of the download is missing", "iperf3 -c SERVER -R -P 4 -t 30 -J > down.json", "--from a.json"],
        ),
        ({**LONG, "error": "unable to connect to PLANTED-HOST"}, ["this test of iperf3 failed"]),
        ({"error_domain": "NSURLErrorDomain", "dl_throughput": 0}, ["this test of networkQuality failed"]),
        (changed(LONG, ["intervals"], []), ["intervals is empty"]),
        (changed(LONG, ["intervals", 3, "sum"], 5), ["the rate of the download is missing"]),
        (changed(LONG, ["end", "sum_received", "bits_per_second"], "fast"), ["sum_received.bits_per_second", "'fast'"]),
        (changed(examples.OOKLA, ["download", "bandwidth"], -1), ["download.bandwidth is not a number from 1 on"]),
        (changed(examples.OOKLA, ["ping", "latency"], float("nan")), ["ping.latency is not a number", "nan"]),
        (changed(examples.OOKLA, ["upload", "bandwidth"], 1e15), ["is no rate of a line here"]),
        (changed(examples.NETWORK_QUALITY, ["il_tcp_handshake_443"], 7), ["il_tcp_handshake_443 is not a list"]),
        ({"version": 5, "x_values": [], "results": {}}, ["version is newer than 4"]),
        ({"version": 4, "x_values": [], "results": {}}, ["x_values is empty"]),
        ({"version": 4, "x_values": [1.0], "results": {"a": []}}, ["is not a list as long as x_values"]),
        ({"hello": 1}, ["this is no measurement that is read here", "JSON with hello", "JSON of iperf3"]),
        ([1, 2], ["no measurement", "JSON without a table"]),
        ("", ["an empty file"]),
        ("qdisc cake 8001: root", ["counters of tc, which say nothing of the line"]),
        ("download = fast", ["a.json:1", "'fast' is not a rate such as"]),
        ("donwload = 5 Mbit/s\nidle = 5 ms", ["'donwload' is no name here", "did you mean download?"]),
        ("upload = 5 Mbit/s\nunder upload = +5 ms", ["beyond idle, which is missing"]),
        (
            "64 bytes from x: icmp_seq=1 ttl=3 time=30 ms",
            ["ping): it has no rate", "the rate of the upload is missing"],
        ),
    ],
)
def test_a_file_that_does_not_do_gets_one_message(tmp_path, content, said):
    (tmp_path / "a.json").write_text(content if isinstance(content, str) else json.dumps(content))

    message = refused("line", "--from", "a.json", cwd=tmp_path)
    assert [part for part in said if part not in " ".join(message.split())] == [], message
    assert "PLANTED" not in message


def test_a_round_trip_without_load_has_to_be_measured(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(LONG))
    message = refused("line", "20/100", "--from", "a.json", cwd=tmp_path)

    assert "the round trip without load is missing" in message
    assert "231 ms, with a queue in it" in message
    assert "ping -c 20 SERVER > idle.txt" in message


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gzip.compress(json.dumps(LONG).encode())[:-20], "the packed file"),
        (b"\x1f\x8b\x08\x00garbage", "the packed file was cut off"),
        (gzip.compress(b"{" * (3 << 20)), "unpacked it is too large"),
        (b"\xd4\xc3\xb2\xa1" + b"\0" * 30, "no packet of TCP"),
        (b"\xd4\xc3\xb2\xa1", "the capture was cut off"),
        (b"\x0a\x0d\x0d\x0a" + b"\xff" * 40, "no packet of TCP"),
        (b"\0" * 400, "no measurement that is read here"),
    ],
)
def test_damaged_files_are_refused(tmp_path, monkeypatch, data, said):
    monkeypatch.setattr(reading, "_MOST", 2 << 20)
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=said):
        read(path)


def test_a_file_that_is_not_there_and_a_missing_line_are_said(tmp_path):
    assert "none.json" in refused("line", "--from", tmp_path / "none.json")
    assert "--from FILE" in refused("line")


@pytest.mark.slow
def test_nothing_private_is_printed(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(examples.OOKLA))
    done = sojourn(
        "line", "--from", "a.json", "--queue", "modem,cake", "--seeds", "1", "--report", "a.html", cwd=tmp_path
    )
    plain = sojourn("line", "--from", "a.json", "--queue", "modem,cake", "--seeds", "1", "--json", cwd=tmp_path)

    assert done.returncode == plain.returncode == 0, done.stderr
    assert "PLANTED" not in done.stdout + done.stderr + plain.stdout + (tmp_path / "a.html").read_text()
    assert "The measured line" in (tmp_path / "a.html").read_text()
    measured = json.loads(plain.stdout)["line"]["measured"]
    assert measured["estimates"]["buffer_up_s"]["source"].startswith("upload.latency.iqm")
    assert [row["number"] for row in measured["simulated"]] != []
