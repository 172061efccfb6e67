"""The snippets of docs/own-queue.md: each runs, and the statements of the page hold."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/own-queue.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.M | re.S)


def test_every_snippet_runs_in_order():
    # The page itself compares CoDel's drops, in an assert.
    space = {"__name__": "own_queue_page"}
    for number, snippet in enumerate(SNIPPETS):
        exec(compile(snippet, f"snippet {number}", "exec"), space)

    assert space["result"].reasons.height > 0
    assert space["comparison"].variants.keys() == {"fifo", "lottery", "lottery:probability=0.05"}
    assert space["ours"].drops.height > 100
    assert space["gentle"].queue.height == 2


@pytest.mark.parametrize("name", ["my_codel", "my_reno"])
def test_the_files_of_the_examples_are_those_of_the_page(name):
    file = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    body = file.partition('"""\n\n')[2]
    assert body in SNIPPETS


def test_codel_takes_about_forty_lines():
    body = next(snippet for snippet in SNIPPETS if "class MyCodel" in snippet)
    law = body[body.index("    def __init__") :]
    assert len([line for line in law.splitlines() if line.strip()]) <= 41


def test_the_commands_of_the_page_run(tmp_path):
    (tmp_path / "mine.py").write_text(SNIPPETS[0])
    (tmp_path / "out").mkdir()
    commands = re.findall(r"^sojourn (.* --plugin mine\.py.*)$", PAGE.replace("\\\n", " "), flags=re.M)
    assert len(commands) == 4
    for command in commands:
        arguments = [*command.split(), *(["--seeds", "2"] if command.startswith("compare") else [])]
        code = "from sojourn._rooms.cli import main; main()"
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
