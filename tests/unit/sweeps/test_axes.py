"""Axes: how they are written, named and refused."""

import re

import pytest

import sojourn
from sojourn._rooms.sweeps.axes import Axis, parse_over
from sojourn._rooms.sweeps.file import load_study_file
from sojourn._rooms.sweeps.run import sweep


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dumbbell.queue.max_p=0.02,0.05", [0.02, 0.05]),
        ("flow.ftp.count=10..30/10", [10, 20, 30]),
        ("dumbbell.delay=5ms..15ms/5ms", ["5ms", "10ms", "15ms"]),
        ("dumbbell.rate=1.5Mbit,3Mbit", ["1.5Mbit", "3Mbit"]),
        ("dumbbell.queue.ecn=true,false", [True, False]),
        ("queue=red:min_th=5p,max_th=15p,codel", ["red:min_th=5p,max_th=15p", "codel"]),
        ('flow[0].app={ kind = "cbr", rate = "1Mbit" },bulk', [{"kind": "cbr", "rate": "1Mbit"}, "bulk"]),
    ],
)
def test_an_axis_is_read_as_a_scenario_would_have_its_values(text, values):
    assert list(parse_over(text)[1].values) == values


def test_whole_numbers_stay_whole():
    assert parse_over("flow.ftp.count=10..30/10")[1].labels == ["10", "20", "30"]
    assert parse_over("dumbbell.queue.max_p=0.1..0.3/0.1")[1].labels == ["0.1", "0.2", "0.3"]


def test_an_axis_is_named_after_its_key_or_as_one_says():
    assert parse_over("dumbbell.queue.max_p=1")[0] == "max_p"
    assert parse_over("p:dumbbell.queue.max_p=1")[0] == "p"
    name, axis = parse_over("dumbbell.queue.limit+dumbbell.reverse_queue.limit=50p,100p")
    assert (name, axis.keys) == ("limit", ["dumbbell.queue.limit", "dumbbell.reverse_queue.limit"])


def test_points_with_one_unit_are_numbers():
    assert Axis("a", ["5ms", "10ms"]).numbers == [5.0, 10.0]
    assert Axis("a", ["5ms", "10ms"]).unit == "ms"
    assert Axis("a", ["5ms", "1s"]).numbers is None
    assert Axis("queue", ["red", "codel"]).numbers is None


ZIPPED = 'scenario = "small.toml"\n[axes]\nload = {{ {} }}\n'


def test_values_of_several_keys_may_go_together(readings):
    zipped = 'zip = { "flow[0].count" = [2, 4], "dumbbell.delay" = ["5ms", "10ms"] }'
    readings.write_text(ZIPPED.format(zipped))
    axis = load_study_file(readings).over["load"]
    assert axis.points == {
        "2 5ms": {"flow[0].count": 2, "dumbbell.delay": "5ms"},
        "4 10ms": {"flow[0].count": 4, "dumbbell.delay": "10ms"},
    }
    readings.write_text(ZIPPED.format(zipped + ', labels = ["few", "many"]'))
    assert list(load_study_file(readings).over["load"].labels) == ["few", "many"]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('zip = { "flow[0].count" = [2], "dumbbell.delay" = ["5ms", "10ms"] }', "flow[0].count has 1, dumbbell.delay"),
        ('zip = { "flow[0].count" = [2, 4] }, labels = ["few"]', "1 labels for 2 points"),
        ('zip = { "flow[0].count" = [2, 2] }', "2 is there twice"),
        ('zip = { "flow[0].count" = [2] }, values = [1]', "there is no key 'values'"),
    ],
)
def test_values_that_do_not_go_together_are_refused(readings, written, words):
    readings.write_text(ZIPPED.format(written))
    with pytest.raises(ValueError, match=re.escape(words)):
        load_study_file(readings)


def test_points_with_one_name_are_refused(scenario):
    over = {
        "a": Axis("dumbbell.queue.max_p", [0.1, 0.2], labels=["1", "1, 2"]),
        "b": Axis("dumbbell.queue.limit", ["10p", "20p"], labels=["2, 3", "3"]),
    }
    with pytest.raises(ValueError, match="two points are called '1, 2, 3'"):
        sweep(scenario, over=over, seeds=[1])


def test_values_by_key_are_axes_and_a_name_is_a_scenario():
    import numpy as np

    over = {"dumbbell.queue.max_p": np.array([0.02, 0.1]), "queue": ["red", sojourn.queues.Ared(limit="60p")]}
    short = {"duration": ["3s"]}
    swept = sojourn.sweep("red_classic", over={**short, **over}, seeds=[1], metrics=["utilisation"])

    assert list(swept.axes["queue"].labels) == ["red", "ared:limit=60p"]
    assert len(swept.values) == 4


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ({"dumbbell.queue.max_p": "0.1"}, r"a list of values is wanted, such as \[0.02, 0.1\]"),
        ({"dumbbell.queue.max_p": 0.1}, "a list of values is wanted"),
        ({"dumbbell.queue.max_p": []}, "there are no values"),
        ({"dumbbell.queue.maxp": [0.1]}, 'did you mean "max_p"'),
    ],
)
def test_an_axis_that_is_none_is_refused(over, said):
    with pytest.raises(ValueError, match=said):
        sojourn.sweep("red_classic", over=over)
