"""Charts in a notebook: drawn without a network, and pictures where the scripts are not there."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import altair as alt
import pytest

import sojourn
from sojourn._rooms.showing.plots import notebook
from sojourn._rooms.showing.plots.palette import Theme, config

# These start a browser: `make check` leaves them out.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study() -> sojourn.Comparison:
    short = sojourn.Scenario.load("red_classic", overrides=["duration=3s", "warmup=1s"])
    return sojourn.compare(short, queues=["red", "codel"], seeds=[1, 2])


@pytest.fixture(autouse=True)
def new_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "_carriers", [])


def output(chart: alt.TopLevelMixin, cell: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(notebook, "_cell", lambda: cell)
    return chart._repr_mimebundle_()["text/html"]


def test_all_charts_are_drawn_and_nothing_is_asked_for(study, browser, tmp_path: Path, monkeypatch):
    outputs = [output(study.plot(name), name, monkeypatch) for name in ("summary", "group_delays", "backlog")]
    file = tmp_path / "notebook.html"
    # As in a notebook that draws the visible part first: the one with the scripts is not the first.
    file.write_text("<!DOCTYPE html>" + "".join([*outputs[1:], outputs[0]]), encoding="utf-8")
    page = browser.page()
    page.size(1000, 900)

    page.call("Page.navigate", url=file.as_uri())
    page.wait("document.querySelectorAll('svg').length >= 3 && !document.querySelector('img')")

    assert page.errors == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
    # The scripts are about 410 kB, once.
    assert len(outputs[0]) < 600_000
    assert all(len(text) < 150_000 for text in outputs[1:])


@pytest.mark.parametrize(("ground", "theme"), [("#111111", "dark"), ("#fefefe", "light")])
def test_a_chart_has_the_colours_of_the_page(study, browser, tmp_path: Path, monkeypatch, ground: str, theme: Theme):
    file = tmp_path / "page.html"
    chart = output(study.plot("backlog"), theme, monkeypatch)
    file.write_text(f'<!DOCTYPE html><body style="background: {ground}">{chart}', encoding="utf-8")
    page = browser.page()

    page.call("Page.navigate", url=file.as_uri())
    page.wait("!!document.querySelector('svg.marks')")

    letters = config(theme)["background"].lstrip("#")
    colour = ", ".join(str(int(letters[place : place + 2], 16)) for place in (0, 2, 4))
    assert page.run("document.querySelector('svg.marks').style.backgroundColor") == f"rgb({colour})"
    assert page.errors == []


def test_without_the_scripts_there_is_a_picture(study, browser, tmp_path: Path, monkeypatch):
    output(study.plot("summary"), "first", monkeypatch)
    second = output(study.plot("summary"), "second", monkeypatch)
    file = tmp_path / "alone.html"
    file.write_text(f"<!DOCTYPE html>{second}", encoding="utf-8")
    page = browser.page()

    page.call("Page.navigate", url=file.as_uri())
    page.wait("document.readyState === 'complete'")

    assert page.run("document.querySelector('img').naturalWidth") > 700
    assert page.run("document.querySelector('img').alt")
    assert page.errors == []


def test_the_first_cell_has_the_scripts_again_when_it_is_run_again(study, monkeypatch):
    chart = study.plot("summary")
    sizes = [len(output(chart, cell, monkeypatch)) for cell in ("first", "second", "first")]

    assert sizes[0] == sizes[2] > sizes[1]


def test_a_chart_is_still_one_of_altair(study, monkeypatch):
    chart = study.plot("summary")

    assert isinstance(chart, alt.LayerChart | alt.FacetChart | alt.Chart)
    assert "data:image/svg+xml" in output(chart.properties(background="white"), "first", monkeypatch)
    assert copy.deepcopy(chart).to_dict() == pickle.loads(pickle.dumps(chart)).to_dict() == chart.to_dict()
    assert len(repr(chart)) < 100
    with alt.renderers.enable("mimetype"):
        assert "text/html" not in chart._repr_mimebundle_()[0]
