"""Flent's data file of a run: Flent's own reading of it, and rules of Flent that are written here anew."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.shell import sojourn
from sojourn import Scenario, run
from sojourn.exports import flent, flent_note, write_flent

UP = """
duration = "30s"
[dumbbell]
rate = "768kbit"
reverse_rate = "7Mbit"
delay = "20ms"
queue = { kind = "fq_codel" }
reverse_queue = "fq_codel"
[[flow]]
name = "upload"
count = 4
transport = { kind = "tcp", profile = "linux", packet = "1500B", control = "cubic" }
start = { at = "5s", spread = "1s" }
[[flow]]
name = "ping"
transport = "udp"
app = { kind = "cbr", rate = "2560bit", packet = "64B" }
[record]
throughput = "200ms"
cwnd = "200ms"
packets = true
"""
DOWN = """
[[flow]]
name = "download"
direction = "backward"
count = 2
transport = { kind = "tcp", profile = "linux", packet = "1500B", control = "bbr" }
"""
BACK = """
[[flow]]
name = "echo"
direction = "backward"
transport = "udp"
app = { kind = "cbr", rate = "2560bit", packet = "64B" }
"""


def made(*more):
    flows, record = UP.split("[record]")
    return run(Scenario.from_toml(flows + "".join(more) + "[record]" + record))


@pytest.fixture(scope="module")
def up():
    return made()


@pytest.fixture(scope="module")
def both():
    return made(DOWN, BACK)


# Of a file that Flent 2.3.0 wrote of its test tcp_nup (with programs in place of ping and netperf): the type of each
# field that is in every file.
METADATA = {
    "BATCH_NAME": type(None),
    "BATCH_TIME": type(None),
    "BATCH_TITLE": type(None),
    "BATCH_UUID": type(None),
    "DATA_FILENAME": str,
    "FAILED_RUNNERS": int,
    "FLENT_VERSION": str,
    "HOST": str,
    "HOSTS": list,
    "HTTP_GETTER_DNS": type(None),
    "HTTP_GETTER_URLLIST": type(None),
    "HTTP_GETTER_WORKERS": int,
    "IP_VERSION": int,
    "LENGTH": (int, float),
    "LOCAL_HOST": str,
    "NAME": str,
    "NOTE": (str, type(None)),
    "REMOTE_METADATA": dict,
    "SERIES_META": dict,
    "STEP_SIZE": float,
    "T0": str,
    "TEST_PARAMETERS": dict,
    "TIME": str,
    "TITLE": str,
    "TOTAL_LENGTH": (int, float),
}
# The units of the test rrul_be_nflows.
UNITS = {"TCP": "Mbits/s", "UDP": "Mbits/s", "Ping (ms)": "ms"}


def test_every_field_is_there_as_in_a_file_of_flent(both, tmp_path):
    data = json.loads(gzip.decompress(write_flent(both, tmp_path / "x.flent.gz").read_bytes()))

    assert set(data) == {"metadata", "raw_values", "results", "version", "x_values"}
    assert data["version"] == 4
    wrong = [key for key, kind in METADATA.items() if not isinstance(data["metadata"].get(key, ...), kind)]
    assert wrong == []
    assert data["metadata"]["TEST_PARAMETERS"] == {"upload_streams": "4", "download_streams": "2"}
    assert set(data["results"]) == set(data["raw_values"]) == set(data["metadata"]["SERIES_META"])
    for name, values in data["results"].items():
        assert len(values) == len(data["x_values"])
        about = data["metadata"]["SERIES_META"][name]
        assert {"IDX", "RUNNER", "UNITS"} <= set(about)
        assert about["UNITS"] == next(unit for start, unit in UNITS.items() if name.startswith(start))
        samples = data["raw_values"][name]
        if "COMPUTED_LATE" in about:
            assert samples == []
        else:
            # netperf's samples have a duration, those of pings a number.
            kind = {"t", "val", "seq"} if name.startswith("Ping") else {"t", "val", "dur"}
            assert samples
            assert all(kind <= set(sample) for sample in samples)
            assert about["MEAN_VALUE"] == pytest.approx(sum(one["val"] for one in samples) / len(samples))
    assert data["x_values"] == sorted(data["x_values"])


def test_there_is_a_stream_for_each_flow_of_tcp_and_none_for_datagrams(both):
    names = [name for name in flent(both)["results"] if name.startswith("TCP") and "::" in name]

    assert names == [
        *(f"TCP upload BE::upload {number}" for number in range(1, 5)),
        *(f"TCP download BE::download {number}" for number in range(1, 3)),
    ]
    assert [name for name in flent(both)["results"] if name.startswith("UDP")] == [
        "UDP upload::ping 1",
        "UDP download::echo 1",
    ]


def test_each_stream_has_the_rates_of_its_flow_and_nothing_before_it_starts(up):
    data = flent(up)

    starts = dict(up.table("flow").select("flow", "start_s").iter_rows())
    for flow in range(4):
        wanted = [
            (time, bps / 1e6 if time > starts[flow] else None)
            for time, bps in up.table("rate").filter(flow=flow).select("time_s", "throughput_bps").iter_rows()
        ]
        found = zip(data["x_values"], data["results"][f"TCP upload BE::upload {flow + 1}"], strict=True)
        assert list(found) == wanted
    assert min(starts[flow] for flow in range(4)) > 5


@pytest.mark.parametrize("way", ["upload", "download"])
def test_averages_and_sums_are_those_that_flent_computes(both, way):
    data = flent(both)["results"]
    streams = [values for name, values in data.items() if name.startswith(f"TCP {way} BE::")]

    for place, row in enumerate(zip(*streams, strict=True)):
        there = [value for value in row if value is not None]
        total = math.fsum(there)
        assert data[f"TCP {way} sum"][place] == (total if there else None)
        assert data[f"TCP {way} avg"][place] == (total / len(there) if there else None)
    every = [values for name, values in data.items() if name.startswith("TCP") and "::" in name]
    last = [row[-1] for row in every if row[-1] is not None]
    assert len(last) == 6
    assert data["TCP totals"][-1] == pytest.approx(math.fsum(last))


def test_the_ping_is_that_of_the_datagrams_and_not_of_tcp(up):
    data = flent(up)
    ping = [value for value in data["results"]["Ping (ms) UDP BE"] if value is not None]

    # There: 20 ms, its wait, and its own bits on three links. Back: 20 ms and its bits on three links.
    waited = up.packets.filter(link="forward").filter(flow=4)["sojourn_ms"]
    own = 1e3 * 8 * 64 * (1 / 768e3 + 1 / 7e6 + 4 / 70e6)
    assert len(ping) > 140
    assert sum(ping) / len(ping) == pytest.approx(40 + own + waited.mean(), rel=0.02)
    # The uploads wait in queues of their own, for nearly the time of a ping there and back (0.95 of it, since receivers
    # delay acknowledgements as Linux's do).
    assert 1.8 * sum(ping) / len(ping) < up.group.filter(group="upload")["rtt_mean_ms"].item()
    assert "Ping (ms) ICMP" not in data["results"]
    assert data["results"]["Ping (ms) avg"] == data["results"]["Ping (ms) UDP BE"]


def test_the_round_trip_of_tcp_has_the_name_that_flent_gives_it(up):
    samples = flent(up)["raw_values"]["TCP upload BE::upload 2"]

    srtt = dict(up.table("window").filter(flow=1).select("time_s", "srtt_ms").iter_rows())
    found = {sample["t"]: sample["tcp_rtt"] for sample in samples if "tcp_rtt" in sample}
    assert len(found) > 100
    assert found == {time: srtt[time] for time in found}


def test_both_ways_make_a_round_trip(both):
    data = flent(both)
    delays = {
        group: dict(both.over_time.filter(group=group).select("time_s", "delay_mean_ms").iter_rows())
        for group in ("ping", "echo")
    }

    samples = data["raw_values"]["Ping (ms) UDP BE"]
    assert len(samples) > 140
    for sample in samples:
        # The table has intervals of 100 ms, and in each second one a packet comes.
        times = [time for time in delays["ping"] if sample["t"] - 0.15 < time < sample["t"] + 0.05]
        ways = [[delays[group][time] for time in times] for group in ("ping", "echo")]
        there, back = ([delay for delay in way if delay == delay] for way in ways)
        assert (len(there), len(back)) == (1, 1)
        assert (sample["owd_up"], sample["owd_down"]) == (there[0], back[0])
        assert sample["val"] == there[0] + back[0]
    assert flent_note(both) == ""


def test_where_nothing_measures_the_way_back_there_is_no_ping_and_a_word_about_it(tmp_path):
    one_way = made(DOWN)

    assert not [name for name in flent(one_way)["results"] if name.startswith("Ping")]
    assert flent_note(one_way).startswith("no ping: ping measures one way, and the other way has data of other flows")
    # Its delay there is kept, as irtt's is.
    assert all("owd_up" in sample for sample in flent(one_way)["raw_values"]["UDP upload::ping 1"][5:])
    # Some are lost, so that less than is sent crosses the queues.
    fast = made().scenario.set("flow.ping.app.rate", "160kbit").set("duration", "8s")
    assert flent_note(run(fast)).startswith("no ping: no group of small datagrams crosses the queues")
    scenario = tmp_path / "one.toml"
    scenario.write_text(UP.replace("[record]", DOWN + "[record]").replace('"30s"', '"8s"'))
    done = sojourn("export", scenario, "--as", "flent", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "no ping: " in done.stderr
    assert 'direction = "backward"' in done.stderr


def test_a_run_without_rates_of_flows_is_refused():
    bare = Scenario.from_toml(UP.partition("[record]")[0]).set("duration", "7s")

    with pytest.raises(ValueError, match=r"record\.throughput is not set"):
        flent(run(bare))


def opened(path: Path, *arguments: str) -> str:
    """Flent's reading of a file."""
    command = [str(Path(sys.executable).with_name("flent")), *arguments, "-i", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_flent_itself_opens_the_file_and_finds_the_same(both, tmp_path):
    path = write_flent(both, tmp_path / "run.flent.gz")

    # A line about Flent itself comes first.
    rows = list(csv.DictReader(io.StringIO(opened(path, "-f", "csv").partition("\n")[2])))
    summary = {
        line.partition(" : ")[0].strip(): line.partition(" : ")[2].split()[0]
        for line in opened(path, "-f", "summary").splitlines()
        if " : " in line
    }

    data = flent(both)
    assert len(rows) == len(data["x_values"])
    means = {}
    for name, values in data["results"].items():
        read = [float(row[name]) if row[name] else None for row in rows]
        assert read == pytest.approx(values)
        there = [value for value in values if value is not None]
        means[name] = sum(there) / len(there)
    # Flent's summary of a sum or mean of streams is that of the streams' means. The series itself differs while
    # not all streams have begun.
    for way in ("upload", "download"):
        streams = [mean for name, mean in means.items() if name.startswith(f"TCP {way} BE::")]
        means |= {f"TCP {way} sum": sum(streams), f"TCP {way} avg": sum(streams) / len(streams)}
    means["TCP totals"] = means["TCP upload sum"] + means["TCP download sum"]
    # It has two digits.
    assert {name: float(summary[name]) for name in means} == pytest.approx(means, abs=0.006)
