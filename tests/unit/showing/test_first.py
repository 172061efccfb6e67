"""The pictures of first screens: positions on axes, ticks, and cells of a map."""

from __future__ import annotations

import re

import polars as pl
import pytest

import sojourn
from sojourn._rooms.showing.report.first import Dot, HeatRow, Panel, Row, heat_picture, rows_picture, ticks
from sojourn._rooms.showing.report.replayed import write_report
from sojourn._rooms.showing.report.study import study_report


@pytest.mark.parametrize(
    ("ends", "marks"),
    [
        ((5.8, 0.0), [0.0, 3.0, 6.0]),
        ((1.2, 0.0), [0.0, 0.75, 1.5]),
        ((5.8, -0.6), [-3.0, 0.0, 6.0]),
        ((0.04, -0.07), [-0.08, 0.0, 0.04]),
        ((0.0, -2.0), [-2.0, 0.0]),
        ((0.0, 0.0), [0.0, 0.5, 1.0]),
    ],
)
def test_an_axis_has_zero_and_round_ends(ends, marks):
    assert ticks(*ends) == pytest.approx(marks)


def test_an_undecided_difference_is_hollow_and_one_that_is_far_is_an_arrow():
    dots = [Dot(0.0, 0.0, 0.0, ("0",)), Dot(1.0, -1.0, 3.0, ("+1",), is_open=True), Dot(900.0, 800.0, 1e3, ("+900",))]
    drawn = rows_picture(
        "t", "n", [Row("a"), Row("b"), Row("c")], [Panel("Use", "points", dots, [0.0, 4.0], most=10.0)]
    )

    assert len(re.findall(r'<g class="c\d+ open">', drawn)) == 1
    assert drawn.count('class="beyond"') == 1
    # The interval of the arrow stretches no axis: the one that is shown ends at 3 of 4.
    assert "73.00%" not in drawn
    assert "96.00%" in drawn


def test_a_cell_has_a_sign_and_the_colour_of_its_side():
    row = HeatRow("4.4", "packet sizes", [("+2", 1.0), ("+1 −2", -1.0 / 3.0), ("·", 0.0)])
    drawn = heat_picture("t", "n", ["fifo", "red", "pie"], [row], row, "largest")

    assert re.findall(r'data-sign="(.)" class="cell( \w+)?"', drawn)[:3] == [("+", " pro"), ("−", " con"), ("·", "")]
    assert "--s:18%" in drawn


def test_a_replay_has_a_row_for_each_queue_and_says_that_its_packets_do_not_wait(tmp_path):
    busy = pl.DataFrame({"time_s": [0.0] * 40, "bytes": [1250] * 40, "flow": ["a"] * 40})
    idle = busy.with_columns(time_s=pl.int_range(40).cast(pl.Float64))
    for arrivals, heading in ((busy, "One in 100 packets waits longer than "), (idle, "Not one packet in 100 waits")):
        results = {queue: sojourn.replay(arrivals, queue=queue, rate="10Mbit") for queue in ("fifo", "codel")}
        write_report(results, tmp_path / "r.html", name="a.csv", link="a link of 10 Mbit/s", compared={})

        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert f"<h1>{heading}" in page
        assert set(re.findall(r"</svg>(\w+)</div>", page.partition("<main")[0])) >= {"fifo", "codel"}
        assert "nan" not in page.partition("<main")[0].partition("</head>")[2]


def test_a_comparison_begins_with_its_answer_and_the_best_queue_is_the_first_row():
    short = sojourn.Scenario.load("home_uplink", overrides=["duration=15s"])
    done = sojourn.compare(short, queues=["fifo", "codel", "fq_codel"], seeds=[1, 2, 3])

    page = study_report(done).html()

    assert "<h1>The packets of call wait least with fq_codel: " in page
    front = page.partition('<div class="front">')[2].partition("<main")[0]
    assert re.findall(r"</svg>(\w+)</div>", front)[0] == "fq_codel"
    assert [front.count(f">{fact}<") for fact in ("Price", "Certainty", "Assumed")] == [1, 1, 1]
    assert "Use of the link" in front
    assert "nan" not in front
    assert not re.findall('<details class="part" open', page)
