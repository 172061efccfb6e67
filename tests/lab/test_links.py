"""Links of the laboratory: bad parts are reported, and others can open them or the page as a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .opening import LAB, Browser, Page, hurry, opened, over

# An address, and the page's message about it.
TOLD = [
    ("queue=codle&queue=fifo", 'There is no queue "codle": it is left out. Did you mean "codel"?'),
    ("queue=nonsense", 'There is no queue "nonsense"'),
    ("flow=a,count=9999&queue=fifo&queue=codel", "count=9999 is above what a page runs: 100 is taken."),
    ("flow=a,count=1.5&queue=fifo", "count=1.5 is not a whole number: 2 is taken."),
    ("flow=a,colour=red&queue=fifo", '"colour" is nothing that can be set of senders'),
    ("rate=fast", "rate=fast is not a number: 10 is taken."),
    ("rtt=-3", "rtt=-3 is below what a page runs: 4 is taken."),
    ("seed=0", "seed=0 is below what a page runs: 1 is taken."),
    ("speed=8", '"speed" has no meaning in a link.'),
    ("&".join(["queue=fifo"] * 5), 'The link has 5 times "queue": the first 4 are taken.'),
    ("queue=fifo,limit", '"limit" is not a setting: write name=value.'),
    ("lesson=rde.1", 'There is no lesson "rde".'),
    ("lesson=red.99", "has no step 99: this is step 4."),
]


@pytest.mark.parametrize(("address", "words"), TOLD)
def test_what_of_a_link_cannot_be_taken_is_told(browser: Browser, address, words):
    page = browser.page()
    page.call("Page.navigate", url=f"{LAB.as_uri()}#{address}")
    page.wait("document.documentElement?.dataset.ready")

    assert words in page.run("document.getElementById('told').textContent")
    assert not page.run("document.getElementById('told').hidden")
    assert page.errors == []


@pytest.mark.parametrize(
    "address", ["", "lesson=red.2", "rate=5&queue=fifo,limit=20p&queue=codel&flow=a,count=3,far=20"]
)
def test_a_link_that_can_be_taken_says_nothing(browser: Browser, address):
    page = browser.page()
    page.call("Page.navigate", url=f"{LAB.as_uri()}#{address}")
    page.wait("document.documentElement?.dataset.ready")

    assert page.run("document.getElementById('told').hidden")


def test_a_link_for_others_has_the_address_that_is_given(lab: Page):
    lab.run("lab.state.rate = 7; lab.changed(); document.getElementById('share').click()")
    link = "document.getElementById('shared-link').textContent"
    # A file of this computer is nothing that others can open.
    assert lab.run(link).startswith("file:")
    assert not lab.run("document.getElementById('only-here').hidden")

    put = "const b = document.getElementById('base'); b.value = {}; b.dispatchEvent(new Event('input'))"
    lab.run(f"(() => {{ {put.format(json.dumps('https://example.org/lab.html#old'))} }})()")
    assert lab.run(link).startswith("https://example.org/lab.html#rate=7&")
    assert lab.run("document.getElementById('only-here').hidden")
    assert lab.serious_faults() == []

    lab.run(f"(() => {{ {put.format(json.dumps('http://127.0.0.1:8765'))} }})()")
    assert not lab.run("document.getElementById('only-here').hidden")
    lab.run(f"(() => {{ {put.format(json.dumps('http://'))} }})()")
    assert lab.run("document.getElementById('copy-link').disabled")


def test_the_page_saves_itself_with_what_is_set(browser: Browser, lab: Page, tmp_path: Path):
    lab.run(
        "lab.state.rate = 7; lab.state.queues[0].set = { limit: '44p' }; lab.settings.show(lab.state); lab.changed()"
    )
    over(lab)
    lab.run(
        "URL.createObjectURL = (blob) => { window.blob = blob; return 'data:,'; };"
        "document.getElementById('share').click(); document.getElementById('save-page').click()"
    )
    saved = tmp_path / "saved.html"
    saved.write_text(lab.run("blob.text()"), encoding="utf-8")

    page = browser.page()
    page.call("Page.navigate", url=saved.as_uri())
    page.wait("document.documentElement?.dataset.ready")
    hurry(page)

    assert page.errors == []
    assert page.run("JSON.stringify(lab.state)") == lab.run("JSON.stringify(lab.state)")
    assert page.run("JSON.stringify(lab.summaries)") == lab.run("JSON.stringify(lab.summaries)")
    # A saved page can be saved again, and a link goes before its saved state.
    lab.call("Page.navigate", url=f"{saved.as_uri()}#rate=3")
    lab.wait("document.documentElement?.dataset.ready")
    hurry(lab)
    assert lab.run("lab.state.rate") == 3


def test_paper_has_no_buttons_and_a_white_ground(browser: Browser):
    page = opened(browser, "lesson=buffers.1", theme="dark")
    page.call("Emulation.setEmulatedMedia", media="print")
    page.run("dispatchEvent(new Event('beforeprint'))")

    shown = (
        "[...document.querySelectorAll('button, select, #bar, #settings, nav')]"
        ".filter((e) => e.getClientRects().length).map((e) => e.id || e.className)"
    )
    assert page.run(shown) == []
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert "Link: 10 Mbit/s" in page.run("document.getElementById('printed').textContent")
    assert all(
        value == "avoid"
        for value in page.run("[...document.querySelectorAll('.row')].map((row) => getComputedStyle(row).breakInside)")
    )
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run("document.documentElement.dataset.theme") == "dark"
