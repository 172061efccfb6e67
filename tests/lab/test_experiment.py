"""The command that the laboratory shows is its experiment: it gives the same queues, and the same numbers."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sojourn._rooms.cli import app

from .opening import LESSONS, Page, over

LESSON_STEPS = [
    f"{lesson}.{number}"
    for lesson, steps in re.findall(
        r'^    id: "(\w+)"(.*?)(?=^    id: |\Z)', LESSONS.read_text(encoding="utf-8"), re.M | re.S
    )
    for number in range(1, steps.count("        title:") + 1)
]
# Queues side by side, as on the page; one of them would take over something of the first.
OTHERS = [
    # Limits that are a buffer, and one that guards memory.
    [("fifo", {}), ("red", {}), ("codel", {}), ("fq_codel", {})],
    [("fq_codel", {}), ("fifo", {}), ("flow_queue", {}), ("dualpi2", {})],
    [("fq_codel", {"limit": "50p"}), ("fq_codel", {}), ("codel", {})],
    # Marking, thresholds of a family, presets.
    [("red", {"min_th": "20p", "ecn": "true"}), ("ared", {}), ("codel", {}), ("red", {"preset": "ns2"})],
    [("codel", {}), ("fq_codel", {}), ("pie", {"preset": "rfc8033"})],
    # The same twice, and one alone.
    [("codel", {}), ("codel", {})],
    [("pi", {})],
]


def at_a_desk(lab: Page, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The results of the command, with one seed: the mean wait of each queue, in its order."""
    lab.run("document.getElementById('open').click()")
    (folder / "lab.toml").write_text(lab.run("document.getElementById('toml').value"), encoding="utf-8")
    words = shlex.split(lab.run("document.getElementById('command').textContent"))
    lab.run("document.getElementById('done').click()")
    monkeypatch.chdir(folder)
    assert words[0] == "sojourn"
    seeds = ["--seeds", "1"] if words[1] == "compare" else ["--seed", "1"]
    plain = [word for place, word in enumerate(words[1:]) if not {word, words[place]} & {"--report", "--seeds"}]
    done = CliRunner().invoke(app, [*plain, *seeds, "--workers", "1", "--json"])
    assert done.exit_code == 0, done.output
    shown = json.loads(done.stdout)
    if words[1] == "run":
        rows = [row for row in shown["queue"] if row["link"] == "forward"]
        return {row["link"]: row["sojourn_mean_ms"] for row in rows}
    rows = [row for row in shown["summary"]["queue"] if row["row"] == "forward" and row["metric"] == "sojourn_mean_ms"]
    return {row["queue"]: row["mean"] for row in rows}


def compared(lab: Page, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = lab.run("lab.summaries.map((one) => one.wait)")
    there = list(at_a_desk(lab, folder, monkeypatch).values())
    # Equal queues are in a command once.
    assert there == list(dict.fromkeys(here)) if len(there) < len(here) else there == here
    assert lab.errors == []


@pytest.mark.parametrize("step", LESSON_STEPS)
def test_the_command_of_a_lesson_gives_its_numbers(lessons: Page, step, tmp_path, monkeypatch):
    lessons.run(f"document.documentElement.dataset.run = ''; location.hash = 'lesson={step}'")
    lessons.wait("document.documentElement.dataset.run === 'waiting'")
    lessons.run("document.getElementById('no-guess').click()")
    over(lessons)

    compared(lessons, tmp_path, monkeypatch)


@pytest.mark.parametrize("queues", OTHERS)
def test_the_command_gives_each_queue_what_its_column_has(lab: Page, queues, tmp_path, monkeypatch):
    made = [{"kind": kind, "set": settings} for kind, settings in queues]
    lab.run(
        f"lab.state.queues = {json.dumps(made)}; lab.state.seconds = 10; lab.state.flows[0].ecn = true;"
        "lab.settings.show(lab.state); lab.changed(); lab.run()"
    )
    over(lab)

    compared(lab, tmp_path, monkeypatch)


def test_a_shell_takes_a_command_as_it_is(lab: Page):
    wanted = "1p; touch '$HOME'/x"
    lab.run(f"lab.state.queues[0].set = {{ limit: {json.dumps(wanted)} }}; document.getElementById('open').click()")

    words = shlex.split(lab.run("document.getElementById('command').textContent"))

    assert words[words.index("--queue") + 1].startswith(f"fifo:limit={wanted},codel")
