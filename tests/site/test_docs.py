"""Commands and Python of pages that the site takes from docs/ run, in the order of their page."""

from __future__ import annotations

import pytest
from snippets import ROOT, blocks
from test_pages import run

# docs/own-queue.md has tests of its own (tests/unit/own), and so have README and the newcomer's page (tests/install).
PAGES = ("studies", "models", "cluster", "figures", "bottleneck", "latency-under-load")


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_shows_can_be_done(name: str, tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    shown = blocks(ROOT / "docs" / f"{name}.md")
    # A file that a page shows is one that the reader saves; parts of a work's files are not.
    for block in shown:
        if block.language == "toml" and not block.text.startswith(("[[claim]]", "printed_runs")):
            (tmp_path / "load.toml").write_text(block.text, encoding="utf-8")
    for block in shown:
        if block.language == "python":
            exec(compile(block.text, name, "exec"), names)
        for command in block.commands if block.language == "console" else []:
            run(command)

    assert any(block.language == "python" for block in shown)
