"""An evaluation whose criteria stop when they are decided."""

import json

import pytest

from sojourn._rooms.evaluate import evaluate
from sojourn._rooms.evaluate.report import write_report


def made(**settings):
    return evaluate("codel", quick=True, only=["5.2"], baselines=["fifo"], until="decided", **settings)


def test_a_criterion_stops_when_it_is_decided(tmp_path):
    page = made(workers=1, seeds=20)
    (at,) = page.looks.values()

    assert at[0] == 6
    assert at[-1] == len(page.seeds) < 20
    assert all(interval.n == at[-1] for row in page.rows for interval in row.values.values())
    assert page.seeds_in_words == f"{at[-1]} seeds"
    # Whatever the workers, and the runs that are there.
    evaluate("codel", quick=True, only=["5.2"], baselines=["fifo"], seeds=at[-1] + 2, out=tmp_path / "runs")
    again = made(workers=2, seeds=20, out=tmp_path / "runs")
    assert json.dumps(again.as_json()["numbers"]) == json.dumps(page.as_json()["numbers"])
    assert again.looks == page.looks
    write_report(page, tmp_path / "page.html")
    assert "it stopped when it was decided" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_mistakes():
    for wrong, said in (("2%", "allowed: decided"), ("soon", "no end of a study")):
        with pytest.raises(ValueError, match=said):
            evaluate("codel", quick=True, only=["5.2"], until=wrong)
