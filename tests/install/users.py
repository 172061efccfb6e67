"""Walks from the README to an answer: ``python tests/install/users.py --write evidence/newcomer/README.md``.

The steps are in users.toml. Commands run in an empty folder, with the `sojourn` of this clone. Their time by the clock
and their CPU time are measured, and the words on the way, and of the answer, are counted: 200 are read in a minute, and
to copy a command takes ten seconds. The time of `make` in a fresh clone was measured by tests/install/cold.py; a reader
reads on meanwhile. Fails if an answer takes more than five minutes. Needs Chromium for the lesson.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from newcomer import COPYING_S, ROOT, WORDS_PER_MINUTE, clock, lesson, lesson_words, words_of

from helpers.browser import Browser

HERE = Path(__file__).resolve().parent
USERS = tomllib.loads((HERE / "users.toml").read_text(encoding="utf-8"))["user"]
WALKED = HERE / "walked.toml"
PAGE = ROOT / "evidence" / "newcomer" / "README.md"
LAB = ROOT / "python" / "sojourn" / "_lab" / "index.html"
BEGIN, END = "<!-- begin users -->", "<!-- end users -->"
FIVE_MINUTES = 300


@dataclass
class Walk:
    """One user's way: seconds since the README was opened, once by the clock and once with CPU time in its place."""

    clock_s: float = 0.0
    free_s: float = 0.0
    made_s: float = 0.0
    """When the results of `make` are there."""
    cpu_s: float = 0.0
    words: int = 0
    path: list[str] = field(default_factory=list)
    answer: str = ""

    def person(self, seconds: float) -> None:
        """The user reads or copies."""
        self.clock_s += seconds
        self.free_s += seconds

    def read(self, words: int) -> None:
        """So many words."""
        self.words += words
        self.person(60 * words / WORDS_PER_MINUTE)

    def waits(self) -> None:
        """Until the results of `make` are there."""
        self.clock_s, self.free_s = max(self.clock_s, self.made_s), max(self.free_s, self.made_s)

    def machine(self, wall: float, cpu: float) -> None:
        """A command has run."""
        self.clock_s, self.free_s, self.cpu_s = self.clock_s + wall, self.free_s + cpu, self.cpu_s + cpu


def text_of(page: str) -> str:
    """A page of the repository."""
    return (ROOT / page).read_text(encoding="utf-8")


def part(step: dict[str, Any]) -> str:
    """The part of a page that is read in this step."""
    text = text_of(step["read"])
    if "row" in step:
        # To find a row, one reads the first cell of each, and then this row.
        rows = [line for line in text[text.rindex("\n\n|") :].splitlines() if line.startswith("| ")]
        found = next(line for line in rows if line.startswith(f"| {step['row']} |"))
        return "\n".join([*(line.split("|")[1] for line in rows), found])
    begin = text.index(step.get("from", ""))
    return text[begin : text.index(step["until"], begin)]


def copied(step: dict[str, Any]) -> str:
    """The piece of Python that this step copies from its page."""
    pieces = re.findall(r"```python\n(.*?)```", text_of(step["copy"]), re.S)
    return next(piece for piece in pieces if step["holding"] in piece)


def made(step: dict[str, Any]) -> float:
    """Seconds that `make` takes in a fresh clone, from the table of cold.py."""
    table = PAGE.read_text(encoding="utf-8").partition("<!-- begin cold -->")[2]
    return sum(
        float(re.search(rf"^\| `{re.escape(target)}`.*?\| (\d+) s \|", table, re.M)[1]) for target in step["timed"]
    )


def run(step: dict[str, Any], folder: Path) -> tuple[str, float, float]:
    """The output of a command, its seconds, and its CPU time."""
    found = f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        shlex.split(step["run"]),
        cwd=folder,
        env={**os.environ, "PATH": found},
        capture_output=True,
        text=True,
        check=True,
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def take(step: dict[str, Any], walk: Walk, folder: Path) -> None:
    """One step."""
    if "read" in step:
        walk.read(words_of(part(step)))
        where = f"row *{step['row']}*" if "row" in step else step.get("from", "").lstrip("# ") or "the beginning"
        walk.path.append(f"{step['read']}, {where}")
    elif "make" in step:
        walk.person(COPYING_S)
        walk.made_s = walk.clock_s + made(step)
        walk.path.append(f"`make {step['make']}`")
    elif "save" in step:
        walk.person(COPYING_S)
        (folder / step["save"]).write_text(copied(step), encoding="utf-8")
        walk.path.append(f"save its program as {step['save']}")
    elif "run" in step:
        walk.person(COPYING_S)
        walk.waits()
        said, wall, cpu = run(step, folder)
        walk.machine(wall, cpu)
        found = re.search(step["answer"], said)
        assert found, f"{step['run']} gives no answer:\n{said}"
        # Without the lines between the cells of a table.
        walk.answer = " ".join(re.sub("[│┆]", " ", found[0]).split())
        walk.read(words_of(walk.answer))
        walk.path.append(f"`{step['run']}`")
    else:
        walk.person(COPYING_S)
        walk.waits()
        with Browser() as browser:
            started = time.perf_counter()
            walk.answer = " ".join(lesson(browser, LAB, step["lesson"], step["steps"]))
            wall = time.perf_counter() - started
        # The CPU time of the browser's processes is not known here.
        walk.machine(wall, wall)
        walk.read(lesson_words(step["lesson"], step["steps"]) + words_of(walk.answer))
        walk.path.append(f"the page's lesson *{step['lesson']}*, {step['steps']} steps")


def walk_of(user: dict[str, Any]) -> Walk:
    """The whole way of a user."""
    walk = Walk()
    with tempfile.TemporaryDirectory() as folder:
        for step in user["step"]:
            take(step, walk, Path(folder))
    print(f"{clock(walk.clock_s)}  {user['who']}: {walk.answer}", flush=True)
    return walk


def table(walks: list[Walk], load: float) -> str:
    """The walks as Markdown."""
    date, cores = time.strftime("%Y-%m-%d", time.gmtime()), os.cpu_count()
    lines = [
        f"Walked on {date} on {cores} cores, with a load average of {load / (cores or 1):.1f} per core, Python"
        f" {sys.version.split()[0]}.",
        "",
        "| user | question | words | the machine | its CPU time | the clock | on a free core |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for user, walk in zip(USERS, walks, strict=True):
        wall = walk.cpu_s + walk.clock_s - walk.free_s
        lines.append(
            f"| {user['who']} | {user['asks']} | {walk.words} | {wall:.1f} s | {walk.cpu_s:.1f} s"
            f" | {clock(walk.clock_s)} | {clock(walk.free_s)} |"
        )
    for user, walk in zip(USERS, walks, strict=True):
        who, stumbled = user["who"], " ".join(user["stumbled"].split())
        lines += ["", f"**{who[0].upper()}{who[1:]}.**", f"*Way:* {'; '.join(walk.path)}."]
        lines += [f"*Answer:* {walk.answer.rstrip('.')}.", f"*Stumbled:* {stumbled}"]
    return "\n".join(lines)


def keep(walks: list[Walk]) -> None:
    """Write walked.toml."""
    lines = [
        "# What each user of users.toml takes from the README to an answer: seconds by the clock, and with the CPU",
        "# time of commands in place of their time by the clock. Written with the table of evidence/newcomer by",
        "#     python tests/install/users.py --write evidence/newcomer/README.md",
    ]
    for user, walk in zip(USERS, walks, strict=True):
        lines.append(
            f"{user['name']} = {{ clock = {walk.clock_s:.0f}, free = {walk.free_s:.0f}, words = {walk.words} }}"
        )
    WALKED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description="Walk from the README to an answer for each kind of user.")
    options.add_argument("--write", type=Path, help="a page, between whose marks the table goes")
    chosen = options.parse_args()
    load = os.getloadavg()[0]
    walks = [walk_of(user) for user in USERS]
    print(table(walks, load))
    late = {
        user["who"]: clock(walk.free_s) for user, walk in zip(USERS, walks, strict=True) if walk.free_s > FIVE_MINUTES
    }
    if chosen.write:
        text = chosen.write.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        chosen.write.write_text(f"{head}{BEGIN}\n\n{table(walks, load)}\n\n{END}{tail}", encoding="utf-8")
        keep(walks)
    assert not late, f"later than five minutes: {late}"


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}\n{error.stderr}")
