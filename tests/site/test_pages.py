"""Every command and every piece of Python on the pages that people wrote runs, in the order of its page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from snippets import PAGES, ROOT, Block, blocks
from typer.testing import CliRunner

from sojourn._rooms.cli import app

TRIED = [page for page in PAGES if any(block.language in {"console", "python"} for block in blocks(page))]
TARGETS = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
# Of a wheel, which a test of its own installs.
INSTALLS = "pip install "


@pytest.mark.parametrize("page", TRIED, ids=lambda page: page.relative_to(ROOT / "site/pages").as_posix())
def test_what_a_page_shows_can_be_done(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.language == "python":
            exec(compile(block.text, str(page), "exec"), names)
        for command in block.commands if block.language == "console" else []:
            run(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT / "site/pages").as_posix())
def test_what_is_made_and_installed_exists(page: Path):
    for block in blocks(page):
        if block.language == "sh":
            for line in block.text.splitlines():
                command = line.partition("#")[0].strip()
                assert command.startswith(INSTALLS) or command.split()[1] in TARGETS, command


def test_a_prompt_is_followed_by_a_command():
    shown = [(page, block) for page in PAGES for block in blocks(page) if block.language == "console"]

    assert len(shown) > 10
    assert [page for page, block in shown if not block.commands] == []


def run(command: str) -> None:
    words = shlex.split(command)
    assert words[0] == "sojourn"
    if words == ["sojourn", "lab"]:
        # It serves until it is stopped; tests of its own do that (tests/lab/test_command.py).
        words.append("--help")
    done = CliRunner().invoke(app, words[1:])
    assert done.exit_code == 0, f"{command}\n{done.output}"


def test_blocks_are_found():
    assert Block("console", "$ a\nb\n$ c\n").commands == ["a", "c"]
    assert Block("console", "$ a \\\n  b\n").commands == ["a    b"]
