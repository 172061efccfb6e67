"""The page of the laboratory: lessons, settings, address, keyboard, phone."""

from __future__ import annotations

import json
import re
import time

import pytest

import sojourn

from .opening import LAB, LESSONS, Browser, Page, hurry, opened, over

NAMES = re.findall(r'^    id: "(\w+)"', LESSONS.read_text(encoding="utf-8"), re.M)


# Whether a canvas has a drawing on it.
DRAWN = """(canvas) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return canvas.width > 50 && new Uint32Array(pixels.buffer).some((pixel) => pixel);
}"""
# Controls and pictures without a name for people who do not see.
UNNAMED = """[...document.querySelectorAll("button, input, select, canvas")]
  .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)"""
FINDINGS = "[...document.querySelectorAll('.findings li')].map((item) => [item.dataset.holds, item.textContent])"


def test_the_page_asks_for_nothing_and_logs_nothing(lab: Page):
    away = [url for url in lab.requests if not url.startswith(("file:", "data:", "blob:"))]

    assert away == []
    assert [url for url in lab.requests if url.startswith("file:")] == [LAB.as_uri()]
    assert lab.errors == []
    assert LAB.stat().st_size < 2_000_000


def test_there_are_five_lessons():
    assert NAMES == ["buffers", "red", "codel", "flows", "ecn"]


@pytest.mark.parametrize("lesson", NAMES)
def test_every_lesson_can_be_clicked_through_and_keeps_its_promises(lab: Page, lesson):
    lab.run(f"document.getElementById('lesson-{lesson}').click()")
    steps = 0
    while steps < 9:
        # First comes the guess; nothing runs before it.
        assert lab.run("document.documentElement.dataset.run") == "waiting"
        assert lab.run("document.querySelectorAll('.findings li').length") == 0
        lab.run("document.querySelector('.guess .option').click()")
        over(lab)
        assert lab.run("document.querySelector('.verdict').textContent").partition("You guessed")[1]
        assert lab.errors == []
        findings = lab.run(FINDINGS)
        assert findings, lab.run("document.getElementById('lesson').textContent")
        assert [text for holds, text in findings if holds != "true"] == []
        assert lab.run("document.querySelectorAll('canvas').length") >= 10
        steps += 1
        if not lab.run("!!document.getElementById('next')"):
            break
        lab.run("document.getElementById('next').click()")
    # A step that was seen asks no more.
    lab.run("document.getElementById('back').click()")
    over(lab)
    lab.run("document.getElementById('leave').click()")

    assert steps >= 3
    assert lab.run("document.getElementById('lesson').hidden")
    assert lab.errors == []


@pytest.mark.parametrize(("width", "theme"), [(1400, "dark"), (390, "light"), (320, "dark")])
def test_nothing_sticks_out(browser: Browser, width, theme):
    page = opened(browser, "lesson=flows.1", width=width, theme=theme)

    assert page.run("document.documentElement.scrollWidth") <= width
    # The lesson is told from the others, and in sight.
    assert page.run("document.querySelector('[aria-current=true]').id") == "lesson-flows"
    seen = "document.querySelector('[aria-current=true]').getBoundingClientRect()"
    assert 0 <= page.run(f"{seen}.left") <= page.run(f"{seen}.right") <= width
    assert page.run(f"[...document.querySelectorAll('canvas')].every({DRAWN})")
    assert page.run("document.documentElement.dataset.theme") == theme
    assert page.errors == []


def in_sight(page: Page, selector: str) -> bool:
    """Whether something is within the window, and nothing covers it."""
    return page.run(
        f"(() => {{ const e = document.querySelector({json.dumps(selector)}), b = e.getBoundingClientRect();"
        "const x = (b.left + b.right) / 2, y = (Math.max(b.top, 0) + Math.min(b.bottom, innerHeight)) / 2;"
        "return b.width > 0 && b.top < innerHeight && b.bottom > 0 && e.contains(document.elementFromPoint(x, y)); })()"
    )


def test_on_a_phone_sliders_and_charts_are_seen_together(browser: Browser):
    page = opened(browser, "lesson=red.2", width=390)
    assert not in_sight(page, "#link input")

    page.run("document.getElementById('adjust').click()")

    assert in_sight(page, "#link input")
    assert in_sight(page, "canvas")
    assert in_sight(page, "#adjust")
    assert page.serious_faults() == []
    page.run("document.getElementById('adjust').click()")
    assert not in_sight(page, "#link input")


@pytest.mark.parametrize("width", [1400, 390])
def test_the_dialog_opens_in_sight(browser: Browser, width):
    page = opened(browser, width=width)
    page.run("scrollTo(0, 400)")

    page.run("document.getElementById('open').click()")

    box = page.run("JSON.stringify(document.getElementById('dialog').getBoundingClientRect())")
    assert page.run("document.getElementById('toml').scrollTop") == 0
    place = json.loads(box)
    assert 0 <= place["top"] < place["bottom"] <= 900
    assert 0 <= place["left"] < place["right"] <= width


def test_names_in_a_text_are_set_as_code(lab: Page):
    text = "document.querySelector('#queues .note')"

    assert "`" not in lab.run(f"{text}.textContent")
    assert lab.run(f"[...{text}.querySelectorAll('code')].map((code) => code.textContent)") == ["overflow"]


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (1400, "dark"), (390, "light")])
def test_axe_finds_no_serious_fault(browser: Browser, width, theme):
    page = opened(browser, "lesson=red.1", width=width, theme=theme)
    assert page.serious_faults() == []

    page.run("document.getElementById('open').click()")
    page.wait("document.getElementById('dialog').open")
    assert page.serious_faults() == []


def test_a_slider_changes_the_run_and_the_address(lab: Page):
    before = lab.run("JSON.stringify(lab.summaries[0].groups.downloads.throughput)")

    lab.run(
        "const s = document.querySelector('#link input'); s.value = Math.log(2); s.dispatchEvent(new Event('input'))"
    )
    lab.wait("location.hash.includes('rate=2&')")
    lab.wait("document.documentElement.dataset.run === 'going' || lab.summaries?.[0].groups.downloads.throughput < 3")
    over(lab)

    assert float(before) > 9
    assert lab.run("lab.summaries[0].groups.downloads.throughput") < 2.1


def test_a_link_brings_back_what_was_set(browser: Browser, lab: Page):
    lab.run(
        "lab.state.queues.push({kind: 'red', set: {min_th: '7p', ecn: 'true'}}); lab.state.flows[0].ecn = true;"
        "lab.state.seed = 4;"
        "lab.settings.show(lab.state); lab.changed()"
    )
    lab.wait("location.hash.includes('seed=4')")
    over(lab)
    address = lab.run("location.hash.slice(1)")

    other = opened(browser, address)

    assert other.run("JSON.stringify(lab.state)") == lab.run("JSON.stringify(lab.state)")
    assert other.run("JSON.stringify(lab.summaries)") == lab.run("JSON.stringify(lab.summaries)")


@pytest.mark.parametrize(
    "address",
    [
        "queue=nonsense",
        "rate=fast&rtt=-3&seed=0",
        "flow=a,b,c&queue=red,min_th=100000p,what=3",
        "%%%&lesson=none.9",
        "lesson=red.99",
    ],
)
def test_an_address_that_says_nonsense_does_no_harm_and_is_told(browser: Browser, address):
    page = browser.page()
    page.call("Page.navigate", url=f"{LAB.as_uri()}#{address}")
    page.wait("['going', 'over', 'refused', 'waiting'].includes(document.documentElement?.dataset.run)")
    # At its own speed a run takes five seconds.
    page.run(
        "if (document.documentElement.dataset.run === 'going') {"
        "document.getElementById('speed').value = '0'; document.getElementById('again').click(); }"
    )
    page.wait("['over', 'refused', 'waiting'].includes(document.documentElement.dataset.run)", 90)

    assert page.errors == []
    assert not page.run("document.getElementById('told').hidden")
    if page.run("document.documentElement.dataset.run") == "refused":
        assert "allowed" in page.run("document.getElementById('problem').textContent")


def test_open_in_sojourn_gives_the_scenario_that_ran(lab: Page):
    lab.run("document.getElementById('open').click()")
    text = lab.run("document.getElementById('toml').value")
    command = lab.run("document.getElementById('command').textContent")
    shown = lab.run("JSON.stringify(lab.summaries[0])")

    result = sojourn.run(sojourn.Scenario.from_toml(text), seed=1)

    ours = result.queue.filter(link="forward").row(0, named=True)
    assert json.loads(shown)["wait"] == ours["sojourn_mean_ms"]
    assert command.startswith("sojourn compare lab.toml --queue fifo:limit=100p,codel:limit=100p")
    assert lab.run("document.getElementById('dialog').open")


def test_a_text_of_ones_own_runs_or_is_refused_with_the_core_s_message(lab: Page):
    lab.run("document.getElementById('open').click()")
    # A graph of two links, which no slider makes.
    mine = sojourn.Scenario.load("parking_lot", overrides=["duration=12s", "warmup=2s"]).to_toml()
    assert put(lab, mine) == ["first", "first/reverse", "second", "second/reverse", "third", "third/reverse"]
    shown = lab.run("document.querySelector('#tried tbody td:nth-child(3)').textContent")
    ours = sojourn.run(sojourn.Scenario.from_toml(mine), seed=1).queue.row(0, named=True)
    assert float(shown) == pytest.approx(ours["sojourn_mean_ms"], abs=0.005)

    assert put(lab, mine.replace("10Mbit", "10mbps")) == []
    with pytest.raises(sojourn.ScenarioError) as raised:
        sojourn.Scenario.from_toml(mine.replace("10Mbit", "10mbps"))
    said = lab.run("document.querySelector('#tried pre').textContent")
    assert said.partition(": ")[2] == str(raised.value).partition(": ")[2]
    assert "bits" in said

    lab.run("document.getElementById('done').click(); document.getElementById('again').click()")
    over(lab)
    assert lab.errors == []


def put(lab: Page, text: str) -> list[str]:
    """Runs a text in the dialog; the names of the links that it shows."""
    lab.run(f"document.getElementById('toml').value = {json.dumps(text)}; document.getElementById('try').click()")
    lab.wait("!document.getElementById('tried').textContent.startsWith('Running')")
    return lab.run(
        "[...(document.querySelector('#tried table')?.tBodies[0].rows ?? [])].map((row) => row.cells[0].textContent)"
    )


def test_a_wrong_parameter_is_told_as_on_the_command_line(lab: Page):
    lab.run("lab.state.queues[1].set = {target: '5 parsec'}; lab.changed()")
    lab.wait("document.documentElement.dataset.run === 'refused'")

    message = lab.run("document.getElementById('problem').textContent")
    assert "dumbbell.queue.target" in message
    assert "parsec" in message
    lab.run("lab.state.queues[1].set = {}; lab.changed()")
    lab.wait("document.documentElement.dataset.run === 'over'")


def test_the_page_answers_while_it_simulates(lab: Page):
    # A hundred senders on 100 Mbit/s for two minutes: seconds of work, in which a click is heard at once.
    lab.run("lab.state.rate = 100; lab.state.seconds = 120; lab.state.flows[0].count = 100; lab.changed()")
    lab.wait("document.documentElement.dataset.run === 'going'")
    lab.run(
        "window.gaps = []; window.last = performance.now(); window.beat = setInterval(() => {"
        "const now = performance.now(); gaps.push(now - last); last = now; }, 10)"
    )
    shown = "document.getElementById('time').textContent"
    lab.wait(f"{shown}.endsWith('of 120 s') && parseFloat({shown}) > 3 && gaps.length > 20")
    lab.run("document.getElementById('go').click()")
    stopped = lab.run("document.getElementById('time').textContent")

    longest = lab.run("clearInterval(beat) ?? Math.max(...gaps)")
    assert longest < 500, longest
    assert lab.run("document.getElementById('go').textContent") == "Go on"
    assert float(stopped.split()[0]) < 120
    lab.run("document.getElementById('go').click(); lab.state.seconds = 5; lab.changed()")
    lab.wait("document.documentElement.dataset.run === 'over'")


def test_everything_can_be_reached_and_moved_by_keyboard(lab: Page):
    names = []
    for _ in range(60):
        key(lab, "Tab")
        names.append(lab.run("document.activeElement.id || document.activeElement.tagName"))
    assert {"share", "open", "theme", "lesson-buffers", "go", "speed", "CANVAS"} <= set(names)
    lab.run("document.querySelector('#link input').focus()")
    before = lab.run("lab.state.rate")
    for _ in range(4):
        key(lab, "ArrowRight")

    assert lab.run("lab.state.rate") > before
    lab.run("document.getElementById('lesson-red').focus()")
    key(lab, "Enter")
    assert lab.run("document.activeElement.id") == "lesson"
    key(lab, "Tab")
    key(lab, "Enter")
    over(lab)
    # The lesson ran once: a setting just before it does not start it again.
    time.sleep(0.3)
    assert lab.run("document.documentElement.dataset.run") == "over"
    assert lab.run(UNNAMED) == []


def test_every_queue_can_be_chosen(lab: Page):
    # Choosing is all: that each runs, and as natively, is tested beside the native core.
    kinds = lab.run("lab.registry.queues.map((entry) => entry.name)")
    options = lab.run("[...document.querySelector('#queues select').options].map((option) => option.value)")

    assert sorted(kinds) == sorted(options)
    hurry(lab)


def key(page: Page, name: str) -> None:
    """Presses a key."""
    code = {"Tab": 9, "Enter": 13, "ArrowRight": 39}[name]
    text = {"text": "\r"} if name == "Enter" else {}
    page.call("Input.dispatchKeyEvent", type="keyDown", key=name, code=name, windowsVirtualKeyCode=code, **text)
    page.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=name, windowsVirtualKeyCode=code)
