"""Sweeps that stop when their question is answered."""

import json

import pytest

import sojourn
from sojourn import Scenario
from sojourn._rooms.cli import app
from sojourn._rooms.showing.sweeps.words import ending_in_words

SHORT = Scenario.load("red_classic", overrides=["duration=3s", "warmup=1s"])
OVER = {"queue": ["red", "codel", "fifo"], "flow.ftp.count": [4, 8]}


def swept(until, **settings):
    return sojourn.sweep(SHORT, over=OVER, metrics=["loss_ratio", "sojourn_mean_ms"], until=until, **settings)


def test_each_point_stops_when_its_mean_is_known(tmp_path):
    done = swept("15%", seeds=20, workers=1)
    runs = done.ending.runs

    assert len(runs) == 6
    assert set(runs.values()) <= {10, 14, 20}
    assert len(set(runs.values())) > 1, "points that vary more take more runs"
    assert {label: sum(one == label for one, _ in done.values) for label in runs} == runs
    for point in done.points:
        label = ", ".join(point.values())
        found = done.interval("loss_ratio", point)
        assert found.n == runs[label]
        assert (found.half_width <= 0.15 * found.mean) or label in done.ending.unanswered
    assert "loss_ratio is known within 15 % after 10 to" in ending_in_words(done)
    # More runs than are needed may be there, or fewer: nothing changes.
    swept(None, seeds=12, out=tmp_path)
    again = swept("15%", seeds=20, workers=3, out=tmp_path)
    assert again.values == done.values
    assert again.ending == done.ending
    kept = sojourn.load_sweep(tmp_path)
    assert kept.ending == done.ending
    assert kept.summary().equals(done.summary())


def test_a_sweep_stops_when_the_best_point_is_decided():
    done = swept("decided", workers=2)
    runs = len(done.seeds)

    assert set(done.ending.runs.values()) == {runs}
    assert 6 <= runs < 40
    assert done.best("loss_ratio").ties == ()
    assert done.standing().is_answered
    assert f"The best point for loss_ratio is decided after {runs} of at most 40 runs" in ending_in_words(done)


def test_mistakes():
    with pytest.raises(ValueError, match="allowed: decided"):
        swept("soon")
    with pytest.raises(ValueError, match="of no metric is more or less better"):
        sojourn.sweep(SHORT, over=OVER, metrics=["arrivals_packets"], until="decided")
    with pytest.raises(ValueError, match="at least 6 seeds"):
        swept("decided", seeds=3)


def test_the_command_has_a_column_of_runs(capsys):
    words = "sweep red_classic --set duration=3s --set warmup=1s --over queue=red,fifo --metrics loss_ratio"
    app([*words.split(), "--until", "decided"], standalone_mode=False)
    assert "queue   runs" in capsys.readouterr().out
    app([*words.split(), "--until", "decided", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["until"]["question"] == "decided"
