"""A line whose queues are run until they are ranked."""

import pytest

from sojourn._rooms.line.question import Line, ask

LINE = Line.read("4/1", rtt="30ms", link="ethernet")


def test_a_ranking_stops_when_it_is_decided():
    found = ask(LINE, candidates=["modem", "fq_codel"], until="decided", workers=2)

    assert len(found.study.seeds) == 6, "one is far better"
    assert found.best.name == ask(LINE, candidates=["modem", "fq_codel"], seeds=6, workers=2).best.name
    assert found.unsettled == ()
    assert "This is decided after 6 of at most 40 runs of each" in found.text


def test_what_is_open_is_named():
    found = ask(LINE, candidates=["fq_codel", "codel"], until="decided", seeds=6, workers=2)
    words = (
        "This is decided after 6"
        if not found.unsettled
        else f"Open after 6 of at most 6 runs of each: {found.unsettled[0]}"
    )
    assert words in found.text


def test_means_are_no_ranking():
    with pytest.raises(ValueError, match="allowed: decided"):
        ask(LINE, candidates=["modem", "fq_codel"], until="2%")
