"""Queues have the colours of reports, lines that lie on each other can be told apart, and the start rules no axis."""

from __future__ import annotations

import json

import pytest

from sojourn import _core
from sojourn._rooms.showing.plots import palette

from .opening import Browser, Page, opened, over

QUEUES = [entry["name"] for entry in json.loads(_core.registry())["queues"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_queue_has_the_colour_of_reports(browser: Browser, theme):
    page = opened(browser, "queue=fifo&queue=codel&queue=fq_codel&queue=red&seconds=5", theme=theme)

    shown = page.run("[0, 1, 2, 3].map((n) => getComputedStyle(document.documentElement).getPropertyValue(`--c${n}`))")

    wanted = [palette.CATEGORY[theme][place] for place in palette.colour_places(["fifo", "codel", "fq_codel", "red"])]
    assert shown == wanted


def test_colours_of_all_queues_follow_from_their_names_as_in_reports(lab: Page):
    four = [QUEUES[place : place + 4] for place in range(0, len(QUEUES), 4)] + [["codel"] * 4]

    found = lab.run(f"import('lab/colours.js').then(({{ places }}) => {json.dumps(four)}.map(places))")

    assert found == [palette.colour_places(kinds) for kinds in four]


def test_groups_have_colours_that_no_queue_has_and_dashes(lab: Page):
    groups = lab.run(
        "[0, 1, 2, 3, 4].map((n) => getComputedStyle(document.documentElement).getPropertyValue(`--g${n}`).trim())"
    )
    assert not {one.upper() for one in groups} & {one.upper() for one in palette.CATEGORY["light"]}
    assert len(set(groups)) == 5

    delay = "document.querySelectorAll('.row')[1].querySelectorAll('.legend i')"
    assert lab.run(f"[...{delay}].map((line) => line.className)") == ["", "dashed"]
    drawn = lab.run("lab.panels.charts.delay[0].shown.series.map((one) => one.dash.length)")
    assert drawn == [0, 2]


def test_the_start_rules_no_axis_and_what_is_cut_off_is_said(lab: Page):
    # Under CoDel the queue of the start goes far beyond all that follows.
    lab.run(
        "lab.state.queues = [{ kind: 'codel', set: { limit: '1000p' } }];"
        "lab.settings.show(lab.state); lab.changed(); lab.run()"
    )
    over(lab)

    shown = lab.run(
        "(({ top, series: [one] }) => ({ top, values: one.values, times: one.times }))"
        "(lab.panels.charts.backlog[0].shown)"
    )
    late = max(value for value, time in zip(shown["values"], shown["times"], strict=True) if time >= 5)
    assert max(shown["values"]) > 3 * late
    assert late <= shown["top"] <= 1.5 * late + 1
