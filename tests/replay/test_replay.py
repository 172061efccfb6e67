"""Replay from Python: hand-worked arrivals, refusals, and speed."""

import time

import numpy as np
import polars as pl
import pytest

from sojourn import queues, replay


def test_a_fifo_decides_as_worked_out_by_hand(tmp_path):
    # At 8 Mbit/s a byte takes 1 us; one packet may wait.
    #   a comes at 0 and is sent until 1000; b waits for it until 1000 and is sent until 1500;
    #   c finds b waiting and is dropped; d comes at 1000, when b has just left, and waits until 1500;
    #   e finds the link idle.
    path = tmp_path / "arrivals.csv"
    path.write_text("time_s,bytes,flow\n0,1000,x\n0.0001,500,y\n0.0002,100,x\n0.001,100,y\n0.005,100,x\n")

    result = replay(path, queue="fifo", settings={"limit": "1p"}, rate="8Mbit")

    decisions = result.decisions
    assert decisions["packet"].to_list() == [0, 1, 2, 3, 4]
    assert decisions["record"].to_list() == [2, 3, 4, 5, 6]
    assert decisions["flow"].to_list() == ["x", "y", "x", "y", "x"]
    assert decisions["decision"].to_list() == ["enqueued", "enqueued", "dropped", "enqueued", "enqueued"]
    assert decisions["reason"].to_list() == [None, None, "overflow", None, None]
    assert decisions["departure_s"].to_list() == [0.0, 0.001, None, 0.0015, 0.005]
    assert decisions["sent_s"].to_list() == [0.001, 0.0015, None, 0.0016, 0.0051]
    assert decisions["sojourn_ms"].to_list() == [0.0, 0.9, None, 0.5, 0.0]
    summary = result.summary.row(0, named=True)
    assert (summary["arrivals_packets"], summary["departures_packets"], summary["drops_packets"]) == (5, 4, 1)
    assert summary["loss_ratio"] == pytest.approx(0.2)
    assert summary["duration_s"] == pytest.approx(0.0051)
    assert summary["utilisation"] == pytest.approx(1700 / 5100)
    assert summary["throughput_bps"] == pytest.approx(1700 * 8 / 0.0051)
    assert summary["backlog_mean_packets"] == pytest.approx(1400 / 5100)
    assert summary["sojourn_mean_ms"] == pytest.approx(1.4 / 4)
    assert summary["sojourn_p50_ms"] == 0.0
    assert summary["sojourn_max_ms"] == 0.9
    assert result.reasons.rows() == [("drop", "overflow", 1)]


def arrivals(count=2_000, seed=1):
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "time_s": np.cumsum(draw.exponential(0.0009, count)),
            "bytes": np.full(count, 1000),
            "flow": draw.integers(0, 5, count).astype(str),
        }
    )


def test_the_seed_decides_and_repeats():
    def decisions(seed):
        return replay(arrivals(), queue="red", rate="8Mbit", seed=seed).decisions

    assert decisions(1).equals(decisions(1))
    assert not decisions(1).equals(decisions(2))


def test_the_policy_of_a_queue_takes_its_parameters():
    def drops(policy):
        return replay(arrivals(), queue=queues.FlowQueue(flows=1, policy=policy), rate="7Mbit").summary["drops_packets"]

    text = replay(arrivals(), queue="flow_queue:flows=1,policy={kind=codel,target=20ms}", rate="7Mbit").summary
    assert drops("codel").item() > drops(queues.Codel(target="20ms")).item() == text["drops_packets"].item()


def test_supplied_numbers_leave_nothing_to_the_seed():
    frame = arrivals().with_columns(uniform=np.random.default_rng(2).random(2_000))

    first, second = (replay(frame, queue="red", rate="8Mbit", seed=seed).decisions for seed in (1, 2))

    assert first["decision"].value_counts().height == 2
    assert first.equals(second)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("time_s,bytes,flow\n", "there are no arrivals in it"),
        ("time_s,bytes\n0,1\n", 'line 1: the column "flow" is missing'),
        ("time_s,bytes,flow\n1,1,a\n0.5,1,a\n", "line 3: the arrival at 0.5 s goes back in time"),
        ("time_s,bytes,flow\n1,0,a\n", "line 2: a packet of 0 bytes"),
        ("time_s,bytes,flow\n1,x,a\n", 'line 2: bytes is "x"'),
        ("time_s,bytes,flow,uniform\n1,1,a,1.5\n", "line 2: the uniform number 1.5 is out of range"),
    ],
)
def test_bad_arrivals_are_refused_with_the_line(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_text(content)

    with pytest.raises(ValueError) as refused:
        replay(path, queue="fifo", rate="1Mbit")

    assert message in str(refused.value)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"queue": "redd"}, 'did you mean "red"?'),
        ({"rate": "10mbps"}, "bytes per second in tc"),
        ({"rate": "0Mbit"}, "out of range"),
        ({"preset": "ns4"}, 'red has no preset "ns4"'),
        ({"settings": {"min_t": "5p"}}, 'did you mean "min_th"?'),
        ({"settings": {"min_th": 5}}, "the unit is missing"),
        ({"settings": {"min_th": "20p", "max_th": "10p"}}, "red.max_th"),
        ({"mean_packet": "0B"}, "at least one byte"),
        ({"base_rtt": "1"}, "the unit is missing"),
    ],
)
def test_bad_settings_are_refused_before_the_file_is_read(arguments, message):
    with pytest.raises(ValueError) as refused:
        replay(pl.DataFrame(), **{"queue": "red", "rate": "1Mbit", **arguments})

    assert message in str(refused.value)


def test_a_million_packets_take_seconds():
    frame = arrivals(1_000_000)
    start = time.process_time()

    result = replay(frame, queue="red", rate="8Mbit")

    assert result.decisions.height == 1_000_000
    assert time.process_time() - start < 10
