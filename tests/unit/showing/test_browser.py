"""The page in a real browser: no error, no request, every chart drawn, at any width and in either theme."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

import sojourn
from helpers.browser import CHROMIUM, Browser, Page
from helpers.synthetic import differences, study, summary
from sojourn._rooms.showing.plots.palette import CATEGORY
from sojourn._rooms.showing.report import Report, comparison_report
from sojourn._rooms.showing.report.first import Fact, HeatRow, first_screen, heat_picture
from sojourn._rooms.showing.report.templates import resource
from sojourn._rooms.works.claim_tables import add_claims
from sojourn.claims import Claim
from sojourn.stats import Interval

# These start a browser: `make check` leaves them out.
pytestmark = pytest.mark.slow

_CHARTS = "[...document.querySelectorAll('figure.chart')]"
_MARKS = "figure.querySelectorAll('svg [role=graphics-symbol], svg path[aria-roledescription], svg .mark-text text')"
_UNFOLD = "document.querySelectorAll('details.part').forEach((part) => { part.open = true; })"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tables = study(seeds=6, duration=20.0)
    suffers = Claim(text="Throughput does not suffer.", verdict="fails", note="It does, by 8 %.")
    claims = [
        Claim(text="Delay stays low.", verdict="holds", published=12.0, ours=Interval(11.9, 0.5, 6), unit="ms"),
        suffers,
        *(
            Claim(
                text="Throughput does not suffer.",
                verdict=verdict,
                ours=Interval(1.0, 0.1, 6),
                reading=reading,
                beside=suffers,
            )
            for reading, verdict in (("with old timers", "holds"), ("with two hosts", "fails"))
        ),
    ]
    page = comparison_report(
        tables,
        summary(tables),
        differences(tables, "droptail"),
        title="Five queues on a dumbbell",
        lead="Made-up numbers.",
        scenario={"title": "Five queues", "duration": "20s"},
        provenance={"Command": "sojourn compare dumbbell.toml", "Seeds": "1 to 6"},
    )
    add_claims(page, claims)
    page.add_table(pl.DataFrame({"run": range(20)}), "A long table")
    path = tmp_path_factory.mktemp("report") / "report.html"
    page.write(path)
    return path


@pytest.fixture
def page(browser: Browser) -> Page:
    opened = browser.page()
    opened.size(1280, 900)
    return opened


def drawn(page: Page, theme: str = "light") -> None:
    """Scrolls to each chart, so that those far from the screen are drawn, too."""
    page.run(_UNFOLD)
    page.run(
        f"(async () => {{ for (const figure of {_CHARTS}) {{"
        "figure.scrollIntoView({ behavior: 'instant' });"
        f"while (figure.dataset.drawn !== '{theme}') await new Promise((next) => setTimeout(next, 20)); }}"
        "scrollTo({ top: 0, behavior: 'instant' }); })()"
    )
    page.wait("document.documentElement.dataset.ready === 'yes'")


def test_the_file_stays_small(report: Path):
    assert report.stat().st_size < 1_500_000


def test_the_page_asks_for_nothing_and_logs_nothing(page: Page, report: Path):
    page.open(report)
    drawn(page)

    assert page.requests == [report.resolve().as_uri()]
    assert page.errors == []


def test_a_chart_is_drawn_when_it_comes_near_the_screen(page: Page, report: Path):
    page.open(report)
    there = f"{_CHARTS}.map((figure) => Boolean(figure.querySelector('svg')))"
    at_first = page.run(there)
    assert at_first[0]
    assert at_first.count(True) < len(at_first) / 2
    assert page.run("document.querySelectorAll('details.part[open]').length") == 1
    page.run(_UNFOLD)
    room = f"{_CHARTS}.at(-1).querySelector('.plot').clientHeight"
    assert page.run(room) > 150

    page.run(f"{_CHARTS}.at(-1).scrollIntoView({{ behavior: 'instant' }})")
    page.wait(f"{there}.at(-1)")

    assert page.errors == []


def strokes(pdf: bytes) -> list[int]:
    """How many lines of each page have a colour of the charts: the drawn marks, not the page's own data."""
    colours = {tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for colour in CATEGORY["light"]}
    streams = []
    for part in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.S):
        with suppress(zlib.error):
            streams.append(zlib.decompress(part))
    found = []
    for stream in streams:
        pens = re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) RG", stream)
        count = sum(tuple(round(255 * float(one)) for one in pen) in colours for pen in pens)
        if b" Tf" in stream or count:
            found.append(count)
    return found


def test_a_page_that_is_printed_as_soon_as_it_is_loaded_has_all_its_charts(report: Path, tmp_path: Path):
    # As a person's shell does it: no time to draw is given.
    pdf = tmp_path / "report.pdf"
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    subprocess.run([*command, f"--print-to-pdf={pdf}", report.as_uri()], check=True, capture_output=True, timeout=120)

    drawn_on = strokes(pdf.read_bytes())

    assert sum(count > 0 for count in drawn_on) >= len(drawn_on) / 3, drawn_on
    assert sum(drawn_on) >= 100, "five queues in each of a dozen charts"


def test_charts_on_paper_are_light_and_as_wide_as_it_and_the_screen_gets_its_own_back(page: Page, report: Path):
    page.size(390, 900, phone=True)
    page.scheme("dark")
    page.open(report)
    page.run(
        "window.addEventListener('beforeprint', () => {"  # After the page's own.
        f"  window.onPaper = {_CHARTS}.map((figure) => [figure.dataset.drawn,"
        "    figure.querySelector('svg').viewBox.baseVal.width, figure.querySelectorAll('svg').length]);"
        "});"
    )

    printed = base64.b64decode(page.call("Page.printToPDF")["data"])

    on_paper = page.run("window.onPaper")
    assert {drawn for drawn, _, _ in on_paper} == {"light"}
    assert all(width <= 710 for _, width, _ in on_paper)
    assert sum(width > 500 for _, width, _ in on_paper) > len(on_paper) / 2, "but for charts of one panel"
    assert max(pictures for _, _, pictures in on_paper) >= 2, "a row of panels is a picture"
    assert sum(strokes(printed)) >= 100
    drawn(page, "dark")
    assert page.run(f"Math.max(...{_CHARTS}.map((figure) => figure.querySelector('svg').clientWidth))") < 390
    assert page.run(f"{_CHARTS}.every((figure) => figure.querySelectorAll('.plot svg').length === 1)")
    assert page.errors == []


@pytest.mark.parametrize("level", [0, 1, 9])
def test_what_is_packed_is_unpacked_without_the_browsers_promises(page: Page, report: Path, level):
    page.open(report)
    texts = ["", "é" * 300, json.dumps([n * 7919 % 1003 for n in range(20_000)])]
    source = resource("inflate.js").replace('"use strict";', "")

    for text in texts:
        packed = base64.b64encode(gzip.compress(text.encode(), level, mtime=0)).decode()
        unpack = f"inflated(Uint8Array.from(atob('{packed}'), (letter) => letter.charCodeAt(0)))"
        assert page.run(f"(() => {{ {source}; return {unpack}; }})()") == text


@pytest.fixture(scope="module", params=[(390, "light"), (800, "dark"), (1400, "light")], ids="{0[0]}-{0[1]}".format)
def finished(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[tuple[Page, str]]:
    """A page with all its charts drawn, and its theme."""
    width, theme = request.param
    page = browser.page()
    page.size(width, 900, phone=width < 500)
    page.scheme(theme)
    page.open(report)
    drawn(page, theme)
    yield page, theme
    page.close()


def test_every_chart_has_marks_and_fits_the_page(finished: tuple[Page, str]):
    page, theme = finished

    marks = page.run(f"{_CHARTS}.map((figure) => {_MARKS}.length)")
    assert len(marks) >= 12
    assert all(marks)
    assert page.run(f"{_CHARTS}.every((figure) => figure.dataset.drawn === '{theme}')")
    # Nothing sticks out: neither the page to the right nor a chart out of its figure.
    assert page.run("document.documentElement.scrollWidth <= window.innerWidth")
    outside = f"{_CHARTS}.filter((f) => f.querySelector('svg').getBoundingClientRect().width > f.clientWidth + 1)"
    assert page.run(f"{outside}.map((figure) => figure.dataset.file)") == []
    assert page.errors == []


def test_axe_finds_no_serious_fault(finished: tuple[Page, str]):
    page, _ = finished
    page.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    # Its look at the data of all charts takes seconds. The rows of a table are alike, and so are the marks of a chart
    # and the labels of an axis: some of them are enough.
    few = "tbody tr:nth-child(n+4), svg :is(.role-mark, [class*=role-axis-]) > :nth-child(n+5)"
    page.run(f"document.querySelectorAll('{few}').forEach((row) => row.remove())")

    assert page.serious_faults() == []


def test_a_reader_chooses_what_a_chart_shows(page: Page, report: Path):
    page.open(report)
    drawn(page)
    figure = "document.querySelector('figure[data-file=how-long-packets-took]')"
    curve = f"[...{figure}.querySelectorAll('svg .mark-line path')].map((path) => path.getAttribute('d')).join()"
    assert page.run(f"[...{figure}.querySelectorAll('select')].map((one) => one.options.length)") == [2, 3]
    before = page.run(curve)

    page.run(
        f"{{ const list = {figure}.querySelectorAll('select')[1]; list.selectedIndex = 1;"
        " list.dispatchEvent(new Event('input')); list.dispatchEvent(new Event('change')); }"
    )

    page.wait(f"{curve} !== {before!r}")
    assert page.errors == []


def test_a_click_in_the_legend_picks_out_a_queue(page: Page, report: Path):
    page.open(report)
    drawn(page)
    figure = "document.querySelector('figure[data-file=how-long-packets-took]')"
    faint = (
        f"[...{figure}.querySelectorAll('svg .mark-line path')].filter((p) => p.getAttribute('opacity') < 0.2).length"
    )
    assert page.run(faint) == 0

    page.run(
        f"{figure}.querySelector('.role-legend-symbol path')"
        ".dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    )

    page.wait(f"{faint} === 4")


def test_shift_and_the_wheel_zoom_and_a_double_click_shows_everything_again(page: Page, report: Path):
    page.open(report)
    drawn(page)
    figure = "document.querySelector('figure[data-file=how-long-packets-took]')"
    ticks = (
        f"[...{figure}.querySelectorAll('svg .role-axis-label text')].map((text) => text.textContent).sort().join('|')"
    )
    page.run(f"{figure}.scrollIntoView({{ block: 'center', behavior: 'instant' }})")
    box = page.run(
        f"(() => {{ const box = {figure}.querySelector('svg .mark-line path').getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    place = {"x": box[0], "y": box[1]}
    everything = page.run(ticks)

    def turn(modifiers: int) -> None:
        page.call("Input.dispatchMouseEvent", type="mouseMoved", **place)
        page.call("Input.dispatchMouseEvent", type="mouseWheel", deltaX=0, deltaY=-240, modifiers=modifiers, **place)

    turn(8)  # Shift
    page.wait(f"{ticks} !== {everything!r}")
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            page.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=count, **place)

    page.wait(f"{ticks} === {everything!r}")
    assert page.errors == []


def test_a_printed_page_holds_its_tables_and_charts(page: Page, report: Path):
    page.open(report)
    page.call("Emulation.setEmulatedMedia", media="print")
    # A4 at 96 pixels to the inch, less margins of 1 cm.
    page.size(718, 1000)
    drawn(page)

    wide = "[...document.querySelectorAll('main table, main svg')].filter((e) => e.getBoundingClientRect().right > 719)"
    assert page.run(f"{wide}.map((e) => e.className.baseVal || e.className)") == []
    held = page.run(
        "[...document.querySelectorAll('.scroll')].map((box) =>"
        " [box.querySelectorAll('tbody tr').length, getComputedStyle(box).breakInside])"
    )
    assert {kind for rows, kind in held if 0 < rows <= 12} == {"avoid-page"}
    assert {kind for rows, kind in held if rows > 12} == {"auto"}, "a long table begins where there is room"


def test_paper_shows_the_evidence_of_claims_and_the_readings_that_turn_them(page: Page, report: Path):
    page.open(report)
    page.call("Emulation.setEmulatedMedia", media="print")
    page.run(
        "window.addEventListener('beforeprint', () => {"  # After the page's own.
        "  const shown = (one) => one.getClientRects().length > 0;"
        "  window.onPaper = { open: [...document.querySelectorAll('details[data-fold]')].map((fold) => fold.open),"
        "    why: [...document.querySelectorAll('details[data-fold] > p')].filter(shown).map((p) => p.textContent),"
        "    readings: [...document.querySelectorAll('.readings li')].filter(shown).map((li) => li.textContent),"
        "    scenario: document.querySelector('.scenario details').open };"
        "});"
    )

    page.call("Page.printToPDF")

    on_paper = page.run("window.onPaper")
    assert on_paper["open"]
    assert all(on_paper["open"])
    assert any("It does, by 8 %." in text for text in on_paper["why"])
    assert len(on_paper["readings"]) == 1
    assert "with old timers" in on_paper["readings"][0]
    assert not on_paper["scenario"], "its hundred lines are printed for who opens them"
    assert page.run("document.querySelectorAll('details[data-fold][open], [data-paper]').length") == 0
    assert page.errors == []


def test_the_toggle_turns_page_and_charts_dark_and_the_choice_is_kept(page: Page, report: Path):
    page.scheme("light")
    page.open(report)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.run(ground)
    ink = "getComputedStyle(document.querySelector('svg .role-axis-label text')).fill"
    light_ink = page.run(ink)

    page.run("document.getElementById('theme').click()")
    page.wait("document.querySelector('figure.chart').dataset.drawn === 'dark'")

    assert page.run(ground) != light
    assert page.run(ink) != light_ink
    assert page.run("document.getElementById('theme').getAttribute('aria-pressed')") == "true"
    page.open(report)
    assert page.run("document.documentElement.dataset.theme") == "dark"


def test_a_narrower_window_draws_the_charts_again(page: Page, report: Path):
    page.open(report)

    page.size(500, 900)
    page.wait("document.querySelector('figure.chart svg').getBoundingClientRect().width < 500")
    page.wait("document.documentElement.dataset.ready === 'yes'")

    assert page.run("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_data_are_there_as_a_table_with_headers(page: Page, report: Path):
    page.open(report)

    page.run("document.querySelectorAll('.alternative').forEach((details) => { details.open = true; })")
    page.wait(f"{_CHARTS}.every((figure) => figure.querySelector('.alternative tbody tr'))")

    assert page.run("[...document.querySelectorAll('table')].every((table) => table.querySelector('th[scope=col]'))")
    assert page.run("Math.max(...[...document.querySelectorAll('tbody')].map((body) => body.rows.length))") <= 300
    assert page.errors == []


def test_buttons_save_the_data_and_the_picture(page: Page, report: Path):
    page.open(report)
    page.run(
        "window.saved = [];"
        "HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href.slice(0, 5)]); }"
    )

    page.run("document.querySelectorAll('figure.chart .tools')[0].querySelectorAll('button').forEach((b) => b.click())")
    page.run("document.querySelector('button[data-save]').click()")
    page.wait("window.saved.length === 4")

    saved = dict(page.run("window.saved"))
    assert saved["summary.csv"] == "blob:"
    assert {name.rsplit(".", 1)[1] for name in saved} == {"csv", "svg", "png"}
    assert page.errors == []


def test_what_is_pressed_and_seen_has_a_name_for_those_who_do_not_see(page: Page, report: Path):
    page.open(report)
    drawn(page)

    assert page.run("[...document.querySelectorAll('button')].every((b) => b.textContent.trim() || b.ariaLabel)")
    assert page.run("[...document.querySelectorAll('.plot')].every((plot) => plot.getAttribute('aria-label'))")
    documents = "[...document.querySelectorAll('[role=graphics-document]')]"
    assert page.run(f"{documents}.length === {_CHARTS}.length")
    assert page.run(f"{documents}.every((chart) => chart.getAttribute('aria-label'))")
    assert page.run("document.querySelectorAll('h1').length") == 1
    assert page.run("document.documentElement.lang") == "en"


@pytest.fixture(scope="module")
def fronts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Reports with a first screen: rows, a map, a chart."""
    folder = tmp_path_factory.mktemp("fronts")
    short = sojourn.Scenario.load("home_uplink", overrides=["duration=10s", "warmup=2s"])
    sojourn.compare(short, queues=["fifo", "codel", "fq_codel", "pie"], seeds=[1, 2]).report(folder / "rows.html")
    row = HeatRow("4.4", "packet sizes", [("+2 −1", 0.5)] * 8, "loss: ", "0.1 %", ", red 2 %", 1.0)
    drawn = heat_picture(
        "A map", "Cells.", ["fifo", "red", "ared", "pie", "codel", "pi2", "cake", "sfq"], [row] * 21, row, ""
    )
    page = Report(title="A queue beside eight others", lead="An answer.", about=("A question", "6 runs"))
    page.add_front(first_screen(drawn, [Fact("Price", "None.")] * 3)).write(folder / "map.html")
    over = {"dumbbell.queue.limit": ["20p", "100p"]}
    sojourn.sweep(short, over=over, seeds=[1, 2]).report(folder / "chart.html")
    return sorted(folder.iterdir())


@pytest.mark.parametrize(("width", "theme"), [(390, "light"), (1400, "dark")])
def test_a_first_screen_fits_and_all_else_is_folded(browser: Browser, fronts: list[Path], width: int, theme: str):
    for file in fronts:
        page = browser.page()
        page.size(width, 900, phone=width < 500)
        page.scheme(theme)
        page.open(file)
        page.wait("document.documentElement.dataset.ready === 'yes'")
        assert page.run("document.documentElement.scrollWidth <= window.innerWidth"), file.name
        assert page.run("document.querySelectorAll('details.part[open]').length") == 0
        # Of a narrow page the facts may go on below.
        part = "header" if width > 500 else ".rows"
        assert page.run(f"document.querySelector('{part}').getBoundingClientRect().bottom") <= 900, file.name
        assert page.run(
            "[...document.querySelectorAll('.front figure.chart')].every((one) => one.querySelector('svg'))"
        )
        assert page.serious_faults() == []
        assert page.errors == []
        page.close()


def test_an_address_opens_its_fold(page: Page, fronts: list[Path]):
    page.open(fronts[-1])
    page.run("location.hash = '#summary'")
    page.wait("document.querySelector('#summary details').open")


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": 1},
        {"queues": ["red"], "seeds": 2},
        {"seeds": 2, "drops": False},
        {"seeds": 2, "flows": 0},
    ],
    ids=["one seed", "one queue", "no drops", "no flows"],
)
def test_a_result_with_little_in_it_makes_a_page_without_errors(page: Page, tmp_path: Path, options):
    tables = study(duration=5.0, **options)
    first = tables["queue"]["queue"][0]
    comparison_report(tables, summary(tables), differences(tables, first), title="Little").write(tmp_path / "r.html")

    page.open(tmp_path / "r.html")
    drawn(page)

    assert page.errors == []
    assert page.run(f"{_CHARTS}.every((figure) => figure.querySelector('svg'))")


@pytest.mark.parametrize(
    "over",
    [
        {"dumbbell.queue.w_q": [0.001, 0.002], "dumbbell.queue.max_p": [0.02, 0.1], "flow[0].count": [2, 4]},
        {"dumbbell.queue.w_q": [0.001, 0.002], "dumbbell.queue.max_p": [0.02, 0.04, 0.06, 0.08, 0.1]},
    ],
    ids=["lines", "heat map"],
)
def test_a_sweep_over_keys_is_drawn_under_their_names(page: Page, tmp_path: Path, over):
    short = sojourn.Scenario.load("red_classic", overrides=["duration=3s", "warmup=1s"])
    sojourn.sweep(short, over=over, seeds=[1, 2], metrics=["utilisation"]).report(tmp_path / "sweep.html")

    page.open(tmp_path / "sweep.html")
    drawn(page)

    assert page.errors == []
    marks = f"{_CHARTS}.flatMap((figure) => [...figure.querySelectorAll('.mark-symbol path, .mark-rect path')]).length"
    assert page.run(marks) >= 8
    titles = "[...document.querySelectorAll('svg .role-axis-title text')].map((one) => one.textContent)"
    assert {"dumbbell.queue.w_q", "dumbbell.queue.max_p"} & set(page.run(titles))
    assert (
        page.run("[...document.querySelectorAll('th')].map((one) => one.textContent)").count("dumbbell.queue.w_q") == 1
    )
