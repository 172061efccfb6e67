"""The page of all queues: its words follow from its table, and its script sorts, filters and opens rows."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from generator import ranking
from generator.pages import REGISTRY

from helpers.browser import CHROMIUM, Browser, Page
from sojourn._rooms.evaluate.table import read_table, rows_of

TABLE = read_table(ranking.TABLE)
ROWS = rows_of(TABLE)


def test_every_queue_has_a_row_with_a_link_to_its_page_and_a_sentence():
    html = ranking.listing(TABLE, ROWS)

    for entry in REGISTRY["queues"]:
        if entry["name"] in TABLE["queues"]:
            assert f'<tr id="q-{entry["name"]}">' in html
            assert f'href="../queues/{entry["name"]}.html"' in html
    assert html.count('<td class="words">') == len(TABLE["queues"])


def test_each_set_of_columns_is_in_the_table():
    known = {(row.criterion.key, row.point, row.measure.name) for row in ROWS}

    assert [one for chosen in ranking.SETS.values() for one in chosen if one not in known] == []


def test_no_queue_beats_one_of_the_frontier_in_both():
    found = ranking.points(ROWS)
    first = found.filter("first")

    assert 1 < first.height < found.height
    for one in first.iter_rows(named=True):
        better = found.filter((found["wait"] < one["wait"]) & (found["used"] > one["used"]))
        assert better.is_empty(), one["queue"]
    # Up along the frontier packets wait longer and the link carries more.
    assert first["used"].to_list() == sorted(first["used"])


def test_each_question_says_how_its_numbers_are_made():
    text = "\n".join(ranking.questions(TABLE))

    for document in TABLE["documents"]:
        for one in document["criteria"]:
            assert one["asks"] in text
            assert f"(how-{one['key'].replace('/', '-').replace('.', '-')})=" in text


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory):
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    file = tmp_path_factory.mktemp("ranking") / "index.html"
    parts = ranking.controls(ROWS) + ranking.listing(TABLE, ROWS) + ranking.data(TABLE, ROWS)
    style = (Path(ranking.SITE) / "site.css").read_text(encoding="utf-8")
    head = f'<meta name="viewport" content="width=device-width"><title>t</title><style>{style}</style>'
    file.write_text(f'<!doctype html><html lang="en">{head}<main>{parts}</main></html>', encoding="utf-8")
    with Browser() as browser:
        page = browser.page()
        page.call("Page.navigate", url=file.as_uri())
        page.wait("document.querySelector('.ranking-count')?.textContent.includes('queues')")
        yield page


def shown(page: Page) -> list[str]:
    return page.run("[...document.querySelectorAll('tbody tr:not(.all):not([hidden])')].map((row) => row.id.slice(2))")


def put(page: Page, name: str, value: str) -> None:
    page.run(
        f"(() => {{ const form = document.querySelector('form'); form.elements.{name}.value = {value!r};"
        f" form.elements.{name}.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    )


def test_a_column_sorts_by_what_is_better_and_then_the_other_way(page: Page):
    place = next(at for at, row in enumerate(ROWS) if (row.criterion.key, row.point, row.measure.name) == WAIT)
    waits = {label: numbers[place][0] for label, numbers in TABLE["queues"].items()}
    wanted = sorted(value for value in waits.values() if value is not None)

    page.run("document.querySelectorAll('thead button')[1].click()")
    assert [waits[one] for one in shown(page) if waits[one] is not None] == wanted
    page.run("document.querySelectorAll('thead button')[1].click()")
    assert [waits[one] for one in shown(page) if waits[one] is not None] == wanted[::-1]


WAIT = ("rfc7928/8.2.2", "heavy", "wait")


def test_names_and_what_they_are_good_for_filter(page: Page):
    put(page, "name", "codel")
    assert sorted(shown(page)) == ["codel", "fq_codel"]
    put(page, "name", "")
    put(page, "good", "calls beside uploads")
    good = set(shown(page))
    assert "fq_codel" in good
    assert "fifo" not in good
    put(page, "good", "")
    assert len(shown(page)) == len(TABLE["queues"])


def test_other_columns_and_all_numbers_of_a_row(page: Page):
    put(page, "columns", "Cost")
    heads = page.run("[...document.querySelectorAll('thead button')].map((one) => one.textContent)")
    assert heads[1].startswith("time a packet")
    page.run("document.querySelector('#q-codel button.more').click()")
    told = page.run("document.querySelector('tr.all').textContent")
    assert "RFC 7928 8.2.5" in told
    assert told.count("place") > 30
    put(page, "columns", "Overview")


def test_nothing_on_it_keeps_a_reader_out(page: Page):
    for width in (1300, 400):
        page.size(width, 900, phone=width < 500)
        assert page.serious_faults() == []
        assert page.run("document.documentElement.scrollWidth") <= width
    assert page.errors == []


def test_numbers_are_means_of_all_seeds():
    assert all(one.n == len(TABLE["seeds"]) for row in ROWS for one in row.values.values())
    assert sum(math.isnan(one.mean) for row in ROWS for one in row.values.values()) < 0.05 * len(ROWS) * len(
        TABLE["queues"]
    )
