"""Walks a newcomer's path with a clock: ``python tests/install/newcomer.py --write evidence/newcomer/README.md``.

From an empty folder and an empty environment: README, install, the first report, an own scenario, an own queue, a
lesson. The machine's time is measured. Reading is estimated at 200 words a minute, and a command or a piece of code
that is copied at ten seconds. Needs the wheel (`make wheel`), and Chromium for the lesson.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from installed import ROOT, Installed, wheel

from helpers.browser import Browser, Page

HERE = Path(__file__).resolve().parent
WORDS_PER_MINUTE = 200
COPYING_S = 10
# The issue's own limits, in seconds of the whole clock.
FIRST_REPORT, OWN_QUEUE = 5 * 60, 15 * 60
CLOCK = HERE / "newcomer.toml"
BEGIN, END = "<!-- begin newcomer -->", "<!-- end newcomer -->"


@dataclass
class Clock:
    """The time of each step."""

    rows: list[tuple[str, float, float, float]] = field(default_factory=list)
    total: float = 0.0

    def step(self, what: str, work: Callable[[], object], *, words: int = 0, copied: int = 0) -> float:
        """Does one step; the clock after it."""
        started = time.perf_counter()
        work()
        machine = time.perf_counter() - started
        person = 60 * words / WORDS_PER_MINUTE + COPYING_S * copied
        self.total += machine + person
        self.rows.append((what, person, machine, self.total))
        print(
            f"{clock(self.total)}  {what}: {machine:.1f} s, and about {person:.0f} s of reading and copying", flush=True
        )
        return self.total


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def words(page: str, *, until: str) -> int:
    """Words that somebody reads on a page of the repository before a heading; code is copied, not read."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert until in text, (page, until)
    return words_of(text[: text.index(until)])


def words_of(text: str) -> int:
    """Words that somebody reads in a text with the marks of Markdown; code is copied, not read."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    return len(re.sub(r"[#*`|]|\]\([^)]*\)", " ", text).split())


def own_queue() -> str:
    """The first queue of the tutorial, as it is there."""
    page = (ROOT / "docs" / "own-queue.md").read_text(encoding="utf-8")
    return next(code for code in re.findall(r"```python\n(.*?)```", page, re.S) if "class Lottery" in code)


def lesson(browser: Browser, page: Path, name: str, steps: int | None = None) -> list[str]:
    """Clicks through a lesson of the laboratory, or its first steps. Returns the result of the last of them."""
    tab: Page = browser.page()
    tab.call("Page.navigate", url=f"{page.as_uri()}#lesson={name}.1")
    findings = "[...document.querySelectorAll('.findings li')]"
    for step in range(1, 10):
        tab.wait("document.documentElement?.dataset.run === 'waiting'", 120)
        tab.run("document.querySelector('.guess .option').click()")
        tab.wait("document.documentElement?.dataset.run === 'over'", 120)
        assert tab.run(f"{findings}.every((one) => one.dataset.holds === 'true')")
        if step == steps or not tab.run("!!document.getElementById('next')"):
            return [str(text) for text in tab.run(f"{findings}.map((one) => one.textContent.trim())")]
        tab.run("document.getElementById('next').click()")
    raise AssertionError("the lesson has no end")


def lesson_words(name: str, steps: int | None = None) -> int:
    """Words of a lesson, or of its first steps: its subject, its texts and its questions."""
    text = (ROOT / "site" / "lab" / "lessons.js").read_text(encoding="utf-8")
    whole = text[text.index(f'id: "{name}"') :].split("    id: ")[0]
    # Before the first step is the lesson's own title.
    kept = whole.split("title: ")[: None if steps is None else steps + 2]
    spoken = re.findall(r"(?:text|about|ask): ([`\"])(.*?)\1,", "title: ".join(kept), re.S)
    return sum(len(part.split()) for _, part in spoken)


def walk(folder: Path) -> Clock:
    """The whole path; fails where a step fails or a limit is passed."""
    found = wheel()
    assert found is not None, "there is no wheel: make wheel"
    path = Clock()
    path.step(
        "read the README as far as its commands", lambda: None, words=words("README.md", until="After its tables")
    )
    made: list[Installed] = []
    path.step("make an empty environment", lambda: made.append(Installed(folder)), copied=1)
    here = made[0]
    path.step("install the wheel with reports", lambda: here.install(f"{found}[report]"), copied=1)
    compare = next(
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if "home.html" in line
    )
    report = path.step("run the README's comparison: the first report", lambda: here.run(compare), copied=1)
    assert (here.work / "home.html").stat().st_size > 100_000
    assert report <= FIRST_REPORT, clock(report)

    tutorial = words("site/pages/tutorial.md", until="## 4.")
    path.step("write a scenario of one's own", lambda: here.run("sojourn init mine.toml"), words=tutorial, copied=1)
    path.step("run it", lambda: here.run("sojourn run mine.toml"), copied=1)
    own = "sojourn compare mine.toml --queue fifo,codel,fq_codel --seeds 5 --report compare.html"
    path.step("compare three queues in it, with a report", lambda: here.run(own), copied=1)

    reading = words("docs/own-queue.md", until="## Parameters")
    save = here.work / "mine.py"
    path.step(
        "write a queue in Python", lambda: save.write_text(own_queue(), encoding="utf-8"), words=reading, copied=1
    )
    path.step("check it with the suite", lambda: here.run("sojourn check mine.py"), copied=1)
    mine = "sojourn compare mine.toml --plugin mine.py --queue fifo,codel,lottery --seeds 5 --report lottery.html"
    queue = path.step("compare it with FIFO and CoDel, with a report", lambda: here.run(mine), copied=1)
    assert "lottery" in (here.work / "lottery.html").read_text(encoding="utf-8")
    assert queue <= OWN_QUEUE, clock(queue)

    page = here.run("python -c 'from sojourn._rooms.cli.lab import PAGE; print(PAGE)'").stdout.strip()
    with Browser() as browser:
        path.step(
            "the first lesson in the browser",
            lambda: lesson(browser, Path(page), "buffers"),
            words=lesson_words("buffers"),
            copied=1,
        )
    return path


def table(path: Clock) -> str:
    """The steps as Markdown."""
    lines = ["| step | the machine | reading and copying, estimated | the clock |", "|---|---:|---:|---:|"]
    lines += [
        f"| {what} | {machine:.1f} s | {person:.0f} s | {clock(total)} |" for what, person, machine, total in path.rows
    ]
    date = time.strftime("%Y-%m-%d", time.gmtime())
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    beside = f"{os.cpu_count()} cores, with a load average of {load:.1f} per core"
    return f"Walked on {date} on {beside}, Python {sys.version.split()[0]}.\n\n" + "\n".join(lines)


def keep(path: Clock) -> None:
    """Write newcomer.toml."""
    lines = [
        "# Seconds by the clock after each step of a newcomer's path. Written with the table of evidence/newcomer by",
        "#     python tests/install/newcomer.py --write evidence/newcomer/README.md",
        *(f"{json.dumps(what)} = {total:.0f}" for what, _, _, total in path.rows),
    ]
    CLOCK.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description="Walk a newcomer's path with a clock.")
    options.add_argument("--write", type=Path, help="a page, between whose marks the table goes")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = walk(Path(folder))
    print(table(path))
    if chosen.write:
        text = chosen.write.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        _, tail = rest.split(END)
        chosen.write.write_text(f"{head}{BEGIN}\n\n{table(path)}\n\n{END}{tail}", encoding="utf-8")
        keep(path)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}")
