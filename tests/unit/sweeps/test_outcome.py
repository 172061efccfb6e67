"""Results of a sweep: the best point, and those that cannot be told from it."""

import math

import pytest

import sojourn
from helpers.sweeps import SCENARIO
from sojourn._rooms.sweeps.axes import Axis
from sojourn._rooms.sweeps.metrics import parse_metric
from sojourn._rooms.sweeps.outcome import Swept


def made_up(values, metric="sojourn_mean_ms"):
    """A swept of one axis whose samples are given."""
    axis = Axis("key", [str(place) for place in range(len(values))])
    seeds = tuple(range(1, 1 + len(values[0])))
    return Swept(
        axes={"key": axis},
        metrics=(parse_metric(metric),),
        seeds=seeds,
        values={
            (label, seed): (value,)
            for label, sample in zip(axis.labels, values, strict=True)
            for seed, value in zip(seeds, sample, strict=True)
        },
        scenario=sojourn.Scenario.from_toml(SCENARIO),
    )


def test_the_best_point_is_named_with_those_that_cannot_be_told_from_it():
    # Differences from the best, seed by seed: none for itself, 0.9 to 1.1 for the second, -1 to 1.2 for the third.
    swept = made_up([[1.0, 2.0, 3.0, 4.0], [2.0, 2.9, 4.1, 5.0], [0.0, 3.1, 4.2, 3.0]])
    best = swept.best("sojourn_mean_ms")
    assert best.point == {"key": "0"}
    assert best.interval.mean == 2.5
    assert best.ties == ({"key": "2"},)
    assert made_up([[1.0, 1.0], [2.0, 2.0]], "utilisation").best("utilisation").point == {"key": "1"}


def test_a_metric_without_a_better_direction_wants_to_be_told():
    swept = made_up([[1.0, 1.0], [2.0, 2.0]], "arrivals_packets")
    with pytest.raises(ValueError, match="say which is better"):
        swept.best("arrivals_packets")
    assert swept.best("arrivals_packets", better="more").point == {"key": "1"}


def test_a_point_without_values_is_no_best_point():
    swept = made_up([[math.nan, math.nan], [2.0, 2.0]])
    assert swept.best("sojourn_mean_ms").point == {"key": "1"}
