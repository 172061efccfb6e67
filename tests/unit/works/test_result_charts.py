"""Charts and tables of made-up results: axes, lines on one another, printed values, and runs without a number."""

import math
from collections import defaultdict
from dataclasses import replace
from types import SimpleNamespace

import pytest

from helpers.made_up import DESIGN, MadeUp
from sojourn._rooms.works.cells import Stated, printed, stated
from sojourn._rooms.works.design import Metric
from sojourn._rooms.works.kinds import Knee, Near, Table
from sojourn._rooms.works.line_charts import _in_lines, lines
from sojourn._rooms.works.overview import _about, numbers


def test_a_chart_may_have_its_first_printed_value_far_down():
    # A frame whose first hundred rows had no printed value took the column for one without numbers.
    counts = {str(count): {"flow[0].count": count} for count in range(1, 121)}
    many = replace(DESIGN, axes={"queue": DESIGN.axes["queue"], "flows": counts})
    made = MadeUp(lambda _, n: 0.01 * n)
    made.design, made.has = many, lambda *_: True
    table = Table(text="x", metric="loss", at={"queue": "red"}, only={"flows": ["120"]}, printed=[1.2], share=0.1)

    chart = lines(made, stated(made, [table], printed(made, [table])), "flows")

    assert chart is not None
    # Titles that do not fit above a panel were cut, so that panels of several points could not be told apart.
    assert chart.chart.to_dict()["facet"]["header"]["labelExpr"] == "datum.label"


def test_a_table_of_a_single_point_is_printed_beside_it():
    made = MadeUp(lambda _, n: 0.01 * n)
    made.has = lambda *_: True
    table = Table(text="x", metric="loss", at={"queue": "red", "flows": "10"}, printed=[0.1], share=0.1)

    assert printed(made, [table]) == {("loss", "red, 10"): (0.1, None)}


def test_what_is_too_long_above_a_panel_goes_on_below():
    long = [
        "goodput of a Surathkal flow over that of a SACK flow",
        "mean queue, 10 Mbit/s, 80 ms and five more of them",
    ]

    words = _in_lines(["losses (%)", *long])

    assert words.endswith("[datum.label] || datum.label")
    assert '"goodput of a Surathkal flow over that of a", "SACK flow"' in words
    assert '"mean queue", "10 Mbit/s", "80 ms and five more of them"' in words
    assert "losses" not in words


@pytest.mark.parametrize(("counts", "scale"), [((10, 20, 40), "linear"), ((10, 30, 100, 300, 1000), "log")])
def test_points_of_several_sizes_stand_on_a_logarithmic_axis_and_few_have_the_ticks(counts, scale):
    axis = {str(count): {"flow[0].count": count} for count in counts}
    made = MadeUp(lambda _, n: 0.01 * n)
    made.design, made.has = replace(DESIGN, axes={"queue": DESIGN.axes["queue"], "flows": axis}), lambda *_: True

    x = lines(made, Stated(), "flows").chart.to_dict()["spec"]["layer"][0]["encoding"]["x"]

    assert x["axis"]["values"] == list(counts)
    assert "format" not in x["axis"], "it would round 20 to 2e+1"
    assert x.get("scale", {}).get("type", "linear") == scale


def test_an_axis_is_not_filled_with_noise_and_panels_of_a_metric_share_it():
    made = MadeUp(lambda queue, n: 0.98 + (0.01 if queue == "red" and n == 10 else 0.0))
    made.has = lambda *_: True
    # Half of an interval of two that are 0.0005 apart: t(1) / 2 * 0.0005 = 0.0032, of which 0.01 is no more than three.
    made.sample = lambda _, point: [made.loss(point["queue"], int(point["flows"])) - part for part in (0.0005, 0.0)]

    spec = lines(made, Stated(), "flows").chart.to_dict()

    rows = [line.split(",") for line in spec["data"]["values"].splitlines()]
    least, most = (rows[0].index(name) for name in ("least", "most"))
    ((low, high),) = [(float(row[least]), float(row[most])) for row in rows[1:] if row[least]]
    assert high == 100.0
    assert high - low == pytest.approx(0.05 * 99.3, rel=1e-3)
    made.sample = lambda _, point: [made.loss(point["queue"], int(point["flows"])) - part for part in (0.0001, 0.0)]
    rows = [line.split(",") for line in lines(made, Stated(), "flows").chart.to_dict()["data"]["values"].splitlines()]
    ((low, high),) = [(float(row[least]), float(row[most])) for row in rows[1:] if row[least]]
    assert high - low < 1.2, "what varies by more than its intervals is shown as large as it can be"
    # Values within all intervals may be all that there is to see.
    made.sample = lambda _, point: [0.15, 0.16, 0.17 + 0.001 * int(point["flows"])]
    rows = [line.split(",") for line in lines(made, Stated(), "flows").chart.to_dict()["data"]["values"].splitlines()]
    assert [float(row[least]) for row in rows[1:] if row[least]] == [0.0]
    dashes = spec["spec"]["layer"][0]["encoding"]["strokeDash"]["scale"]
    assert dashes["domain"] == ["red", "fifo"]
    assert dashes["range"][0] != dashes["range"][1], "where one line covers another, both are seen"


def test_a_chart_says_where_its_lines_lie_on_one_another():
    same, other = (MadeUp(lambda queue, n, by=by: 0.001 * n * (by if queue == "red" else 1.0)) for by in (1.001, 1.1))
    same.has = other.has = lambda *_: True

    assert lines(same, Stated(), "flows").text == "With 95 % intervals. Lines lie on one another in: loss (%)."
    assert lines(other, Stated(), "flows").text == "With 95 % intervals."


def test_a_chart_marks_the_values_and_the_knees_that_the_text_states():
    made = MadeUp(lambda queue, n: 0.001 * n * (2.0 if queue == "red" else 1.0))
    made.has = lambda *_: True
    near = Near(text="x", metric="loss", at={"queue": "red", "flows": "20"}, published=0.03, within=0.001)
    knee = Knee(text="y", metric="loss", at={"queue": "red"}, along="flows", knee="20")

    chart = lines(made, stated(made, [near, knee], {}), "flows")

    assert chart.text == "With 95 % intervals; crosses are printed values. Dashed: where the work's text has a knee."
    head, *rows = (line.split(",") for line in chart.chart.to_dict()["data"]["values"].splitlines())
    found = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(one["series"], one["x"], one["printed"]) for one in found if one["printed"]] == [("red", "20.0", "3.0")]
    assert {one["x"] for one in found if one["knee"]} == {"20.0"}


def test_a_time_that_all_runs_end_before_is_no_number():
    settling = Metric(
        column="value", table="probe", where={"probe": "avg"}, statistic="settling", within=[9, 11], from_s=25, unit="s"
    )
    made = MadeUp(lambda *_: 0.1)
    made.design = replace(DESIGN, metrics={"settles": settling})
    variants = defaultdict(lambda: SimpleNamespace(duration_s=50))
    made.has, made.study = lambda *_: True, SimpleNamespace(variants=variants)
    made.sample = lambda _, point: [25.0] * 3 if point["queue"] == "red" else [24.0, 25.0, 25.0]

    (table,) = numbers(made, {}, "flows")

    shown = {(cell.row, cell.column): cell.figures for cell in table.numbers}
    assert shown["10", "settles, red"] == "> 25"
    # t(2) s / sqrt(3) = 4.303 * 0.577 / 1.732 = 1.43.
    assert shown["10", "settles, fifo"] == "24.7 ± 1.4"
    assert "none of them gets there" in table.text


def test_a_mean_that_few_runs_make_says_how_the_runs_lie():
    made = MadeUp(lambda *_: 0.1)
    made.has = lambda *_: True
    uneven = {"queue": "red", "flows": "10"}
    made.sample = lambda _, point: [0.01, 0.02, 0.02, 9.0] if point == uneven else [0.1, 0.2, 0.3]

    (table,) = numbers(made, {}, "flows")

    assert "flows 10, loss, red (from 1 to 900, half of them below 2); flows 10, loss, fifo" in table.text


def test_runs_without_a_number_are_counted():
    made = MadeUp(lambda *_: 0.1)
    made.has = lambda *_: True
    made.sample = lambda _, point: [0.1, math.nan, 0.1] if point["queue"] == "red" else [0.1] * 3

    (table,) = numbers(made, {}, "flows")

    assert "is left out: flows 10, loss, red (1 of 3 runs); flows 20" in table.text
    table = replace(table, numbers=[cell for cell in table.numbers if cell.column == "loss, red"])
    assert "is left out: flows 10 (1 of 3 runs); flows 20" in _about(table.numbers, "flows {}".format), (
        "of one column rows are enough"
    )
