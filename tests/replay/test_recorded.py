"""Recorded packets as a source."""

import re

import polars as pl
import pytest

from sojourn import Dumbbell, Flow, Scenario, ScenarioError, recorded, recorded_flows, run

FRAME = pl.DataFrame({"time_s": [0.0, 0.5, 2.0], "bytes": [1250, 40, 1250], "flow": ["a", "b", "a"]})


def test_the_packets_of_one_flow_are_sent_again():
    app = recorded(FRAME, flow="a")
    scenario = Scenario(
        duration="3s",
        dumbbell=Dumbbell(rate="10Mbit", delay="1ms"),
        flows=[Flow(transport={"kind": "udp", "packet": "1500B"}, app=app)],
    )

    flow = run(scenario).flow

    assert app.times_s == [0.0, 2.0]
    assert flow["packets_sent"].to_list() == [2]
    assert flow["throughput_bps"].to_list() == pytest.approx([2 * 1250 * 8 / 3])


def test_a_file_is_read_with_all_its_flows(tmp_path):
    path = tmp_path / "arrivals.csv"
    FRAME.write_csv(path)

    assert recorded(path).sizes_bytes == [1250, 40, 1250]


def test_recorded_flows_come_at_their_times_and_overlap(tmp_path):
    path = tmp_path / "flows.csv"
    path.write_text("bytes,time_s,host\n50000,0.5,a\n2000000,0.25,b\n3,1e0,c\n")
    flows = recorded_flows(path, like=Flow(name="web", transport={"kind": "tcp", "recovery": "sack"}))
    scenario = Scenario(duration="10s", dumbbell=Dumbbell(rate="10Mbit", delay="10ms"), flows=flows)

    done = run(scenario).completion.sort("started_s")

    assert done.select("group", "started_s", "bytes").rows() == [
        ("web1", 0.25, 2_000_000),
        ("web0", 0.5, 50_000),
        ("web2", 1.0, 3),
    ]
    # 2 MB take 1.6 s at least, so the others came meanwhile.
    assert done["duration_s"][0] > 1.6


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time_s,byte\n0,1\n", "the column 'bytes' is missing\n  hint:    rename 'byte'"),
        ("time_s,bytes\n0,1\n-1,1\n", "line 3: time_s is '-1'"),
        ("time_s,bytes\n0,1.5\n", "line 2: bytes is '1.5'"),
        ("time_s,bytes\nx,1\n", "line 2: time_s is 'x'"),
        ("time_s,bytes\n0,\n", "line 2: bytes is None"),
        ("time_s,bytes\n", "there are no transfers"),
        ("", "this is not CSV"),
    ],
)
def test_wrong_transfers_are_refused_with_their_line(tmp_path, text, words):
    path = tmp_path / "flows.csv"
    path.write_text(text)
    with pytest.raises(ScenarioError, match=re.escape(words)):
        recorded_flows(path)


def test_an_unknown_flow_is_answered_with_the_nearest():
    with pytest.raises(ScenarioError, match="'tcp 1'"):
        recorded(FRAME.with_columns(flow=pl.lit("tcp 1")), flow="tcp 2")


def test_comments_before_the_header_and_utf_16_are_read(tmp_path):
    path = tmp_path / "flows.csv"
    text = "# by our probe\n\n# of 2026\ntime_s,bytes\n0.5,50000\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_text(text, encoding=encoding)
        assert [flow.start for flow in recorded_flows(path)] == ["0.500000000s"]
    path.write_text(f"{text}x,1\n")
    with pytest.raises(ScenarioError, match="line 6: time_s is 'x'"):
        recorded_flows(path)
