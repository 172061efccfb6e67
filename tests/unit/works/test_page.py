"""The report of a work before its claims."""

from __future__ import annotations

import re
from dataclasses import replace

import altair as alt
import polars as pl
import pytest

from sojourn._rooms.showing.plots.pieces import inline, layout
from sojourn._rooms.works.page import fits, page, sensitivity
from sojourn.claims import Claim
from sojourn.papers import About, Chart, Numbers, Paper, PrintedNumber, Reproduction, Unstated, find, load
from sojourn.stats import Interval

# A claim's text that begins with a code.
_CODE = re.compile(r'^text = "([A-Z]+[0-9]+[a-z]?): ', re.MULTILINE)


def claim(text: str, verdict: str, ours: float, published: float | None = None, reading: str = "") -> Claim:
    return Claim(
        text=text, verdict=verdict, ours=Interval(ours, 0.1, 5), published=published, reading=reading, experiment="E1"
    )


@pytest.fixture
def done() -> Reproduction:
    loss, delay, order = (
        claim("loss", "fails", 12.0, 10.0),
        claim("delay", "holds", 20.0, 20.5),
        claim("order", "holds", 1.0),
    )
    found = [
        *(loss, delay, order),
        # Old timers: loss comes out as printed, the delay stays as good as it was.
        replace(claim("loss", "holds", 10.1, 10.0, "old timers"), beside=loss),
        replace(claim("delay", "holds", 20.1, 20.5, "old timers"), beside=delay),
        # Another order turns the verdict, and has no printed number.
        replace(claim("order", "fails", -1.0, None, "another order"), beside=order),
    ]
    about = About(
        proposal="A queue that waits less.",
        unstated=(
            Unstated(what="timers", taken="today's", why="none are named", readings=("old timers", "slow timers")),
            Unstated(what="the colour", taken="blue", why="it is ours"),
        ),
    )
    paper = Paper(title="A queue", citation="Somebody 2001", about=about)
    paper.experiment("E1", "loss and delay of one flow.")(lambda _: [])
    return Reproduction("somebody2001", paper, True, tuple(("E1", one) for one in found), {})


def test_readings_are_compared_with_the_same_claims_as_run(done):
    rows = {row["name"]: row for row in fits(done)}

    old = rows["old timers"]
    assert (old["claims"], old["holds"], old["holds_as_run"], old["better"]) == (2, 2, 1, "this reading")
    # Off by 20 and 2.4 % as run, by 1 and 2 % under it: the median is the mean of the two.
    assert (old["off"], old["off_as_run"]) == ("1.5 %", "11 %")
    other = rows["another order"]
    assert (other["holds"], other["holds_as_run"], other["off"], other["better"]) == (0, 1, "–", "as run")


def test_where_claims_and_numbers_gainsay_each_other_neither_fits_better(done):
    further = [
        replace(found, ours=Interval(30.0, 0.1, 5)) if found.reading == "old timers" else found for found in done.claims
    ]
    rows = fits(replace(done, findings=tuple(("E1", one) for one in further)))

    assert next(row for row in rows if row["name"] == "old timers")["better"] == "neither"


def test_what_hangs_on_a_choice_is_counted(done):
    assert sensitivity(done, ["old timers", "slow timers"]) == "old timers: 1 of 2 verdicts turn; slow timers: nothing"
    assert sensitivity(done, []) == "not varied"


def test_the_page_has_it_all_and_the_claims_are_in_plain_words(done):
    html = page(done).html()

    assert "Of 3 claims 2 hold, 1 fail." in html
    for heading in ("The proposal of the work", "Scoreboard", "Which reading fits best", "Open points of the work"):
        assert f">{heading}</h2>" in html
    assert "<b>E1</b>: loss and delay of one flow" in html
    assert "1 other reading, 1 with another verdict" in html
    assert html.index("Scoreboard") < html.index("Claims of the paper")


def test_what_is_decided_alone_says_so_and_among_how_many_claims(done):
    more = [replace(found, p=0.01) for found in done.claims if not found.reading]
    more[2] = replace(more[2], verdict="undecided", alone="holds", p=0.04)
    html = page(replace(done, findings=tuple(("E1", one) for one in more))).html()

    assert "1 of those that are undecided would be decided alone, but not among those of their experiment" in html
    assert "If each of 3 claims were judged alone, chance would decide some" in html
    assert '<span class="where">alone it holds</span>' in html


def test_a_table_and_a_figure_that_are_shown_already_are_not_shown_again(done):
    def exhibits(title: str, *groups: str):
        cells = [
            PrintedNumber(row=row, column=f"{group}, {queue}", group=group, ours=[1.0, 2.0 + len(row)])
            for row in ("10", "100")
            for group in groups
            for queue in ("RED", "fifo")
        ]
        rows = pl.DataFrame({"panel": [cell.group for cell in cells], "x": range(len(cells))}).filter(pl.col("x") < 2)
        drawn = alt.Chart(inline(rows, "lines")).mark_point().encode(x="x:Q").properties(usermeta=layout())
        return Numbers(title=title, numbers=cells), Chart(title=title, chart=drawn, text="With 95 % intervals.")

    found = [("E1", one) for one in exhibits("All numbers", "loss", "wait")]
    found += [("E1-order", one) for one in exhibits("All numbers", "loss")]
    html = page(replace(done, findings=(*done.findings, *found))).html()

    assert html.count("<h3>loss</h3>") == 1
    assert html.count("<h3>wait</h3>") == 1
    assert "Not shown again: loss: under E1: All numbers." in html
    assert html.count("<figure") == 1
    assert "The figure is under E1: All numbers." in html
    assert ">fifo<" in html, "names stand as they are written"


@pytest.mark.parametrize("key", sorted(find()))
def test_every_work_says_what_it_proposed_and_names_readings_that_there_are(key):
    about = load(key).about

    assert 200 < len(about.proposal) < 1200
    assert len(about.unstated) >= 5
    places = ("shared.toml", "expected.toml", "experiments/*.toml", "code/*.py")
    texts = "".join(path.read_text() for place in places for path in find()[key].glob(place))
    assert {found.group(1) for found in _CODE.finditer(texts)} <= about.codes.keys()
    for row in about.unstated:
        assert row.what
        assert row.taken
        assert row.why
        for reading in row.readings:
            assert reading in texts, reading
