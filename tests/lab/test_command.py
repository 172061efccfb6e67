"""``sojourn lab`` serves the page to this machine alone, and says how to get it where it is not."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sojourn._rooms.cli import app
from sojourn._rooms.cli import lab as command
from sojourn._rooms.cli.serving import server

from .opening import Browser, over


def test_without_the_page_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(command, "PAGE", tmp_path / "index.html")

    result = CliRunner().invoke(app, ["lab", "--no-open"])

    assert result.exit_code == 2
    assert "make lab" in result.stderr


def test_a_port_that_is_taken_is_told():
    with server(command.PAGE, 0) as other:
        command.PAGE.parent.mkdir(exist_ok=True)
        if not command.PAGE.exists():
            pytest.skip("the laboratory is not built: make lab")
        result = CliRunner().invoke(app, ["lab", "--no-open", "--port", str(other.server_port)])

    assert result.exit_code == 2
    assert "hint" in result.stderr


def test_the_page_is_served_on_the_loopback_address_and_runs(browser: Browser):
    running = subprocess.Popen(
        [sys.executable, "-m", "sojourn", "lab", "--no-open", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    try:
        line = running.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(address + "../../etc/passwd")
        page = browser.page()
        page.call("Page.navigate", url=address + "#queue=fifo&queue=codel&seconds=5")
        page.wait("document.documentElement?.dataset.ready === 'yes'")
        over(page)

        assert page.errors == []
        assert all(url.startswith((address, "data:", "blob:")) for url in page.requests)
    finally:
        running.terminate()
        running.wait(timeout=10)
        running.stderr.close()
