"""Lessons: each sentence holds with other seeds too, answers agree with runs, and goals can be reached."""

from __future__ import annotations

import math
import re

import pytest

import sojourn

from .opening import LESSONS, Browser, Page, opened, over

# How many steps each lesson has, and the guesses that are right.
RIGHT = {
    "buffers": [2, 2, 1, 0],
    "red": [2, 2, 0, 1],
    "codel": [1, 0, 2, 1],
    "flows": [2, 1, 0],
    "ecn": [2, 1, 1, 0],
}
# Settings that reach the goal of a lesson's last step.
REACHED = {
    "buffers": "lab.state.queues[0].set.limit = '30p'",
    "red": "lab.state.queues[1].set.w_q = '0.002'",
    "codel": "lab.state.queues[1].set.target = '50ms'",
    "flows": "lab.state.queues[0] = { kind: 'drr', set: { limit: '30p' } }",
    "ecn": "lab.state.flows[0].how = 'tcp/reno'",
}


def step(page: Page, lesson: str, number: int) -> None:
    """Runs a step of a lesson without a guess."""
    page.run(f"document.documentElement.dataset.run = ''; location.hash = 'lesson={lesson}.{number}'")
    page.wait("['waiting', 'going', 'over'].includes(document.documentElement.dataset.run)")
    page.run("document.getElementById('no-guess')?.click()")
    over(page)


@pytest.mark.parametrize("lesson", RIGHT)
def test_each_sentence_holds_with_three_seeds_and_each_answer_is_what_the_run_says(lessons: Page, lesson):
    for number, right in enumerate(RIGHT[lesson], start=1):
        step(lessons, lesson, number)
        for seed in (1, 2, 3):
            lessons.run(f"lab.state.seed = {seed}; lab.run()")
            over(lessons)
            seen = "lab.lesson.lesson.steps[lab.lesson.number]"
            found = lessons.run(f"{seen}.see(lab.summaries)")
            assert [one["text"] for one in found if not one["holds"]] == [], (number, seed)
            assert lessons.run(f"{seen}.guess.answer(lab.summaries)") == right, (number, seed)
    assert lessons.errors == []


@pytest.mark.parametrize("lesson", REACHED)
def test_the_goal_of_a_lesson_can_be_reached_and_is_not_reached_at_its_beginning(lessons: Page, lesson):
    step(lessons, lesson, len(RIGHT[lesson]))
    assert lessons.run("document.querySelector('.task').dataset.reached") == "false"

    lessons.run(f"{REACHED[lesson]}; lab.settings.show(lab.state); lab.changed(); lab.run()")
    over(lessons)

    assert lessons.run("document.querySelector('.task').dataset.reached") == "true"
    assert "Reached." in lessons.run("document.querySelector('.task').textContent")
    assert lessons.errors == []


def test_a_guess_is_held_against_the_run(browser: Browser):
    page = browser.page()
    page.call("Page.navigate", url=opened(browser).run("location.href.split('#')[0]") + "#lesson=buffers.1")
    page.wait("document.documentElement?.dataset.run === 'waiting'")
    assert page.run("lab.summaries") is None
    assert page.serious_faults() == []
    page.run("document.getElementById('speed').value = '0'; document.querySelectorAll('.guess .option')[0].click()")
    over(page)

    said = page.run("document.querySelector('.verdict').textContent")
    assert "You guessed: As much as with 33. The run says: Less than half." in said
    assert page.run("document.querySelector('.verdict').dataset.right") == "false"


def test_numbers_of_the_texts_are_those_of_their_sources():
    text = re.sub(r"\s+", " ", LESSONS.read_text(encoding="utf-8"))

    # Packets of 1500 bytes that 10 Mbit/s carry in 40 ms.
    assert "link carries 33 packets" in text
    assert math.floor(10e6 * 0.040 / (8 * 1500)) == 33
    # The interval over the square root of the count (RFC 8289, section 5.6).
    after = [round(100 / math.sqrt(count)) for count in (1, 2, 3, 4)]
    assert f"after {after[0]} ms, then {after[1]}, {after[2]}, {after[3]}" in text
    # The loss where 12 Mbit/s enter 10.
    assert "A sixth of it must be dropped" in text
    assert round(12 / (12 - 10)) == 6
    # A call of 80 kbit/s in packets of 200 bytes.
    assert "a small packet every 20 ms" in text
    assert round(200 * 8 / 80e3 * 1000) == 20


@pytest.mark.parametrize(("law", "left"), [("cubic", 0.7), ("reno", 0.5)])
def test_a_window_falls_as_the_law_s_rfc_says(law, left):
    # RFC 9438, section 4.6 (beta_cubic = 0.7), and RFC 5681, section 3.1: the statements of the lessons about both.
    scenario = sojourn.Scenario.from_toml(
        'duration = "30s"\nwarmup = "5s"\n[dumbbell]\nrate = "10Mbit"\ndelay = "19ms"\n'
        'access = { rate = "1Gbit", delay = "0.5ms" }\nqueue = { kind = "fifo", limit = "33p" }\n'
        f'[[flow]]\ntransport = {{ kind = "tcp", profile = "linux", control = "{law}", packet = "1500B" }}\n'
        'app = "bulk"\n[record]\ncwnd = "10ms"\n'
    )
    rows = sojourn.run(scenario, seed=1).table("window")
    windows = rows.filter(rows["time_s"] > 5)["cwnd_packets"].to_list()
    cuts = [after / before for before, after in zip(windows, windows[5:], strict=False) if after < 0.9 * before]

    assert min(cuts) == pytest.approx(left, abs=0.05)
