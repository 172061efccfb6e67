"""Charts of sweeps: lines, panels, heat maps and trade-offs, whatever the axes are called."""

import csv
import json
import re
from dataclasses import replace

import pytest

import sojourn
from helpers.sweeps import SCENARIO
from sojourn._rooms.showing.sweeps.charts import draw
from sojourn._rooms.showing.sweeps.tradeoff import draw_trade_off
from sojourn._rooms.sweeps.axes import Axis
from sojourn._rooms.sweeps.run import sweep


@pytest.fixture(scope="module")
def scenario():
    return sojourn.Scenario.from_toml(SCENARIO)


def test_more_than_three_axes_have_a_panel_for_each_point_of_the_rest(scenario):
    over = {
        "dumbbell.queue.limit": ["10p", "20p"],
        "flow.bulk.count": [1, 2],
        "dumbbell.delay": ["5ms", "10ms"],
        "queue": ["red", "codel"],
    }
    swept = sweep(scenario, over=over, seeds=[1], metrics=["loss_ratio"])
    spec = draw(swept, "loss_ratio").to_dict()

    assert len(spec["facet"]["sort"]) == 4
    assert spec["facet"]["sort"][0] == "dumbbell.delay 5ms, queue red"
    rows = csv.DictReader(spec["data"]["values"].splitlines())
    assert {row[spec["facet"]["field"]] for row in rows} == set(spec["facet"]["sort"])


# All other columns of a frame or of a chart's data.
OUR_NAMES = ["low", "high", "mean", "n", "metric", "seed", "utilisation", "interval", "text", "panel", "axis_low"]


def rows_of(spec):
    return list(csv.DictReader(spec["data"]["values"].splitlines()))


def fields_of(node):
    if isinstance(node, dict):
        yield from [str(node["field"])] if "field" in node else []
        for child in node.values():
            yield from fields_of(child)
    elif isinstance(node, list):
        for child in node:
            yield from fields_of(child)


def test_a_sweep_over_an_interval_has_its_points_in_the_chart(tmp_path):
    """`interval` is the key of 28 queues; it was a column of ours, so that the chart had no point."""
    red = sojourn.Scenario.from_toml(SCENARIO)
    base = red.with_queue("codel")
    swept = sweep(base, over={"interval": Axis("dumbbell.queue.interval", ["20ms", "50ms", "100ms"])}, seeds=[1, 2, 3])

    for metric in swept.metrics:
        spec = draw(swept, metric.name).to_dict()
        layers = spec["layer"]
        x = layers[-1]["encoding"]["x"]
        assert (x["type"], x["title"]) == ("quantitative", "interval (ms)")
        assert [float(row[x["field"]]) for row in rows_of(spec)] == [20.0, 50.0, 100.0]
        assert all(float(row["mean"]) >= 0.0 for row in rows_of(spec))
    swept.report(tmp_path / "s.html")


@pytest.fixture(scope="module")
def many(scenario):
    """Five points by five."""
    over = {
        "a": Axis("dumbbell.queue.max_p", [0.02, 0.05, 0.1, 0.2, 0.4]),
        "b": Axis("dumbbell.queue.limit", ["10p", "20p", "30p", "40p", "50p"]),
    }
    return sweep(scenario.set("duration", "2s"), over=over, seeds=[1, 2], metrics=["utilisation", "loss_ratio"])


@pytest.mark.parametrize("name", OUR_NAMES)
def test_an_axis_may_have_any_name(name, many, tmp_path):
    """Parameters of queues of one's own are called as their authors like."""
    other = "interval" if name == "low" else "low"
    swept = replace(many, axes={name: many.axes["a"], other: many.axes["b"]})

    frame, summary = swept.frame(), swept.summary()
    assert frame.columns[2:] == ["seed", "utilisation", "loss_ratio"]
    assert summary.columns[2:] == ["metric", "n", "mean", "low", "high"]
    # The axes come in their order and hold their points; everything else does not change.
    assert frame.rows() == many.frame().rows()
    assert summary.rows() == many.summary().rows()
    assert sorted(set(frame[frame.columns[0]])) == [0.02, 0.05, 0.1, 0.2, 0.4]

    first = {key: runs for key, runs in many.values.items() if key[0].endswith(", 10p")}
    line = {(label.removesuffix(", 10p"), seed): runs for (label, seed), runs in first.items()}
    for few in (swept, replace(many, axes={name: many.axes["a"]}, values=line)):
        spec = draw(few, "utilisation").to_dict()
        rows = rows_of(spec)
        assert set(fields_of(spec)) <= set(rows[0])
        x = next(layer["encoding"]["x"]["field"] for layer in spec["layer"])
        assert {float(row[x]) for row in rows} == {0.02, 0.05, 0.1, 0.2, 0.4}
        few.report(tmp_path / "s.html")
        assert f">{name}<" in (tmp_path / "s.html").read_text(encoding="utf-8")


def test_the_trade_off_has_each_point_with_its_intervals(many):
    spec = draw_trade_off(replace(many, metrics=(many.metrics[0], WAIT), values=_with_waits(many))).to_dict()
    rows = rows_of(spec)

    assert len(rows) == 25
    assert spec["layer"][0]["encoding"]["x"]["scale"]["type"] == "log", "the waits span a decade"
    # Points of the first axis are joined in the order of their numbers; its ends have names.
    assert {(row["place"], row["label"]) for row in rows} == {
        ("0", "0.02"),
        ("1", "\u00a0"),
        ("2", "\u00a0"),
        ("3", "\u00a0"),
        ("4", "0.4"),
    }
    assert set(fields_of(spec)) <= set(rows[0])


WAIT = sojourn.Metric(column="sojourn_mean_ms", name="sojourn_mean_ms")


def _with_waits(swept):
    """Waits in place of losses: from 1 ms at the first point to 25 ms at the last."""
    labels = [", ".join(point.values()) for point in swept.points]
    return {key: (values[0], 1.0 + labels.index(key[0])) for key, values in swept.values.items()}


def test_bright_is_good_in_a_heat_map_of_delays_and_of_utilisation(many):
    waits = replace(many, metrics=(many.metrics[0], WAIT), values=_with_waits(many))
    scales = [
        draw(waits, name).to_dict()["layer"][0]["encoding"]["color"]["scale"] for name in ("utilisation", WAIT.name)
    ]

    assert [(scale["reverse"], scale["type"]) for scale in scales] == [(False, "linear"), (True, "log")]
    plain = draw(waits, WAIT.name, "linear").to_dict()["layer"][0]["encoding"]["color"]["scale"]
    assert plain["type"] == "linear"


def test_a_heat_map_says_each_number_with_its_interval(scenario):
    over = {
        "dumbbell.queue.max_p": [0.02, 0.05, 0.1, 0.2, 0.4],
        "dumbbell.queue.limit": [f"{n}p" for n in range(10, 60, 10)],
    }
    spec = draw(sweep(scenario, over=over, seeds=[1, 2], metrics=["loss_ratio"]), "loss_ratio").to_dict()
    one = draw(sweep(scenario, over=over, seeds=[1], metrics=["loss_ratio"]), "loss_ratio").to_dict()

    texts = [layer["encoding"]["text"]["field"] for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert texts == ["text", "interval"]
    cells = [row["interval"] for row in csv.DictReader(spec["data"]["values"].splitlines())]
    assert all(re.fullmatch(r"± [\d.]+|\[[\d.]+, [\d.]+\]|\u00a0", cell) for cell in cells), cells
    assert any(cells)
    assert "with 95 % intervals" in json.dumps(spec["title"])
    assert "interval" not in json.dumps(one), "a single run has none"
