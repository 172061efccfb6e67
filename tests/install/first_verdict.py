"""Walks to a first verdict of one's own: ``python tests/install/first_verdict.py --write evidence/newcomer/README.md``.

From an empty folder and docs/works.md alone: a work is begun, run, and gets an experiment of its own, with a mistake
that is mended by the message. The machine's time is measured; reading, copying and writing are estimated. Fails if
the own verdict takes more than ten minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from newcomer import WORDS_PER_MINUTE, Clock, table, words_of

ROOT = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- begin first verdict -->", "<!-- end first verdict -->"
TEN_MINUTES = 600
WRITTEN_PER_MINUTE = 12
"""Words of a file that one writes and thinks about, not copies."""

OWN = """
name = "E2"
doc = "does a longer buffer make packets wait longer?"
scenario = "home_uplink"
seeds = { quick = 5, full = 20 }
axes.buffer = { key = "dumbbell.queue.limit", values = ["10p", "40p"] }
metrics.wait = { column = "sojourn_mean_ms", row = "forward", unit = "ms" }

[[claim]]
kind = "monotone"
text = "packets wait longer in a longer buffer"
metric = "wait"
along = "bufer"
rises = true
"""


def part(begin: str, until: str) -> int:
    """Words of docs/works.md between two headings; code is copied, not read."""
    text = (ROOT / "docs" / "works.md").read_text(encoding="utf-8")
    return words_of(text[text.index(begin) : text.index(until)])


def walk(folder: Path) -> Clock:
    """The steps; the clock stops when the verdicts are kept."""
    path = Clock()
    study = folder / "papers/floyd1993/experiments/E2.toml"

    def sojourn(rest: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "sojourn", *rest.split()], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, (rest, done.stderr)
        return done.stdout + done.stderr

    def refused() -> None:
        assert "did you mean buffer?" in sojourn("reproduce floyd1993", code=2)

    def own() -> None:
        study.write_text(OWN.replace("bufer", "buffer"))
        assert re.search(r"holds +packets wait longer in a longer buffer", sojourn("reproduce floyd1993 --only E2"))

    path.step("read how a work is begun", lambda: None, words=part("## A first verdict", "## The study file"))
    path.step("begin one", lambda: sojourn("init --work floyd1993"), copied=1)
    path.step("run it: three verdicts of the example", lambda: sojourn("reproduce floyd1993"), copied=1)
    path.step("read about study files and claims", lambda: None, words=part("## The study file", "**Readings.**"))
    # A file of one's own begins with a copy of the first one: only the rest is written.
    begun = Counter((study.parent / "E1.toml").read_text().split())
    new = sum((Counter(OWN.split()) - begun).values())
    path.step(
        "write an experiment of one's own, from a copy of the first",
        lambda: study.write_text(OWN),
        words=new * WORDS_PER_MINUTE // WRITTEN_PER_MINUTE,
        copied=1,
    )
    path.step("run it: an axis is misspelt, and the message says so", refused, copied=1)
    done = path.step("mend it and run it: the own verdict", own, copied=2)
    full = "reproduce floyd1993 --full --record"
    path.step("run all in full, and keep the verdicts", lambda: sojourn(full), copied=1)
    assert done < TEN_MINUTES, f"the own verdict came after {done:.0f} s"
    return path


def main() -> None:
    options = argparse.ArgumentParser(description="Walk to a first verdict with a clock.")
    options.add_argument("--write", type=Path, help="a page, between whose marks the table goes")
    chosen = options.parse_args()
    os.environ.pop("SOJOURN_PAPERS", None)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        path = walk(Path(folder))
    print(table(path), f"{time.perf_counter() - started:.0f} s", sep="\n")
    if chosen.write:
        head, rest = chosen.write.read_text(encoding="utf-8").split(BEGIN)
        _, tail = rest.split(END)
        chosen.write.write_text(f"{head}{BEGIN}\n\n{table(path)}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
