"""Recorded packets as a source."""

import polars as pl
import pytest

from sojourn import Dumbbell, Flow, Scenario, ScenarioError, recorded, run

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


def test_an_unknown_flow_is_answered_with_the_nearest():
    with pytest.raises(ScenarioError, match="'tcp 1'"):
        recorded(FRAME.with_columns(flow=pl.lit("tcp 1")), flow="tcp 2")
