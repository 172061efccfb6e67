"""The scenario `classes`: a call (EF), a video (AF41) and bulk transfers under schedulers that go by codepoint."""

import pytest

import sojourn

LARGEST_MS = 1.2
"""1500 bytes at 10 Mbit/s."""
ALONE_MS = 12.0 + 2 * 0.016 + 0.16
"""The time of a packet of the call, 200 bytes, on an empty path: 12 ms, two hops of 100 Mbit/s and one of 10."""
CLASSES = ({"dscp": "EF"}, {"dscp": "AF41"}, {})


def wfq(*weights):
    classes = [{**takes, "weight": weight} for takes, weight in zip(CLASSES, weights, strict=True)]
    return {"kind": "wfq", "limit": "60p", "class": classes}


def groups(queue=None):
    """Throughput and delay of each group: a row of the table by name."""
    scenario = sojourn.Scenario.load("classes")
    result = sojourn.run(scenario if queue is None else scenario.set("dumbbell.queue", queue), seed=1)
    return {row["group"]: row for row in result.group.iter_rows(named=True)}


def test_by_priority_the_call_and_the_video_lose_nothing_and_the_rest_gets_what_is_left():
    of = groups()

    assert of["call"]["loss_ratio"] == of["video"]["loss_ratio"] == 0.0
    # A packet of the call waits for no more than the packet in transmission.
    assert ALONE_MS < of["call"]["delay_mean_ms"] < ALONE_MS + LARGEST_MS
    assert of["video"]["throughput_mean_bps"] == pytest.approx(6e6, rel=0.01)
    # 10 - 0.08 - 6 Mbit/s.
    assert 8 * of["bulk"]["throughput_mean_bps"] == pytest.approx(3.92e6, rel=0.02)


def test_by_weight_each_class_has_its_part():
    of = groups(wfq(1, 4, 5))

    # The others share the rest of the call's tenth 4 to 5: 9.92 Mbit/s in all. The video sends 6.
    video = 4 / 9 * 9.92e6
    assert of["video"]["throughput_mean_bps"] == pytest.approx(video, rel=0.01)
    assert 8 * of["bulk"]["throughput_mean_bps"] == pytest.approx(5 / 9 * 9.92e6, rel=0.01)
    assert of["video"]["loss_ratio"] == pytest.approx(1 - video / 6e6, rel=0.03)
    # Parekh and Gallager: 200 bytes at a tenth of the link and a largest packet.
    assert of["call"]["loss_ratio"] == 0.0
    assert ALONE_MS < of["call"]["delay_mean_ms"] < ALONE_MS + 1.6 + LARGEST_MS


def test_without_classes_the_call_waits_behind_all():
    of = groups({"kind": "fifo", "limit": "60p"})

    assert of["call"]["delay_mean_ms"] > ALONE_MS + 20.0
    assert of["video"]["loss_ratio"] > 0.001
