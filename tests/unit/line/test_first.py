"""The first screen of a line's report, from rows of real runs."""

from __future__ import annotations

import re

import pytest

from sojourn._rooms.line.answer import Answered
from sojourn._rooms.line.first import about, headline, screen, standfirst
from sojourn._rooms.showing.report.first import Dot, Panel
from sojourn._rooms.showing.report.page import Report
from sojourn.line import Line
from unit.line.test_rule import ROWS, Runs, asked

LINES = {
    "20/100 docsis": Line.read("20/100", link="docsis"),
    "4/1": Line.read("4/1"),
    "1/8 adsl": Line.read("1/8", link="adsl"),
}


def found(line: str, runs: int = 5) -> Answered:
    return Answered(LINES[line], Runs(range(runs)), asked(ROWS[line], runs)[0])


def plain(text: str) -> str:
    return re.sub("[\u00a0\u202f]", " ", text)


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        (
            "20/100 docsis",
            "Put cake on this line: under load it adds 1.0 ms of delay, where the modem alone adds 264 ms",
        ),
        (
            "4/1",
            "Leave this line as it is: under load it adds 368 ms; cake adds 84 ms, but loses 38 % of the upload and",
        ),
        (
            "1/8 adsl",
            "At the cost of 48 % of the upload and 11 % of the download, fq_codel adds 55 ms of delay",
        ),
    ],
)
def test_the_headline_has_the_advice_its_size_and_first_a_loss(line, begins):
    assert plain(headline(found(line))).startswith(begins)
    assert len(headline(found(line)).split()) < 36


def test_the_standfirst_has_the_price_and_the_equal_ones():
    said = plain(standfirst(found("20/100 docsis")))
    assert "The price is 16.0 Mbit/s of upload instead of 17.0." in said
    assert said.endswith("cake, cake ack-filter and fq_codel are equal within the runs.")


def test_the_screen_has_a_row_for_each_queue_and_the_lines_and_nothing_twice():
    answer = found("20/100 docsis")
    page = (
        Report(title=headline(answer), about=about(answer, "a household", 20.0))
        .add_front(screen(answer, "eth0", None))
        .html()
    )
    front = page.partition('<div class="front">')[2].partition("<main")[0]
    names = re.findall(r"</svg>([a-z_ -]+)</div>", front)
    assert names == [one.name for one in answer.ranking]
    assert front.count("<svg height=") == 5, "delay, download, upload, call, steps"
    assert "tc qdisc add dev eth0 root cake bandwidth 19mbit docsis" in front
    assert [front.count(f">{fact}<") for fact in ("Price", "Certainty", "Assumed")] == [1, 1, 1]
    assert "nan" not in front


def test_the_line_as_it_is_has_no_lines():
    assert "<pre" not in screen(found("4/1"), "eth0", None)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_positions_are_within_the_panel_and_a_number_that_is_none_has_no_mark(scale):
    dots = [Dot(1.0, 0.0, 3.0, ("1",)), Dot(300.0, 100.0, 500.0, ("300",)), Dot(float("nan"), 0.0, 0.0, ("–",))]
    panel = Panel("Delay", "ms", dots, [1.0, 100.0], scale)
    at = [float(panel.at(value)[:-1]) for value in (1.0, 3.0, 100.0, 500.0)]
    assert at == sorted(at)
    assert at[0] >= 4.0
    assert at[-1] == 96.0
    assert [float(end[:-1]) >= 4.0 for end in panel.ends(dots[0])] == [True, True]
    assert [panel.is_shown(dot) for dot in dots] == [True, True, False]


def test_advice_to_leave_the_line_begins_with_its_loss_too():
    rows = {queue: dict(of_one) for queue, of_one in ROWS["4/1"].items() if queue in ("modem", "cake")}
    # That of cake is 3.75.
    rows["modem"] |= {"call_up_mos": [3.25] * 5, "call_down_mos": [3.25] * 5}
    answer = Answered(LINES["4/1"], Runs(range(5)), asked(rows, 5)[0])
    assert plain(headline(answer)).startswith(
        "At the cost of 0.5 of the call's MOS, leave this line as it is: under load"
    )
